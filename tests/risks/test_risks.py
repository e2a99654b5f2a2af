"""Losses × risks: the computed table, new losses in one file, groups and weights."""

import sys
import types
from dataclasses import replace
from importlib.metadata import EntryPoint

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankexp import registry
from rankexp.errors import ClassOrderWarning
from rankexp.estimators import KernelRanker, LinearRanker
from rankexp.losses import Exponential, Hinge, Logistic, Loss, MarginLoss
from rankexp.losses import parse as loss_of
from rankexp.risks import Bipartite, Classification, Multipartite, Risk, table
from rankexp.risks import parse as risk_of
from rankexp.solvers.smooth.path import smooth_path

COSTS = np.array([[0.0, 1.0, 3.0], [0.0, 0.0, 2.0], [0.0, 0.0, 0.0]])
SMOOTH = ("exponential", "logistic", "squared_hinge")
PROPER = ("asymmetric_a", "asymmetric_b", "p_classification", "scaled_logistic", "squared")


class HuberisedHinge(MarginLoss):
    """The hinge with a parabola of width delta in place of the kink."""

    proper = False

    def __init__(self, delta: float = 0.5) -> None:
        self.delta = float(delta)

    def of_margin(self, z):
        u = 1.0 - z
        return np.where(
            u > self.delta, u - self.delta / 2, np.maximum(u, 0.0) ** 2 / (2 * self.delta)
        )

    def margin_derivative(self, z):
        return -np.clip((1.0 - z) / self.delta, 0.0, 1.0)

    def margin_curvature(self, z):
        return np.where(np.abs(1.0 - z - self.delta / 2) < self.delta / 2, 1.0 / self.delta, 0.0)


class PClassification(Loss):
    """``exp(-v)`` of positives and ``exp(p v) / p`` of negatives: proper, and not symmetric."""

    bounds_zero_one = False

    def __init__(self, p: float = 4.0) -> None:
        self.p = float(p)

    def value(self, y, v):
        return np.where(y > 0, np.exp(-v), np.exp(self.p * v) / self.p)

    def derivative(self, y, v):
        return np.where(y > 0, -np.exp(-v), np.exp(self.p * v))

    def curvature(self, y, v):
        return np.where(y > 0, np.exp(-v), self.p * np.exp(self.p * v))


class KinkedLoss(HuberisedHinge):
    """Convex with kinks, and not the hinge."""

    smooth = False


class Turned(Classification):
    """Another package's risk: the wrong way round, a share of it."""

    takes = frozenset()
    reason = "it is turned"

    def __init__(self, share: float = 0.5) -> None:
        self.share = float(share)

    def solve(self, task):
        return smooth_path(task.X, task.level == 0, task.loss, task.lams / self.share)


@pytest.fixture
def theirs(monkeypatch):
    """Install another package that offers two losses and a risk, each in one line."""
    offered = {
        "losses": {
            "huberised": HuberisedHinge,
            "p_classes": PClassification,
            "kinked": KinkedLoss,
        },
        "risks": {"turned": Turned},
    }
    module = types.ModuleType("their_package")
    points = []
    for room, things in offered.items():
        for name, thing in things.items():
            setattr(module, thing.__name__, thing)
            value = f"their_package:{thing.__name__}"
            points.append(EntryPoint(name, value, f"rankexp.{room}"))
    monkeypatch.setitem(sys.modules, "their_package", module)
    monkeypatch.setattr(
        registry, "entry_points", lambda group: [p for p in points if p.group == group]
    )
    registry._room.cache_clear()
    yield
    registry._room.cache_clear()


