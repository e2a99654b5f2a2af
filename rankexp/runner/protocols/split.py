"""Random splits into a training and a test part."""

from collections.abc import Iterator, Mapping
from typing import Literal

import numpy as np
from pydantic import PositiveFloat

from rankexp.runner.protocols.base import Design, Place
from rankexp.runner.protocols.dealing import KeptRows, Split, holdout
from rankexp.runner.protocols.dividing import KEPT, Dividing

REGISTER = {"split": "Holdout"}


class Holdout(Dividing):
    """Random splits into a training and a test part."""

    kind: Literal["split"]
    test: PositiveFloat
    """Below 1 a fraction of the rows (rounded), otherwise a number of rows."""

    def faults(self, rows: Mapping[str, int | None]) -> Iterator[tuple[str, str]]:
        """Find test parts that leave nothing, or are no number of rows."""
        if self.test > 1 and self.test % 1:
            text = "expected a fraction below 1 or a whole number of rows"
            yield "test", f"{text}, got {self.test}"
        for name, count in rows.items():
            if count and self.test >= count:
                yield "test", f"leaves no training rows: '{name}' has {count} rows"

    def places(self) -> Iterator[Place]:
        """Yield the repeats."""
        for rep in range(self.repeats):
            yield Place(None, rep)

    def size(self) -> int:
        """Return the number of repeats."""
        return self.repeats

    def training_rows(self, rows: int) -> int:
        """Return the rows that the test part leaves."""
        return int(rows - self.test_share(rows) * rows)

    def split(self, n: int, place: Place, rng: np.random.Generator, kept: KeptRows) -> Split:
        """Draw the test part of a repeat."""
        return holdout(n, self.test, rng, kept)

    def design(self, rows: float = float("nan")) -> Design:
        """Return splits, whose training parts overlap."""
        share = self.test_share(rows)
        return Design("splits", share / (1.0 - share))

    def test_share(self, rows: float) -> float:
        """Return which share of the rows is the test part; NaN where it depends on `rows`."""
        return self.test if self.test < 1 else self.test / rows

    def words(self) -> str:
        """Return ``5 splits, test part 0.3``."""
        times = "one random split" if self.repeats == 1 else f"{self.repeats} splits"
        return f"{times}, test part {self.test:g}{KEPT[self.together]}"
