"""The proper losses against 400 decimal digits: values, slopes, curvatures, links, Bayes risks."""

from decimal import Decimal, localcontext

import numpy as np
import pytest
from scipy.optimize import brentq

from rankexp import registry
from rankexp.losses import parse

ONE, HALF, TWO, NEAR = Decimal(1), Decimal("0.5"), Decimal(2), Decimal("1e-20")
LARGEST, TINY = Decimal(float(np.finfo(float).max)), Decimal(float(np.finfo(float).tiny))
FAR = (1e-9, 0.3, 0.999, 1.001, 7.3, 36.7, 142.0, 177.7, 353.0, 700.0)
V = np.array([-v for v in FAR[::-1]] + [0.0, *FAR])
ETA = np.array([1e-300, 1e-12, 1e-6, 0.01, 0.2, 0.45, 0.5, 0.55, 0.8, 0.99, 1 - 1e-6, 1 - 2**-53])


@pytest.fixture(autouse=True)
def digits():
    with localcontext() as context:
        context.prec = 400
        yield


def log1pexp(v):
    return (1 + v.exp()).ln()


def logistic(v):
    return log1pexp(-v), log1pexp(v)


def exponential(v):
    return (-v).exp(), v.exp()


def p_classification(p):
    return lambda v: ((-v).exp(), (p * v).exp() / p)


def scaled_logistic(p):
    return lambda v: tuple(x / (p + 1) for x in logistic((p + 1) * v))


def asymmetric_a(v):
    root = 1 / (1 + v.exp()).sqrt()
    return ((1 + root) ** 2 * (1 + (-v).exp())).ln(), 2 * ((1 + v.exp()).sqrt() - 1)


def asymmetric_b(v):
    if v < 0:
        return log1pexp(-v) + 1 - TWO.ln(), log1pexp(v)
    return (-v / 2).exp(), (v / 2).exp() + TWO.ln() - 1


def squared(v):
    return (1 - v) ** 2, (1 + v) ** 2


def squared_hinge(v):
    return max(Decimal(0), 1 - v) ** 2, max(Decimal(0), 1 + v) ** 2


def logit(rate=ONE):
    return lambda eta: (eta / (1 - eta)).ln() / rate


def straight(eta):
    return 2 * eta - 1


EXACT = {
    "logistic": (logistic, logit(), lambda c: 1 / (c * (1 - c))),
    "exponential": (exponential, logit(TWO), lambda c: HALF / (c * (1 - c)) ** Decimal("1.5")),
    "asymmetric_a": (asymmetric_a, logit(), lambda c: 1 / (c * (1 - c) ** Decimal("1.5"))),
    "asymmetric_b": (
        *(asymmetric_b, logit()),
        lambda c: 1 / (c * (1 - c)) if c < HALF else HALF / (c * (1 - c)) ** Decimal("1.5"),
    ),
    "squared": (squared, straight, lambda c: Decimal(8)),
    "squared_hinge": (squared_hinge, straight, lambda c: Decimal(8)),
}
for p in (Decimal("0.25"), Decimal(4), Decimal(64)):
    rate = p + 1
    EXACT[f"p_classification(p={p})"] = (
        *(p_classification(p), logit(rate)),
        lambda c, r=rate: c ** (-1 - 1 / r) * (1 - c) ** (-2 + 1 / r) / r,
    )
    EXACT[f"scaled_logistic(p={p})"] = (
        *(scaled_logistic(p), logit(rate)),
        lambda c, r=rate: 1 / (r * c * (1 - c)),
    )
every = pytest.mark.parametrize("text", EXACT)


def test_every_proper_loss_is_here():
    proper = {name for name in registry.names("losses") if parse(name).proper}
    assert proper == {text.partition("(")[0] for text in EXACT}


def off(found, exact):
    """Return where numbers differ by 1e-12 or more: (place, number, exact).

    Where doubles cannot say the exact one, they must be infinite above them, next to 0 below.
    """
    pairs = list(zip(np.asarray(found).tolist(), exact, strict=True))
    return [(k, got, float(true)) for k, (got, true) in enumerate(pairs) if not near(got, true)]


def near(got, true):
    if abs(true) > LARGEST:
        return got == (np.inf if true > 0 else -np.inf)
    if abs(true) < TINY:
        return abs(got) <= 1.01 * float(TINY)
    return np.isfinite(got) and abs(Decimal(got) / true - 1) < Decimal("1e-12")


