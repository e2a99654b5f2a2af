"""No verdict of a reference report stands beside an interval that denies it."""

from pathlib import Path

import pandas as pd
import pytest

ROOT = Path(__file__).parents[3] / "results" / "reference"
FOLDERS = sorted(path.parent for path in ROOT.glob("*/manifest.json"))


def denied(table: pd.DataFrame) -> pd.DataFrame:
    """Return the rows whose interval says something else than their verdict."""
    known = table.dropna(subset=["low_all", "high_all"])
    said = known.verdict.astype(str)
    apart = (known.low_all > 0) | (known.high_all < 0)
    return known[apart != said.str.contains("better|worse")]


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda path: path.name)
def test_no_row_has_a_verdict_that_its_interval_denies(folder: Path) -> None:
    read = 0
    for file in sorted(folder.glob("*.csv")):
        columns = set(pd.read_csv(file, nrows=0).columns)
        if {"verdict", "low_all", "high_all", "p_adjusted"} <= columns:
            table = pd.read_csv(file)
            wrong = denied(table)
            assert wrong.empty, f"{file.name}:\n{wrong.to_string()}"
            read += len(table)
    assert read or folder.name == "mohri2018"


def test_a_verdict_that_its_interval_denies_is_seen() -> None:
    made = pd.DataFrame(
        {
            "verdict": ["worse", "undecided", "worse", "equivalent", "undecided"],
            "low_all": [-0.1, 0.1, 0.1, -0.1, None],
            "high_all": [0.1, 0.2, 0.2, 0.1, None],
        }
    )
    assert list(denied(made).index) == [0, 1]
