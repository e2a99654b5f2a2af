"""What every protocol says of itself, and the values that it makes."""

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar, Literal, NamedTuple

from numpy.typing import NDArray

from rankexp.arrays import Floats, Ints
from rankexp.runner.sentences import paragraphs
from rankexp.runner.strict import Plain, Strict, told
from rankexp.statistics.design import Design

TOLD = told(Path(__file__).with_name("keys.toml"))
TRUTHS = ("eta", "mean", "ranking")
"""What models know of the best scores; the first that a model has is taken."""


def message(block: str, **known: "Plain | Protocol") -> str:
    """Return a sentence of the templates."""
    (text,) = paragraphs(block, **known)
    return text


class Place(NamedTuple):
    """Where a record stands in its experiment; None for what the protocol has not."""

    model: int | None = None
    rep: int | None = None  # training set, repeat or repetition
    fold: int | None = None
    setting: int | None = None  # of a `simulate` experiment: place in the product of its grid

    def identity(self) -> dict[str, int]:
        """Return what determines a record's numbers; a setting's parameters do, not its place."""
        named = {"model": self.model, "rep": self.rep, "fold": self.fold}
        return {name: value for name, value in named.items() if value is not None}


@dataclass(frozen=True, eq=False)
class Part:
    """Rows, X (n, d) and y (n,), with all that is known of them, each (n,)."""

    X: Floats
    y: NDArray[Any]
    levels: int | None = None
    """How many levels y may have, its codes being 0 .. K-1; None unless more than two."""
    groups: Ints | None = None  # query or cluster of each row
    weights: Floats | None = None  # what each row counts
    truth: Mapping[str, Floats] = field(default_factory=dict)
    """What a generator knows of its best scores: ``eta``, ``mean``, ``ranking``."""
    group_names: tuple[str, ...] | None = None  # what the groups' numbers stand for in the data
    memo: dict[Any, float] = field(default_factory=dict, repr=False)
    """Values of these rows that were computed and will be asked for again."""
    rows: Ints | None = None  # place of each row in its data set; None for rows that are drawn

    def take(self, rows: Ints) -> "Part":
        """Return some of the rows."""
        aside = {"groups": self.groups, "weights": self.weights, "rows": self.rows}
        known: dict[str, Any] = {n: None if v is None else v[rows] for n, v in aside.items()}
        truth = {name: values[rows] for name, values in self.truth.items()}
        return replace(self, X=self.X[rows], y=self.y[rows], truth=truth, memo={}, **known)


@dataclass(frozen=True, eq=False)
class Parts:
    """What a protocol makes of a problem at one place."""

    train: Part
    test: Part
    path: str  # of the random streams used within
    validation: Part | None = None
    together: Ints | None = None
    """Equal numbers, (n_train,), for rows of the training part that inner folds must not part."""

    def without_groups(self) -> "Parts":
        """Return the same parts for methods and metrics that are not to know of groups."""
        parts = {"train": self.train, "test": self.test, "validation": self.validation}
        bare = {name: part and replace(part, groups=None) for name, part in parts.items()}
        return replace(self, **bare)  # type: ignore[arg-type]


class Generated:
    """What a protocol for generators is given: a distribution of models to draw from."""

    name: str  # the problem's, where the paths of its streams begin

    @abstractmethod
    def sample(
        self, model: str, n: int, path: str, *, keep: bool = False, truth: bool = True
    ) -> Part:
        """Return n rows of the model that the path `model` draws, drawn by the stream `path`.

        `keep`: the next place may ask for the same; `truth`: the best scores are asked for.
        """


@dataclass(frozen=True, eq=False)
class Loaded:
    """What a protocol for data sets is given."""

    name: str  # the problem's, where the paths of its streams begin
    whole: Part
    seed: int  # the study's
    parts: Ints | None = None  # part that each row is in, (n,), by its place in `part_names`
    part_names: tuple[str, ...] = ()
    times: Floats | None = None  # when each row is from, (n,)


class Protocol(Strict):
    """How a problem becomes parts; base of what a study names by `kind`.

    Fields listed in `counts` say how many places there are. They determine no record, so that a
    larger study keeps the records of a smaller one.
    """

    model_config = TOLD
    problems: ClassVar[Literal["generators", "data sets"]]
    counts: ClassVar[frozenset[str]] = frozenset()
    varies: ClassVar[Literal["rep", "fold"]] = "rep"
    """The coordinate in which the places of one job may differ, the work shared between them."""
    uses_parts: ClassVar[bool] = False
    """Whether it goes by the parts that data may name; other protocols leave them aside."""
    uses_time: ClassVar[bool] = False
    """Whether it goes by the times of rows, in a column that it or the data's entry names."""

    kind: str

    def faults(self, rows: Mapping[str, int | None]) -> Iterator[tuple[str, str]]:
        """Yield what cannot be, as the field and a sentence; `rows` are those of each problem."""
        yield from ()

    def named_parts(self) -> dict[tuple[str | int, ...], str]:
        """Return the parts of the data that it names, by where it does; none by default."""
        return {}

    @abstractmethod
    def places(self) -> Iterator[Place]:
        """Yield the places in the order of the study."""

    @abstractmethod
    def size(self) -> int:
        """Return the number of places, without making them."""

    @abstractmethod
    def training_rows(self, rows: int) -> int:
        """Return about how many of a data set's rows a place trains on."""

    @abstractmethod
    def parts(self, source: Any, place: Place, *, inner: bool) -> Parts:
        """Return the parts of a place, of what `problems` says: `Generated` or `Loaded`.

        `inner` says whether folds will be made inside the training part.
        """

    @abstractmethod
    def design(self, rows: float = float("nan")) -> Design:
        """Return the design of paired differences; `rows` of the data set are NaN if unknown."""

    @abstractmethod
    def words(self) -> str:
        """Return the protocol in words, as a report says it."""

    @property
    def column_of_time(self) -> str | None:
        """The column that says when a row is from, where the protocol names one."""
        return None

    @property
    def validates(self) -> bool:
        """Whether every place has a validation part."""
        return False

    def test_share(self, rows: float) -> float:
        """Return which share of a data set's rows a test part is; NaN where none is drawn once."""
        return float("nan")

    def identity(self) -> dict[str, Plain]:
        """Return what determines the records: the kind, and each value that is no default."""
        given = self.model_dump(mode="json", exclude={*self.counts}, exclude_defaults=True)
        return given | {"kind": self.kind}
