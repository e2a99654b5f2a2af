"""Diagnostics of a table, before anything is fitted."""

import re
from collections.abc import Mapping
from difflib import SequenceMatcher
from itertools import zip_longest

import numpy as np

from rankexp.charts.numbers import printed
from rankexp.runner.config.asking import flag, manner, merged, message, option
from rankexp.runner.data.dataset import Dataset, called, number_text, numbers_of
from rankexp.runner.data.suitable import WORDS
from rankexp.runner.diagnostics.alone import FILLED, alike, drift, encoded, unusual
from rankexp.runner.diagnostics.diagnostic import BeforeFitting, Said, TableFacts, told
from rankexp.runner.protocols.dealing import duplicates, worth_keeping

REGISTER = {
    "RK101": "GivesAway",
    "RK102": "InOrderOfTime",
    "RK103": "FreeText",
    "RK104": "EqualRowsParted",
    "RK105": "AlikeValues",
    "RK106": "RowsBelongTogether",
    "RK107": "CodesForMissing",
    "RK108": "PerhapsQueries",
}

OF_ONE_QUERY = "If only the rows of one query are to be ranked among each other"
CODES = frozenset(sign * (10.0**k - 1) for k in range(1, 7) for sign in (-1, 1)) - {9.0}
SEVERAL = 3  # rows that have a code for missing
LONG, SIMILAR, RARE = 5, 0.85, 0.1  # letters, likeness and share of rows of a word misspelt
GROUPS = 10  # categories from which each may be a person or thing
MOST_WORDS = 50  # values of a target up to which spelling is looked at
FEWEST = 5  # rows of the rarest level for it to mean anything


class GivesAway(BeforeFitting):
    """A column tells much of the target by itself, so it may be known only after the target is."""

    def look(self, table: TableFacts) -> Said:
        data, best = table.dataset, table.alone
        if data is None:
            return None
        if best is None or not best.gives_away:
            if name := encoded(data):
                return told("RK101", what="mean", column=name)
            found = unusual(data)
            shown = {"found": [*found.values()][:5], "columns": [*found][:5]}
            several = len(found) > 1
            return told("RK101", what="unusual", several=several, **shown) if found else None
        counts = [len(data.y)] if data.levels is None else np.bincount(data.y.astype(np.int64))
        if min(counts) < FEWEST:
            return None
        filled, groups = best.filled >= FILLED, best.categories >= GROUPS
        also = _filled_alike(data, best.column) if filled else []
        share, same = printed(f"{best.value:.3f}"), ", ".join(map(repr, also))
        known = {"two": len(counts) == 2, "filled": filled, "groups": groups}
        names = {"column": best.column, "share": share, "same": same}
        return told("RK101", what="alone", also=also, **names, **known)


class InOrderOfTime(BeforeFitting):
    """Rows are in order of a date, or change with the years: random splits train on later rows."""

    def look(self, table: TableFacts) -> Said:
        data = table.dataset
        if data is not None and data.times is not None:
            return None
        if table.reading.in_order:
            name, oldest_first = table.reading.in_order[0]
            known = name in table.reading.layout.dates
            grows = ", and" if known else ". If it grows with time,"
            said = f"Rows are in order of '{name}'{grows}"
            rows = np.arange(table.reading.rows)[:: 1 if oldest_first else -1]
        elif data is not None and (found := drift(data)):
            name, rows, said = found[0], np.argsort(found[1], kind="stable"), f"{found[2]}, but"
        else:
            return None
        said += " random splits mix past and future."
        return said + table.ahead(rows), _by_time(name)


def _filled_alike(data: Dataset, column: str) -> list[str]:
    """Return the other columns that are filled in in just the same rows, where some are not."""
    missing, names = np.isnan(data.X), [one.name for one in data.features]
    own = missing[:, names.index(column)]
    alike = (missing == own[:, None]).all(axis=0) & own.any()
    return [name for name, same in zip(names, alike, strict=True) if same and name != column]


def _by_time(name: str) -> str:
    return message("data.by_time", name=name, of_study=not manner())


class FreeText(BeforeFitting):
    """A column of free text or dates was left out, though it may hold what ranks best."""

    def look(self, table: TableFacts) -> Said:
        known = {name for name, _ in table.reading.in_order}
        out = [c for c in table.reading.columns if c.role == "left out" and c.name not in known]
        texts = [f"'{c.name}' {c.why}" for c in out if c.kind == "text"]
        when = [c.name for c in out if c.kind == "date"]
        dates = [f"'{name}'" for name in when]
        untimed = table.dataset is None or table.dataset.times is None
        by_time = _by_time(when[0]) if when and untimed else ""
        shown = {"texts": texts[:5], "dates": dates[:5]}
        return told("RK103", words=WORDS, by_time=by_time, **shown) if texts or dates else None


