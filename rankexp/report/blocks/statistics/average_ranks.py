"""Average ranks of several methods, Friedman's test, and which pairs differ."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

import pandas as pd
from pydantic import Field

from rankexp.analyse import blocks, select
from rankexp.analyse.contrast import dropped_note
from rankexp.analyse.several import FEW, NotComparableError, Ranking, ranking
from rankexp.config.schema import Block
from rankexp.metrics.base import Metric
from rankexp.report.blocks.statistics.comparison import p_value
from rankexp.report.context import Context
from rankexp.report.model import Cell, Entry, Output, Table
from rankexp.report.numbers import short
from rankexp.report.options import Choosing, RuleOfEach, rule_of

REGISTER = {"average_ranks": "AverageRanks"}

POSTHOC = {"nemenyi": "Nemenyi's test", "wilcoxon": "signed-rank tests with Holm's correction"}


@dataclass(frozen=True)
class Panel:
    """Methods ranked over the models of a problem, or over problems.

    Attributes
    ----------
    name, title : str
        Problem or experiments.
    methods : list of str
    metric, unit : str
    rules : tuple of Rule
    ranking : Ranking or None
        None where nothing can be ranked.
    note : str
        Why, or what was dropped.
    """

    name: str
    title: str
    methods: list[str]
    metric: str
    rules: tuple[select.Rule, ...]
    unit: str
    ranking: Ranking | None
    note: str


class AverageRanks(Choosing):
    """One table: over models for each problem of a generator; over all data sets together."""

    rule: RuleOfEach = select.ORACLE
    """One for all experiments, or one for each."""
    posthoc: Literal["nemenyi", "wilcoxon"] = "nemenyi"
    """Which tests of pairs follow on Friedman's."""
    alpha: Annotated[float, Field(gt=0, lt=0.5)] = 0.05
    incomplete: blocks.Policy = "refuse"
    """What happens where a model or a data set lacks a value."""
    digits: Annotated[int, Field(ge=0, le=12)] = 2

    def output(self, context: Context, block: Block) -> Output:
        """Return the table of ranks and that of pairs."""
        panels = self.panels(context, block)
        return Output(
            numbers=self.numbers(panels),
            tables=[self._ranks(context, panels), self._pairs(context, panels)],
            notes=self.notes(panels),
        )

    def needed(self, context: Context, block: Block) -> list[str]:
        """Return the methods asked for; by default those that every experiment has."""
        names = block.experiments
        shared = [set(context.evaluate(name).methods) for name in names]
        return [
            m for m in self.shown(context, block) if self.methods or all(m in s for s in shared)
        ]

    def panels(self, context: Context, block: Block) -> list[Panel]:
        """Return one panel a generator's problem, then one for all data sets."""
        methods = self.needed(context, block)
        names = block.experiments
        models = {n: context.evaluate(n).protocol.problems == "generators" for n in names}
        panels = [
            self._over_models(context, name, problem, methods)
            for name in names
            if models[name]
            for problem in context.evaluate(name).problems
        ]
        others = [name for name in names if not models[name]]
        return panels + ([self._over_problems(context, others, methods)] if others else [])

    def _wide(self, context: Context, experiment: str, methods: Sequence[str]) -> pd.DataFrame:
        metric = context.metric(experiment, self.metric)
        chosen = context.chosen(experiment, metric, rule_of(self.rule, experiment), methods)
        return blocks.wide(chosen, blocks.places(context.cells, experiment), methods)

    def _over_models(
        self, context: Context, experiment: str, problem: str, methods: list[str]
    ) -> Panel:
        table = self._wide(context, experiment, methods)
        own = table[table.index.get_level_values("problem") == problem]
        metric, rule = context.metric(experiment, self.metric), rule_of(self.rule, experiment)
        head = (problem, context.problem_label(problem), methods, str(metric), (rule,), "models")
        return self._panel(head, metric, own, ["problem", "model"], [])

    def _over_problems(
        self, context: Context, experiments: list[str], methods: list[str]
    ) -> Panel:
        metrics = list(dict.fromkeys(context.metric(n, self.metric) for n in experiments))
        rules = tuple(dict.fromkeys(rule_of(self.rule, name) for name in experiments))
        title = f"data sets of {', '.join(experiments)}"
        texts = [str(metric) for metric in metrics]
        head = (", ".join(experiments), title, methods, ", ".join(texts), rules, "data sets")
        if len({metric.direction for metric in metrics}) > 1:
            return Panel(*head, None, f"{' and '.join(texts)} have different directions")
        tables = [self._wide(context, name, methods) for name in experiments]
        wanted = [p for name in experiments for p in context.evaluate(name).problems]
        table = pd.concat(tables)
        known = set(table.index.get_level_values("problem"))
        return self._panel(
            head, metrics[0], table, ["problem"], [p for p in wanted if p not in known]
        )

    def _panel(
        self,
        head: tuple[str, str, list[str], str, tuple[select.Rule, ...], str],
        metric: Metric,
        table: pd.DataFrame,
        by: list[str],
        missing: list[str],
    ) -> Panel:
        """Rank the complete blocks, or say why that cannot be."""
        note = ""
        try:
            made = blocks.complete(table, by, self.incomplete, missing)
            note = dropped_note(made.left_out)
            higher = metric.direction == "higher"
            found = ranking(
                made.values.to_numpy(), higher=higher, posthoc=self.posthoc, alpha=self.alpha
            )
        except (blocks.IncompleteError, NotComparableError) as error:
            return Panel(*head, None, "; ".join(filter(None, [str(error), note])))
        return Panel(*head, found, note)

    def numbers(self, panels: Sequence[Panel]) -> pd.DataFrame:
        """Return average ranks, one row a panel and method."""
        rows = []
        for panel in panels:
            for place, method in enumerate(panel.methods):
                found = panel.ranking
                row = {
                    "panel": panel.name,
                    "metric": panel.metric,
                    "rule": ", ".join(map(str, panel.rules)),
                    "method": method,
                    "average_rank": found.average[place] if found else math.nan,
                    "blocks": found.blocks if found else 0,
                    "chi2": float(found.omnibus.chi2) if found else math.nan,
                    "f": float(found.omnibus.f) if found else math.nan,
                    "p": float(found.omnibus.p) if found else math.nan,
                    "critical_difference": found.critical if found else math.nan,
                }
                for other, name in enumerate(panel.methods):
                    row[f"p against {name}"] = found.p[place, other] if found else math.nan
                rows.append({**row, "incomplete": self.incomplete, "note": panel.note})
        return pd.DataFrame(rows)

    def _ranks(self, context: Context, panels: Sequence[Panel]) -> Table:
        rows: list[list[Entry]] = []
        methods = panels[0].methods if panels else []
        for panel in panels:
            found = panel.ranking
            if found is None:
                rows.append([panel.title, *[Cell()] * (len(methods) + 4)])
                continue
            f = found.omnibus
            rows.append(
                [
                    panel.title,
                    f"{found.blocks} {panel.unit}",
                    *(Cell(rank, digits=self.digits) for rank in found.average),
                    Cell(float(f.f), remark=f"{f.df[0]}, {f.df[1]}", digits=2),
                    p_value(float(f.p)),
                    Cell(found.critical, digits=self.digits),
                ]
            )
        header = [
            "Over",
            "n",
            *map(context.method_label, methods),
            "F",
            "p",
            "Critical difference",
        ]
        metrics = ", ".join(dict.fromkeys(panel.metric for panel in panels))
        rules = ", ".join(dict.fromkeys(rule.label for panel in panels for rule in panel.rules))
        return Table(header, rows, f"Average ranks, {metrics} by {rules}; 1 is best")

    def _pairs(self, context: Context, panels: Sequence[Panel]) -> Table:
        rows: list[list[Entry]] = []
        for panel in panels:
            if panel.ranking is None:
                continue
            labels = [context.method_label(method) for method in panel.methods]
            for first, label in enumerate(labels):
                for second in range(first + 1, len(labels)):
                    p = p_value(float(panel.ranking.p[first, second]))
                    said = "differ" if panel.ranking.differs[first, second] else "not told apart"
                    rows.append([panel.title, f"{label} – {labels[second]}", p, said])
        header = ["Over", "Pair", "p", "At this level"]
        return Table(header, rows, f"Pairs by {POSTHOC[self.posthoc]}", detail=True)

    def notes(self, panels: Sequence[Panel]) -> list[str]:
        """Say which tests were used and what was left out."""
        level = short(self.alpha)
        notes = [
            "Ranks within each block, mean ranks for ties. F: Friedman's test in the form of Iman "
            f"and Davenport, its p by permutation up to {FEW} blocks; pairs by "
            f"{POSTHOC[self.posthoc]}, at {level}, where p is below this level, else no pair is "
            "told apart.",
            f"Incomplete blocks: {self.incomplete}.",
        ]
        return notes + [f"{panel.title}: {panel.note}." for panel in panels if panel.note]
