"""One job becomes records. A method that fails, fails alone."""

import contextlib
import itertools
import math
import operator
import signal
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from time import perf_counter, process_time
from typing import Any, SupportsIndex

import numpy as np
import sklearn

from rankexp import __version__, registry
from rankexp.arrays import Floats
from rankexp.errors import EnvironmentProblemError, Interrupted
from rankexp.metrics.by_example import NAMES as THRESHOLDS
from rankexp.runner.config.estimators import resolve_estimator
from rankexp.runner.keep import KeptName, curves
from rankexp.runner.keep.curves.placements import ROWS, is_placements
from rankexp.runner.keep.curves.scoring_function import AT_POINTS, at_points, points
from rankexp.runner.plan import Job, PlanCell
from rankexp.runner.run import options  # noqa: F401  (kept apart)
from rankexp.runner.run.apart import apart, begin
from rankexp.runner.run.fitting import NOTHING_MORE, Extras, Factory, Fitted, fit, machine_problem
from rankexp.runner.run.material import TEST, Fold, folds, problem
from rankexp.runner.run.measured import best_points, measured, rows, rows_of, with_ties
from rankexp.runner.run.pool import Death
from rankexp.runner.run.record import LIMIT, Record, RecordRow, Status
from rankexp.runner.run.scored import Scores
from rankexp.runner.run.watch import watched
from rankexp.runner.spec import EvaluateSpec, SimulateSpec
from rankexp.seeds import stream

LONGEST = 500  # characters of a reason; a traceback keeps twenty times as many, of its two ends


def evaluate(job: Job, most: float = math.inf) -> list[Record]:
    """Return the records of a job's cells, in their order.

    Nothing but the cells determines them: neither what else is in the job, nor the process. In a
    worker no step of a method takes more than `most` seconds, or its own limits.
    """
    if isinstance(job.cells[0].spec, SimulateSpec):
        works = [_Work(cell, job, most) for cell in job.cells]
        for work in works:
            work.do(_simulate, work.cell.spec)
        return [work.record() for work in works]
    groups = itertools.groupby(job.cells, key=lambda cell: cell.spec.unit)
    return [record for _, group in groups for record in _evaluate_split(list(group), job, most)]


def _evaluate_split(cells: list[PlanCell], job: Job, most: float) -> list[Record]:
    """Evaluate the methods on one split; fold by fold, so that only one is in memory."""
    works = [_Work(cell, job, most) for cell in cells]
    spec = cells[0].spec
    assert isinstance(spec, EvaluateSpec)
    made = folds(spec)
    for place in itertools.count():
        try:
            fold = next(made, None)
        except EnvironmentProblemError:
            raise  # no record is to tell of a disk that failed
        except Exception as error:  # the data, not a method: it concerns them all
            for work in works:
                work.fail(error)
            break
        if fold is None:
            break
        for work in works:
            if place == 0:
                work.do(_score_test, work.cell.spec, fold)
            elif isinstance(work.cell.spec, EvaluateSpec) and work.cell.spec.chooses:
                work.do(_score_inner, work.cell.spec, fold)
    return [work.record() for work in works]


