"""Average ranks by several metrics, published beside reproduced, with the noise of the splits."""

import math
from collections.abc import Iterator, Sequence
from itertools import chain, product
from typing import Annotated, Literal, NamedTuple

import numpy as np
import pandas as pd
from pydantic import Field

from rankexp.arrays import Floats
from rankexp.charts.numbers import number, span
from rankexp.metrics.metric import Metric, parse
from rankexp.runner.analyse import complete_blocks
from rankexp.runner.analyse.contrast import dropped_note
from rankexp.runner.analyse.frame import NONE
from rankexp.runner.analyse.reproduced import Tolerance, reproduction
from rankexp.runner.config.published import ALL, PublishedKey
from rankexp.runner.config.schema import Block
from rankexp.runner.report.context import Context
from rankexp.runner.report.heads import METHOD, Role, heads
from rankexp.runner.report.model import Cell, Cells, Entry, Fact, Mark, Output, Table, Tally
from rankexp.runner.report.options import Choosing, InBlocks, MetricOption
from rankexp.runner.report.published import MARKS, found_of
from rankexp.runner.sentences import counted_names
from rankexp.seeds import stream
from rankexp.statistics.several import NotComparableError, settled
from rankexp.statistics.verdicts import LEVEL, Kind, Note, Reproduction

Ties = Literal["average", "min"]


def noisy_ranks(
    values: Sequence[Floats],
    draws: int,
    rng: np.random.Generator,
    *,
    higher: bool,
    ties: Ties = "average",
    decimals: int | None = None,
) -> tuple[Floats, Floats]:
    """Return average ranks (methods,) over data sets, each of (repeats, methods), and their draws.

    Means are rounded to `decimals` before they are ranked, if given. A draw, one of (draws,
    methods), is another run on the same data sets: means without noise plus noise. The noise has
    the repeats' covariance, over their number, and a t distribution, as the covariance is
    estimated. Means without noise are not known: those of a data set are drawn together until
    they spread as much as they would without it.
    """
    from scipy import stats

    free = sum(len(own) - 1 for own in values)
    scale = np.sqrt(free / rng.chisquare(free, (draws, 1)))
    made = []
    for own in values:
        mean, count = own.mean(axis=0), len(own)
        middle = mean.mean()
        left = own - mean - (own.mean(axis=1, keepdims=True) - middle)
        noise = (left**2).sum() / ((count - 1) * count)  # of all methods' means together
        seen = ((mean - middle) ** 2).sum()
        kept = math.sqrt(max(0.0, 1.0 - noise / seen)) if seen > 0 else 0.0
        moved = rng.standard_normal((draws, count)) @ left / math.sqrt((count - 1) * count)
        made.append(np.vstack([mean, middle + kept * (mean - middle) + scale * moved]))
    means = settled(np.stack(made, axis=1)) * (-1 if higher else 1)
    means = means if decimals is None else np.round(means, decimals)
    average, *drawn = stats.rankdata(means, method=ties, axis=-1).mean(axis=1)
    return average, np.array(drawn)


def spearman(first: Floats, second: Floats) -> Floats:
    """Return Spearman's correlations along the last axis; NaN if a side is constant or NaN."""
    from scipy import stats

    ranks = [stats.rankdata(settled(one), axis=-1) for one in (first, second)]
    a, b = (one - one.mean(axis=-1, keepdims=True) for one in ranks)
    with np.errstate(invalid="ignore"):
        return np.asarray((a * b).sum(axis=-1) / np.sqrt((a**2).sum(-1) * (b**2).sum(-1)))


REGISTER = {"rank_table": "RankTable"}

DRAWS = 2000


class AverageRank(NamedTuple):
    """A method's average rank by a metric, with Spearman's correlations of all methods' ranks."""

    metric: str
    method: str
    published: float  # NaN if it is not
    average_rank: float
    tolerance: float  # differences that pass as reproduced
    verdict: Reproduction | None
    spearman: float
    spearman_of_two_runs: float
    two_runs_low: float  # 95 % of pairs of runs agree better
    two_runs_high: float
    left_out: str
    published_sum: float  # over methods
    average_rank_sum: float