class EqualRowsParted(BeforeFitting):
    """Rows with equal features lie on both sides of random splits, and can be memorised."""

    def look(self, table: TableFacts) -> Said:
        if table.dataset is None or not table.parted or not worth_keeping(table.dataset.X):
            return None
        rows = len(table.dataset.X)
        repeated = rows - len(np.unique(duplicates(table.dataset.X)))
        return told("RK104", rows=rows, repeated=repeated)


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
        if numbers_of(values) is not None:
            return None
        groups: dict[str, list[str]] = {}
        for value in sorted(values, key=lambda name: (-values[name], name)):
            plain = re.sub(r"(?<=\w)[\s._-]+(?=\w)", " ", value).strip(" ._\t").casefold()
            word = next((kind for kind in ("yes", "no") if called(kind, plain)), plain)
            others = groups if len(values) <= MOST_WORDS else ()
            typed = next((known for known in others if _misspelt(word, known)), word)
            rows = sum(values[name] for name in groups.get(typed, ()))
            groups.setdefault(typed if values[value] <= RARE * rows else word, []).append(value)
        found = [own for own in groups.values() if len(own) > 1]
        said = [f"{', '.join(own)} look alike" for own in found]
        return told("RK105", said=said, merged=merged(found)) if found else None


def _misspelt(word: str, known: str) -> bool:
    """Tell whether a text may be another, with words of letters alone misspelt."""
    pairs = [(a, b) for a, b in zip_longest(word.split(), known.split(), fillvalue="") if a != b]
    return bool(pairs) and all(
        min(len(one), len(other)) >= LONG
        and (one + other).isalpha()
        and one[0] == other[0]
        and SequenceMatcher(None, one, other).ratio() >= SIMILAR
        for one, other in pairs
    )


class RowsBelongTogether(BeforeFitting):
    """Rows with the same value of a column have similar targets, as those of a person have."""

    def look(self, table: TableFacts) -> Said:
        if not table.reading.belonging:
            return None
        (name, count, agreement), *more = table.reading.belonging
        best, X = table.alone, None if table.dataset is None else table.dataset.X
        if best and best.column == name and best.gives_away and best.categories >= GROUPS:
            return None  # said with it
        if X is not None and worth_keeping(X) and len(np.unique(duplicates(X))) < 2 * count:
            return None  # equal rows, which RK104 is about
        return told("RK106", name=name, count=count, agreement=agreement, more=len(more))


class CodesForMissing(BeforeFitting):
    """A number far from all others occurs several times, so it may be a code for missing."""

    def look(self, table: TableFacts) -> Said:
        numbers, data = numbers_of(table.values) or (), table.dataset
        counts = {"the target": dict(zip(numbers, table.values.values(), strict=False))}
        if data is not None and not numbers:  # of a study, which gives no values
            own, rows = np.unique(data.y, return_counts=True)
            known = own.tolist() if data.levels is None else numbers_of(data.levels) or ()
            counts["the target"] = dict(zip(known, rows.tolist(), strict=False))
        for feature, values in zip(data.features, data.X.T, strict=True) if data else ():
            ends = (np.nanmin(values), np.nanmax(values))
            if feature.kind == "numeric" and not CODES.isdisjoint(map(float, ends)):
                each, rows = np.unique(values[~np.isnan(values)], return_counts=True)
                counts[f"'{feature.name}'"] = dict(zip(each, rows.tolist(), strict=True))
        found = [(code, n, name) for name, own in counts.items() for code, n in _codes(own)]
        shown = [f"{number_text(c)} in {name} ({n:,} rows)" for c, n, name in found[:5]]
        codes = [*map(number_text, sorted({code for code, _, _ in found}))]
        return told("RK107", shown=shown, codes=codes) if found else None


def _codes(counts: Mapping[float, int]) -> list[tuple[float, int]]:
    """Return the numbers that may stand for missing, with their rows."""
    others = [value for value in counts if value not in CODES]
    low, high = min(others, default=0.0), max(others, default=0.0)
    far = [v for v in counts if v in CODES and max(low - v, v - high) > high - low > 0]
    return [(v, counts[v]) for v in far if counts[v] >= SEVERAL and len(far) <= len(others)]


class PerhapsQueries(BeforeFitting):
    """A column seems to hold queries, of which each has rows that are ranked by themselves."""

    def look(self, table: TableFacts) -> Said:
        if table.dataset is None or table.dataset.groups is not None:
            return None
        same = alike(table.dataset)
        for own in (c for c in table.reading.columns if c.role in ("feature", "left out")):
            left_out = own.kind == "groups" and own.role == "left out"
            named = left_out or called("queries", own.name)
            if not named and own.name not in same:
                continue
            how = flag("queries", own.name) if manner() else option("groups", own.name)
            advice, said = f"{OF_ONE_QUERY}, say {how}", bool(named)
            return told("RK108", name=own.name, named=said, left_out=left_out, advice=advice)
        return None
