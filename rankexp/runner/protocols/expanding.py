"""Tests on later rows of methods that were trained on what lies before: windows that expand."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Literal

import numpy as np
from pydantic import Field, PositiveInt

from rankexp.arrays import Floats
from rankexp.errors import DataError
from rankexp.runner.protocols.dividing import Together, kept_together, numbered
from rankexp.runner.protocols.protocol import Loaded, Parts, Place, Protocol, message
from rankexp.statistics.design import EXAMPLES, Design

REGISTER = {"time": "ExpandingWindow"}


class ExpandingWindow(Protocol):
    """The latest rows are tested, in folds by time, each trained on all rows before it.

    Rows of the same time are in the same part. The order of rows in the file does not matter.
    """

    problems = "data sets"
    varies = "fold"
    uses_time = True

    kind: Literal["time"]
    column: str | None = None
    test: Annotated[float, Field(gt=0, lt=1)] = 0.3
    folds: PositiveInt = 1
    together: Together = "none"

    def faults(self, rows: Mapping[str, int | None]) -> Iterator[tuple[str, str]]:
        for name, count in rows.items():
            if count and self.folds > (tested := int(self.test * count)):
                yield "folds", f"more folds than the {tested} latest rows of '{name}' under test"

    def places(self) -> Iterator[Place]:
        for fold in range(self.folds):
            yield Place(None, 0) if self.folds == 1 else Place(None, None, fold)

    def size(self) -> int:
        return self.folds

    def training_rows(self, rows: int) -> int:
        return int(rows * (1 - self.test * (self.folds + 1) / (2 * self.folds)))

    def parts(self, source: Loaded, place: Place, *, inner: bool) -> Parts:
        if source.times is None:
            raise DataError(message("protocols.no_times", name=source.name))
        fold, ends = place.fold or 0, self.ends(source.name, source.times)
        order = np.argsort(source.times, kind="stable")
        train, test = np.sort(order[: ends[fold]]), np.sort(order[ends[fold] : ends[fold + 1]])
        units = numbered(kept_together(source, self.together), train) if inner else None
        path = f"{source.name}/time" + (f"/fold/{fold}" if self.folds > 1 else "")
        return Parts(source.whole.take(train), source.whole.take(test), path, together=units)

    def ends(self, name: str, times: Floats) -> list[int]:
        """Return the rows before each fold's test part, then all; a DataError where one is empty.

        They are as near to the shares asked for as rows of the same time allow.
        """
        n = len(times)
        cuts = np.cumsum(np.unique(times, return_counts=True)[1])[:-1]
        wanted = n * (1 - self.test * (1 - np.arange(self.folds) / self.folds))
        found = [int(cuts[np.argmin(np.abs(cuts - rows))]) for rows in wanted if len(cuts)]
        if len(set(found)) < self.folds:
            several = len(cuts) + 1
            raise DataError(message("protocols.few_times", own=self, name=name, different=several))
        return [*found, n]

    def design(self, rows: float = float("nan")) -> Design:
        several = Design("splits", self.test / self.folds / (1 - self.test), repeatable=False)
        return several if self.folds > 1 else Design(EXAMPLES, repeatable=False)

    @property
    def column_of_time(self) -> str | None:
        return self.column

    def words(self) -> str:
        return message("protocols.time", own=self)
