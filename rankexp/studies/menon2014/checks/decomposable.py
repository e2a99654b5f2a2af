"""Propriety of losses; best scorers, best pair-scorers and regrets, on finitely many points."""

from typing import Any, SupportsFloat

import numpy as np
from scipy.integrate import quad
from scipy.special import expit

from rankexp.arrays import Floats
from rankexp.checks.check import Rows, quantities
from rankexp.estimators.linear import LinearRanker
from rankexp.losses.loss import Loss, parse
from rankexp.risks.risk import Risk, RiskOfPairs
from rankexp.solvers.pairs.pair_risk import PairLoss
from rankexp.theory.population_hinge import minimise_hinge, pair_weights, ranking_risk

REGISTER = {
    "best_scorers": "best_scorers",
    "regret_bound": "regret_bound",
    "propriety": "propriety",
}

FLOOR = 1e-6  # of a probability, before scaling: ratios stay far from what rounds to 0 or 1
ROUNDING, DIGITS = 1e-12, 6  # of regrets; of scores by linear programming, whole numbers apart
TOL = 1e-20  # of a risk: its square root is that of scores
SCORERS, SIZES = 200, (-3.0, 1.0)  # powers of ten
CONCENTRATION = 0.2  # of the Dirichlet distribution that distributions are drawn from
HALVINGS, WIDEST = 70, 64.0
NODES, MASSES = np.polynomial.legendre.leggauss(20)


def propriety(rng: np.random.Generator, *, loss: str = "logistic") -> Rows:
    """Compare a proper convex smooth loss with its link and with the integrals of its weight.

    Both rows are the largest for probabilities .01, .02, ..., .99 of the positive class. `argmin`
    is the distance of the link from the score v of the least eta l(1, v) + (1 - eta) l(-1, v), the
    root of its derivative. `weight` is the relative distance of l(1, link(q)) from the integral of
    (1 - c) w(c) over [q, 1], or of l(-1, link(q)) from that of c w(c) over [0, q].

    See menon2014, "Bayes-optimal scorers: proper composite" and "Weight function for proper
    losses". As printed, four fail: the weights of the exponential loss (½ is missing, a bracket is
    misplaced), of p-classification (1/(p+1) is missing) and of both asymmetric losses (constants).
    """
    proper = proper_loss(loss)
    eta = np.linspace(0.01, 0.99, 99)
    argmin = np.abs(least_score(proper, eta) - proper.link(eta)).max()
    weight = max(_from_weight(proper, y, eta) for y in (1.0, -1.0))
    return quantities({"argmin": argmin, "weight": weight})


def proper_loss(text: str) -> Loss:
    """Return the loss of a text; ValueError unless it is proper, convex and smooth."""
    loss = parse(text)
    if not (loss.proper and loss.convex and loss.smooth):
        raise ValueError(f"loss={text}: expected a proper convex smooth one")
    return loss


def least_score(loss: Loss, eta: Floats) -> Floats:
    """Return the scores of the least conditional risks of a convex loss, by bisection."""
    low, high = np.full(eta.shape, -WIDEST), np.full(eta.shape, WIDEST)
    for _ in range(HALVINGS):
        v = (low + high) / 2
        rises = eta * loss.derivative(1.0, v) + (1 - eta) * loss.derivative(-1.0, v) > 0.0
        low, high = np.where(rises, low, v), np.where(rises, v, high)
    return np.asarray((low + high) / 2)


def _from_weight(loss: Loss, y: float, q: Floats) -> float:
    """Return the largest relative distance of a partial loss from the integral of the weight."""

    def integrand(c: Floats) -> Floats:
        return (1.0 - c if y > 0 else c) * loss.weight(np.asarray(c))

    half = np.diff(q)[:, None] / 2
    panels = (half * MASSES * integrand(q[:-1, None] + half * (1.0 + NODES))).sum(axis=1)
    ends = (q[-1], 1.0) if y > 0 else (0.0, q[0])
    tail: Any = quad(integrand, *ends, epsabs=0.0)  # type: ignore[call-overload]
    integrals = np.cumsum(np.r_[tail[0], panels[::-1] if y > 0 else panels])
    values = loss.value(y, loss.link(q[::-1] if y > 0 else q))
    return float(np.abs(values / integrals - 1.0).max())


def best_scorers(
    rng: np.random.Generator,
    *,
    loss: str = "exponential",
    risk: str = "bipartite",
    points: int = 5,
    draws: int = 20,
) -> Rows:
    """Compare the best scorers s(x), and pair-scorers s(x, x'), with what the link says.

    The loss is proper, convex and smooth; or "hinge" with the bipartite risk. The risk is
    "classification"; "bipartite", where a pair counts half of l(1, D) + l(-1, -D); or "push(p=4)",
    with l(1, D): "push(p=1)" is the bipartite risk of this partial loss alone. Each of the `draws`
    is a distribution on 2 to 100 points, uniform on the simplex.

    Of scorers of the least risk, found numerically: `tied` and `reversed` are the shares of draws
    in which points have equal scores, or are not in the order of eta. All others are the largest
    of the draws, and the hinge has the first alone: `rank_regret`, the ranking risk less the
    least; `from_link` and `from_logit`, the distance from link(eta) + b and from
    logit(eta) / (p + 1) + b, where p is 1 but for the push. Of pairs: `eta_pair`, the distance of
    sigma(logit eta(x) - logit eta(x')) from Bayes' rule; `pair_link`, of link(eta_pair) from the
    best score, found numerically; `additivity`, of s(x, x') + s(x', x'') from s(x, x''), 0 if the
    best pair-scorer is decomposable; `gap`, by which share the least bipartite risk is above that
    of pair-scorers.

    See menon2014, "An innocuous lemma" to "Comments" and "Bayes-optimal scorers for p-norm push".
    As printed, with l(1, D) alone, the bipartite risk leads to link(eta) + b for losses of margins
    only; with both partial losses, for all whose inverse link is a scaled sigmoid.
    """
    over = Risk.parse(risk)
    hinge = isinstance(over, RiskOfPairs) and Loss.parse(loss).hinge_power == 1
    proper = Loss.parse(loss) if hinge else proper_loss(loss)
    found = [_of_draw(proper, over, joint) for joint in _draws(rng, points, draws)]
    largest = {name: np.array([values[name] for values in found]) for name in found[0]}
    shares = {name: largest.pop(name).mean() for name in ("tied", "reversed")}
    values = shares | {name: each.max() for name, each in largest.items()}
    return quantities(values)


