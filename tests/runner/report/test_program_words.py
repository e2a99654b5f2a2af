"""Pages speak to readers: no table, note, axis, legend or text of a study has a program word."""

import csv
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from program_words import PRINTED, PROGRAM, found

from rankexp import registry
from rankexp.charts.numbers import short
from rankexp.metrics.metric import parse
from rankexp.runner.config.schema import Block
from rankexp.runner.grid import Point
from rankexp.runner.labels import LABELS, spoken
from rankexp.runner.report.context import Context
from rankexp.runner.report.model import Output

ROOT = Path(__file__).parents[3]
CONFIGS = ROOT / "configs"
PAGES = [
    page
    for page in sorted((ROOT / "results" / "reference").glob("*/*.md"))
    if page.name != "run.md"
]
"""Committed pages. run.md names columns of the data."""


@pytest.mark.parametrize(
    "bad",
    [
        "lam = .1",
        "rank_loss",
        "at loss=logistic",
        "λ = 1e+06",
        "3e-05",
        "push(p=4)",
        "NaN",
        "None",
    ],
)
def test_a_program_word_is_found(bad: str) -> None:
    assert found(f"| {bad} |", PROGRAM)
    assert not found("the λ of 1,000,000, 3e−13, U_pairs, `lam=1`, [a](a_b.md)", PROGRAM)


@pytest.mark.parametrize("bad", ["0.5", "−0.25", "-.5", "from -1 to 1"])
def test_a_number_is_printed_in_one_way(bad: str) -> None:
    assert found(bad, PRINTED) and not found(
        ".5, −.5, 10.5, 2011-05, n-100, version 1.0.1", PRINTED
    )


def test_no_committed_page_has_a_program_word() -> None:
    assert len(PAGES) > 100
    bad = [
        (page.parent.name, page.name, one)
        for page in PAGES
        for one in found(page.read_text(), PROGRAM)
    ]
    assert not bad


BLOCKS: list[tuple[str, Any, dict[str, Any]]] = [
    ("published_table", ["folds", "once"], {"rules": ["oracle", "nested"]}),
    ("boxplots", "boxes", {"reference": "logistic"}),
    ("simulation_table", "tried", {"expected": {"prior_observed": "prior"}}),
    ("simulation_along", "tried", {"parameter": "p", "quantities": {"share": ["prior_observed"]}}),
    ("chosen_grid", ["boxes", "folds"], {"rules": ["oracle", "fixed:lam=0.01"]}),
    ("completeness", ["boxes", "folds", "once", "tried"], {}),
    ("along", "boxes", {"parameter": "lam", "reference": "logistic"}),
    ("answer", ["boxes", "folds"], {"method": "svm_or", "references": ["logistic"]}),
    ("claims", ["boxes", "tried"], {}),
]
CLAIM = {
    "words": "A thing holds.",
    "page": "1",
    "rule": "oracle",
    "share": "",
    "note": "",
    "reference": "",
    "test": "always",
    "threshold": "0..inf",
}
CLAIMS = [
    CLAIM | {"claim": "a", "experiment": "tried", "problem": "", "method": "", "rule": ""}
    | {"metric": "prior_observed"},
    CLAIM | {"claim": "b", "experiment": "boxes", "problem": "*", "method": "svm_or"}
    | {"metric": "rank_loss"},
]  # fmt: skip


def built(context: Context, kind: str, experiments: Any, options: dict[str, Any]) -> Output:
    block = Block(block=kind, name="x", experiment=experiments, options=options)
    made: Output = (
        registry.get("report.blocks", kind).model_validate(options).build(context, block)
    )
    return made


def test_no_block_shows_a_program_word(make: Callable[[], Context]) -> None:
    context = make()
    context.manifest["claims"] = CLAIMS
    for kind, experiments, options in BLOCKS:
        output = built(context, kind, experiments, options)  # watched, as in all tests of reports
        assert output.tables or output.figure


def test_no_label_is_a_program_word() -> None:
    point = Point.of({"lam": 1e6, "loss": "p_classification(p=4)", "max_leaf_nodes": 8})
    assert point.label == "λ = 1,000,000, loss = p-classification (p = 4), leaves = 8"
    assert [short(x) for x in (0.1, 1e-6, 1e6, -1e12)] == [".1", "1e−6", "1,000,000", "−1e12"]
    names = {name for room in ("checks", "losses") for name in registry.names(room)}
    labels = [*LABELS.values(), *map(spoken, names)]
    labels += [parse(name).label for name in registry.names("metrics") if name != "pair_risk"]
    assert not [each for text in labels for each in found(text, PROGRAM)]


WORDED = {"title", "text", "label", "asked", "say", "source", "why", "note"}
"""Keys of a study whose values are sentences or labels."""


def sentences(value: Any, key: str = "") -> Iterator[str]:
    """Yield the texts of a study that reach its page; keys of contrasts and panels are labels."""
    if isinstance(value, dict):
        for name, child in value.items():
            if key in ("contrasts", "readings", "means") and name not in ("block", "of"):
                yield str(name)
            yield from sentences(child, key if key == "say" else str(name))
    elif isinstance(value, list):
        for child in value:
            yield from sentences(child, key)
    elif isinstance(value, str) and key in WORDED:
        yield value


@pytest.mark.parametrize("file", sorted(CONFIGS.glob("*.yaml")), ids=lambda file: file.stem)
def test_no_study_says_a_program_word(file: Path) -> None:
    study = yaml.load(file.read_text(encoding="utf-8"), yaml.CSafeLoader)
    texts = list(sentences(study))
    for ledger in CONFIGS.glob(f"published/{file.stem}*claims.csv"):
        lines = [
            line for line in ledger.read_text(encoding="utf-8").splitlines() if line[:1] != "#"
        ]
        rows = csv.DictReader(lines)
        texts += [row[name] for row in rows for name in ("claim", "words", "note")]
    assert texts
    assert not [each for text in texts for each in found(text, PROGRAM)]
