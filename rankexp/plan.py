"""From a study and facts about its data to the records it needs and the jobs that make them.

Everything here is a pure function: the same study and facts give the same cells, keys and jobs,
in the same order.
"""

import hashlib
import itertools
import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rankexp import registry
from rankexp.config.schema import (
    CrossValidation,
    Evaluate,
    Holdout,
    Method,
    Models,
    Protocol,
    Simulate,
    Study,
)
from rankexp.errors import ConfigError

PROTOCOL_VERSION = 1
"""Part of every key: raise it when a record of the same specification must mean something else."""

JOB_ROWS = 40_000
"""Training rows that make a job worth its model and test set, and small enough to lose."""

SIMULATION_ROWS = 2_000
"""What one repetition of a check counts as, its cost being unknown."""


@dataclass(frozen=True)
class DataFacts:
    """What planning has to know of a data set.

    Attributes
    ----------
    rows : int
    fingerprint : str
        SHA-256 of its content.
    snapshot : str
        File that workers load it from.
    """

    rows: int
    fingerprint: str
    snapshot: str


@dataclass(frozen=True)
class Cell:
    """One record that the study needs: a split with a method and its whole grid.

    Attributes
    ----------
    key : str
        SHA-256 of what determines the record; never the experiment's name.
    experiment, problem, method : str
        Names in the study; a `simulate` cell has the check as its problem and method.
    model, rep, fold : int or None
        Place in the protocol; `rep` counts training sets, repeats or repetitions.
    spec : dict
        Everything a worker needs, in JSON's types.
    """

    key: str
    experiment: str
    problem: str
    method: str
    model: int | None
    rep: int | None
    fold: int | None
    spec: dict[str, Any]


@dataclass(frozen=True)
class Job:
    """Cells that a worker evaluates in one go: splits of one model or repeat, all their methods.

    Attributes
    ----------
    key : str
        SHA-256 over the keys of its cells.
    cells : tuple of Cell
        Split by split, in the order of the plan.
    cost : float
        Training rows times fits, for comparing jobs.
    """

    key: str
    cells: tuple[Cell, ...]
    cost: float


def canonical(value: Any) -> str:
    """Return the one JSON text of plain data: sorted keys, no spaces, no NaN."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def digest(value: Any) -> str:
    """Return the SHA-256, in hex, of the canonical JSON of plain data."""
    return hashlib.sha256(canonical(value).encode()).hexdigest()


def points(grid: Mapping[str, Sequence[Any]]) -> list[dict[str, Any]]:
    """Return the grid's points, the last name varying fastest; one empty point for no grid."""
    return [dict(zip(grid, values, strict=True)) for values in itertools.product(*grid.values())]


def _require(study: Study, experiments: Iterable[str]) -> None:
    for name in experiments:
        if name not in study.experiments:
            hint = registry.did_you_mean(name, study.experiments)
            known = ", ".join(study.experiments)
            raise ConfigError(
                f"study '{study.study}' has no experiment '{name}'{hint}; it has: {known}"
            )


def cells(
    study: Study, facts: Mapping[str, DataFacts], only: Sequence[str] = ()
) -> Iterator[Cell]:
    """Yield every record the study needs, in the order of the study.

    Parameters
    ----------
    study : Study
    facts : mapping of name to DataFacts
        The data sets that are there; a problem whose data is not gives no cell.
    only : sequence of str
        Experiments to keep; all if empty.

    Raises
    ------
    ConfigError
        Where `only` names no experiment of the study.
    """
    _require(study, only)
    for name, experiment in study.experiments.items():
        if only and name not in only:
            continue
        if isinstance(experiment, Simulate):
            yield from _simulate_cells(study, name, experiment)
        else:
            yield from _evaluate_cells(study, name, experiment, facts)


