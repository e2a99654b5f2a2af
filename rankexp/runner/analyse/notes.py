"""What is said beside numbers, as values: notes by kind, and why something was not computed."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


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
