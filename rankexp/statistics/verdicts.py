"""What may be said of a difference, and of a reproduced number, as values."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal

LEVEL = 0.95  # the share of perfect reproductions that are to be called reproduced


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

    @property
    def words(self) -> str:
        """The verdict as pages say it: what is shown, but within the margin, is slight."""
        return f"slightly {self.shown}" if self.shown and self.equivalent else str(self)


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
    side: Literal["better", "worse"] = "better" if (difference > 0) == higher else "worse"
    return Verdict(side if p < alpha and difference != 0 else None, bool(p_equivalence < alpha))


class Reproduction(StrEnum):
    """What may be said of a reproduced number beside the published one."""

    REPRODUCED = "reproduced"
    NEAR = "near"
    APART = "not reproduced"
    UNDECIDED = "cannot tell"
    NOT_RUN = "not run"


def counted(verdicts: Iterable[Reproduction | None]) -> list[str]:
    """Return a sentence that counts verdicts, in a list that is empty where there are none."""
    found = Counter(verdicts)
    counts = ", ".join(f"{found[one]} {one}" for one in Reproduction if found[one])
    return [f"Verdicts: {counts}."] if counts else []


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
