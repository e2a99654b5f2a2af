import numpy as np
import pytest

from rankexp.losses import parse
from rankexp.studies.kotlowski2011_theory.checks.k_points import k_points
from rankexp.studies.kotlowski2011_theory.checks.pair_losses import _logistic_regret, pair_losses
from rankexp.studies.kotlowski2011_theory.checks.trained import class_weights, surrogate_regrets
from rankexp.studies.kotlowski2011_theory.checks.univariate import (
    univariate_bounds,
    zero_one_ranking,
)
from rankexp.studies.kotlowski2011_theory.checks.worst_case import worst_regret
from rankexp.studies.kotlowski2011_theory.theory.regret import loss_regret, rank_regret


def grouped(rows):
    found = {}
    for row in rows:
        found.setdefault(row.get("group"), {})[row["quantity"]] = row["value"]
    return found


def values(rows):
    return {row["quantity"]: row["value"] for row in rows if "step" not in row}


@pytest.mark.parametrize("points", [2, 6, 15])
def test_every_bound_holds_on_ten_thousand_distributions(points):
    found = grouped(univariate_bounds(np.random.default_rng(points), points=points))
    assert found.pop(None) == {"all_violations": 0.0}
    assert len(found) == 17
    for name, of in found.items():
        assert of["cases"] == 10_000 and of["violations"] == 0.0, name
        assert 0.45 < of["largest_ratio"] <= 1.0 + 1e-9, name


def test_bounds_of_balanced_losses_fail_for_those_that_are_not():
    found = grouped(univariate_bounds(np.random.default_rng(1), balanced=False))
    all_violations = found.pop(None)["all_violations"]
    assert all_violations == sum(of["violations"] for of in found.values()) > 0.0
    for name, of in found.items():
        if name.startswith("proper"):
            assert of["violations"] == 0.0 and of["largest_ratio"] > 0.8, name
        elif not name.startswith(("(8)", "(9)")):
            assert of["violations"] > 0.0 and of["largest_ratio"] > 1.2, name


@pytest.mark.parametrize("loss", ["exponential", "logistic"])
@pytest.mark.parametrize("points", [2, 3])
def test_the_search_comes_to_the_best_constant_for_so_many_points(loss, points):
    """With m even steps of eta Gini's mean difference is 2/sqrt(3 (1 - 1/m²)^-1) SDs."""
    rows = worst_regret(np.random.default_rng(0), loss=loss, points=points, rounds=200)
    of = values(rows)
    best = np.sqrt(8 / 3 * (1 - 1 / points**2))
    assert 0.98 * best < of["ratio"] <= best + 1e-4
    assert of["ratio"] < of["best_constant"] < of["constant"]
    steps = {q: [r["value"] for r in rows if r["quantity"] == q] for q in ("p_minus", "p_plus")}
    masses, s = (
        np.column_stack(list(steps.values())),
        [r["value"] for r in rows if r["quantity"] == "score"],
    )
    assert rank_regret(masses, s) == pytest.approx(of["rank_regret"], rel=1e-6)
    assert loss_regret(masses, s, parse(loss)) == pytest.approx(of["loss_regret"], rel=1e-6)


def test_without_balance_or_with_the_zero_one_loss_there_is_no_constant():
    rng = np.random.default_rng(0)
    plain = values(worst_regret(rng, loss="logistic", points=2, balanced=False))
    assert plain["ratio"] > 5.0 and not 0.01 < plain["prior"] < 0.99 and "constant" not in plain
    assert values(worst_regret(rng, loss="zero_one", points=3))["ratio"] > 500.0


