"""Types of blocks' options, and options that several blocks share.

Each block is a model of its own options. The types of the options say what their texts are:
names of methods or of problems, metrics, rules. A check of a study validates the options with the
names that the block's experiments have, so a block from outside is checked like ours.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar, Literal

import pandas as pd
from pydantic import (
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    PlainValidator,
    ValidationInfo,
    WithJsonSchema,
    field_validator,
)
from pydantic_core import CoreSchema, core_schema

from rankexp.metrics.metric import Metric, parse
from rankexp.runner.analyse import complete_blocks, kept, select
from rankexp.runner.config.asking import message
from rankexp.runner.config.fault import Fault, unknown_name
from rankexp.runner.config.published import PublishedKey
from rankexp.runner.config.schema import Block, Evaluate, Simulate, Study
from rankexp.runner.report.context import Context
from rankexp.runner.report.model import Output
from rankexp.runner.strict import Strict
from rankexp.statistics.contrast import Policy, Settings


@dataclass(frozen=True)
class Holds:
    """Part of an option's type: its values are what the block's experiments have.

    Validation looks a value up where its context names what is known, a mapping of `what` to a
    list (see `rankexp.runner.config.meaning`); without a context every value will do.
    """

    what: Literal["method", "problem", "metric", "experiment", "block"]

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        """Return the schema of the type marked, with the lookup behind it."""
        return core_schema.with_info_after_validator_function(self._known, handler(source))

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, str]:
        """Return the JSON schema of one name; ``holds`` says of what."""
        return {"type": "string", "holds": self.what}

    def _known(self, value: Any, info: ValidationInfo) -> Any:
        known = None if info.context is None else info.context[self.what]
        if known is not None and value not in known:
            raise ValueError(unknown_name(self.what, str(value), map(str, known)))
        return value


def _metric(text: Any) -> Metric:
    if isinstance(text, Metric):
        return text
    if not isinstance(text, str):
        raise ValueError("expected the name of a metric")
    return parse(text)


def _rule(given: Any) -> select.Rule:
    if not isinstance(given, str | select.Rule):
        raise ValueError("expected the name of a rule")
    return select.Rule.parse(given) if isinstance(given, str) else given


MethodName = Annotated[str, Holds("method")]
ProblemName = Annotated[str, Holds("problem")]
ExperimentName = Annotated[str, Holds("experiment")]
BlockName = Annotated[str, Holds("block")]  # another of the report
MetricOption = Annotated[Metric, PlainValidator(_metric), Holds("metric")]
Rule = Annotated[select.Rule, PlainValidator(_rule), WithJsonSchema({"type": "string"})]
Rules = Annotated[tuple[Rule, ...], Field(min_length=1, strict=False, validate_default=True)]
RuleOfEach = Rule | dict[ExperimentName, Rule]  # one rule for all experiments, or one for each


def _rules(value: Any, experiments: list[str]) -> Iterator[tuple[select.Rule, list[str]]]:
    """Yield the rules of an option, if it holds any, with the experiments that each is for."""
    if isinstance(value, dict):
        pairs = [(rule, [name]) for name, rule in value.items()]
    else:
        pairs = [(rule, experiments) for rule in (value if isinstance(value, tuple) else (value,))]
    yield from (pair for pair in pairs if isinstance(pair[0], select.Rule))


def _chosen_by(value: Any, by: Metric) -> Any:
    """Return an option's rules, of which those that choose by other values do so by a metric."""
    if isinstance(value, dict):
        return {name: _chosen_by(rule, by) for name, rule in value.items()}
    if isinstance(value, tuple):
        return tuple(_chosen_by(rule, by) for rule in value)
    return replace(value, by=by) if value.name in select.PARTS and value.by is None else value


