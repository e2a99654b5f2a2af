"""Count how often bounds of ranking errors fail, and by how much they are too large."""

from typing import Literal
from warnings import catch_warnings

import numpy as np
from scipy.stats import binom
from sklearn.exceptions import ConvergenceWarning

from rankexp.arrays import Floats, Ints
from rankexp.checks.check import Rows, quantities
from rankexp.estimators.linear import LinearRanker
from rankexp.estimators.linear_of_pairs import RankPerceptron
from rankexp.estimators.rank_boost import RankBoost
from rankexp.registry import did_you_mean
from rankexp.studies.mohri2018.margin_cases import Case, ensemble_case, kernel_case, linear_case
from rankexp.studies.mohri2018.theory import auc_bounds as auc
from rankexp.studies.mohri2018.theory.boosting_bounds import (
    normalisers,
    round_shares,
    training_error_bound,
)
from rankexp.studies.mohri2018.theory.margin_bounds import (
    empirical_margin_loss,
    ensemble_margins,
    kernel_margin_bound,
    margin_bound,
    pair_margins,
    perceptron_bound,
    uniform_margin_bound,
)
from rankexp.studies.mohri2018.theory.rademacher import empirical_rademacher, linear_ball

REGISTER = {"bound_violations": "bound_violations", "margin_bounds": "margin_bounds"}

Interval = Literal["hoeffding", "mcdiarmid", "delong", "bootstrap"]
ROUNDING = 1e-12
COPIES = 20  # of each example, where they are not independent
DRAWS = 200  # of the bootstrap
TAIL = 0.001  # chance of more violations than allowed, were each as likely as delta


def bound_violations(
    rng: np.random.Generator,
    *,
    bound: str = "training_error",
    cases: int = 100,
    delta: float = 0.05,
    broken: bool = False,
) -> Rows:
    """Count the random cases in which a bound of mohri2018, chapter 10, does not hold.

    The bounds for linear scorers are "margin", "empirical_margin" and "uniform_margin" ((10.5),
    (10.6) and exercise 10.1), "kernel_margin" (10.7) and "ensemble_margin" (10.18). Others are
    "training_error" (Theorem 10.3), "relative_edge" (the weaker requirement after it),
    "unit_rankers" (the same for base rankers with values in [0, 1]), "margin_fraction" (exercise
    10.3), "perceptron" (10.5),
    "auc_mcdiarmid" and "auc_hoeffding" (10.9); "auc_delong" and "auc_bootstrap" are no bounds.
    `delta` is the chance that a bound may fail. With `broken` what it assumes is violated: pairs
    or examples are copies of few; "kernel_margin" takes sup K(x, x) for its root, as printed; base
    rankers get three times the coefficients of Figure 10.1, or some with the other sign; a pair is
    turned.

    Rows: `cases`; `violations`, in how many the bound was below what it bounds; `allowed`, the
    most that chance explains (its binomial tail is .001), and `delta`, both 0 for a bound that
    always holds; `median_slack` and `least_slack`, the bound less what it bounds.
    """
    if bound not in CASES:
        known = did_you_mean(bound, CASES) or f"; known: {', '.join(CASES)}"
        raise ValueError(f"unknown bound '{bound}'{known}")
    if cases < 1 or not 0.0 < delta < 1.0:
        raise ValueError(f"cases={cases}, delta={delta}: expected 1 or more, and between 0 and 1")
    case, sure = CASES[bound]
    slack = np.array([case(rng, delta, broken) for _ in range(cases)])
    values = {
        "cases": cases,
        "violations": (slack < -ROUNDING).sum(),
        "allowed": 0.0 if sure else binom.isf(TAIL, cases, delta),
        "delta": 0.0 if sure else delta,
        "median_slack": np.median(slack),
        "least_slack": slack.min(),
    }
    return quantities(values)


