"""What every block works from: the study, its cells, the records, and views of them."""

import inspect
import sys
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from rankexp import registry
from rankexp.errors import ConfigError
from rankexp.metrics.metric import Metric, parse
from rankexp.runner.analyse import compare, delong, frame, select
from rankexp.runner.analyse.contrast import Family
from rankexp.runner.analyse.kept import sources
from rankexp.runner.config import published
from rankexp.runner.config.schema import Evaluate, Simulate, Study
from rankexp.runner.protocols.dividing import Dividing
from rankexp.runner.report.model import Output
from rankexp.runner.run.manifest import diagnoses_of
from rankexp.runner.run.opened import Opened, shortfall
from rankexp.statistics import paired
from rankexp.statistics.contrast import NAN
from rankexp.statistics.design import EXAMPLES, QUERIES, Design
from rankexp.statistics.verdicts import Refusal


class Estimated(NamedTuple):
    """The mean of a method on a problem, or of its differences to a reference."""

    problem: str
    method: str
    mean: float = NAN
    se: float = NAN  # that of the design
    low: float = NAN
    high: float = NAN
    units: int = 0  # values that it is over


@dataclass
class Context(Opened):
    """A study with its records."""

    reference: Path | None = None  # folder with the tables of a full run, where there is one
    shown: dict[str, Output] = field(default_factory=dict)  # blocks built so far, by name
    families: dict[str, Family] = field(default_factory=dict, repr=False)  # compared so far
    _designs: dict[tuple[str, str], dict[str, Design]] = field(default_factory=dict, repr=False)
    _slices: dict[tuple[str, ...], pd.DataFrame] = field(default_factory=dict, repr=False)
    _means: dict[tuple[str, ...], list[compare.Mean]] = field(default_factory=dict, repr=False)

    @cached_property
    def frame(self) -> pd.DataFrame:
        """All numbers, long."""
        return frame.long_frame(self.cells, self.records)

    @cached_property
    def published(self) -> dict[published.PublishedKey, published.Published]:
        """Published values that the manifest keeps; empty where the study has none."""
        return published.table(self.manifest.get("published") or [])

    def ran(self, experiment: str) -> bool:
        """Whether an experiment has any record."""
        own = self.total(experiment)
        return own.missing < own.expected

    def evaluate(self, experiment: str) -> Evaluate:
        """Return an experiment of the kind `evaluate`; the other kind is an error."""
        found = self.study.experiments[experiment]
        if not isinstance(found, Evaluate):
            raise ConfigError(f"experiment '{experiment}' has no methods: it is a simulation")
        return found

    def referred(self, table: str, column: str, place: tuple[str, str, str]) -> float:
        """Return a value of a full run, by experiment, problem and method; NaN if it has none."""
        file = self.reference and self.reference / f"{table}.csv"
        if not file or not file.is_file():
            return float("nan")
        names = ["experiment", "problem", "method"]
        try:
            found = pd.read_csv(file, index_col=names)[column]
            return float(found.get(place, float("nan")))
        except (KeyError, TypeError, ValueError):  # a table of another make
            return float("nan")

    def metric(self, experiment: str, asked: Metric | None) -> Metric:
        """Return the metric asked for, or the experiment's first."""
        return asked or parse(self.evaluate(experiment).metrics[0])

    def scores(
        self,
        experiment: str,
        quantity: Metric | str,
        part: str = "test",
        *,
        by_query: bool = False,
    ) -> pd.DataFrame:
        """Return the slice of one metric or named quantity; it is kept for other blocks."""
        key = (experiment, str(quantity), part, *[frame.QUERY] * by_query)
        if key not in self._slices:
            found = frame.scores(self.frame, experiment, str(quantity), part, by_query=by_query)
            self._slices[key] = found
        return self._slices[key]

    def chosen(
        self, experiment: str, metric: Metric, rule: select.Rule, methods: Sequence[str]
    ) -> pd.DataFrame:
        """Return the rows that a rule chooses, for some methods."""
        key, by = (experiment, str(metric), "rule", str(rule)), rule.by or metric
        if key not in self._slices:
            values = partial(self.scores, experiment, by)
            own, higher = self.scores(experiment, metric), by.direction == "higher"
            self._slices[key] = rule.apply(own, values, higher)
        rows = self._slices[key]
        return rows[rows.method.isin(list(methods))]

    def units(self, experiment: str, metric: Metric, rule: select.Rule) -> pd.DataFrame:
        """Return the rows that a rule chooses for all methods, with a row a query where due."""
        key = (experiment, str(metric), "units", str(rule))
        if key not in self._slices:
            methods = list(self.evaluate(experiment).methods)
            rows = self.chosen(experiment, metric, rule, methods)
            self._slices[key] = self.spread(experiment, metric, rows)
        return self._slices[key]

    def incomplete(self, experiments: Sequence[str], methods: Sequence[str] = ()) -> list[str]:
        """Say for each experiment what is lacking; an empty list where nothing is."""
        short = {name: shortfall(self.total(name, methods)) for name in experiments}
        return [f"{lacking} of {name}." for name, lacking in short.items() if lacking]

    def problem_label(self, problem: str) -> str:
        """Return what a problem is called in tables."""
        entry = self.study.data.get(problem) or self.study.generators.get(problem)
        return (entry.label if entry else None) or problem

    def seconds(self, experiment: str, method: str, problem: str = "") -> list[float]:
        """Return what each split of a method took: its grid, and the choice within training."""
        own = (c for c in self.cells if (c.experiment, c.method) == (experiment, method))
        found = (self.records.get(c.key) for c in own if problem in ("", c.problem))
        return [one.times["fit"] for one in found if one and "fit" in one.times]

    def title(self, experiment: str) -> str:
        """Return what an experiment is called on pages."""
        setup = self.study.experiments.get(experiment)
        return (setup.title if setup else None) or experiment

    def row_labels(self, places: Sequence[tuple[str, str]]) -> list[str]:
        """Return what (experiment, problem) are called as rows, with experiments if needed."""
        distinct = [problem for _, problem in dict.fromkeys(places)]
        return [
            self.problem_label(problem)
            + (f" ({self.title(experiment)})" if distinct.count(problem) > 1 else "")
            for experiment, problem in places
        ]

    def method_label(self, method: str) -> str:
        """Return what a method is called in tables."""
        entry = self.study.methods.get(method)
        return (entry.label if entry else None) or method

    def labels(self, experiment: str) -> Mapping[str, str]:
        """Return what names of a check are called in tables; all others have the labels of all."""
        setup = self.study.experiments.get(experiment)
        if not isinstance(setup, Simulate) or setup.check not in registry.names("checks"):
            return {}
        check = registry.get("checks", setup.check)
        file = Path(inspect.getfile(check)).with_suffix(".toml")
        known = tomllib.loads(file.read_text("utf-8")) if file.is_file() else {}
        return known | dict(vars(sys.modules[check.__module__]).get("LABELS", {}))

    def rows(self, problem: str) -> float:
        """Return a data set's rows; NaN where they are unknown."""
        known = self.manifest.get("data", {}).get(problem, {}).get("rows")
        return float("nan") if known is None else float(known)

    def levels(self, problem: str) -> list[tuple[str, int]]:
        """Return a data set's levels, worst to best, with their rows; empty where not read."""
        known = self.manifest.get("data", {}).get(problem, {}).get("reading", {})
        return [(str(name), int(rows)) for name, rows in known.get("levels", [])]

    def designs(self, experiment: str, metric: Metric) -> dict[str, Design]:
        """Return the design of each problem's differences in a metric."""
        place, problems = (experiment, str(metric)), self.evaluate(experiment).problems
        if place not in self._designs:
            self._designs[place] = {n: self._design(experiment, n, metric) for n in problems}
        return self._designs[place]

    def _design(self, experiment: str, problem: str, metric: Metric) -> Design:
        """Return a design with what bounds its errors; queries are pairs if values are of them."""
        setup, rows = self.evaluate(experiment), self.rows(problem)
        found = design(self.study, setup, problem, rows)
        if found.pairs == QUERIES:
            tables = [self.scores(experiment, metric, by_query=own) for own in (False, True)]
            splits, each = (table[table.problem == problem] for table in tables)
            if frame.are_pairs(splits, each):
                reach = each.value.max() - each.value.min()  # of a query, as far as is seen
                count = each[frame.QUERY].nunique()
                return replace(found, examples=count / reach if reach else NAN)
            found = design(self.study, setup, problem, rows, grouped=False)
        return replace(found, examples=self.examples(problem, metric))

    def by_rows(self, experiment: str, problem: str, design: Design) -> bool:
        """Whether a problem is judged over its test rows, if their placements are kept.

        So are one test set, folds, and splits too few for a spread; over more splits no
        simulation has shown it right. Rows that must stay together are not independent.
        """
        protocol, entry = self.evaluate(experiment).protocol, self.study.data.get(problem)
        if design.pairs == EXAMPLES or entry is None or not isinstance(protocol, Dividing):
            return design.pairs == EXAMPLES
        apart = protocol.together == "none" and entry.groups is None
        return apart and (design.pairs == "folds" or protocol.size() < paired.FEWEST)

    def placed(
        self, experiment: str, metric: Metric, rule: select.Rule, pairs: Sequence[Sequence[str]]
    ) -> dict[str, delong.Seen | Refusal]:
        """Return the mean difference of pairs of methods over test rows, by problem."""
        chosen = self.chosen(experiment, metric, rule, [m for pair in pairs for m in pair])
        kept = list(sources(self.cells, self.records, experiment, chosen))
        return {
            name: delong.compare(kept, name, pairs, metric, known)
            for name, known in self.designs(experiment, metric).items()
            if self.by_rows(experiment, name, known)
        }

    def spread(self, experiment: str, metric: Metric, splits: pd.DataFrame) -> pd.DataFrame:
        """Return splits with a row a query where queries are the pairs; others as they are."""
        designs = self.designs(experiment, metric)
        wanted = [name for name, found in designs.items() if found.pairs == QUERIES]
        if not wanted:
            return splits
        return frame.spread(splits, self.scores(experiment, metric, by_query=True), wanted)

    def estimates(
        self,
        experiment: str,
        metric: Metric,
        splits: pd.DataFrame,
        methods: Sequence[str],
        *,
        reference: str | None = None,
        level: float = 0.95,
    ) -> list[Estimated]:
        """Return mean, SE and interval of each problem and method that some splits have.

        With a reference they are of the differences to it, paired by split. Problems are in the
        order of the splits, methods in that given.
        """
        rows, designs = self.spread(experiment, metric, splits), self.designs(experiment, metric)
        rows = compare.paired(rows, reference) if reference else rows
        places = ((p, m) for p in map(str, rows.problem.unique()) for m in methods)
        own = dict(list(rows.groupby(["problem", "method"], sort=False)))
        most, made = metric.reading.most, []
        # Beyond these no value can be, and no interval goes.
        ends = (0.0 if most == 1.0 and not reference else -most, most)
        for place in (place for place in places if place in own):
            known, each = designs[place[0]], own[place]
            each = compare.unit_means(each) if known.pairs == "models" else each
            each = each.dropna(subset=["value"])
            if each.empty:
                made.append(Estimated(*place))
                continue
            found, _ = paired.of_design(each.value, known, each.get("fold"))
            reach = paired.interval(found, level)
            low, high = (min(max(float(end), ends[0]), ends[1]) for end in reach)
            mean, se = float(found.mean), float(found.se)
            made.append(Estimated(*place, mean, se, low, high, len(each)))
        return made

    def means(self, experiment: str, metric: Metric, rule: select.Rule) -> list[compare.Mean]:
        """Return the mean of each problem and method that a rule chooses, over its units."""
        if (key := (experiment, str(metric), str(rule))) not in self._means:
            self._means[key] = compare.means(self.units(experiment, metric, rule))
        return self._means[key]

    def examples(self, problem: str, metric: Metric) -> float:
        """Return how many examples a metric's value rests on, over how far one can move it.

        Those of the smallest level for a metric of levels alone (half of all, at most, where the
        counts are neither declared nor read), else all. Models are the design's own.
        """
        if problem in self.study.generators:
            return float("inf")
        prints, reach = self.study.data[problem].fingerprint, metric.reading.reach
        levels = [rows for _, rows in self.levels(problem)]
        count = self.rows(problem)
        if "continuous" in metric.kinds and metric.reading.pooled:
            known = diagnoses_of(self.manifest).get(problem)
            count *= known.alone.untied if known and known.alone else 1.0
        elif "continuous" not in metric.kinds:
            counts = (prints.classes if prints else None) or levels
            least, total = min(counts, default=count / 2), sum(counts)
            pairs = (total**2 - sum(own**2 for own in counts)) / 2
            # Where pairs are pooled, an example of the smallest level is in so many of them.
            several = bool(counts) and metric.reading.pooled
            count = pairs / (total - least) if several else float(least)
        return float("nan") if reach is None else count / reach

    def missing_data(self, problem: str) -> str | None:
        """Return why a problem's data was not to be had, or None where it was."""
        reason = self.manifest.get("missing_data", {}).get(problem)
        return None if reason is None else str(reason)


def design(
    study: Study, setup: Evaluate, problem: str, rows: float = NAN, *, grouped: bool = True
) -> Design:
    """Return the design of a problem's differences, whose `rows` are NaN if unknown.

    Test sets that the data names have queries as pairs where its rows are ranked within groups.
    If not, or not `grouped`, several such test sets are folds, whose training parts overlap.
    """
    found, entry = setup.protocol.design(rows), study.data.get(problem)
    folds = setup.protocol.size()
    if found.pairs not in (EXAMPLES, QUERIES):
        return found
    if grouped and entry is not None and entry.groups is not None and setup.within_groups:
        return Design(QUERIES)
    if folds > 1:
        return Design("folds", 1.0 / (folds - 1), repeatable=False)
    return Design(EXAMPLES)
