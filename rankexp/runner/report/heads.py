"""Columns of tables: what their entries are, and what the numbers in them are of."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from rankexp.metrics.metric import Metric


class Role(StrEnum):
    """What the entries of a column are."""

    # What the numbers of a row, or those below a column's label, are of:
    EXPERIMENT = "experiment"
    PROBLEM = "problem"
    METHOD = "method"
    METRIC = "metric"
    SETTING = "setting"
    # Texts:
    LABEL = "label"
    VERDICT = "verdict"
    # Numbers:
    VALUE = "value"
    PUBLISHED = "published"
    REPRODUCED = "reproduced"
    DIFFERENCE = "difference"
    INTERVAL = "interval"
    P_VALUE = "p-value"
    COUNT = "count"

    @property
    def right(self) -> bool:
        """Whether it is a number, which stands to the right."""
        return list(Role).index(self) > list(Role).index(Role.VERDICT)


@dataclass(frozen=True)
class Head:
    """The head of a column; a plain text will do where its entries say what they are."""

    label: str
    role: Role
    unit: str = ""  # of its numbers
    names: Role | None = None  # what its own label is the name of

    def __str__(self) -> str:
        return f"{self.label} ({self.unit})" if self.unit else self.label


EXPERIMENT = Head("Experiment", Role.EXPERIMENT)
PROBLEM = Head("Problem", Role.PROBLEM)
METHOD = Head("Method", Role.METHOD)


def heads(role: Role, *labels: str, names: Role | None = None) -> list[Head]:
    """Return columns of one role, whose labels may be the names of methods, say."""
    return [Head(label, role, names=names) for label in labels]


def measured(metrics: Iterable[Metric]) -> tuple[str, str]:
    """Return the names of metrics, and which side is better where that is one side for all."""
    found = list(metrics)
    sides = {one.direction for one in found}
    return ", ".join(dict.fromkeys(m.label for m in found)), sides.pop() if len(sides) == 1 else ""
