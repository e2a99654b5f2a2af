"""Products as if worked out in twice the precision, and bounds on the rounding of plain ones.

A certificate is a difference of two numbers that nearly agree, so that the rounding of a product
of badly scaled data can be all of it. Solvers widen their certificates by a bound on rounding,
and where that matters they take these products instead, at some twenty times the cost.

References
----------
T. Ogita, S. M. Rump and S. Oishi. Accurate sum and dot product. SIAM J. Sci. Comput. 26 (2005).

Examples
--------
>>> import numpy as np
>>> X, w = np.array([[1e17, 1.0, -1e17]]), np.ones(3)
>>> exact_product(X, w)
array([1.])
"""

import numpy as np

from rankexp.arrays import Floats

EPS = float(np.finfo(np.float64).eps)  # one rounding is off by half of this at most, relatively
BLOCK = 2**18  # products at once: a few megabytes
SPLITTER = 2.0**27 + 1.0  # cuts the 53 bits of a number into halves of 26 (Veltkamp)


def rounding(terms: int) -> float:
    """Return how much a sum of products is off at most, relative to the sum of absolute ones.

    It holds for any order of summation: ``k u / (1 - k u)`` with u = eps / 2 and k = terms, four
    operations more being allowed (Higham, Accuracy and Stability of Numerical Algorithms, 3.1).
    """
    unit = 0.5 * EPS * (terms + 4)
    return unit / (1.0 - unit)


def exact_product(X: Floats, w: Floats) -> Floats:
    """Return ``X @ w``, (n,), each sum rounded only once or twice.

    The error is below ``eps |X w| + d² eps² |X| |w|``.

    Parameters
    ----------
    X : ndarray of shape (n, d)
        Its values, and those of w, below 1e150 or so: halves of them are multiplied.
    w : ndarray of shape (d,)
    """
    total, rest = np.zeros(X.shape[0]), np.zeros(X.shape[0])
    size = max(1, BLOCK // max(X.shape[0], 1))
    for i in range(0, w.size, size):
        product, lost = _products(X.T[i : i + size], w[i : i + size, None])
        while product.shape[0] > 1:
            half = product.shape[0] // 2
            new, off = _add(product[:half], product[-half:])
            lost[:half] += lost[-half:] + off
            product = np.concatenate((new, product[half:-half]))
            lost = lost[: product.shape[0]]
        total, off = _add(total, product[0])
        rest += lost[0] + off
    return total + rest


def _products(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """Return a product, and what its rounding has lost (Dekker)."""
    product = a * b
    (a, a_low), (b, b_low) = _halves(a), _halves(b)
    return product, ((a * b - product) + a * b_low + a_low * b) + a_low * b_low


def _add(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """Return a sum, and what its rounding has lost (Knuth)."""
    total = a + b
    behind = total - a
    return total, (a - (total - behind)) + (b - behind)


def _halves(a: Floats) -> tuple[Floats, Floats]:
    """Return the upper and the lower bits of numbers, which multiply without rounding."""
    scaled = SPLITTER * a
    high = scaled - (scaled - a)
    return high, a - high
