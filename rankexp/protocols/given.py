"""One test set that comes with the data: rows that a column of it names."""

from collections.abc import Iterator
from typing import Literal

import numpy as np

from rankexp.errors import DataError
from rankexp.protocols.base import EXAMPLES, Design, Loaded, Parts, Place, Protocol

REGISTER = {"given": "Given"}


class Given(Protocol):
    """One test set that comes with the data, as its column of groups says."""

    problems = "data sets"

    kind: Literal["given"]
    test: str
    """The group whose rows are the test part; `groups` of the data's entry names the column."""
    validation: str | None = None
    """The group whose rows are the validation part. All other rows are trained on."""

    def places(self) -> Iterator[Place]:
        """Yield the one place."""
        yield Place(None, 0)

    def size(self) -> int:
        """Return 1."""
        return 1

    def training_rows(self, rows: int) -> int:
        """Return two thirds of the rows: how many are in which group is not known before."""
        return rows * 2 // 3

    def parts(self, source: Loaded, place: Place, *, inner: bool) -> Parts:
        """Return the parts of a data set.

        Raises
        ------
        DataError
            No groups, no row in a group that is named, no row in any other.
        """
        whole = source.whole
        if whole.groups is None:
            raise DataError(
                f"data set '{source.name}' does not say which rows are its '{self.test}' part; "
                "name the column that does in 'groups' of its entry"
            )
        codes, label = np.unique(whole.groups, return_inverse=True)
        names = [whole.group_names[c] if whole.group_names else str(c) for c in codes.tolist()]
        wanted = list(filter(None, (self.test, self.validation)))
        for name in wanted:
            if name not in names:
                known = ", ".join(names[:10])
                raise DataError(f"data set '{source.name}' has no group '{name}'; it has: {known}")
        held = [np.flatnonzero(label == names.index(name)) for name in wanted]
        train = np.setdiff1d(np.arange(len(label)), np.concatenate(held))
        if not len(train):
            raise DataError(f"all rows of data set '{source.name}' are {' or '.join(wanted)}")
        test, *others = (whole.take(rows) for rows in held)
        path = f"{source.name}/given"
        return Parts(whole.take(train), test, path, others[0] if others else None)

    def design(self, rows: float = float("nan")) -> Design:
        """Return the examples of one test set."""
        return Design(EXAMPLES)

    def words(self) -> str:
        """Return ``the test set 'test' of the data``."""
        return f"the test set '{self.test}' of the data"
