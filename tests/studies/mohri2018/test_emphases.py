"""Emphasis functions: all 0/1 preference functions, against functions drawn at random."""

import numpy as np
import pytest

from rankexp.preference import check_emphasis, degree_probabilities, order_probabilities
from rankexp.studies.mohri2018.checks.emphases import _axioms, emphasised_losses
from rankexp.studies.mohri2018.checks.few import tournaments, worst_rankings


def found(n, emphasis):
    rows = emphasised_losses(np.random.default_rng(0), n=n, emphasis=emphasis)
    values = {row["quantity"]: row["value"] for row in rows}
    names = ("QuickSort", "sort by degree", "sort by degree with adverse ties")
    return [values[f"ratio of {name}"] for name in names], values.get("QuickSort apart")


@pytest.mark.parametrize(
    ("n", "emphasis", "expected", "apart"),
    [
        (3, "distance", (1, 1, 2), 0),
        (5, "distance", (1, 9 / 7, 2), 0),
        (5, "top 1", (1, 4 / 3, 2), 0),
        (5, "two classes", (1, 4 / 3, 2), 0),
        (5, "top 2", (4 / 3, 3 / 2, 3), 0.6),
        (5, "top 4", (8 / 5, 1.7, 10 / 3), 1),
        (4, "uniform", (3 / 2, 5 / 3, 3), 0.5),
        (4, "any", (3 / 2, 5 / 3, 3), None),
    ],
)
def test_worst_ratios(n, emphasis, expected, apart):
    ratios, own = found(n, emphasis)
    assert ratios == pytest.approx(expected, abs=1e-9)
    assert own is None if apart is None else own == pytest.approx(apart, abs=1e-12)


@pytest.mark.parametrize("n", [3, 4])
def test_no_emphasis_is_the_general_target_and_two_classes_are_two_levels(n):
    for emphasis, target in (("uniform", "general"), ("two classes", "bipartite")):
        rows = worst_rankings(np.random.default_rng(0), n=n, target=target)
        values = {row["quantity"]: row["value"] for row in rows}
        ratios = [value for name, value in values.items() if name.startswith("ratio of")]
        assert found(n, emphasis)[0] == pytest.approx(ratios[:3], abs=1e-12)


def test_no_function_drawn_is_worse_than_the_worst_of_all():
    rng, n = np.random.default_rng(1), 4
    H, (first, second) = tournaments(n), np.triu_indices(n, 1)
    wrong, limits, worst = H[:, second, first], _axioms(n), found(n, "any")[0]
    answers = order_probabilities(H), degree_probabilities(H), degree_probabilities(H, "adverse")
    largest = np.zeros(3)
    for _ in range(60):
        x = np.cumsum(rng.gamma(0.3, size=n))
        omega = np.minimum(x[second] - x[first], rng.choice([0.1, 1.0, 10.0]) * x[0])
        W = np.zeros((n + 1, n + 1))
        W[first + 1, second + 1] = W[second + 1, first + 1] = omega
        check_emphasis(lambda i, j, W=W: W[i, j], n)  # it meets the axioms
        assert (limits @ omega <= 1e-12).all()
        of_h = wrong @ omega
        for k, P in enumerate(answers):
            loss = P[:, second, first] @ omega
            assert (loss[of_h <= 1e-12] <= 1e-12).all()
            some = of_h > 1e-12
            largest[k] = max(largest[k], *(loss[some] / of_h[some]))
    assert (largest <= np.array(worst) + 1e-9).all()
    assert (largest > 0.8 * np.array(worst)).all()
    broken = np.ones(len(first))
    broken[0] = 3.0  # counts more than a pair that is farther apart
    assert (limits @ broken > 0.5).any()


@pytest.mark.parametrize(("n", "emphasis"), [(2, "any"), (6, "any"), (4, "top 4"), (3, "none")])
def test_bad_parameters(n, emphasis):
    with pytest.raises(ValueError, match="expected"):
        found(n, emphasis)
