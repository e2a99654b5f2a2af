"""Read queries in LETOR's format, SVM^light's lines ``label qid:Q index:value ... # comment``.

Lines that all have the features 1 .. d are read a block at a time; all others one by one, which
also finds what is wrong with which.
"""

import codecs
import io
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from rankexp.data.dataset import Feature, Floats, Ints, Table
from rankexp.data.readers.cells import short
from rankexp.data.readers.compressed import encoding_of, pieces
from rankexp.data.reading import Layout
from rankexp.data.suitable import check_memory
from rankexp.errors import DataError

BLOCK = 1 << 24
"""Bytes that are read at once, and the longest line."""
MOST_FEATURES = 100_000
"""A larger index is taken for an error: rows are kept with a number for each feature."""
DIGITS = 18
"""Of an index or a query, at most."""
_EXACT = {"float_precision": "round_trip"}
"""What lets pandas before 3.1 read numbers to the last bit."""
_PLAIN = b"0123456789.+-eENULan"
"""What numbers and marks of missing cells are written with."""
_GAPS = (b"  ", b": ", b" :", b":\n", b" +", b" -")
"""Where a text is lacking, or a sign stands before a query or index."""


_Block = tuple[Floats, Ints, Floats, int]
"""Labels, queries and features of some rows, as wide as needed, and how many cells are given."""


def read_letor(files: Mapping[str, Path], encoding: str | None = None) -> Table:
    """Return one table of files in LETOR's format, their rows in the order of the files.

    Its columns are ``relevance``, ``qid``, then ``part`` unless the only part is ``""``,
    then the features ``1``, ``2``, ... A feature that a line leaves out is 0, as SVM^light has it;
    ``NULL`` and ``nan`` are missing. Files may be compressed.

    Raises
    ------
    DataError
        Malformed, with file and line; a query in two files; more than memory holds.
    """
    import pandas as pd

    read = {part: _read(path, encoding) for part, path in files.items()}
    queries = {part: np.concatenate([block[1] for block in own]) for part, own in read.items()}
    _check_queries(files, queries)
    blocks, parted = [block for own in read.values() for block in own], list(files) != [""]
    codes, distinct = pd.factorize(np.concatenate(list(queries.values())))  # as they appear
    head = [Feature("relevance"), Feature("qid", "nominal", tuple(map(str, distinct.tolist())))]
    head += [Feature("part", "nominal", (*files,))] if parted else []
    width = max(features.shape[1] for _, _, features, _ in blocks)
    check_memory(len(codes), len(head) + width)
    notes = [note for part, path in files.items() for note in _scattered(path, queries[part])]
    if absent := len(codes) * width - sum(given for *_, given in blocks):
        notes.append(f"{absent:,} cells of features that their lines leave out are 0")
    values = np.zeros((len(codes), len(head) + width))
    values[:, 0] = np.concatenate([labels for labels, *_ in blocks])
    values[:, 1] = codes
    if parted:
        values[:, 2] = np.repeat(np.arange(len(files)), [len(own) for own in queries.values()])
    read.clear()
    at = 0
    while blocks:  # each is let go when it is copied
        features = blocks.pop(0)[2]
        values[at : at + len(features), len(head) : len(head) + features.shape[1]] = features
        at += len(features)
    if missing := int(np.isnan(values[:, len(head) :]).sum()):
        notes.append(f"{missing:,} cells of features written NULL or nan are missing")
    columns = (*head, *(Feature(str(j)) for j in range(1, width + 1)))
    layout = Layout("LETOR", labels=tuple(c.name for c in head[1:]), notes=tuple(notes))
    named = {part: "/".join(path.parts[-2:]) for part, path in files.items()}
    where = {"files": named} if parted else {"file": files[""].name}
    name = f"{len(files)} files" if parted else files[""].name
    return Table(name, columns, values, {"source": "letor", **where}, layout)


def _check_queries(files: Mapping[str, Path], queries: Mapping[str, Ints]) -> None:
    """Hold that no query is in two files: its rows would be trained and tested on."""
    seen: dict[int, str] = {}
    for part, own in queries.items():
        for query in np.unique(own).tolist():
            if (other := seen.setdefault(query, part)) != part:
                raise DataError(
                    f"query {query} is in two parts, '{other}' ({files[other]}) and '{part}' "
                    f"({files[part]}): name each file of queries once"
                )


def _scattered(path: Path, queries: Ints) -> Iterator[str]:
    """Say which queries have rows in several places of a file."""
    runs = queries[np.flatnonzero(np.diff(queries, prepend=queries[0] - 1))]
    distinct, counts = np.unique(runs, return_counts=True)
    again = distinct[counts > 1]
    if len(again):
        yield (
            f"{path.name}: {len(again):,} queries have rows in several places, such as "
            f"{again[0]}; the rows of each are one query"
        )


def _read(path: Path, encoding: str | None) -> list[_Block]:
    """Read a file."""
    found: list[_Block] = []
    line, count = 1, 0
    for text in _whole_lines(path):
        encoding_of(path, text, encoding or "utf-8", line)
        bodies = [body.partition(b"#")[0].strip() for body in text.split(b"\n")]
        if plain := [body for body in bodies if body]:
            count += len(plain)
            found.append(_dense(plain, count) or _each(path, bodies, line, count))
        line += text.count(b"\n")
    if not any(features.shape[1] for _, _, features, _ in found):
        raise DataError(f"{path}: " + ("no line has a feature" if found else "no rows of data"))
    return found


