"""Frames of pandas or polars as Parquet files, and what only their dtypes say."""

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Protocol, runtime_checkable

import numpy as np
import pandas as pd
import pyarrow as pa
from pyarrow import compute, parquet

from rankexp.errors import ConfigError, DataError
from rankexp.runner.config.asking import flag, option
from rankexp.runner.data.readers.columns import plain_numbers


@runtime_checkable
class ArrowFrame(Protocol):
    """A DataFrame of polars."""

    def to_arrow(self) -> pa.Table:
        """Return the table of Arrow."""
        ...


Frame = pd.DataFrame | ArrowFrame
Table = str | PathLike[str] | Frame
FILES = ("frame.parquet", "test.parquet")


@dataclass
class Saved:
    """Files of a table and of its test rows, and what frames say beyond what is in the files."""

    table: Path
    test: Path | None = None
    held: str = ""  # Python for the table where there are frames, `frame` and `test`
    nominal: list[str] | None = None  # columns of categories that are numbers
    notes: tuple[str, ...] = ()  # a sentence each, without its full stop


def save(
    table: Table, test: Table | None, folder: Path, target: str | None, named: Iterable[str]
) -> Saved:
    """Write frames to a folder, without their index; paths stay. `named` are in arguments.

    ConfigError for what is neither or has no plain columns, DataError for values of other types.
    """
    given = [own for own in (table, test) if own is not None]
    paths = [Path(own) for own in given if isinstance(own, str | PathLike)]
    if len(paths) == len(given):
        return Saved(paths[0], paths[1] if test is not None else None)
    if paths:
        raise ConfigError(f"the table and {flag('test')} must both be frames, or both be files")
    asked, held, tables = {target or "", *named}, [], []
    for frame, file in zip(given, FILES, strict=False):
        assert not isinstance(frame, str | PathLike)
        tables.append(_table(frame, asked))
        folder.mkdir(parents=True, exist_ok=True)
        parquet.write_table(tables[-1], folder / file)
        end = ".rename(columns=str)" if isinstance(frame, pd.DataFrame) else ".to_pandas()"
        held.append(Path(file).stem + end)
    one = Saved(folder / FILES[0], None if test is None else folder / FILES[1])
    one.held = held[0] if test is None else f"pd.concat([{', '.join(held)}])"
    _note_types(one, tables, target)
    return one


def _note_types(one: Saved, tables: list[pa.Table], target: str | None) -> None:
    """Note categories that are numbers, and texts that are numbers."""
    one.nominal, texts = [], list[str]()
    for field in tables[0].schema:
        coded = pa.types.is_dictionary(field.type)
        if not (coded or pa.types.is_string(field.type) or pa.types.is_large_string(field.type)):
            continue
        columns = [table[field.name] for table in tables if field.name in table.column_names]
        has = {text for own in columns for text in compute.unique(own).to_pylist() if text}
        if field.name != target and has and plain_numbers(list(has)):
            (one.nominal if coded else texts).append(field.name)
    if texts := texts[:10]:
        named, how = ", ".join(f"'{name}'" for name in texts), option("nominal", *texts)
        one.notes = (f"texts that are numbers are read as numbers: {named}; {how} changes this",)


def ordered_values(path: Path, target: str, values: Collection[str]) -> list[str] | None:
    """Return a target's values in the order of the categories of a Parquet file of Arrow's."""
    if path.suffix.lower() not in (".parquet", ".pq"):
        return None
    with parquet.ParquetFile(path) as file:
        ours = file.metadata.created_by.startswith("parquet-cpp")  # others may lose the order
        column = file.read([target])[target].unify_dictionaries()
    if not (ours and pa.types.is_dictionary(column.type) and column.type.ordered):
        return None
    known = column.chunk(0).dictionary.to_pylist()
    found = [text for own in known if (text := str(own).strip()) in values]
    return found if len(found) == len(values) else None


def _table(frame: Frame, named: Collection[str]) -> pa.Table:
    """Return a frame as Arrow has it, or refuse it; `named` are columns that are asked for."""
    kind = type(frame).__name__
    if kind == "LazyFrame":
        raise ConfigError("the table is a LazyFrame of polars; give frame.collect()")
    if isinstance(frame, pd.DataFrame):
        _check(frame, named)
        table = pa.table({str(n): _column(str(n), own) for n, own in frame.items()})
    elif isinstance(frame, ArrowFrame):
        table = frame.to_arrow()
    else:
        raise ConfigError(f"expected a DataFrame of pandas or polars, or a path, got {kind}")
    if not table.num_rows:
        raise DataError("the frame has no rows")
    for field in table.schema:
        if pa.types.is_nested(field.type) or "binary" in str(field.type):
            raise _unfit(field.name, str(field.type))
    return table


def _check(frame: pd.DataFrame, named: Collection[str]) -> None:
    if frame.columns.nlevels > 1:
        raise ConfigError("the columns of the frame have several levels of names; join them first")
    names = list(map(str, frame.columns))
    if twice := [name for name, count in Counter(names).items() if count > 1]:
        raise ConfigError(f"the frame has two columns '{twice[0]}'; rename one of them")
    for name in {*map(str, frame.index.names)} & {*named} - {*names}:
        advice = "frame.reset_index() makes it one"
        raise ConfigError(f"'{name}' is the frame's index, not a column; {advice}")


def _column(name: str, column: "pd.Series[float]") -> pa.Array:
    """Return a column of pandas as Arrow has it; as texts where Arrow has no such type."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        codes, texts = column.cat.codes.to_numpy(), list(map(str, column.cat.categories))
        indices = pa.array(codes, mask=codes < 0)
        return pa.DictionaryArray.from_arrays(indices, texts, ordered=bool(column.cat.ordered))
    if isinstance(column.dtype, pd.SparseDtype):
        column = pd.Series(np.asarray(column))
    try:
        made = pa.array(column, from_pandas=True)
    except OverflowError as error:
        raise _unfit(name, "int beyond 64 bits") from error
    except (pa.ArrowException, TypeError):  # values of several types
        made = None
    if made is not None and not isinstance(made, pa.ExtensionArray):  # of periods, intervals
        return made
    for value in column.dropna():
        if not pd.api.types.is_scalar(value) or isinstance(value, complex):
            raise _unfit(name, type(value).__name__)
    return pa.array(column.map(str, na_action="ignore"), pa.string(), from_pandas=True)


def _unfit(name: str, kind: str) -> DataError:
    return DataError(f"column '{name}' holds values of type {kind}; drop it from the frame")