Columns = dict[Metric, list[AverageRank]]


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
    digits: int = 2

    def looks_up(self, context: Context, block: Block) -> Iterator[PublishedKey]:
        """Yield the average rank of each method by each metric."""
        experiment = block.experiments[0]
        metrics = self.metrics or list(map(parse, context.evaluate(experiment).metrics))
        for method, metric in product(self.shown(context, block), metrics):
            yield _key(experiment, method, metric)

    def output(self, context: Context, block: Block) -> Output:
        """Return the table, how it agrees with the print, and with itself."""
        (experiment, *_), methods = block.experiments, self.shown(context, block)
        metrics = self.metrics or list(map(parse, context.evaluate(experiment).metrics))
        try:
            found = {one: self._column(context, experiment, one, methods) for one in metrics}
        except (complete_blocks.IncompleteError, NotComparableError) as error:
            count = sum(key in context.published for key in self.looks_up(context, block))
            left = counted_names("published average rank", count, [])
            told = Tally(left=left) if left else None
            refused = isinstance(error, complete_blocks.IncompleteError)
            kind = Kind.WARNING if refused else Kind.REASON
            return Output(notes=[Note(kind, f"{context.title(experiment)}: {error}.")], tally=told)
        facts = {one.label: Fact("", _agreement(own[0])) for one, own in found.items()}
        said = "; ".join(f"{name} {own.text}" for name, own in facts.items())
        rows = list(chain.from_iterable(found.values()))
        printed = [row for row in rows if not math.isnan(row.published)]
        numbers = pd.DataFrame(rows)
        return Output(
            numbers.assign(rule=str(self.rule_of(experiment))),
            [self._table(context, experiment, found, detail) for detail in (False, True)],
            notes=[
                *self._notes(bool(printed)),
                *(Note(Kind.CAVEAT, f"{text}.") for text in numbers.left_out.unique() if text),
            ],
            gist=f"Average ranks, Spearman's rho: {said}.",
            tally=_tally(context, printed),
            facts=facts,
        )

    def _column(
        self, context: Context, experiment: str, metric: Metric, methods: list[str]
    ) -> list[AverageRank]:
        chosen = context.chosen(experiment, metric, self.rule_of(experiment), methods)
        table = complete_blocks.wide(
            chosen, complete_blocks.places(context.cells, experiment), methods
        )
        known = set(table.index.get_level_values("problem"))
        missing = [p for p in context.evaluate(experiment).problems if p not in known]
        made = complete_blocks.complete(table, ["problem"], self.incomplete, missing)
        whole, names = table[table.state == "whole"][methods], list(made.values.index)
        of_models = (whole.index.get_level_values("model") != NONE).all()
        unit = ["problem", "model" if of_models else "rep"]
        repeats = whole.groupby(unit, sort=False).mean()
        own = [repeats.xs(name, level="problem").to_numpy() for name in names]
        if min(map(len, own), default=0) < 2:
            raise NotComparableError("a data set needs two repeats or more")
        if len(methods) < 2:
            raise NotComparableError("ranks need two methods or more")
        average, draws = noisy_ranks(
            own,
            DRAWS,
            stream(context.study.seed, f"rank_table/{experiment}/{metric!r}"),
            higher=metric.direction == "higher",
            ties=self.ties,
            decimals=self.decimals,
        )
        told = [context.published.get(_key(experiment, name, metric)) for name in methods]
        printed = np.array([one.value if one else math.nan for one in told])
        others, ends = np.roll(draws, 1, axis=0), [0.5, (1 - LEVEL) / 2, (1 + LEVEL) / 2]
        rho = np.nanquantile(spearman(draws, others), ends).tolist()
        within = np.quantile(np.abs(draws - others), LEVEL, axis=0).tolist()
        blind = 0.0 if rho[1] <= 0 else None  # where runs need not agree, no rank says anything
        verdicts = [
            reproduction(rank - one.value, Tolerance(half, half, 2 * half), blind) if one else None
            for rank, half, one in zip(average.tolist(), within, told, strict=True)
        ]
        same = [float(spearman(average, printed)), *rho, "; ".join(dropped_note(made.left_out))]
        same += [float(np.nansum(printed)), float(average.sum())]
        each = zip(methods, printed.tolist(), average.tolist(), within, verdicts, strict=True)
        return [AverageRank(repr(metric), *own, *same) for own in each]

    def _table(self, context: Context, name: str, found: Columns, detail: bool) -> Table:
        """Return the table, in detail with intervals."""
        printed = not all(math.isnan(row.published) for row in chain(*found.values()))
        rows: dict[str, list[Entry]] = {}
        for own in found.values():
            for row in own:
                mark = MARKS.get(row.verdict) if row.verdict else None
                half = row.tolerance if detail and row.verdict else math.nan
                cell = Cell(row.average_rank, error=half, mark=mark, digits=self.digits)
                parts = [Cell(row.published, digits=self.digits), cell][not printed :]
                rows.setdefault(row.method, []).append(Cells(parts))
            row = own[0]
            sums = [row.published_sum, row.average_rank_sum][not printed :]
            ends = (row.two_runs_low, row.two_runs_high) if detail else None
            again = Cell(row.spearman_of_two_runs, interval=ends, digits=2)
            both = [Cell(row.spearman, digits=2), again][not printed :]
            together = Cells([Cell(value, digits=2) for value in sums])
            rows.setdefault("All together", []).append(together)
            rho = f"Spearman's rho{', with the published ranks / of two runs' * printed}"
            rows.setdefault(rho, []).append(Cells(both))
        what = f"Average ranks{', published / reproduced' * printed}"
        caption = f"{what}, by {self.rule_of(name).label}; 1 is best"
        label, names = context.method_label, [metric.label for metric in found]
        header = [METHOD, *heads(Role.VALUE, *names, names=Role.METRIC)]
        return Table(header, [[label(m), *own] for m, own in rows.items()], caption, detail)

    def _notes(self, printed: bool) -> list[str]:
        near = "" if self.decimals is None else f", rounded to {self.decimals} decimals,"
        same = {"average": "mean", "min": "lowest"}[self.ties]
        share = f"{100 * LEVEL:g} %"
        notes = [
            f"Mean values{near} are ranked within each data set; equal values share the {same} "
            f"rank. The noise is that of splitting the same data sets: {DRAWS:,} further runs "
            "are drawn from the differences between repeats.",
            "Spearman's rho: that with the published ranks, and the median of that between two "
            f"such runs (in brackets, in the files: the range of {share} of pairs of runs). A rho "
            "above that of two runs is chance.",
        ]
        verdicts = (
            f"± in the files: how far {share} of pairs of runs are apart at most. No mark: the "
            "published rank is within it, so it is reproduced. "
            f"{Mark.NEAR.value}: near, within twice as much. {Mark.APART.value}: not reproduced. "
            f"{Mark.UNDECIDED.value}: cannot tell. The rank is within it, but two such runs need "
            "not agree at all: their rho may be 0 or less."
        )
        return [*notes, *[verdicts] * printed]


