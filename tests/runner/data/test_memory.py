"""How much memory reading takes, in a process of its own."""

import subprocess
import sys

import numpy as np
import pyarrow as pa
import pytest

ROWS, COLUMNS = 60_000, 60
ARROW = int(pa.__version__.split(".")[0])
MEASURE = """
import sys
from pathlib import Path
from rankexp.runner.config.data_entry import DataEntry
from rankexp.runner.data.inspect import dataset_of

def memory(word):
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(word))

def read(path):
    entry = DataEntry(source={"file": path}, target="y", levels=["no", "yes"])
    return dataset_of(path, entry).X.nbytes

read(sys.argv[1])
Path("/proc/self/clear_refs").write_text("5")
before = memory("VmRSS")
size = read(sys.argv[2])
print((memory("VmHWM") - before) / size)
"""


@pytest.mark.slow
@pytest.mark.skipif(ARROW < 22, reason=f"pyarrow {ARROW} keeps more memory for later, up to 3.3")
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs /proc")
@pytest.mark.parametrize("text", [False, True])
def test_a_table_takes_less_than_2_5_times_its_matrix(tmp_path, text):
    rng = np.random.default_rng(0)
    header = ",".join([*(f"x{j}" for j in range(COLUMNS)), "y"])
    numbers = rng.normal(size=(ROWS, COLUMNS)).round(5)
    words = "level " if text else ""
    cells = np.char.add(words, (numbers.round(1) if text else numbers).astype(str))
    rows = [",".join([*row, ("no", "yes")[i % 2]]) for i, row in enumerate(cells)]
    for name, count in (("small.csv", 300), ("large.csv", ROWS)):
        (tmp_path / name).write_text("\n".join([header, *rows[:count]]))
    files = [str(tmp_path / name) for name in ("small.csv", "large.csv")]
    found = subprocess.run(
        [sys.executable, "-c", MEASURE, *files], capture_output=True, text=True, check=True
    )
    assert float(found.stdout) < 2.5
