"""Diagnostics of what was found, after fitting."""

import math

from rankexp.runner.diagnostics.diagnostic import AfterFitting, Fitted
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


def _number(value: float) -> str:
    return printed(f"{value:.3f}")


class NoBetterThanChance(AfterFitting):
    """No method ranks better than random scores, so no other sentence means anything."""

    code, title = "RK201", "Nothing ranks better than chance"

    def look(self, fitted: Fitted) -> tuple[str, str] | None:
        """Look whether chance is in the intervals of all methods, or above them."""
        shares = [fitted.above_chance(one) for one in fitted.methods]
        if all(map(math.isnan, shares)) or any(share > 1 for share in shares):
            return None
        best = fitted.best
        told = f"the best {fitted.measure}, {_number(best.mean)} (± {_number(best.se)}), is"
        if best.mean + 2 * best.se > (fitted.chance or 0.5) + FAR and fitted.higher:
            return (
                f"Nothing here is shown to rank: {told} not shown to be better than chance.",
                "The rows are too few to tell.",
            )
        return (
            f"Nothing here ranks: {told} no better than chance.",
            "Columns that say more about the target are needed first.",
        )


class ColumnAlone(AfterFitting):
    """A single column ranks better than every method, so fitting brings nothing yet."""

    code, title = "RK202", "A column alone ranks better than all methods"

    def look(self, fitted: Fitted) -> tuple[str, str] | None:
        """Compare the best column with the best method."""
        alone, best = fitted.alone, fitted.best
        if alone is None or not alone.numeric or fitted.chance is None:
            return None
        value = alone.value if fitted.higher else 1 - alone.value
        ahead = (value - best.mean) * (1 if fitted.higher else -1)
        error = 2 * best.se if best.se > 0 else 0.0  # NaN where it is unknown
        if ahead <= max(fitted.margin, error) or alone.value - 0.5 < CLEAR * alone.se:
            return None
        return (
            f"'{alone.column}' alone ranks better than all methods: its {fitted.measure} is "
            f"{_number(value)}, that of {best.label} {_number(best.mean)}.",
            "Rank by this column, or add methods that can follow it, such as trees.",
        )


class BelowChance(AfterFitting):
    """A method ranks worse than random scores, as if the labels were turned around."""

    code, title = "RK203", "A method ranks worse than chance"

    def look(self, fitted: Fitted) -> tuple[str, str] | None:
        """Look for intervals on the wrong side of chance."""
        worse = [one for one in fitted.methods if fitted.above_chance(one) < -1]
        if not worse:
            return None
        named = ", ".join(f"{one.label} ({_number(one.mean)})" for one in worse)
        return (
            f"The {fitted.measure} is worse than chance for {named}.",
            "Is the order of the target's values turned around in some rows, or over time?",
        )


class EdgeOfRange(AfterFitting):
    """The best settings are at the end of the range that was tried, so others may be better."""

    code, title, leads = "RK204", "The best settings are at the end of a range", False

    def look(self, fitted: Fitted) -> tuple[str, str] | None:
        """Name the methods with choices at an end."""
        named = [f"{one.label} ({one.edge})" for one in fitted.methods if one.edge]
        if not named:
            return None
        return (
            f"The best settings are at the end of the range tried: {', '.join(named)}.",
            "Widen the range in the study.",
        )


class OneClass(AfterFitting):
    """Test parts lack a class or a level, so the measure has no value there."""

    code, title = "RK205", "Test parts without a class"

    def look(self, fitted: Fitted) -> tuple[str, str] | None:
        """Count values that are not defined."""
        if not fitted.undefined:
            return None
        return (
            f"{fitted.undefined:,} of {fitted.splits:,} test values are undefined, because a "
            "class or level has no row in the test part; means leave them out.",
            "Take fewer folds, or 'stratified: true'.",
        )


class NotConverged(AfterFitting):
    """Fits stopped before they converged, so their scores are not what the method promises."""

    code, title, leads = "RK206", "Fits that did not converge", False

    def look(self, fitted: Fitted) -> tuple[str, str] | None:
        """Count the records with such a warning."""
        named = [f"{one.label} ({one.unconverged:,})" for one in fitted.methods if one.unconverged]
        if not named:
            return None
        return (
            f"Fits stopped before they converged, in so many records: {', '.join(named)}.",
            "Allow more iterations, as with 'max_iter', or leave out the largest settings.",
        )