class BlockKind(Strict, ABC, use_attribute_docstrings=False):
    """A kind of block: its options, the experiments that it can show, and what it shows of them.

    A kind in a file of its own, here or in another package, is a subclass: its fields are the
    options, its docstring's first line stands in ``rankexp list report.blocks``.
    """

    shows: ClassVar[tuple[type[Evaluate | Simulate], ...]] = (Evaluate,)
    """The kinds of experiments that it can show."""
    check: ClassVar[str | None] = None  # the check that a simulation must be of. Default: any
    keeps: ClassVar[str | None] = None
    """The curve or text that experiments with methods must keep for it. Default: none."""
    generators: ClassVar[bool] = False
    """Whether it can show problems of generators only, as it needs to know their best scorer."""
    gathers: ClassVar[bool] = False
    """Whether it is made of what the others show, `Context.shown`: it is built after them."""
    claims: ClassVar[bool] = False  # whether it shows what the source claims in words
    picture: bool = True
    """Whether it has a picture, where it can; its numbers are in files all the same."""

    @abstractmethod
    def output(self, context: Context, block: Block) -> Output:
        """Return what is shown, from records alone; `build` adds what the run lacks."""

    def needed(self, context: Context, block: Block) -> list[str]:
        """Return the methods whose records it needs; none stands for all."""
        return []

    def looks_up(self, context: Context, block: Block) -> Iterator[PublishedKey]:
        """Yield what it takes from `Context.published`, whether it is there or not.

        `rankexp check` refuses published values that no block looks up; records need not be there.
        """
        yield from ()

    def published_keys(self, study: Study, block: Block) -> set[PublishedKey]:
        """Return what a block of this kind looks up, before anything is run."""
        return {*self.looks_up(Context(study, [], {}), block)}

    def build(self, context: Context, block: Block) -> Output:
        """Return what is shown and, in the body of it all, what the run lacks of that."""
        lacking = context.incomplete(block.experiments, self.needed(context, block))
        made = self.output(context, block)
        chart = made.chart if self.picture else None
        return replace(made, incomplete=lacking, chart=chart)

    def faults(self, study: Study, block: Block) -> Iterator[Fault]:
        """Find what a block of this kind cannot show; paths lead on from the block's own."""
        for i, name in enumerate(block.experiments):
            path = ("experiment",) if isinstance(block.experiment, str) else ("experiment", i)
            if name in study.experiments and (why := self._unfit(study, name)):
                yield Fault(path, f"block '{block.block}' is for {why}")
        methods = getattr(self, "methods", None) or ()
        for key, value in self:
            listed = isinstance(value, tuple)
            for rule, names in _rules(value, block.experiments):
                lacking = [rule.without_inner(study, name, methods) for name in names]
                beside = listed and len(value) > 1 and None in lacking  # empty for some only
                asked = (key in self.model_fields_set or not listed) and not beside
                said = [why for why in lacking if why and asked]
                if why := rule.unfounded(study, names) or next(iter(said), None):
                    yield Fault(("options", key), why)

    def _unfit(self, study: Study, name: str) -> str | None:
        """Say what experiments the block is for, and that this is none of them; "" for one."""
        setup = study.experiments[name]
        check = setup.check if isinstance(setup, Simulate) else None
        keep = setup.keep if isinstance(setup, Evaluate) else None
        kept = [*keep.curves, *keep.texts] if keep else []
        data = [problem for problem in setup.problems if problem in study.data]
        known = {"other": not isinstance(setup, self.shows), "check": check, "kept": kept}
        return message("report.unfit", kind=self, name=name, data=data, **known)


class OfMetric(BlockKind):
    """Options of a block that shows a metric of `evaluate` experiments."""

    metric: MetricOption | None = None  # default: the experiment's first
    digits: Annotated[int, Field(ge=0, le=12)] = 4


class Ruled(OfMetric):
    """Options of a block that shows what one or several rules choose."""

    by: MetricOption | None = None
    """Another metric that ``validation`` or ``nested`` chooses by. Default: the one shown."""

    @field_validator("rule", "rules", check_fields=False)
    @classmethod
    def _by(cls, value: Any, info: ValidationInfo) -> Any:
        by = info.data.get("by")
        made = _chosen_by(value, by) if by else value
        if by and made == value:
            raise ValueError("'by' needs 'nested' or 'validation', without a metric of its own")
        return made


