"""`rankexp verdicts` on a million values: seconds of a processor, and memory."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks._timing import command

SECONDS, GIGABYTES = 20.0, 1.0
SHAPES = {
    "20 methods, 50 data sets, 10 x 100 folds": (20, 50, 1_000),
    "100 methods, 10,000 items": (100, 1, 10_000),
}


def write(file: Path, methods: int, sets: int, units: int) -> None:
    """Write a long table of values that look like an AUC."""
    rng = np.random.default_rng(0)
    index = np.indices((sets, units, methods)).reshape(3, -1)
    frame = pd.DataFrame(
        {
            "dataset": index[0],
            "repeat": index[1] // 100,
            "fold" if sets > 1 else "item": index[1] % (100 if sets > 1 else units),
            "method": pd.Categorical.from_codes(index[2], [f"m{i}" for i in range(methods)]),
            "auc": (rng.normal(0.8, 0.02, index.shape[1]) + 0.001 * index[2]).round(6),
        }
    )
    (frame if sets > 1 else frame.drop(columns="repeat")).to_csv(file, index=False)


def rows() -> Iterator[tuple[str, float, float]]:
    """Yield seconds and gigabytes for each shape."""
    with tempfile.TemporaryDirectory() as place:
        for place_of, (name, shape) in enumerate(SHAPES.items()):
            file = Path(place) / "scores.csv"
            write(file, *shape)
            seconds, memory = command(
                "verdicts", str(file), "--out", str(Path(place) / f"out{place_of}")
            )
            yield f"verdicts, {name}: seconds of a processor", seconds, SECONDS
            yield f"verdicts, {name}: gigabytes", memory, GIGABYTES
