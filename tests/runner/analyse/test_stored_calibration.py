"""The stored simulation of intervals over folds: what the page says of it, and that it runs."""

import re
from pathlib import Path

import numpy as np
import pytest

calibration = pytest.importorskip("benchmarks._calibration")
PAGE = Path(__file__).parents[3] / "docs" / "statistics.md"
LEAST = 0.935


def shown_below(row: dict[str, str]) -> bool:
    error = np.sqrt(LEAST * (1 - LEAST) / int(row["studies"]))
    return float(row["adopted covers"]) < LEAST - 2.6 * error


def test_the_page_has_every_case_and_marks_those_that_fail() -> None:
    lines = re.findall(r"^\| (?:un)?like.*\|$", PAGE.read_text("utf-8"), re.M)
    rows = calibration.stored()
    assert len(lines) == len(rows) >= 12
    for line, row in zip(lines, rows, strict=True):
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        assert cells[0].removesuffix(", steep") == row["pair"]
        assert cells[1] == f"{int(row['rows']):,}"
        covers = [float(cell.strip("*").split()[0]) for cell in cells[4:]]
        names = ("resampled", "placements", "adopted")
        assert covers == [round(float(row[f"{name} covers"]), 3) for name in names]
        assert cells[-1].startswith("**") == shown_below(row)
    assert sum(map(shown_below, rows)) == 3


def test_a_case_can_be_simulated_again() -> None:
    row = calibration.stored()[0]
    cell = calibration.cell_of(row)._replace(studies=40, training_sets=20)
    found = calibration.simulate(cell)
    assert found["adopted covers"] >= 0.85
    half = found["adopted half-width"]
    assert half < found["resampled half-width"]
    assert half == pytest.approx(float(row["adopted half-width"]), rel=0.25)