def make(n=60, d=3, levels=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    f = X @ rng.normal(size=d) + rng.normal(size=n)
    y = np.searchsorted(np.quantile(f, np.arange(1, levels) / levels), f)
    return X, y, rng.integers(0, 4, n)


# ---- The table ------------------------------------------------------------------------------


POINTS_AND_PAIRS = ("bipartite", "classification", "multipartite", "push")


def test_the_table_is_computed_from_properties():
    known = {(loss, risk): reason for (loss, risk), reason in table().items()}
    assert {cell for cell, reason in known.items() if reason is None} == {
        *((loss, risk) for loss in (*SMOOTH, *PROPER) for risk in POINTS_AND_PAIRS),
        ("logistic", "listwise"),
        *(("hinge", risk) for risk in ("bipartite", "classification", "multipartite")),
    }
    assert known["hinge", "push"].startswith("it has kinks")
    assert {known["zero_one", risk] for risk in registry.names("risks")} == {"it is not convex"}
    assert set(LinearRanker.combinations()) == {c for c, reason in known.items() if reason is None}
    assert {r for _, r in KernelRanker.combinations()} == {"bipartite", "multipartite"}


def test_the_table_grows_by_what_other_packages_offer(theirs):
    known = table()
    for risk in ("classification", "bipartite", "multipartite"):
        assert known["huberised", risk] is known["p_classes", risk] is None
        assert "kinks" in known["kinked", risk]
    assert known["logistic", "turned"] is None
    assert ("huberised", "bipartite") in LinearRanker.combinations()


def test_losses_and_risks_are_values(theirs):
    assert loss_of("hinge") == Hinge() != loss_of("logistic")
    assert repr(Hinge()) == "hinge"
    assert risk_of("bipartite") == Bipartite()
    assert risk_of(Bipartite()) == Bipartite() != Multipartite()
    for text in ("huberised", "huberised(delta=0.25)", "p_classes(p=8.0)"):
        loss = loss_of(text)
        assert repr(loss) == text
        assert loss_of(repr(loss)) == loss
        assert hash(loss_of(repr(loss))) == hash(loss)
    assert loss_of("huberised(delta=1)") == HuberisedHinge(1) == HuberisedHinge(1.0)
    assert loss_of("huberised(delta=1)") != loss_of("huberised")
    assert repr(risk_of("turned(share=0.25)")) == "turned(share=0.25)"
    assert loss_of("huberised(delta=0.5)") == loss_of("huberised")


@pytest.mark.parametrize(
    ("loss", "risk", "message"),
    [
        ("huberisd", "bipartite", "unknown loss 'huberisd'.*did you mean 'huberised'"),
        ("huberised(d=1)", "bipartite", "no parameter 'd'.*known: delta"),
        ("huberised(delta=a)", "bipartite", "delta: expected float, got 'a'"),
        ("hinge(p=1)", "bipartite", "loss 'hinge' has no parameter 'p'; known: none"),
        ("hinge@3", "bipartite", "no cutoff"),
        ("hinge(", "bipartite", "is not a loss"),
        (3, "bipartite", "expected a loss or its name, got 3; known: .*hinge"),
        (None, "bipartite", "expected a loss or its name"),
        (Hinge, "bipartite", "expected a loss or its name"),
        ("hinge", Hinge(), "expected a risk or its name"),
        ("hinge", ["bipartite"], "expected a risk or its name"),
        ("zero_one", "bipartite", "not convex.*zero_one goes with no risk"),
        ("kinked", "bipartite", "has kinks.*bipartite takes .*hinge.*huberised"),
    ],
)
def test_what_does_not_go_together_is_said_at_once(theirs, loss, risk, message):
    with pytest.raises(ValueError, match=message):
        LinearRanker(loss=loss, risk=risk).check()
    with pytest.raises(ValueError, match=message):
        KernelRanker(loss=loss, risk=risk).check()


# ---- A loss in one file ---------------------------------------------------------------------


def pairs_of(y, costs, groups):
    i, j = np.nonzero((y[:, None] > y[None]) & (groups[:, None] == groups[None]))
    return i, j, costs[y[j], y[i]]


def objective_and_gradient(loss, risk, X, y, groups, theta, lam):
    """Return the objective and its gradient by brute force, over (w, b) for classification."""
    w = theta[: X.shape[1]]
    if risk == "classification":
        sign = np.where(y > 0, 1.0, -1.0)
        A, weight = np.c_[X, np.ones(len(X))], np.full(len(X), 1.0 / len(X))
        values, slopes = loss.value(sign, A @ theta), loss.derivative(sign, A @ theta)
    else:
        i, j, cost = pairs_of(y, COSTS if risk == "multipartite" else np.ones((2, 2)), groups)
        A, weight = X[i] - X[j], cost / cost.sum()
        up, down = np.ones(len(A)), -np.ones(len(A))
        v = A @ theta
        values = 0.5 * (loss.value(up, v) + loss.value(down, -v))
        slopes = 0.5 * (loss.derivative(up, v) - loss.derivative(down, -v))
    penalty = np.r_[lam * w, np.zeros(len(theta) - len(w))]
    return weight @ values + lam / 2 * w @ w, A.T @ (weight * slopes) + penalty


@pytest.mark.parametrize(
    ("risk", "grouped"),
    [
        ("classification", False),
        *((risk, grouped) for risk in ("bipartite", "multipartite") for grouped in (False, True)),
    ],
)
@pytest.mark.parametrize("text", ["huberised(delta=0.3)", "p_classes(p=2.0)", *SMOOTH])
def test_a_loss_in_one_file_trains_under_every_risk(theirs, text, risk, grouped):
    lam, loss = 0.05, loss_of(text)
    X, y, groups = make(levels=3 if risk == "multipartite" else 2)
    if not grouped:
        groups = np.zeros_like(groups)
    made = LinearRanker(loss=text, risk=risk, lam=lam, tol=1e-10, costs=COSTS)
    found = made.fit(X, y, groups=groups if grouped else None)
    theta = found.coef_[0]
    if risk == "classification":
        theta = np.r_[theta, found.intercept_]
    value, gradient = objective_and_gradient(loss, risk, X, y, groups, theta, lam)
    assert found.objective_ == pytest.approx(value, rel=1e-9)
    assert gradient @ gradient / (2 * lam) <= 1e-8 * value
    assert found.gap_ <= 1e-10
    same = LinearRanker(loss=loss, risk=risk_of(risk), lam=lam, tol=1e-10, costs=COSTS)
    same.fit(X, y, groups=groups if grouped else None)
    np.testing.assert_array_equal(same.coef_, found.coef_)


@pytest.mark.parametrize("risk", ["classification", "bipartite"])
@pytest.mark.parametrize("lam", [0.0, 1e-3, 1e3])
def test_a_start_without_any_curvature_is_left(theirs, risk, lam):
    """At 0 all margins lie where the Huberised hinge is straight."""
    X, y, groups = make(levels=2, n=200)
    found = LinearRanker(loss="huberised(delta=0.3)", risk=risk, lam=lam, tol=1e-9).fit(X, y)
    theta = found.coef_[0] if risk == "bipartite" else np.r_[found.coef_[0], found.intercept_]
    loss = HuberisedHinge(0.3)
    value, gradient = objective_and_gradient(loss, risk, X, y, 0 * groups, theta, lam)
    assert found.objective_ == pytest.approx(value, rel=1e-9)
    assert np.abs(gradient).max() <= 1e-4 * min(1.0, max(lam, 0.1))


@pytest.mark.parametrize("text", ["huberised(delta=0.3)", "p_classes(p=2.0)"])
def test_a_loss_in_one_file_trains_in_a_kernel_space(theirs, text):
    X, y, _ = make(levels=2)
    kernel = KernelRanker(kernel="linear", loss=text, lam=0.05, tol=1e-9).fit(X, y)
    linear = LinearRanker(loss=text, risk="bipartite", lam=0.05, tol=1e-10).fit(X, y)
    assert kernel.objective_ == pytest.approx(linear.objective_, rel=1e-8)


def test_a_risk_in_one_file_trains(theirs):
    X, y, _ = make(levels=2)
    found = LinearRanker(loss="logistic", risk="turned(share=0.25)", lam=0.1).fit(X, y)
    plain = LinearRanker(loss="logistic", lam=0.4, tol=1e-10).fit(X, y)
    np.testing.assert_allclose(found.coef_, -plain.coef_, atol=1e-3)
    assert found.takes() == frozenset()
    with pytest.raises(ValueError, match=r"turned.*takes no groups: it is turned"):
        found.fit(X, y, groups=y)


def test_rankers_of_values_are_cloned_and_pickled(theirs):
    import pickle

    from sklearn.base import clone

    made = LinearRanker(loss=Exponential(), risk=Bipartite(), lam=0.1)
    again = clone(made)
    assert again.loss == Exponential()
    assert again.risk == Bipartite()
    X, y, _ = make(levels=2)
    fitted = pickle.loads(pickle.dumps(again.fit(X, y)))
    assert fitted.combinations() == LinearRanker.combinations()
    np.testing.assert_array_equal(fitted.coef_, made.fit(X, y).coef_)


# ---- Groups and weights ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ranker", "taken"),
    [
        (LinearRanker(), {"sample_weight"}),
        (LinearRanker(loss="hinge", risk="bipartite"), {"groups", "sample_weight"}),
        (LinearRanker(loss="hinge", risk="multipartite"), {"groups", "sample_weight"}),
        (LinearRanker(loss="hinge", risk=Multipartite()), {"groups", "sample_weight"}),
        (KernelRanker(), {"groups"}),
        (KernelRanker(risk="multipartite"), {"groups"}),
    ],
)
def test_a_ranker_says_what_it_takes(ranker, taken):
    assert ranker.takes() == taken
    with pytest.raises(ValueError, match="unknown risk"):
        type(ranker)(risk="bipartit").takes()


