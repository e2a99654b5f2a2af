"""The contract of data sources."""

import inspect
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from rankexp.errors import DataError
from rankexp.runner.config.data_entry import DataEntry
from rankexp.runner.data.dataset import DataTable
from rankexp.testing.contract import ContractError, keep, need, thing

__all__ = ["check_source"]

Source = Callable[..., DataTable | None]
NOT_THERE = "no-such-data-set"


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
    keep(f"data source {made.__name__}", laws, Tried(made, reference, list(folders)))


@dataclass(frozen=True)
class Tried:
    """A source, and what it is asked for."""

    source: Source
    reference: object
    folders: list[Path]

    def table(self) -> DataTable | None:
        """Return what the source gives for what a study would say of the reference."""
        said = {"source": {"any": self.reference}, "target": "any"}
        return self.source(self.reference, DataEntry.model_validate(said), self.folders)


def takes_what_it_is_given(tried: Tried) -> None:
    """It takes a reference, the study's entry and the folders, and has a docstring."""
    names = list(inspect.signature(tried.source).parameters)
    need(names == ["reference", "entry", "folders"], f"it takes {', '.join(names)}")
    need(inspect.getdoc(tried.source), "it has no docstring")


def gives_a_table(tried: Tried) -> None:
    """Its table has a column a feature, numbers or codes, and the same values every time."""
    table, again = (tried.table() for _ in range(2))
    if not isinstance(table, DataTable) or not isinstance(again, DataTable):
        text = f"for {tried.reference!r} it gives {table!r}, not a rankexp.plugin.DataTable"
        raise ContractError(text)
    shape, count = table.values.shape, len(table.columns)
    need(len(shape) == 2 and shape[1] == count, f"{count} columns, values of shape {shape}")
    need(table.values.dtype == np.float64, f"its values are {table.values.dtype}")
    need(
        np.array_equal(table.values, again.values, equal_nan=True),
        "a second call gives other values",
    )
    names = [column.name for column in table.columns]
    need(len(set(names)) == len(names), f"two columns have one name: {names}")
    for column, values in zip(table.columns, table.values.T, strict=True):
        if column.kind == "nominal":
            codes = set(values[~np.isnan(values)])
            known = set(range(len(column.categories)))
            need(codes <= known, f"'{column.name}' has codes without a category: {codes - known}")
    need(json.loads(json.dumps(dict(table.provenance))), "its provenance says nothing")


def says_what_it_lacks(tried: Tried) -> None:
    """What it does not have is None, or a rankexp.errors.DataError that names it."""
    try:
        found = replace(tried, reference=NOT_THERE).table()
    except DataError as error:
        need(NOT_THERE in str(error), f"'{error}' does not name it")
    else:
        need(found is None, f"it gives {found!r}")
