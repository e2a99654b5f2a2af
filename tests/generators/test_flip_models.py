import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankexp.generators import Linear, Rules
from rankexp.generators.flipped import bayes_rank_risk, solve_flips
from rankexp.metrics import rank_loss

BOTH = pytest.mark.parametrize("kind", [Linear, Rules])
PRIORS = pytest.mark.parametrize("p", [0.5, 0.9])


def within(values, expected, se=5.0, extra=0.0):
    """Say whether the mean of values is within so many standard errors of what is expected."""
    error = np.std(values, ddof=1) / np.sqrt(len(values))
    return abs(np.mean(values) - expected) <= se * error + extra


def test_flip_probability_of_the_paper():
    kappa, q = solve_flips(0.5, 0.1)
    assert (kappa, q) == (pytest.approx(0.1, abs=1e-15), pytest.approx(0.5, abs=1e-15))
    kappa, q = solve_flips(0.9, 0.1)
    assert (kappa, q) == (pytest.approx(0.021572, abs=5e-7), pytest.approx(0.918035, abs=5e-7))


@given(p=st.floats(0.001, 0.999), risk=st.floats(0, 0.499))
@settings(max_examples=50)
def test_flips_give_the_prior_and_the_rank_risk(p, risk):
    kappa, q = solve_flips(p, risk)
    assert 0 <= kappa < 0.5
    assert -1e-12 <= q <= 1 + 1e-12
    assert q * (1 - kappa) + (1 - q) * kappa == pytest.approx(p, abs=1e-12)
    assert bayes_rank_risk(q, kappa) == pytest.approx(risk, abs=1e-9)


@given(q=st.floats(0.01, 0.99), kappa=st.floats(0, 0.49))
@settings(max_examples=30)
def test_rank_risk_is_that_of_four_kinds_of_examples(q, kappa):
    """Brute force over (clean label, observed label), with eta as the scorer."""
    cells = [
        (clean, clean if kept else -clean, (q if clean == 1 else 1 - q) * weight)
        for clean in (1, -1)
        for kept, weight in ((True, 1 - kappa), (False, kappa))
    ]
    lost = total = 0.0
    for clean, y, w in cells:
        for other, z, v in cells:
            if y > z:
                total += w * v
                lost += w * v * (0.5 if clean == other else float(clean < other))
    assert bayes_rank_risk(q, kappa) == pytest.approx(lost / total, abs=1e-12)


@BOTH
@PRIORS
def test_prior_and_bayes_rank_risk_by_simulation(kind, p):
    """The calibration draws leave the prior an SD of .0011, to be added to the simulation's."""
    rng = np.random.default_rng(11)
    model = kind(p=p).draw_model(rng)
    priors, risks = [], []
    for _ in range(20):
        X, y = model.sample(5000, rng)
        priors.append(np.mean(y == 1))
        risks.append(rank_loss(y, model.eta(X)))
    assert (model.prior, model.bayes_rank_risk) == (p, 0.1)
    assert within(priors, p, extra=0.003)
    assert within(risks, 0.1, extra=0.0005)


@BOTH
@PRIORS
def test_noise_moves_every_rank_loss_towards_one_half(kind, p):
    """L = L* + (1 - 2 L*) L_clean in expectation, for whatever scorer, at any p."""
    rng = np.random.default_rng(5)
    model = kind(p=p).draw_model(rng)
    X, _ = model.sample(1000, rng)
    clean = model.clean(X)
    direction = X[clean].mean(axis=0) - X[~clean].mean(axis=0)
    gaps = []
    for _ in range(40):
        X, y = model.sample(2000, rng)
        expected = 0.1 + 0.8 * rank_loss(model.clean(X), X @ direction)
        gaps.append(rank_loss(y, X @ direction) - expected)
    assert within(gaps, 0.0, extra=0.0005)
    assert np.std(gaps) < 0.03  # else the law was hardly tested


@BOTH
def test_eta_takes_two_values_and_is_the_flip(kind):
    rng = np.random.default_rng(2)
    model = kind(p=0.9).draw_model(rng)
    X, y = model.sample(20_000, rng)
    eta = model.eta(X)
    assert set(np.unique(eta)) == {model.kappa, 1 - model.kappa}
    assert ((eta > 0.5) == model.clean(X)).all()
    flipped = np.mean((y == 1) != model.clean(X))
    assert abs(flipped - model.kappa) < 5 * np.sqrt(model.kappa / 20_000)


