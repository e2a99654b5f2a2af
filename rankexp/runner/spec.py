"""What determines a record: typed values, made once in a plan and used as they are by a worker.

The identity of a specification leaves out what equals its default, so that a new field with a
default changes no key. A default therefore never changes: other behaviour gets a field of its own.
"""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

from rankexp.metrics.metric import Metric
from rankexp.runner.config.schema import Keep, Preprocess
from rankexp.runner.grid import Point, points
from rankexp.runner.protocols.inner import Inner
from rankexp.runner.protocols.protocol import Place, Protocol
from rankexp.runner.strict import Plain, Strict

PROTOCOL_VERSION = 3
"""Of what a record holds of a method. 3: scores that differ by rounding alone tie."""
FITS_VERSION = 2
"""Of fits whose scores are kept as they came, and of checks. Both are part of every key: raise one
when a record of the same specification must mean something else."""

SIMULATION_ROWS = 2_000
"""What one repetition of a check counts as, its cost being unknown; tuned: none takes minutes."""


_ENCODER = json.JSONEncoder(sort_keys=True, separators=(",", ":"), allow_nan=False)


def canonical(value: Plain) -> str:
    """Return the one JSON text of plain data: sorted keys, no spaces, no NaN."""
    return _ENCODER.encode(value)


def keys(identity: Mapping[str, Plain]) -> Callable[[Place], str]:
    """Return what gives the digest of an identity at any place; what is the same is read once."""
    mark = "\0 its place"
    before, after = canonical({**identity, "place": mark}).split(canonical(mark))

    def key(place: Place) -> str:
        own = ",".join(f'"{part}":{number}' for part, number in sorted(place.identity().items()))
        return hashlib.sha256(f"{before}{{{own}}}{after}".encode()).hexdigest()

    return key


def digest(value: Plain) -> str:
    """Return the SHA-256, in hex, of the canonical JSON of plain data."""
    return hashlib.sha256(canonical(value).encode()).hexdigest()


def _changed(model: Strict) -> dict[str, Plain]:
    return model.model_dump(mode="json", exclude_defaults=True)


def _given(**values: Plain) -> dict[str, Plain]:
    """Return what is said of a specification; None is not."""
    return {name: value for name, value in values.items() if value is not None}


@dataclass(frozen=True)
class GeneratorProblem:
    """A generator with its parameters; its name is the path of its seeds."""

    name: str
    generator: str
    params: Mapping[str, Any]

    def identity(self) -> dict[str, Plain]:
        """Return what determines the rows drawn, the study's seed aside."""
        return {"path": self.name, "generator": self.generator, "params": dict(self.params)}


@dataclass(frozen=True)
class DataProblem:
    """A data set as it was found; its name is the path of its seeds; its file is in no key."""

    name: str
    fingerprint: str
    target: str
    levels: Sequence[Any] | None = None  # as the study declares them
    snapshot: str = ""
    rows: int = 0
    grouped: bool = False
    """Whether it has groups; in no key by itself, as the fingerprint covers them."""

    def identity(self) -> dict[str, Plain]:
        """Return what determines the rows."""
        levels = None if self.levels is None else list(self.levels)
        return _given(path=self.name, data=self.fingerprint, target=self.target, levels=levels)


@dataclass(frozen=True)
class MethodSpec:
    """An estimator with its whole grid."""

    estimator: str  # a registered name, an import path, or a name in a file
    params: Mapping[str, Any] = field(default_factory=dict)
    grid: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    """Without `lam` where there are `lambdas`."""
    lambdas: tuple[float, ...] | None = None
    """Penalties solved along a path, as the study gives them."""
    per_row: bool = False
    """Whether a penalty is divided by the number of training rows (``scaling: sum``)."""
    folder: str = ""
    """Where a file that the estimator names lies; in no key, as the file's SHA-256 is."""
    sha256: str = ""  # of that file, so that no worker takes another
    code: Mapping[str, str] = field(default_factory=dict)
    """What it takes from outside; in the records' keys, not in `digest`: that a package has
    another version is no reason for other random numbers."""

    @cached_property
    def settings(self) -> tuple[Point, ...]:
        """The points that are fitted one by one; each with all lambdas, where there are any."""
        return points(self.grid)

    @cached_property
    def points(self) -> tuple[Point, ...]:
        """The whole grid, `lam` as configured and varying fastest."""
        return points({**self.grid, **({"lam": self.lambdas} if self.lambdas else {})})

    def identity(self) -> dict[str, Plain]:
        """Return what the method is, without its label."""
        path = self.lambdas is not None
        return _given(
            estimator=self.estimator,
            params=dict(self.params),
            grid=dict(self.grid) or None,
            lambdas=list(self.lambdas or ()) if path else None,
            scaling=("mean", "sum")[self.per_row] if path else None,
        )

    @property
    def outside(self) -> bool:
        """Whether it is, or holds, an estimator by import path or file."""
        return "." in self.estimator or "sklearn." in canonical(self.identity())

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the identity; in the path of the method's own random numbers."""
        return digest(self.identity())