def test_the_zero_one_loss_says_little_of_ranking():
    found = grouped(zero_one_ranking(np.random.default_rng(0), p=0.99))
    assert found["majority"]["rank_risk"] == pytest.approx(0.5)
    assert found["majority"]["zero_one"] == pytest.approx(0.01)
    assert found["reversed"]["zero_one"] == pytest.approx(0.01)
    assert found["reversed"]["rank_risk"] == found["reversed"]["rank_regret"] == 1.0
    assert found["eta"]["rank_regret"] == 0.0
    for name, balanced in (("plain", "zero_one"), ("balanced", "balanced")):
        best, worst = found[f"best, {name}"], found[f"worst, {name}"]
        assert best[f"{balanced}_regret"] == worst[f"{balanced}_regret"] == pytest.approx(0.0)
        assert 0.0 < best["rank_regret"] < worst["rank_regret"]
        assert best[balanced] <= found["eta"][balanced] + 1e-12
    assert found["worst, plain"]["largest_rank_regret"] > 0.9
    assert found["worst, balanced"]["largest_rank_regret"] < 0.5
    low = grouped(zero_one_ranking(np.random.default_rng(0), p=0.01))
    assert low["reversed"]["zero_one"] == pytest.approx(0.01)
    assert low["reversed"]["rank_risk"] == 1.0


@pytest.mark.parametrize("generator", ["linear", "rules"])
@pytest.mark.parametrize("ratio", [0.1, 9.0, 1000.0, None])
def test_weights_do_nothing_to_the_exponential_loss(generator, ratio):
    rng = np.random.default_rng(0)
    of = values(class_weights(rng, ratio=ratio, generator=generator, p=0.8))
    assert of["coef"] < 1e-8 and of["angle"] < 1e-8
    assert of["swapped"] == of["gain"] == 0.0
    if ratio is not None:
        assert of["shift"] == pytest.approx(np.log(ratio) / 2, abs=1e-8)


def test_weights_do_little_to_other_losses_or_with_a_penalty():
    for loss, lam in (("logistic", 0.0), ("squared", 0.0), ("exponential", 0.01), ("hinge", 0.1)):
        of = values(class_weights(np.random.default_rng(0), loss=loss, lam=lam, n=2000))
        assert 1e-4 < of["angle"] < 0.15, loss
        assert 0.0 < of["swapped"] < 0.05, loss
        assert abs(of["gain"]) < 0.01, loss


def test_regrets_of_trained_scorers_fall_together_where_the_model_is_right():
    names = ["rank_regret", "loss_regret", "bound", "best_bound"]
    given = {"lam": 1e-6, "params": {"means": [[-1, 0, 0], [1, 0, 0]], "priors": [1, 3]}}
    means = []
    for n in (60, 2000):
        rows = [surrogate_regrets(np.random.default_rng(s), n=n, **given) for s in range(5)]
        found = np.array([[values(row)[name] for name in names] for row in rows])
        assert (found[:, 0] < found[:, 3]).all() and (found[:, 3] < found[:, 2]).all()
        means.append(found.mean(axis=0))
    assert (means[1] < 0.5 * means[0]).all()


@pytest.mark.parametrize("loss", ["exponential", "hinge", "squared"])
def test_regrets_of_trained_scorers_on_drawn_rows(loss):
    params = {"p": 0.8, "d": 5}
    rng = np.random.default_rng(0)
    of = values(surrogate_regrets(rng, loss=loss, generator="rules", params=params, n=500))
    assert 0.0 < of["rank_regret_error"] < 0.05 * of["rank_regret"] < 0.05
    assert of["ratio"] == pytest.approx(of["rank_regret"] / np.sqrt(of["loss_regret"]))
    assert ("bound" in of) == (loss == "exponential")
    assert of["rank_regret"] < of.get("best_bound", 1.0)


@pytest.mark.filterwarnings("ignore:.*did not converge")
def test_impossible_numbers():
    rng = np.random.default_rng(0)
    for check, given, words in (
        (univariate_bounds, {"points": 65}, "points=65"),
        (worst_regret, {"points": 1}, "points=1"),
        (worst_regret, {"loss": "squared_hinge_"}, "did you mean"),
        (zero_one_ranking, {"p": 1.0}, "p=1"),
        (class_weights, {"n": 6, "p": 0.5}, "separates"),
    ):
        with pytest.raises(ValueError, match=words):
            check(rng, **given)


