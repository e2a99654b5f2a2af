"""``rankexp.compare`` and ``rankexp.inspect``: the two commands, of a frame or a file."""

import shutil
import tempfile
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any

import pandas as pd

from rankexp.errors import ConfigError, RankexpError
from rankexp.runner.compare import command, looking, recipe, study
from rankexp.runner.compare.results import CompareResult, InspectResult
from rankexp.runner.compare.session import Session
from rankexp.runner.config.asking import LISTS, flag, said
from rankexp.runner.data.frames import Frame, save
from rankexp.runner.data.levels import number_text
from rankexp.runner.data.reading import Reading

Table = str | PathLike[str] | Frame
Value = str | float
"""A number, a text or a truth value, as it stands in a table."""
Names = str | Sequence[str] | None
FRAME = {"table": "frame.parquet", "test": "test.parquet"}
READING = (
    *("drop", "keep", "nominal", "missing", "header"),
    *("decimal", "thousands", "delimiter", "encoding", "sheet"),
)


def compare(
    table: Table,
    *,
    target: str,
    test: Table | None = None,
    positive: Value | None = None,
    levels: Sequence[Value] | None = None,
    continuous: bool = False,
    merge: Sequence[Sequence[Value]] | None = None,
    time: str | None = None,
    groups: str | None = None,
    queries: str | None = None,
    weights: str | None = None,
    methods: Names = None,
    margin: float | None = None,
    minutes: float = 5.0,
    out: str | PathLike[str] | None = None,
    jobs: int | None = None,
    drop: Names = None,
    keep: Names = None,
    nominal: Names = None,
    missing: Names = None,
    header: bool | None = None,
    decimal: str | None = None,
    thousands: str | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
    verbose: bool = False,
) -> CompareResult:
    """Tell whether training on pairs helps to rank the rows of a table, and what ranks best.

    Parameters
    ----------
    table : DataFrame of pandas or polars, or path
        A row an example. The index of a frame is no column. A path is one to a CSV, TSV, ARFF,
        Parquet or Excel file. The types of a frame count: a target of an ordered Categorical or
        an Enum has its levels, other categories are names even if they are numbers, and dates
        are dates.
    target : str
        Column to rank by.
    test : DataFrame or path, optional
        The test set: the same columns, other rows.
    positive : optional
        Target value to rank first.
    levels : list, optional
        Target values from worst to best.
    continuous : bool
        Treat the target as a number.
    merge : list of lists, optional
        Target values that mean the same, such as ``[["yes", "Yes", "y"]]``.
    time : str, optional
        Column of dates or numbers. The latest 30 % of the rows are tested.
    groups : str, optional
        Column with groups. Each group stays on one side of a split; pairs of rows of different
        groups count.
    queries : str, optional
        Column with queries. Only pairs of rows of one query count.
    weights : str, optional
        Column with row weights.
    methods : list of str, optional
        Names of methods, as in ``study.yaml``, or import paths of estimators.
    margin : float, optional
        Smallest difference that matters. Default: 0.01.
    minutes : float
        Approximate time limit.
    out : path, optional
        Folder for all files. Default: a temporary one, which is removed with the result.
    jobs : int, optional
        Worker processes. Default: one per core.
    drop, keep, nominal : str or list of str, optional
        Columns to leave out, to use although they look like identifiers, and to take as names
        although they hold numbers.
    missing : str or list of str, optional
        Texts that mark missing values, besides the usual ones.
    header, decimal, thousands, delimiter, encoding, sheet : optional
        How a file is read, where this is in doubt.
    verbose : bool
        Print what the command line prints, with progress. Default: print nothing.

    Returns
    -------
    CompareResult
        The answer in sentences, tables and a figure. A notebook shows it whole.

    Raises
    ------
    ConfigError
        Where an argument is wrong, or does not fit the target.
    DataError
        Where the table cannot be read.

    Examples
    --------
    ``docs/compare.md`` shows an answer. What is wrong is said before anything is fitted:

    >>> import pandas as pd
    >>> import rankexp
    >>> frame = pd.DataFrame({"age": 30 * [40, 50], "left": 30 * ["no", "yes"]})
    >>> rankexp.compare(frame, target="left", positive="maybe")
    Traceback (most recent call last):
    rankexp.errors.ConfigError: target 'left' has no value 'maybe'; it has: no, yes
    """
    given = locals()
    root = None if out is not None else Path(tempfile.mkdtemp(prefix="rankexp-"))
    try:
        with said("python"):
            made = _compared(given, Path(out or "") if root is None else root / "compare")
    except BaseException:
        if root is not None:
            shutil.rmtree(root, ignore_errors=True)
        raise
    if root is not None:
        weakref.finalize(made, shutil.rmtree, root, ignore_errors=True)
    return made


