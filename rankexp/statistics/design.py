"""What the pairs of a comparison are: it decides the test."""

import math
from dataclasses import dataclass

EXAMPLES = "examples"  # the pairs of a design that has one test set only
QUERIES = "queries"
"""The pairs of a design whose test sets the data names, where rows come in queries."""


@dataclass(frozen=True)
class Design:
    """What the pairs of a comparison are."""

    pairs: str
    """``models``, ``queries``, ``folds`` or ``splits``; ``examples`` of one test set."""
    correction: float = 0.0
    """Rows in the test part over rows in the training part where training sets overlap; 0 where
    pairs are independent."""
    examples: float = math.inf
    """Test examples of all parts, which bound an SE from below; NaN if unknown."""
    repeatable: bool = True
    """Whether there could be more splits of the same rows; false where the data names them."""

    @property
    def independent(self) -> bool:
        """Whether the pairs may be resampled one by one."""
        return self.correction == 0.0

    @property
    def test(self) -> str:
        """What the test is called."""
        if self.pairs == EXAMPLES:
            return "DeLong's test"
        return "paired t-test" if self.independent else "corrected resampled t-test"
