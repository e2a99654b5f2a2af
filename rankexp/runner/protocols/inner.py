"""Folds inside a training part, on which settings are chosen."""

from typing import Annotated

import numpy as np
from pydantic import Field, model_validator

from rankexp.arrays import Ints
from rankexp.runner.protocols.dealing import KeptRows, Split, deal, fold_of, holdout
from rankexp.runner.protocols.protocol import TOLD, Part
from rankexp.runner.strict import Strict


class Inner(Strict):
    """Folds inside each training part, on which a setting is chosen."""

    model_config = TOLD
    folds: Annotated[int, Field(ge=1)] = 5
    test: Annotated[float, Field(gt=0, lt=1)] | None = None
    stratified: bool = False

    @model_validator(mode="after")
    def _one_fold_has_a_size(self) -> "Inner":
        if (self.folds == 1) != (self.test is not None):
            text = "'folds: 1' needs 'test', and only it has one: {folds: 1, test: 0.25}"
            raise ValueError(text)
        return self


def inner_folds(
    inner: Inner, part: Part, rng: np.random.Generator, units: Ints | None = None
) -> list[Split]:
    """Return the folds of a training part; rows with equal `units`, (n,), stay on one side."""
    kept = KeptRows(part.y if inner.stratified else None, units)
    if inner.test is not None:
        return [holdout(len(part.y), inner.test, rng, kept)]
    place = deal(len(part.y), inner.folds, rng, kept)
    return [fold_of(place, fold) for fold in range(inner.folds)]