def _whole_lines(path: Path) -> Iterator[bytes]:
    """Yield the content of a file, cut at the ends of lines."""
    rest, mark = b"", codecs.BOM_UTF8
    for piece in pieces(path, BLOCK):
        whole, mark = rest + piece.removeprefix(mark), b""
        cut = whole.rfind(b"\n") + 1
        rest = whole[cut:]
        if len(rest) > BLOCK:
            raise DataError(f"{path}: a line has more than {BLOCK:,} bytes: is it LETOR's format?")
        yield whole[:cut]
    yield rest


def _dense(lines: Sequence[bytes], count: int) -> _Block | None:
    """Return lines, of so many up to here, if all have the features 1 .. d; None if not."""
    import pandas as pd

    width = lines[0].count(b":") - 1
    bare = _without_query_marks(lines, width)
    if bare is None:
        return None
    check_memory(count, width)
    given = io.BytesIO(bare.replace(b":", b" "))
    old = tuple(map(int, pd.__version__.split(".")[:2])) < (3, 1)
    how: dict[str, Any] = {"low_memory": False, "dtype": {0: float}} | (_EXACT if old else {})
    how["dtype"] |= dict.fromkeys(range(3, 2 * width + 2, 2), float)
    try:
        frame = pd.read_csv(given, sep=" ", header=None, **how)
    except (ValueError, OverflowError):
        return None
    if frame[1].dtype.kind != "i" or {kind.kind for kind in frame.dtypes[2::2]} != {"i"}:
        return None
    labels, queries, indices = frame[0].to_numpy(), frame[1].to_numpy(), frame.iloc[:, 2::2]
    values = np.ascontiguousarray(frame.iloc[:, 3::2].to_numpy())
    missing = sum(bare.count(mark) for mark in (b"NULL", b"nan", b"NaN"))
    fine = (
        (indices.to_numpy() == np.arange(1, width + 1)).all()
        and np.isfinite(labels).all()
        and not np.isinf(values).any()
        and np.isnan(values).sum() == missing
    )
    return (labels, queries, values, values.size) if fine else None


def _without_query_marks(lines: Sequence[bytes], width: int) -> bytes | None:
    """Return lines as ``label Q index:value ...`` if each has so many plain pairs, else None."""
    text = b"\n".join(lines) + b"\n"
    bare = text.replace(b" qid:", b" ")
    marks = b" " + b" :" * width + b"\n"
    if not 0 < width <= MOST_FEATURES or len(text) - len(bare) != len(b"qid:") * len(lines):
        return None
    if len(marks) * len(lines) > len(bare) or bare.translate(None, _PLAIN) != marks * len(lines):
        return None
    return None if any(gap in bare for gap in _GAPS) else bare


def _each(path: Path, lines: Sequence[bytes], first: int, count: int) -> _Block:
    """Return lines read one by one, from the line `first` on; empty ones are none."""
    labels, queries, counts = [], [], []
    indices: list[int] = []
    values: list[float] = []
    for line, text in enumerate(lines, start=first):
        if text:
            try:
                label, query, pairs = _row(text)
            except ValueError as error:
                raise DataError(f"{path}:{line}: {error}") from None
            labels.append(label)
            queries.append(query)
            counts.append(len(pairs))
            indices += pairs
            values += pairs.values()
    width = max(indices, default=0)
    check_memory(count, width)
    block = np.zeros((len(labels), width))
    at = np.repeat(np.arange(len(labels)), counts)
    block[at, np.array(indices, dtype=np.int64) - 1] = values
    return np.array(labels), np.array(queries, dtype=np.int64), block, len(values)


def _row(text: bytes) -> tuple[float, int, dict[int, float]]:
    """Return label, query and features of a line; ValueError says what is wrong with it."""
    label, *rest = text.split()
    relevance = _number(label)
    if relevance is None or not np.isfinite(relevance):
        raise ValueError(f"the line begins with {_shown(label)}, and a label is a finite number")
    if not rest or not rest[0].startswith(b"qid:"):
        raise ValueError("there is no 'qid:' after the label")
    query = rest[0].removeprefix(b"qid:")
    if not query.isdigit() or len(query) > DIGITS:
        raise ValueError(f"{_shown(rest[0])}: a query is a whole number")
    pairs: dict[int, float] = {}
    last = 0
    for token in rest[1:]:
        index, _, cell = token.partition(b":")
        if not index.isdigit() or not cell:
            raise ValueError(f"{_shown(token)} is no feature: 'index:value' is expected")
        if len(index) > DIGITS or (number := int(index)) > MOST_FEATURES:
            raise ValueError(f"feature {_shown(index)}: there may be {MOST_FEATURES:,} features")
        if number <= last:
            wrong = f"comes after {last}" if last else "is below 1"
            raise ValueError(f"feature {number} {wrong}: indices ascend from 1")
        value = _number(cell)
        if value is None or np.isinf(value):
            kind = f"{_shown(cell)}, which is no number" if value is None else "infinite"
            raise ValueError(f"feature {number} is {kind}")
        pairs[number], last = value, number
    return relevance, int(query), pairs


def _number(text: bytes) -> float | None:
    """Return a number, NaN where it is missing; None where the text is neither."""
    try:
        return float("nan") if text == b"NULL" else None if b"_" in text else float(text)
    except ValueError:
        return None


def _shown(text: bytes) -> str:
    return f"'{short(text.decode('utf-8', errors='replace'))}'"
