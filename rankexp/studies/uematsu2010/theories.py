"""Compare curves of fitted scoring functions with functions that theory names."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Annotated, Any, NamedTuple

import numpy as np
import pandas as pd
from pydantic import AfterValidator, Field

from rankexp import registry
from rankexp.arrays import Bools, Floats
from rankexp.charts.model import Line
from rankexp.errors import ConfigError
from rankexp.runner.analyse import kept
from rankexp.runner.analyse.kept import KeptItem
from rankexp.runner.analyse.select import PLACE
from rankexp.runner.report.context import Context
from rankexp.runner.report.options import MethodName
from rankexp.runner.strict import Strict
from rankexp.seeds import stream

SLOPE, RMSE, RMSE_OF_MEAN = "slope", "rmse", "rmse of the mean"
ROOM, OF_THRESHOLDS = "theory", "theory.thresholds"


def _known(name: str) -> str:
    registry.get(ROOM, name)
    return name


def drawn_model(context: Context, problem: str) -> Any:
    """Return a generator's first model, as the study drew it; a data set is an error."""
    entry = context.study.generators.get(problem)
    if entry is None:
        raise ConfigError(f"'{problem}' is a data set: only generators have known densities")
    generator = registry.get("generators", entry.generator)(**entry.params)
    return generator.draw_model(stream(context.study.seed, f"{problem}/model/0"))


@dataclass(frozen=True)
class CurvePanel:
    """A method's centred curves on a problem, and theory's."""

    experiment: str
    problem: str
    method: str
    x: Floats  # (m,)
    curves: Floats  # (s, m): one row a split
    theory: Floats | None  # (m,)
    # quantities of each split, (s,), or of all, (1,), and what theory says of them
    values: dict[str, tuple[Floats, float]]


class Theory(Strict):
    """A ranking function of a model with known densities (``rankexp list theory``)."""

    name: Annotated[str, AfterValidator(_known)]
    options: dict[str, Any] = Field(default_factory=dict)

    def scores(self, model: Any, x: Floats) -> Floats:
        """Return the function at points of one feature, (m,)."""
        return self._call(ROOM, model, x[:, None])

    def quantities(self, model: Any) -> dict[str, float]:
        """Return what theory says of fitted quantities, ``thresholds_[0]`` and so on."""
        if self.name not in registry.names(OF_THRESHOLDS):
            return {}
        values = self._call(OF_THRESHOLDS, model)
        return {f"thresholds_[{i}]": float(value) for i, value in enumerate(values)}

    def _call(self, room: str, model: Any, *arguments: Any) -> Floats:
        function = registry.get(room, self.name)
        try:
            return np.asarray(function(model, *arguments, **self.options), dtype=np.float64)
        except (TypeError, ValueError, AttributeError) as error:
            raise ConfigError(f"theory '{self.name}': {error}") from error


class Against(Strict):
    """How curves are centred and compared with theory."""

    theory: dict[MethodName, Theory] = Field(default_factory=dict)
    """Method -> the function it is to estimate, that of a problem's first model."""
    window: Annotated[list[float], Field(min_length=2, max_length=2)] | None = None
    """Range of x in which curves are centred and compared with theory. Default: all."""
    centre: list[str] = Field(default_factory=list)
    """Fitted quantities whose mean is taken off each curve, in place of its mean in the window."""
    differences: dict[str, Annotated[list[str], Field(min_length=2, max_length=2)]] = Field(
        default_factory=dict
    )
    """Name -> two fitted quantities, of which the second is taken from the first."""
    rescaled: list[MethodName] = Field(default_factory=list)
    """Methods whose scores have no scale: each curve is multiplied by what brings it nearest to
    theory in the window, and has no slope."""

    def quantities(self, method: str) -> list[str]:
        """Return the quantities of a method's curves."""
        slope = [] if method in self.rescaled else [SLOPE]
        distances = [RMSE, RMSE_OF_MEAN] if method in self.theory else []
        return [*slope, *distances, *self.differences]

    def panel(
        self, context: Context, experiment: str, own: Sequence[KeptItem], chosen: pd.DataFrame
    ) -> CurvePanel:
        """Return the panel of the curves that a problem's method keeps.

        `chosen` are the rows that a rule chooses for the method. Raises `ConfigError` if theory
        does not fit the problem, the window holds fewer than two points, or a fitted quantity is
        not kept.
        """
        problem, method = own[0].problem, own[0].method
        x, curves = own[0].x, np.array([one.y for one in own])
        low, high = self.window or (-math.inf, math.inf)
        inside = np.asarray((x >= low) & (x <= high))
        if inside.sum() < 2:
            raise ConfigError(f"window {self.window}: fewer than two of the points kept are in it")
        wanted = {*self.centre, *chain.from_iterable(self.differences.values())}
        fitted = {name: _fitted(context, experiment, name, own, chosen) for name in wanted}
        theory = self.theory.get(method)
        model = drawn_model(context, problem) if theory else None
        function = None if theory is None else theory.scores(model, x)
        if self.centre:
            curves = curves - np.mean([fitted[name] for name in self.centre], axis=0)[:, None]
        else:
            curves = kept.centred(curves, inside)
            function = None if function is None else kept.centred(function, inside)
        if function is not None and method in self.rescaled:
            curves = rescaled(curves, function, inside)
        values = _compared(x, curves, function, inside)
        if method in self.rescaled:
            del values[SLOPE]
        known = theory.quantities(model) if theory and self.differences else {}
        for name, (first, second) in self.differences.items():
            expected = known.get(first, math.nan) - known.get(second, math.nan)
            values[name] = (fitted[first] - fitted[second], expected)
        return CurvePanel(experiment, problem, method, x, curves, function, values)


