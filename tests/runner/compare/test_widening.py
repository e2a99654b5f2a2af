"""Grids grow at the end where choices lie, in their own steps, up to a limit."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankexp.runner.analyse.select import Edge
from rankexp.runner.compare.methods import Candidate, _read, growth, narrowed, offer, widened
from rankexp.runner.compare.question import Kind


def of(**grid: list[float]) -> Candidate:
    return Candidate(grid=grid)


def test_a_grid_grows_at_its_end_and_keeps_its_order() -> None:
    found = widened(of(lam=[1.0, 0.1, 0.01]), [Edge("lowest", "lam")])
    assert found == of(lam=[1.0, 0.1, 0.01, 0.001, 0.0001])
    found = widened(of(lam=[1.0, 0.1, 0.01]), [Edge("highest", "lam")])
    assert found == of(lam=[100.0, 10.0, 1.0, 0.1, 0.01])
    found = widened(of(max_leaf_nodes=[4, 8, 16]), [Edge("lowest", "max_leaf_nodes")])
    assert found == of(max_leaf_nodes=[2, 4, 8, 16])
    found = widened(of(depth=[2, 3, 4]), [Edge("highest", "depth")])
    assert found == of(depth=[2, 3, 4, 5, 6])


def test_what_cannot_grow_is_left() -> None:
    assert widened(of(lam=[1e-9, 1e-10]), [Edge("lowest", "lam")]) is None
    ended = of(min_samples_leaf=[30, 10, 3, 1])
    assert widened(ended, [Edge("lowest", "min_samples_leaf")]) is None
    assert widened(of(shape=[1, 2]), [Edge("highest", "shape")]) is None, "no limit is known"
    assert widened(of(lam=[1.0]), [Edge("highest", "lam")]) is None, "it has no step"
    assert widened(of(lam=[1.0, 0.1]), []) is None


@given(st.lists(st.sampled_from([Edge("lowest", "lam"), Edge("highest", "lam")]), max_size=12))
def test_lambdas_keep_their_values_and_stay_within_limits(edges: list[Edge]) -> None:
    method = offer("two", None).methods["pairs-logistic"]
    for edge in edges:
        wider = widened(method, [edge])
        if wider is not None:
            assert set(wider.grid["lam"]) > set(method.grid["lam"])
            method = wider
    values = method.grid["lam"]
    assert list(values) == sorted(set(values), reverse=True)
    assert _read().limits["lam"][0] <= min(values) and max(values) <= _read().limits["lam"][1]


@pytest.mark.parametrize("kind", ["two", "ordered", "continuous"])
def test_every_grid_offered_can_grow_or_ends_by_nature(kind: Kind) -> None:
    for method in offer(kind, None).methods.values():
        assert method.grid.keys() <= _read().limits.keys()


def test_a_coarser_grid_has_every_second_point_and_says_its_share() -> None:
    given = {"estimator": "e", "grid": {"lam": [1.0, 0.1, 0.01, 0.001], "a": [1, 2, 3]}}
    method = Candidate.model_validate(given)
    made, share = narrowed(method)
    assert made.content == {"estimator": "e", "lambdas": [1.0, 0.01], "grid": {"a": [1, 3]}}
    assert share == pytest.approx(1 / 3)
    assert narrowed(of()) == (of(), 1.0)
    wider = widened(made, [Edge("lowest", "lam")])
    assert wider is not None
    assert wider.content["lambdas"][-1] == pytest.approx(1e-6), "in its own steps"


def test_the_time_of_a_wider_grid_is_told_before_it_is_run() -> None:
    assert growth(of(n_rounds=[30, 100, 300]), of(n_rounds=[30, 100, 300, 900, 2700])) > 9
    assert growth(of(lam=[1.0, 0.1]), of(lam=[1.0, 0.1, 0.01])) == 1.5
    assert growth(of(min_samples_leaf=[30, 10]), of(min_samples_leaf=[30, 10, 3])) == 1.5
