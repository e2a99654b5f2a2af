"""Average ranks by several metrics, published beside reproduced, with the noise of the splits."""

import math
from dataclasses import dataclass
from typing import Annotated

import numpy as np
import pandas as pd
from pydantic import Field

from rankexp.analyse import blocks
from rankexp.analyse.contrast import dropped_note
from rankexp.analyse.noisy_ranks import NoisyRanks, Ties, drawn, spearman
from rankexp.arrays import Floats
from rankexp.config.published import ALL
from rankexp.config.schema import Block
from rankexp.metrics.base import Metric, parse
from rankexp.report.context import Context
from rankexp.report.model import Cell, Cells, Entry, Fact, Mark, Output, Table, Tally
from rankexp.report.numbers import number, span
from rankexp.report.options import Choosing, InBlocks, MetricOption
from rankexp.seeds import stream

REGISTER = {"rank_table": "RankTable"}

SAME = {"average": "mean ranks", "min": "the least rank"}


@dataclass(frozen=True, eq=False)
class Column:
    """A metric's ranks, and the published ones, NaN where there is none."""

    metric: Metric
    found: NoisyRanks
    printed: Floats
    dropped: str
    """Data sets that are left out, in words."""

    @property
    def agreement(self) -> tuple[float, Floats]:
        """Spearman's correlation to the print: the run's, and that of each draw; or NaN."""
        told = ~np.isnan(self.printed)
        if told.sum() < 2:
            return math.nan, np.array([math.nan])
        rho = spearman(self.found.average[told], self.printed[told])
        return float(rho), spearman(self.found.draws[:, told], self.printed[told])

    @property
    def own(self) -> float:
        """The median of that of two draws."""
        return float(np.nanmedian(spearman(self.found.draws, self.found.others)))


