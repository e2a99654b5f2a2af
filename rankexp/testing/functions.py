"""The contracts of functions that a study names: checks, data sources, curves and texts."""

import inspect
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from rankexp.arrays import Floats
from rankexp.checks.check import Problem, Takes, takes
from rankexp.errors import DataError
from rankexp.metrics.metric import Kind
from rankexp.runner.config.data_entry import DataEntry
from rankexp.runner.data.dataset import DataTable
from rankexp.runner.keep.curves import MakeCurve
from rankexp.testing.contract import ContractError, keep, need, thing

__all__ = ["check_check", "check_curve", "check_source", "check_text"]

Check = Callable[..., Sequence[Mapping[str, float | str]]]
KEYS = {"quantity", "value", "group", "step"}
Source = Callable[..., DataTable | None]
NOT_THERE = "no-such-data-set"
Text = Callable[..., str | None]
ROWS = 30
NAMES = ("income >$50K", "x^2")


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
    if kinds is None:
        return [{}]
    return [{"problem": Problem("made", X, targets[kind], kind, names)} for kind in kinds.kinds]


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


def check_source(source: Source | str, reference: object, folders: Sequence[Path] = ()) -> None:
    """Check that a data source gives a table, and says where it has none.

    Parameters
    ----------
    source : callable or str
        The function, or the name of a registered one.
    reference : object
        One that the source has, as it would stand in a study behind the source's name.
    folders : sequence of Path
        Where files lie.
    """
    made = thing("data.sources", source)
    laws = (takes_what_it_is_given, gives_a_table, says_what_it_lacks)
    keep(f"data source {made.__name__}", laws, made, reference, list(folders))


def _table(source: Source, reference: object, folders: list[Path]) -> DataTable | None:
    said = {"source": {"any": reference}, "target": "any"}
    return source(reference, DataEntry.model_validate(said), folders)


def takes_what_it_is_given(source: Source, *_: object) -> None:
    """It takes a reference, the study's entry and the folders, and has a docstring."""
    names = list(inspect.signature(source).parameters)
    need(names == ["reference", "entry", "folders"], f"it takes {', '.join(names)}")
    need(inspect.getdoc(source), "it has no docstring")


def gives_a_table(source: Source, reference: object, folders: list[Path]) -> None:
    """Its table has a column a feature, numbers or codes, and the same values every time."""
    table, again = (_table(source, reference, folders) for _ in range(2))
    if not isinstance(table, DataTable) or not isinstance(again, DataTable):
        text = f"for {reference!r} it gives {table!r}, not a rankexp.plugin.DataTable"
        raise ContractError(text)
    shape, count = table.values.shape, len(table.columns)
    need(len(shape) == 2 and shape[1] == count, f"{count} columns, values of shape {shape}")
    need(table.values.dtype == np.float64, f"its values are {table.values.dtype}")
    same = np.array_equal(table.values, again.values, equal_nan=True)
    need(same, "a second call gives other values")
    names = [column.name for column in table.columns]
    need(len(set(names)) == len(names), f"two columns have one name: {names}")
    for column, values in zip(table.columns, table.values.T, strict=True):
        if column.kind == "nominal":
            codes = set(values[~np.isnan(values)])
            known = set(range(len(column.categories)))
            need(codes <= known, f"'{column.name}' has codes without a category: {codes - known}")
    need(json.loads(json.dumps(dict(table.provenance))), "its provenance says nothing")


def says_what_it_lacks(source: Source, _: object, folders: list[Path]) -> None:
    """What it does not have is None, or a rankexp.errors.DataError that names it."""
    try:
        found = _table(source, NOT_THERE, folders)
    except DataError as error:
        need(NOT_THERE in str(error), f"'{error}' does not name it")
    else:
        need(found is None, f"it gives {found!r}")


def check_curve(curve: MakeCurve | str) -> None:
    """Check that a curve of a test part and scores can be kept in a record.

    Parameters
    ----------
    curve : callable or str
        A function ``(X, y, scores)``, or the name of a registered one.
    """
    made = thing("keep.curves", curve)
    rng = np.random.default_rng(0)
    part = (rng.standard_normal((ROWS, 1)), rng.standard_normal(ROWS), rng.standard_normal(ROWS))
    keep(f"curve {made.__name__}", (is_described, leaves_data_alone, is_two_lists), made, *part)


def check_text(text: Text | str, model: object = None) -> None:
    """Check that a text of fitted estimators can be kept in a record.

    Parameters
    ----------
    text : callable or str
        A function ``(model, names)``, or the name of a registered one.
    model : estimator, optional
        A fitted one, of the features `NAMES`, that the text describes.
    """
    made = thing("keep.texts", text)
    keep(f"text {made.__name__}", (is_described, is_none_of_others), made)
    if model is not None:
        keep(f"text {made.__name__}", (is_a_text,), made, model, NAMES)


def is_described(made: MakeCurve | Text, *_: Floats) -> None:
    """It has a docstring, whose first line stands in `rankexp list`."""
    need(inspect.getdoc(made), "it has no docstring")


def is_two_lists(curve: MakeCurve, X: Floats, y: Floats, scores: Floats) -> None:
    """It gives finite numbers ``x`` and ``y``, lists of one length that JSON can hold."""
    found = curve(X, y, scores)
    need(found.keys() == {"x", "y"}, f"its keys are {sorted(found)}")
    need(len(found["x"]) == len(found["y"]) > 0, "its lists are not equally long, or are empty")
    again = json.loads(json.dumps(found, allow_nan=False))
    need(again == found, "it differs after a round trip through JSON")


def leaves_data_alone(curve: MakeCurve, X: Floats, y: Floats, scores: Floats) -> None:
    """It changes nothing in what it is given."""
    copies = X.copy(), y.copy(), scores.copy()
    curve(*copies)
    for name, given, left in zip(("X", "y", "scores"), (X, y, scores), copies, strict=True):
        need(np.array_equal(given, left), f"{name} is changed")


def is_none_of_others(text: Text) -> None:
    """It is None of an object that it does not describe."""
    found = text(object(), NAMES)
    need(found is None, f"for a plain object it returns {found!r}")


def is_a_text(text: Text, model: object, names: Sequence[str]) -> None:
    """It is a text, the same again, and adds nothing to the estimator."""
    before = set(vars(model))
    found = text(model, names)
    need(isinstance(found, str) and found, f"it is {found!r}")
    need(text(model, names) == found, "a second call returns another text")
    need(set(vars(model)) == before, f"it adds {sorted(set(vars(model)) - before)}")