def inspect(
    table: Table,
    *,
    target: str | None = None,
    test: Table | None = None,
    positive: Value | None = None,
    levels: Sequence[Value] | None = None,
    continuous: bool = False,
    merge: Sequence[Sequence[Value]] | None = None,
    time: str | None = None,
    groups: str | None = None,
    queries: str | None = None,
    weights: str | None = None,
    drop: Names = None,
    keep: Names = None,
    nominal: Names = None,
    missing: Names = None,
    header: bool | None = None,
    decimal: str | None = None,
    thousands: str | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
) -> InspectResult:
    """Tell how a table is read, what may be wrong with it, and what `compare` will do.

    Nothing is fitted. Parameters and errors are those of `compare`; without a target, every
    column is looked at as a feature.

    Returns
    -------
    InspectResult
        The columns, what the diagnostics find, and a plan. A notebook shows it whole.

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
    given = locals()
    with tempfile.TemporaryDirectory(prefix="rankexp-") as folder, said("python"):
        options = _options(given, Path(folder))
        options |= options.pop("reading")
        options["groups"] = options.pop("queries") or options["groups"]
        file, notes = options.pop("table"), options.pop("notes")
        found = looking.look(file, **options)
    reading = _called(found.reading, table)
    return replace(found, reading=replace(reading, warnings=(*reading.warnings, *notes)))


def _compared(given: Mapping[str, Any], folder: Path) -> CompareResult:
    for name, least in (("minutes", 0.1), ("jobs", 1)):
        if given[name] is not None and not given[name] >= least:
            raise ConfigError(f"{flag(name, given[name])}: expected {least} or more")
    study.choose(folder, "")  # refuses a folder with files of the user's
    if study.state(folder) == "free" and (there := [*folder.glob("frame.parquet")]):
        raise ConfigError(f"{there[0]} is there already; name another folder with {flag('out')}")
    options = _options(given, folder) | {"out": folder}
    code, session = command.compare(options.pop("table"), command.Options(**options))
    if session.report is None:
        error = RankexpError("\n".join(session.outcome.messages) or "nothing was run")
        error.exit_code = code
        raise error
    return _result(session, given)


def _result(session: Session, given: Mapping[str, Any]) -> CompareResult:
    """Return what a session found."""
    assert session.report is not None
    assert session.dataset.reading is not None
    built = session.report.blocks[0]
    if built.error is not None:
        raise built.error
    numbers = built.output.numbers
    assert numbers is not None
    names = list(numbers)
    methods = [*names[: names.index("on_points")], *names[names.index("best_minus_difference") :]]
    pairs = ["metric", "method", *(name for name in names if name not in methods)]
    folder = session.folder if given["out"] else Path()
    return CompareResult(
        answer=list(map(str, built.output.lead)),
        remarks=[*session.said, *session.outcome.messages],
        diagnoses=session.diagnoses,
        methods=numbers[methods],
        contrasts=numbers.loc[numbers.on_points != "", pairs].reset_index(drop=True),
        figure=built.output.figure,
        code=recipe.of_report(
            session.report, session.asked, session.dataset, folder, _python(given)
        ),
        reading=_called(session.dataset.reading, given["table"]),
        folder=session.folder,
        built=built,
    )


def _options(given: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Return options as the command has them; frames are written to files in a folder."""
    listed = {*LISTS, "methods"}
    made = {k: _listed(v) if k in listed else v for k, v in given.items() if v is not None}
    made = dict.fromkeys(given) | made | {"merge": [_listed(own) for own in given["merge"] or ()]}
    made["positive"] = None if given["positive"] is None else _text(given["positive"])
    frames = {name: given[name] for name in FRAME if _is_frame(given[name])}
    if frames and given["test"] is not None and len(frames) < len(FRAME):
        raise ConfigError(f"the table and {flag('test')} must both be frames, or both be files")
    named = [given[name] for name in ("groups", "queries", "weights", "time")]
    named += [one for name in ("drop", "keep", "nominal") for one in made[name] or ()]
    files = {name: Path(given[name]) for name in FRAME.keys() - frames if given[name] is not None}
    made |= files | {name: folder / FRAME[name] for name in frames}
    found = save({made[name]: own for name, own in frames.items()}, given["target"], named)
    made["nominal"] = [*(made["nominal"] or ()), *found.nominal]
    if not any(made[name] for name in ("positive", "levels", "continuous", "merge")):
        made["levels"] = found.levels or None
    reading = {name: made.pop(name) for name in READING}
    return made | {"reading": reading, "notes": found.notes}


def _called(reading: Reading, table: Table) -> Reading:
    """Return a reading that speaks of a frame, not of the file that was made of it."""
    if not _is_frame(table):
        return reading
    library = type(table).__module__.partition(".")[0]
    return replace(reading, file="frame", layout=replace(reading.layout, format=library))


def _is_frame(table: Table | None) -> bool:
    return table is not None and not isinstance(table, str | PathLike)


def _python(given: Mapping[str, Any]) -> str:
    """Return Python for the table, in a notebook that has it as `frame`; empty for a file."""
    texts = []
    for name, own in (("frame", given["table"]), ("test", given["test"])):
        if _is_frame(own):
            known = isinstance(own, pd.DataFrame)
            plain = all(isinstance(column, str) for column in own.columns)
            texts.append(
                name + ".to_pandas()" * (not known) + ".rename(columns=str)" * (not plain)
            )
    return f"pd.concat([{', '.join(texts)}])" if len(texts) > 1 else "".join(texts)


def _listed(given: Names) -> list[str] | None:
    if given is None or isinstance(given, str):
        return None if given is None else [given]
    return list(map(_text, given))


def _text(value: Value) -> str:
    """Return a value of a table as the table's reader has it."""
    return number_text(value) if isinstance(value, float) else str(value)
