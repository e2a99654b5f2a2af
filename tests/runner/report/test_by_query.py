"""Reports of folds that the data brings, whose rows come in queries: choice, errors, verdicts."""

import copy
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from rankexp import registry
from rankexp.errors import ConfigError
from rankexp.runner import plan
from rankexp.runner.analyse.select import Rule
from rankexp.runner.config.load import load
from rankexp.runner.config.schema import Block, Study
from rankexp.runner.grid import Point
from rankexp.runner.plan import DataFacts, PlanCell
from rankexp.runner.report.context import Context
from rankexp.runner.report.model import Output
from rankexp.runner.report.render.text import rows
from rankexp.runner.run.record import Record, RecordRow
from rankexp.statistics import paired

SIZES = [9, 8, 8, 8, 8]
METHODS = {"good": 0.2, "same": 0.2, "poor": 0.0}
LOSSES = ["exponential", "squared_hinge", "logistic"]  # that the methods have keys of their own
GRID = [0.1, 1.0, 10.0]
METRICS = ["auc", "u_pairs"]
EXPERIMENT: dict[str, Any] = {
    "problems": ["d"],
    "protocol": {
        "kind": "given",
        "folds": [{"test": f"T{i + 1}", "validation": f"T{i or 5}"} for i in range(5)],
    },
    "methods": list(METHODS),
    "metrics": METRICS,
}
STUDY: dict[str, Any] = {
    "version": 1,
    "study": "by-query",
    "title": "By query",
    "seed": 1,
    "data": {
        "d": {"source": {"file": "d.csv"}, "target": "y", "levels": [0, 1], "groups": "q"}
        | {"part": "part"}
    },
    "methods": {
        name: {"lambdas": GRID, "params": {"loss": loss}}
        for name, loss in zip(METHODS, LOSSES, strict=True)
    },
    "experiments": {"e": EXPERIMENT},
}
PUBLISHED = [
    {"experiment": "e", "problem": "d", "method": method, "quantity": metric, "value": str(value)}
    | {"last_digit": "0.0001", "source": "p. 1", "verified": "yes", "note": ""}
    for method, metric, value in (
        ("good", "auc", 0.7),
        ("poor", "auc", 0.9),
        ("good", "u_pairs", 0.6),
    )
]


def values(method: str, fold: int, metric: str, grid: int) -> np.ndarray:
    """Return the value of each query: what they have in common, the method's, a little noise."""
    common = np.random.default_rng(fold).normal(0.5, 0.1, SIZES[fold])
    noise = np.random.default_rng([fold, *method.encode()]).normal(0, 0.02, SIZES[fold])
    found = common + METHODS[method] + noise - 0.05 * abs(grid - 1) - 0.1 * (metric == "u_pairs")
    return np.where(np.arange(SIZES[fold]) == 7, math.nan, found) if fold == 0 else found


def made_up(cell: PlanCell) -> Record:
    """Return a record whose best grid point is the second; on validation it is another."""
    fold, made = cell.place.fold or 0, []
    for grid in range(3):
        for metric in METRICS:
            own = values(cell.method, fold, metric, grid)
            named = [(f"q{fold}-{i}", float(v)) for i, v in enumerate(own)]
            made += [RecordRow("test", grid, None, name, metric, v) for name, v in named]
            made.append(RecordRow("test", grid, None, None, metric, float(np.nanmean(own))))
            # by AUC the first two are equal; by U_pairs the last is the best but in fold 2
            best = [0.6, 0.6, 0.5] if metric == "auc" or fold == 2 else [0.5, 0.5, 0.6]
            made.append(RecordRow("validation", grid, None, None, metric, best[grid]))
    points = tuple(Point.of({"lam": lam}) for lam in GRID)
    return Record(cell.key, grid=points, rows=made)


