"""Curves that a record can keep: small, and enough to draw a figure from.

A curve is a function ``(X, y, scores) -> {"x": [...], "y": [...]}`` of a test part and the
scores of one grid point, (n,), or of the best scorer.
"""

from collections.abc import Callable, Iterable, Mapping

from rankexp import registry
from rankexp.arrays import Floats
from rankexp.keep.key import Key

Curve = dict[str, list[float]]
MakeCurve = Callable[[Floats, Floats, Floats], Curve]


def made(
    names: Iterable[str], X: Floats, y: Floats, scores: Floats, best: Floats | None
) -> dict[str, Curve]:
    """Return the curves that a record keeps of a test part.

    Parameters
    ----------
    names : iterable of str
        Registered curves.
    X, y : ndarray of shape (n, d), (n,)
    scores : ndarray of shape (n, G)
        A column a grid point.
    best : ndarray of shape (n,) or None
        Scores of the best scorer where it is known.
    """
    found: dict[str, Curve] = {}
    for name in names:
        make: MakeCurve = registry.get("keep.curves", name)
        columns: Mapping[Key, Floats] = {Key(name, g): s for g, s in enumerate(scores.T)}
        columns = columns if best is None else {**columns, Key(name): best}
        found |= {str(key): make(X, y, column) for key, column in columns.items()}
    return found