@pytest.mark.parametrize("loss", [*SMOOTH, "hinge"])
@pytest.mark.parametrize("estimator", [LinearRanker, KernelRanker])
def test_the_bipartite_risk_takes_groups(loss, estimator):
    X, y, groups = make(levels=2, n=40)
    kernel = {"kernel": "linear"} if estimator is KernelRanker else {}
    settings = {"loss": loss, "lam": 0.05, "tol": 1e-8, **kernel}
    two = estimator(**settings, risk="bipartite").fit(X, y, groups=groups)
    ordered = estimator(**settings, risk="multipartite").fit(X, y, groups=groups)
    assert two.objective_ == pytest.approx(ordered.objective_, rel=1e-9)
    i, j, _ = pairs_of(y, np.ones((2, 2)), groups)
    f = two.decision_function(X)
    risk = loss_of(loss).value(1.0, f[i] - f[j]).mean()
    w = np.linalg.lstsq(np.c_[X, np.ones(40)], f, rcond=None)[0][:3]
    assert two.objective_ == pytest.approx(risk + 0.025 * w @ w, rel=1e-6)
    whole = estimator(**settings, risk="bipartite").fit(X, y)
    assert whole.objective_ != pytest.approx(two.objective_, rel=1e-4)
    assert set(two.predict(X)) <= {0, 1}
    with pytest.raises(ValueError, match="there is no pair of two levels"):
        two.fit(X, y, groups=y)


