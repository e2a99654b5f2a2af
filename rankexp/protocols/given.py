"""One test set that comes with the data: rows of a part that the data names."""

from collections.abc import Iterator
from typing import Literal

import numpy as np

from rankexp.errors import DataError
from rankexp.protocols.base import EXAMPLES, Design, Loaded, Parts, Place, Protocol
from rankexp.protocols.dividing import Together, kept_together

REGISTER = {"given": "Given"}


class Given(Protocol):
    """One test set that comes with the data, as its parts say.

    The entry of the data names a column of parts in `part`, or a second file in its source, whose
    rows are the part ``test``. Groups have nothing to do with it.
    """

    problems = "data sets"

    kind: Literal["given"]
    test: str
    """The part that is the test set."""
    validation: str | None = None
    """The part that is the validation set. All other rows are trained on."""
    together: Together = "none"
    """Rows of the training part that its inner folds must not part."""

    def places(self) -> Iterator[Place]:
        """Yield the one place."""
        yield Place(None, 0)

    def size(self) -> int:
        """Return 1."""
        return 1

    def training_rows(self, rows: int) -> int:
        """Return two thirds of the rows: how many are in which part is not known before."""
        return rows * 2 // 3

    def parts(self, source: Loaded, place: Place, *, inner: bool) -> Parts:
        """Return the parts of a data set.

        Raises
        ------
        DataError
            No parts, no row in a part that is named, no row in any other.
        """
        if source.parts is None:
            raise DataError(
                f"data set '{source.name}' does not say which rows are its '{self.test}' part; "
                "name the column that does in 'part' of its entry, or a second file in its "
                "source: {file: train.csv, test: test.csv}"
            )
        names = [source.part_names[code] for code in np.unique(source.parts).tolist()]
        wanted = list(filter(None, (self.test, self.validation)))
        for name in wanted:
            if name not in names:
                known = ", ".join(names[:10])
                raise DataError(f"data set '{source.name}' has no part '{name}'; it has: {known}")
        held = [np.flatnonzero(source.parts == source.part_names.index(name)) for name in wanted]
        train = np.setdiff1d(np.arange(len(source.parts)), np.concatenate(held))
        if not len(train):
            raise DataError(f"all rows of data set '{source.name}' are {' or '.join(wanted)}")
        test, *others = (source.whole.take(rows) for rows in held)
        units = kept_together(source, self.together) if inner else None
        return Parts(
            source.whole.take(train),
            test,
            f"{source.name}/given",
            others[0] if others else None,
            None if units is None else np.unique(units[train], return_inverse=True)[1],
        )

    def design(self, rows: float = float("nan")) -> Design:
        """Return the examples of one test set."""
        return Design(EXAMPLES)

    def words(self) -> str:
        """Return ``the test set 'test' of the data``."""
        return f"the test set '{self.test}' of the data"
