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
from rankexp.runner.strict import Plain, Strict

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


class GeneratorEntry(Strict):
    """A distribution from which examples are drawn."""

    label: str | None = None
    """Its name in tables and figures. Default: its key in the study."""
    generator: Annotated[str, Field(json_schema_extra=_offering("generators"))]
    """A name that ``rankexp list generators`` shows."""
    params: dict[str, Any] = {}
    """Parameters of the generator, by name. Others have the generator's defaults."""


class Preprocess(Strict):
    """How columns become numbers; what this needs is learned from the training part only."""

    scale: Literal["minmax", "standard", "none"] = "minmax"
    """``minmax`` maps the training values of each column to 0 .. 1, ``standard`` to mean 0 and
    standard deviation 1; one-hot columns stay 0 and 1. ``none`` leaves all columns alone."""
    nominal: Literal["onehot", "codes"] = "onehot"
    """``onehot``: a 0/1 column for each category, one for two. ``codes``: their numbers."""
    impute: Literal["mean", "none"] = "mean"
    """``mean``: missing numbers become the training mean, missing categories the commonest one.
    ``none``: missing cells are left to the methods."""
    within: Literal["training", "groups"] = "training"
    """Rows that `scale` is computed from: the training part, or each group's own rows in all
    parts alike. ``groups`` needs data with groups, and fills missing numbers in after scaling."""

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


class _Late(Strict):
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


class Method(Strict):
    """An estimator and all settings that are tried with it."""

    label: str | None = None
    """Its name in tables and figures. Default: its key in the study."""
    estimator: str = "LinearRanker"
    """A name that ``rankexp list estimators`` shows; the import path of an estimator, its class or
    a function that returns one; or ``models.py:name`` for one in a file beside the study."""
    params: dict[str, Any] = {}
    """Parameters of the estimator in all settings. Others have the estimator's defaults."""
    grid: dict[str, Annotated[list[Any], Field(min_length=1)]] = {}
    """Parameters to try, each with a list of values. All combinations are fitted."""
    lambdas: Annotated[list[PositiveFloat], Field(min_length=1)] | None = None
    """L2 penalties to try, for estimators that take a path of them, such as LinearRanker.
    Default: those of the experiment, unless the method has a `grid`."""
    scaling: Literal["mean", "sum"] | None = None
    """As `scaling` of an experiment, for this method. Default: that of the experiment."""
    limits: Limits | None = None
    """Time and memory that it may take, before those of an experiment."""

    _folder: str = PrivateAttr(default="")

    @property
    def folder(self) -> str:
        """Folder of the study's file, where a file that the estimator names lies."""
        return self._folder

    @property
    def first(self) -> dict[str, Any]:
        """The parameters of the first grid point."""
        return self.params | {name: values[0] for name, values in self.grid.items()}


class Points(Strict):
    """Evenly spaced values of the only feature."""

    low: float
    """The smallest value, in the feature's own units."""
    high: float
    """The largest value."""
    points: Annotated[int, Field(ge=2, le=2001)] = 101
    """Number of values, both ends included."""

    @model_validator(mode="after")
    def _ascending(self) -> "Points":
        if not self.low < self.high:
            raise ValueError(f"'low' must be below 'high', got {self.low:g} and {self.high:g}")
        return self


class Keep(Strict):
    """What is kept beside metrics, for figures and for metrics that are added later."""

    splits: PositiveInt = 1
    """Number of splits of each problem of which curves, texts and attributes are kept. For a
    generator, a split is a training set; those of the first model come first."""
    curves: list[CurveName] = []
    """Curves to keep: ``scoring_function`` is the score against the only feature, ``iroc`` the
    integrated ROC curve. ``rankexp list keep.curves`` shows all."""
    at: Points | None = None
    """Where scoring functions are kept, so that they can be averaged over splits. Default: at the
    test examples, with the best possible score where it is known."""
    texts: list[TextName] = []
    """Texts to keep: ``tree`` is the tree that a method has fitted."""
    fitted: list[Attribute] = []
    """Fitted attributes to keep as numbers, such as ``gap_``, or ``thresholds_[0]`` and so on of
    an array. Estimators that are fitted along `lambdas` keep none."""
    scores: bool = False
    """Whether to keep the score of every test example, of all splits and settings, in files
    beside the records. A metric that is added later then needs no fits."""

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
    """Says that this experiment trains and measures methods; may be left out."""
    title: str | None = None
    """What the experiment is, for readers of the study's file."""
    problems: Annotated[list[str], Field(min_length=1)]
    """Keys of `data`, or keys of `generators`, as the protocol needs."""
    protocol: "AnyProtocol"
    """How each problem becomes training and test parts. Its `kind` decides what else it says."""
    methods: Annotated[list[str], Field(min_length=1)]
    """Keys of `methods`. Each is trained on the same splits."""
    metrics: Annotated[list[str], Field(min_length=1)] = ["rank_loss"]
    """Names that ``rankexp list metrics`` shows, some with parameters: ``ndcg@10``."""
    lambdas: Annotated[list[PositiveFloat], Field(min_length=1)] | None = None
    """L2 penalties of methods that take a path of them and have neither `lambdas` nor `grid`."""
    scaling: Literal["mean", "sum"] = "mean"
    """Whether a penalty is added to the ``mean`` loss of the training rows or to the ``sum``."""
    preprocess: Preprocess = Preprocess()
    """How columns become numbers."""
    inner: Inner | None = None
    """Folds inside each training part, on which settings are chosen. Default: none."""
    within_groups: bool = True
    """Whether methods are trained within the groups of the data, and metrics are means over them.
    If false, pairs of different groups count, too; groups only serve `together: groups`."""
    round_scores: Annotated[int, Field(ge=0, le=15)] | None = None
    """Decimals to which scores are rounded before they are measured, so that near ones tie. Scores
    that are kept are not rounded. Default: no rounding."""
    keep: Keep | None = None
    """What is kept beside the metrics. Default: nothing."""
    limits: Limits | None = None
    """Time and memory that each method may take at one training part, for all its settings with
    their scores. A method that takes more is ended, and its record says so. Default: no limits."""

    def size(self) -> int:
        """Return the number of records, without making them."""
        return len(self.problems) * self.protocol.size() * len(self.methods)


