"""What rankers with a choice of loss and risk share: labels, and checks of parameters."""

from dataclasses import replace
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

from rankexp.arrays import Floats, Ints, Labels, PerRow
from rankexp.categories import Levels
from rankexp.estimators.labels import few_levels, level_order, ordered_levels, two_classes
from rankexp.estimators.pair_data import OfList, labelled_pairs
from rankexp.estimators.parameters import check_solver, normed_data, one_of, weighed
from rankexp.estimators.risk_mixin import RiskMixin
from rankexp.losses.loss import Loss
from rankexp.metrics.level_counts import cost_matrix, group_numbers
from rankexp.risks.pairs import Bipartite
from rankexp.risks.risk import QUERIES, Given, Risk, RiskOfPairs, Task, table
from rankexp.solvers.pairs.pair_list import PairList
from rankexp.solvers.result import PathResult, scores


class RiskRanker(RiskMixin, BaseEstimator):  # type: ignore[misc]
    """A ranker with `loss` and `risk`, for two classes or ordered levels."""

    loss: str | Loss
    lam: float
    costs: PerRow
    levels: Levels | None
    queries: str
    tol: float
    max_iter: int
    threshold_: float

    _only_pairs: ClassVar[bool] = False  # whether it trains no other risks
    _signed: ClassVar[tuple[str, ...]]  # fitted attributes that change sign with the scores

    @classmethod
    def combinations(cls) -> list[tuple[str, str]]:
        """Return the names (loss, risk) of all registered combinations that can be trained."""
        possible = [names for names, reason in table().items() if reason is None]
        return [(loss, risk) for loss, risk in possible if cls._trains(Risk.parse(risk))]

    def takes(self) -> frozenset[Given]:
        """Return what else `fit` and `path` take beside X and y under this risk."""
        return self._risk().takes

    @classmethod
    def _trains(cls, risk: Risk) -> bool:
        return isinstance(risk, RiskOfPairs) or not cls._only_pairs

    def _risk(self) -> Risk:
        risk = Risk.parse(self.risk)
        if not self._trains(risk):
            known = ", ".join(dict.fromkeys(name for _, name in self.combinations()))
            name = type(self).__name__
            raise ValueError(f"{name} does not train the {risk!r} risk; it trains {known}")
        return risk

    def _trained(self) -> tuple[Loss, Risk]:
        loss, risk = Loss.parse(self.loss), self._risk()
        if (reason := risk.accepts(loss)) is not None:
            cells = self.combinations()
            takes = ", ".join(name for name, r in cells if r == risk.name)
            goes = ", ".join(r for name, r in cells if name == loss.name) or "no risk"
            text = f"the {loss!r} loss does not go with the {risk!r} risk: {reason}"
            raise ValueError(f"{text}; {risk!r} takes {takes}; {loss!r} goes with {goes}")
        return loss, risk

    def _check(self, lam: float) -> tuple[Loss, Risk]:
        loss, risk = self._trained()
        one_of("queries", self.queries, QUERIES)
        risk.check_queries(self.queries)
        what = f"the {loss!r} loss" if lam == 0 and risk.needs_penalty(loss) else ""
        check_solver(lam, self.tol, self.max_iter, what)
        return loss, risk

    def _counted(
        self, risk: Risk, X: Floats, y: Labels, groups: PerRow, sample_weight: PerRow
    ) -> tuple[Floats, Labels, PerRow, Floats | None]:
        """Return the rows with a weight above 0, their groups, and the weights scaled below 1."""
        if sample_weight is not None and "sample_weight" not in risk.takes:
            raise ValueError(risk.refuses("sample_weight"))
        kept, given = weighed(X, sample_weight)
        if given is None:
            return X, y, groups, None
        if risk.scalable:
            given = np.ldexp(given, -np.frexp(given.max())[1])  # exact, and sums are finite
        if groups is not None:
            groups = np.asarray(group_numbers(groups, y.size))[kept]
        return X[kept], y[kept], groups, given

    def _task(
        self,
        trained: tuple[Loss, Risk],
        X: ArrayLike,
        y: ArrayLike,
        lams: Floats,
        groups: PerRow,
        sample_weight: PerRow = None,
        learns: bool = True,
    ) -> tuple[Labels, Task]:
        """Return the classes or levels, worst to best, and the task to minimise."""
        loss, risk = trained
        order = level_order(y, self.levels, present=not risk.several_levels)
        X, y, norms = normed_data(self if learns else None, X, y, sparse=self._takes_sparse)
        if learns:
            self._grouped = groups is not None and self.queries != "across"
        X, y, groups, weight = self._counted(risk, X, y, groups, sample_weight)
        if groups is not None and "groups" not in risk.takes:
            raise ValueError(risk.refuses("groups"))
        risk.check_queries(self.queries, groups is not None)
        if risk.several_levels:
            labels, level = few_levels(y, order)
            cost_matrix(self.costs, len(labels))
        else:
            labels, level = _two_classes(y, order)
        within = None if self.queries == "across" else group_numbers(groups, level.size)
        costs = self.costs if risk.several_levels else None
        task = Task(X, level, loss, risk, lams, self.tol, self.max_iter, sample_weight=weight)
        task = replace(task, groups=within, costs=costs, levels=len(labels), queries=self.queries)
        if norms is not None and norms.size == level.size:  # of all rows, as they are
            task = replace(task, checked=(X, norms))
        return labels, task

    def _listed(
        self, X: Floats, pairs: ArrayLike, labels: ArrayLike, sample_weight: PerRow
    ) -> tuple[Ints, OfList]:
        """Return the rows that occur in labelled pairs, and the problem to minimise over these."""
        for name in ("costs", "levels", "class_weight"):
            if getattr(self, name, None) is not None:
                raise ValueError(f"{name} is for labels of rows, but here pairs have the labels")
        self._grouped = False
        if self.queries == "each":
            raise ValueError("queries='each' is for groups: weigh pairs by sample_weight instead")
        loss, risk = Loss.parse(self.loss), Bipartite()
        if (reason := risk.accepts(loss)) is not None:
            raise ValueError(f"the {loss!r} loss is not solved over pairs: {reason}")
        what = f"the {loss!r} loss" if risk.needs_penalty(loss) else ""
        check_solver(self.lam, self.tol, self.max_iter, what)
        upper, lower, weight = labelled_pairs(X.shape[0], pairs, labels, sample_weight)
        used, place = np.unique(np.concatenate((upper, lower)), return_inverse=True)
        upper, lower = np.split(place, 2)
        listed = PairList.of(upper, lower, weight, used.size)
        return used, OfList(listed, loss, float(self.lam), self.max_iter)

    def _keep(self, labels: Labels, risk: Risk) -> None:
        if risk.several_levels:
            self.levels_ = labels
            self._forget("classes_", "better_")
        else:
            self._keep_classes(labels, *self._signed)
            self._forget("levels_")


