"""The proper composite family of menon2014: weights, links, Bayes risks, extreme scores."""

import numpy as np
import pytest

from rankexp.losses import Loss, parse
from rankexp.losses.composite import Composite

WEIGHTS = {
    "logistic": lambda c, d: 1 / (c * d),
    "exponential": lambda c, d: 0.5 * (c * d) ** -1.5,
    "squared_hinge": lambda c, d: 8.0 + 0 * c,
    "squared": lambda c, d: 8.0 + 0 * c,
    "p_classification": lambda c, d: c ** (-1 - 1 / 5) * d ** (-2 + 1 / 5) / 5,
    "p_classification(p=1)": lambda c, d: 0.5 * (c * d) ** -1.5,
    "scaled_logistic": lambda c, d: 1 / (5 * c * d),
    "scaled_logistic(p=0)": lambda c, d: 1 / (c * d),
    "asymmetric_a": lambda c, d: 1 / (c * d**1.5),
    "asymmetric_b": lambda c, d: np.where(c < d, 1 / (c * d), 0.5 * (c * d) ** -1.5),
}
"""As menon2014 defines them, with d = 1 - c."""
ETA = np.array([1e-6, 1e-3, 0.05, 0.3, 0.49, 0.5, 0.51, 0.8, 0.99, 0.999, 1 - 1e-6])


def test_every_proper_loss_has_its_weight_here():
    from rankexp import registry

    proper = {name for name in registry.names("losses") if parse(name).proper}
    assert proper == {text.partition("(")[0] for text in WEIGHTS}


@pytest.mark.parametrize("text", WEIGHTS)
def test_a_closed_form_is_the_integral_of_its_weight(text):
    loss = parse(text)
    made = Composite(WEIGHTS[text], loss.link, loss.inverse_link)
    v = loss.link(ETA)
    for y in (1.0, -1.0, np.where(ETA < 0.4, 1.0, -1.0)):
        np.testing.assert_allclose(made.value(y, v), loss.value(y, v), rtol=1e-10, atol=1e-12)
        mid = (ETA > 1e-4) & (ETA < 1 - 1e-4)  # beyond, rounding of the quotients
        slopes = made.derivative(y, v)[mid], loss.derivative(y, v)[mid]
        np.testing.assert_allclose(*slopes, rtol=1e-8)
        inner = (ETA > 0.01) & (ETA < 0.99) & (ETA != 0.5)  # where a third derivative may jump
        sign = np.broadcast_to(y, ETA.shape)[inner]
        bends = made.curvature(sign, v[inner]), loss.curvature(sign, v[inner])
        np.testing.assert_allclose(*bends, rtol=1e-5)
    np.testing.assert_allclose(made.bayes_risk(ETA), loss.bayes_risk(ETA), rtol=1e-10)
    np.testing.assert_allclose(made.weight(ETA), loss.weight(ETA), rtol=1e-12)


def test_a_composite_trains():
    from rankexp.estimators import LinearRanker

    rng = np.random.default_rng(0)
    X = rng.standard_normal((30, 2))
    y = X[:, 0] + rng.standard_normal(30) > 0
    loss = parse("asymmetric_a")
    made = Composite(WEIGHTS["asymmetric_a"], loss.link, loss.inverse_link)
    found = LinearRanker(loss=made, lam=0.1, tol=1e-9).fit(X, y)
    same = LinearRanker(loss=loss, lam=0.1, tol=1e-9).fit(X, y)
    np.testing.assert_allclose(found.coef_, same.coef_, atol=1e-6)


@pytest.mark.parametrize("text", WEIGHTS)
def test_the_bayes_risk_is_the_least_risk_and_concave(text):
    loss, v = parse(text), np.linspace(-9.0, 9.0, 40_001)
    for eta in (0.02, 0.3, 0.5, 0.9):
        least = (eta * loss.value(1.0, v) + (1 - eta) * loss.value(-1.0, v)).min()
        assert loss.bayes_risk(np.array(eta)) == pytest.approx(least, rel=1e-6)
    along = loss.bayes_risk(np.linspace(0.0, 1.0, 101))
    assert along[0] == along[-1] == 0.0
    assert (np.diff(along, 2) < 1e-12).all()


