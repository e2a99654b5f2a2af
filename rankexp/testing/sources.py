"""The contract of data sources."""

import inspect
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from rankexp.errors import DataError
from rankexp.runner.config.data_entry import DataEntry
from rankexp.runner.data.dataset import DataTable
from rankexp.testing.contract import ContractError, keep, need, thing

__all__ = ["check_source"]

NOT_THERE = "no-such-data-set"


def check_source(
    source: Callable[..., DataTable | None] | str, reference: object, folders: Sequence[Path] = ()
) -> None:
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


def entry_for(reference: object) -> DataEntry:
    """Return what a study would say of a data set of this reference."""
    return DataEntry.model_validate({"source": {"any": reference}, "target": "any"})


def takes_what_it_is_given(source: Any, reference: object, folders: list[Path]) -> None:
    """It takes a reference, the study's entry and the folders, and has a docstring."""
    names = list(inspect.signature(source).parameters)
    need(names == ["reference", "entry", "folders"], f"it takes {', '.join(names)}")
    need(inspect.getdoc(source), "it has no docstring")


def gives_a_table(source: Any, reference: object, folders: list[Path]) -> None:
    """Its table has a column a feature, numbers or codes, and the same values every time."""
    table, again = (source(reference, entry_for(reference), folders) for _ in range(2))
    if not isinstance(table, DataTable) or not isinstance(again, DataTable):
        raise ContractError(f"for {reference!r} it gives {table!r}, no rankexp.plugin.DataTable")
    shape, count = table.values.shape, len(table.columns)
    need(len(shape) == 2 and shape[1] == count, f"{count} columns, values of shape {shape}")
    need(table.values.dtype == np.float64, f"its values are {table.values.dtype}")
    need(np.array_equal(table.values, again.values, equal_nan=True), "asked again it differs")
    names = [column.name for column in table.columns]
    need(len(set(names)) == len(names), f"two columns have one name: {names}")
    for column, values in zip(table.columns, table.values.T, strict=True):
        if column.kind == "nominal":
            codes = set(values[~np.isnan(values)])
            known = set(range(len(column.categories)))
            need(codes <= known, f"'{column.name}' has codes without a category: {codes - known}")
    need(json.loads(json.dumps(dict(table.provenance))), "its provenance says nothing")


def says_what_it_lacks(source: Any, reference: object, folders: list[Path]) -> None:
    """What it does not have is None, or a rankexp.errors.DataError that names it."""
    try:
        found = source(NOT_THERE, entry_for(NOT_THERE), folders)
    except DataError as error:
        need(NOT_THERE in str(error), f"'{error}' does not name it")
    else:
        need(found is None, f"it gives {found!r}")
