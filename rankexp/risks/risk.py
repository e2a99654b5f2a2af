"""Declare what a risk offers: the losses and data that it takes, and how to minimise it."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal, Self, TypeVar

from numpy.typing import ArrayLike

from rankexp import registry
from rankexp.arrays import Floats, Ints
from rankexp.blas import one_thread
from rankexp.losses.loss import Loss
from rankexp.metrics.level_counts import cost_matrix
from rankexp.names import Named
from rankexp.solvers.pairs.partial_order import PartialOrder
from rankexp.solvers.pairs.path import pair_path, pair_risk
from rankexp.solvers.result import PathResult

__all__ = ["Risk", "Task", "parse", "table"]

ALIASES = {
    "points": "classification",
    "balanced": "classification(balanced=True)",
    "pairs": "bipartite",
}
"""Plain names of risks, as long as no package offers a risk of that name."""

T = TypeVar("T")
Given = Literal["sample_weight", "groups"]
QUERIES = ("pairs", "each", "across")  # pairs within groups weigh alike, or all groups, or none
NO_QUERIES = "queries='each' weighs all groups alike: give groups, or set queries='pairs'"


@dataclass(frozen=True)
class Task:
    """What to minimise: validated data, a loss, a risk, and the estimator's settings.

    `level` (n,) is 0 .. K-1, worst to best, where K is `levels`; some levels may have no example.
    With two classes 1 is the positive one. `costs` (K, K) are those of ranking a level below a
    lower one; None means 1. `sample_weight` (n,) is > 0, and a pair has the product of two
    weights. `queries` "each" weighs all groups alike, "across" ignores groups. `checked` are rows
    and their norms (n,), if these are known.
    """

    X: Floats
    level: Ints
    loss: Loss
    risk: "Risk"
    lams: Floats
    tol: float = 1e-6
    max_iter: int = 500
    intercept: bool = False
    sample_weight: Floats | None = None
    groups: Ints | None = None
    costs: ArrayLike | None = None
    levels: int = 2
    queries: str = "pairs"
    checked: tuple[Floats, Floats] | None = None

    @property
    def norms(self) -> Floats | None:
        """The norms of the rows X, (n,), if they are known: of others they would bound nothing."""
        return self.checked[1] if self.checked and self.checked[0] is self.X else None

    @cached_property
    def order(self) -> PartialOrder:
        """Which pairs count; ValueError if none does."""
        costs, each = cost_matrix(self.costs, self.levels), self.queries == "each"
        order = PartialOrder.of(self.level, costs, self.groups, self.sample_weight, each)
        if not order.total > 0.0:
            text = "there is no pair of two levels with a cost above"
            raise ValueError(f"{text} 0 and both rows in one group")
        return order


def unfit(loss: Loss, over: str) -> str | None:
    """Return why a loss is not solved over pairs or points; None for the hinge or a smooth one."""
    if not loss.convex:
        return "it is not convex"
    if loss.smooth or loss.hinge_power == 1:
        return None
    return f"it has kinks, and the hinge is the only loss with kinks that is solved over {over}"


class Risk(Named, ABC):
    """What a loss is averaged over; it accepts losses by their properties, never by name.

    Attributes
    ----------
    takes : frozenset of {"sample_weight", "groups"}
        What `fit` takes beside X and y.
    class_weight : bool
        Whether classes may have weights.
    several_levels : bool
        Whether it is for K ordered levels with costs, or for two classes.
    """

    room = "risks"
    takes: ClassVar[frozenset[Given]] = frozenset()
    class_weight: ClassVar[bool] = False
    several_levels: ClassVar[bool] = False
    scalable: ClassVar[bool] = True  # whether weights times a number make the same problem
    attained: ClassVar[bool] = False
    """Whether it has a minimiser without a penalty on separable data, too."""
    balanced: bool = False
    """Whether it weighs both classes alike, as ``class_weight="balanced"`` does."""

    @classmethod
    def parse(cls, given: "str | Self") -> Self:
        """Return what a text such as ``push(p=4)`` or ``pairs`` names; a risk as it is."""
        return super().parse(plain(given) if isinstance(given, str) else given)

    @abstractmethod
    def accepts(self, loss: Loss) -> str | None:
        """Return None if it can be minimised with a loss, else the reason why not."""

    @abstractmethod
    def solve(self, task: Task) -> PathResult:
        """Minimise ``lam/2 ||w||² + risk`` for each penalty."""

    def check_queries(self, queries: str, given: bool = True) -> None:
        """Raise ValueError if `queries` needs groups and there are or can be none."""
        if queries != "pairs" and "groups" not in self.takes:
            raise ValueError(f"queries='{queries}' needs groups, but {self.refuses('groups')}")
        if queries == "each" and not given:
            raise ValueError(NO_QUERIES)

    def needs_penalty(self, loss: Loss) -> bool:
        """Tell whether lam = 0 is impossible with a loss."""
        return not loss.smooth

    def refuses(self, given: Given) -> str:
        """Return why the risk does not take groups or weights."""
        known = [f"'{risk.name}'" for risk in _all("risks", Risk.parse) if given in risk.takes]
        why = f"the {self!r} risk takes no {given}: {self.reason}"
        return f"{why}; risk={' or '.join(known)} takes them"

    reason: ClassVar[str]
    """What it averages over, which explains what it does not take."""


class RiskOfPairs(Risk):
    """The mean of ``l(w·(x - x'))`` over pairs of an x of a higher and an x' of a lower level.

    A loss that is not a function of the margin gives a pair ``½ [l(1, D) + l(-1, -D)]``. There is
    no intercept. Groups limit the pairs to those within a group. With row weights a pair has the
    product of two; for the hinge they must be multiples of one unit. With ``queries="each"`` it is
    the mean over groups of the mean within each group that has pairs.
    """

    takes = frozenset({"groups", "sample_weight"})
    reason = "it is a mean over pairs"

    def accepts(self, loss: Loss) -> str | None:
        """Return None for a convex loss that is smooth, and for the hinge."""
        return unfit(loss, "pairs")

    def solve(self, task: Task) -> PathResult:
        """Minimise ``lam/2 ||w||² + risk`` for each penalty."""
        how: dict[str, Any] = {"tol": task.tol, "max_iter": task.max_iter, "norms": task.norms}
        if task.loss.smooth:
            return pair_path(task.X, task.order, task.loss, task.lams, **how)
        from rankexp.solvers.hinge.path import hinge_path

        with one_thread:  # two libraries of BLAS take turns: more threads take longer
            return hinge_path(task.X, task.order.whole(), task.lams, **how)

    def slope(self, task: Task, found: PathResult) -> Floats:
        """Return the derivatives of the risk by each score that the certificate uses, (n,)."""
        if found.slope is not None:
            return found.slope[:, 0]
        return pair_risk(task.loss, task.order).slope(task.X @ found.coef[:, 0])


parse = Risk.parse


def plain(name: str) -> str:
    """Return the registered name of a risk that has a plain one, else the name as it is."""
    return name if registry.target("risks", name) else ALIASES.get(name, name)


def table() -> dict[tuple[str, str], str | None]:
    """Return for each registered loss and risk None if they go together, else the reason.

    Losses and risks of other packages that cannot be used are left out.
    """
    losses, risks = _all("losses", Loss.parse), _all("risks", Risk.parse)
    return {(loss.name, risk.name): risk.accepts(loss) for risk in risks for loss in losses}


def _all(room: str, parse: Callable[[str], T]) -> list[T]:
    found = []
    for name in registry.names(room):
        try:
            found.append(parse(name))
        except registry.PluginError as error:
            registry.warn(error)
    return found