def _simulate_cells(study: Study, name: str, experiment: Simulate) -> Iterator[Cell]:
    for setting, point in enumerate(points(experiment.grid)):
        base = {
            "protocol": PROTOCOL_VERSION,
            "kind": "simulate",
            "seed": study.seed,
            "check": experiment.check,
            "params": experiment.params | point,
            "point": point,
        }
        for rep in range(experiment.repetitions):
            spec = base | {"split": {"rep": rep}}
            check = experiment.check
            yield Cell(digest(spec), name, check, check, setting, rep, None, spec)


def _problem(study: Study, name: str, facts: Mapping[str, DataFacts]) -> dict[str, Any] | None:
    """Return what a problem is, its name being the path of its seeds; None without its data."""
    if name in study.generators:
        entry = study.generators[name]
        return {"path": name, "generator": entry.generator, "params": entry.params}
    if name not in facts:
        return None
    data = study.data[name]
    known = facts[name]
    return {
        "path": name,
        "data": known.fingerprint,
        "target": data.target,
        "levels": data.levels,
    }


def _evaluate_cells(
    study: Study, name: str, experiment: Evaluate, facts: Mapping[str, DataFacts]
) -> Iterator[Cell]:
    methods = {m: _method(study.methods[m], experiment) for m in experiment.methods}
    base: dict[str, Any] = {
        "protocol": PROTOCOL_VERSION,
        "kind": "evaluate",
        "seed": study.seed,
        "preprocess": experiment.preprocess.model_dump(mode="json"),
        "inner": experiment.inner and experiment.inner.model_dump(mode="json"),
        "metrics": sorted(set(experiment.metrics)),
    }
    for problem in experiment.problems:
        what = _problem(study, problem, facts)
        if what is None:
            continue
        if ("generator" in what) != (experiment.protocol.kind == "models"):
            raise ConfigError(_mismatch(name, problem, experiment.protocol))
        hints = {} if problem not in facts else _hints(facts[problem])
        for place, split in enumerate(_splits(experiment.protocol)):
            shared = base | {"problem": what, "split": split} | _kept(experiment, place)
            for method, described in methods.items():
                spec = shared | {"method": described}
                where = (split.get("model"), split["rep"], split.get("fold"))
                yield Cell(digest(spec), name, problem, method, *where, spec | hints)


def _kept(experiment: Evaluate, place: int) -> dict[str, Any]:
    """Return what a split's records hold beside numbers; how many splits have it is left out."""
    if experiment.keep is None or place >= experiment.keep.splits:
        return {}
    keep = experiment.keep
    kept: dict[str, Any] = {"curves": sorted(set(keep.curves)), "texts": sorted(set(keep.texts))}
    if keep.at is not None:
        kept["at"] = keep.at.model_dump(mode="json")
    if keep.fitted:
        kept["fitted"] = sorted(set(keep.fitted))
    return {"keep": kept}


def _hints(facts: DataFacts) -> dict[str, Any]:
    """Return what a worker needs but what determines no number, so is in no key."""
    return {"snapshot": facts.snapshot, "rows": facts.rows}


def _mismatch(experiment: str, problem: str, protocol: Protocol) -> str:
    wanted = "generators" if protocol.kind == "models" else "data sets"
    return (
        f"experiment '{experiment}': protocol '{protocol.kind}' is for {wanted}, "
        f"and problem '{problem}' is not one"
    )


def _method(method: Method, experiment: Evaluate) -> dict[str, Any]:
    """Return what a method is, without its label."""
    described: dict[str, Any] = {"estimator": method.estimator, "params": method.params}
    if method.grid:
        described["grid"] = method.grid
    lambdas = method.lambdas
    if lambdas is None and not method.grid and _has_path(method.estimator):
        lambdas = experiment.lambdas
    if lambdas is not None:
        described["lambdas"] = lambdas
        described["scaling"] = method.scaling or experiment.scaling
    return described


def _has_path(estimator: str) -> bool:
    """Whether one of our own estimators fits whole paths; scikit-learn's `path` is another."""
    if "." in estimator:
        return False
    return hasattr(registry.get("estimators", estimator), "path")


