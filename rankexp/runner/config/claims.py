"""Claims of a source in words: the file that a study keeps them in, read and checked.

A row says what must hold of one experiment; rows with the same `claim` must all hold.
"""

import csv
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from rankexp import names, registry
from rankexp.errors import ConfigError
from rankexp.metrics.base import parse
from rankexp.runner.config.schema import Simulate, Study

COLUMNS = [
    *("claim", "words", "page", "experiment", "problem", "metric", "rule", "method", "reference"),
    *("test", "threshold", "share", "note"),
]
LINE = "line"  # a further key of each row: its line in the file
UNTESTED, OVER, BAYES = "not tested", "over", "bayes"
Range = tuple[float, float]
CURVES = ("slope", "rms")  # of the scoring functions kept, as slope(low=-1, high=1)


class Word(NamedTuple):
    """What a test is in words, with ``{}`` for its threshold."""

    beyond: str
    text: str = ""  # without a threshold; empty where it needs one
    compares: bool = True  # whether it needs a reference
    one_sided: bool = False  # tests of a margin, as two one-sided tests of equivalence


TESTS = {
    "lower": Word("lower by {} than", "lower than"),
    "higher": Word("higher by {} than", "higher than"),
    "not lower": Word("not lower by {} than", one_sided=True),
    "not higher": Word("not higher by {} than", one_sided=True),
    "within": Word("within {} of", one_sided=True),
    "best": Word("better by {} than all others", "better than all others", compares=False),
    "worst": Word("worse by {} than all others", "worse than all others", compares=False),
    "between": Word("from {}", compares=False, one_sided=True),
    "always": Word("in every split or repetition from {}", compares=False),
}


@dataclass(frozen=True)
class Row:
    """What must hold; the fields are the columns of the file, lists being split at spaces."""

    claim: str
    words: str
    page: str
    experiment: str
    problem: tuple[str, ...]  # ``*``: all of the experiment; ``over`` first: over all data sets
    metric: str
    rule: str
    method: tuple[str, ...]
    reference: tuple[str, ...]  # methods, problems or quantities in place of the row's own
    test: str
    threshold: Range  # the range meant; (-t, t) where one number is given
    share: float  # of the comparisons that must hold
    note: str
    line: str

    @property
    def one_sided(self) -> bool:
        """Whether its tests are one-sided."""
        return TESTS[self.test].one_sided

    def quantity(self) -> str:
        """Return the metric in its canonical form; of other quantities the name as it stands."""
        try:
            return repr(parse(self.metric))
        except ValueError:
            return self.metric

    def curve(self) -> tuple[str, float, float] | None:
        """Return what is asked of scoring functions, and the window; None for other quantities."""
        name = self.metric.partition("(")[0]
        if name not in CURVES:
            return None
        ends: dict[str, Any] = {"low": -math.inf, "high": math.inf}
        given = dict(names.parse(self.metric, "quantity").parameters)
        if not given.keys() <= ends.keys():
            raise ConfigError(f"'{self.metric}': {name} takes low and high")
        ends |= given
        return name, float(ends["low"]), float(ends["high"])


def read(file: Path) -> list[dict[str, str]]:
    """Return the rows of a file, each with its line; lines that begin with # are comments.

    ConfigError where it cannot be read, lacks a column, or a row is longer than the first line.
    """
    rows, at = [], 0

    def lines() -> Iterator[str]:
        nonlocal at
        for raw in file.read_bytes().removeprefix(b"\xef\xbb\xbf").splitlines(keepends=True):
            at += 1
            if not raw.startswith(b"#"):
                yield raw.decode("utf-8")

    try:
        reader = csv.DictReader(lines(), restval="")
        lacking = [name for name in COLUMNS if name not in (reader.fieldnames or [])]
        if lacking:
            raise ConfigError(f"{file}:{at}: lacks the columns {', '.join(lacking)}")
        for row in reader:
            if None in row:
                raise ConfigError(f"{file}:{at}: more values than there are columns")
            rows.append({**row, LINE: str(at)})
    except UnicodeDecodeError as error:
        raise ConfigError(f"{file}:{at}: not UTF-8 text") from error
    except (OSError, csv.Error) as error:
        raise ConfigError(f"{file}:{at}: cannot be read: {error}") from error
    return rows


def rows_of(study: Study) -> list[dict[str, str]] | None:
    """Return a study's claims, so that a report can be rebuilt from results alone."""
    file = study.claims_file
    return read(file) if file and file.is_file() else None


