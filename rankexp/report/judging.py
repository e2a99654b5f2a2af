"""Comparing methods by what the records hold: from a block's options to contrasts."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

import pandas as pd
from pydantic import Field, PositiveFloat, model_validator

from rankexp.analyse import select
from rankexp.analyse.contrast import Contrast, Family, Settings, family
from rankexp.config.fault import Fault
from rankexp.config.schema import Block, Evaluate, Study
from rankexp.errors import ConfigError
from rankexp.metrics.base import Metric, parse
from rankexp.report.context import Context
from rankexp.report.numbers import amount, short
from rankexp.report.options import InBlocks, MethodName


@dataclass(frozen=True)
class Judged:
    """A family of comparisons with its place."""

    experiment: str
    method: str
    reference: str
    metric: Metric
    rule: select.Rule
    family: Family
    settings: Settings

    @property
    def contrasts(self) -> list[Contrast]:
        """Each problem, then all of them where there are several."""
        several = len(self.family.problems) > 1
        return [*self.family.problems, *([self.family.overall] if several else [])]


class Judging(InBlocks):
    """Options of a block that compares one method with others."""

    method: MethodName
    references: Annotated[list[MethodName], Field(min_length=1)]
    """What it is compared with, one after the other."""
    margin: PositiveFloat | None = None
    """Differences below it are of no importance. Default for rank_loss and auc: 0.01."""
    level: Annotated[float, Field(gt=0.5, lt=1)] = 0.95
    power: Annotated[float, Field(gt=0.5, lt=1)] = 0.8
    adjust: Literal["holm", "none"] = "holm"
    """Correction of p-values for the number of problems of an experiment."""
    bayes: bool = False
    """Whether to add posterior probabilities over data sets (needs the extra ``bayes``)."""

    @model_validator(mode="after")
    def _not_itself(self) -> "Judging":
        if self.method in self.references:
            raise ValueError(f"'{self.method}' cannot be compared with itself: drop it there")
        return self

    def faults(self, study: Study, block: Block) -> Iterator[Fault]:
        """Find experiments without methods, and metrics without a margin."""
        yield from super().faults(study, block)
        setups = (study.experiments.get(name) for name in block.experiments)
        for setup in setups if self.margin is None else ():
            if isinstance(setup, Evaluate):
                try:
                    metric = self.metric or parse(setup.metrics[0])
                except ValueError:
                    continue  # complained about already
                if metric.reading.margin is None:
                    yield Fault(("options",), _no_margin(metric))
                    return

    def needed(self, context: Context, block: Block) -> list[str]:
        """Return the methods compared."""
        return [self.method, *self.references]

    def judged(self, context: Context, block: Block) -> list[Judged]:
        """Return the comparisons, experiment by experiment, reference by reference."""
        return [
            self._family(context, experiment, reference)
            for experiment in block.experiments
            for reference in self.references
        ]

    def _family(self, context: Context, experiment: str, reference: str) -> Judged:
        metric, setup = context.metric(experiment, self.metric), context.evaluate(experiment)
        pair = (self.method, reference)
        designs = {name: setup.protocol.design(context.rows(name)) for name in setup.problems}
        settings = self._settings(context, metric)
        found = family(self.wide(context, experiment, pair), pair, designs, settings)
        return Judged(experiment, *pair, metric, self.rule_of(experiment), found, settings)

    def _settings(self, context: Context, metric: Metric) -> Settings:
        margin = self.margin or metric.reading.margin
        if margin is None:
            raise ConfigError(_no_margin(metric))
        return Settings(
            margin=margin,
            level=self.level,
            power=self.power,
            adjust=self.adjust,
            policy=self.incomplete,
            higher=metric.direction == "higher",
            seed=context.study.seed,
            bayes=self.bayes,
        )


def _no_margin(metric: Metric) -> str:
    return (
        f"the metric {metric} has no margin of its own: set the option 'margin' to the "
        "difference that is of no importance"
    )


def numbers(judged: Sequence[Judged]) -> pd.DataFrame:
    """Return every contrast in full precision, one a row."""
    rows = [
        {
            "experiment": own.experiment,
            "method": own.method,
            "reference": own.reference,
            "metric": str(own.metric),
            "rule": str(own.rule),
            "margin": own.settings.margin,
            "level": own.settings.level,
            "incomplete": own.settings.policy,
            **vars(contrast),
            "verdict": str(contrast.verdict),
        }
        for own in judged
        for contrast in own.contrasts
    ]
    return pd.DataFrame(rows)


def words(contrast: Contrast, margin: float, digits: int) -> str:
    """Return a verdict with its numbers: ``worse by .0019, but equivalent within .01``."""
    verdict, within = contrast.verdict, f"equivalent within {short(margin)}"
    if verdict.shown is None:
        return within if verdict.equivalent else str(verdict)
    text = f"{verdict.shown} by {amount(abs(contrast.difference), digits)}"
    return f"{text}, but {within}" if verdict.equivalent else text
