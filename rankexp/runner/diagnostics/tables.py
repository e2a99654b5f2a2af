"""Diagnostics of a table, before anything is fitted."""

import re
from collections.abc import Mapping

import numpy as np

from rankexp.runner.config.asking import manner, option
from rankexp.runner.diagnostics.diagnostic import BeforeFitting, Said, TableFacts
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
YES = re.compile("yes|y|true|t|1|ja|j|oui|o|si|sí|s|wahr|vrai")
NO = re.compile("no|n|false|f|0|nein|non|falsch|faux")


class GivesAway(BeforeFitting):
    """A column ranks almost perfectly by itself, so it may be known only after the target is."""

    def look(self, table: TableFacts) -> Said:
        data, best = table.dataset, table.alone
        if data is None or best is None or best.value < NEARLY:
            return None
        counts = [len(data.y)] if data.levels is None else np.bincount(data.y.astype(np.int64))
        if min(counts) < FEWEST:
            return None
        share = printed(f"{best.value:.3f}")
        what = f"has an AUC of {share}" if len(counts) == 2 else f"puts {share} of pairs in order"
        return (
            f"'{best.column}' alone {what}: is it known before the target is?",
            f"If not, leave it out with {option('drop', best.column)}",
        )


class InOrderOfTime(BeforeFitting):
    """Rows are in order of a date, so random splits train on what comes later."""

    def look(self, table: TableFacts) -> Said:
        if not table.reading.in_order or (table.dataset and table.dataset.times is not None):
            return None
        name, oldest_first = table.reading.in_order[0]
        said = f"Rows are in order of '{name}', and random splits mix past and future."
        protocol = f"'protocol: {{kind: time, column: {name}}}'"
        how = option("time", name) if manner() else protocol
        advice = f"If later rows are to be ranked, split by time: {how}"
        return said + table.ahead(oldest_first), advice


class FreeText(BeforeFitting):
    """A column of free text was left out, though it may hold what ranks best."""

    def look(self, table: TableFacts) -> Said:
        found = [c for c in table.reading.columns if c.kind == "text" and c.role == "left out"]
        named = "; ".join(f"'{c.name}' {c.why}" for c in found[:5])
        advice = (
            "Make numbers of them first, such as counts of words "
            "(sklearn.feature_extraction.text.CountVectorizer), and add these as columns"
        )
        return (f"{named}: rankexp does not read texts.", advice) if found else None


class EqualRowsParted(BeforeFitting):
    """Rows with equal features lie on both sides of random splits, and can be memorised."""

    def look(self, table: TableFacts) -> Said:
        if table.dataset is None or not table.parted:
            return None
        rows = len(table.dataset.X)
        repeated = rows - len(np.unique(duplicates(table.dataset.X)))
        said = (
            f"{repeated:,} of {rows:,} rows repeat the features of another row, and splits put "
            "such rows on both sides."
        )
        advice = "Write 'together: duplicates' in the protocol to keep them on one side"
        return (said, advice) if repeated else None


class AlikeValues(BeforeFitting):
    """Values of the target differ only in how they are written."""

    def look(self, table: TableFacts) -> Said:
        return self.among(table.values)

    @staticmethod
    def among(values: Mapping[str, int]) -> Said:
        """Return what is found among values with their rows, and what to do.

        >>> AlikeValues.among({"yes": 5, "Yes ": 2, "y": 1, "no": 9, "maybe": 3})[0]
        "Of the target's values yes, Yes , y look alike."
        """
        groups: dict[str, list[str]] = {}
        for value in sorted(values, key=lambda name: (-values[name], name)):
            plain = re.sub(r"[\s._-]+", " ", value).strip().casefold()
            word = "yes" if YES.fullmatch(plain) else "no" if NO.fullmatch(plain) else plain
            groups.setdefault(word, []).append(value)
        found = [own for own in groups.values() if len(own) > 1]
        said = "; ".join(f"{', '.join(own)} look alike" for own in found)
        advice = f"To make each one value: {' '.join(option('merge', *own) for own in found)}"
        return (f"Of the target's values {said}.", advice) if found else None