def test_steps_from_points_to_pairs_hold_and_are_reached():
    found = grouped(pair_losses(np.random.default_rng(3), draws=3000, points=5))
    assert set(found) == {"exponential", "logistic", "logistic, near"}
    for name, of in found.items():
        assert of["violations"] == 0.0, name
        assert 0.99 < of["largest_ratio"] <= 1.0 + 1e-9, name
    assert found["exponential"]["best_apart"] < 1e-12


def test_the_logistic_regret_of_pairs_against_a_sum_of_all_pairs():
    """Pair by pair, with the loss at the best score of each pair from its own minimum."""
    rng = np.random.default_rng(4)
    masses = rng.dirichlet(np.ones(4), size=(1, 2)).transpose(0, 2, 1) / 2
    s = rng.standard_normal((1, 4))
    positive, negative = 2 * masses[0, :, 1], 2 * masses[0, :, 0]
    regret = 0.0
    for i in range(4):
        for j in range(i):
            up, down = positive[i] * negative[j], positive[j] * negative[i]

            def loss(d, up=up, down=down):
                return up * np.log1p(np.exp(-d)) + down * np.log1p(np.exp(d))

            regret += loss(s[0, i] - s[0, j]) - loss(np.log(up / down))
    assert _logistic_regret(masses, s)[0] == pytest.approx(regret, rel=1e-9)


@pytest.mark.parametrize("points", [2, 3, 8, 40])
@pytest.mark.parametrize(
    ("loss", "p"),
    [("exponential", 0.5), ("squared", 0.5), ("exponential", 0.01), ("logistic", 0.01)],
)
def test_k_points_tend_to_the_closed_form(loss, p, points):
    """Reached from below or above as the width falls; 3.66 and 8.2 at p = .01."""
    errors = []
    for width in (0.3, 0.003):
        of = values(k_points(np.random.default_rng(0), loss=loss, p=p, points=points, width=width))
        errors.append(abs(of["ratio"] / of["closed"] - 1.0))
    assert errors[1] < 1e-4 and errors[1] <= errors[0] + 1e-6  # scores are 1e-9 apart
    limit = {
        ("exponential", 0.5): np.sqrt(8 / 3),
        ("squared", 0.5): np.sqrt(4 / 3),
        ("exponential", 0.01): np.sqrt(4 / 3) / 0.0099**0.25,
        ("logistic", 0.01): np.sqrt(2 / 3) / np.sqrt(0.0099),
    }
    assert of["closed"] == pytest.approx(limit[loss, p] * np.sqrt(1 - points**-2.0))


def test_the_standard_deviation_bounds_the_rank_regret_and_is_reached():
    """(4 / sqrt 3) SD(eta - t), balanced: a constant error of calibration costs nothing."""
    rng, largest = np.random.default_rng(5), 0.0
    for _ in range(2000):
        k = int(rng.integers(2, 9))
        weight, eta, t = rng.dirichlet(np.ones(k)), rng.random(k), rng.random(k)
        eta += rng.choice([0.0, 1.0]) * (0.5 + 0.01 * (eta - 0.5) - eta)
        t += rng.choice([0.0, 1.0]) * (0.5 - 1e-6 * (eta - 0.5) - t)
        masses = weight[:, None] * np.stack([1 - eta, eta], axis=1)
        p = masses[:, 1].sum()
        error = eta - t
        sd = np.sqrt(weight @ (error - weight @ error) ** 2)
        bound = sd / np.sqrt(3) / (p * (1 - p))
        found = float(rank_regret(masses, t))
        largest = max(largest, found / bound)
        assert found <= bound + 1e-12
    assert largest > 0.9


@pytest.mark.parametrize(
    ("given", "words"),
    [({"points": 1}, "points=1"), ({"width": 0.0}, "width=0"), ({"loss": "hinge"}, "proper")],
)
def test_what_k_points_refuse(given, words):
    with pytest.raises(ValueError, match=words):
        k_points(np.random.default_rng(0), **given)
