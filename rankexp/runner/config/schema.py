"""What a study's YAML file may hold."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Union, get_args

from pydantic import (
    AfterValidator,
    Discriminator,
    Field,
    NonNegativeInt,
    PositiveFloat,
    PositiveInt,
    PrivateAttr,
    Tag,
    model_validator,
)
from pydantic.config import JsonDict

from rankexp import registry
from rankexp.runner.config.asking import message
from rankexp.runner.config.data_entry import DataEntry
from rankexp.runner.config.limits import Limits
from rankexp.runner.grid import size as grid_size
from rankexp.runner.keep.curves.placements import PLACEMENTS
from rankexp.runner.protocols.inner import Inner
from rankexp.runner.protocols.protocol import Protocol
from rankexp.runner.strict import Keyed, Plain

MOST_RECORDS = 1_000_000
"""Records that an experiment may need: planning so many takes half a minute and a gigabyte."""

Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*$")]


def _fitted_attribute(name: str) -> str:
    if not (name.isidentifier() and name.endswith("_") and not name.startswith("_")):
        raise ValueError(message("study.not_fitted", name=name))
    return name


def _offering(room: str) -> Callable[[JsonDict], None]:
    """Return what tells editors the names of a room; that they are known is checked later."""
    return lambda schema: schema.update(enum=[*registry.names(room)])


CurveName = Annotated[str, Field(json_schema_extra=_offering("keep.curves"))]
TextName = Annotated[str, Field(json_schema_extra=_offering("keep.texts"))]
Attribute = Annotated[str, AfterValidator(_fitted_attribute)]


class GeneratorEntry(Keyed):
    """A distribution from which examples are drawn."""

    label: str | None = None
    generator: Annotated[str, Field(json_schema_extra=_offering("generators"))]
    params: dict[str, Any] = {}


class Preprocess(Keyed):
    """How columns become numbers; what this needs is learned from the training part only."""

    scale: Literal["minmax", "standard", "none"] = "minmax"
    nominal: Literal["onehot", "codes"] = "onehot"
    impute: Literal["mean", "none"] = "mean"
    within: Literal["training", "groups"] = "training"

    @model_validator(mode="after")
    def _has_something_to_scale(self) -> "Preprocess":
        if self.within == "groups" and self.scale == "none":
            raise ValueError("'within: groups' needs a 'scale', which is 'none'")
        return self


def _protocols() -> Iterator[type[Protocol]]:
    for name in registry.names("protocols"):
        try:
            found = registry.get("protocols", name)
            if get_args(found.model_fields["kind"].annotation) != (name,):
                raise registry.PluginError(f"protocol '{name}' has another 'kind': {found!r}")
        except registry.PluginError as error:
            registry.warn(error)
        else:
            yield found


if TYPE_CHECKING:
    AnyProtocol = Protocol


class _Late(Keyed):
    """What is made whole when it is first used: protocols of other packages may import it."""

    @classmethod
    def model_rebuild(cls, **given: Any) -> bool | None:
        """Ask for the protocols, then make the type as pydantic does."""
        if "AnyProtocol" not in globals():
            kinds = tuple(_protocols())
            one = Annotated[Union[kinds], Field(discriminator="kind")]  # type: ignore # noqa: UP007
            globals().update(AnyProtocol=one)
            Evaluate.model_rebuild()  # its fields, too, where a study that holds it is first
        return super().model_rebuild(**given)


class Method(Keyed):
    """An estimator and all settings that are tried with it."""

    label: str | None = None
    estimator: str = "LinearRanker"
    params: dict[str, Any] = {}
    grid: dict[str, Annotated[list[Any], Field(min_length=1)]] = {}
    lambdas: Annotated[list[PositiveFloat], Field(min_length=1)] | None = None
    scaling: Literal["mean", "sum"] | None = None
    limits: Limits | None = None

    _folder: str = PrivateAttr(default="")

    @property
    def folder(self) -> str:
        """Folder of the study's file, where a file that the estimator names lies."""
        return self._folder

    @property
    def first(self) -> dict[str, Any]:
        """The parameters of the first grid point."""
        return self.params | {name: values[0] for name, values in self.grid.items()}


class Points(Keyed):
    """Evenly spaced values of the only feature."""

    low: float
    high: float
    points: Annotated[int, Field(ge=2, le=2001)] = 101

    @model_validator(mode="after")
    def _ascending(self) -> "Points":
        if not self.low < self.high:
            raise ValueError(f"'low' must be below 'high', got {self.low:g} and {self.high:g}")
        return self


class Keep(Keyed):
    """What is kept beside metrics, for figures and for metrics that are added later."""

    splits: PositiveInt = 1
    curves: list[CurveName] = []
    at: Points | None = None
    texts: list[TextName] = []
    fitted: list[Attribute] = []
    scores: bool = False

    @property
    def of_all(self) -> "Keep | None":
        """What is kept of every split: the placements that tests need."""
        curves = [name for name in self.curves if name in PLACEMENTS]
        return Keep(curves=curves) if curves else None

    def identity(self) -> dict[str, Plain]:
        """Return what determines a record; how many splits have it does not."""
        given = self.model_dump(mode="json", exclude_defaults=True, exclude={"splits", "scores"})
        return {k: sorted(set(v)) if isinstance(v, list) else v for k, v in given.items()}

    @model_validator(mode="after")
    def _has_use_for_points(self) -> "Keep":
        if self.at is not None and "scoring_function" not in self.curves:
            raise ValueError("'at' only applies to 'scoring_function': add it to 'curves'")
        return self


