"""The README's Python runs as it stands, on data of the kind that it speaks of."""

import doctest
import re
from pathlib import Path

import numpy as np
import pytest
from sklearn.model_selection import cross_val_score

TEXT = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)


def data(labels: list[str]) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 3))
    cuts = np.linspace(-0.5, 0.5, len(labels) - 1)
    return X, np.array(labels)[np.searchsorted(cuts, X[:, 0] + rng.standard_normal(60))]


@pytest.mark.parametrize("code", BLOCKS, ids=lambda code: code.splitlines()[0])
def test_a_block_runs(code: str) -> None:
    known = re.search(r"levels = (\[.*\])", code)
    X, y = data(eval(known[1]) if known else ["no", "yes"])
    names = {"X": X, "y": y, "X_test": X, "y_test": y, "cross_val_score": cross_val_score}
    exec(code, names)


def test_there_are_blocks() -> None:
    assert len(BLOCKS) >= 2


def test_what_the_library_page_shows_is_so() -> None:
    page = Path(__file__).parents[2] / "docs/library.md"
    found = doctest.testfile(str(page), module_relative=False, encoding="utf-8")
    assert found.failed == 0
    assert found.attempted > 10
