"""What may be said of a difference, and of a reproduced number, as values."""

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal


@dataclass(frozen=True)
class Verdict:
    """What two tests allow to say of a method beside a reference.

    >>> str(Verdict("worse", equivalent=True))
    'worse, equivalent'
    """

    shown: Literal["better", "worse"] | None = None  # the difference that was shown
    # whether the difference is within the margin, which a difference that was shown can be, too
    equivalent: bool = False
    compared: bool = True  # whether there was anything to compare

    def __str__(self) -> str:
        if not self.compared:
            return "not run"
        words = [self.shown, "equivalent" if self.equivalent else None]
        return ", ".join(filter(None, words)) or "undecided"


UNDECIDED = Verdict()
NOT_RUN = Verdict(compared=False)


def judge(
    difference: float, p: float, p_equivalence: float, *, higher: bool, alpha: float = 0.05
) -> Verdict:
    """Return the verdict that two tests allow of a method minus its reference.

    `p` is of "there is no difference", `p_equivalence` of "the difference is the margin or more";
    `alpha` is the level of both.
    """
    shown: Literal["better", "worse"] | None = None
    if p < alpha and difference != 0:
        shown = "better" if (difference > 0) == higher else "worse"
    return Verdict(shown, bool(p_equivalence < alpha))


class Reproduction(StrEnum):
    """What may be said of a reproduced number beside the published one."""

    REPRODUCED = "reproduced"
    NEAR = "near"
    APART = "not reproduced"
    NOT_RUN = "not run"


def counted(verdicts: Iterable[Reproduction | None]) -> list[str]:
    """Return a sentence that counts verdicts, in a list that is empty where there are none."""
    found = Counter(verdicts)
    counts = ", ".join(f"{found[one]} {one}" for one in Reproduction if found[one])
    return [f"Verdicts: {counts}."] if counts else []


def reproduction(difference: float, se: float, last_digit: float) -> Reproduction:
    """Return what to say of a reproduced number, given its difference to the published one.

    ``reproduced`` if |difference| <= max(2 SE, half of the last printed digit), ``near`` if <= 4
    SE, else ``not reproduced``; ``not run`` for a NaN difference. The last digit alone decides
    where the SE is NaN.
    """
    if math.isnan(difference):
        return Reproduction.NOT_RUN
    size = abs(difference)
    slack = 1e-9 * last_digit  # binary fractions: .1225 - .1224 is not exactly .0001
    known = 0.0 if math.isnan(se) else se
    if size <= max(2 * known, last_digit / 2) + slack:
        return Reproduction.REPRODUCED
    return Reproduction.NEAR if size <= 4 * known + slack else Reproduction.APART


def reproduction_in_spread(
    value: float, half: float, central: tuple[float, float], extremes: tuple[float, float]
) -> Reproduction:
    """Return what to say of a published single run: one draw from a spread over seeds.

    ``reproduced`` within the central quantiles, ``near`` within the extremes, else ``not
    reproduced``; each by half of the last printed digit, `half`, more.
    """
    slack = half * (1 + 1e-9)
    for (low, high), said in ((central, Reproduction.REPRODUCED), (extremes, Reproduction.NEAR)):
        if low - slack <= value <= high + slack:
            return said
    return Reproduction.APART
