"""How much memory reading takes, in a process of its own; what has no room is refused before."""

import gzip
import subprocess
import sys
from functools import partial

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from rankexp.errors import DataError
from rankexp.runner import cli
from rankexp.runner.config.data_entry import DataEntry
from rankexp.runner.data import memory
from rankexp.runner.data.sources.file import KINDS, from_file, from_letor

ROWS, COLUMNS = 60_000, 60
ARROW = int(pa.__version__.split(".")[0])
MEASURE = """
import sys
from pathlib import Path
from rankexp.runner.config.data_entry import DataEntry
from rankexp.runner.data.build import dataset_of

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


MANY, WIDE = 9000, 20
STUDY = """
version: 1
study: small
title: Small
seed: 5
data: {t: {source: {file: t.csv}, target: y, levels: ["no", "yes"]}}
methods: {points: {params: {loss: logistic}, lambdas: [0.01]}}
experiments:
  table:
    problems: [t]
    metrics: [auc]
    protocol: {kind: cross_validation, folds: 2, stratified: true}
    methods: [points]
report: [{block: completeness, name: done, experiment: table}]
"""


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    """Return one table in files of all formats, of which the first lines are the shortest."""
    folder = tmp_path_factory.mktemp("tables")
    numbers = np.random.default_rng(1).normal(size=(MANY, WIDE - 1)).round(4)
    frame = pd.DataFrame(numbers, columns=[f"x{j}" for j in range(WIDE - 1)])
    frame["y"] = np.where(numbers[:, 0] > 0, "yes", "no; perhaps")
    frame.to_csv(folder / "t.csv", index=False)
    frame.to_csv(folder / "t.csv.gz", index=False)
    frame.to_parquet(folder / "t.parquet")
    head = [f"@attribute {name} numeric\n" for name in frame.columns[:-1]]
    head += ["@attribute y {yes, 'no; perhaps'}\n@data\n"]
    text = frame.to_csv(index=False, header=False, quotechar="'")
    (folder / "t.arff").write_text("@relation t\n" + "".join(head) + text)
    rows = (
        f"{i % 2} qid:{i // 9} " + " ".join(f"{j + 1}:{value}" for j, value in enumerate(row))
        for i, row in enumerate(numbers.tolist())
    )
    (folder / "t.letor").write_text("\n".join(rows) + "\n")
    (folder / "t.letor.gz").write_bytes(gzip.compress((folder / "t.letor").read_bytes()))
    return folder


FILES = ("t.csv", "t.csv.gz", "t.parquet", "t.arff", "t.letor", "t.letor.gz")


def _kind(name):
    return "letor" if "letor" in name else KINDS.get(f".{name.split('.')[1]}", "text")


@pytest.mark.parametrize("name", FILES)
def test_the_size_of_a_table_is_known_from_its_beginning(tables, name, monkeypatch):
    monkeypatch.setattr(memory, "HEAD", 300_000)
    rows, width = memory.size_of(tables / name, _kind(name), None)
    packed = (tables / name).stat().st_size
    ahead = (1 << 17) / packed if ".gz" in name else 0  # which gzip's reader has read
    assert -ahead - 0.05 < rows / MANY - 1 < 0.05
    assert width == WIDE - (_kind(name) == "letor")


@pytest.mark.parametrize("name", FILES)
def test_a_table_without_room_is_refused_before_it_is_read(tables, name, monkeypatch):
    read = partial(from_letor if "letor" in name else from_file, name, folders=[tables])
    entry = DataEntry(source={"file": name}, target="y")
    assert read(entry).values.shape[0] == MANY
    monkeypatch.setattr(memory, "HEAD", 100_000)
    monkeypatch.setattr(memory, "SMALL", 1e5)
    monkeypatch.setattr(memory, "_allowed", lambda: 4e5)
    for reader in ("delimited.read_delimited", "letor.read_letor", "arff.read_arff"):
        monkeypatch.setattr(f"rankexp.runner.data.readers.{reader}", None)
    fit = round(4e5 / (8 * WIDE * memory.PEAK[_kind(name)]), -2)
    said = rf"^reading .*{name} needs about 0\.0 GB .*about ([\d,]+) would fit$"
    with pytest.raises(DataError, match=said) as refused:
        read(entry)
    number = float(str(refused.value).split("about ")[-1].split(" ")[0].replace(",", ""))
    assert abs(number / fit - 1) < 0.15
    monkeypatch.setattr(memory, "SMALL", 1e9)
    with pytest.raises(TypeError, match="NoneType") if "parquet" not in name else _nothing():
        read(entry)


def _nothing():
    from contextlib import nullcontext

    return nullcontext()


def test_what_a_control_group_and_a_process_allow_is_what_is_free(tmp_path, monkeypatch):
    (tmp_path / "memory.max").write_text("3000000\n")
    (tmp_path / "memory.current").write_text("2500000\n")
    (tmp_path / "memory.stat").write_text("anon 7\ninactive_file 400000\n")
    monkeypatch.setattr(memory, "_control_groups", lambda: [tmp_path, tmp_path / "none"])
    assert memory.free() == 900_000
    (tmp_path / "memory.max").write_text("max\n")
    assert memory.free() > 1e7
    program = """if True:
        import resource
        from rankexp.runner.data import memory
        memory._allowed()
        now = 1024 * int(open("/proc/self/status").read().split("VmSize:")[1].split()[0])
        resource.setrlimit(resource.RLIMIT_AS, (now + 5e8.__int__(),) * 2)
        print(memory._allowed())
    """
    found = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert 4e8 < float(found.stdout) <= 5e8


@pytest.mark.parametrize(
    ("room", "workers", "most"), [(1e12, 8, 8), (12e9, 8, 2), (12e9, 1, 1), (1e9, 8, 1)]
)
def test_no_more_workers_start_than_have_room(tmp_path, monkeypatch, room, workers, most):
    with (tmp_path / "large.npz").open("wb") as file:
        file.truncate(10**9)
    (tmp_path / "small.npz").write_bytes(b"-")
    files = [str(tmp_path / name) for name in ("small.npz", "large.npz")]
    monkeypatch.setattr(memory, "free", lambda: room)
    found, said = memory.affordable(workers, files)
    assert found == most
    assert (f"{most} of {workers} workers" in said) == (most < workers)
    assert memory.affordable(workers, files[:1]) == (workers, "")  # what is small takes all


def test_a_run_and_its_plan_say_that_fewer_workers_start(tmp_path, monkeypatch, capsys):
    rows = "".join(f"{i % 7},{i % 3},{'yes' if i % 2 else 'no'}\n" for i in range(24))
    (tmp_path / "t.csv").write_text(f"u,v,y\n{rows}")
    (tmp_path / "study.yaml").write_text(STUDY)
    monkeypatch.setenv("RANKEXP_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(memory, "BASE", 1.0)
    monkeypatch.setattr(memory, "free", lambda: 1e4)
    monkeypatch.chdir(tmp_path)
    for command in ("plan", "run"):
        monkeypatch.setattr(sys, "argv", ["rankexp", command, "study.yaml", "--jobs", "3"])
        with pytest.raises(SystemExit) as ended:
            cli.main()
        assert not ended.value.code
        printed = capsys.readouterr()
        assert "1 of 3 workers is started" in printed.out + printed.err


def test_no_memory_is_a_sentence_and_no_internal_error(monkeypatch, capsys):
    def fail(args):
        raise MemoryError

    monkeypatch.setattr(cli, "app", fail)
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert ended.value.code == 4
    assert capsys.readouterr().err.startswith("rankexp: memory is not enough")
