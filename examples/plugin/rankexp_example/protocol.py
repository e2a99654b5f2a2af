"""A protocol: how a data set becomes training and test parts."""

from typing import Literal

import numpy as np
from pydantic import PositiveInt

from rankexp.runner.protocols.base import Design, Parts, Place, Protocol


class Rolling(Protocol):
    """Train on what came before and test on what comes next, the rows being in order of time."""

    problems = "data sets"

    kind: Literal["rolling"]
    windows: PositiveInt = 3
    """The rows are cut into one more piece than this; each but the first is tested on once."""

    def faults(self, rows):
        """Find data sets that are too short."""
        for name, count in rows.items():
            if count and count <= self.windows:
                yield "windows", f"'{name}' has {count} rows, too few for {self.windows} windows"

    def places(self):
        """Yield the windows."""
        for window in range(self.windows):
            yield Place(rep=window)

    def size(self):
        """Return the number of windows."""
        return self.windows

    def training_rows(self, rows):
        """Return the mean over windows."""
        return rows // 2

    def parts(self, source, place, *, inner):
        """Return the rows before a window, and those of it."""
        pieces = np.array_split(np.arange(len(source.whole.y)), self.windows + 1)
        before, now = np.concatenate(pieces[: place.rep + 1]), pieces[place.rep + 1]
        path = f"{source.name}/rep/{place.rep}"
        return Parts(source.whole.take(before), source.whole.take(now), path)

    def design(self, rows=float("nan")):
        """Return splits, whose training parts overlap."""
        shares = [1.0 / (window + 1) for window in range(self.windows)]
        return Design("splits", sum(shares) / len(shares))

    def words(self):
        """Return ``3 rolling windows``."""
        return f"{self.windows} rolling windows"
