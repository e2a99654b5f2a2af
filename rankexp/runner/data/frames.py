"""Frames of pandas or polars, written as Parquet files; and what only their dtypes say."""

from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import numpy as np
import pandas as pd
import pyarrow as pa
from pyarrow import compute, parquet

from rankexp.errors import ConfigError, DataError, one_line
from rankexp.runner.config.asking import option
from rankexp.runner.data.levels import number_text
from rankexp.runner.data.readers.columns import plain_numbers
from rankexp.runner.data.readers.typed import text_of

if TYPE_CHECKING:
    Column = pd.Series[float]  # of any dtype


@runtime_checkable
class ArrowFrame(Protocol):
    """A DataFrame of polars."""

    def to_arrow(self) -> pa.Table:
        """Return the table of Arrow."""
        ...


Frame = pd.DataFrame | ArrowFrame
UNFIT = (pa.types.is_nested, pa.types.is_binary, pa.types.is_large_binary)


@dataclass(frozen=True)
class Framed:
    """What frames say beyond the texts and numbers in their files."""

    nominal: list[str]  # columns of categories that are numbers
    levels: list[str]  # of an ordered target, worst to best; empty where it is none
    notes: list[str]  # a sentence each, without a capital and a full stop


def save(frames: Mapping[Path, Frame], target: str | None, named: Iterable[str]) -> Framed:
    """Write frames as Parquet files, without their index; return what their dtypes say.

    `named` are columns that options name. ConfigError for what is no frame, or has no plain
    columns; DataError for values that are no numbers, texts or dates.
    """
    tables = [_table(frame, {target, *named}) for frame in frames.values()]
    numeric, has, texts = set[str](), dict[str, bool](), dict[str, None]()
    for file, table in zip(frames, tables, strict=True):
        file.parent.mkdir(parents=True, exist_ok=True)
        parquet.write_table(table, file)
        for field in table.schema:
            known = _categories(table[field.name])
            if field.name != target and known and plain_numbers(list(known)):
                numeric.add(field.name)
            elif field.name != target and _are_numbers(table[field.name]):
                texts[field.name] = None
            elif field.name == target and known and field.type.ordered:
                has = {name: own or has.get(name, False) for name, own in known.items()}
    levels = [name for name, own in has.items() if own]
    notes = [f"'{target}' is an ordered column: {' < '.join(levels)}"] if levels else []
    return Framed(sorted(numeric), levels, [*notes, *_read_as_numbers(list(texts))])


def _table(frame: Frame, named: Collection[str | None]) -> pa.Table:
    if isinstance(frame, pd.DataFrame):
        _check_pandas(frame, named)
        made = {str(name): _arrow(str(name), column) for name, column in frame.items()}
        table = pa.table(made)
    else:
        table = _of_polars(frame)
    if not table.num_rows:
        raise DataError("the frame has no rows")
    for field in table.schema:
        if any(is_such(field.type) for is_such in UNFIT):
            raise _unfit(field.name, str(field.type))
    return table


def _check_pandas(frame: pd.DataFrame, named: Collection[str | None]) -> None:
    if frame.columns.nlevels > 1:
        raise ConfigError(
            "the columns of the frame have several levels of names; join them first: "
            "frame.columns = ['_'.join(map(str, name)) for name in frame.columns]"
        )
    names = list(map(str, frame.columns))
    if twice := [name for name, count in Counter(names).items() if count > 1]:
        raise ConfigError(f"the frame has two columns '{twice[0]}'; rename one of them")
    for name in frame.index.names:
        if name is not None and str(name) in {*named} - {*names}:
            raise ConfigError(
                f"'{name}' is the frame's index, not a column; frame.reset_index() makes it one"
            )


def _of_polars(frame: ArrowFrame) -> pa.Table:
    kind = type(frame).__name__
    if kind == "LazyFrame":
        raise ConfigError("the table is a LazyFrame of polars; give frame.collect()")
    if not isinstance(frame, ArrowFrame):
        raise ConfigError(f"expected a DataFrame of pandas or polars, or a path, got {kind}")
    try:
        return frame.to_arrow()
    except Exception as error:  # whatever polars has no Arrow for
        raise DataError(f"the frame cannot be read: {one_line(error)}") from error


def _arrow(name: str, column: "Column") -> pa.Array:
    """Return a column of pandas as Arrow has it; texts where it has no such type."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        codes, categories = column.cat.codes.to_numpy(), column.cat.categories
        texts = [_text(name, value) for value in categories]
        indices = pa.array(codes, mask=codes < 0)
        return pa.DictionaryArray.from_arrays(indices, texts, ordered=bool(column.cat.ordered))
    if isinstance(column.dtype, pd.SparseDtype):
        column = pd.Series(np.asarray(column))
    if not isinstance(column.dtype, pd.IntervalDtype | pd.PeriodDtype):
        try:
            return pa.array(column, from_pandas=True)
        except (pa.ArrowException, TypeError):  # of several types
            pass
    missing = column.isna()
    return pa.array([None if m else _text(name, v) for v, m in zip(column, missing, strict=True)])


def _text(name: str, value: Hashable) -> str:
    text = str(value) if isinstance(value, pd.Interval | pd.Period) else text_of(value)
    if text is None:
        raise _unfit(name, type(value).__name__)
    return number_text(value) if isinstance(value, float) else text


def _unfit(name: str, kind: str) -> DataError:
    return DataError(f"column '{name}' holds values of type {kind}; drop it from the frame")


def _categories(column: pa.ChunkedArray) -> dict[str, bool]:
    """Return the categories of a column in their order, and which of them rows have."""
    if not pa.types.is_dictionary(column.type) or not len(column):
        return {}
    whole = column.unify_dictionaries().combine_chunks()
    present = set(whole.indices.drop_null().to_pylist())
    return {str(v): code in present for code, v in enumerate(whole.dictionary.to_pylist())}


def _are_numbers(column: pa.ChunkedArray) -> bool:
    """Tell whether all texts of a column are numbers."""
    if not (pa.types.is_large_string(column.type) or pa.types.is_string(column.type)):
        return False
    return bool(plain_numbers(compute.unique(column).drop_null().to_pylist()))


def _read_as_numbers(columns: Sequence[str]) -> Iterator[str]:
    if columns:
        named, how = (
            ", ".join(f"'{name}'" for name in columns[:10]),
            option("nominal", *columns[:10]),
        )
        yield f"texts that are numbers are read as numbers: {named}; {how} keeps them as names"
