"""``rankexp.compare`` and ``rankexp.inspect``: the two commands, of a frame or a file."""

import os
import shutil
import tempfile
import weakref
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext, redirect_stderr, redirect_stdout
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any, TypedDict, Unpack

from rankexp.errors import ConfigError, RankexpError
from rankexp.runner.compare import command, looking, study
from rankexp.runner.compare.results import CompareResult, InspectResult
from rankexp.runner.compare.session import Session
from rankexp.runner.config.asking import LISTS, message, said
from rankexp.runner.data.dataset import number_text
from rankexp.runner.data.frames import FILES, Saved, Table, save

Value = str | float  # a number, a text or a truth value, as it stands in a table
Names = str | Sequence[str]


class ReadingArguments(TypedDict, total=False):
    """How columns and files are read; as ``rankexp inspect --help`` says."""

    drop: Names
    keep: Names
    nominal: Names
    missing: Names
    header: bool
    decimal: str
    thousands: str
    delimiter: str
    encoding: str
    sheet: str
    rows: int


class TableArguments(ReadingArguments, total=False):
    """What the columns of a table mean."""

    positive: Value
    levels: Sequence[Value]
    continuous: bool
    merge: Sequence[Sequence[Value]]
    time: str
    groups: str
    queries: str
    weights: str


class CompareArguments(TableArguments, total=False):
    """What is compared, and how long that may take."""

    methods: Names
    margin: float
    minutes: float
    jobs: int


def compare(
    table: Table,
    *,
    target: str,
    test: Table | None = None,
    out: str | PathLike[str] | None = None,
    verbose: bool = False,
    **options: Unpack[CompareArguments],
) -> CompareResult:
    """Tell whether training on pairs helps to rank the rows of a table, and what ranks best.

    Parameters
    ----------
    table, test : DataFrame of pandas or polars, or path
        A row an example; `test` has the test set, if it is apart. The index is no column.
    target : str
        Column to rank by. An ordered Categorical or an Enum brings its levels.
    out : path, optional
        Folder for all files. Default: a temporary one, which is removed with the result.
    verbose : bool
        Print what the command line prints. Default: nothing.
    **options
        Those of ``rankexp compare``: `positive`, `levels` (worst first) or `continuous`, `merge`,
        `time`, `groups`, `queries`, `weights`, `methods`, `margin` (0.01), `minutes` (5), `jobs`,
        `drop`, `keep`, `nominal`, `missing`, and how a file is read: `header`, `decimal`,
        `thousands`, `delimiter`, `encoding`, `sheet`; `rows` to use at most, drawn at random.

    Raises
    ------
    ConfigError, DataError
        Where an argument is wrong, or the table cannot be read.

    Examples
    --------
    >>> import pandas as pd
    >>> import rankexp
    >>> frame = pd.DataFrame({"age": 30 * [40, 50], "left": 30 * ["no", "yes"]})
    >>> rankexp.compare(frame, target="left", positive="maybe")
    Traceback (most recent call last):
    rankexp.errors.ConfigError: target 'left' has no value 'maybe'; it has: no, yes
    """
    root = Path(tempfile.mkdtemp(prefix="rankexp-"))
    try:
        with said("python"):
            folder = root / "compare" if out is None else Path(out)
            study.choose(folder, "")
            if study.state(folder) == "free" and (folder / FILES[0]).exists():  # the user's
                raise ConfigError(message("compare.not_ours", folder=folder, file=FILES[0]))
            saved = save(table, test, folder, target, map(str, options.values()))
            given = _plain(options, saved)
            reading = {k: given.pop(k) for k in [*given] if k in ReadingArguments.__annotations__}
            asked = command.Options(target, saved.test, out=folder, **given, reading=reading)
            asked = replace(asked, notes=saved.notes, held="" if out else saved.held)
            with nullcontext() if verbose else _silence():
                made = _result(*command.compare(saved.table, asked))
    except BaseException:
        shutil.rmtree(root, ignore_errors=True)
        raise
    weakref.finalize(made, shutil.rmtree, root, ignore_errors=True)
    return made


def inspect(
    table: Table,
    *,
    target: str | None = None,
    test: Table | None = None,
    **options: Unpack[TableArguments],
) -> InspectResult:
    """Tell how a table is read, what may be wrong with it, and what `compare` will do.

    Nothing is fitted. Arguments and errors are those of `compare`; without a target, every column
    is looked at as a feature.

    Examples
    --------
    >>> import pandas as pd
    >>> import rankexp
    >>> frame = pd.DataFrame({"age": range(30, 90), "left": 30 * ["no", "yes"]})
    >>> found = rankexp.inspect(frame, target="left")
    >>> found.columns[["name", "kind", "role", "missing"]]
       name        kind      role  missing
    0   age  identifier  left out        0
    1  left     nominal    target        0
    """
    with tempfile.TemporaryDirectory(prefix="rankexp-") as folder, said("python"):
        saved = save(table, test, Path(folder), target, map(str, options.values()))
        given = {"continuous": False, "test": saved.test} | _plain(options, saved)
        if "queries" in given:
            given |= {"groups": given.pop("queries")}
        found = looking.look(saved.table, target=target, **given)
    warnings = (*found.reading.warnings, *saved.notes)
    return replace(found, reading=replace(found.reading, warnings=warnings))


@contextmanager
def _silence() -> Iterator[None]:
    with Path(os.devnull).open("w") as sink, redirect_stdout(sink), redirect_stderr(sink):
        yield


def _result(code: int, session: Session) -> CompareResult:
    if session.report is None:
        raise RankexpError("\n".join(session.outcome.messages) or f"exit code {code}")
    built, reading = session.report.blocks[0], session.dataset.reading
    assert reading is not None
    if built.error is not None:
        raise built.error
    remarks = [*session.told, *session.outcome.messages]
    folder, found = session.folder, session.diagnoses
    return CompareResult(built.output, remarks, found, reading, session.code, folder)


def _plain(options: TableArguments, saved: Saved) -> dict[str, Any]:
    """Return arguments as the command has them, with what the types of a frame say."""
    given: dict[str, Any] = {name: own for name, own in options.items() if own is not None}
    for name in given.keys() & {*LISTS, "methods"}:
        given[name] = _texts([given[name]] if isinstance(given[name], str) else given[name])
    if "positive" in given:
        given |= {"positive": "".join(_texts([given.pop("positive")]))}
    if "merge" in given:
        given |= {"merge": list(map(_texts, given.pop("merge")))}
    if saved.nominal:
        given |= {"nominal": [*given.pop("nominal", []), *saved.nominal]}
    return given


def _texts(values: Sequence[Value]) -> list[str]:
    """Return values of a table as its reader has them."""
    return [number_text(own) if isinstance(own, float) else str(own) for own in values]