def context(change: Callable[[PlanCell], bool] = lambda _: True, **more: Any) -> Context:
    study = copy.deepcopy(STUDY)
    study["experiments"]["e"] |= more
    parsed = Study.model_validate(study)
    cells = list(plan.cells(parsed, {"d": DataFacts(400, "f" * 64, "")}))
    records = {cell.key: made_up(cell) for cell in cells if change(cell)}
    manifest = {"published": PUBLISHED, "data": {"d": {"rows": 400, "fingerprint": "f" * 64}}}
    return Context(parsed, cells, records, manifest | {"study": parsed.model_dump(mode="json")})


def show(made: Context, name: str, **options: Any) -> Output:
    block = Block(block=name, name="x", experiment="e", options=options)
    kind = registry.get("report.blocks", name).model_validate(options)
    assert not list(kind.faults(made.study, block))
    output: Output = kind.build(made, block)
    assert output.numbers is not None
    return output


def table(output: Output, *index: str) -> Any:
    assert output.numbers is not None
    return output.numbers.set_index(list(index))


def difference(method: str, reference: str, grid: int = 1, metric: str = "auc") -> Any:
    """Return differences by query and their folds, of queries that have a value."""
    own = [values(method, f, metric, grid) - values(reference, f, metric, grid) for f in range(5)]
    folds, found = np.repeat(np.arange(5), SIZES), np.concatenate(own)
    return found[~np.isnan(found)], folds[~np.isnan(found)]


def test_the_grid_point_is_chosen_on_the_validation_part_of_each_fold() -> None:
    made = context()
    auc = made.metric("e", None)
    chosen = made.chosen("e", auc, Rule.parse("validation"), ["good"])
    assert set(map(str, chosen["grid"])) == {"lam=1"}, "of equals the simplest"
    other = made.chosen("e", auc, Rule.parse("validation:u_pairs"), ["good"])
    grids = dict(zip(other["fold"], map(str, other["grid"]), strict=True))
    assert grids == {0: "lam=10", 1: "lam=10", 2: "lam=1", 3: "lam=10", 4: "lam=10"}
    by_hand = [np.nanmean(values("good", f, "auc", 1 if f == 2 else 2)) for f in range(5)]
    assert other["value"].tolist() == pytest.approx(by_hand), "AUC is shown, whatever it is by"
    output = show(made, "chosen_grid", rules=["validation", "oracle"], by="u_pairs")
    assert "is taken. This decided 3 of 18 choices;" in output.texts[1], "in fold 2"
    output.numbers["grid"] = output.numbers["grid"].map(str)
    counts = table(output, "rule", "method", "grid")["count"]
    assert counts["validation:u_pairs", "good", "lam=10"] == 4
    assert counts["oracle", "good", "lam=1"] == 5
    assert any("12 of 30 choices lie at the edge" in note for note in output.texts)


def test_a_rule_by_another_metric_is_one_text_or_two_options() -> None:
    rule = Rule.parse("validation:u_pairs")
    assert str(rule) == "validation:u_pairs" and rule.label == f"{rule.by.label} in validation"  # type: ignore[union-attr]
    assert str(Rule.parse("nested:auc")) == "nested:auc"
    kind = registry.get("report.blocks", "comparison")
    pair = {"method": "good", "references": ["poor"]}
    assert kind.model_validate({**pair, "rule": "validation", "by": "u_pairs"}).rule == rule
    each = kind.model_validate({**pair, "rule": {"e": "validation"}, "by": "u_pairs"})
    assert each.rule_of("e") == rule
    for given in ({}, {"rule": "oracle"}, {"rule": "validation:auc"}):
        with pytest.raises(ValidationError, match="'by' needs 'nested' or 'validation'"):
            kind.model_validate({**pair, **given, "by": "u_pairs"})
    for text in ("validation:", "oracle:auc", "validation:nothing"):
        with pytest.raises(ValueError, match="unknown"):
            Rule.parse(text)


STUDY_FILE = """
version: 1
study: s
title: S
seed: 1
data: {d: {source: {file: d.csv}, target: y, levels: [0, 1], part: part}}
methods: {m: {lambdas: [0.1, 1]}}
experiments:
  e: {problems: [d], protocol: PROTOCOL, methods: [m], metrics: [auc, rank_loss]}
report:
  - {block: paired_table, name: t, experiment: e, options: {rule: "RULE"}}
"""
VALIDATED = "{kind: given, test: t, validation: v}"