def parsed(given: Mapping[str, str]) -> Row:
    """Return a row as values; ConfigError for a test, a threshold or a share that cannot be."""
    own = {name: given[name].strip() for name in COLUMNS}
    test, word = own["test"], TESTS.get(own["test"])
    if not own["claim"]:
        raise ConfigError("it names no claim")
    if word is None and test != UNTESTED:
        known = [*TESTS, UNTESTED]
        hint = registry.did_you_mean(test, known)
        raise ConfigError(f"unknown test '{test}'{hint}; known: {', '.join(known)}")
    if word is None and not own["note"]:
        raise ConfigError("what is not tested needs a reason in its note")
    try:
        limits = _range(test, word, own["threshold"])
        share = float(own["share"] or 1)
    except ValueError as error:
        raise ConfigError(f"threshold and share must be numbers: {error}") from error
    if not 0 < share <= 1:
        raise ConfigError(f"expected a share in (0, 1], got {share:g}")
    lists = {name: tuple(own[name].split()) for name in ("problem", "method", "reference")}
    values = own | lists | {"threshold": limits, "share": share, "line": given[LINE]}
    return Row(**values)  # type: ignore[arg-type]


def _range(test: str, word: Word | None, text: str) -> Range:
    """Return the range that a threshold means: as it stands, or around 0."""
    low, dots, high = text.partition("..")
    if word is None or (word.text and not text):
        return 0.0, 0.0
    ranges, number = test in ("between", "always"), float(high if dots else low or "nan")
    limits = (float(low), number) if dots else (0.0 - number, number)
    ordered = limits[0] <= limits[1] if word.text or test == "always" else limits[0] < limits[1]
    known = any(map(math.isfinite, limits)) if dots else math.isfinite(number)
    if not (known and ordered and (ranges or not dots)):
        form = "low..high or a number" if ranges else "a number above 0"
        raise ConfigError(f"'{test}' needs {form} as its threshold, got '{text}'")
    return limits


def faults(study: Study) -> Iterator[str]:
    """Say what is wrong with a study's claims, each with its line, if anything is."""
    file = study.claims_file
    try:
        rows = rows_of(study) or []
    except ConfigError as error:
        yield str(error)
        return
    told: dict[str, str] = {}
    for given in rows:
        try:
            row = parsed(given)
            _check(study, row)
            if row.claim in told and UNTESTED in (row.test, told[row.claim]):
                raise ConfigError(f"'{row.claim}' has a row that is not tested: two claims")
            if not row.words and row.claim not in told:
                raise ConfigError(f"nothing says what '{row.claim}' claims, in 'words'")
            told.setdefault(row.claim, row.test)
        except (ConfigError, ValueError) as error:
            yield f"{file}:{given[LINE]}: {error}"


def _check(study: Study, row: Row) -> None:
    """Raise ConfigError where a row names what its experiment has not; rules are the block's."""
    if row.test == UNTESTED:
        return
    setup = study.experiments.get(row.experiment)
    if setup is None:
        raise _unknown("experiment", row.experiment, study.experiments)
    if TESTS[row.test].compares and not row.reference:
        raise ConfigError(f"the test '{row.test}' needs a reference")
    if isinstance(setup, Simulate):
        _of_check(row, setup)
        return
    if (curve := row.curve()) is not None:
        if not (setup.keep and setup.keep.at):
            raise ConfigError(f"'{row.experiment}' keeps no curves 'at' points for {row.metric}")
        if not {*row.reference} <= {*setup.methods} or (curve[0] == "rms" and not row.reference):
            raise ConfigError(f"'{row.metric}' needs another method as its reference")
    metrics = [repr(parse(text)) for text in setup.metrics]
    fitted = setup.keep.fitted if setup.keep else []
    quantity = row.metric if curve else row.quantity()
    if BAYES in row.reference and quantity not in metrics:
        raise ConfigError(f"the best scorer has no {row.metric}")
    for what, given, known in (
        ("problem", row.problem[row.problem[:1] == (OVER,) :], ["*", *setup.problems]),
        ("metric", [quantity], [*metrics, *fitted, *([quantity] if curve else [])]),
        ("method", row.method or [""], setup.methods),
        ("reference", row.reference, [*setup.methods, *setup.problems, *metrics, BAYES, *fitted]),
    ):
        for name in given:
            if name not in known and name.partition("[")[0] not in fitted:
                raise _unknown(what, name, known)


def _of_check(row: Row, setup: Simulate) -> None:
    """Raise ConfigError where a row asks of a check what it has not, quantities aside."""
    if setup.problems and not {*row.problem} <= {"*", *setup.problems}:
        unknown = next(name for name in row.problem if name not in ("*", *setup.problems))
        raise _unknown("problem", unknown, ["*", *setup.problems])
    lone = row.problem and not setup.problems
    if lone or row.method or row.rule or row.test in ("best", "worst"):
        raise ConfigError(f"'{row.experiment}' is a check: it has quantities in 'metric' only")
    if len(row.reference) > 1:
        raise ConfigError("a check's quantity has one reference at most")


def _unknown(what: str, name: str, known: Mapping[str, object] | list[str]) -> ConfigError:
    hint = registry.did_you_mean(name, known)
    return ConfigError(f"unknown {what} '{name}'{hint}; known: {', '.join(known)}")
