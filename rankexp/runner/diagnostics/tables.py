"""Diagnostics of a table, before anything is fitted."""

import re
from collections.abc import Mapping

import numpy as np

from rankexp.runner.config.asking import option
from rankexp.runner.diagnostics.diagnostic import BeforeFitting, Table
from rankexp.runner.labels import printed
from rankexp.runner.protocols.dealing import duplicates

REGISTER = {
    "RK101": "GivesAway",
    "RK102": "InOrderOfTime",
    "RK103": "FreeText",
    "RK104": "EqualRowsParted",
    "RK105": "AlikeValues",
}

NEARLY = 0.99  # share of pairs in order from which a column ranks almost perfectly
FEWEST = 5  # rows of the rarest level for it to mean anything
YES = frozenset(
    ("yes", "y", "true", "t", "1", "ja", "j", "oui", "o", "si", "sí", "s", "wahr", "vrai")
)
NO = frozenset(["no", "n", "false", "f", "0", "nein", "non", "falsch", "faux"])


class GivesAway(BeforeFitting):
    """A column ranks almost perfectly by itself, so it may be known only after the target is."""

    code, title = "RK101", "A column gives the target away"

    def look(self, table: Table) -> tuple[str, str] | None:
        """Look at the share of pairs that the best column puts in order."""
        data, best = table.dataset, table.alone
        if data is None or best is None or best.value < NEARLY:
            return None
        if data.levels is not None and np.bincount(data.y.astype(np.int64)).min() < FEWEST:
            return None
        two = data.levels is not None and len(data.levels) == 2
        share = printed(f"{best.value:.3f}")
        what = f"has an AUC of {share}" if two else f"puts {share} of all pairs in order"
        return (
            f"'{best.column}' alone {what}: is it known before the target is?",
            f"If not, leave it out with {option('drop', best.column)}.",
        )


class InOrderOfTime(BeforeFitting):
    """Rows are in order of a date, so random splits train on what comes later."""

    code, title = "RK102", "Rows are in order of time"

    def look(self, table: Table) -> tuple[str, str] | None:
        """Look for a column of dates that only ascends or only descends."""
        if not table.reading.in_order:
            return None
        if table.dataset is not None and table.dataset.times is not None:
            return None
        name, oldest_first = table.reading.in_order[0]
        return (
            f"Rows are in order of '{name}', and random splits mix past and future."
            + table.ahead(oldest_first),
            f"If later rows are to be ranked, split by time: {option('time', name)}.",
        )


class FreeText(BeforeFitting):
    """A column of free text was left out, though it may hold what ranks best."""

    code, title = "RK103", "Free text was left out"

    def look(self, table: Table) -> tuple[str, str] | None:
        """Look for columns that were left out as texts."""
        found = [c for c in table.reading.columns if c.kind == "text" and c.role == "left out"]
        if not found:
            return None
        named = "; ".join(f"'{c.name}' {c.why}" for c in found[:5])
        return (
            f"{named}: rankexp does not read texts.",
            "Make numbers of them first, such as counts of words "
            "(sklearn.feature_extraction.text.CountVectorizer), and add these as columns.",
        )


class EqualRowsParted(BeforeFitting):
    """Rows with equal features lie on both sides of random splits, and can be memorised."""

    code, title = "RK104", "Equal rows on both sides of a split"

    def look(self, table: Table) -> tuple[str, str] | None:
        """Count rows that repeat the features of another, where splits may part them."""
        if table.dataset is None or not table.parted:
            return None
        X = table.dataset.X
        repeated = len(X) - len(np.unique(duplicates(X)))
        if not repeated:
            return None
        return (
            f"{repeated:,} of {len(X):,} rows repeat the features of another row, and splits put "
            "such rows on both sides.",
            "Write 'together: duplicates' in the protocol to keep them on one side.",
        )


class AlikeValues(BeforeFitting):
    """Values of the target differ only in how they are written."""

    code, title = "RK105", "Values of the target look alike"

    def look(self, table: Table) -> tuple[str, str] | None:
        """Compare values without regard to case and abbreviation."""
        return self.among(table.values)

    @staticmethod
    def among(values: Mapping[str, int]) -> tuple[str, str] | None:
        """Return what is found among values with their rows, and what to do."""
        if not (found := alike(values)):
            return None
        said = "; ".join(f"{', '.join(own)} look alike" for own in found)
        merged = " ".join(option("merge", *own) for own in found)
        return f"Of the target's values {said}.", f"To make one value of each: {merged}."


def alike(values: Mapping[str, int]) -> list[list[str]]:
    """Return the groups of values that look alike, each with its most frequent value first.

    >>> alike({"yes": 5, "Yes ": 2, "y": 1, "no": 9, "maybe": 3})
    [['yes', 'Yes ', 'y']]
    """
    groups: dict[str, list[str]] = {}
    for value in sorted(values, key=lambda name: (-values[name], name)):
        plain = re.sub(r"[\s._-]+", " ", value).strip().casefold()
        word = "yes" if plain in YES else "no" if plain in NO else plain
        groups.setdefault(word, []).append(value)
    return [own for own in groups.values() if len(own) > 1]
