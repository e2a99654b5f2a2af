"""Curves that a record can keep: small, and enough to draw a figure from.

A curve is a function ``(X, y, scores) -> {"x": [...], "y": [...]}`` of a test part and the
scores of one grid point, (n,), or of the best scorer.
"""

from collections.abc import Callable, Iterable

from rankexp import registry
from rankexp.arrays import Floats
from rankexp.runner.keep import KeptName

Curve = dict[str, list[float]]
MakeCurve = Callable[[Floats, Floats, Floats], Curve]


def made(
    names: Iterable[str], X: Floats, y: Floats, scores: Floats, best: Floats | None
) -> dict[str, Curve]:
    """Return the registered curves that a record keeps of a test part X (n, d), y (n,).

    `scores` (n, G) have a column a grid point; `best` (n,) are those of the best scorer, or None.
    """
    found: dict[str, Curve] = {}
    for name in names:
        make: MakeCurve = registry.get("keep.curves", name)
        columns = {KeptName(name, g): s for g, s in enumerate(scores.T)}
        if best is not None:
            columns[KeptName(name)] = best
        found |= {str(key): make(X, y, column) for key, column in columns.items()}
    return found
