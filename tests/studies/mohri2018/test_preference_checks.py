"""The checks of the second stage: laws that hold in the mean, worst cases, bad input."""

import numpy as np
import pytest

from rankexp.studies.mohri2018.checks.few import watched_sorts, worst_rankings
from rankexp.studies.mohri2018.checks.planted_cycles import second_stage


def found(check, seed=3, **parameters):
    rows = check(np.random.default_rng(seed), **parameters)
    return {row["quantity"]: row["value"] for row in rows}


def mean(repetitions, **parameters):
    each = [found(second_stage, seed, **parameters) for seed in range(repetitions)]
    return {key: np.mean([one[key] for one in each]) for key in each[0]}, each


@pytest.mark.parametrize("cycles", ["anywhere", "thirds"])
def test_the_expected_bipartite_loss_is_that_of_h(cycles):
    _, each = mean(80, n=60, cycles=cycles, share=0.2, noise=0.2)
    gap = [one["loss of QuickSort"] - one["loss of h"] for one in each]
    assert abs(np.mean(gap)) < 4 * np.std(gap) / np.sqrt(len(gap))
    assert np.std(gap) > 0.01


def test_cycles_anywhere_are_averaged_out_by_degrees():
    one = found(second_stage, n=900, share=0.1)
    assert one["loss of h"] == pytest.approx(0.1, abs=0.005)
    assert one["cyclic triples"] == pytest.approx(0.09, abs=0.01)  # p (1 - p)
    assert one["loss of sort by degree"] < 0.01
    assert one["calls of sort by degree"] == 900 * 899 / 2
    assert one["loss of QuickSort"] > 0.03
    assert one["calls of QuickSort"] < 20_000
    assert one["calls of QuickSort in theory"] == pytest.approx(9699.06, abs=0.01)


def test_cycles_of_thirds_come_near_to_twice_the_loss():
    one = found(second_stage, n=3000, cycles="thirds", share=0.1)
    assert one["loss of h"] == pytest.approx(0.55, abs=0.005)
    assert one["ratio of sort by degree"] == pytest.approx(2 / 1.1, abs=0.01)


@pytest.mark.parametrize("target", ["bipartite", "general"])
def test_a_transitive_preference_has_no_regret(target):
    one = found(second_stage, n=300, share=0.0, noise=0.3, target=target)
    for name in ("h", "QuickSort", "sort by degree"):
        assert one[f"regret of {name}"] == pytest.approx(0.0, abs=1e-12)
        assert one[f"loss of {name}"] > 0.1
    assert one["cyclic triples"] == 0.0


def test_quicksort_alone_does_the_same():
    every, alone = (found(second_stage, n=100, top=top) for top in (0, 1000))
    assert alone.items() <= every.items()
    assert {"calls of QuickSort", "loss of QuickSort"} <= alone.keys()
    first = found(second_stage, n=100, top=5)
    calls = "calls of QuickSort"
    assert set(first) == {calls, f"{calls} in theory", f"{calls} over theory"}
    assert first["calls of QuickSort"] < alone["calls of QuickSort"]
    assert "calls of sort by degree" not in found(second_stage, n=3001)


@pytest.mark.parametrize("top", [1, 7, 39, 40])
def test_mean_calls(top):
    _, each = mean(200, n=40, share=0.0, top=top)
    over = [one["calls of QuickSort over theory"] for one in each]
    assert abs(np.mean(over) - 1) < 4 * np.std(over) / np.sqrt(len(over))


def test_sorts_are_watched():
    rows = watched_sorts(np.random.default_rng(0), n=9, share=0.2)
    values = {(int(row["group"]), row["quantity"]): row["value"] for row in rows}
    H = np.array([[values[i, f"above {j}"] for j in range(9)] for i in range(9)])
    assert np.array_equal(H + H.T, 1 - np.eye(9))
    assert [values[i, "degree"] for i in range(9)] == H.sum(axis=1).tolist()
    place, depth, pivot = (
        np.array([values[i, name] for i in range(9)], dtype=int)
        for name in ("place by QuickSort", "depth", "pivot")
    )
    assert sorted(place) == list(range(9))
    assert (depth == 0).sum() == (pivot == -1).sum() == 1
    for i in np.flatnonzero(pivot >= 0):
        assert depth[i] == depth[pivot[i]] + 1
        assert (place[i] < place[pivot[i]]) == (H[i, pivot[i]] == 1)


@pytest.mark.parametrize(
    ("n", "target", "expected"),
    [
        (3, "bipartite", (1, 1, 2, 2)),
        (4, "bipartite", (1, 4 / 3, 2, 2)),
        (5, "bipartite", (1, 4 / 3, 2, 2)),
        (3, "general", (4 / 3, 3 / 2, 3, 2)),
        (4, "general", (3 / 2, 5 / 3, 3, 2)),
        (5, "general", (8 / 5, 1.7, 10 / 3, 2)),
    ],
)
def test_worst_cases(n, target, expected):
    values = found(worst_rankings, n=n, target=target)
    ratios = [value for name, value in values.items() if name.startswith("ratio of")]
    assert ratios == pytest.approx(expected, abs=1e-12)
    assert (values["QuickSort apart"] < 1e-12) == (target == "bipartite")


@pytest.mark.parametrize(
    ("check", "parameters"),
    [
        (second_stage, {"n": 5}),
        (second_stage, {"share": 1.1}),
        (second_stage, {"noise": -1.0}),
        (second_stage, {"top": -1}),
        (second_stage, {"target": "tripartite"}),
        (second_stage, {"cycles": "none"}),
        (worst_rankings, {"n": 6}),
        (worst_rankings, {"target": "none"}),
        (watched_sorts, {"n": 1}),
    ],
)
def test_bad_parameters(check, parameters):
    with pytest.raises(ValueError, match=r"expected|unknown"):
        found(check, **parameters)