class _Work:
    """What has been found out for a cell so far."""

    def __init__(self, cell: PlanCell, job: Job, most: float) -> None:
        self.cell, self.most = cell, most
        self.load = _from_outside(cell)
        if self.load is None and isinstance(cell.spec, EvaluateSpec):
            with contextlib.suppress(Exception):  # the step says so, without our imports' time
                resolve_estimator(cell.spec.method.estimator)
        self.versions = {"rankexp": __version__}
        self.scores: Scores | None = None
        if isinstance(cell.spec, EvaluateSpec):
            if cell.spec.method.outside:
                self.versions |= {"scikit-learn": sklearn.__version__}  # no key has it
            again = cell.key in job.again
            self.scores = Scores(cell.spec, job.folder, again, self.versions)
        self.rows: list[RecordRow] = []
        self.inner: list[Floats] = []
        self.curves: dict[str, curves.Curve] = {}
        self.texts: dict[str, str] = {}
        self.fitting = self.scoring = self.cpu = 0.0  # seconds
        self.caught: list[str] = []
        self.failed: Record | None = None

    def do(self, step: Callable[..., float], *arguments: Any) -> None:
        """Take a step, which returns the seconds spent fitting; after an error none is taken.

        Whatever a method raises is its own failure, `sys.exit` too; only the user stops a run.
        """
        if self.failed is not None:
            return
        cpu, start, key = process_time(), perf_counter(), self.cell.key
        raised: BaseException | None = None
        with (
            warnings.catch_warnings(record=True) as caught,
            watched(key, self.cell.limits, self.most),
            apart(foreign=self.load is not None),
        ):
            warnings.simplefilter("always")
            try:
                begin(key, self.load)
                seconds = step(self, *arguments)
            except BaseException as error:
                raised = error
        if raised is None:
            self.fitting += seconds
            self.scoring += perf_counter() - start - seconds
        else:
            self.fail(raised)
            raised = None  # it holds this frame, which holds it
        self.cpu += process_time() - cpu
        self.caught += _told(caught)

    def fitted(self, spec: EvaluateSpec, fold: Fold, extras: Extras) -> tuple[Fitted, float]:
        """Return what comes of the grid on the next fold, and the seconds spent on it now.

        It is taken from the scores that are kept, if there are any.
        """
        assert self.scores is not None
        asked = any("fitted" in m.takes and "binary" in m.kinds for m in spec.setting.metrics)
        extras = extras._replace(thresholds=asked or spec.scores)
        known = self.scores.next(fold)
        # What was kept for other metrics may be without thresholds.
        if known is not None and not (asked and {*THRESHOLDS.values()} - known[0].known.keys()):
            self.fitting += known[0].seconds
            self.caught += known[1]
            return known[0], 0.0
        with warnings.catch_warnings(record=True, action="always") as caught:
            try:
                found = fit(spec.method, fold, spec.setting.seed, extras)
            finally:
                told = _told(caught)
                self.caught += told
        self.scores.add(fold, found, told)
        return found, found.seconds

    def fail(self, error: BaseException) -> None:
        """Keep an error as text: the error itself would hold all that its frames do.

        What is no failure of the method is raised: that the user stops, or that a disk is full.
        """
        # A run's own handler raises `Interrupted`; without it a plain KeyboardInterrupt is Ctrl-C.
        # Compiled loops, and methods, may raise an error of their own in place of it.
        default = signal.getsignal(signal.SIGINT) is signal.default_int_handler
        wish = KeyboardInterrupt if default else Interrupted
        for stopped in (found for found in _chain(error) if isinstance(found, wish)):
            raise stopped from None
        if (problem := machine_problem(error)) is not None:
            raise problem from error
        self.failed = self.failed or failure(self.cell, error)
        memory = self.cell.limits.memory
        lacks = (isinstance(e, MemoryError) or "bad_alloc" in _lines(e)[0] for e in _chain(error))
        if memory is not None and any(lacks):
            self.failed = replace(self.failed, reason=f"took more than {memory}")

    def record(self) -> Record:
        """Return the record, a failed one after an error."""
        if self.scores is not None and self.scores.problem:
            self.caught.append(f"UserWarning: {self.scores.problem}")
        if self.failed is not None:
            return replace(self.failed, warnings=_counted(self.caught))
        packages = dict(self.versions)
        if self.scores is not None:
            self.scores.write([point.text for point in self.cell.spec.points])
            packages = dict(self.scores.versions)
        if self.inner and isinstance(spec := self.cell.spec, EvaluateSpec):
            with warnings.catch_warnings(action="ignore", category=RuntimeWarning):
                values = np.asarray(np.nanmean(np.stack(self.inner), axis=0))  # NaN if all are
            self.rows += rows("inner", spec.setting.metrics, values)
            chosen = best_points(spec.setting.metrics, values)
            self.curves = {
                name: curve
                for name, curve in self.curves.items()
                if not is_placements(name) or KeptName.parse(name).point in chosen
            }
        times = {"fit": self.fitting, "score": self.scoring, "cpu": self.cpu}
        return Record(
            self.cell.key,
            grid=self.cell.spec.points,
            rows=self.rows,
            curves=self.curves,
            texts=self.texts,
            times={name: round(seconds, 6) for name, seconds in times.items()},
            warnings=_counted(self.caught),
            version=packages.pop("rankexp"),
            packages=packages,
        )


def _told(caught: Sequence[warnings.WarningMessage]) -> list[str]:
    """Return warnings as texts.

    Those of plug-ins the parent has told; which method meets them first is chance.
    """
    kinds = (w for w in caught if not issubclass(w.category, registry.PluginWarning))
    return [f"{w.category.__name__}: {w.message}" for w in kinds]


def _chain(error: BaseException) -> Iterator[BaseException]:
    """Yield an error and those that it comes from."""
    found: BaseException | None = error
    for _ in range(LONGEST):  # a method's chain of errors may be a circle
        if found is None:
            return
        yield found
        found = found.__cause__ or found.__context__


def failure(cell: PlanCell, error: BaseException) -> Record:
    """Return the failed record of a cell, with one line of reason and the traceback."""
    trace = "".join(traceback.format_exception(error))
    reason = f"{type(error).__name__}: {_lines(error)[0]}"
    return _without_rows(cell, "failed", reason, {"traceback": trace})


def _lines(error: BaseException) -> list[str]:
    try:
        return str(error).strip().splitlines() or ["no message"]
    except Exception:  # a message may be made by a method's own code
        return ["its message cannot be shown"]


