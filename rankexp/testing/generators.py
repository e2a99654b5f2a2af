"""The contract of generators."""

import dataclasses
import json
import pickle

import numpy as np

from rankexp import registry
from rankexp.arrays import Bools, Floats, Ints
from rankexp.generators.generator import Generator, Model
from rankexp.testing.contract import ContractError, keep, need

__all__ = ["check_generator"]

ROWS = 20_000
SPREADS = 5.0
"""Standard errors that a mean may be off."""
CALIBRATION = 0.003
"""What a model's own calibration of its prior may be off."""


def check_generator(generator: Generator | str) -> None:
    """Check that a generator's models are repeatable and what they say of themselves.

    Parameters
    ----------
    generator : generator or str
        Made with the parameters to check, or the name of a registered one.
    """
    made = registry.get("generators", generator)() if isinstance(generator, str) else generator
    laws = (can_be_written_down, makes_data, is_repeatable, samples_without_a_trace)
    keep(f"generator {made!r}", (*laws, knows_its_best_scores), made)


def can_be_written_down(generator: Generator) -> None:
    """It is a frozen dataclass whose fields, made JSON and back, give an equal one."""
    if not dataclasses.is_dataclass(generator) or isinstance(generator, type):
        raise ContractError("it is not a dataclass")
    frozen = generator.__dataclass_params__.frozen
    need(frozen, "its fields can be changed: write @dataclass(frozen=True)")
    fields = dataclasses.asdict(generator)
    again = type(generator)(**json.loads(json.dumps(fields)))
    need(again == generator == type(generator)(**fields), f"made again it is {again!r}")
    need(json.dumps(dataclasses.asdict(again)) == json.dumps(fields), "its JSON changes")
    need(hash(again) == hash(generator), "equal generators have different hashes")


def makes_data(generator: Generator) -> None:
    """Samples are X (n, d), float64 in C order and finite, and y (n,) of its `levels`."""
    model = generator.draw_model(np.random.default_rng(0))
    need(generator.levels == model.levels, f"{generator.levels} and {model.levels} differ")
    X, y = model.sample(30, np.random.default_rng(1))
    need(X.ndim == 2 and len(X) == 30, f"X has shape {X.shape}")
    need(X.dtype == np.float64 and X.flags.c_contiguous, f"X is {X.dtype}, or not in C order")
    need(np.isfinite(X).all(), "X has values that are not finite")
    need(y.shape == (30,), f"y has shape {y.shape}")
    if model.levels is None:
        need(y.dtype == np.float64, f"a continuous y is {y.dtype}")
    else:
        need(list(model.levels) == sorted(model.levels), f"levels {model.levels} do not rise")
        need(set(np.unique(y)) <= set(model.levels), f"y has {set(np.unique(y))}")


def is_repeatable(generator: Generator) -> None:
    """Its stream determines all that is random, and nothing else does."""
    np.random.seed(0)  # noqa: NPY002 - the global stream, which it is to leave alone
    state = np.random.get_state()[1].copy()  # type: ignore[index]  # noqa: NPY002
    (X, y), (again, same), (_, other) = (
        generator.draw_model(np.random.default_rng(seed)).sample(50, np.random.default_rng(seed))
        for seed in (1, 1, 2)
    )
    need(np.array_equal(X, again) and np.array_equal(y, same), "one seed gives two samples")
    need((y != other).any(), "two seeds give the same y")
    left = np.random.get_state()[1]  # type: ignore[index]  # noqa: NPY002
    need((left == state).all(), "it draws from numpy's global stream")


def samples_without_a_trace(generator: Generator) -> None:
    """A model can be pickled, and sampling leaves it as it was."""
    model = generator.draw_model(np.random.default_rng(0))
    before, rng = pickle.dumps(model), np.random.default_rng(3)
    first, second = model.sample(20, rng), model.sample(20, rng)
    need(pickle.dumps(model) == before, "a sample changed the model")
    need((first[0] != second[0]).any(), "two samples of one stream are the same")


def knows_its_best_scores(generator: Generator) -> None:
    """What a model says of P(y = 1 | x), or of E[y | x], is what its samples show."""
    model = generator.draw_model(np.random.default_rng(0))
    X, y = model.sample(ROWS, np.random.default_rng(4))
    if model.levels is None:
        shows_its_mean(model, X, y)
    elif len(model.levels) == 2:
        shows_its_eta(model, X, y == model.levels[-1])


def shows_its_eta(model: Model, X: Floats, positive: Bools) -> None:
    """Compare the share of positives with ``prior``, and with ``eta`` in rows of similar eta."""
    risk = getattr(model, "bayes_rank_risk", 0.0)
    need(0 <= risk < 0.5, "its Bayes rank risk is not in [0, 1/2)")
    if hasattr(model, "prior"):
        p, share = model.prior, positive.mean()
        allowed = SPREADS * np.sqrt(p * (1 - p) / ROWS) + CALIBRATION
        text = f"its prior is {p:g}, but the share of positives is {share:g}"
        need(abs(share - p) < allowed, text)
    if not hasattr(model, "eta"):
        return
    eta = model.eta(X)
    need(eta.shape == (ROWS,), f"eta of {ROWS} rows has shape {eta.shape}")
    need(eta.min() >= 0 and eta.max() <= 1, f"eta is in [{eta.min():g}, {eta.max():g}]")
    for low, high in ((0.0, 0.2), (0.2, 0.5), (0.5, 0.8), (0.8, 1.01)):
        cell = (eta >= low) & (eta < high)
        spread = np.sqrt((eta[cell] * (1 - eta[cell])).sum()) + 1e-9
        off = abs((positive[cell] - eta[cell]).sum())
        need(not cell.any() or off < SPREADS * spread, f"eta in [{low}, {high}) is off")


def shows_its_mean(model: Model, X: Floats, y: Floats | Ints) -> None:
    """Compare the mean of y with ``mean`` where that is high, and where it is low."""
    if not hasattr(model, "mean"):
        return
    m = model.mean(X)
    need(m.shape == (ROWS,) and m.dtype == np.float64, f"mean has shape {m.shape}, {m.dtype}")
    alone = np.concatenate([model.mean(row[None]) for row in X[:50]])
    need((alone == m[:50]).all(), "the mean of a row depends on the others")
    for cell in (m >= np.median(m), m < np.quantile(m, 0.2), m > np.quantile(m, 0.8)):
        if cell.any():
            allowed = SPREADS * np.std(y[cell] - m[cell]) / np.sqrt(cell.sum())
            off = abs((y[cell] - m[cell]).mean())
            need(off <= allowed, f"`mean` is off by {off:g}, and at most {allowed:g} is allowed")
