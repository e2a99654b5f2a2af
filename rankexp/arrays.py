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
Integers = npt.NDArray[np.integer]
Bools = npt.NDArray[np.bool_]
Complexes = npt.NDArray[np.complex128]
Labels = npt.NDArray[np.generic]  # classes or levels, whatever they are: numbers, words or objects
Groups = Ints | None  # the number of the group of each row; or none given
PerRow = npt.ArrayLike | None  # one value a row, such as a weight; or none given
Listed = tuple[Ints, Ints, Floats]  # upper and lower rows, and what each pair of them counts
Seed = int | np.random.RandomState | None  # A `random_state` of scikit-learn
Draws = np.random.Generator | int | None  # what draws, or its seed


class TableColumn(Protocol):
    """A column of a table, such as a Series, as type checkers see it."""

    @property
    def name(self) -> Hashable:
        """What it is called."""

    def __array__(self) -> Labels:
        """Return its values."""


Vector = np.ndarray[tuple[int], np.dtype[np.generic]] | Sequence[float] | TableColumn
