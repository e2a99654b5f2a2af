"""Random models of a generator, several training sets each, one test set a model."""

from collections.abc import Iterator
from typing import Literal

from pydantic import PositiveInt

from rankexp.runner.protocols.base import Design, Generated, Parts, Place, Protocol

REGISTER = {"models": "Models"}


class Models(Protocol):
    """Random models of a generator, several training sets each, one test set a model."""

    problems = "generators"
    counts = frozenset({"models", "training_sets"})

    kind: Literal["models"]
    models: PositiveInt
    training_sets: PositiveInt
    n_train: PositiveInt
    n_test: PositiveInt
    validation: PositiveInt | None = None
    """Rows of a validation set, drawn anew with each training set. None: there is none."""

    def places(self) -> Iterator[Place]:
        """Yield the training sets, model by model."""
        for model in range(self.models):
            for rep in range(self.training_sets):
                yield Place(model, rep)

    def size(self) -> int:
        """Return the number of training sets."""
        return self.models * self.training_sets

    def training_rows(self, rows: int) -> int:
        """Return `n_train`."""
        return self.n_train

    def parts(self, source: Generated, place: Place, *, inner: bool) -> Parts:
        """Draw one training set of a model; its test set is drawn once and kept for the next."""
        model = f"{source.name}/model/{place.model}"
        path = f"{model}/train/{place.rep}"
        test = source.sample(model, self.n_test, f"{model}/test", keep=True)
        train = source.sample(model, self.n_train, path, truth=inner)
        validation = None
        if self.validation is not None:
            validation = source.sample(model, self.validation, f"{path}/validation")
        return Parts(train, test, path, validation)

    def design(self, rows: float = float("nan")) -> Design:
        """Return independent models."""
        return Design("models")

    @property
    def validates(self) -> bool:
        """Whether validation rows are drawn."""
        return self.validation is not None

    def words(self) -> str:
        """Return ``30 models × 30 training sets of 1000, tested on 10000``."""
        sets = f"{self.models} models × {self.training_sets} training sets"
        chosen = "" if self.validation is None else f", settings chosen on {self.validation} more"
        return f"{sets} of {self.n_train}{chosen}, tested on {self.n_test}"
