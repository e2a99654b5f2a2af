"""Average ranks of several methods, Friedman's test, and which pairs differ."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Annotated, Literal

import pandas as pd
from pydantic import Field

from rankexp.charts.numbers import number, short
from rankexp.metrics.metric import Metric
from rankexp.runner.analyse import complete_blocks, select
from rankexp.runner.analyse.contrast import dropped_note
from rankexp.runner.analyse.frame import QUERY
from rankexp.runner.config.schema import Block
from rankexp.runner.report.blocks.statistics.comparison import p_value
from rankexp.runner.report.context import Context
from rankexp.runner.report.heads import Role, heads, measured
from rankexp.runner.report.model import Cell, Entry, Output, Table
from rankexp.runner.report.options import Choosing, InBlocks
from rankexp.runner.report.render.text import cell_text
from rankexp.runner.sentences import paragraphs
from rankexp.statistics.design import QUERIES
from rankexp.statistics.several import FEW, NotComparableError, Ranking, ranking
from rankexp.statistics.verdicts import Kind, Note

REGISTER = {"average_ranks": "AverageRanks"}

UNITS = {"models": ["problem", "model"], QUERIES: [*complete_blocks.PLACE, QUERY]}
POSTHOC = {"nemenyi": "Nemenyi's test", "wilcoxon": "signed-rank tests with Holm's correction"}


@dataclass(frozen=True)
class RankPanel:
    """Methods ranked over the models of a problem, or over problems."""

    name: str  # problem or experiments
    title: str
    methods: list[str]
    metrics: tuple[Metric, ...]
    rules: tuple[select.Rule, ...]
    unit: str
    ranking: Ranking | None = None  # None where nothing can be ranked
    note: str = ""  # why, or what was dropped
    kind: Kind = Kind.CAVEAT


class AverageRanks(Choosing, InBlocks):
    """One table: over each problem's models, or its queries; over all data sets together."""

    posthoc: Literal["nemenyi", "wilcoxon"] = "nemenyi"  # tests of pairs that follow on Friedman's
    alpha: Annotated[float, Field(gt=0, lt=0.5)] = 0.05
    digits: Annotated[int, Field(ge=0, le=12)] = 2

    def output(self, context: Context, block: Block) -> Output:
        panels = self.panels(context, block)
        tables = [self._ranks(context, panels), self._pairs(context, panels)]
        gist = " ".join(self._gist(context, panel) for panel in panels if panel.ranking)
        return Output(self.numbers(panels), tables, notes=self.notes(panels), gist=gist)

    def _gist(self, context: Context, panel: RankPanel) -> str:
        found = panel.ranking
        assert found is not None  # see above
        ranked = sorted(zip(found.average, map(context.method_label, panel.methods), strict=True))
        named = ", ".join(f"{label} {number(rank, self.digits)}" for rank, label in ranked)
        cell = p_value(float(found.omnibus.p))
        exact = bool(found.omnibus.p >= cell.least / 2)  # it is not said to be less than the least
        p = "= " * exact + cell_text(cell)
        return f"Average ranks over {found.blocks} {panel.unit}, {panel.title}: {named} (p {p})."

    def needed(self, context: Context, block: Block) -> list[str]:
        """Return the methods asked for; by default those that every experiment has."""
        shared = [set(context.evaluate(name).methods) for name in block.experiments]
        shown = self.shown(context, block)
        return [m for m in shown if self.methods or all(m in own for own in shared)]

    def panels(self, context: Context, block: Block) -> list[RankPanel]:
        """Return one panel a generator's problem or one of queries, then one for all data sets."""
        methods = self.needed(context, block)
        panels, others = [], []
        for name in block.experiments:
            designs = context.designs(name, context.metric(name, self.metric))
            units = {one: design.pairs for one, design in designs.items()}
            own = {one: unit for one, unit in units.items() if unit in UNITS}
            panels += [self._panel(context, [name], methods, *place) for place in own.items()]
            if len(own) < len(units) or (len(own) > 1 and "models" not in own.values()):
                others.append(name)
        return panels + ([self._panel(context, others, methods)] if others else [])

    def _panel(
        self,
        context: Context,
        experiments: list[str],
        methods: list[str],
        problem: str | None = None,
        unit: str = "data sets",
    ) -> RankPanel:
        """Rank over a problem's units, or over all problems, or say why that cannot be."""
        named = ", ".join(experiments)
        titles = map(context.title, experiments)
        title = context.problem_label(problem) if problem else "; ".join(titles)
        metrics = tuple(dict.fromkeys(context.metric(n, self.metric) for n in experiments))
        rules = tuple(dict.fromkeys(map(self.rule_of, experiments)))
        panel = RankPanel(problem or named, title, methods, metrics, rules, unit)
        if len({metric.direction for metric in metrics}) > 1:
            texts = " and ".join(one.label for one in metrics)
            return replace(panel, note=f"{texts} have different directions")
        each = unit == QUERIES
        table = pd.concat([self.wide(context, n, methods, spread=each) for n in experiments])
        known = table.index.get_level_values("problem")
        by, missing = ["problem"], []
        if problem:
            by, table = UNITS[unit], table[known == problem]
        else:
            wanted = [one for name in experiments for one in context.evaluate(name).problems]
            missing = [one for one in wanted if one not in set(known)]
        dropped: tuple[str, ...] = ()
        try:
            made = complete_blocks.complete(table, by, self.incomplete, missing)
            dropped = dropped_note(made.left_out)
            higher = metrics[0].direction == "higher"
            values = made.values.to_numpy()
            found = ranking(values, higher=higher, posthoc=self.posthoc, alpha=self.alpha)
        except complete_blocks.IncompleteError as error:
            return replace(panel, note=str(error), kind=error.refusal.kind)
        except NotComparableError as error:
            return replace(panel, note="; ".join([str(error), *dropped]), kind=Kind.REASON)
        return replace(panel, ranking=found, note="; ".join(dropped))

    def numbers(self, panels: Sequence[RankPanel]) -> pd.DataFrame:
        """Return average ranks, one row a panel and method."""
        rows = []
        for panel in panels:
            found = panel.ranking
            for place, method in enumerate(panel.methods):
                row = {
                    "panel": panel.name,
                    "metric": ", ".join(map(str, panel.metrics)),
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

    def _ranks(self, context: Context, panels: Sequence[RankPanel]) -> Table:
        rows: list[list[Entry]] = []
        methods = panels[0].methods if panels else []
        for panel in panels:
            cells: list[Entry] = [Cell()] * (len(methods) + 4)
            if found := panel.ranking:
                f = found.omnibus
                cells = [
                    f"{found.blocks} {panel.unit}",
                    *(Cell(rank, digits=self.digits) for rank in found.average),
                    Cell(float(f.f), remark=f"{f.df[0]}, {f.df[1]}", digits=2),
                    p_value(float(f.p)),
                    Cell(found.critical, digits=self.digits),
                ]
            rows.append([panel.title, *cells])
        names = map(context.method_label, methods)
        header = heads(Role.PROBLEM, "Over") + heads(Role.LABEL, "n")
        header += heads(Role.VALUE, *names, names=Role.METHOD) + heads(Role.VALUE, "F")
        header += heads(Role.P_VALUE, "p") + heads(Role.VALUE, "Critical difference")
        metrics, _ = measured(m for panel in panels for m in panel.metrics)
        rules = ", ".join(dict.fromkeys(rule.label for panel in panels for rule in panel.rules))
        caption = f"Average ranks, {metrics}, settings chosen by {rules}; 1 is best"
        return Table(header, rows, caption, of={Role.METRIC: metrics})

    def _pairs(self, context: Context, panels: Sequence[RankPanel]) -> Table:
        rows: list[list[Entry]] = []
        for panel in panels:
            found = panel.ranking
            if found is None:
                continue
            labels = list(map(context.method_label, panel.methods))
            for i, j in combinations(range(len(labels)), 2):
                said = "differ" if found.differs[i, j] else "no significant difference"
                p = p_value(float(found.p[i, j]))
                rows.append([panel.title, f"{labels[i]} – {labels[j]}", p, said])
        header = [*heads(Role.PROBLEM, "Over"), *heads(Role.METHOD, "Pair")]
        header += [*heads(Role.P_VALUE, "p"), *heads(Role.VERDICT, "At this level")]
        return Table(header, rows, f"Pairs by {POSTHOC[self.posthoc]}", detail=True)

    def notes(self, panels: Sequence[RankPanel]) -> list[Note | str]:
        """Say which tests were used and what was left out."""
        known = {"few": FEW, "level": short(self.alpha), "test": POSTHOC[self.posthoc]}
        notes = [*paragraphs("average_ranks", **known), complete_blocks.WORDS[self.incomplete]]
        return [*notes, *(Note(p.kind, f"{p.title}: {p.note}.") for p in panels if p.note)]