def _key(experiment: str, method: str, metric: Metric) -> PublishedKey:
    return PublishedKey(experiment, ALL, method, f"average_rank({metric!r})")


def _agreement(row: AverageRank) -> str:
    """Say how ranks agree with the print, and with those of another run."""
    ends = span(row.two_runs_low, row.two_runs_high, 2, sign=False)
    two = f"two runs of this study have {number(row.spearman_of_two_runs, 2)} ({ends})"
    return two if math.isnan(row.spearman) else f"{number(row.spearman, 2)}, {two}"


def _tally(context: Context, told: Sequence[AverageRank]) -> Tally | None:
    """Count the published ranks by verdict, and name the furthest."""
    if not told:
        return None
    found = found_of([row.verdict for row in told], "published average ranks")
    verdicts = [str(row.verdict) for row in told]
    wrong = [row for row in told if row.verdict is Reproduction.APART]
    if not wrong:
        return Tally(found, verdicts=verdicts)
    worst = max(wrong, key=lambda row: abs(row.average_rank - row.published))
    name = f"{context.method_label(worst.method)} by {parse(worst.metric).label}"
    own, printed = (number(value, 2) for value in (worst.average_rank, worst.published))
    lacks = f"{len(wrong)} of {len(told)} average ranks, furthest {name}"
    return Tally(found, f"{lacks} ({own} here, {printed} printed)", verdicts=verdicts)
