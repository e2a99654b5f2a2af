"""What a diagnostic is and looks at, what all of them find, and those that look at results."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import NormalDist
from typing import TypeVar

from rankexp import registry
from rankexp.arrays import Ints
from rankexp.charts.numbers import printed
from rankexp.runner.config.asking import option
from rankexp.runner.data.dataset import Dataset
from rankexp.runner.data.reading import Reading
from rankexp.runner.diagnostics.alone import Alone
from rankexp.runner.sentences import paragraphs

REGISTER = {
    "RK201": "NoBetterThanChance",
    "RK202": "ColumnAlone",
    "RK203": "BelowChance",
    "RK204": "EdgeOfRange",
    "RK205": "OneClass",
    "RK206": "NotConverged",
    "RK207": "AlmostPerfect",
}

PERFECT = 0.999  # share of pairs in order from which the best method is asked about
FAR = 0.1  # from chance: where intervals reach as far, the rows are too few to tell
NEAR = 1.64  # standard errors above chance from which a single method would rank: too few, too

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
        width = -NormalDist().inv_cdf(0.025 / len(self.methods)) * one.se
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


class NoBetterThanChance(AfterFitting):
    """No method ranks better than random scores, so no other sentence means anything."""

    def look(self, results: ResultFacts) -> Said:
        shares = [results.above_chance(one) for one in results.methods]
        if all(map(math.isnan, shares)) or any(share > 1 for share in shares):
            return None
        return told("RK201", few=self.too_few(results), measure=results.measure, best=results.best)

    @staticmethod
    def too_few(results: ResultFacts) -> bool:
        """Tell whether no method is shown to rank, and none is shown not to."""
        best = results.best
        above = results.ahead(best.mean, results.chance or 0.0)
        if any(results.above_chance(one) > 1 for one in results.methods):
            return False
        return above + 2 * best.se > FAR or above > NEAR * best.se


class ColumnAlone(AfterFitting):
    """A single column ranks better than every method, so fitting brings nothing yet."""

    def look(self, results: ResultFacts) -> Said:
        alone, best = results.alone, results.best
        if alone is None or not alone.numeric or results.chance is None:
            return None
        value = alone.value if results.higher else 1 - alone.value
        least = max(results.margin, 2 * best.se if best.se > 0 else 0.0)
        if results.ahead(value, best.mean) <= least or not alone.clear:
            return None
        return told("RK202", alone=alone, value=value, best=best, measure=results.measure)


class AlmostPerfect(AfterFitting):
    """A method ranks almost perfectly, so columns together may give the target away."""

    def look(self, results: ResultFacts) -> Said:
        best, alone = results.best, results.alone
        if results.chance is None or (alone is not None and alone.gives_away):
            return None
        share = best.mean / results.chance / 2
        share = share if results.higher else 1 - share
        if share < PERFECT or results.above_chance(best) <= 1:
            return None
        return told("RK207", alone=alone, best=best, measure=results.measure)


class BelowChance(AfterFitting):
    """A method ranks worse than random scores, as if the labels were turned around."""

    def look(self, results: ResultFacts) -> Said:
        if NoBetterThanChance.too_few(results):
            return None
        worse = [one for one in results.methods if results.above_chance(one) < -1]
        named = [f"{one.label} ({printed(f'{one.mean:.3f}')})" for one in worse]
        return told("RK203", measure=results.measure, named=named) if worse else None


class EdgeOfRange(AfterFitting):
    """The best settings are at the end of the range that was tried, so others may be better."""

    def look(self, results: ResultFacts) -> Said:
        named = [f"{one.label} ({one.edge})" for one in results.methods if one.edge]
        return told("RK204", named=named) if named else None


class OneClass(AfterFitting):
    """Test parts lack a class or a level, so the measure has no value there."""

    def look(self, results: ResultFacts) -> Said:
        counts = {"undefined": results.undefined, "records": results.records}
        return told("RK205", **counts) if results.undefined else None


class NotConverged(AfterFitting):
    """Fits stopped before they converged, so their scores are not what the method promises."""

    def look(self, results: ResultFacts) -> Said:
        stopped = [one for one in results.methods if one.unconverged]
        named = [f"{one.label} (in {one.unconverged:,} records)" for one in stopped]
        return told("RK206", named=named) if stopped else None
