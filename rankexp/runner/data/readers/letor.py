"""Read queries in LETOR's format, SVM^light's lines ``label qid:Q index:value ... # comment``.

Plain lines are read a block at a time; a block with any other line by line, for errors' places.
"""

import codecs
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from rankexp.errors import DataError
from rankexp.runner.config.asking import message
from rankexp.runner.data.dataset import DataTable, Feature, Floats, Ints
from rankexp.runner.data.memory import check_matrix
from rankexp.runner.data.readers.cells import short
from rankexp.runner.data.readers.compressed import encoding_of, pieces
from rankexp.runner.data.reading import Json, Layout

BLOCK = 1 << 24  # bytes that are read at once, and the longest line
MOST_FEATURES = 100_000  # a larger index is an error: rows have a number for each feature
FAR = 1_000
"""A wider table is refused if fewer than a tenth of its features is ever other than 0: an index of
one line may make all of the others."""
DIGITS = 18  # of an index or a query, at most
_EXACT = {"float_precision": "round_trip"}  # pandas before 3.1 then reads to the last bit
_PLAIN = b"0123456789.+-eENULan"  # what numbers and marks of missing cells are written with
_GAPS = (b"\n:", b":\n", b"\n+", b"\n-")  # where a text is lacking, or an index has a sign


_Block = tuple[Floats, Ints, Floats, int]
"""Labels, queries and features of some rows, as wide as needed, and how many cells are given."""