def _draws(rng: np.random.Generator, points: int, draws: int, alpha: float = 1.0) -> Floats:
    """Return distributions of a class, positive first, and a point, (draws, 2, points)."""
    if not 2 <= points <= 100 or draws < 1:
        raise ValueError(f"points={points}, draws={draws}: expected 2 to 100, and 1 or more")
    joint = rng.dirichlet(np.full(2 * points, alpha), size=draws) + FLOOR
    return np.asarray(joint / joint.sum(axis=1)[:, None]).reshape(draws, 2, points)


def _best(loss: Loss, risk: Risk | str, joint: Floats) -> tuple[Floats, float]:
    """Return the scores of the least expected risk, and that: points are rows with weights."""
    y, points = np.repeat([1, 0], joint.shape[1]), np.eye(joint.shape[1])[:, 1:]
    model = LinearRanker(loss=loss, risk=risk, lam=0.0, tol=TOL)
    model.fit(np.tile(points, (2, 1)), y, sample_weight=joint.ravel())
    return points @ model.coef_[0], model.objective_


def _of_draw(loss: Loss, risk: Risk, joint: Floats) -> dict[str, SupportsFloat]:
    W, logit, hinge = pair_weights(joint[::-1].T), np.log(joint[0] / joint[1]), not loss.proper
    s = np.round(minimise_hinge(W), DIGITS) if hinge else _best(loss, risk, joint)[0]
    steps = np.diff(s[np.argsort(logit)])
    tied, regret = (steps == 0.0).any(), ranking_risk(s, W) - ranking_risk(logit, W)
    values = {"tied": tied, "reversed": (steps < 0.0).any(), "rank_regret": regret}
    if hinge:
        return values
    eta, p = W / (W + W.T), getattr(risk, "p", 1.0)
    S, least = loss.link(eta), ((W + W.T) / 2 * loss.bayes_risk(eta)).sum()
    return values | {
        "from_link": np.ptp(s - loss.link(expit(logit))) / 2,
        "from_logit": np.ptp(s - logit / (p + 1.0)) / 2,
        "eta_pair": np.abs(eta - expit(np.subtract.outer(logit, logit))).max(),
        "pair_link": np.abs(S - least_score(loss, eta)).max(),
        "additivity": np.abs(S[:, :, None] + S - S[:, None, :]).max(),
        "gap": _best(loss, "bipartite", joint)[1] / least - 1.0,
    }


def regret_bound(
    rng: np.random.Generator, *, loss: str = "logistic", points: int = 4, draws: int = 20
) -> Rows:
    """Count the scorers whose ranking regret is larger than their regret of a loss allows.

    The bound is F(ranking regret) <= regret, where F(t) = H(½) - ½ [H(½ + t/2) + H(½ - t/2)] and H
    is the least conditional risk of a proper convex smooth loss. Each of the `draws` has a
    distribution on 2 to 100 points, few to a class, where regrets come near to the bound, and 200
    scorers with ties, of sizes from .001 to 10.

    Rows: `violations`, the number of scorers whose F is above the regret against the best scorer;
    `tightest`, the largest ratio of F to it; `violations_of_pairs`, that number against the best
    pair-scorer, whose regret is never smaller. See menon2014, "Surrogate regret bound": if the
    inverse link is a scaled sigmoid, the F of classification bounds, which is not printed. The
    squared loss, which has another link, breaks it.
    """
    proper = proper_loss(loss)
    pair, found = PairLoss(proper), []
    for joint in _draws(rng, points, draws, CONCENTRATION):
        W = pair_weights(joint[::-1].T)
        size = 10.0 ** rng.uniform(*SIZES, size=(SCORERS, 1))
        S = size * rng.integers(points, size=(SCORERS, points)) / points
        D = S[:, :, None] - S[:, None, :]
        wrong = (W * ((D < 0.0) + 0.5 * (D == 0.0))).sum(axis=(1, 2))
        half = np.maximum(wrong - ranking_risk(joint[0] / joint[1], W), 0.0) / 2
        sides = proper.bayes_risk(0.5 + half) + proper.bayes_risk(0.5 - half)
        bound = proper.bayes_risk(np.array(0.5)) - sides / 2
        risk = (W * pair.of_margin(D)).sum(axis=(1, 2))
        least = ((W + W.T) / 2 * proper.bayes_risk(W / (W + W.T))).sum()
        found.append((bound, risk - _best(proper, "bipartite", joint)[1], risk - least))
    bound, own, of_pairs = np.array(found).swapaxes(0, 1)
    values = {
        "violations": (bound > own + ROUNDING).sum(),
        "violations_of_pairs": (bound > of_pairs + ROUNDING).sum(),
        "tightest": (bound / np.maximum(own, ROUNDING)).max(),
    }
    return quantities(values)