class RankTable(Choosing, InBlocks):
    """A row a method, a column a metric: average ranks over data sets, published / reproduced.

    Published values are those of the problem ``*`` and the quantity ``average_rank(auc)``, say.
    """

    metrics: list[MetricOption] = Field(default_factory=list)
    """Default: all of the experiment."""
    ties: Ties = "average"
    """What equal means get: their mean rank, or the least of them (``min``)."""
    decimals: Annotated[int, Field(ge=0, le=15)] | None = None
    """To which means are rounded before they are ranked, as a print's may have been."""
    draws: Annotated[int, Field(ge=100, le=100_000)] = 2000
    level: Annotated[float, Field(gt=0.5, lt=1)] = 0.95
    digits: Annotated[int, Field(ge=0, le=12)] = 1

    def output(self, context: Context, block: Block) -> Output:
        """Return the table, how it agrees with the print, and with itself."""
        (experiment, *_), methods = block.experiments, self.shown(context, block)
        metrics = self.metrics or list(map(parse, context.evaluate(experiment).metrics))
        try:
            columns = [self._column(context, experiment, one, methods) for one in metrics]
        except blocks.IncompleteError as error:
            return Output(notes=[f"{experiment}: {error}."])
        names, rule = list(map(context.method_label, methods)), str(self.rule_of(experiment))
        facts = {one.metric.label: self._fact(one) for one in columns}
        said = "; ".join(f"{name} {own.text}" for name, own in facts.items())
        return Output(
            pd.concat([self._numbers(one, methods, rule) for one in columns], ignore_index=True),
            [self._table(columns, names, experiment)],
            notes=self._notes(columns),
            gist=f"Average ranks, Spearman's rho: {said}.",
            tally=self._tally(columns, names),
            facts=facts,
        )

    def _column(
        self, context: Context, experiment: str, metric: Metric, methods: list[str]
    ) -> Column:
        chosen = context.chosen(experiment, metric, self.rule_of(experiment), methods)
        table = blocks.wide(chosen, blocks.places(context.cells, experiment), methods)
        known = set(table.index.get_level_values("problem"))
        missing = [p for p in context.evaluate(experiment).problems if p not in known]
        made = blocks.complete(table, ["problem"], self.incomplete, missing)
        kept = made.values.index
        designs = context.designs(experiment, metric)
        whole = table[table["state"] == "whole"][methods]
        own = {name: whole.xs(name, level="problem").to_numpy() for name in kept}
        if few := [name for name, values in own.items() if len(values) < 2]:
            raise blocks.IncompleteError(
                f"{', '.join(few)}: the noise of a single split is unknown"
            )
        if not own:
            raise blocks.IncompleteError("no data set is complete")
        found = drawn(
            list(own.values()),
            [designs[name].correction for name in kept],
            higher=metric.direction == "higher",
            ties=self.ties,
            decimals=self.decimals,
            draws=self.draws,
            rng=stream(context.study.seed, f"rank_table/{experiment}/{metric!r}"),
        )
        said = [context.published.get((experiment, ALL, m, _quantity(metric))) for m in methods]
        printed = np.array([math.nan if one is None else one.value for one in said])
        return Column(metric, found, printed, dropped_note(made.left_out))

    def _apart(self, one: Column) -> Floats:
        """Tell which ranks are further from the print than two runs are from each other."""
        return np.asarray(np.abs(one.found.average - one.printed) > one.found.apart(self.level))

    def _numbers(self, one: Column, methods: list[str], rule: str) -> pd.DataFrame:
        low, high = one.found.interval(self.level)
        rho, draws = one.agreement
        return pd.DataFrame(
            {
                "metric": repr(one.metric),
                "rule": rule,
                "method": methods,
                "published": one.printed,
                "average_rank": one.found.average,
                "low": low,
                "high": high,
                "apart": self._apart(one),
                "spearman": rho,
                "spearman_low": self._ends(draws)[0],
                "spearman_high": self._ends(draws)[1],
                "spearman_of_two_runs": one.own,
            }
        )

    def _ends(self, draws: Floats) -> tuple[float, float]:
        low, high = np.quantile(draws, [(1 - self.level) / 2, (1 + self.level) / 2]).tolist()
        return low, high

    def _fact(self, one: Column) -> Fact:
        (rho, draws), own = one.agreement, f"of two such runs {number(one.own, 2)}"
        if math.isnan(rho):
            return Fact("", own)
        return Fact("", f"{number(rho, 2)} ({span(*self._ends(draws), 2, sign=False)}), {own}")

    def _tally(self, columns: list[Column], names: list[str]) -> Tally | None:
        """Count the published ranks that the noise of both explains, and name the furthest."""
        total = sum(int((~np.isnan(one.printed)).sum()) for one in columns)
        if not total:
            return None
        wrong = [
            (abs(one.found.average[i] - one.printed[i]), name, one, i)
            for one in columns
            for i, name in enumerate(names)
            if self._apart(one)[i]
        ]
        found = f"{total - len(wrong)} of {total} published average ranks within the noise"
        if not wrong:
            return Tally(found)
        _, name, one, i = max(wrong, key=lambda each: each[0])
        own, printed = (number(v[i], 2) for v in (one.found.average, one.printed))
        furthest = f"furthest {name} by {one.metric.label} ({own} here, {printed} printed)"
        return Tally(found, f"{len(wrong)} of {total} average ranks, {furthest}")

    def _table(self, columns: list[Column], names: list[str], experiment: str) -> Table:
        rows: list[list[Entry]] = [[name] for name in names]
        last: list[list[Entry]] = [
            *(["All together"], ["Spearman of two such runs"], ["Spearman to the print"])
        ]
        published = any(not np.isnan(one.printed).all() for one in columns)
        for one in columns:
            ends, apart = one.found.interval(self.level).T.tolist(), self._apart(one)
            for i, row in enumerate(rows):
                mark = Mark.APART if apart[i] else None
                low, high = ends[i]
                own = Cell(
                    one.found.average[i], interval=(low, high), mark=mark, digits=self.digits
                )
                printed = Cell(one.printed[i], digits=self.digits)
                row.append(Cells([printed, own]) if published else own)
            rho, draws = one.agreement
            told = None if math.isnan(rho) else self._ends(draws)
            sums = [Cell(float(one_.sum()), digits=2) for one_ in (one.printed, one.found.average)]
            last[0].append(Cells(sums[not published :]))
            last[1].append(Cell(one.own, digits=2))
            last[2].append(Cell(rho, interval=told, digits=2))
        header = ["Method", *(one.metric.label for one in columns)]
        rule = self.rule_of(experiment).label
        what = ", published / reproduced" * published
        caption = f"Average ranks{what}, by {rule}; 1 is best"
        return Table(header, [*rows, *last[: 2 + published]], caption)

    def _notes(self, columns: list[Column]) -> list[str]:
        percent = f"{100 * self.level:g} %"
        dropped = dict.fromkeys(f"{one.dropped}." for one in columns if one.dropped)
        near = "" if self.decimals is None else f", rounded to {self.decimals} decimals,"
        return [
            f"Ranks of mean values{near} within each data set; equal ones get {SAME[self.ties]}. "
            f"In brackets: {percent} intervals by {self.draws:,} draws of the noise of splits, "
            "with the correction for training parts that overlap; the data sets stay as they are. "
            f"{Mark.APART.value}: further from the print than {percent} of pairs of such runs "
            "are from each other.",
            "All together: the sum, which ties lower where they get the least rank. "
            "Spearman of two such runs: the median over pairs of draws; agreement with a print "
            "that is as noisy cannot be expected to be higher. That to the print has the interval "
            "of the draws, which noise brings nearer to 0 than the run itself.",
            *dropped,
        ]


def _quantity(metric: Metric) -> str:
    return f"average_rank({metric!r})"
