"""One job becomes records. A method that fails, fails alone."""

import itertools
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from time import perf_counter, process_time
from typing import Any

import numpy as np

from rankexp import __version__, registry
from rankexp.metrics.base import Metric, parse
from rankexp.plan import Cell, Job, chooses, digest, grid_points
from rankexp.run.curves import CURVES, Curve, grid
from rankexp.run.fitting import Fitted, Floats, Wanted, fit
from rankexp.run.material import Fold, folds
from rankexp.run.record import Record, Row
from rankexp.seeds import stream


def evaluate(job: Job) -> list[Record]:
    """Return the records of a job's cells, in their order.

    Nothing but the cells determines them: neither what else is in the job, nor the process.
    """
    if job.cells[0].spec["kind"] == "simulate":
        works = [_Work(cell) for cell in job.cells]
        for work in works:
            work.do(_simulate)
        return [work.record() for work in works]
    groups = itertools.groupby(job.cells, key=_unit)
    return [record for unit, group in groups for record in _evaluate_split(list(group), unit)]


def _unit(cell: Cell) -> int:
    """Return the coordinate in which the splits of a job differ."""
    split = cell.spec["split"]
    return int(split.get("fold", split["rep"]))


def _evaluate_split(cells: list[Cell], unit: int) -> list[Record]:
    """Evaluate the methods on one split; fold by fold, so that only one is in memory."""
    works = [_Work(cell) for cell in cells]
    try:
        for place, fold in enumerate(folds(cells[0].spec, unit)):
            for work in works:
                if place == 0:
                    work.do(_score_test, fold)
                elif chooses(work.cell):
                    work.do(_score_inner, fold)
    except Exception as error:  # the data, not a method: it concerns them all
        for work in works:
            work.error = work.error or error
    return [work.record() for work in works]


class _Work:
    """What has been found out for a cell so far."""

    def __init__(self, cell: Cell) -> None:
        self.cell = cell
        self.rows: list[Row] = []
        self.inner: list[Floats] = []
        self.curves: dict[str, Curve] = {}
        self.texts: dict[str, str] = {}
        self.times = {"fit": 0.0, "score": 0.0, "cpu": 0.0}
        self.caught: list[warnings.WarningMessage] = []
        self.error: Exception | None = None

    def do(self, step: Callable[..., float], *arguments: Any) -> None:
        """Take a step, which returns the seconds spent fitting; after an error none is taken."""
        if self.error is not None:
            return
        cpu, start = process_time(), perf_counter()
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                seconds = step(self, *arguments)
            except Exception as error:
                self.error = error
            else:
                self.times["fit"] += seconds
                self.times["score"] += perf_counter() - start - seconds
        self.times["cpu"] += process_time() - cpu
        self.caught += caught

    def record(self) -> Record:
        """Return the record, a failed one after an error."""
        warned = _counted(self.caught)
        if self.error is not None:
            return failure(self.cell, self.error, warned)
        if self.inner:
            metrics = _metrics(tuple(self.cell.spec["metrics"]))
            self.rows += _rows("inner", metrics, _known_mean(np.stack(self.inner)))
        return Record(
            self.cell.key,
            grid=grid_points(self.cell.spec),
            rows=self.rows,
            curves=self.curves,
            texts=self.texts,
            times=self.times,
            warnings=warned,
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


def _score_test(work: _Work, fold: Fold) -> float:
    """Fit and score a method on its split."""
    spec = work.cell.spec
    metrics = _metrics(tuple(spec["metrics"]))
    keep = spec.get("keep", {"curves": [], "texts": []})
    x = grid(keep["at"], fold.X_test) if "at" in keep else None
    at = None if x is None else fold.prepared(x)
    wanted = Wanted(keep["texts"], keep.get("fitted", ()), at)
    fitted = fit(spec["method"], fold, spec["seed"], wanted)
    work.rows += _rows("test", metrics, _values(metrics, fitted, fold))
    work.rows += _bayes_rows(metrics, fold)
    for name, values in fitted.quantities.items():
        work.rows += [Row("train", g, None, None, name, value) for g, value in enumerate(values)]
    for name, numbers in fitted.attributes.items():
        work.rows += [Row("train", g, None, None, name, value) for g, value in numbers]
    work.texts |= fitted.texts
    for name in keep["curves"]:
        if name == "scoring_function" and x is not None and fitted.at is not None:
            columns = enumerate(fitted.at.T.tolist())
            work.curves |= {f"{name}:{g}": {"x": x[:, 0].tolist(), "y": y} for g, y in columns}
        else:
            work.curves |= _curves(name, fitted, fold)
    return fitted.seconds


def _curves(name: str, fitted: Fitted, fold: Fold) -> dict[str, Curve]:
    """Return a curve of each grid point, ``iroc:0``, and of the best scorer, ``iroc:bayes``."""
    columns = {f"{name}:{g}": column for g, column in enumerate(fitted.scores.T)}
    if fold.test.best is not None:
        columns[f"{name}:bayes"] = fold.test.best
    make = CURVES[name]
    return {key: make(fold.X_test, fold.test.y, column) for key, column in columns.items()}


def _score_inner(work: _Work, fold: Fold) -> float:
    """Fit and score a method on a fold inside the training part."""
    spec = work.cell.spec
    fitted = fit(spec["method"], fold, spec["seed"])
    work.inner.append(_values(_metrics(tuple(spec["metrics"])), fitted, fold))
    return fitted.seconds


def _values(metrics: Sequence[Metric], fitted: Fitted, fold: Fold) -> Floats:
    """Return the metrics on a fold's test part, (metrics, G)."""
    known = fold.test.told | {"fitted": fitted.said}
    return np.array(
        [metric(scores=fitted.scores, **known) for metric in metrics], dtype=np.float64
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
            yield Row("test", 0, None, None, metric.of_bayes, loss)


def _simulate(work: _Work) -> float:
    """Run one repetition of a check."""
    spec = work.cell.spec
    path = f"{spec['check']}/{digest(spec['params'])}/rep/{spec['split']['rep']}"
    check = registry.get("checks", spec["check"])
    start = perf_counter()
    found = check(stream(spec["seed"], path), **spec["params"])
    work.rows += [_check_row(row) for row in found]
    return perf_counter() - start


def _check_row(row: Mapping[str, Any]) -> Row:
    return Row(
        row.get("part", "test"),
        0,
        row.get("step"),
        row.get("group"),
        row["quantity"],
        float(row["value"]),
    )
