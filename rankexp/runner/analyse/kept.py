"""Curves and texts that records keep, at the grid points that a rule chose."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd

from rankexp.arrays import Bools, Floats
from rankexp.keep import BAYES, KeptName
from rankexp.runner.analyse.frame import NONE
from rankexp.runner.plan import PlanCell
from rankexp.runner.run.record import Record
from rankexp.runner.spec import EvaluateSpec

Place = tuple[int, int, int]  # model, repeat and fold, `NONE` where the protocol has none
Source = tuple[PlanCell, Record, Place, int]
"""A record that keeps anything, with the index of the grid point that was chosen."""


@dataclass(frozen=True)
class KeptItem:
    """What one record keeps under one name: a curve, (p,) each, or a text."""

    problem: str
    method: str  # `BAYES` for the best scorer
    place: Place
    x: Floats
    y: Floats
    text: str = ""


Read = Callable[[Iterable[Source], str], list[KeptItem]]  # `curves` or `texts`


def curves(sources: Iterable[Source], name: str) -> list[KeptItem]:
    """Return the curves of one name, split by split in the order of the study.

    One for each split and method, and one for each split with the method `BAYES` where the best
    scorer is known.
    """
    found = []
    seen: set[tuple[str, Place]] = set()
    for cell, record, place, grid in sources:
        mine, best = (record.curves.get(str(KeptName(name, point))) for point in (grid, None))
        if mine is not None:
            found.append(KeptItem(cell.problem, cell.method, place, *_arrays(mine)))
        if best is not None and (cell.problem, place) not in seen:
            seen.add((cell.problem, place))
            found.append(KeptItem(cell.problem, BAYES, place, *_arrays(best)))
    return found


def by_method(found: Sequence[KeptItem], problem: str) -> dict[str, list[KeptItem]]:
    """Return what is kept of a problem, by method as they come."""
    methods: dict[str, list[KeptItem]] = {}
    for one in found:
        if one.problem == problem:
            methods.setdefault(one.method, []).append(one)
    return methods


def at_split(found: Sequence[KeptItem], problem: str, split: int) -> list[KeptItem]:
    """Return what is kept of a problem's split, by its place among those that keep anything."""
    mine = [one for one in found if one.problem == problem]
    places = list(dict.fromkeys(one.place for one in mine))
    return [one for one in mine if one.place in places[split : split + 1]]


def texts(sources: Iterable[Source], name: str) -> list[KeptItem]:
    """Return the texts of one name, as `curves`."""
    nothing = np.empty(0)
    return [
        KeptItem(cell.problem, cell.method, place, nothing, nothing, text)
        for cell, record, place, grid in sources
        if (text := record.texts.get(str(KeptName(name, grid)))) is not None
    ]


def sources(
    cells: Sequence[PlanCell], records: Mapping[str, Record], experiment: str, chosen: pd.DataFrame
) -> Iterator[Source]:
    """Yield what keeps anything at the rows that a rule chose (see `analyse.select`)."""
    columns = ["problem", "method", "model", "rep", "fold", "grid"]
    points = {key[:-1]: key[-1] for key in chosen[columns].itertuples(index=False, name=None)}
    for cell in cells:
        record = records.get(cell.key)
        if cell.experiment != experiment or record is None:
            continue
        if not isinstance(cell.spec, EvaluateSpec) or cell.spec.keep is None:
            continue
        model, rep, fold, _ = (NONE if v is None else v for v in cell.place)
        point = points.get((cell.problem, cell.method, model, rep, fold))
        if point is not None:
            yield cell, record, (model, rep, fold), record.grid.index(point)


def _arrays(curve: Mapping[str, Sequence[float]]) -> tuple[Floats, Floats]:
    return np.asarray(curve["x"], dtype=np.float64), np.asarray(curve["y"], dtype=np.float64)


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


def centred(curves: Floats, inside: Bools) -> Floats:
    """Return curves, (s, m) or (m,), less their means over some of the points."""
    return np.asarray(curves - curves[..., inside].mean(axis=-1, keepdims=True))


def slopes(x: Floats, curves: Floats, inside: Bools) -> Floats:
    """Return the slopes of the lines nearest to curves, (s,), in squares over some points."""
    apart = x[inside] - x[inside].mean()
    return np.asarray(curves[..., inside] @ apart / (apart @ apart))


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
