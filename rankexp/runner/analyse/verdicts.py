"""What may be said of a difference, and of a reproduced number, as values."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal, NamedTuple

from scipy import special

LEVEL = 0.95
"""The share of perfect reproductions that are to be called reproduced."""


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
    mixed: bool = False  # of several problems: better on some, worse on others

    def __str__(self) -> str:
        if not self.compared:
            return "not run"
        if self.mixed:
            return "better on some, worse on others"
        words = [self.shown, "equivalent" if self.equivalent else None]
        return ", ".join(filter(None, words)) or "undecided"


UNDECIDED = Verdict()
NOT_RUN = Verdict(compared=False)
MIXED = Verdict(mixed=True)


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
    UNDECIDED = "undecided"
    NOT_RUN = "not run"


def counted(verdicts: Iterable[Reproduction | None]) -> list[str]:
    """Return a sentence that counts verdicts, in a list that is empty where there are none."""
    found = Counter(verdicts)
    counts = ", ".join(f"{found[one]} {one}" for one in Reproduction if found[one])
    return [f"Verdicts: {counts}."] if counts else []


class Tolerance(NamedTuple):
    """How far apart a print and its perfect reproduction can be, both draws of one design."""

    se: float  # of their difference; NaN where it cannot be known
    reproduced: float  # the largest difference of this grade, passed by 95 % of reproductions
    near: float
    exact: float = 0.0  # where run and print are of the same examples: half of the last digit


def tolerance(se: float, df: float, units: float, printed: float, last_digit: float) -> Tolerance:
    """Return how far apart noise puts a run and a print that averages over `printed` units.

    The run's mean over `units` (models, repeats, seeds) has the SE `se` with `df` degrees of
    freedom. A unit of the print has the same variance, so the difference over its SE has the t
    distribution with `df`. Rounding adds half of the last digit.
    """
    both = se * math.sqrt(1.0 + units / printed)
    if math.isnan(both):
        return Tolerance(both, last_digit / 2, last_digit / 2)
    half = float(special.stdtrit(df, (1.0 + LEVEL) / 2.0)) * both
    return Tolerance(both, half + last_digit / 2, 2.0 * half + last_digit / 2)


def reproduction(
    difference: float, within: Tolerance, margin: float | None = None
) -> Reproduction:
    """Return what to say of a reproduced number, given its difference to the published one.

    ``reproduced`` and ``near`` within their tolerance, else ``not reproduced``; ``not run`` for a
    NaN difference. ``undecided`` where a difference as large as the margin would pass as
    reproduced, too, or where the noise is unknown and the printed digits differ. On the same
    examples equal digits are ``reproduced`` whatever the noise.
    """
    if math.isnan(difference):
        return Reproduction.NOT_RUN
    size = abs(difference) * (1 - 1e-9)  # binary fractions: .1225 - .1224 is not .0001
    if size <= within.exact:
        return Reproduction.REPRODUCED
    if size <= within.reproduced:
        blind = margin is not None and within.reproduced >= margin
        return Reproduction.UNDECIDED if blind else Reproduction.REPRODUCED
    if math.isnan(within.se):
        return Reproduction.UNDECIDED
    return Reproduction.NEAR if size <= within.near else Reproduction.APART


class Kind(StrEnum):
    """What a note is for."""

    METHOD = "method"  # how numbers were computed, and how to read them
    WARNING = "warning"  # reaches the page whatever else does
    CAVEAT = "caveat"  # what limits some of the numbers
    REASON = "reason"  # why something is not there


@dataclass(frozen=True)
class Note:
    """A sentence, what it is for, and the numbers in it by name."""

    kind: Kind
    text: str
    numbers: Mapping[str, float] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.text


class Lack(StrEnum):
    """What a refusal leaves out."""

    RUN = "not run"
    TEST = "no test"
    BLOCKS = "refused"  # by the policy for incomplete blocks


@dataclass(frozen=True)
class Refusal:
    """Why something was not computed; `problem` is empty where it is of several."""

    reason: str = ""
    problem: str = ""
    lack: Lack = Lack.TEST

    @property
    def kind(self) -> Kind:
        """The kind of a note on it: only what the policy refuses is a warning."""
        return Kind.WARNING if self.lack is Lack.BLOCKS else Kind.REASON

    def __str__(self) -> str:
        return f"{self.lack}: {self.reason}" if self.reason else str(self.lack)
