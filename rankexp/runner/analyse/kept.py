"""Curves and texts that records keep, at the grid points that a rule chose."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from rankexp.arrays import Bools, Floats, Ints
from rankexp.runner.analyse.frame import NONE
from rankexp.runner.keep import BAYES, KeptName
from rankexp.runner.keep.curves.placements import ROWS
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
    rows: Ints | None = None  # (p,): places of test rows in the data set


def curves(sources: Iterable[Source], name: str) -> list[KeptItem]:
    """Return the curves of one name, split by split in the order of the study.

    One for each split and method, and one for each split with the method `BAYES` where the best
    scorer is known.
    """
    found = []
    seen: set[tuple[str, Place]] = set()
    for cell, record, place, grid in sources:
        tested = record.curves.get(ROWS)
        mine, best = (record.curves.get(str(KeptName(name, point))) for point in (grid, None))
        if mine is not None:
            rows = _arrays(tested)[0].astype(np.int64) if tested else None
            found.append(KeptItem(cell.problem, cell.method, place, *_arrays(mine), rows=rows))
        if best is not None and (cell.problem, place) not in seen:
            seen.add((cell.problem, place))
            found.append(KeptItem(cell.problem, BAYES, place, *_arrays(best)))
    return found


def by_method(found: Sequence[KeptItem], problem: str) -> dict[str, list[KeptItem]]:
    """Return what is kept of a problem, by method as they come."""
    own = [one for one in found if one.problem == problem]
    methods = dict.fromkeys(one.method for one in own)
    return {name: [one for one in own if one.method == name] for name in methods}


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


def centred(curves: Floats, inside: Bools) -> Floats:
    """Return curves, (s, m) or (m,), less their means over some of the points."""
    return np.asarray(curves - curves[..., inside].mean(axis=-1, keepdims=True))


def slopes(x: Floats, curves: Floats, inside: Bools) -> Floats:
    """Return the slopes of the lines nearest to curves, (s,), in squares over some points."""
    apart = x[inside] - x[inside].mean()
    return np.asarray(curves[..., inside] @ apart / (apart @ apart))
