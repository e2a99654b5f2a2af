"""What a split gives its methods: training, test and inner rows, drawn or loaded, preprocessed."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankexp import registry
from rankexp.config.schema import CrossValidation, Holdout, Inner, Preprocess
from rankexp.data.dataset import Dataset, Feature, Split
from rankexp.data.preprocess import Preprocessor
from rankexp.data.snapshot import load_snapshot
from rankexp.data.splits import duplicates, inner_folds, split, units_of
from rankexp.errors import DataError
from rankexp.metrics.base import Metric
from rankexp.plan import canonical
from rankexp.seeds import stream

Floats = NDArray[np.float64]

BEST = ("eta", "mean", "ranking")
"""What models know of the best scores; the first that a model has is taken."""


@dataclass(frozen=True)
class Known:
    """What is known of rows besides their features.

    Attributes
    ----------
    y : ndarray of shape (n,)
    extra : dict of str to ndarray
        What else metrics may ask for: ``eta``, ``groups``, ``mean``, ``ranking``.
    levels : int or None
        How many levels y may have, its codes being 0 .. K-1; None unless there are more than two.
    bayes : dict
        Kept values of the best scorer, by metric.
    """

    y: NDArray[Any]
    extra: Mapping[str, NDArray[Any]]
    levels: int | None = None
    bayes: dict[Metric, float] = field(default_factory=dict)

    @property
    def best(self) -> Floats | None:
        """Scores of the Bayes scorer; None where it is not known.

        These are eta(x), E[y | x], or for more than two levels what ranks pairs of different
        levels best (uematsu2010, Theorem 4), so nothing is above them in `u_pairs`. With a
        continuous target E[y | x] is an optimal scorer if there is one at all (clemencon2017,
        Proposition 1).
        """
        return next((self.extra[name] for name in BEST if name in self.extra), None)

    @property
    def told(self) -> dict[str, Any]:
        """What every metric may ask for, by name."""
        told = {"y": self.y, "reference": self.reference, **self.extra}
        return told if self.levels is None else told | {"levels": self.levels}

    @property
    def reference(self) -> NDArray[Any]:
        """E[y | x] where it is known, else y."""
        return self.extra.get("mean", self.y)

    def bayes_loss(self, metric: Metric) -> float | None:
        """Return the metric of the best scores; None where they are unknown or don't do."""
        if self.best is None or metric.needs != {"y", "scores"}:
            return None
        if metric not in self.bayes:
            self.bayes[metric] = float(metric(scores=self.best, **self.told))
        return self.bayes[metric]


@dataclass(frozen=True)
class Part:
    """Rows as drawn or loaded: X of shape (n, d), and what is known of them."""

    X: Floats
    known: Known

    def take(self, rows: NDArray[np.int64]) -> "Part":
        """Return some of the rows."""
        extra = {name: values[rows] for name, values in self.known.extra.items()}
        return Part(self.X[rows], Known(self.known.y[rows], extra, self.known.levels))


class Fold:
    """A training and a test part, as numbers for an estimator.

    Parameters
    ----------
    train, test : Part
        Not kept: rows are held once.
    preprocess : Preprocess
    features : tuple of Feature or None
        None where X is complete and numeric: then there is nothing to do without scaling.
    path : str
        Of the seeds used in it.

    Attributes
    ----------
    X_train, X_test : ndarray of shape (n, p)
    y_train : ndarray of shape (n,)
    test : Known
    levels : int or None
        Number of levels where there are more than two.
    names : tuple of str
        Of the columns of X.
    """

    def __init__(
        self,
        train: Part,
        test: Part,
        preprocess: Preprocess,
        features: tuple[Feature, ...] | None,
        path: str,
    ) -> None:
        self.X_train, self.X_test = train.X, test.X
        self.y_train, self.test, self.path = train.known.y, test.known, path
        self.levels = train.known.levels
        self._preprocessor: Preprocessor | None = None
        columns = features or tuple(Feature(f"x{j}") for j in range(train.X.shape[1]))
        self.names = tuple(column.name for column in columns)
        if features is None and preprocess.scale == "none":
            return
        fitted = Preprocessor(preprocess, columns).fit(train.X)
        self.names, self._preprocessor = fitted.names, fitted
        self.X_train, self.X_test = fitted.transform(train.X), fitted.transform(test.X)

    def prepared(self, X: Floats) -> Floats:
        """Return further rows, (m, d), as numbers for an estimator, (m, p)."""
        return X if self._preprocessor is None else self._preprocessor.transform(X)

    @cached_property
    def distinct(self) -> tuple[Floats, NDArray[np.int64] | None]:
        """Distinct test rows and the place of each test row among them.

        Scoring these makes equal rows tie whatever an estimator computes; the place is None
        where all rows differ.
        """
        place = duplicates(self.X_test)
        _, first = np.unique(place, return_index=True)
        if len(first) == len(place):
            return self.X_test, None
        return self.X_test[first], place