def _fitted(
    context: Context, experiment: str, name: str, own: Sequence[KeptItem], chosen: pd.DataFrame
) -> Floats:
    """Return a fitted quantity of each split that keeps a curve, (s,)."""
    problem, method = own[0].problem, own[0].method
    keys = [*PLACE, "unit", "grid"]
    own_rows = chosen.loc[chosen.problem == problem, keys]
    table = context.scores(experiment, name, "train").merge(own_rows, on=keys)
    places = table[PLACE[2:]].itertuples(index=False, name=None)
    known = dict(zip(places, table.value, strict=True))
    if not all(one.place in known for one in own):
        raise ConfigError(
            f"'{name}' is not kept of method '{method}' on '{problem}': name its attribute in "
            f"'fitted' of 'keep' of experiment '{experiment}', or leave the method out"
        )
    return np.array([known[one.place] for one in own])


def _compared(
    x: Floats, curves: Floats, function: Floats | None, inside: Bools
) -> dict[str, tuple[Floats, float]]:
    if function is None:
        return {SLOPE: (kept.slopes(x, curves, inside), math.nan)}
    of_mean = distances(curves.mean(axis=0), function, inside)
    return {
        SLOPE: (kept.slopes(x, curves, inside), float(kept.slopes(x, function, inside))),
        RMSE: (distances(curves, function, inside), 0.0),
        RMSE_OF_MEAN: (of_mean[None], 0.0),
    }


def distances(curves: Floats, function: Floats, inside: Bools) -> Floats:
    """Return root mean squared distances of curves to a function, (s,), over some points."""
    squares = np.square(curves[..., inside] - function[inside])
    return np.asarray(np.sqrt(squares.mean(axis=-1)))


def rescaled(curves: Floats, function: Floats, inside: Bools) -> Floats:
    """Return each curve, (s, m), times the factor that brings it nearest to a function.

    Both are to be centred; a curve that is constant in the window stays as it is.
    """
    own = curves[:, inside]
    size = np.square(own).sum(axis=1)
    factor = np.where(size > 0, own @ function[inside] / np.where(size > 0, size, 1.0), 1.0)
    return np.asarray(curves * factor[:, None])


class Band(NamedTuple):
    """A pointwise band, (m,) each."""

    mean: Floats
    low: Floats
    high: Floats


def band(curves: Floats, share: float) -> Band:
    """Return the mean of curves, (s, m), and the quantiles that hold a share of them."""
    tail = (1.0 - share) / 2.0
    low, high = np.quantile(curves, [tail, 1.0 - tail], axis=0)
    return Band(curves.mean(axis=0), low, high)


def samples(x: Floats, curves: Floats, share: float) -> list[Line]:
    """Return lines of curves of samples, (s, m), at x, (m,): their mean in a band, and the first.

    The band holds a share of them at each x.
    """
    own = band(curves, share)
    label = f"mean; band: {100 * share:g} % of samples"
    mean = Line(label, x, own.mean, own.low, own.high, method=0, marked=False)
    return [Line("first sample", x, curves[0], marked=False, faint=True), mean]
