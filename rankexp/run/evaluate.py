"""One job becomes records. A method that fails, fails alone."""

import itertools
import traceback
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from time import perf_counter, process_time
from typing import Any

import numpy as np

from rankexp import __version__, registry
from rankexp.metrics.base import Metric, parse
from rankexp.plan import Cell, Job, digest, grid_points
from rankexp.run.fitting import Fitted, Floats, fit
from rankexp.run.material import Fold, Material, materials
from rankexp.run.record import Record, Row
from rankexp.seeds import stream

FITTED = ("objective", "gap", "n_iter", "lam_effective")


def evaluate(job: Job) -> list[Record]:
    """Return the records of a job's cells, in their order.

    Nothing but the cells determines them: neither what else is in the job, nor the process.
    """
    if job.cells[0].spec["kind"] == "simulate":
        return [_recorded(cell, lambda cell=cell: _simulated(cell)) for cell in job.cells]
    groups = [list(group) for _, group in itertools.groupby(job.cells, key=_unit)]
    made = materials(job.cells[0].spec, [_unit(group[0]) for group in groups])
    return [
        _recorded(cell, lambda cell=cell, material=material: _evaluated(cell, material))
        for group, material in zip(groups, made, strict=True)
        for cell in group
    ]


def _unit(cell: Cell) -> int:
    """Return the coordinate in which the splits of a job differ."""
    split = cell.spec["split"]
    return int(split.get("fold", split["rep"]))


Outcome = tuple[list[Row], dict[str, float]]


def _recorded(cell: Cell, work: Any) -> Record:
    """Do the work of a cell; keep warnings, times, and an exception as a failed record."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        start = process_time()
        try:
            rows, times = work()
        except Exception as error:
            return failure(cell, error, _counted(caught))
        times["cpu"] = process_time() - start
    return Record(
        cell.key,
        grid=grid_points(cell.spec),
        rows=rows,
        times=times,
        warnings=_counted(caught),
        version=__version__,
    )


def failure(cell: Cell, error: BaseException, warned: Sequence[str] = ()) -> Record:
    """Return the failed record of a cell, with one line of reason and the whole traceback."""
    lines = str(error).strip().splitlines() or ["no message"]
    return Record(
        cell.key,
        status="failed",
        reason=f"{type(error).__name__}: {lines[0]}",
        grid=grid_points(cell.spec),
        texts={"traceback": "".join(traceback.format_exception(error))},
        warnings=list(warned),
        version=__version__,
    )


def _counted(caught: Sequence[warnings.WarningMessage]) -> list[str]:
    """Return each warning once, with how often it came."""
    counts = Counter(f"{w.category.__name__}: {w.message}" for w in caught)
    return [text if n == 1 else f"{text} ({n} times)" for text, n in counts.items()]


@lru_cache(maxsize=64)
def _metrics(names: tuple[str, ...]) -> tuple[Metric, ...]:
    return tuple(parse(name) for name in names)


def _evaluated(cell: Cell, material: Material | Exception) -> Outcome:
    """Fit and score a method on a split, and on the inner folds."""
    if isinstance(material, Exception):
        raise material
    method, seed = cell.spec["method"], cell.spec["seed"]
    metrics = _metrics(tuple(cell.spec["metrics"]))
    start = perf_counter()
    fitted = fit(method, material.outer, seed)
    rows = list(_rows("test", metrics, _values(metrics, fitted, material.outer)))
    rows += _bayes_rows(metrics, material.outer)
    for name in FITTED:
        values = fitted.quantities.get(name, ())
        rows += [Row("train", g, None, None, name, value) for g, value in enumerate(values)]
    seconds = fitted.seconds
    if material.inner:
        folds = []
        for fold in material.inner:
            inner = fit(method, fold, seed)
            seconds += inner.seconds
            folds.append(_values(metrics, inner, fold))
        rows += _rows("inner", metrics, _known_mean(np.stack(folds)))
    return rows, {"fit": seconds, "score": perf_counter() - start - seconds}


def _values(metrics: Sequence[Metric], fitted: Fitted, fold: Fold) -> Floats:
    """Return the metrics on a fold's test part, (metrics, G)."""
    test = fold.test
    return np.array(
        [metric(y=test.y, scores=fitted.scores, **test.extra) for metric in metrics],
        dtype=np.float64,
    )


def _known_mean(values: Floats) -> Floats:
    """Return the mean over folds (the first axis) of what is not NaN; NaN where nothing is."""
    known = ~np.isnan(values)
    total = np.where(known, values, 0.0).sum(axis=0)
    count = known.sum(axis=0)
    mean: Floats = np.where(count > 0, total / np.maximum(count, 1), np.nan)
    return mean


def _rows(part: str, metrics: Sequence[Metric], values: Floats) -> Iterator[Row]:
    for metric, line in zip(metrics, values.tolist(), strict=True):
        name = repr(metric)
        yield from (Row(part, g, None, None, name, value) for g, value in enumerate(line))


def _bayes_rows(metrics: Sequence[Metric], fold: Fold) -> Iterator[Row]:
    for metric in metrics:
        loss = fold.test.bayes_loss(metric)
        if loss is not None:
            yield Row("test", 0, None, None, f"{metric!r}:bayes", loss)


def _simulated(cell: Cell) -> Outcome:
    """Run one repetition of a check."""
    spec = cell.spec
    path = f"{spec['check']}/{digest(spec['params'])}/rep/{spec['split']['rep']}"
    check = registry.get("checks", spec["check"])
    start = perf_counter()
    found = check(stream(spec["seed"], path), **spec["params"])
    return [_check_row(row) for row in found], {"fit": perf_counter() - start, "score": 0.0}


def _check_row(row: Mapping[str, Any]) -> Row:
    return Row(
        row.get("part", "test"),
        0,
        row.get("step"),
        row.get("group"),
        row["quantity"],
        float(row["value"]),
    )
