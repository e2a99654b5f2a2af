"""Which data sets a simulate experiment may name, and what is said of others."""

from typing import Any

import pytest

from rankexp.runner.config.meaning import remarks
from rankexp.runner.plan import DataFacts, cells, jobs

HEAD = """version: 1
study: s
title: t
seed: 1
data:
  two: {source: {file: a.csv}, target: y, levels: [a, b]}
  both: {source: {file: b.csv}, target: y, levels: [a, b]}
  three: {source: {file: a.csv}, target: y, levels: [a, b, c]}
  plain: {source: {file: a.csv}, target: y}
  queries: {source: {file: a.csv}, target: y, levels: [a, b], groups: q}
  weighted: {source: {file: a.csv}, target: y, levels: [a, b], weights: w}
generators:
  drawn: {generator: gaussian}
experiments: {e: {kind: simulate, """
BOOST = "check: boosters_on_data"


def test_problems_are_data_sets_of_the_kind_that_is_asked(loaded: Any) -> None:
    setup = loaded(
        HEAD + BOOST + ", problems: [two, both], repetitions: 3, grid: {n_cuts: [2, 3]}}}\n"
    )
    assert setup.experiments["e"].size() == 12


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            "check: «boosters_on_data",
            "e.check: check 'boosters_on_data' needs data sets: name them in 'problems'",
        ),
        (
            "check: flip_noise, «problems: [two]",
            "check 'flip_noise' does not use data: remove 'problems'",
        ),
        (BOOST + ", problems: [«tow]", "unknown problem 'tow' (did you mean 'two'?)"),
        (BOOST + ", problems: «[two, two]", "the text 'two' occurs twice"),
        (BOOST + ", problems: [«drawn]", "'drawn' is a generator: checks take data sets only"),
        (
            BOOST + ", problems: [two, «three]",
            "problems[1]: check 'boosters_on_data' is for two classes; 'three' has more than two",
        ),
        (BOOST + ", problems: [«plain]", "is for two classes; 'plain' has a continuous target"),
        (BOOST + ", problems: [«queries]", "ignores groups, but 'queries' has them"),
        (
            BOOST + ", problems: [«weighted]",
            "does not accept row weights, but 'weighted' has weights",
        ),
        (
            BOOST + ", problems: [two], preprocess: {within: «groups}",
            "preprocess.within: needs groups, but 'two' has none",
        ),
        (
            "check: flip_noise, «preprocess: {scale: none}",
            "experiments.e.preprocess: 'preprocess' has no effect without 'problems'",
        ),
        (
            BOOST + ", problems: [two], params: {«problem: two}",
            "check 'boosters_on_data' has no parameter 'problem'; known: rounds, n_cuts",
        ),
    ],
)
def test_what_cannot_be_is_said_with_its_place(errors: Any, given: str, message: str) -> None:
    (found,) = errors(HEAD + given + "}}\n")
    assert message in found


def test_parts_that_a_check_leaves_aside_are_said(loaded: Any) -> None:
    parted = HEAD.replace("two: {", "two: {part: fold, ")
    study = loaded(parted + BOOST + ", problems: [two]}}\n")
    ((problem, text),) = remarks(study, ["e"])
    assert problem == "two"
    assert text.endswith("parts, but experiment 'e' ignores them: a check uses all rows")


def test_repetitions_on_few_data_sets_are_jobs_of_their_own(loaded: Any) -> None:
    """As folds are, so that several processes share them."""
    study = loaded(HEAD + BOOST + ", problems: [two], repetitions: 5}}\n")
    planned = list(cells(study, {"two": DataFacts(10, "abc", "")}))
    assert [len(job.cells) for job in jobs(planned, ())] == [1] * 5
    assert not list(cells(study, {}))  # without the data
