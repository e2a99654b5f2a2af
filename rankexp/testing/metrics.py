"""The contract of metrics."""

import inspect
from typing import Any

import numpy as np

from rankexp import registry
from rankexp.arrays import Ints
from rankexp.metrics.metric import DATA, Kind, Metric, parameters_of, parse
from rankexp.testing.contract import keep, need, raises

__all__ = ["check_metric"]

ROWS = 40
SCORERS = 3
KINDS = ("binary", "ordinal", "continuous")
ORDERS = ("order", "reversed")
"""Rules for ties that say that the order of rows counts."""


def check_metric(metric: Metric | str) -> None:
    """Check that a metric declares itself, and treats every kind of data it is for alike.

    Parameters
    ----------
    metric : Metric or str
        Such as ``"ndcg@10"``, of a registered function; one that is not registered yet is
        ``Metric("name", function)``.
    """
    made = parse(metric) if isinstance(metric, str) else metric
    place = f"metric {made!r}"
    keep(place, (declares_itself, is_its_text), made)
    laws = [leaves_data_alone, scores_columns_alike, refuses_nan, prefers_better_scores]
    laws += [] if made.ties in ORDERS else [ignores_the_order_of_rows]
    laws += [counts_weights_as_copies] if "sample_weight" in made.takes else []
    laws += [averages_its_groups] if made.declaration.each else []
    for kind in made.kinds:
        keep(f"{place} on {kind} data", laws, made, kind)


def data(kind: Kind, n: int = ROWS, seed: int = 0) -> dict[str, Any]:
    """Return all that a metric may ask for."""
    rng = np.random.default_rng(seed)
    y = {
        "binary": np.where(np.arange(n) % 3 == 0, 1, -1),
        "ordinal": np.array([0, 2, 1, 0, 3])[np.arange(n) % 5],
        "continuous": rng.standard_normal(n),
    }[kind]
    return {
        "y": y,
        "scores": np.round(rng.standard_normal((n, SCORERS)) + 0.3 * np.sign(y)[:, None], 1),
        "groups": np.arange(n) // 10,
        "eta": rng.random(n),
        "reference": rng.standard_normal(n),
        "fitted": {},
        "levels": len(set(y.tolist())),
        "sample_weight": np.arange(n) % 4 / 2,
    }


def _taken(given: dict[str, Any], rows: Ints) -> dict[str, Any]:
    return {name: v[rows] if isinstance(v, np.ndarray) else v for name, v in given.items()}


def declares_itself(metric: Metric) -> None:
    """It says its direction, source and kinds, and each parameter has a default."""
    need(metric.direction in ("lower", "higher"), f"its direction is '{metric.direction}'")
    need(metric.source, "it names no source")
    need(metric.kinds and set(metric.kinds) <= set(KINDS), f"its kinds are {metric.kinds}")
    need(metric.needs and metric.needs <= metric.takes <= set(DATA), "it needs no data")
    need((inspect.getdoc(metric.function) or "").strip(), "its function has no docstring")
    defaults = parameters_of(metric.function)
    lacking = [name for name, value in defaults.items() if value is inspect.Parameter.empty]
    need(not lacking, f"'{', '.join(lacking)}' has none, and is none of {', '.join(DATA)}")


def is_its_text(metric: Metric) -> None:
    """The text of a registered metric is parsed to the same."""
    if metric.name in registry.names("metrics"):
        need(parse(repr(metric)) == metric, f"'{metric!r}' is parsed to {parse(repr(metric))!r}")


def scores_columns_alike(metric: Metric, kind: Kind) -> None:
    """A matrix of scores gives the values of its columns, (L,) float64; a vector gives a float."""
    given = data(kind)
    if "scores" not in metric.takes:
        return
    many, scores = np.asarray(metric(**given)), given["scores"]
    right = many.shape == (SCORERS,) and many.dtype == np.float64
    need(right, f"for {SCORERS} columns it returns {many!r}")
    for j in range(SCORERS):
        one = metric(**given | {"scores": scores[:, j]})
        need(isinstance(one, float), f"for a vector it returns {one!r}")
        need(one == many[j], f"column {j} has {many[j]!r} in the matrix, but {one!r} alone")


def refuses_nan(metric: Metric, kind: Kind) -> None:
    """NaN among the scores is a ValueError that says so."""
    given = data(kind)
    if "scores" in metric.takes:
        given["scores"][5, 1] = np.nan
        raises(ValueError, "NaN", lambda: metric(**given))


def prefers_better_scores(metric: Metric, kind: Kind) -> None:
    """Scores that are y are better, in the declared direction, than the same turned round."""
    given = data(kind)
    if not {"y", "scores"} <= metric.needs:
        return
    y = given["y"].astype(float)
    good, bad = (metric(**given | {"scores": s}) for s in (y, -y))
    better = good < bad if metric.direction == "lower" else good > bad
    need(better, f"it says {metric.direction}, but is {good:g} for y and {bad:g} for -y")


def averages_its_groups(metric: Metric, kind: Kind) -> None:
    """Its values by group, (Q, L), have the mean that it returns, without groups of no value."""
    given = data(kind)
    each, mean = np.asarray(metric.each(**given)), metric(**given)
    need(each.shape == (ROWS // 10, SCORERS), f"its values by group have shape {each.shape}")
    same = np.allclose(np.nanmean(each, axis=0), mean)
    need(same, f"the groups have {each.tolist()}, but it returns {mean}")


def ignores_the_order_of_rows(metric: Metric, kind: Kind) -> None:
    """Rows in another order give the same value, ties included, unless `ties` is "order"."""
    given = data(kind)
    given["scores"] = np.round(given["scores"])
    value = metric(**given)
    for order in (np.arange(ROWS)[::-1], np.random.default_rng(1).permutation(ROWS)):
        moved = metric(**_taken(given, order))
        same = np.allclose(moved, value, rtol=1e-9, atol=1e-12, equal_nan=True)
        need(same, f"the value is {value}, and {moved} after reordering the rows")


def leaves_data_alone(metric: Metric, kind: Kind) -> None:
    """It changes nothing of what it is given."""
    given, before = data(kind), data(kind)
    metric(**given)
    for name in metric.takes - {"fitted", "levels"}:
        need(np.array_equal(given[name], before[name]), f"it changed {name}")


def counts_weights_as_copies(metric: Metric, kind: Kind) -> None:
    """An example of weight 2 counts like two copies of it."""
    given = data(kind)
    times = (2 * given["sample_weight"]).astype(int)
    copies = _taken(given, np.arange(ROWS).repeat(times)) | {"sample_weight": None}
    weighed, copied = metric(**given), metric(**copies)
    same = np.allclose(weighed, copied, rtol=1e-12)
    need(same, f"it is {weighed} with weights, but {copied} with copies")
