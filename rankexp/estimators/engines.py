"""Gradient boosting engines of other packages: how each grows trees and scores rows."""

import importlib
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
from scipy.sparse import csr_matrix, issparse

from rankexp.arrays import Floats
from rankexp.estimators.parameters import Table
from rankexp.objectives.pair_objective import Steps
from rankexp.registry import did_you_mean

if TYPE_CHECKING:
    from rankexp.estimators.boosted_ranker import BoostedRanker

Setting = bool | float | str | Sequence[float] | Sequence[str] | None
Settings = Mapping[str, Setting]  # parameters of an engine, by its own names
Booster = Any  # trees of either engine: a lightgbm.Booster or an xgboost.Booster

OURS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
"""Engine parameters that are refused, because parameters of the estimator set them."""


class EngineTask(NamedTuple):
    """What an engine is to train by the parameters of a ranker: rows X (n, p), targets y (n,)."""

    ranker: "BoostedRanker"
    X: Table
    y: Floats
    seed: int
    threads: int
    params: Settings
    weight: Floats | None
    steps: Callable[[Floats], Steps] | None  # at scores; None: binary logistic loss, by `weight`
    stop: Callable[[Booster], bool] | None  # tells of a model after each round whether to stop


class Engine:
    """A package that grows trees.

    `module` is the package. `fixed` maps parameters to the kinds of boosters whose trees never
    change after their round, so that the first rounds equal a shorter fit.
    """

    module: ClassVar[str]
    fixed: ClassVar[Mapping[str, tuple[str, ...]]]

    def load(self) -> ModuleType:
        """Import the package; an ImportError says what to do."""
        try:
            return importlib.import_module(self.module)
        except (ImportError, OSError) as error:  # OSError: a library of the system is missing
            text = f"engine='{self.module}' cannot be imported ({error}): "
            raise ImportError(f"{text}pip install 'rankexp[{self.module}]'") from error

    def check(self, params: Iterable[str]) -> None:
        """Raise ValueError for parameters that the estimator has itself."""
        for name in params:
            for own, taken in OURS.items():
                if str(name).lower() in taken.split():
                    raise ValueError(f"params must not hold '{name}': set it by {own}")

    def keeps_trees(self, params: Settings) -> bool:
        """Tell whether the first rounds are those of a fit with fewer rounds."""
        return all(str(params.get(name, kinds[0])) in kinds for name, kinds in self.fixed.items())


class LightGBM(Engine):
    """LightGBM: histograms, and the leaf with the greatest gain is split first."""

    module = "lightgbm"
    fixed: ClassVar = dict.fromkeys(("boosting", "boosting_type"), ("gbdt", "gbrt", "goss"))

    def train(self, task: EngineTask) -> Booster:
        """Return a booster; ValueError for a parameter that LightGBM does not know."""
        lgb = self.load()
        # Unknown parameters are refused, because LightGBM itself reports them only when verbose.
        aliases = getattr(lgb.basic, "_ConfigAliases", None)
        if (of := getattr(aliases, "_get_all_param_aliases", None)) is not None:
            known = {name for names in of().values() for name in names}
            for name in task.params:
                if name not in known:
                    hint = did_you_mean(name, known)
                    raise ValueError(f"params: LightGBM has no parameter '{name}'{hint}")
        own = {
            "verbosity": -1,
            "deterministic": True,
            "feature_pre_filter": False,  # with few rows no feature would be left: an error
            "force_row_wise": "force_col_wise" not in task.params,
            "num_threads": task.threads,
            "seed": task.seed,
            "learning_rate": task.ranker.learning_rate,
            "num_leaves": task.ranker.max_leaf_nodes,
        }
        steps = task.steps
        objective = "binary" if steps is None else lambda s, _: steps(s)
        data = lgb.Dataset(task.X, task.y, weight=task.weight)

        def after(env: Any) -> None:
            if task.stop is not None and task.stop(env.model):
                raise lgb.callback.EarlyStopException(env.iteration, [])

        params = {**own, **task.params, "objective": objective}
        return lgb.train(params, data, task.ranker.n_rounds, callbacks=[after])

    def scores(self, booster: Booster, X: Table, rounds: int, threads: int = 1) -> Floats:
        """Return the scores of rows, (n,), by the first rounds."""
        self.load()
        found = booster.predict(X, raw_score=True, num_iteration=rounds, num_threads=threads)
        return np.asarray(found, dtype=np.float64)

    def gains(self, booster: Booster, rounds: int, d: int) -> Floats:
        """Return by how much each of d features lowers the loss in the first rounds, (d,)."""
        return np.asarray(booster.feature_importance("gain", iteration=rounds), dtype=np.float64)

    def added(self, X: Table) -> Callable[[Booster, int], Floats]:
        """Return a function of a booster and a round: what the round adds to the scores, (n,)."""
        return lambda booster, i: booster.predict(
            X, raw_score=True, start_iteration=i, num_iteration=1, num_threads=1
        )


