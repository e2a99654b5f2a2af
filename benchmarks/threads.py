"""CPU of fits of 1,000 × 50 in an ordinary session: default threads, beside busy processes.

The runner of benchmarks, and a worker, have one thread. So the session is a process of its own.
"""

import json
import os
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from unittest import mock

import numpy as np
from sklearn.linear_model import LogisticRegression
from threadpoolctl import threadpool_limits

from benchmarks._timing import time_ratio
from rankexp.blas import ENTRIES
from rankexp.estimators import LinearRanker

CASES = (("logistic", "classification"), ("logistic", "bipartite"), ("hinge", "bipartite"))
FITS, ROUNDS = 20, 3
REST = 0.1
"""Seconds after which threads that had products have ceased to spin."""


@contextmanager
def _busy() -> Iterator[None]:
    """Keep every core busy."""
    spin = [sys.executable, "-c", "while True: pass"]
    others = [subprocess.Popen(spin) for _ in range(os.cpu_count() or 1)]
    try:
        yield
    finally:
        for other in others:
            other.kill()
            other.wait()


def _cpu(fit: Callable[[], object], limit: int | None = None) -> float:
    """Return the CPU seconds of some fits, with what threads spin after the last one."""
    with threadpool_limits(limit):
        start = time.process_time()
        for _ in range(FITS):
            fit()
        time.sleep(REST)
        return time.process_time() - start


def _small() -> Iterator[tuple[str, float, float | None]]:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((1000, 50))
    y = X @ rng.standard_normal(50) + rng.standard_normal(1000) > 0
    fits = [LinearRanker(loss=loss, risk=risk, lam=0.01).fit for loss, risk in CASES]
    fits.append(LogisticRegression(C=1.0 / (0.01 * len(X))).fit)
    calls = [lambda fit=fit: fit(X, y) for fit in fits]
    for call in calls:
        call()
    with _busy():
        times = [
            [*map(_cpu, calls), *(_cpu(call, 1) for call in calls[:-1])] for _ in range(ROUNDS)
        ]
    ours, peer, alone = np.split(np.median(times, axis=0), [3, 4])
    for k, (loss, risk) in enumerate(CASES):
        case = f"CPU beside busy cores, {loss}, {risk}"
        yield f"{case} / one thread", ours[k] / alone[k], 1.5
        yield f"{case} / lbfgs", ours[k] / peer[0], 2.0


def _large() -> Iterator[tuple[str, float, float | None]]:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((500_000, 10))
    y = X[:, 0] + rng.standard_normal(len(X)) > 0
    ranker = LinearRanker(lam=0.01)

    def untouched() -> None:
        with mock.patch("rankexp.blas.threads_for", lambda n, d: nullcontext()):
            ranker.fit(X, y)

    assert X.size > ENTRIES
    ratio = time_ratio(lambda: ranker.fit(X, y), untouched, 5)
    yield "logistic, 500,000 × 10 / with no limit at all", ratio, 1.1
    X = rng.standard_normal((4000, 400))
    y = X @ rng.standard_normal(400) + 20.0 * rng.standard_normal(4000) > 0
    hinge = LinearRanker(loss="hinge", risk="bipartite", lam=0.01)

    def alone() -> None:
        with threadpool_limits(1):
            hinge.fit(X, y)

    ratio = time_ratio(lambda: hinge.fit(X, y), alone, 5)
    yield "hinge of pairs, 4,000 × 400 / one thread", ratio, 1.2


def rows() -> Iterator[tuple[str, float, float | None]]:
    """Yield (name, measured, target); lower is better."""
    environment = {k: v for k, v in os.environ.items() if not k.endswith("_NUM_THREADS")}
    session = subprocess.run(
        [sys.executable, "-m", "benchmarks.threads"],
        check=True,
        env=environment,
        cwd=Path(__file__).parents[1],
        stdout=subprocess.PIPE,
    )
    yield from json.loads(session.stdout)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    print(json.dumps([*_large(), *_small()]))
