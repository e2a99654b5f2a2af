"""Names of the kinds of arrays in signatures."""

from collections.abc import Hashable, Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Numbers = npt.NDArray[np.number]
Signed = npt.NDArray[np.signedinteger]
Unsigned = npt.NDArray[np.unsignedinteger]
Bools = npt.NDArray[np.bool_]
Complexes = npt.NDArray[np.complex128]
Labels = npt.NDArray[np.generic]  # classes or levels, whatever they are: numbers, words or objects
PerRow = npt.ArrayLike | None  # one value a row, such as a weight; or none given
Seed = int | np.random.RandomState | None  # A `random_state` of scikit-learn


class TableColumn(Protocol):
    """A column of a table, such as a Series, as type checkers see it."""

    @property
    def name(self) -> Hashable:
        """What it is called."""

    def __array__(self) -> Labels:
        """Return its values."""


Vector = np.ndarray[tuple[int], np.dtype[np.generic]] | Sequence[float] | TableColumn
