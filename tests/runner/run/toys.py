"""Small estimators that misbehave on demand, and studies that use them."""

import errno
import os
import re
import signal
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from rankexp.runner.config.schema import Study


class MeanDifference(BaseEstimator):
    """Score along the difference of the class means; noise only by `random_state`."""

    def __init__(self, noise: float = 0.0, random_state: int | None = None) -> None:
        self.noise = noise
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> "MeanDifference":
        up = y == np.max(y)
        rng = np.random.default_rng(self.random_state)
        self.w_ = X[up].mean(axis=0) - X[~up].mean(axis=0)
        self.w_ = self.w_ + self.noise * rng.standard_normal(self.w_.shape)
        return self

    def predict(self, X: Any) -> Any:
        return X @ self.w_


class Fails(MeanDifference):
    def fit(self, X: Any, y: Any) -> "Fails":
        raise ValueError("this method always fails\nand says so at length")


class Warns(MeanDifference):
    def fit(self, X: Any, y: Any) -> "Warns":
        warnings.warn("not quite there", RuntimeWarning, stacklevel=2)
        super().fit(X, y)
        return self


class Fills(MeanDifference):
    """Meets a full disk, as compiled code does that cannot be kept."""

    def fit(self, X: Any, y: Any) -> "Fills":
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "/cache/code.nbi")


class Sleeps(MeanDifference):
    """Whatever wakes it becomes an error of its own, as in compiled loops."""

    def fit(self, X: Any, y: Any) -> "Sleeps":
        try:
            time.sleep(60)
        except BaseException as error:
            raise SystemError("a loop ended with an exception set") from error
        return self


class Slow(MeanDifference):
    def fit(self, X: Any, y: Any) -> "Slow":
        time.sleep(0.05)
        super().fit(X, y)
        return self


class Killer(MeanDifference):
    """Takes its process along, once if it can leave a file behind, otherwise always."""

    def __init__(self, file: str = "", random_state: int | None = None) -> None:
        super().__init__(random_state=random_state)
        self.file = file

    def fit(self, X: Any, y: Any) -> "Killer":
        if not (self.file and Path(self.file).exists()):
            if self.file:
                Path(self.file).touch()
            os.kill(os.getpid(), signal.SIGKILL)
        super().fit(X, y)
        return self


class Hangs(MeanDifference):
    """Never comes back from code that keeps the interpreter's lock."""

    def fit(self, X: Any, y: Any) -> "Hangs":
        re.match(r"(a+)+$", "a" * 60 + "b")
        return self


class Fat(MeanDifference):
    def __init__(self, gigabytes: int = 3) -> None:
        super().__init__()
        self.gigabytes = gigabytes

    def fit(self, X: Any, y: Any) -> "Fat":
        super().fit(X, y)
        self.w_ = self.w_ * np.ones(self.gigabytes * 10**9 // 8)[-1]
        return self


class ByPosition(MeanDifference):
    """A score that depends on a row's place, as careless linear algebra does in its last bits."""

    def predict(self, X: Any) -> Any:
        return X @ self.w_ + 1e-9 * np.arange(len(X))


def study(
    methods: dict[str, Any] | None = None, keep: dict[str, Any] | None = None, **protocol: int
) -> Study:
    """Return a study on the linear generator, each method one of the above or a mapping."""
    methods = methods or {"mean": "MeanDifference"}
    described = {
        name: {"estimator": f"toys.{what}"} if isinstance(what, str) else what
        for name, what in methods.items()
    }
    numbers = {"models": 2, "training_sets": 3, "n_train": 60, "n_test": 80} | protocol
    return Study.model_validate(
        {
            "version": 1,
            "study": "toy",
            "title": "Toy",
            "seed": 5,
            "generators": {"lin": {"generator": "linear", "params": {"d": 3}}},
            "methods": described,
            "experiments": {
                "figure": {
                    "problems": ["lin"],
                    "protocol": {"kind": "models", **numbers},
                    "methods": list(described),
                    "keep": keep,
                }
            },
        }
    )
