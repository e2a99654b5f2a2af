"""Reading a table of 60,000 rows and 42 columns, 20 MB of text: time beside pandas, and memory."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks._timing import time_ratio
from rankexp.runner.data.readers.delimited import read_delimited

ROWS = 60_000


def table(rows: int = ROWS) -> pd.DataFrame:
    """Return 38 columns of numbers with a point, two of whole ones and two of texts."""
    rng = np.random.default_rng(0)
    columns = {f"x{j}": rng.normal(scale=10, size=rows).round(4 + j % 3) for j in range(38)}
    frame = pd.DataFrame(columns)
    frame["count"], frame["code"] = rng.integers(0, 1000, rows), rng.integers(0, 9, rows)
    frame["plan"] = rng.choice(["basic", "plus", "gold"], rows)
    frame["left"] = rng.choice(["no", "yes"], rows)
    return frame


def rows() -> Iterator[tuple[str, float, float | None]]:
    """Yield (name, measured, target); lower is better."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.csv"
        table().to_csv(path, index=False)
        ratio = time_ratio(lambda: read_delimited(path), lambda: pd.read_csv(path), rounds=7)
    yield "read a table / pandas.read_csv, 60,000 x 42", ratio, 3.0
