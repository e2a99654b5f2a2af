"""The best scorers and the best pair-scorers of a proper loss, on finitely many points."""

from typing import Any

import numpy as np
from scipy.special import expit

from rankexp.arrays import Floats
from rankexp.checks.propriety import least_score
from rankexp.losses.base import Loss, parse
from rankexp.risks.base import RiskOfPairs
from rankexp.risks.base import parse as parse_risk
from rankexp.risks.push import Push
from rankexp.solvers.pairs.risk import PairLoss
from rankexp.theory.pairs import minimise_push, ranking_risk, surrogate_risk

REGISTER = {"best_scorers": "best_scorers"}

Row = dict[str, Any]


def best_scorers(
    rng: np.random.Generator,
    *,
    loss: str = "exponential",
    risk: str = "bipartite",
    points: int = 5,
    draws: int = 20,
) -> list[Row]:
    """Compare the best scorers s(x), and pair-scorers s(x, x'), with what the link says.

    Each draw is a distribution of a point and a class, uniform on the simplex.

    Parameters
    ----------
    rng : numpy.random.Generator
        All that is random comes from here.
    loss : str
        The text of a proper convex smooth loss.
    risk : str
        "bipartite", where a pair counts half of l(1, D) + l(-1, -D), or "push(p=4)", where it
        counts l(1, D); so does it in "push(p=1)", the bipartite risk of one partial loss.
    points, draws : int
        2 to 100 points, and 1 or more draws.

    Returns
    -------
    list of dict with keys ``quantity`` and ``value``
        All are the largest of the draws, but for ``misordered``. Of the scorer that minimises the
        risk numerically: ``from_link``, its distance from link(eta) + b; ``from_logit``, that
        from logit(eta) / (p + 1) + b, p being 1 for the bipartite risk; ``misordered``, the share
        of draws in which it does not order the points as eta does; ``rank_regret``, its ranking
        risk less the least. Of pairs: ``eta_pair``, the distance of sigma(logit eta(x) - logit
        eta(x')) from Bayes' rule; ``pair_link``, that of link(eta_pair) from the best score of a
        pair, numerically; ``additivity``, how far s(x, x') + s(x', x'') is from s(x, x''), which
        is 0 where the best pair-scorer is decomposable; ``gap``, how far the least risk of pairs
        of any scorer is above that of any pair-scorer, relatively.

    Raises
    ------
    ValueError
        For another loss, another risk or other numbers.

    References
    ----------
    menon2014, "An innocuous lemma", "Characterising decomposability", "Bayes-optimal scorers" and
    "Bayes-optimal scorers for p-norm push". As printed, with l(1, D) alone, the bipartite risk
    leads to link(eta) + b for losses of margins only; with both partial losses for all.
    """
    proper, over = parse(loss), parse_risk(risk)
    if not (proper.proper and proper.convex and proper.smooth):
        raise ValueError(f"loss={loss}: expected a proper convex smooth one")
    if not isinstance(over, RiskOfPairs | Push):
        raise ValueError(f"risk={risk}: expected bipartite or push")
    if not 2 <= points <= 100 or draws < 1:
        raise ValueError(f"points={points}, draws={draws}: expected 2 to 100, and 1 or more")
    pair = PairLoss(proper)
    one, p = (proper, over.p) if isinstance(over, Push) else (pair, 1.0)
    found: list[dict[str, float]] = []
    for _ in range(draws):
        joint = rng.dirichlet(np.ones(2 * points)).reshape(2, points)
        up, down = joint / joint.sum(axis=0)
        P, Q = joint / joint.sum(axis=1, keepdims=True)
        s, logit = minimise_push(P, Q, one, p), np.log(up / down)
        weights, order = np.outer(P, Q), np.argsort(up)
        found.append(
            {
                "from_link": _distance(s, proper.link(up)),
                "from_logit": _distance(s, logit / (p + 1.0)),
                "misordered": float((np.diff(s[order]) <= 0.0).any()),
                "rank_regret": ranking_risk(s, weights) - ranking_risk(logit, weights),
                **_of_pairs(proper, P, Q, logit),
            }
        )
    values = {name: np.array([draw[name] for draw in found]) for name in found[0]}
    largest = {name: v.mean() if name == "misordered" else v.max() for name, v in values.items()}
    return [{"quantity": name, "value": float(value)} for name, value in largest.items()]


def _distance(s: Floats, theory: Floats) -> float:
    """Return the largest distance from a theory that leaves a constant open."""
    off = s - theory
    return float(np.abs(off - off.mean()).max())


def _of_pairs(loss: Loss, P: Floats, Q: Floats, logit: Floats) -> dict[str, float]:
    """Return what is about pairs: their class probability, best scores, and least risk."""
    mass, pair = np.outer(P, Q), PairLoss(loss)
    eta = mass / (mass + mass.T)
    S = loss.link(eta)
    least = float(((mass + mass.T) / 2 * loss.bayes_risk(eta)).sum())
    risk = surrogate_risk(minimise_push(P, Q, pair), mass, pair)
    return {
        "eta_pair": float(np.abs(eta - expit(np.subtract.outer(logit, logit))).max()),
        "pair_link": float(np.abs(S - least_score(loss, eta)).max()),
        "additivity": float(np.abs(S[:, :, None] + S - S[:, None, :]).max()),
        "gap": risk / least - 1.0,
    }