@dataclass(frozen=True)
class Setting:
    """What the cells of one experiment and problem share."""

    seed: int
    problem: GeneratorProblem | DataProblem
    protocol: Protocol
    metrics: tuple[Metric, ...]
    preprocess: Preprocess
    inner: Inner | None = None
    within_groups: bool = True
    rows_code: Mapping[str, str] = field(default_factory=dict)
    """What generator and protocol take from outside, see `rankexp.runner.config.outside`."""
    metrics_code: Mapping[str, str] = field(default_factory=dict)
    """What the metrics take from outside."""
    round_scores: int | None = None
    """Decimals of the scores that metrics see; no matter of what is kept of fits."""

    @cached_property
    def rows_identity(self) -> dict[str, Plain]:
        """What determines the parts, their preprocessing and the inner folds."""
        return _given(
            seed=self.seed,
            problem=self.problem.identity(),
            split=self.protocol.identity(),
            preprocess=_changed(self.preprocess) or None,
            inner=None if self.inner is None else _changed(self.inner),
            within_groups=None if self.within_groups else False,
        )

    @cached_property
    def rows_text(self) -> str:
        """The same as text."""
        return canonical(self.rows_identity)

    @cached_property
    def identity(self) -> dict[str, Plain]:
        """What determines the records, the place, the method and what is kept aside."""
        grouped = isinstance(self.problem, DataProblem) and self.problem.grouped
        return self.rows_identity | _given(
            metrics=sorted({repr(metric) for metric in self.metrics}),
            mean_over="groups" if grouped and self.within_groups else None,
            round_scores=self.round_scores,
        )


@dataclass(frozen=True)
class EvaluateSpec:
    """One split of a problem with a method and its whole grid."""

    setting: Setting
    place: Place
    method: MethodSpec
    keep: Keep | None = None
    scores: bool = False  # whether the scores of the examples are kept
    version: int | None = None
    """That of the protocol which the record was made by; by default today's."""

    def identity(self) -> dict[str, Plain]:
        """Return what determines the record, as plain data."""
        setting = self.setting
        return setting.identity | _given(
            protocol=self.version or PROTOCOL_VERSION,
            kind="evaluate",
            place=self.place.identity(),
            method=self.method.identity(),
            code={**setting.rows_code, **setting.metrics_code, **self.method.code} or None,
            keep=None if self.keep is None else self.keep.identity(),
            scores=self.scores or None,
        )

    @cached_property
    def scores_key(self) -> str:
        """The SHA-256 of what determines the scores of the examples, and what is kept of fits."""
        setting, kept = self.setting, self.keep.identity() if self.keep else {}
        known = _given(
            protocol=FITS_VERSION,
            kind="scores",
            place=self.place.identity(),
            method=self.method.identity(),
            code={**setting.rows_code, **self.method.code},
            keep={name: value for name, value in kept.items() if name != "curves"},
        )
        return digest(setting.rows_identity | known)

    @property
    def foreign(self) -> bool:
        """Whether any of its code is from outside rankexp and what it is built upon."""
        return bool(self.method.code or self.setting.rows_code or self.setting.metrics_code)

    @property
    def points(self) -> tuple[Point, ...]:
        """The grid of the method."""
        return self.method.points

    @property
    def chooses(self) -> bool:
        """Whether inner folds have anything to choose: a single grid point needs none."""
        return self.setting.inner is not None and len(self.points) > 1

    @property
    def fits(self) -> int:
        """The number of fits: grid points, with inner folds each time more."""
        inner = self.setting.inner
        return len(self.points) * (1 + (inner.folds if inner and self.chooses else 0))

    @property
    def training_rows(self) -> int:
        """About how many rows the cell trains on."""
        problem = self.setting.problem
        rows = problem.rows if isinstance(problem, DataProblem) else 0
        return self.setting.protocol.training_rows(rows)

    @property
    def family(self) -> tuple[str, Place]:
        """What splits must share to be in one job."""
        return self.setting.rows_text, self.place._replace(**{self.setting.protocol.varies: None})

    @property
    def unit(self) -> int:
        """The coordinate in which the splits of one job differ."""
        number: int | None = getattr(self.place, self.setting.protocol.varies)
        return number or 0


@dataclass(frozen=True)
class SimulateSpec:
    """One repetition of a check with one setting of its parameters."""

    seed: int
    check: str
    params: Mapping[str, Any]
    point: Point
    place: Place
    code: Mapping[str, str] = field(default_factory=dict)  # what the check takes from outside
    problem: DataProblem | None = None
    preprocess: Preprocess = field(default_factory=Preprocess)  # of the problem
    fits: ClassVar[int] = 1  # calls of the check
    training_rows: ClassVar[int] = SIMULATION_ROWS

    def identity(self) -> dict[str, Plain]:
        """Return what determines the record, as plain data."""
        return self._of_data | _given(
            protocol=FITS_VERSION,
            kind="simulate",
            seed=self.seed,
            check=self.check,
            params=dict(self.params),
            point=dict(self.point.values),
            place=self.place.identity(),
            code=dict(self.code) or None,
        )

    @property
    def _of_data(self) -> dict[str, Plain]:
        """What determines the problem as the check is given it; empty without one."""
        if self.problem is None:
            return {}
        how = _changed(self.preprocess) or None
        return _given(problem=self.problem.identity(), preprocess=how)

    @property
    def path(self) -> str:
        """Where its stream of random numbers begins."""
        named = "" if self.problem is None else f"{self.problem.name}/"
        return f"{self.check}/{digest(self.params)}/{named}rep/{self.place.rep}"

    @property
    def foreign(self) -> bool:
        """Whether the check is from outside rankexp."""
        return bool(self.code)

    @property
    def points(self) -> tuple[Point, ...]:
        """The only point."""
        return (self.point,)

    @property
    def family(self) -> tuple[str, Place]:
        """What repetitions must share to be in one job."""
        same: list[Plain] = [self.seed, self.check, self.params, self._of_data]
        return canonical(same), self.place._replace(rep=None)

    @property
    def unit(self) -> int:
        """The repetition."""
        return self.place.rep or 0


Spec = EvaluateSpec | SimulateSpec