def _splits(protocol: Protocol) -> Iterator[dict[str, Any]]:
    """Yield the splits of a protocol: the numbers that matter for each, and its place.

    How many there are in all (models, training sets, repeats) is left out, so that a larger
    study keeps the records of a smaller one.
    """
    match protocol:
        case Models():
            numbers = {"kind": "models", "n_train": protocol.n_train, "n_test": protocol.n_test}
            for model in range(protocol.models):
                for rep in range(protocol.training_sets):
                    yield numbers | {"model": model, "rep": rep}
        case CrossValidation():
            numbers = protocol.model_dump(mode="json", exclude={"repeats"})
            for rep in range(protocol.repeats):
                for fold in range(protocol.folds):
                    yield numbers | {"rep": rep, "fold": fold}
        case Holdout():
            numbers = protocol.model_dump(mode="json", exclude={"repeats"})
            for rep in range(protocol.repeats):
                yield numbers | {"rep": rep}


def grid_points(spec: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the grid of a cell's method, `lam` as configured and varying fastest."""
    if spec["kind"] == "simulate":
        return [dict(spec["point"])]
    method = spec["method"]
    lams = {"lam": method["lambdas"]} if "lambdas" in method else {}
    return points(method.get("grid", {}) | lams)


def fits(cell: Cell) -> int:
    """Return the number of fits a cell takes: grid points, with inner folds each time more."""
    if cell.spec["kind"] == "simulate":
        return 1
    folds = cell.spec["inner"]["folds"] if chooses(cell) else 0
    return len(grid_points(cell.spec)) * (1 + folds)


def chooses(cell: Cell) -> bool:
    """Tell whether inner folds have anything to choose: a single grid point needs none."""
    return cell.spec["inner"] is not None and len(grid_points(cell.spec)) > 1


def training_rows(cell: Cell) -> int:
    """Return about how many rows a cell trains on."""
    if cell.spec["kind"] == "simulate":
        return SIMULATION_ROWS
    split = cell.spec["split"]
    match split["kind"]:
        case "models":
            return int(split["n_train"])
        case "cross_validation":
            return int(cell.spec["rows"] * (split["folds"] - 1) // split["folds"])
        case _:
            rows, test = cell.spec["rows"], split["test"]
            return int(rows - (rows * test if test < 1 else test))


def jobs(cells: Iterable[Cell], done: Collection[str]) -> Iterator[Job]:
    """Yield the jobs that make the missing cells, the largest first.

    Parameters
    ----------
    cells : iterable of Cell
    done : collection of str
        Keys of the cells that need no work.

    Yields
    ------
    Job
        Training sets of one model, or folds of one repeat, about `JOB_ROWS` training rows.
        Cells with the same key in several experiments are made once.
    """
    missing: dict[str, dict[int, list[Cell]]] = {}
    seen = set(done)
    for cell in cells:
        if cell.key not in seen:
            seen.add(cell.key)
            family, unit = _family(cell)
            missing.setdefault(family, {}).setdefault(unit, []).append(cell)
    made = [job for units in missing.values() for job in _chunks(list(units.values()))]
    yield from sorted(made, key=lambda job: -job.cost)


def _family(cell: Cell) -> tuple[str, int]:
    """Return what splits must share to be in one job, and the coordinate that they differ in."""
    split = dict(cell.spec["split"])
    unit = split.pop("fold" if "fold" in split else "rep")
    shared = {k: v for k, v in cell.spec.items() if k not in ("method", "metrics", "keep")}
    return canonical(shared | {"split": split}), int(unit)


def _chunks(units: list[list[Cell]]) -> Iterator[Job]:
    """Divide splits evenly into jobs of at most about `JOB_ROWS` training rows."""
    rows = training_rows(units[0][0])
    most = max(1, JOB_ROWS // max(rows, 1))
    count = -(-len(units) // most)
    for i in range(count):
        part = units[i * len(units) // count : (i + 1) * len(units) // count]
        together = tuple(cell for unit in part for cell in unit)
        cost = float(sum(training_rows(cell) * fits(cell) for cell in together))
        yield Job(digest([cell.key for cell in together]), together, cost)