@pytest.mark.parametrize(
    ("protocol", "rule", "said"),
    [
        (VALIDATED, "validation:rank_loss", ""),
        ("{kind: given, folds: [{test: t, validation: v}]}", "validation", ""),
        (
            "{kind: given, folds: [{test: t, validation: v}, {test: v}]}",
            "validation",
            "no validation",
        ),
        ("{kind: given, test: t}", "validation", r":11:.*'e' has no validation part"),
        ("{kind: cross_validation, folds: 5}", "validation", "'e' has no validation part"),
        ("{kind: cross_validation, folds: 5}, inner: {folds: 2}", "nested", ""),
        ("{kind: cross_validation, folds: 5}, lambdas: [1]", "oracle", ""),
        (
            "{kind: cross_validation, folds: 5}",
            "nested",
            ":11:.*'e' has no inner folds, which the rule needs as 'm' has a grid: give",
        ),
        (
            VALIDATED,
            "validation:u_pairs",
            ":11:.*'e' has no metric u_pairs to choose by; it has: auc",
        ),
        (VALIDATED, "validation:rank_los", "did you mean 'rank_loss'"),
    ],
)
def test_what_a_rule_lacks_is_said_before_a_run(
    tmp_path: Path, protocol: str, rule: str, said: str
) -> None:
    file = tmp_path / "s.yaml"
    file.write_text(STUDY_FILE.replace("PROTOCOL", protocol).replace("RULE", rule))
    if not said:
        assert load(file).study == "s"
        return
    with pytest.raises(ConfigError, match=said):
        load(file)


@pytest.mark.parametrize(
    ("block", "options"),
    [
        ("published_table", "{rules: [nested]}"),
        ("published_table", "{rules: [oracle, nested]}"),
        ("chosen_grid", "{rules: [nested, oracle]}"),
        ("rank_table", "{rule: nested, metrics: [auc]}"),
        ("comparison", "{rule: {e: nested}, method: m, references: [k], margin: 1}"),
        ("pairs_or_points", "{contrasts: {m: k}, margin: 1}"),  # nested where none is named
    ],
)
@pytest.mark.parametrize("inner", [False, True])
def test_no_block_that_names_nested_goes_without_inner_folds(
    tmp_path: Path, block: str, options: str, inner: bool
) -> None:
    file = tmp_path / "s.yaml"
    study = STUDY_FILE.replace("PROTOCOL", "{kind: cross_validation, folds: 5}")
    study = study.replace("paired_table", block).replace('{rule: "RULE"}', options)
    study = study.replace("{m: {", "{k: {}, m: {").replace("[m]", "[m, k]")
    file.write_text(
        study.replace(
            "metrics: [auc", "inner: {folds: 2}, metrics: [auc" * inner or "metrics: [auc", 1
        )
    )
    if inner:
        assert load(file).report[0].block == block
        return
    with pytest.raises(ConfigError, match=r":11:.*'e' has no inner folds, which the rule needs"):
        load(file)


def test_a_rule_beside_others_may_stay_empty_for_some_experiments(tmp_path: Path) -> None:
    file = tmp_path / "s.yaml"
    study = STUDY_FILE.replace("PROTOCOL", "&p {kind: cross_validation, folds: 5}")
    study = study.replace(
        "report:", "  f: {problems: [d], protocol: *p, methods: [m], inner: {folds: 2}}\nreport:"
    )
    study = study.replace("paired_table", "chosen_grid").replace(
        "experiment: e", "experiment: [e, f]"
    )
    file.write_text(study.replace('rule: "RULE"', "rules: [oracle, nested]"))
    assert load(file).study == "s"


