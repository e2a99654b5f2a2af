"""What a diagnostic is, what it looks at, and all of them in the order of their codes."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, TypeVar

from scipy import special

from rankexp import registry
from rankexp.runner.data.dataset import Dataset
from rankexp.runner.data.reading import Reading
from rankexp.runner.diagnostics.alone import Alone

ROOM = "diagnostics"
Facts = TypeVar("Facts")


@dataclass(frozen=True)
class Finding:
    """What a diagnostic found: a sentence with its numbers, and what to do."""

    code: str
    text: str
    advice: str

    def __str__(self) -> str:
        return f"{self.text} {self.advice.removesuffix('.')} ({self.code})."


@dataclass(frozen=True)
class Table:
    """What is known of a table before anything is fitted."""

    reading: Reading
    dataset: Dataset | None = None  # None: no target was named
    alone: Alone | None = None  # the column that ranks best by itself
    values: Mapping[str, int] = field(default_factory=dict)  # of the target, as in the file
    parted: bool = False  # whether splits may part rows that are equal
    ahead: Callable[[bool], str] = lambda _: ""  # says what the future holds, oldest first or not


@dataclass(frozen=True)
class Ranked:
    """A method's measure; `se` is NaN where it is unknown."""

    label: str
    mean: float
    se: float = math.nan
    edge: str = ""  # in words, at which end of a range its best settings are
    unconverged: int = 0  # fits that stopped before they converged


@dataclass(frozen=True)
class Fitted:
    """What was found on one problem, after fitting."""

    measure: str  # what it is called
    methods: Sequence[Ranked]
    chance: float | None = None  # the measure of random scores; None: unknown
    higher: bool = True  # whether higher values are better
    margin: float = 0.01
    alone: Alone | None = None
    undefined: int = 0  # of so many `splits` the test part has no value
    splits: int = 0

    @property
    def best(self) -> Ranked:
        """The method that ranks best."""
        return max(self.methods, key=lambda one: one.mean if self.higher else -one.mean)

    def above_chance(self, one: Ranked) -> float:
        """Return by how many half-widths a method is better than chance; NaN where unknown.

        The half-width is that of 95 % intervals which hold for all methods at once.
        """
        if self.chance is None or not one.se > 0:
            return math.nan
        width = -float(special.ndtri(0.025 / len(self.methods))) * one.se
        return (one.mean - self.chance) * (1 if self.higher else -1) / width


class Diagnostic:
    """A diagnostic: its code, a heading for the page, and what is done about it."""

    code: ClassVar[str]
    title: ClassVar[str]
    leads: ClassVar[bool] = True  # whether it stands above the answer; if not, only in run.md


class BeforeFitting(Diagnostic):
    """A diagnostic of a table."""

    def look(self, table: Table) -> tuple[str, str] | None:
        """Return what is found and what to do, in sentences; None where there is nothing."""
        raise NotImplementedError


class AfterFitting(Diagnostic):
    """A diagnostic of what was found."""

    def look(self, fitted: Fitted) -> tuple[str, str] | None:
        """Return what is found and what to do, in sentences; None where there is nothing."""
        raise NotImplementedError


def before(table: Table) -> list[Finding]:
    """Return what the diagnostics find in a table."""
    return [*_found(BeforeFitting, lambda one: one().look(table))]


def after(fitted: Fitted, *, leading: bool = False) -> list[Finding]:
    """Return what the diagnostics find in results, or only what stands above an answer."""
    if not any(not math.isnan(one.mean) for one in fitted.methods):
        return []
    found = _found(AfterFitting, lambda one: one().look(fitted))
    return [one for one in found if not leading or registry.get(ROOM, one.code).leads]


def _found(
    kind: type[Facts], look: Callable[[type[Facts]], tuple[str, str] | None]
) -> Iterator[Finding]:
    for code in sorted(registry.names(ROOM)):
        one = registry.get(ROOM, code)
        if issubclass(one, kind) and (said := look(one)) is not None:
            yield Finding(code, *said)
