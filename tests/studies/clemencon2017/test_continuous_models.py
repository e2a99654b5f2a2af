import numpy as np
import pytest
from scipy.integrate import quad

from rankexp.generators import ExponentialFamily, Folded, Polynomial, Regression
from rankexp.metrics import d_tau, iauc
from rankexp.studies.clemencon2017.generators.regression import polynomial

RNG = np.random.default_rng


def test_the_polynomial_is_the_paper_s():
    model = Polynomial().draw_model(RNG(0))
    assert model.mean(np.array([[0.0], [1.0]])).tolist() == [0.0, 1.0]
    assert polynomial(np.array([0.5, 0.46, 0.44, 0.42])) == pytest.approx(0, abs=1e-14)
    assert polynomial(np.array([0.6]))[0] == pytest.approx(2.5**2 * 3.5 * 4 * 4.5)


def test_the_polynomial_oscillates_in_the_window():
    """By 1.1e-6 in all around .32645, turning at .4273, .4497, .479 and .5."""
    model = Polynomial().draw_model(RNG(0))
    x = np.linspace(0.415, 0.51, 200_001)
    m = model.mean(x[:, None])
    assert m.max() - m.min() == pytest.approx(1.1e-6, abs=5e-8)
    assert m.mean() == pytest.approx(0.32645, abs=5e-6)
    rising = m[200::200] > m[:-200:200]
    turns = x[200:-200:200][rising[1:] != rising[:-1]]
    assert turns == pytest.approx([0.4273, 0.4497, 0.479, 0.5], abs=2e-4)
    swings = np.abs(np.diff(model.mean(np.array([[0.4273], [0.4497], [0.479], [0.5]]))))
    assert (swings > 2.5e-7).all()
    assert (swings < 4.5e-7).all()


def test_most_of_x_is_in_the_window():
    X, y = Polynomial().draw_model(RNG(0)).sample(50_000, RNG(1))
    x = X[:, 0]
    assert np.mean(x < 0.415) == pytest.approx(0.1, abs=0.007)
    assert np.mean(x > 0.51) == pytest.approx(0.1, abs=0.007)
    assert np.mean(x[x < 0.415]) == pytest.approx(0.2075, abs=0.01)
    assert (x >= 0).all()
    assert (x <= 1).all()
    assert len(np.unique(y)) > 49_990
    assert (y == Polynomial().draw_model(RNG(5)).mean(X)).all()


@pytest.mark.parametrize("shape", ["linear", "waves"])
def test_regression_has_unit_signal_and_the_noise_asked_for(shape):
    model = Regression(d=4, noise=0.3, shape=shape).draw_model(RNG(0))
    X, y = model.sample(100_000, RNG(1))
    m = model.mean(X)
    assert np.std(m) == pytest.approx(1, abs=0.01)
    assert np.mean(m) == pytest.approx(0, abs=0.02)
    assert np.std(y - m) == pytest.approx(0.3, abs=0.005)
    assert abs(np.corrcoef(m, y - m)[0, 1]) < 0.02
    exact = Regression(noise=0, shape=shape).draw_model(RNG(0))
    X, y = exact.sample(500, RNG(1))
    assert iauc(y, exact.mean(X)) == d_tau(y, exact.mean(X)) == 1


@pytest.mark.parametrize(
    "generator",
    [Regression(noise=1), Regression(noise=0.5, shape="waves"), ExponentialFamily()],
    ids=["linear", "waves", "exponential family"],
)
def test_the_mean_is_an_optimal_scorer(generator):
    """No scorer bent away from it has a greater IAUC or tau, up to the noise of the draws."""
    model = generator.draw_model(RNG(2))
    X, y = model.sample(20_000, RNG(3))
    m = model.mean(X)
    bent = [m + 0.5 * np.std(m) * (2 * X[:, 0] - 1), np.abs(m - np.median(m)), np.round(m)]
    for measure in (iauc, d_tau):
        best = measure(y, m)
        assert best == pytest.approx(measure(y, np.exp(m)), abs=1e-14)
        assert all(measure(y, s) < best for s in bent)


def weighted(k, t, power):
    return k**power * np.exp(-((k - t) ** 2) / 2)


@pytest.mark.parametrize("strength", [0.5, 3.0, 50.0])
def test_the_mean_of_the_exponential_family_by_quadrature(strength):
    model = ExponentialFamily(d=1, strength=strength).draw_model(RNG(0))
    u = model.direction[0]
    for t in (-strength - 2, -0.7, 0.0, 0.3, strength, strength + 3):
        low, high = np.clip([t - 10, t + 10], -strength, strength)
        mass, first = (
            quad(weighted, low, high, args=(t, power), epsrel=1e-11)[0] for power in (0, 1)
        )
        expected = 0.5 + first / mass / (2 * strength)
        assert model.mean(np.array([[t * u]]))[0] == pytest.approx(expected, abs=1e-8)


def test_the_mean_of_the_exponential_family_far_away():
    model = ExponentialFamily(d=1, strength=2).draw_model(RNG(0))
    m = model.mean(np.array([[-1e6], [-50.0], [50.0], [1e6]]) * model.direction[0])
    assert np.isfinite(m).all()
    assert ((m >= 0) & (m <= 1)).all()
    assert m == pytest.approx([0, 0, 1, 1], abs=0.01)


def test_ratio_of_the_counter_example_by_quadrature():
    model = Folded().draw_model(RNG(0))

    def density(u, x):
        return np.exp(-((x / u - 1) ** 2) / 2) / u

    for x in (-3.0, -0.5, -0.01, 0.1, 1.0, 3.0):
        inner, outer = (
            quad(density, low, high, args=(x,), limit=200)[0]
            for low, high in ((1e-12, 0.6), (0.6, 1))
        )
        expected = (inner + outer / 2) / 0.8 / (outer / 2 / 0.2)
        ratio = model.ratio(np.array([[x]]), 0.2)
        assert ratio == pytest.approx(expected, rel=1e-6)
        assert model.ratio(np.array([[x]]), 0.8) == pytest.approx(1 / expected, rel=1e-6)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Regression(d=0), "d=0: expected a whole number"),
        (lambda: Regression(noise=-1), "noise=-1: expected a number >= 0"),
        (lambda: Regression(noise=float("nan")), "noise=nan"),
        (lambda: Regression(shape="cubic"), "shape='cubic': expected linear or waves"),
        (lambda: ExponentialFamily(d=1.5), "d=1.5"),
        (lambda: ExponentialFamily(strength=0), "strength=0: expected a number > 0"),
    ],
)
def test_bad_parameters_say_what_is_allowed(make, message):
    with pytest.raises(ValueError, match=message):
        make()
