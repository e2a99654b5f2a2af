"""Diagnostics of what was found, after fitting."""

import math

from rankexp.charts.numbers import printed
from rankexp.runner.diagnostics.diagnostic import AfterFitting, ResultFacts, Said, told

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


class NoBetterThanChance(AfterFitting):
    """No method ranks better than random scores, so no other sentence means anything."""

    def look(self, results: ResultFacts) -> Said:
        shares = [results.above_chance(one) for one in results.methods]
        if all(map(math.isnan, shares)) or any(share > 1 for share in shares):
            return None
        few = self.too_few(results)
        return told("RK201", few=few, measure=results.measure, best=results.best)

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