def test_comparisons_rest_on_queries_stratified_by_fold() -> None:
    output = show(context(), "comparison", method="good", references=["poor", "same"])
    found = table(output, "reference")
    drawn = difference("good", "poor")
    expected = paired.stratified(*drawn)
    row = found.loc["poor"]
    assert (row["n"], row["unit"], row["undefined"]) == (40, "queries", 1)
    assert row[["difference", "se", "df"]].tolist() == pytest.approx(list(expected))
    assert row["test"] == "paired t-test over 40 queries, stratified by fold"
    assert row["p_random_adjusted"] == 1 / 10_000
    ends = paired.stratified_bootstrap(*drawn, 0.95, seed=1)  # of the study
    assert (row["boot_low"], row["boot_high"]) == pytest.approx(ends, rel=1e-9)
    assert row["verdict"] == "better" and str(found.loc["same", "verdict"]) != "better"
    shown = dict(zip(output.tables[0].labels, rows(output.tables[0])[0], strict=True))
    assert shown["n"] == "40 queries" and shown["p randomisation"] == "<.001"
    assert " to " in shown["Bootstrap"]
    assert any("queries left out because a method has no value: 1." in n for n in output.texts)
    assert any("randomisation test" in note for note in output.texts)


def test_queries_that_all_but_agree_have_the_least_error_there_can_be(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(METHODS, "poor", 0.2)
    one = values

    def same(method: str, fold: int, metric: str, grid: int) -> np.ndarray:
        return (
            one("good", fold, metric, grid)
            + (method != "good") * (fold == 0) * np.eye(9)[0][: SIZES[fold]] * 0.3
        )

    monkeypatch.setitem(globals(), "values", same)
    row = table(show(context(), "comparison", method="good", references=["poor"]), "method").loc[
        "good"
    ]
    every = np.concatenate(
        [same(m, f, "auc", g) for m in METHODS for f in range(5) for g in range(3)]
    )
    assert row["se"] == pytest.approx(paired.UNSEEN * np.ptp(every[~np.isnan(every)]) / 41)
    assert "differences hardly vary" in row["note"] and np.isnan(row["boot_low"])
    assert row["p_random"] == 1.0


def test_a_fold_without_a_record_is_refused() -> None:
    made = context(lambda cell: (cell.method, cell.place.fold) != ("good", 3))
    output = show(made, "comparison", method="good", references=["poor"])
    assert any("d, fold 3: 8 of 8 queries lack a value" in note for note in output.texts)
    dropped = show(made, "comparison", method="good", references=["poor"], incomplete="drop")
    assert table(dropped, "reference").loc["poor", "n"] == 32


def test_the_paired_table_has_errors_over_queries_and_what_resampling_says() -> None:
    output = show(context(), "paired_table", reference="poor")
    found = table(output, "method")
    means = [np.nanmean(values("good", fold, "auc", 1)) for fold in range(5)]
    assert found.loc["good", "mean"] == pytest.approx(np.mean(means))
    assert (found.loc["good", "units"], found.loc["good", "nan"]) == (40, 1)
    assert set(found["se_of"]) == {"queries"}
    expected = paired.stratified(*difference("good", "poor"))
    assert found.loc["good", "difference_se"] == pytest.approx(expected.se)
    low, high = paired.interval(expected, 0.95)
    assert found.loc["good", ["low_all", "high_all"]].tolist() == pytest.approx([low, high])
    assert found.loc["same", "p_random_adjusted"] == 2 * found.loc["same", "p_random"]
    assert "The SE is over queries, stratified by fold." in output.texts


def test_methods_stand_beside_metrics_with_verdicts_on_the_print() -> None:
    output = show(context(), "published_table", metrics=METRICS, rules=["oracle", "validation"])
    (wide, details) = output.tables
    assert wide.labels[0] == "Method"
    assert [line[0] for line in rows(wide)] == list(METHODS)
    assert all(len(line) == 3 for line in rows(wide))
    assert "Metric" in details.labels and len(details.rows) == 6
    found = table(output, "method", "metric")
    row = found.loc[("good", "auc")]
    own = [values("good", fold, "auc", 1) for fold in range(5)]
    folds = np.repeat(np.arange(5), SIZES)[~np.isnan(np.concatenate(own))]
    expected = paired.stratified(np.concatenate(own)[~np.isnan(np.concatenate(own))], folds)
    assert row[["reproduced", "se"]].tolist() == pytest.approx([expected.mean, expected.se])
    assert (row["se_of"], row["splits"], row["expected"], row["nan"]) == ("queries", 5, 5, 1)
    # The print has the same queries: the noise is that of differences between methods.
    errors = []
    for name in METHODS:
        other = np.concatenate([values(name, fold, "auc", 1) for fold in range(5)])
        apart = (np.concatenate(own) - other)[~np.isnan(np.concatenate(own))]
        errors += [paired.stratified(apart, folds).se] * (name != "good")
    assert len(errors) == len(METHODS) - 1
    assert row["z"] == pytest.approx((expected.mean - 0.7) / np.median(errors))
    assert found.loc[("poor", "auc"), "verdict"] == "not reproduced"
    assert any("that of paired differences" in note for note in output.texts)
    alone = context()
    alone.manifest["published"] = None
    notes = show(alone, "published_table", metrics=["auc"], rules=["validation"]).texts
    assert (
        "The SE is over the queries of the test sets, stratified by fold." in notes
    )  # of no print
    assert "poor AUC (" in output.gist


def test_ranks_and_contrasts_are_over_queries() -> None:
    output = show(context(), "average_ranks")
    assert set(table(output, "method")["blocks"]) == {40}
    assert rows(output.tables[0])[0][:2] == ["d", "40 queries"]
    made = show(
        context(), "contrasts", contrasts={"c": [["good", "poor"], ["same", "poor"]]}, margin=0.1
    )
    own, folds = difference("good", "poor")
    other, _ = difference("same", "poor")
    expected = paired.stratified((own + other) / 2, folds)
    row = table(made, "contrast").loc["c"]
    assert row[["difference", "se"]].tolist() == pytest.approx([expected.mean, expected.se])


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("answer", {"method": "good", "references": ["poor"]}),
        ("boxplots", {"reference": "poor"}),
        ("critical_difference", {}),
        ("readings", {}),
        ("along", {"parameter": "lam"}),
        ("pairs_or_points", {"contrasts": {"good": "poor"}, "rule": "validation"}),
    ],
)
def test_other_blocks_say_queries_too(name: str, options: dict[str, Any]) -> None:
    output = show(context(), name, **options)
    assert not output.incomplete
    found = output.numbers
    assert found is not None and len(found)
    if name in ("answer", "boxplots", "pairs_or_points"):
        column = "difference_se" if "difference_se" in found else "se"
        assert paired.stratified(*difference("good", "poor")).se == pytest.approx(
            found.set_index("method").loc["good", column], rel=0.2
        )
    said = " ".join([*output.texts, *map(str, output.lead)])
    assert "overlapping training sets" not in said


def test_data_without_queries_keeps_its_folds() -> None:
    made = context(within_groups=False)
    (found,) = made.designs("e", made.metric("e", None)).values()
    assert (found.pairs, found.correction) == ("folds", 0.25)


def test_the_least_error_of_queries_rests_on_queries(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        paired, "of_design", lambda v, design, folds: (paired.Estimate(0, 1, 9), 1)
    )
    output = show(context(), "comparison", method="good", references=["same"])
    assert any(
        "the smallest that the test queries, which count as" in note for note in output.texts
    )


def test_folds_without_values_of_queries_are_one_unit_and_called_so() -> None:
    def said(fold: int) -> list[str]:
        kept = context(lambda cell: (cell.place.fold or 0) <= fold, within_groups=False)
        return show(kept, "published_table", rules=["oracle"]).texts

    (folds,) = [note for note in said(4) if note.startswith("No standard error")]
    assert "the folds of a single partition are one unit" in folds
    (split,) = [note for note in said(0) if note.startswith("No standard error")]
    assert "there is a single split" in split
