"""Types of options say what they hold; a block from outside is checked like ours."""

from importlib.metadata import EntryPoint
from typing import Annotated, Literal

import pytest
from pydantic import Field

from rankexp import registry
from rankexp.runner.analyse import select
from rankexp.runner.report.model import Output
from rankexp.runner.report.options import (
    BlockKind,
    Holds,
    MethodName,
    MetricOption,
    ProblemName,
    RuleOfEach,
)
from rankexp.runner.strict import Strict

STUDY = """\
version: 1
study: t
title: T
seed: 1
generators: {g: {generator: linear}, h: {generator: linear}}
methods: {m: {}, k: {}}
experiments:
  e: {problems: [g], methods: [m], metrics: [rank_loss], protocol: &models
    {kind: models, models: 1, training_sets: 1, n_train: 9, n_test: 9}}
  f: {problems: [h], methods: [k], metrics: [auc], protocol: *models}
  s: {kind: simulate, check: hinge_ties}
"""


class Row(Strict):
    of: MethodName
    weight: float = 1.0


class FromOutside(BlockKind):
    """A block as a plug-in writes it."""

    method: MethodName = "m"
    among: list[MethodName] = Field(default_factory=list)
    colours: dict[MethodName, str] = Field(default_factory=dict)
    beside: dict[str, MethodName] = Field(default_factory=dict)
    rows: list[Row] = Field(default_factory=list)
    nested: dict[ProblemName, list[MethodName]] = Field(default_factory=dict)
    either: Literal["all"] | MethodName = "all"
    line: bool | float | dict[ProblemName, float] = True
    of: MetricOption | None = None
    several: Annotated[list[MetricOption], Field(max_length=3)] = Field(default_factory=list)
    rule: RuleOfEach = select.ORACLE
    experiments: list[Annotated[str, Holds("experiment")]] = Field(default_factory=list)

    def output(self, context, block):
        return Output()


@pytest.fixture(autouse=True)
def _plug_in(monkeypatch):
    point = EntryPoint("outside", f"{__name__}:FromOutside", "rankexp.report.blocks")
    monkeypatch.setattr(
        registry, "entry_points", lambda group: [point] if group == point.group else []
    )
    registry._room.cache_clear()
    yield
    registry._room.cache_clear()


def study(options, experiment="e"):
    return (
        f"{STUDY}report:\n"
        f"  - {{block: outside, name: t, experiment: {experiment}, options: {{{options}}}}}\n"
    )


GOOD = (
    "method: m, among: [m], colours: {m: red}, beside: {free: m}, rows: [{of: m}], "
    "nested: {g: [m]}, either: m, line: {g: 0.1}, of: rank_loss, several: ['rank_loss()'], "
    "rule: {e: nested}, experiments: [e]"
)


def test_what_the_experiment_has_will_do(loaded):
    block = FromOutside.model_validate(loaded(study(GOOD)).report[0].options)
    assert (block.of,) == tuple(block.several)
    assert block.of.name == "rank_loss"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("method: «k", "options.method: unknown method 'k'; known: m"),
        ("method: «mm", "unknown method 'mm' (did you mean 'm'?); known: m"),
        ("among: [m, «k]", "options.among[1]: unknown method 'k'; known: m"),
        ("colours: {«k: red}", "options.colours.k: unknown method 'k'; known: m"),
        ("beside: {free: «k}", "options.beside.free: unknown method 'k'; known: m"),
        ("rows: [{of: «k}]", "options.rows[0].of: unknown method 'k'; known: m"),
        ("nested: {«h: [m]}", "options.nested.h: unknown problem 'h'; known: g"),
        ("nested: {g: [m, «k]}", "options.nested.g[1]: unknown method 'k'; known: m"),
        ("either: «k", "options.either: unknown method 'k'; known: m; or one of all"),
        ("line: {«h: 0.1}", "options.line.h: unknown problem 'h'; known: g"),
        ("of: «auc", "options.of: unknown metric 'auc'; known: rank_loss"),
        ("of: «auk", "options.of: unknown metric 'auk' (did you mean 'auc'?)"),
        ("of: «3", "options.of: expected the name of a metric"),
        ("several: [rank_loss, «rank_loss(ties=worst)]", "options.several[1]: unknown metric"),
        ("rule: {«f: nested}", "options.rule.f: unknown experiment 'f'; known: e"),
        ("rule: {e: «nestd}", "options.rule.e: unknown rule 'nestd' (did you mean 'nested'?)"),
        ("experiments: [«f]", "options.experiments[0]: unknown experiment 'f'; known: e"),
    ],
)
def test_unknown_names_are_placed(errors, options, message):
    (found,) = errors(study(options))
    assert message in found


def test_all_unknown_names_are_told_at_once(errors):
    found = errors(study("method: «k, among: [«x, m, «y], of: «auc"))
    assert [text.split(": ")[1].split(" ")[1] for text in found] == [
        "method",
        "method",
        "method",
        "metric",
    ]


def test_a_block_of_several_experiments_may_name_what_one_of_them_has(loaded, errors):
    loaded(study("among: [m, k], of: auc, rule: {e: nested, f: oracle}", "[e, f]"))
    (found,) = errors(study("among: [«x]", "[e, f]"))
    assert found.endswith("unknown method 'x'; known: m, k")


def test_simulations_have_no_methods(errors):
    (found,) = errors(study("method: «m", "s"))
    assert found.endswith("unknown method 'm'; known: none")


def test_an_unknown_experiment_is_all_that_is_said(errors):
    (found,) = errors(study("among: [x]", "[e, «ff]"))
    assert "unknown experiment 'ff'" in found


def test_names_are_looked_up_in_profiles_too(errors):
    over = "profiles: {quick: {experiments: {e: {methods: [k]}}}}\n"
    (found,) = errors(study("among: [«m]") + over)
    assert found.endswith("unknown method 'm'; known: k (in profile 'quick')")


def held(schema, entry):
    """Yield what the texts of an option are names of."""
    match entry:
        case {"holds": what}:
            yield what
        case {"$ref": str(place)}:
            yield from held(schema, schema["$defs"][place.rsplit("/", 1)[1]])
        case dict():
            for child in entry.values():
                yield from held(schema, child)
        case list():
            for child in entry:
                yield from held(schema, child)


@pytest.mark.parametrize("name", [n for n in registry.names("report.blocks") if n != "outside"])
def test_options_of_every_block_can_be_introspected(name):
    schema = registry.get("report.blocks", name).model_json_schema()
    assert schema["additionalProperties"] is False
    for key, what in NAMES.items():
        entry = schema["properties"].get(key)
        if entry is not None and (name, key) not in PLAIN:
            assert set(held(schema, entry)) == {what}, key


NAMES = {
    "method": "method",
    "methods": "method",
    "references": "method",
    "reference": "method",
    "beside": "method",
    "theory": "method",
    "rescaled": "method",
    "metric": "metric",
    "metrics": "metric",
    "values": "metric",
    "panels": "problem",
    "problem": "problem",
    "bayes": "problem",
    "rule": "experiment",
}
PLAIN = {
    *(
        (name, "rule")  # one for all experiments
        for name in registry.names("report.blocks")
        if name not in {"answer", "comparison", "average_ranks", "critical_difference"}
    )
}
