"""Keep the pairs that each test example wins: they give the variance of a share of pairs."""

from rankexp.arrays import Floats
from rankexp.keep.curves import Curve
from rankexp.metrics.level_counts import coded, won

REGISTER = {"placements": "placements"}


def placements(X: Floats, y: Floats, scores: Floats) -> Curve:
    """Return the level of each test example and how many pairs it wins, a tie counting 1/2."""
    levels = coded(y, None).codes
    return {"x": levels.tolist(), "y": won(levels, scores).tolist()}
