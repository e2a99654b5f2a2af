"""A protocol: how a data set becomes training and test parts."""

from typing import Annotated, Literal

import numpy as np
from pydantic import Field, PositiveInt

from rankexp.plugin import Design, Parts, Place, Protocol, stream


class Rolling(Protocol):
    """Train on what came before and test on what comes next, the rows being in order of time."""

    problems = "data sets"

    kind: Literal["rolling"]
    windows: PositiveInt = 3
    """The rows are cut into one more piece than this; each but the first is tested on once."""
    share: Annotated[float, Field(gt=0, le=1)] = 1.0
    """Of the rows before a window, so many are drawn at random to train on."""

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
        return round(self.share * rows / 2)

    def parts(self, source, place, *, inner):
        """Return rows from before a window, and those of it.

        The stream depends on the study's seed and on a path, which names the problem and the
        place. So a place has the same parts whatever else the study runs.
        """
        pieces = np.array_split(np.arange(len(source.whole.y)), self.windows + 1)
        before, now = np.concatenate(pieces[: place.rep + 1]), pieces[place.rep + 1]
        path = f"{source.name}/rep/{place.rep}"
        count = max(1, round(self.share * len(before)))
        before = np.sort(stream(source.seed, path).choice(before, count, replace=False))
        return Parts(source.whole.take(before), source.whole.take(now), path)

    def design(self, rows=float("nan")):
        """Return splits, whose training parts overlap."""
        shares = [1.0 / (self.share * (window + 1)) for window in range(self.windows)]
        return Design("splits", sum(shares) / len(shares))

    def words(self):
        """Return ``3 rolling windows``."""
        return f"{self.windows} rolling windows"