def read_letor(files: Mapping[str, Path], encoding: str | None = None) -> DataTable:
    """Return one table of files in LETOR's format, their rows in the order of the files.

    Its columns are ``relevance``, ``qid``, then ``part`` unless the only part is ``""``, then the
    features ``1``, ``2``, ... One that a line leaves out is 0; ``NULL`` and ``nan`` are missing.
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
    check_matrix(len(codes), len(head) + width)
    notes = _check_gaps(files, width, [features for _, _, features, _ in blocks])
    for part, path in files.items():
        runs = queries[part][np.flatnonzero(np.diff(queries[part], prepend=queries[part][0] - 1))]
        distinct, counts = np.unique(runs, return_counts=True)
        if again := distinct[counts > 1].tolist():
            notes.append(message("data.scattered", file=path.name, queries=again))
    if absent := len(codes) * width - sum(given for *_, given in blocks):
        notes.append(f"{absent:,} cells that the file leaves out were read as 0")
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
        notes.append(f"{missing:,} cells with NULL or nan were read as missing")
    columns = (*head, *(Feature(str(j)) for j in range(1, width + 1)))
    layout = Layout("LETOR", labels=tuple(c.name for c in head[1:]), notes=tuple(notes))
    named: dict[str, Json] = {part: "/".join(path.parts[-2:]) for part, path in files.items()}
    name = f"{len(files)} files" if parted else next(iter(files.values())).name
    where: dict[str, Json] = {"files": named} if parted else {"file": name}
    return DataTable(name, columns, values, {"source": "letor"} | where, layout)


def _check_queries(files: Mapping[str, Path], queries: Mapping[str, Ints]) -> None:
    """Hold that no query is in two files: its rows would be trained and tested on."""
    seen: dict[int, str] = {}
    for part, own in queries.items():
        for query in np.unique(own).tolist():
            if (other := seen.setdefault(query, part)) != part:
                two = other, part
                raise DataError(message("data.query_twice", query=query, parts=two, files=files))


def _check_gaps(files: Mapping[str, Path], width: int, blocks: Sequence[Floats]) -> list[str]:
    """Say that most features are 0 in all rows; refuse where nearly all are: one index is far."""
    used = np.zeros(width, dtype=bool)
    for features in blocks:
        used[: features.shape[1]] |= (features != 0).any(axis=0)
    said = f"only {used.sum():,} of {width:,} features are ever different from 0"
    if width > FAR and 10 * used.sum() < width:
        place = _place(files, width)
        raise DataError(message("data.far_feature", place=place, width=width, said=said))
    few = 2 * used.sum() < width
    return [f"{said}; feature {width} is in {_place(files, width)}"] if few else []


def _place(files: Mapping[str, Path], index: int) -> str:
    given = re.compile(rb"[^#]*\s0*%d:" % index)
    for path in files.values():
        line = 1
        for text in _whole_lines(path):
            for number, body in enumerate(text.split(b"\n"), start=line):
                if given.match(body):
                    return f"{path}:{number}"
            line += text.count(b"\n")
    raise AssertionError(index)


def _read(path: Path, encoding: str | None) -> list[_Block]:
    found: list[_Block] = []
    line, count = 1, 0
    for text in _whole_lines(path):
        encoding_of(path, partial(list, [text]), encoding or "utf-8", line)
        bodies = [body.partition(b"#")[0].strip() for body in text.split(b"\n")]
        if plain := [body for body in bodies if body]:
            count += len(plain)
            found.append(_quickly(plain, count) or _each(path, bodies, line, count))
        line += text.count(b"\n")
    if not any(features.shape[1] for _, _, features, _ in found):
        what = "no line has a feature" if found else "there are no data rows"
        raise DataError(f"{path}: {what}")
    return found


def _whole_lines(path: Path) -> Iterator[bytes]:
    rest, mark = b"", codecs.BOM_UTF8
    for piece in pieces(path, BLOCK):
        whole, mark = rest + piece.removeprefix(mark), b""
        cut = whole.rfind(b"\n") + 1
        rest = whole[cut:]
        if len(rest) > BLOCK:
            raise DataError(message("data.long_line", path=path, most=BLOCK))
        yield whole[:cut]
    yield rest


def _quickly(lines: Sequence[bytes], count: int) -> _Block | None:
    """Return lines, of so many up to here; None if they may not be plain pairs ``index:value``."""
    import pandas as pd

    split = [text.split(None, 2) for text in lines]
    counts = np.array([text.count(b":") - 1 for text in lines])
    flat = b"\n".join([texts[2] for texts in split if len(texts) > 2]).replace(b" ", b"\n")
    framed = b"\n" + flat + b"\n"
    plain = framed.translate(None, _PLAIN) == b"\n" + b":\n" * int(counts.sum())
    if not plain or any(gap in framed for gap in _GAPS):
        return None
    old = tuple(map(int, pd.__version__.split(".")[:2])) < (3, 1)
    how: dict[str, Any] = {"header": None, "low_memory": False} | (_EXACT if old else {})
    try:
        heads = [_head(texts) for texts in split]
        frame = pd.read_csv(io.BytesIO(flat), sep=":", dtype={1: float}, **how)
    except (ValueError, OverflowError):
        return None
    if frame[0].dtype.kind != "i":
        return None
    indices, values = frame[0].to_numpy(), frame[1].to_numpy()
    ascends = np.diff(indices, prepend=0) > 0
    ascends[(np.cumsum(counts) - counts)[counts > 0]] = True
    missing = sum(flat.count(mark) for mark in (b"NULL", b"nan", b"NaN"))
    fine = ascends.all() and indices.min() > 0 and indices.max() <= MOST_FEATURES
    if not fine or np.isinf(values).any() or np.isnan(values).sum() != missing:
        return None
    return _block(heads, counts, indices, values, count)


def _each(path: Path, lines: Sequence[bytes], first: int, count: int) -> _Block:
    """Return lines read one by one, from the line `first` on; empty ones are none."""
    heads, counts = [], []
    indices: list[int] = []
    values: list[float] = []
    for line, text in enumerate(lines, start=first):
        if text:
            texts = text.split()
            try:
                heads.append(_head(texts))
                pairs = _pairs(texts[2:])
            except ValueError as error:
                raise DataError(f"{path}:{line}: {error}") from None
            counts.append(len(pairs))
            indices += pairs
            values += pairs.values()
    flat = np.array(indices, dtype=np.int64), np.array(values, dtype=np.float64)
    return _block(heads, np.array(counts), *flat, count)


def _block(
    heads: Sequence[tuple[float, int]], counts: Ints, indices: Ints, values: Floats, count: int
) -> _Block:
    """Return rows of so many features each, up to here `count` of them, as wide as needed."""
    width = int(indices.max(initial=0))
    check_matrix(count, width, f"the largest index is {width}; is it right? If so, ")
    block = values.reshape(len(heads), width) if len(values) == len(heads) * width else None
    if block is None:
        block = np.zeros((len(heads), width))
        block[np.repeat(np.arange(len(heads)), counts), indices - 1] = values
    labels, queries = zip(*heads, strict=True)
    return np.array(labels), np.array(queries, dtype=np.int64), block, len(values)


def _head(texts: Sequence[bytes]) -> tuple[float, int]:
    """Return label and query of a line; ValueError says what is wrong with them."""
    relevance = _number(texts[0])
    if relevance is None or not np.isfinite(relevance):
        raise ValueError(message("data.label", text=_shown(texts[0])))
    if len(texts) < 2 or not texts[1].startswith(b"qid:"):
        raise ValueError("the label is not followed by 'qid:'")
    query = texts[1].removeprefix(b"qid:")
    if not query.isdigit() or len(query) > DIGITS:
        raise ValueError(f"{_shown(texts[1])}: a query must be a whole number")
    return relevance, int(query)


def _pairs(texts: Sequence[bytes]) -> dict[int, float]:
    """Return the features of a line; ValueError says what is wrong with which."""
    pairs: dict[int, float] = {}
    last = 0
    for text in texts:
        index, _, cell = text.partition(b":")
        if not index.isdigit() or not cell:
            raise ValueError(f"{_shown(text)} is not a feature, which is written 'index:value'")
        if len(index) > DIGITS or (number := int(index)) > MOST_FEATURES:
            raise ValueError(message("data.index", index=_shown(index), most=MOST_FEATURES))
        if number <= last:
            raise ValueError(message("data.unordered", number=number, last=last))
        value = _number(cell)
        if value is None or np.isinf(value):
            kind = f"{_shown(cell)}, which is not a number" if value is None else "infinite"
            raise ValueError(f"feature {number} is {kind}")
        pairs[number], last = value, number
    return pairs


def _number(text: bytes) -> float | None:
    """Return a number, NaN where it is missing; None where the text is neither."""
    try:
        return float("nan") if text == b"NULL" else None if b"_" in text else float(text)
    except ValueError:
        return None


def _shown(text: bytes) -> str:
    return f"'{short(text.decode('utf-8', errors='replace'))}'"