class Evaluate(_Late):
    """An experiment that trains methods on splits of problems and measures their scores."""

    kind: Literal["evaluate"] = "evaluate"
    title: str | None = None
    problems: Annotated[list[str], Field(min_length=1)]
    protocol: "AnyProtocol"
    methods: Annotated[list[str], Field(min_length=1)]
    metrics: Annotated[list[str], Field(min_length=1)] = ["rank_loss"]
    lambdas: Annotated[list[PositiveFloat], Field(min_length=1)] | None = None
    scaling: Literal["mean", "sum"] = "mean"
    preprocess: Preprocess = Preprocess()
    inner: Inner | None = None
    within_groups: bool = True
    round_scores: Annotated[int, Field(ge=0, le=15)] | None = None
    keep: Keep | None = None
    limits: Limits | None = None

    def size(self) -> int:
        """Return the number of records, without making them."""
        return len(self.problems) * self.protocol.size() * len(self.methods)


class Simulate(Keyed):
    """An experiment that calls a function, a check, at each point of a grid."""

    kind: Literal["simulate"]
    title: str | None = None
    check: Annotated[str, Field(json_schema_extra=_offering("checks"))]
    params: dict[str, Any] = {}
    grid: dict[str, Annotated[list[Any], Field(min_length=1)]] = {}
    repetitions: PositiveInt = 1
    problems: list[str] = []
    preprocess: Preprocess = Preprocess()
    limits: Limits | None = None

    def size(self) -> int:
        """Return the number of records, without making them."""
        return max(len(self.problems), 1) * grid_size(self.grid) * self.repetitions


def _kind(value: Plain | Evaluate | Simulate) -> str | None:
    match value:
        case Evaluate(kind=kind) | Simulate(kind=kind) | {"kind": kind}:
            return str(kind)
        case dict():  # that does not say what it is
            return "evaluate"
    return None


Experiment = Annotated[
    Annotated[Evaluate, Tag("evaluate")] | Annotated[Simulate, Tag("simulate")],
    Discriminator(_kind),
]


class Block(Keyed):
    """One table or figure of the report."""

    block: Annotated[str, Field(json_schema_extra=_offering("report.blocks"))]
    name: Name
    experiment: str | list[str] = []
    title: str | None = None
    text: str | None = None
    aside: bool = False
    primary: bool = False
    options: dict[str, Any] = {}

    @property
    def experiments(self) -> list[str]:
        """The names of its experiments."""
        return [self.experiment] if isinstance(self.experiment, str) else list(self.experiment)


class Study(_Late):
    """A whole study: what is compared, on what, how, and what the report shows."""

    version: Literal[1]
    study: Name
    title: str
    source: str | None = None
    bibtex: str | None = None
    seed: NonNegativeInt
    text: str | None = None
    published: Annotated[Path, Field(strict=False)] | None = None
    claims: Annotated[Path, Field(strict=False)] | None = None
    data: dict[Name, DataEntry] = {}
    generators: dict[Name, GeneratorEntry] = {}
    methods: dict[Name, Method] = {}
    experiments: Annotated[dict[Name, Experiment], Field(min_length=1)]
    report: list[Block] = []
    profiles: dict[Name, dict[str, Any]] = {}

    _folder: Path | None = PrivateAttr(default=None)

    @model_validator(mode="before")
    @classmethod
    def _blocks_of_all(cls, given: Plain) -> Plain:
        """Let a block that names no experiment show all of them."""
        match given:
            case {"experiments": dict(setups), "report": list(blocks)} if isinstance(given, dict):
                names = list(setups)
                whole = [{"experiment": names} | b if isinstance(b, dict) else b for b in blocks]
                return given | {"report": whole}
        return given  # nothing to do, or a fault that is said later

    @model_validator(mode="after")
    def _times_of_data(self) -> "Study":
        """Let the data sets of a protocol that goes by time have its column."""
        for setup in self.experiments.values():
            column = setup.protocol.column_of_time if isinstance(setup, Evaluate) else None
            for name in setup.problems if column else ():
                if (entry := self.data.get(name)) is not None and entry.time is None:
                    self.data[name] = entry.model_copy(update={"time": column})
        return self

    @property
    def folder(self) -> Path | None:
        """Folder of the study's file, which its relative paths start from; not configurable."""
        return self._folder

    @property
    def published_file(self) -> Path | None:
        """Where the published values are, if the study has any."""
        return self.published and (self._folder or Path()) / self.published

    @property
    def claims_file(self) -> Path | None:
        """Where the claims are, if the study has any."""
        return self.claims and (self._folder or Path()) / self.claims