class InBlocks(Ruled):
    """Options of a block that compares methods over complete blocks: splits, models, data sets."""

    rule: Annotated[RuleOfEach, Field(validate_default=True)] = select.ORACLE
    """One for all experiments, or one for each."""
    incomplete: Policy = "refuse"  # what happens where a split, model or data set lacks a value

    def build(self, context: Context, block: Block) -> Output:
        """Return what is shown; where another block decides the study's question, it explores."""
        made, blocks = super().build(context, block), context.study.report
        first = next((one for one in blocks if one.primary and one.name != block.name), None)
        if first is None or not made.facts:
            return made
        title = first.title or first.name
        note = f"Exploratory: the study's question is decided by its primary block, “{title}”."
        facts = {
            of: replace(one, text=one.text and f"{one.text} (exploratory)")
            for of, one in made.facts.items()
        }
        gist = made.gist and f"Exploratory: {made.gist}"
        return replace(made, notes=[note, *made.notes], facts=facts, gist=gist)

    def declared(self, context: Context, metric: Metric) -> Settings:
        """Return how differences in a metric are compared, but for their level and margins."""
        higher, most = metric.direction == "higher", metric.reading.most
        return Settings(policy=self.incomplete, higher=higher, seed=context.study.seed, most=most)

    def rule_of(self, experiment: str) -> select.Rule:
        """Return the rule of an experiment; ``oracle`` where none is given for it."""
        if isinstance(self.rule, select.Rule):
            return self.rule
        return self.rule.get(experiment, select.ORACLE)

    def wide(
        self, context: Context, experiment: str, methods: Sequence[str], *, spread: bool = True
    ) -> pd.DataFrame:
        """Return one row a split that is expected, or a query of it, see `blocks.wide`."""
        metric = context.metric(experiment, self.metric)
        chosen = context.chosen(experiment, metric, self.rule_of(experiment), methods)
        chosen = context.spread(experiment, metric, chosen) if spread else chosen
        expected = complete_blocks.places(context.cells, experiment)
        return complete_blocks.wide(chosen, expected, methods)


class Choosing(OfMetric):
    """Options of a block that shows methods of `evaluate` experiments at chosen grid points."""

    methods: list[MethodName] | None = None  # default: all of the experiments, in their order

    def shown(self, context: Context, block: Block) -> list[str]:
        """Return the methods to show, in order."""
        if self.methods is not None:
            return self.methods
        names = (m for e in block.experiments for m in context.evaluate(e).methods)
        return list(dict.fromkeys(names))

    def needed(self, context: Context, block: Block) -> list[str]:
        """Return the methods shown."""
        return self.shown(context, block)


class AtRule(Choosing, Ruled):
    """Options of a block that shows methods at the grid points that one rule chooses."""

    rule: Annotated[Rule, Field(validate_default=True)] = select.ORACLE

    def chosen(self, context: Context, experiment: str, methods: Sequence[str]) -> pd.DataFrame:
        """Return the rows of some methods that the rule chooses."""
        metric = context.metric(experiment, self.metric)
        return context.chosen(experiment, metric, self.rule, methods)

    def units(self, context: Context, experiment: str, methods: Sequence[str]) -> pd.DataFrame:
        """Return the same with a row a query where queries are the pairs of a comparison."""
        metric = context.metric(experiment, self.metric)
        return context.spread(experiment, metric, self.chosen(context, experiment, methods))

    def sources(
        self, context: Context, experiment: str, methods: Sequence[str]
    ) -> Iterator[kept.Source]:
        """Yield the records that keep anything at chosen grid points."""
        chosen = self.chosen(context, experiment, methods)
        return kept.sources(context.cells, context.records, experiment, chosen)