def test_bayes_risks_that_have_a_name():
    eta = np.linspace(0.01, 0.99, 50)
    entropy = -eta * np.log(eta) - (1 - eta) * np.log1p(-eta)
    np.testing.assert_allclose(parse("logistic").bayes_risk(eta), entropy, rtol=1e-12)
    gini = 4 * eta * (1 - eta)
    np.testing.assert_allclose(parse("squared").bayes_risk(eta), gini, rtol=1e-12)
    bhattacharyya = 2 * np.sqrt(eta * (1 - eta))
    np.testing.assert_allclose(parse("exponential").bayes_risk(eta), bhattacharyya, rtol=1e-12)
    with pytest.raises(NotImplementedError, match="Hinge has no link"):
        parse("hinge").bayes_risk(eta)


def test_the_best_pair_score_is_a_difference_of_logits():
    """``eta_pair = sigma(logit eta(x) - logit eta(x'))``, whatever the rate of the link."""
    rng = np.random.default_rng(0)
    one, other = rng.uniform(0.001, 0.999, (2, 1000))
    up, down = one * (1 - other), (1 - one) * other
    for text in ("logistic", "exponential", "p_classification(p=2)", "asymmetric_b"):
        loss = parse(text)
        of_pair = loss.inverse_link(loss.link(one) - loss.link(other))
        np.testing.assert_allclose(of_pair, up / (up + down), rtol=1e-12)


def test_asymmetric_losses_keep_their_tails():
    a, far = parse("asymmetric_a"), np.array([-600.0, 600.0])
    np.testing.assert_allclose(a.value(1.0, far), [600 + 2 * np.log(2), 2 * np.exp(-300.0)])
    np.testing.assert_allclose(a.value(-1.0, far), [np.exp(-600.0), 2 * np.exp(300.0)])
    b = parse("asymmetric_b")
    np.testing.assert_allclose(b.value(1.0, far), [601 - np.log(2), np.exp(-300.0)])
    np.testing.assert_allclose(b.value(-1.0, np.array([-600.0])), [np.exp(-600.0)])
    for y in (1.0, -1.0):
        at_0 = b.value(y, np.array([-1e-12, 1e-12]))
        assert at_0[0] == pytest.approx(at_0[1], abs=1e-11)


def test_special_cases():
    v = np.linspace(-5, 5, 11)
    for y in (1.0, -1.0):
        one, same = parse("p_classification(p=1)"), parse("exponential")
        np.testing.assert_allclose(one.value(y, v), same.value(y, v), rtol=1e-15)
        one, same = parse("scaled_logistic(p=0)"), parse("logistic")
        np.testing.assert_array_equal(one.value(y, v), same.value(y, v))


@pytest.mark.parametrize("text", ["p_classification(p=0)", "scaled_logistic(p=-1)"])
def test_a_power_out_of_range_is_refused(text):
    with pytest.raises(ValueError, match=r"p=.*expected a number from"):
        Loss.parse(text)


@pytest.mark.parametrize(
    "text", ["logistic", "scaled_logistic", "p_classification(p=2.5)", "asymmetric_a"]
)
def test_parts_add_up_to_the_loss(text):
    loss, D = parse(text), np.linspace(-30.0, 30.0, 301)
    wholes = {
        "pair": 0.5 * (loss.value(1.0, D) + loss.value(-1.0, -D)),
        "positive": loss.value(1.0, D),
    }
    for of, whole in wholes.items():
        found = sum(f * part.of_margin(rate * D) for f, rate, part in loss.parts(of))
        np.testing.assert_allclose(found, whole, rtol=1e-13, atol=1e-14)
        for _, _, part in loss.parts(of):
            near = D[np.abs(D) < 15]
            slope = (part.of_margin(near + 1e-6) - part.of_margin(near - 1e-6)) / 2e-6
            np.testing.assert_allclose(part.margin_derivative(near), slope, rtol=1e-5, atol=1e-8)
            bend = (
                part.margin_derivative(near + 1e-6) - part.margin_derivative(near - 1e-6)
            ) / 2e-6
            np.testing.assert_allclose(part.margin_curvature(near), bend, rtol=1e-5, atol=1e-8)
