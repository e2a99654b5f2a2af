"""From a study and facts about its data to the records it needs and the jobs that make them.

Everything here is a pure function: the same study and facts give the same cells, keys and jobs,
in the same order. A cell is one record: a method with its whole grid at one place of a problem.
A job is some cells that share their data.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path

from rankexp import registry
from rankexp.errors import ConfigError
from rankexp.metrics.metric import parse
from rankexp.runner.config import schema
from rankexp.runner.config.asking import message
from rankexp.runner.config.estimators import file_of, has_path
from rankexp.runner.config.limits import UNLIMITED, Limits
from rankexp.runner.config.outside import Outside, outside
from rankexp.runner.config.schema import Evaluate, Experiment, Method, Simulate, Study
from rankexp.runner.grid import points
from rankexp.runner.protocols.protocol import Place
from rankexp.runner.spec import (
    DataProblem,
    EvaluateSpec,
    GeneratorProblem,
    MethodSpec,
    Setting,
    SimulateSpec,
    Spec,
    digest,
    keys,
)

JOB_ROWS = 40_000
"""Training rows that make a job worth its model and test set, and small enough to lose; tuned on
the studies of kotlowski2011, where a job then takes about a second."""
FEWEST_JOBS = 16
"""Where there are fewer, each fold of a data set is a job of its own: it shares little with the
others, and cores would wait, a bar stand still and Ctrl-C lose much otherwise."""


@dataclass(frozen=True)
class DataFacts:
    """What planning has to know of a data set."""

    rows: int
    fingerprint: str  # SHA-256 of its content
    snapshot: str  # file that workers load it from


@dataclass(frozen=True, slots=True)
class PlanCell:
    """One record that a study needs: a method or check with its grid at one place of a problem."""

    key: str  # SHA-256 of the specification's identity; never of the experiment's name
    experiment: str
    problem: str
    method: str
    spec: Spec
    limits: Limits = UNLIMITED  # of time and memory; in no key

    @property
    def place(self) -> Place:
        """Where the record stands in its experiment."""
        return self.spec.place


@dataclass(frozen=True)
class Job:
    """Cells that a worker evaluates in one go: splits of one model or repeat, by all methods."""

    key: str  # SHA-256 over the keys of its cells
    cells: tuple[PlanCell, ...]  # split by split, in the order of the plan
    cost: float  # training rows times fits, for comparing jobs
    folder: str = ""
    """Of the results, where scores of examples are kept and looked for; empty: nowhere."""
    again: frozenset[str] = frozenset()
    """Keys of cells that are made again: of these no scores that are kept count."""


def chosen(study: Study, only: Sequence[str]) -> dict[str, Experiment]:
    """Return the experiments named, all if none is; ConfigError where the study has not one."""
    for name in only:
        if name not in study.experiments:
            hint = registry.did_you_mean(name, study.experiments)
            raise ConfigError(message("study.unknown", study=study, name=name, hint=hint))
    return {name: e for name, e in study.experiments.items() if not only or name in only}


def cells(
    study: Study,
    facts: Mapping[str, DataFacts],
    only: Sequence[str] = (),
    code: Outside | None = None,
    version: int | None = None,
    limits: Limits = UNLIMITED,
) -> Iterator[PlanCell]:
    """Yield every record the study, or `only` some of its experiments, needs, in its order.

    `facts` are of the data sets that are there; a problem whose data is not gives no cell. `code`
    is what the study takes from outside, by default as installed now, and `version` that of the
    protocol, by default today's; `limits` go before those of the study. ConfigError for too many
    records.
    """
    experiments = chosen(study, only)
    for name, experiment in experiments.items():
        if (count := experiment.size()) > schema.MOST_RECORDS:
            most = schema.MOST_RECORDS
            raise ConfigError(message("study.too_many", name=name, count=count, most=most))
    made = _Planner(study, facts, outside(study) if code is None else code, version, limits)
    for name, experiment in experiments.items():
        if isinstance(experiment, Simulate):
            yield from made.simulate(name, experiment)
        else:
            yield from made.evaluate(name, experiment)


@dataclass(frozen=True)
class _Planner:
    """What the cells of all experiments are made from, see `cells`."""

    study: Study
    facts: Mapping[str, DataFacts]
    code: Outside
    version: int | None
    limits: Limits

    def simulate(self, name: str, experiment: Simulate) -> Iterator[PlanCell]:
        seed, check, how = self.study.seed, experiment.check, experiment.preprocess
        limits = self.limits.before(experiment.limits)
        theirs = self.code.of("checks", check)
        named = {problem: self._problem(problem) for problem in experiment.problems}
        problems = {p: what for p, what in named.items() if isinstance(what, DataProblem)}
        settings = enumerate(points(experiment.grid))
        given = list(problems.items()) if named else [(check, None)]
        for (problem, what), (setting, point) in product(given, settings):
            params = experiment.params | dict(point.values)
            for rep in range(experiment.repetitions):
                place = Place(rep=rep, setting=setting)
                spec = SimulateSpec(seed, check, params, point, place, theirs, what, how)
                yield PlanCell(digest(spec.identity()), name, problem, check, spec, limits)

    def _problem(self, name: str) -> GeneratorProblem | DataProblem | None:
        if name in self.study.generators:
            entry = self.study.generators[name]
            return GeneratorProblem(name, entry.generator, entry.params)
        if name not in self.facts:
            return None
        data, known = self.study.data[name], self.facts[name]
        found = (known.fingerprint, data.target, data.levels, known.snapshot, known.rows)
        return DataProblem(name, *found, grouped=bool(data.groups))

    def evaluate(self, name: str, experiment: Evaluate) -> Iterator[PlanCell]:
        code, known, protocol = self.code, self.study.methods, experiment.protocol
        each = {m: self.limits.before(known[m].limits) for m in experiment.methods}
        own = {m: limits.before(experiment.limits) for m, limits in each.items()}
        methods = {
            m: method_spec(known[m], experiment, m in code.paths, code.of("methods", m))
            for m in experiment.methods
        }
        metrics = tuple(sorted({parse(text) for text in experiment.metrics}, key=repr))
        how = (experiment.preprocess, experiment.inner, experiment.within_groups)
        measured = code.of("metrics", *experiment.metrics)
        kept, scores = experiment.keep, bool(experiment.keep and experiment.keep.scores)
        if kept and scores and not kept.identity():
            kept = None  # nothing is kept in records
        later = kept.of_all if kept else None
        for problem in experiment.problems:
            what = self._problem(problem)
            if what is None:
                continue
            if isinstance(what, GeneratorProblem) != (protocol.problems == "generators"):
                named = {"name": name, "protocol": protocol, "problem": problem}
                raise ConfigError(message("study.other_problems", **named))
            rows = code.of("generators", problem) | code.of("protocols", protocol.kind)
            codes = (rows, measured, experiment.round_scores)
            setting = Setting(self.study.seed, what, protocol, metrics, *how, *codes)
            made: dict[tuple[str, bool], Callable[[Place], str]] = {}
            for number, place in enumerate(protocol.places()):
                first = kept is None or number < kept.splits
                for method, described in methods.items():
                    keep = kept if first else later
                    spec = EvaluateSpec(setting, place, described, keep, scores, self.version)
                    if (method, first) not in made:
                        made[method, first] = keys(spec.identity())
                    key = made[method, first](place)
                    yield PlanCell(key, name, problem, method, spec, own[method])


def method_spec(
    method: Method, experiment: Evaluate, path: bool = False, code: Mapping[str, str] | None = None
) -> MethodSpec:
    """Return what a method is in an experiment, without its label.

    Where it takes `code` from outside, its package may be missing; `path` says if it has a path.
    """
    lambdas, code = method.lambdas, code or {}
    sha256 = code.get(file_of(method.estimator) or "", "").removeprefix("sha256:")
    named = (method.estimator, method.params, method.grid)
    folder = str(Path(method.folder).absolute()) if sha256 else ""
    spec = MethodSpec(*named, folder=folder, sha256=sha256, code=code)
    if lambdas is None and not method.grid and (path if code else has_path(method.estimator)):
        lambdas = experiment.lambdas
    if lambdas is None:
        return spec
    per_row = (method.scaling or experiment.scaling) == "sum"
    return replace(spec, lambdas=tuple(lambdas), per_row=per_row)


def jobs(cells: Iterable[PlanCell], done: Collection[str], size: float = 1.0) -> Iterator[Job]:
    """Yield the jobs that make the cells whose keys are not `done`, the largest first.

    A job has training sets of one model, or folds of one repeat, about `JOB_ROWS` training rows,
    or `size` times as many.
    """
    missing: dict[tuple[str, Place], dict[int, list[PlanCell]]] = {}
    seen = set(done)
    for cell in cells:
        if cell.key not in seen:
            seen.add(cell.key)
            units = missing.setdefault(cell.spec.family, {})
            units.setdefault(cell.spec.unit, []).append(cell)
    families = [list(units.values()) for units in missing.values()]
    made = [job for units in families for job in _chunks(units, _units_a_job(units, size))]
    if len(made) < FEWEST_JOBS:
        sizes = [(u, 1 if _loaded(u) else _units_a_job(u, size)) for u in families]
        made = [job for units, most in sizes for job in _chunks(units, most)]
    yield from sorted(made, key=lambda job: -job.cost)


def _units_a_job(units: list[list[PlanCell]], size: float) -> int:
    return max(1, int(size * JOB_ROWS) // max(units[0][0].spec.training_rows, 1))


def _loaded(units: list[list[PlanCell]]) -> bool:
    spec = units[0][0].spec
    problem = spec.setting.problem if isinstance(spec, EvaluateSpec) else spec.problem
    return isinstance(problem, DataProblem)


def _chunks(units: list[list[PlanCell]], most: int) -> Iterator[Job]:
    """Divide splits evenly into jobs of at most so many."""
    count = -(-len(units) // most)
    for i in range(count):
        part = units[i * len(units) // count : (i + 1) * len(units) // count]
        together = tuple(cell for unit in part for cell in unit)
        cost = float(sum(cell.spec.training_rows * cell.spec.fits for cell in together))
        yield Job(digest([cell.key for cell in together]), together, cost)
