"""Curves of scores and texts of fitted models, which records keep beside numbers.

A curve is made of the test part and one column of scores, a text of a fitted estimator. Each is
one file in `curves` or `texts`; another package adds its own by the entry points
``rankexp.keep.curves`` and ``rankexp.keep.texts``. A study names them in ``keep`` of an
experiment, and a record holds them under a `KeptName`.
"""

from dataclasses import dataclass
from typing import Self

BAYES = "bayes"  # stands for a grid point, and a method: the best scorer of a distribution


@dataclass(frozen=True)
class KeptName:
    """A curve or a text that is kept, and of which place in a grid; None: of no place.

    That is of the best scorer, or what all places share.
    """

    name: str
    point: int | None = None

    def __str__(self) -> str:
        return f"{self.name}:{BAYES if self.point is None else self.point}"

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return the key that a record writes as `text`; ValueError for any other text."""
        name, colon, point = text.rpartition(":")
        if colon and point == BAYES:
            return cls(name)
        if colon and point.isdecimal():
            return cls(name, int(point))
        raise ValueError(f"'{text}' is no name of what a record keeps, such as 'tree:0'")
