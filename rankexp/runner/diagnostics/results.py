"""Diagnostics of what was found, after fitting."""

import math

from rankexp.runner.diagnostics.diagnostic import AfterFitting, ResultFacts, Said
from rankexp.runner.labels import printed

REGISTER = {
    "RK201": "NoBetterThanChance",
    "RK202": "ColumnAlone",
    "RK203": "BelowChance",
    "RK204": "EdgeOfRange",
    "RK205": "OneClass",
    "RK206": "NotConverged",
}

CLEAR = 4.0  # standard errors above chance that the best of many columns must have
FAR = 0.1  # from chance: where intervals reach as far, the rows are too few to tell
NEAR = 1.64  # standard errors above chance from which a single method would rank: too few, too


def _number(value: float) -> str:
    return printed(f"{value:.3f}")


class NoBetterThanChance(AfterFitting):
    """No method ranks better than random scores, so no other sentence means anything."""

    def look(self, results: ResultFacts) -> Said:
        shares = [results.above_chance(one) for one in results.methods]
        if all(map(math.isnan, shares)) or any(share > 1 for share in shares):
            return None
        best = results.best
        told = f"the best {results.measure}, {_number(best.mean)} (± {_number(best.se)}), is"
        above = results.ahead(best.mean, results.chance or 0.0)
        if above + 2 * best.se > FAR or above > NEAR * best.se:
            said = f"Nothing here is shown to rank: {told} not shown to be better than chance."
            return said, "The rows are too few to tell"
        said = f"Nothing here ranks: {told} no better than chance."
        return said, "Columns that say more about the target are needed first"


class ColumnAlone(AfterFitting):
    """A single column ranks better than every method, so fitting brings nothing yet."""

    def look(self, results: ResultFacts) -> Said:
        alone, best = results.alone, results.best
        if alone is None or not alone.numeric or results.chance is None:
            return None
        value = alone.value if results.higher else 1 - alone.value
        least = max(results.margin, 2 * best.se if best.se > 0 else 0.0)
        if results.ahead(value, best.mean) <= least or alone.value - 0.5 < CLEAR * alone.se:
            return None
        return (
            f"'{alone.column}' alone ranks better than all methods: its {results.measure} is "
            f"{_number(value)}, that of {best.label} {_number(best.mean)}.",
            "Rank by this column, or add methods that can follow it, such as trees",
        )


class BelowChance(AfterFitting):
    """A method ranks worse than random scores, as if the labels were turned around."""

    def look(self, results: ResultFacts) -> Said:
        worse = [one for one in results.methods if results.above_chance(one) < -1]
        named = ", ".join(f"{one.label} ({_number(one.mean)})" for one in worse)
        said = f"The {results.measure} is worse than chance for {named}."
        advice = "Is the order of the target's values turned around in some rows, or over time?"
        return (said, advice) if worse else None


class EdgeOfRange(AfterFitting):
    """The best settings are at the end of the range that was tried, so others may be better."""

    def look(self, results: ResultFacts) -> Said:
        named = ", ".join(f"{one.label} ({one.edge})" for one in results.methods if one.edge)
        said = f"The best settings are at the end of the range tried: {named}."
        return (said, "Widen the range in the study") if named else None


class OneClass(AfterFitting):
    """Test parts lack a class or a level, so the measure has no value there."""

    def look(self, results: ResultFacts) -> Said:
        said = (
            f"{results.undefined:,} of {results.records:,} test values are undefined, because a "
            "class or level has no row in the test part; means leave them out."
        )
        return (said, "Take fewer folds, or 'stratified: true'") if results.undefined else None


class NotConverged(AfterFitting):
    """Fits stopped before they converged, so their scores are not what the method promises."""

    def look(self, results: ResultFacts) -> Said:
        stopped = [one for one in results.methods if one.unconverged]
        named = ", ".join(f"{one.label} (in {one.unconverged:,} records)" for one in stopped)
        said = f"Fits stopped before they converged: {named}."
        advice = "Allow more iterations, as with 'max_iter', or leave out the largest settings"
        return (said, advice) if stopped else None
