"""Names of the kinds of arrays that signatures say."""

from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Signed = npt.NDArray[np.signedinteger[Any]]
Unsigned = npt.NDArray[np.unsignedinteger[Any]]
Bools = npt.NDArray[np.bool_]
Complexes = npt.NDArray[np.complex128]
Labels = npt.NDArray[np.generic]
"""Classes or levels, whatever they are: numbers, words or objects."""
PerRow = npt.ArrayLike | None
"""One value a row, such as a weight; or none given."""
Seed = int | np.random.RandomState | None
"""A `random_state` of scikit-learn."""
