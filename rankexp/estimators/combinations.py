"""The table of losses and risks: which combinations there are, and how each is solved."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rankexp import registry
from rankexp.solvers.pairs.partial_order import PartialOrder
from rankexp.solvers.pairs.path import pair_path
from rankexp.solvers.result import Floats, PathResult
from rankexp.solvers.smooth.path import smooth_path

Target = npt.NDArray[np.bool_] | PartialOrder


@dataclass(frozen=True)
class Task:
    """What a solver is given: validated data, and the settings of the estimator.

    ``target`` says which rows are positive, or under the multipartite risk, which pairs count.
    """

    X: Floats
    target: Target
    lams: Floats
    loss: str
    tol: float
    max_iter: int
    weights: tuple[float, float] | None = None
    fit_intercept: bool = False


def _classification(task: Task) -> PathResult:
    positive = np.asarray(task.target)
    weight = None if task.weights is None else np.where(positive, *task.weights[::-1])
    return smooth_path(
        task.X,
        positive,
        registry.get("losses", task.loss)(),
        task.lams,
        fit_intercept=task.fit_intercept,
        sample_weight=weight,
        tol=task.tol,
        max_iter=task.max_iter,
    )


def _pairwise(task: Task) -> PathResult:
    loss = registry.get("losses", task.loss)()
    target = task.target
    order = target if isinstance(target, PartialOrder) else PartialOrder.of_classes(target)
    return pair_path(task.X, order, loss, task.lams, tol=task.tol, max_iter=task.max_iter)


def _pairwise_hinge(task: Task) -> PathResult:
    from rankexp.solvers.hinge.path import hinge_path, ordered_hinge_path

    if isinstance(task.target, PartialOrder):
        return ordered_hinge_path(
            task.X, task.target, task.lams, tol=task.tol, max_iter=task.max_iter
        )
    return hinge_path(task.X, task.target, task.lams, tol=task.tol, max_iter=task.max_iter)


@dataclass(frozen=True)
class Combination:
    """One cell of the table loss × risk: how it is solved, and what it allows."""

    solve: Callable[[Task], PathResult]
    zero_lam: bool = True


_POINTS = Combination(_classification)
_PAIRS = Combination(_pairwise)
_HINGE = Combination(_pairwise_hinge, zero_lam=False)
COMBINATIONS: dict[tuple[str, str], Combination] = {
    ("logistic", "classification"): _POINTS,
    ("exponential", "classification"): _POINTS,
    ("squared_hinge", "classification"): _POINTS,
    ("hinge", "bipartite"): _HINGE,
    ("squared_hinge", "bipartite"): _PAIRS,
    ("logistic", "bipartite"): _PAIRS,
    ("exponential", "bipartite"): _PAIRS,
    ("hinge", "multipartite"): _HINGE,
    ("squared_hinge", "multipartite"): _PAIRS,
    ("logistic", "multipartite"): _PAIRS,
    ("exponential", "multipartite"): _PAIRS,
}


def combination(loss: str, risk: str, without: str = "") -> Combination:
    """Return the cell of a loss and a risk.

    Parameters
    ----------
    loss, risk : str
    without : str
        A risk that isn't offered here.

    Raises
    ------
    ValueError
        For an unknown loss or risk, or a pair that isn't in the table; the message says what is.
    """
    table = {cell: how for cell, how in COMBINATIONS.items() if cell[1] != without}
    risks = sorted({r for _, r in table})
    losses = sorted({name for name, _ in table})
    for what, name, known in (("loss", loss, losses), ("risk", risk, risks)):
        if name not in known:
            hint = registry.did_you_mean(str(name), known)
            raise ValueError(f"unknown {what} {name!r}{hint}; known: {', '.join(known)}")
    if (loss, risk) not in table:
        cells = "; ".join(f"{r}: {', '.join(_losses_of(r))}" for r in risks)
        raise ValueError(f"no combination of loss {loss!r} with risk {risk!r}; there are {cells}")
    return table[loss, risk]


def _losses_of(risk: str) -> list[str]:
    return sorted(loss for loss, r in COMBINATIONS if r == risk)