class Simulate(Strict):
    """An experiment that calls a function, a check, at each point of a grid."""

    kind: Literal["simulate"]
    """Says that this experiment calls a check."""
    title: str | None = None
    """What the experiment is, for readers of the study's file."""
    check: Annotated[str, Field(json_schema_extra=_offering("checks"))]
    """A name that ``rankexp list checks`` shows."""
    params: dict[str, Any] = {}
    """Parameters of the check, the same for all calls. Others have the check's defaults."""
    grid: dict[str, Annotated[list[Any], Field(min_length=1)]] = {}
    """Parameters to vary, each with a list of values. The check is called for each combination."""
    repetitions: PositiveInt = 1
    """Number of calls for each combination, each with random numbers of its own."""
    problems: list[str] = []
    """Keys of `data`, for a check that takes data. It is then called for each of them."""
    preprocess: Preprocess = Preprocess()
    """How columns become numbers, learned from all rows: a check makes its own parts, if any."""
    limits: Limits | None = None
    """Time and memory that each call of the check may take. Default: no limits."""

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


class Block(Strict):
    """One table or figure of the report."""

    block: Annotated[str, Field(json_schema_extra=_offering("report.blocks"))]
    """Kind of table or figure: a name that ``rankexp list report.blocks`` shows."""
    name: Name
    """Name of its files, without the ending: ``table1`` becomes ``table1.md`` and others."""
    experiment: str | list[str] = []
    """Keys of the experiments that it shows, one or a list. Default: all."""
    title: str | None = None
    """Its heading. Default: its name."""
    text: str | None = None
    """Sentences between its heading and the table or figure."""
    aside: bool = False
    """Whether the report's page only links its files, in one line."""
    primary: bool = False
    """Whether it shows the comparison that answers the study's question. At most one does."""
    options: dict[str, Any] = {}
    """Options of its kind, which docs/reports.md lists."""

    @property
    def experiments(self) -> list[str]:
        """The names of its experiments."""
        return [self.experiment] if isinstance(self.experiment, str) else list(self.experiment)


class Study(_Late):
    """A whole study: what is compared, on what, how, and what the report shows."""

    version: Literal[1]
    """Version of this format. There is only 1 so far."""
    study: Name
    """Name of the study. Its results go to the folder ``results/<study>``."""
    title: str
    """Heading of the report."""
    source: str | None = None
    """What the study reproduces, as a reference for readers: authors, title, year."""
    bibtex: str | None = None
    """The source as a BibTeX entry, for those who cite it."""
    seed: NonNegativeInt
    """Whole number from which all random numbers come. The same seed gives the same results."""
    text: str | None = None
    """Sentences below the heading of the report, in Markdown."""
    published: Annotated[Path, Field(strict=False)] | None = None
    """CSV file of published values, beside the study. Default: ``published/<study>.csv``."""
    claims: Annotated[Path, Field(strict=False)] | None = None
    """CSV file of what the source claims in words, beside the study. Default: none."""
    data: dict[Name, DataEntry] = {}
    """Data sets, by names that experiments use."""
    generators: dict[Name, GeneratorEntry] = {}
    """Distributions to draw examples from, by names that experiments use."""
    methods: dict[Name, Method] = {}
    """Methods, by names that experiments use."""
    experiments: Annotated[dict[Name, Experiment], Field(min_length=1)]
    """Experiments, by names that the report and ``--only`` use."""
    report: list[Block] = []
    """Tables and figures of the report, in their order."""
    profiles: dict[Name, dict[str, Any]] = {}
    """Changes to the study, for ``--profile NAME`` or ``--quick``. Mappings are merged key by key,
    ``null`` removes a key, and any other value replaces that of the study."""

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
