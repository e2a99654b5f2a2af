"""What a diagnostic is, what it looks at, and what all of them find."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from scipy import special

from rankexp import registry
from rankexp.arrays import Ints
from rankexp.runner.config.asking import option
from rankexp.runner.data.dataset import Dataset
from rankexp.runner.data.reading import Reading
from rankexp.runner.diagnostics.alone import Alone
from rankexp.runner.sentences import paragraphs

ROOM = "diagnostics"
Said = tuple[str, str] | None
"""What is found, in sentences, and what to do, without the last full stop; None for nothing."""
T = TypeVar("T")


@dataclass(frozen=True)
class Diagnosis:
    """What a diagnostic found: a sentence with its numbers, and what to do."""

    code: str
    text: str
    advice: str

    @property
    def unstopped(self) -> str:
        """The sentences without the last full stop."""
        return f"{self.text} {self.advice} ({self.code})"

    def __str__(self) -> str:
        return f"{self.unstopped}."


@dataclass(frozen=True)
class TableFacts:
    """What is known of a table before anything is fitted."""

    reading: Reading
    dataset: Dataset | None = None  # None: no target was named
    alone: Alone | None = None  # the column that ranks best by itself
    values: Mapping[str, int] = field(default_factory=dict)  # of the target, as in the file
    parted: bool = False  # whether splits may part rows that are equal
    ahead: Callable[[Ints], str] = lambda _: ""  # says what the future holds, of rows in its order


@dataclass(frozen=True)
class MethodFacts:
    """A method's measure; `se` is NaN where it is unknown."""

    label: str
    mean: float
    se: float = math.nan
    edge: str = ""  # in words, at which end of a range its best settings are
    unconverged: int = 0  # fits that stopped before they converged


@dataclass(frozen=True)
class ResultFacts:
    """What was found on one problem, after fitting."""

    measure: str  # what it is called
    methods: Sequence[MethodFacts]
    chance: float | None = None  # the measure of random scores; None: unknown
    higher: bool = True  # whether higher values are better
    margin: float = 0.01
    alone: Alone | None = None
    undefined: int = 0  # of so many `records` a test part has no value
    records: int = 0

    @property
    def best(self) -> MethodFacts:
        """The method that ranks best."""
        return max(self.methods, key=lambda one: self.ahead(one.mean, 0.0))

    def ahead(self, value: float, other: float) -> float:
        """Return by how much a value is better than another."""
        return value - other if self.higher else other - value

    def above_chance(self, one: MethodFacts) -> float:
        """Return by how many half-widths a method is better than chance; NaN where unknown.

        The half-width is that of 95 % intervals which hold for all methods at once.
        """
        if self.chance is None or not one.se > 0:
            return math.nan
        width = -float(special.ndtri(0.025 / len(self.methods))) * one.se
        return self.ahead(one.mean, self.chance) / width


Known = str | float | Sequence[str] | Alone | MethodFacts | None
"""What a template says: of a table, of a column, of a method."""


def told(code: str, **known: Known) -> tuple[str, str]:
    """Return the sentences and the advice of a template, to which `option` is known, too."""
    text, advice = paragraphs(code, option=option, **known)
    return text, advice


class BeforeFitting:
    """A diagnostic of a table; its docstring says what may be wrong."""

    def look(self, table: TableFacts) -> Said:
        """Return what is found and what to do; None where there is nothing."""
        raise NotImplementedError


class AfterFitting:
    """A diagnostic of what was found; its docstring says what may be wrong."""

    def look(self, results: ResultFacts) -> Said:
        """Return what is found and what to do; None where there is nothing."""
        raise NotImplementedError


def before(table: TableFacts) -> list[Diagnosis]:
    """Return what the diagnostics find in a table."""
    found = ((code, one().look(table)) for code, one in _all(BeforeFitting))
    return [Diagnosis(code, *said) for code, said in found if said]


def after(results: ResultFacts) -> list[Diagnosis]:
    """Return what the diagnostics find in results."""
    found = ((code, one().look(results)) for code, one in _all(AfterFitting) if results.methods)
    return [Diagnosis(code, *said) for code, said in found if said]


def _all(kind: type[T]) -> Iterator[tuple[str, type[T]]]:
    found = ((code, registry.get(ROOM, code)) for code in sorted(registry.names(ROOM)))
    return ((code, one) for code, one in found if issubclass(one, kind))
