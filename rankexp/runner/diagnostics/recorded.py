"""Values of a column in whose rows the target has only one value, as where it is not recorded."""

from collections.abc import Iterator

import numpy as np
from scipy import special

from rankexp.arrays import Floats, Ints
from rankexp.runner.config.asking import option
from rankexp.runner.data.dataset import Dataset, Feature
from rankexp.runner.data.levels import in_words, number_text
from rankexp.runner.diagnostics.alone import unusual
from rankexp.runner.diagnostics.diagnostic import BeforeFitting, Said, TableFacts

REGISTER = {"RK109": "OneValueOfTarget", "RK110": "RowOfTotals"}

FEWEST, SURE = 20, 1e-6  # rows; chance that all have that value, times the values looked at
MOST_VALUES, SOME = 50, 1000  # of a column of numbers, in its first rows
ALIKE, OTHERS = 0.05, 3  # p-value from which other categories seem alike; these, at least
NAMED, MOST_NAMED = 4, 3  # values of a column, and columns


def lone_targets(dataset: Dataset) -> Iterator[tuple[str, str]]:
    """Yield columns of which some values have rows with only one end of the target, in words."""
    tries, found, n = 0, [], len(dataset.y)
    for feature, values in zip(dataset.features, dataset.X.T, strict=True):
        labels, codes = _coded(feature, values)
        rows = np.bincount(codes, minlength=len(labels))
        often = rows >= FEWEST
        for end, name in _ends(dataset):
            hits = np.bincount(codes, dataset.y == end, minlength=len(labels))
            pure, tries = often & (hits == rows), tries + int(often.sum())
            count, other = int(rows[pure].sum()), often & ~pure
            graded = feature.kind == "numeric" or not _alike(hits[other], rows[other])
            censored = dataset.levels is None and end > dataset.y.min()
            if 0 < count < n and (censored or 2 * count >= n or not graded):
                own = [label for label, lone in zip(labels, pure, strict=True) if lone]
                more = [f"{len(own) - NAMED} more"] * (len(own) > NAMED)
                where = f"in which '{feature.name}' is {' or '.join([*own[:NAMED], *more])}"
                ways, share = float(special.binom(often.sum(), len(own))), float(hits.sum()) / n
                said = f"all {count:,} rows {where} have {name}"
                found.append((ways * share**count, feature.name, said))
    yield from ((column, said) for chance, column, said in found if tries * chance <= SURE)


def _ends(dataset: Dataset) -> list[tuple[float, str]]:
    """Return both ends of the target, and what they are called."""
    y, levels = dataset.y, dataset.levels
    if levels is not None:
        return [(k, f"the target '{in_words(levels[k])}'") for k in (0, len(levels) - 1)]
    ends = (("smallest", float(y.min())), ("largest", float(y.max())))
    return [(end, f"the {which} target, {number_text(end)}") for which, end in ends]


def _coded(feature: Feature, values: Floats) -> tuple[list[str], Ints]:
    """Return the values of a column in words, missing as the last, and that of each row."""
    missing, names = np.isnan(values), feature.categories
    if feature.kind == "nominal" or len(np.unique(values[:SOME])) > MOST_VALUES:
        codes = np.where(missing, len(names), values if names else 1 - missing)
        return [*names, "missing", "known"], codes.astype(np.int64)
    distinct, codes = np.unique(values, return_inverse=True)
    return ["missing" if np.isnan(one) else number_text(one) for one in distinct], codes


def _alike(hits: Floats, rows: Ints) -> bool:
    """Tell whether categories seem to have a value of the target equally often."""
    share = hits.sum() / max(rows.sum(), 1)
    if len(rows) < OTHERS or not 0 < share < 1:
        return False
    chi = float(((hits - share * rows) ** 2 / (rows * share * (1 - share))).sum())
    return bool(special.chdtrc(len(rows) - 1, chi) >= ALIKE)


class OneValueOfTarget(BeforeFitting):
    """Rows with some value of a column have one value of the target, as where none is recorded."""

    def look(self, table: TableFacts) -> Said:
        data, best = table.dataset, table.alone
        if data is None:
            return None
        known = {*unusual(data), *([best.column] if best and best.gives_away else ())}
        found = [one for one in lone_targets(data) if one[0] not in known][:MOST_NAMED]
        advice = (
            "Was the target recorded in these rows? If not, take them out of the table. If the "
            "column is known only after the target is, leave it out with "
            f"{option('drop', *dict.fromkeys(column for column, _ in found))}"
        )
        return (f"A{'; '.join(said for _, said in found)[1:]}.", advice) if found else None


class RowOfTotals(BeforeFitting):
    """Rows hold sums of the rows above, so they are no rows like these."""

    def look(self, table: TableFacts) -> Said:
        found = table.reading.totals
        said = "; ".join(f"{rows} sums of those above{names}" for rows, names in found)
        advice = "Such rows are used like all others. Delete them from the table and compare again"
        return (f"R{said[1:]}.", advice) if found else None
