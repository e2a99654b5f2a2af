"""Names of the kinds of arrays that signatures say."""

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Numbers = npt.NDArray[np.number]
Signed = npt.NDArray[np.signedinteger]
Unsigned = npt.NDArray[np.unsignedinteger]
Bools = npt.NDArray[np.bool_]
Complexes = npt.NDArray[np.complex128]
