"""The contract of checks: functions that a `simulate` experiment calls."""

import inspect
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from rankexp.metrics.base import Kind
from rankexp.runner.checks.base import Problem, Takes, takes
from rankexp.testing.contract import keep, need, thing

__all__ = ["check_check"]

Check = Callable[..., Sequence[Mapping[str, float | str]]]
KEYS = {"quantity", "value", "group", "step"}


def check_check(check: Check | str) -> None:
    """Check that a check declares its parameters and gives the rows of a record.

    Parameters
    ----------
    check : callable or str
        The function, or the name of a registered one. It is run with its defaults, so these are
        to be quick; one of data sets on 60 made-up rows of each kind that it takes.
    """
    made = thing("checks", check)
    keep(f"check {made.__name__}", (declares_its_parameters, gives_rows), made)


def declares_its_parameters(check: Check) -> None:
    """It takes `rng`, then parameters by name alone, whose defaults can be JSON.

    Only `problem` has none.
    """
    rng, *parameters = inspect.signature(check).parameters.values()
    need(rng.name == "rng", f"its first parameter is '{rng.name}'")
    for p in parameters:
        need(p.kind is p.KEYWORD_ONLY, f"'{p.name}' may be given by position: put it behind a *")
        given = "has a default" if p.name == "problem" else "has no default"
        need((p.name == "problem") == (p.default is p.empty), f"'{p.name}' {given}")
    known = getattr(check, "takes", None)
    need(known is None or takes(check) == known, "'of_data' is for checks with a 'problem'")
    json.dumps({p.name: p.default for p in parameters if p.name != "problem"})
    need(inspect.getdoc(check), "it has no docstring")


def gives_rows(check: Check) -> None:
    """Its rows are quantities with float values, each once, and its stream determines them."""
    for given in _given(takes(check)):
        _gives_rows(check, given)


def _given(kinds: Takes | None) -> list[dict[str, Problem]]:
    """Return what a check is run with: made-up problems of all kinds that it takes."""
    rng = np.random.default_rng(1)
    X, names = rng.standard_normal((60, 3)), ("a", "b", "c")
    score = X[:, 0] + 0.5 * rng.standard_normal(60)
    targets: dict[Kind, Any] = {
        "binary": (score > 0).astype(np.int64),
        "ordinal": np.digitize(score, [-0.5, 0.5]),
        "continuous": score,
    }
    for array in (X, *targets.values()):
        array.setflags(write=False)
    made = (
        [Problem("made", X, targets[kind], kind, names) for kind in kinds.kinds] if kinds else []
    )
    return [{"problem": problem} for problem in made] or [{}]


def _gives_rows(check: Check, given: dict[str, Problem]) -> None:
    rows, again = (check(np.random.default_rng(0), **given) for _ in range(2))
    need(rows, "it gives no rows")
    need(rows == again, "the same stream gives other rows")
    for row in rows:
        need({"quantity", "value"} <= set(row) <= KEYS, f"a row has the keys {sorted(row)}")
        need(isinstance(row["quantity"], str), f"a quantity is {row['quantity']!r}")
        need(type(row["value"]) is float, f"the value {row['value']!r} is not a float")
    need(json.loads(json.dumps(rows)) == rows, "its rows differ after a round trip through JSON")
    places = [(row["quantity"], row.get("group"), row.get("step")) for row in rows]
    twice = [place for place in places if places.count(place) > 1]
    need(not twice, f"the row {twice[:1]} occurs twice")