def ended(cell: PlanCell, died: Death) -> Record:
    """Return the record of a cell whose process has ended in the middle of it, twice perhaps."""
    limit = cell.limits.memory
    why = str(died) if died.late else f"{died}, twice"
    if limit is not None and not died.late:
        why += f"; it was allowed {limit} of memory"
    texts = {"traceback": died.step.trace, LIMIT: repr(died.step.seconds)} if died.late else {}
    return _without_rows(cell, "timeout" if died.late else "failed", why, texts)


def _without_rows(cell: PlanCell, status: Status, why: str, texts: Mapping[str, str]) -> Record:
    return Record(
        cell.key,
        status=status,
        reason=_shortened(why, LONGEST),
        grid=cell.spec.points,
        texts={name: _shortened(text, 20 * LONGEST) for name, text in texts.items()},
        version=__version__,
    )


def _from_outside(cell: PlanCell) -> partial[Factory] | None:
    """Return what loads a cell's method, or check, where any of its code is from outside."""
    spec = cell.spec
    if not spec.foreign:
        return None
    if isinstance(spec, SimulateSpec):
        return partial(registry.get, "checks", spec.check)
    method = spec.method
    return partial(resolve_estimator, method.estimator, method.folder, method.sha256)


def _shortened(text: str, most: int) -> str:
    """Return a text that can be written anywhere: valid, and its middle left out if too long."""
    text = text.encode("utf-8", "backslashreplace").decode("utf-8")
    if len(text) <= most:
        return text
    half = most // 2
    return f"{text[:half]} [... {len(text) - 2 * half:,} characters ...] {text[-half:]}"


def _counted(caught: Sequence[str]) -> list[str]:
    """Return each warning once, with how often it came."""
    counts = Counter(_shortened(text, LONGEST) for text in caught)
    return [text if n == 1 else f"{text} ({n} times)" for text, n in counts.items()]


def _score_test(work: _Work, spec: EvaluateSpec, fold: Fold) -> float:
    """Fit and score a method on its split."""
    metrics, keep, test = spec.setting.metrics, spec.keep, fold.test
    x = points(at.low, at.high, at.points, test.part.X) if keep and (at := keep.at) else None
    at_x = None if x is None else fold.prepared(x)
    extras = Extras(keep.texts, keep.fitted, at_x) if keep else NOTHING_MORE
    fitted, seconds = work.fitted(spec, fold, extras)
    tied: dict[str, Floats] = {}
    for part, tested in fold.tests.items():
        scores = tied[part] = with_ties(fitted.scores[part])
        scores.setflags(write=False)  # no metric changes what the next one sees
        found = measured(metrics, scores, fitted.known, tested, spec.setting.round_scores)
        work.rows += rows_of(part, metrics, *found, tested)
    best = ((metric.of_bayes, test.bayes_loss(metric)) for metric in metrics)
    work.rows += [RecordRow("test", 0, None, None, name, v) for name, v in best if v is not None]
    for name, numbers in fitted.numbers.items():
        work.rows += [RecordRow("train", g, None, None, name, value) for g, value in numbers]
    work.texts |= fitted.texts
    names = list(keep.curves) if keep else []
    if x is not None and fitted.at is not None:
        names.remove(AT_POINTS)
        work.curves |= at_points(x, fitted.at)
    work.curves |= curves.made(names, test.X, test.part.y, tied[TEST], test.best)
    if test.part.rows is not None and any(map(is_placements, work.curves)):
        work.curves[ROWS] = {"x": test.part.rows.tolist(), "y": test.part.y.tolist()}
    return seconds


def _score_inner(work: _Work, spec: EvaluateSpec, fold: Fold) -> float:
    """Fit and score a method on a fold inside the training part."""
    (fitted, seconds), setting = work.fitted(spec, fold, NOTHING_MORE), spec.setting
    known = with_ties(fitted.scores[TEST]), fitted.known, fold.test
    work.inner.append(measured(setting.metrics, *known, setting.round_scores)[0])
    return seconds


def _simulate(work: _Work, spec: SimulateSpec) -> float:
    """Run one repetition of a check."""
    check = registry.get("checks", spec.check)
    given = {} if spec.problem is None else {"problem": problem(spec.problem, spec.preprocess)}
    start = perf_counter()
    found = check(stream(spec.seed, spec.path), **spec.params, **given)
    work.rows += [_check_row(**row) for row in found]
    return perf_counter() - start


def _check_row(
    quantity: str,
    value: float,
    part: str = "test",
    step: SupportsIndex | None = None,
    group: str | int | None = None,
) -> RecordRow:
    at = None if step is None else operator.index(step)
    within = None if group is None else str(group)
    return RecordRow(str(part), 0, at, within, str(quantity), float(value))
