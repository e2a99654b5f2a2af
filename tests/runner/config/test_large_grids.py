"""A grid is counted, never made, before it is known that it is small enough."""

import time

import pytest

from rankexp.errors import ConfigError
from rankexp.runner.config.methods import _clashes
from rankexp.runner.config.schema import Method

LIST = "[" + ", ".join(map(str, range(1, 101))) + "]"
STUDY = """version: 1
study: t
title: T
seed: 1
generators: {g: {generator: gaussian}}
methods: {m: {estimator: RankBoost, grid: GRID}}
experiments: {e: {problems: [g], methods: [m], metrics: [auc], protocol:
  {kind: models, models: 1, training_sets: 1, n_train: 20, n_test: 20}}}
"""


def test_ten_thousand_million_points_are_counted(errors):
    names = ("n_rounds", "n_cuts", "alpha", "smoothing", "random_state")
    begun = time.process_time()
    grid = ", ".join(f"{name}: {LIST}" for name in names)
    (found,) = errors(STUDY.replace("GRID", f"«{{{grid}}}"))
    assert "10,000,000,000 grid points; at most 100,000 are allowed" in found
    assert time.process_time() - begun < 2.0


def test_points_of_a_check_are_counted(loaded):
    grid = ", ".join(f"{name}: {LIST}" for name in "abcde")
    marked = STUDY.replace("GRID", "{n_rounds: [1]}").replace(
        "experiments: {", "experiments: {s: SIM, "
    )
    with pytest.raises(
        ConfigError, match=r"10,000,000,000 records; at most 1,000,000 are allowed"
    ):
        loaded(marked.replace("SIM", f"{{kind: simulate, check: second_stage, grid: {{{grid}}}}}"))


def test_a_long_list_is_looked_through_once():
    method = Method(grid={"random_state": list(range(30_000))})
    begun = time.process_time()
    assert not list(_clashes(method, ()))
    assert time.process_time() - begun < 2.0  # each compared with all others: 20 s