def _two_classes(y: Labels, order: Levels | None) -> tuple[Labels, Ints]:
    if order is None:
        return two_classes(y)
    levels, codes = ordered_levels(y, order)
    if (here := np.unique(codes)).shape[0] > 2:
        two_classes(y)  # raises
    return levels[here], (codes == here[-1]).astype(np.int64)


TIED = (
    "scores still grow while the risk hardly falls: some direction seems to separate some pairs "
    "and to tie the others, so there is no minimiser without a penalty: set lam > 0"
)


def no_minimiser(task: Task, found: PathResult, at: int) -> str | None:
    """Return why a risk without a penalty has no minimiser; None if it may have one."""
    if task.lams[at] > 0.0 or not task.loss.monotone or task.risk.attained:
        return None
    s = scores(task.X, found.coef, found.intercept)[:, at]
    if task.risk.class_weight and not task.intercept:
        least = float(np.where(task.level > 0, s, -s).min())
    else:
        least = task.order.differences(s)[0]
    if not least > 0.0:
        return TIED if np.isinf(found.gap[at]) else None
    if not task.loss.value(1.0, np.array(4.0 * min(least, 1.0))) > 0.0:
        return "the data are separable, and up to rounding a risk of 0 is reached"
    return "the data are separable, so there is no minimiser without a penalty: set lam > 0"