@BOTH
def test_no_noise_gives_the_clean_labels(kind):
    rng = np.random.default_rng(2)
    model = kind(rank_risk=0).draw_model(rng)
    X, y = model.sample(500, rng)
    assert model.kappa == 0
    assert rank_loss(y, model.eta(X)) == 0
    assert ((y == 1) == model.clean(X)).all()


def test_the_linear_target_is_a_linear_function():
    model = Linear(d=3).draw_model(np.random.default_rng(0))
    X = np.random.default_rng(1).random((50, 3))
    a = model.target.weights
    f = [sum(a[j] * x[j] for j in range(3)) - model.threshold for x in X]
    assert (model.clean(X) == (np.array(f) >= 0)).all()


def test_the_rule_target_is_a_sum_of_conjunctions():
    target = Rules(d=4, n_rules=6).draw_target(np.random.default_rng(0))
    X = np.random.default_rng(1).random((50, 4))
    for x, value in zip(X, target(X), strict=True):
        covers = [
            all(x[k] >= b if up else x[k] <= b for k, up, b in conditions)
            for conditions in target.rules
        ]
        assert value == pytest.approx(np.dot(covers, target.weights), abs=1e-12)


def test_rules_cover_a_third_of_the_cube():
    target = Rules(n_rules=3000).draw_target(np.random.default_rng(3))
    X = np.random.default_rng(4).random((4000, 50))
    coverage = np.array([cover.mean() for cover in target.covered(X)])
    lengths = np.array([len(conditions) for conditions in target.rules])
    ups = [condition.upward for conditions in target.rules for condition in conditions]
    assert within(coverage, 1 / 3, extra=0.002)
    assert np.median(coverage) == pytest.approx(0.26, abs=0.03)
    assert np.mean(coverage < 0.01) == pytest.approx(0.1, abs=0.03)
    assert lengths.min() == 1
    assert within(lengths, 2.0)
    assert within(np.array(ups, dtype=float), 0.5)


def test_threshold_is_reached_up_to_rounding():
    """An atom at the threshold counts as positive in whatever order its sum was added up."""
    model = Rules(n_rules=4).draw_model(np.random.default_rng(8))
    X = np.random.default_rng(1).random((2000, 50))
    at = np.abs(model.target(X) - model.threshold) < 1e-9
    assert at.any()
    assert model.clean(X)[at].all()


def test_few_rules_have_a_prior_and_a_risk_of_their_own():
    rng = np.random.default_rng(0)
    model = Rules(n_rules=3).draw_model(rng)
    X, y = model.sample(100_000, rng)
    assert abs(model.prior - 0.5) > 0.05
    assert np.mean(y == 1) == pytest.approx(model.prior, abs=0.008)
    assert rank_loss(y, model.eta(X)) == pytest.approx(model.bayes_rank_risk, abs=0.01)


@BOTH
def test_rows_are_judged_alone(kind):
    model = kind().draw_model(np.random.default_rng(1))
    X, _ = model.sample(64, np.random.default_rng(2))
    alone = np.concatenate([model.eta(row[None]) for row in X])
    assert (alone == model.eta(X)).all()
    assert (model.eta(np.asfortranarray(X)) == model.eta(X)).all()


@BOTH
@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"p": 0}, "p=0: the share of positives must be between 0 and 1"),
        ({"p": 1.0}, "p=1.0"),
        ({"p": float("nan")}, "p=nan"),
        ({"rank_risk": 0.5}, r"rank_risk=0.5: .* in \[0, 0.5\)"),
        ({"rank_risk": -0.1}, "rank_risk=-0.1"),
        ({"d": 0}, "d=0: expected a whole number, 1 or more"),
        ({"d": 2.5}, "d=2.5"),
        ({"d": True}, "d=True"),
    ],
)
def test_bad_parameters_say_what_is_allowed(kind, parameters, message):
    with pytest.raises(ValueError, match=message):
        kind(**parameters)


def test_no_rules_are_refused():
    with pytest.raises(ValueError, match="n_rules=0"):
        Rules(n_rules=0)


@BOTH
def test_parameters_and_models_are_values(kind):
    assert kind(p=0.9) == kind(p=0.9)
    assert kind(p=0.9) != kind()
    model = kind(d=5).draw_model(np.random.default_rng(0))
    copy = pickle.loads(pickle.dumps(model))
    X, y = model.sample(20, np.random.default_rng(1))
    X2, y2 = copy.sample(20, np.random.default_rng(1))
    assert (X == X2).all()
    assert (y == y2).all()