def test_what_a_risk_has_no_use_for_is_refused():
    X, y, groups = make(levels=2)
    for call in (
        LinearRanker().fit,
        lambda X, y, **more: LinearRanker().path(X, y, [1.0], **more),
    ):
        with pytest.raises(ValueError, match=r"takes no groups: .*no pairs; risk='bipartite' or"):
            call(X, y, groups=groups)


weights = st.lists(st.integers(0, 3), min_size=20, max_size=20)


@settings(max_examples=30)
@given(
    times=weights,
    loss=st.sampled_from(SMOOTH),
    balance=st.sampled_from([None, "balanced", {0: 2.0, 1: 0.3}]),
    unit=st.sampled_from([1.0, 1e-300, 1e300, 0.1]),
)
def test_a_weight_is_so_many_copies(times, loss, balance, unit):
    X, y, _ = make(n=20, levels=2)
    times = np.array(times)
    if len(set(y[times > 0])) < 2:
        times[:] = 1
    ranker = LinearRanker(loss=loss, lam=0.05, tol=1e-12, class_weight=balance)
    X_copied, y_copied = np.repeat(X, times, axis=0), np.repeat(y, times)
    copies = ranker.fit(X_copied, y_copied)
    there = copies.coef_, copies.intercept_, copies.objective_, copies.predict(X)
    by_path = ranker.path(X_copied, y_copied, [0.05, 1.0])
    weighted = ranker.fit(X, y, sample_weight=unit * times)
    np.testing.assert_allclose(weighted.coef_, there[0], atol=1e-6)
    np.testing.assert_allclose(weighted.intercept_, there[1], atol=1e-6)
    assert weighted.objective_ == pytest.approx(there[2], rel=1e-9)
    path = ranker.path(X, y, [0.05, 1.0], sample_weight=unit * times)
    np.testing.assert_allclose(path.objective, by_path.objective, rtol=1e-9)
    if unit == 1.0:
        near = np.abs(weighted.decision_function(X)) < 1e-5
        np.testing.assert_array_equal(weighted.predict(X)[~near], there[3][~near])


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (np.zeros(60), "all sample weights are 0|at least one non-zero"),
        (-np.ones(60), "[Nn]egative"),
        (np.full(60, np.nan), "NaN"),
        (np.full(60, np.inf), "infinity"),
        (np.ones(59), "shape"),
    ],
)
def test_impossible_weights(wrong, message):
    X, y, _ = make(levels=2)
    with pytest.raises(ValueError, match=message):
        LinearRanker().fit(X, y, sample_weight=wrong)
    with pytest.raises(ValueError, match="only one class"):
        LinearRanker().fit(X, y, sample_weight=y)