def _rounds(rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Return how rounds of RankBoost order pairs, (T, m), and their coefficients, all >= 0.

    Base rankers are random; each lifts one row of some pairs, and the other row of others.
    """
    m, skill = int(rng.integers(10, 200)), rng.uniform(0.0, 0.2)
    chances = [0.25 - skill, 0.5, 0.25 + skill]
    drawn = rng.choice([-1.0, 0.0, 1.0], p=chances, size=(int(rng.integers(3, 30)), m))
    drawn[:, 0], drawn[:, 1] = -1.0, 1.0  # no share is 0
    rows, pairs = np.hstack([drawn > 0.0, drawn < 0.0]).T, np.arange(2 * m).reshape(2, m).T
    model = RankBoost(n_rounds=int(rng.integers(1, 30)), cuts="all", smoothing=0.0)
    alphas = model.fit_pairs(rows, pairs, np.ones(m)).alphas_
    return np.sign(alphas)[:, None] * drawn[model.stump_features_], np.abs(alphas)


def _training_error(rng: np.random.Generator, delta: float, broken: bool) -> float:
    """Return the least step from error to product, sum of edges and least edge."""
    D, alphas = _rounds(rng)
    shares = round_shares(D, alphas * (3.0 if broken else 1.0))
    chain = [
        float((alphas @ D <= 0.0).mean()),
        float(np.prod(normalisers(*shares))),
        training_error_bound(*shares),
        training_error_bound(*shares, least_edge=True),
    ]
    return float(np.diff(chain).min())


def _relative_edge(rng: np.random.Generator, delta: float, broken: bool) -> float:
    """Return the least step from error to product, and to the two bounds by relative edges."""
    D, alphas = _rounds(rng)
    right, wrong = round_shares(D, alphas * (3.0 if broken else 1.0))
    edges = (right - wrong) / (2.0 * np.sqrt(right + wrong))
    chain = [
        float((alphas @ D <= 0.0).mean()),
        float(np.prod(normalisers(right, wrong))),
        float(np.exp(-2.0 * edges @ edges)),
        float(np.exp(-2.0 * len(edges) * max(edges.min(), 0.0) ** 2)),
    ]
    return float(np.diff(chain).min())


def _unit_rankers(rng: np.random.Generator, delta: float, broken: bool) -> float:
    """Return the least step of the chain if e+ and e- are mean sizes of differences up to 1."""
    m, skill = int(rng.integers(10, 200)), rng.uniform(0.0, 0.3)
    D = np.clip(rng.normal(skill, 0.5, size=(int(rng.integers(3, 30)), m)), -1.0, 1.0)
    D[:, 0], D[:, 1] = -1.0, 1.0  # no share is 0
    margins, product, edges = np.zeros(m), 1.0, []
    for _ in range(int(rng.integers(1, 30))):
        weights = np.exp(margins.min() - margins)
        weights /= weights.sum()
        drawn = D[int(np.abs(D @ weights).argmax())]
        drawn = drawn * (1.0 if drawn @ weights >= 0.0 else -1.0)
        right, wrong = weights @ np.maximum(drawn, 0.0), weights @ np.maximum(-drawn, 0.0)
        margins += (1.5 if broken else 0.5) * np.log(right / wrong) * drawn
        product *= 1.0 - right - wrong + 2.0 * np.sqrt(right * wrong)
        edges.append((right - wrong) / 2.0)
    chain = [
        float((margins <= 0.0).mean()),
        float(np.exp(-margins).mean()),
        float(product),
        float(np.exp(-2.0 * np.square(edges).sum())),
    ]
    return float(np.diff(chain).min())


def _margin_fraction(rng: np.random.Generator, delta: float, broken: bool) -> float:
    D, alphas = _rounds(rng)
    rho = rng.uniform(0.0, 0.5)
    if broken:
        alphas = alphas * rng.choice([-1.0, 1.0], size=len(alphas))
    right, wrong = round_shares(D, alphas)
    share = (ensemble_margins(alphas @ D, alphas) <= rho).mean()
    factors = (right / wrong) ** (rho / 2) * normalisers(right, wrong)
    return float(np.prod(factors) - share)


def _perceptron(rng: np.random.Generator, delta: float, broken: bool) -> float:
    """Return the slack of the updates; if nothing separates the pairs, each pass makes one."""
    d, m = int(rng.integers(2, 8)), int(rng.integers(5, 60))
    Z, w = rng.standard_normal((m, d)), rng.standard_normal(d)
    w /= np.linalg.norm(w)
    margins = Z @ w
    Z += np.outer(np.abs(margins) + rng.uniform(0.1, 0.5) - margins, w)
    bound = perceptron_bound(Z, w)
    if broken:
        Z[0] = -Z[1]
    pairs = np.column_stack([np.arange(m), np.full(m, m)])
    model = RankPerceptron(max_iter=int(bound) + 1)
    with catch_warnings(action="ignore", category=ConvergenceWarning):
        model.fit_pairs(np.vstack([Z, np.zeros(d)]), pairs, np.ones(m))
    return bound - model.n_updates_


def _auc(kind: Interval) -> Case:
    """Return the case of a bound or an interval of the AUC of scores with few values."""

    def case(rng: np.random.Generator, delta: float, broken: bool) -> float:
        m, n = rng.integers(5, 61, size=2).tolist()
        p, q = rng.dirichlet(np.full(4, 0.3), size=2)
        right = np.tri(4, k=-1) + 0.5 * np.eye(4)  # the row's value above the column's
        up, down = rng.choice(4, size=m, p=p), rng.choice(4, size=n, p=q)
        value, expected = float(right[up][:, down].mean()), float(p @ right @ q)
        if broken:
            up, down = np.repeat(up, COPIES), np.repeat(down, COPIES)
        if kind == "delong":
            low, high = auc.delong_interval(up, down, delta)
        elif kind == "bootstrap":
            low, high = auc.bootstrap_interval(up, down, delta, rng, draws=DRAWS)
        else:
            half = auc.auc_half_width(len(up), len(down), delta, kind)
            low, high = value - half, value + half
        return min(expected - low, high - expected)

    return case


CASES: dict[str, tuple[Case, bool]] = {
    "margin": (linear_case("expected"), False),
    "empirical_margin": (linear_case("empirical"), False),
    "uniform_margin": (linear_case("uniform"), False),
    "kernel_margin": (kernel_case, False),
    "ensemble_margin": (ensemble_case, False),
    "training_error": (_training_error, True),
    "relative_edge": (_relative_edge, True),
    "unit_rankers": (_unit_rankers, True),
    "margin_fraction": (_margin_fraction, True),
    "perceptron": (_perceptron, True),
    "auc_mcdiarmid": (_auc("mcdiarmid"), False),
    "auc_hoeffding": (_auc("hoeffding"), False),
    "auc_delong": (_auc("delong"), False),
    "auc_bootstrap": (_auc("bootstrap"), False),
}
"""A case's slack by the bound's name, and whether the bound always holds."""


DELTA = 0.05
SIGNS = 200  # drawn for a Rademacher complexity
RHOS = 2.0 * 0.7 ** np.arange(16)  # among which the uniform bound takes the best


def margin_bounds(
    rng: np.random.Generator,
    *,
    m: int = 300,
    d: int = 5,
    noise: float = 0.1,
    rho: float = 0.5,
    lam: float = 0.01,
    test: int = 20_000,
) -> Rows:
    """Train a linear scorer on independent labelled pairs, and compare its error with its bounds.

    m training pairs of rows with d features are uniform on the unit sphere; `test` pairs estimate
    the error. `noise`, below 1/2, is the chance that a label is turned round, `rho` the margin of
    the bounds for one margin, `lam` the penalty of the hinge.

    Rows of the scorer, scaled to norm 1: `test error`; `training error`; `margin loss` (10.3) at
    rho; at delta = .05 `bound` (10.6), `kernel bound` (10.7) and `uniform bound` (exercise 10.1),
    at its best margin; `slack`, the bound less the test error.
    """
    if min(m, d, test) < 2 or not 0.0 <= noise < 0.5 or rho <= 0.0:
        raise ValueError(
            f"expected m={m}, d={d}, test={test} >= 2, noise={noise} < 1/2, {rho=} > 0"
        )
    X, pairs, labels = _drawn(rng, m + test, d, noise)
    scorer = LinearRanker(loss="hinge", lam=lam).fit_pairs(X[: 2 * m], pairs[:m], labels[:m])
    margins = pair_margins(X @ scorer.coef_[0] / np.linalg.norm(scorer.coef_), pairs, labels)
    train, loss = margins[:m], empirical_margin_loss(margins[:m], rho)
    balls = [linear_ball(X[side], 1.0) for side in pairs[:m].T]
    complexity = sum(empirical_rademacher(ball, m, rng, SIGNS).value for ball in balls)
    error, bound = (margins[m:] <= 0.0).mean(), margin_bound(loss, complexity, rho, m, DELTA)
    values = {
        "test error": error,
        "training error": (train <= 0.0).mean(),
        "margin loss": loss,
        "bound": bound,
        "kernel bound": kernel_margin_bound(loss, radius=1, norm=1, rho=rho, m=m, delta=DELTA),
        "uniform bound": min(_uniform(train, complexity, at) for at in RHOS.tolist()),
        "slack": bound - error,
    }
    return quantities(values)


def _uniform(train: Floats, complexity: float, at: float) -> float:
    loss = empirical_margin_loss(train, at)
    return uniform_margin_bound(loss, complexity, at, len(train), DELTA, largest=2.0)


def _drawn(rng: np.random.Generator, m: int, d: int, noise: float) -> tuple[Floats, Ints, Ints]:
    """Return rows, m independent pairs of them, and labels by the first feature, with noise."""
    X = rng.standard_normal((2 * m, d))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    pairs = np.arange(2 * m).reshape(m, 2)
    right = np.where(X[pairs[:, 0], 0] > X[pairs[:, 1], 0], 1, -1)
    return X, pairs, np.where(rng.random(m) < noise, -right, right)
