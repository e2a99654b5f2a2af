"""What is seen of a table before anything is compared, and the split by time."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
from sklearn.linear_model import Ridge

from rankexp.arrays import Floats, Ints
from rankexp.errors import ConfigError, DataError
from rankexp.metrics.continuous import concordance
from rankexp.runner.compare.pilot import FEWEST_ROWS
from rankexp.runner.compare.question import Question, ask
from rankexp.runner.compare.results import InspectResult
from rankexp.runner.config.asking import flag, message, option
from rankexp.runner.config.schema import Preprocess
from rankexp.runner.data.build import Option, dataset_of, entry_of, inspect_table, target_values
from rankexp.runner.data.dataset import Dataset, called
from rankexp.runner.data.frames import ordered_values
from rankexp.runner.data.preprocess import Preprocessor
from rankexp.runner.diagnostics.alone import best_alone
from rankexp.runner.diagnostics.diagnostic import Diagnosis, TableFacts, before
from rankexp.runner.diagnostics.tables import OF_ONE_QUERY
from rankexp.runner.protocols.expanding import ExpandingWindow
from rankexp.runner.sentences import paragraphs

LATER = {"kind": "time", "test": 0.3}
MATTERS = 0.05  # of a share of pairs
PAST = 0.7  # of the rows, to show what the future holds
MOST = 20_000  # rows that are trained on to show it
FEW = 50  # rows a value, in the median: with more, a column of groups is hardly one of queries


def of_table(dataset: Dataset, question: Question, *, fits: bool = True) -> list[Diagnosis]:
    """Return what the diagnostics find in a table; unless it `fits`, no value of the future."""
    assert dataset.reading is not None
    measure = "an AUC" if question.kind == "two" else "a share of pairs in order"
    table = TableFacts(dataset.reading, dataset, best_alone(dataset), question.values)
    return before(replace(table, ahead=partial(_ahead, dataset, measure)) if fits else table)


def by_time(dataset: Dataset) -> Dataset:
    """Return a data set whose latest rows are the test part, where it goes by time."""
    if dataset.times is None:
        return dataset
    first, _ = ExpandingWindow.model_validate(LATER).ends(dataset.name, dataset.times)
    parts = np.ones(len(dataset.y), dtype=np.int64)
    parts[np.argsort(dataset.times, kind="stable")[first:]] = 0
    for part, when in ((1, "earlier 70 %"), (0, "latest 30 %")):
        for code, level in enumerate(dataset.levels or ()):
            if (count := int((dataset.y[parts == part] == code).sum())) < FEWEST_ROWS:
                known = {"when": when, "count": count, "level": level, "least": FEWEST_ROWS}
                raise ConfigError(message("compare.few_in_time", **known))
    return replace(dataset, parts=parts, part_names=("test", "train"))


def _ahead(dataset: Dataset, measure: str, rows: Ints) -> str:
    """Say how least squares rank the latest of rows in order of time, and random ones."""
    orders, cut = (rows, np.random.default_rng(0).permutation(len(rows))), int(PAST * len(rows))
    later, mixed = (_value(dataset, order, cut) for order in orders)
    known = {"measure": measure, "past": PAST, "later": later, "mixed": mixed}
    return f" {message('compare.ahead', less=mixed - later >= MATTERS, **known)}"


def _value(dataset: Dataset, order: Ints, cut: int) -> float:
    train, test = order[:cut][:: max(1, cut // MOST)], order[cut:]
    made = Preprocessor(Preprocess(), dataset.features).fit(dataset.X[train])
    fitted = Ridge().fit(made.transform(dataset.X[train]), dataset.y[train])
    scores: Floats = fitted.predict(made.transform(dataset.X[test]))
    return concordance(dataset.y[test], scores)


def of_queries(dataset: Dataset, column: str, *, within: bool) -> list[str]:
    """Say which pairs of rows count, and where rows are perhaps to be ranked within queries.

    `column` has the groups, if there are any.
    """
    assert dataset.reading is not None
    weights: dict[str, str] = {}
    for own in (c for c in dataset.reading.columns if c.role == "feature" and (c.low or 0) > 0):
        name = called("weights", own.name) if dataset.weights is None else None
        if name and (own.low or 0) < (2 if name["bare"] else np.inf):
            weights[own.name] = f"say {flag('weights', own.name)}"
            if dataset.levels is None:  # a measure of numbers takes none
                weights[own.name] = f"leave it out with {option('drop', own.name)}"
    sizes = np.unique(() if dataset.groups is None else dataset.groups, return_counts=True)[1]
    rows = float(np.median(sizes)) if len(sizes) else np.inf
    known = {"column": column, "within": within, "sizes": sizes.tolist(), "rows": rows}
    perhaps = (dataset.levels is not None and rows <= FEW) or called("queries", column)
    only = f"{OF_ONE_QUERY}, say {flag('queries', column)}"
    return paragraphs("of_queries", weights=weights, perhaps=perhaps, only=only, **known)


def look(
    path: Path, *, target: str | None, merge: Sequence[Sequence[str]] = (), **given: Option
) -> InspectResult:
    """Return how a table is read, what the diagnostics find, and what `compare` would do.

    Options are those of ``rankexp inspect``; errors as of `inspect_table`.
    """
    given |= {"identifiers": "drop_groups"}
    asked = {name: given.pop(name, None) for name in ("positive", "levels", "continuous")}
    if target is None:
        reading = inspect_table(path, target=None, **given)
        return InspectResult(reading, before(TableFacts(reading)))
    values = target_values(path, target=target, **given)
    if not (merge or any(asked.values())):
        asked |= {"levels": ordered_values(path, target, values)}
    try:
        question = ask(target, values, merge=merge, **asked)  # type: ignore[arg-type]
        dataset = dataset_of(path, entry_of(path, target=target, levels=question.levels, **given))
    except (ConfigError, DataError) as error:
        reading = inspect_table(path, target=target, **given)
        known = str(error) in " ".join(reading.warnings)
        return InspectResult(reading, [], "" if known else f"compare would stop here: {error}")
    assert dataset.reading is not None
    found, said = of_table(dataset, question, fits=False), []
    if dataset.groups is None:
        said = [f"{line}." for line in of_queries(dataset, "", within=False)]
    said.append(message("compare.does", question=question))
    return InspectResult(dataset.reading, found, "\n".join(said))
