"""Exponential weights of examples, ``exp(-s)`` and ``exp(s)``, summed by cell."""

import numpy as np

from rankexp.arrays import Floats, Ints
from rankexp.solvers.boosting.stumps import Binned, Stump, sums

RANGE = 100.0  # scores move by this much before weights are made anew: e^±100 is far in range


def half_log_ratio(good: float, bad: float, smoothing: float, what: str) -> float:
    """Return a coefficient, ``½ log((good + d) / (bad + d))``; ValueError where it is infinite."""
    if min(good, bad) + smoothing <= 0.0:
        raise ValueError(
            f"a base ranker {what}, so its coefficient is infinite: "
            "set smoothing > 0, or None for the default"
        )
    return float(0.5 * np.log((good + smoothing) / (bad + smoothing)))


class Factors:
    """Scores, their exponentials by cell, and what a stump does to them.

    A cell is, for example, a level of a group. Its weights are relative to its own least
    (``exp(-s)``) or greatest score (``exp(s)``), so they are at most 1 when made and neither
    overflow nor vanish. `least` and `most` (cells,) are inf and -inf for an empty cell. Row
    weights are a factor of `up` and `down`, (n,), whose sums by cell are `ups` and `downs`.
    """

    def __init__(self, rows: Binned, cell: Ints, cells: int) -> None:
        self.rows, self.cell, self.cells = rows, cell.astype(np.int32), cells
        self.s = np.zeros(rows.size)
        self.refresh()

    def refresh(self) -> None:
        self.least, self.most = np.full(self.cells, np.inf), np.full(self.cells, -np.inf)
        np.minimum.at(self.least, self.cell, self.s)
        np.maximum.at(self.most, self.cell, self.s)
        self.up = np.exp(self.least[self.cell] - self.s)
        self.down = np.exp(self.s - self.most[self.cell])
        if self.rows.weight is not None:
            self.up, self.down = self.up * self.rows.weight, self.down * self.rows.weight
        self.ups = sums(self.cell, self.up, self.cells)
        self.downs = sums(self.cell, self.down, self.cells)
        self.moved = 0.0

    def split(self, stump: Stump) -> tuple[Floats, Floats]:
        """Return the sums of up and of down by cell, below and above the stump."""
        from rankexp.solvers.boosting.stumps_loops import split

        bins = self.rows.bins[stump.feature]
        return split(bins, stump.cut, self.cell, self.up, self.down, self.cells)

    def advance(self, stump: Stump, height: float, split: tuple[Floats, Floats]) -> bool:
        """Add a height to the scores above a stump, given its `split`; tell if weights are new."""
        from rankexp.solvers.boosting.stumps_loops import advance

        self.moved += abs(height)
        if self.moved > RANGE:
            self.s[self.rows.above(stump)] += height
            self.refresh()
            return True
        factor = float(np.exp(height))
        bins = self.rows.bins[stump.feature]
        advance(bins, stump.cut, height, factor, self.s, self.up, self.down)
        self.ups = split[0][0] + split[0][1] / factor
        self.downs = split[1][0] + split[1][1] * factor
        return False

    def charges(self, of_up: Floats, of_down: Floats) -> Floats:
        """Return ``up · of_up - down · of_down``, (n,), the factors of a cell (cells,)."""
        from rankexp.solvers.boosting.stumps_loops import charges

        return charges(self.cell, self.up, self.down, of_up, of_down)
