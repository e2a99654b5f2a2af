"""Random models of a generator, several training sets each, one test set a model."""

from collections.abc import Iterator
from typing import Literal

from pydantic import PositiveInt

from rankexp.runner.protocols.protocol import Generated, Parts, Place, Protocol, message
from rankexp.statistics.design import Design

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

    def places(self) -> Iterator[Place]:
        for model in range(self.models):
            for rep in range(self.training_sets):
                yield Place(model, rep)

    def size(self) -> int:
        return self.models * self.training_sets

    def training_rows(self, rows: int) -> int:
        return self.n_train

    def parts(self, source: Generated, place: Place, *, inner: bool) -> Parts:
        model = f"{source.name}/model/{place.model}"
        path = f"{model}/train/{place.rep}"
        test = source.sample(model, self.n_test, f"{model}/test", keep=True)
        train = source.sample(model, self.n_train, path, truth=inner)
        validation = None
        if self.validation is not None:
            validation = source.sample(model, self.validation, f"{path}/validation")
        return Parts(train, test, path, validation)

    def design(self, rows: float = float("nan")) -> Design:
        return Design("models")

    @property
    def validates(self) -> bool:
        return self.validation is not None

    def words(self) -> str:
        return message("protocols.models", own=self)