@every
def test_values_slopes_and_curvatures_to_12_digits(text):
    loss, of = parse(text), EXACT[text][0]
    both = [[of(Decimal(v) + k * NEAR) for k in (-1, 0, 1)] for v in V.tolist()]
    for y in (1.0, -1.0):
        at = [[one[y < 0] for one in three] for three in both]
        slopes = [(high - low) / (2 * NEAR) for low, _, high in at]
        bends = [(high - 2 * here + low) / NEAR**2 for low, here, high in at]
        for label in (y, np.full(V.size, y)):
            assert off(loss.value(label, V), [here for _, here, _ in at]) == []
            assert off(loss.derivative(label, V), slopes) == []
            assert off(loss.curvature(label, V), bends) == []


@every
def test_links_weights_and_bayes_risks_to_12_digits(text):
    loss, (of, link, weight) = parse(text), EXACT[text]
    etas = [Decimal(eta) for eta in ETA.tolist()]
    best = [link(eta) for eta in etas]
    middle = np.abs(ETA - 0.5) < 0.1
    np.testing.assert_allclose(
        loss.link(ETA[middle]), [float(b) for b in np.array(best)[middle]], atol=4e-16, rtol=0
    )
    assert off(loss.link(ETA[~middle]), np.array(best)[~middle]) == []
    with np.errstate(over="ignore", divide="ignore"):
        assert off(loss.weight(ETA), [weight(eta) for eta in etas]) == []
    risks = [eta * of(v)[0] + (1 - eta) * of(v)[1] for eta, v in zip(etas, best, strict=True)]
    assert off(loss.bayes_risk(ETA), risks) == []


@every
def test_the_inverse_link_to_12_digits(text):
    loss = parse(text)
    exact = [(1 + Decimal(v)) / 2 for v in V.tolist()]
    if loss.link(np.array(0.9)) != pytest.approx(0.8):
        rate = 1 / EXACT[text][1](ONE.exp() / (1 + ONE.exp()))
        exact = [1 / (1 + (-rate * Decimal(v)).exp()) for v in V.tolist()]
    assert off(loss.inverse_link(V), [min(max(q, Decimal(0)), ONE) for q in exact]) == []


@every
def test_at_the_ends_nothing_is_no_number(text):
    loss, ends = parse(text), np.array([0.0, 1.0])
    with np.errstate(all="raise", under="ignore"):
        np.testing.assert_array_equal(loss.bayes_risk(ends), 0.0)
        assert np.isnan(loss.bayes_risk(np.array([-0.1, 1.1, np.nan]))).all()
        v = loss.link(ends)
        np.testing.assert_array_equal(loss.inverse_link(v), ends)
        np.testing.assert_array_equal(loss.value(1.0, v[1:]), 0.0)
        np.testing.assert_array_equal(loss.value(-1.0, v[:1]), 0.0)
    with np.errstate(divide="ignore"):
        at = loss.weight(ends)
    assert not np.isnan(at).any()
    assert (at >= loss.weight(np.array([0.5]))).all()


@every
def test_the_conditional_risk_is_least_at_the_link(text):
    loss = parse(text)
    etas = np.concatenate(([1e-6, 1e-4], np.linspace(0.01, 0.99, 50), [1 - 1e-4, 1 - 1e-6]))
    for eta in etas.tolist():
        link = float(loss.link(np.array(eta)))

        def slope(v, eta=eta):
            v = np.array(v)
            return float(eta * loss.derivative(1.0, v) + (1 - eta) * loss.derivative(-1.0, v))

        assert brentq(slope, link - 0.7, link + 0.9, xtol=1e-12) == pytest.approx(link, abs=1e-7)
        near = link + np.array([-1e-3, 0.0, 1e-3])
        risk = eta * loss.value(1.0, near) + (1 - eta) * loss.value(-1.0, near)
        assert risk.argmin() == 1


@every
@pytest.mark.parametrize("y", [1.0, -1.0])
def test_both_partial_losses_are_convex(text, y):
    loss, v = (
        parse(text),
        np.concatenate((np.linspace(-700, 700, 20_001), np.linspace(-3, 3, 999))),
    )
    v.sort()
    slope, bend = loss.derivative(y, v), loss.curvature(y, v)
    assert not np.isnan(slope).any()
    assert (bend >= 0.0).all()
    finite = np.isfinite(slope)
    assert (np.diff(slope[finite]) >= -1e-15 * np.abs(slope[finite][1:])).all()
    assert (slope[~finite] == y * -np.inf).all()