def test_weights_of_classes_are_by_label_whatever_their_order():
    X, y, _ = make(levels=2)
    names = np.where(y > 0, "a", "b")
    heavy = {"a": 5.0, "b": 1.0}
    by_alphabet = LinearRanker(class_weight=heavy, tol=1e-10).fit(X, names)
    with pytest.warns(ClassOrderWarning):
        turned = LinearRanker(class_weight=heavy, tol=1e-10, levels=["b", "a"]).fit(X, names)
    np.testing.assert_allclose(turned.coef_, by_alphabet.coef_, atol=1e-6)
    np.testing.assert_allclose(turned.rank_scores(X), -by_alphabet.rank_scores(X), atol=1e-5)


def test_every_risk_declares_itself():
    for name in registry.names("risks"):
        risk = risk_of(name)
        assert isinstance(risk, Risk)
        assert repr(risk) == name
        assert risk.takes <= {"sample_weight", "groups"}
        assert risk.reason.startswith("it is ")
        assert risk.accepts(Logistic()) is None


def test_losses_with_odd_parameters_are_values_too():
    assert HuberisedHinge(np.float64(0.25)) == HuberisedHinge(0.25)
    kept = PClassification()
    kept.p = np.int64(2)
    assert kept == PClassification(2.0)
    kept.p = [2]
    assert kept != PClassification(2.0)
    assert repr(kept) == "PClassification({'p': [2]})"


@pytest.mark.parametrize(("loss", "risk"), [("logistic", Classification), ("hinge", Bipartite)])
def test_norms_are_not_taken_for_those_of_other_rows(loss, risk):
    """A risk that fits other rows than it was given, as one that scales columns may."""

    class Scaled(risk):
        def solve(self, task):
            return super().solve(replace(task, X=1e4 * task.X))

    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 120)) + 0.1
    y = X[:, 0] + rng.normal(size=300) > 0.1
    found = LinearRanker(loss=loss, risk=Scaled(), lam=1.0).fit(X, y)
    right = LinearRanker(loss=loss, risk=risk(), lam=1.0).fit(1e4 * X, y)
    np.testing.assert_array_equal(found.coef_, right.coef_)
    assert found.gap_ == right.gap_