def folds(spec: Mapping[str, Any], unit: int) -> Iterator[Fold]:
    """Yield one split, then the folds inside its training part, each when it is wanted.

    Parameters
    ----------
    spec : mapping
        A cell's; all cells of a job agree in what is read here.
    unit : int
        Training set (models), fold (cross-validation) or repeat (split).
    """
    preprocess = Preprocess(**spec["preprocess"])
    inner = Inner(**spec["inner"]) if spec["inner"] else None
    maker = _drawn if spec["split"]["kind"] == "models" else _loaded
    train, test, features, path, together = maker(spec, unit)
    yield Fold(train, test, preprocess, features, path)
    if inner is None:
        return
    rng = stream(spec["seed"], f"{path}/inner")
    for i, rows in enumerate(inner_folds(inner, len(train.X), train.known.y, rng, together)):
        yield Fold(*_parts(train, rows), preprocess, features, f"{path}/inner/{i}")


def _parts(part: Part, rows: Split) -> tuple[Part, Part]:
    return part.take(rows.train), part.take(rows.test)


Made = tuple[Part, Part, tuple[Feature, ...] | None, str, NDArray[np.int64] | None]


def _drawn(spec: Mapping[str, Any], rep: int) -> Made:
    """Draw one training set of a model; its test set is drawn once and kept for the next."""
    numbers = spec["split"]
    path = f"{spec['problem']['path']}/model/{numbers['model']}"
    made = (spec["problem"]["generator"], canonical(spec["problem"]["params"]))
    model = _model(*made, spec["seed"], path)
    test = _test_set(*made, spec["seed"], path, numbers["n_test"])
    asked = spec["inner"] is not None
    train = _sample(model, numbers["n_train"], spec["seed"], f"{path}/train/{rep}", asked)
    return train, test, None, f"{path}/train/{rep}", None


@lru_cache(maxsize=2)
def _model(generator: str, params: str, seed: int, path: str) -> Any:
    """Draw a model; kept because drawing takes as long as many fits."""
    import json

    made = registry.get("generators", generator)(**json.loads(params))
    return made.draw_model(stream(seed, path))


@lru_cache(maxsize=1)
def _test_set(generator: str, params: str, seed: int, path: str, n: int) -> Part:
    return _sample(_model(generator, params, seed, path), n, seed, f"{path}/test")


def _sample(model: Any, n: int, seed: int, path: str, asked: bool = True) -> Part:
    X, y = model.sample(n, stream(seed, path))
    known = [name for name in BEST if asked and hasattr(model, name)]
    extra = {name: getattr(model, name)(X) for name in known}
    return Part(X, Known(y, extra, _more_than_two(model.levels)))


def _more_than_two(levels: Sequence[Any] | None) -> int | None:
    return len(levels) if levels is not None and len(levels) > 2 else None


def _loaded(spec: Mapping[str, Any], unit: int) -> Made:
    """Split a data set's local snapshot."""
    dataset = _dataset(spec)
    numbers = dict(spec["split"])
    crossed = numbers["kind"] == "cross_validation"
    rep, fold = (numbers.pop("rep"), unit) if crossed else (unit, None)
    numbers = {k: v for k, v in numbers.items() if k not in ("rep", "fold")}
    protocol = CrossValidation(**numbers) if crossed else Holdout(**numbers)
    path = f"{spec['problem']['path']}/rep/{rep}"
    rows = split(protocol, dataset, fold, stream(spec["seed"], path))
    extra = {} if dataset.groups is None else {"groups": dataset.groups}
    known = Known(dataset.y, extra, _more_than_two(dataset.levels))
    train, test = _parts(Part(dataset.X, known), rows)
    units = units_of(dataset, protocol.together)
    together = None if units is None else np.unique(units[rows.train], return_inverse=True)[1]
    return train, test, dataset.features, f"{path}/fold/{fold or 0}", together


def _dataset(spec: Mapping[str, Any]) -> Dataset:
    dataset = load_snapshot(spec["snapshot"])
    if dataset.fingerprint != spec["problem"]["data"]:
        raise DataError(f"snapshot {spec['snapshot']} changed while the study ran; run it again")
    return dataset
