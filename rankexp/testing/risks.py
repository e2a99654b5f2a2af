"""The contract of risks."""

from typing import get_args

import numpy as np

from rankexp import registry
from rankexp.arrays import Floats, Ints
from rankexp.losses.loss import Loss
from rankexp.risks.classification import Classification
from rankexp.risks.listwise import Listwise
from rankexp.risks.push import Push
from rankexp.risks.risk import Given, Risk, RiskOfPairs, Task
from rankexp.solvers.result import PathResult
from rankexp.testing.contract import ContractError, is_a_value, keep, near, need

__all__ = ["check_risk"]

LAMS = np.array([1.0, 0.1])
TOL = 1e-6
ROUNDING = 1e-9
"""Relative, of an objective summed in two ways."""


def check_risk(risk: Risk | str) -> None:
    """Check that a risk says which losses it takes, and solves with each of these.

    Parameters
    ----------
    risk : Risk or str
        Made with the parameters to check, or the text of a registered one.
    """
    made = Risk.parse(risk) if isinstance(risk, str) else risk
    if not isinstance(made, Risk):
        raise ContractError(f"{made!r} is not a rankexp.plugin.Risk: derive its class from it")
    keep(f"risk {made!r}", (is_a_value, answers, explains_itself, solves), made)


def answers(risk: Risk) -> None:
    """Of each loss it says None, or in a sentence why it does not take it."""
    said = [risk.accepts(loss) for loss in losses()]
    odd = [answer for answer in said if answer is not None and not (answer or "").strip()]
    need(not odd, f"an answer is {odd[:1]}")
    need(any(answer is None for answer in said), "it takes none of the registered losses")


def explains_itself(risk: Risk) -> None:
    """What it does not take is refused with its `reason`."""
    for given in set(get_args(Given)) - risk.takes:
        need(risk.reason in risk.refuses(given), f"{given}: '{risk.refuses(given)}'")


def solves(risk: Risk) -> None:
    """With each loss that it takes the objective is as certified, and no point near is better."""
    for loss in losses():
        if risk.accepts(loss) is None:
            trains(risk, loss)


def losses() -> list[Loss]:
    """Return the registered losses with their defaults."""
    return [Loss.parse(name) for name in registry.names("losses")]


def trains(risk: Risk, loss: Loss) -> None:
    """Solve a small problem and compare with the objective summed by definition, where known."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((40, 3))
    level = (X[:, 0] + rng.standard_normal(40) > 0.2).astype(np.int64)
    task = Task(X, level, loss, risk, LAMS, TOL, intercept=not isinstance(risk, RiskOfPairs))
    found = risk.solve(task)
    place = f"with the loss {loss!r}"
    need(found.coef.shape == (3, 2), f"{place}: coef has shape {found.coef.shape}, not (3, 2)")
    reached = (found.gap <= 10 * TOL).all()
    need(reached, f"{place}: the gaps are {found.gap}, but {TOL} was asked for")
    if type(risk).__module__.startswith("rankexp."):
        compare(risk, loss, X, level, found, place)


def mean(risk: Risk, loss: Loss, s: Floats, level: Ints) -> float:
    """Return a risk of ours by its definition, for scores of two classes."""
    if isinstance(risk, Classification):
        return float(loss.value(np.where(level == 1, 1.0, -1.0), s).mean())
    if isinstance(risk, Listwise):
        shares = np.exp(level) / np.exp(level).sum()
        return float(shares @ (np.log(np.exp(s).sum()) - s))
    D = np.subtract.outer(s[level == 1], s[level == 0])
    if isinstance(risk, Push):
        return float((loss.value(1.0, D).mean(axis=0) ** risk.p).mean())
    return float((0.5 * (loss.value(1.0, D) + loss.value(-1.0, -D))).mean())


def compare(risk: Risk, loss: Loss, X: Floats, level: Ints, found: PathResult, place: str) -> None:
    """Compare with the objective summed by definition, at the solution and at points near it."""
    rng, free = np.random.default_rng(1), isinstance(risk, Classification)

    def objective(w: Floats, b: float, lam: float) -> float:
        return float(lam / 2 * (w @ w)) + mean(risk, loss, X @ w + b, level)

    for k, lam in enumerate(LAMS):
        w, b = found.coef[:, k], float(found.intercept[k])
        here = objective(w, b, lam)
        near(found.objective[k], here, lam, rtol=ROUNDING, atol=0.0)
        for _ in range(20):
            step = 1e-2 * rng.standard_normal(4)
            there = objective(w + step[:3], b + free * step[3], lam)
            better = (here - there) / here
            need(better <= max(found.gap[k], ROUNDING), f"{place}, lambda {lam:g}: not the least")