class XGBoost(Engine):
    """XGBoost on histograms; as in LightGBM, the leaf with the greatest gain is split first."""

    module = "xgboost"
    fixed: ClassVar = {"booster": ("gbtree",)}

    def train(self, task: EngineTask) -> Booster:
        """Return a booster."""
        xgb = self.load()
        own = {
            "nthread": task.threads,
            "seed": task.seed,
            "learning_rate": task.ranker.learning_rate,
            "tree_method": "hist",
            "grow_policy": "lossguide",
            "max_leaves": task.ranker.max_leaf_nodes,
            "max_depth": 0,
        }
        stop, steps, objective = task.stop, task.steps, None
        if steps is None:
            own["objective"] = "binary:logistic"
        else:
            own["base_score"], objective = 0.0, lambda s, _: steps(s)
        after = lambda _, model, epoch, log: stop is not None and stop(model)  # noqa: E731
        Watch = type("Watch", (xgb.callback.TrainingCallback,), {"after_iteration": after})
        data = self._matrix(task.X, label=task.y, weight=task.weight, nthread=task.threads)
        more = {"obj": objective, "callbacks": [Watch()]}
        return xgb.train({**own, **task.params}, data, task.ranker.n_rounds, **more)

    def scores(self, booster: Booster, X: Table, rounds: int, threads: int = 1) -> Floats:
        """Return the scores of rows, (n,), by the first rounds."""
        return self._predicted(booster, self._matrix(X, nthread=threads), (0, rounds))

    def gains(self, booster: Booster, rounds: int, d: int) -> Floats:
        """Return by how much each of d features lowers the loss in the first rounds, (d,)."""
        found = booster[:rounds].get_score(importance_type="total_gain")
        names = booster.feature_names or [f"f{j}" for j in range(d)]
        return np.array([found.get(name, 0.0) for name in names], dtype=np.float64)

    def added(self, X: Table) -> Callable[[Booster, int], Floats]:
        """Return a function of a booster and a round: what the round adds to the scores, (n,)."""
        data = self._matrix(X)

        def of_round(booster: Booster, i: int) -> Floats:
            if i > 0:  # the score that all begin with is added once
                data.set_base_margin(np.zeros(data.num_row()))
            return self._predicted(booster, data, (i, i + 1))

        return of_round

    def _predicted(self, booster: Booster, data: Any, rounds: tuple[int, int]) -> Floats:
        found = booster.predict(data, output_margin=True, iteration_range=rounds)
        return np.asarray(found, dtype=np.float64)

    def _matrix(self, X: Table, **more: Floats | int | None) -> Any:
        if issparse(X):  # XGBoost would take a zero that is not stored for a missing value
            X = csr_matrix(X, dtype=np.float32).toarray()
        return self.load().DMatrix(X, enable_categorical=True, **more)


ENGINES: dict[str, LightGBM | XGBoost] = {"lightgbm": LightGBM(), "xgboost": XGBoost()}
