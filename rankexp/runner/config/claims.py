"""Claims of a source in words, read and checked: rows with the same `claim` must all hold."""

import math
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from typing import NamedTuple

from rankexp import names
from rankexp.errors import ConfigError
from rankexp.metrics.metric import parse
from rankexp.runner.config import published
from rankexp.runner.config.asking import message
from rankexp.runner.config.fault import unknown_name
from rankexp.runner.config.published import LINE, canonical, truth
from rankexp.runner.config.schema import Simulate, Study
from rankexp.runner.config.shipped import shipped
from rankexp.runner.config.tree import parse as parse_yaml

UNTESTED, OVER, BAYES = "not tested", "over", "bayes"
Range = tuple[float, float]
CURVES = ("slope", "rms")  # of the scoring functions kept, as slope(low=-1, high=1)


class Word(NamedTuple):
    """What a test is in words, with ``{}`` for its threshold."""

    beyond: str
    text: str = ""  # without a threshold; empty where it needs one
    compares: bool = True  # whether it needs a reference
    one_sided: bool = False  # tests of a margin, as two one-sided tests of equivalence


_WORDS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
TESTS = {test: Word(**said) for test, said in _WORDS.items()}


@dataclass(frozen=True)
class ClaimRow:
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
    ours: bool = False  # whether it is an addition, which the source does not claim
    see: tuple[str, ...] = ()  # blocks that tell more, as ``block`` or ``study/block``
    line: str = ""

    @property
    def one_sided(self) -> bool:
        """Whether its tests are one-sided."""
        return TESTS[self.test].one_sided

    def curve(self) -> tuple[str, float, float] | None:
        """Return what is asked of scoring functions, and the window; None for other quantities."""
        name = self.metric.partition("(")[0]
        if name not in CURVES:
            return None
        ends = {"low": -math.inf, "high": math.inf}
        for end, value in names.parse(self.metric, "quantity").parameters:
            if end not in ends or not isinstance(value, int | float):
                raise ConfigError(f"'{self.metric}': {name} takes numbers as low and high")
            ends[end] = float(value)
        low, high = ends.values()
        return name, low, high


COLUMNS = [field.name for field in fields(ClaimRow) if field.name != LINE]


def rows_of(study: Study) -> list[dict[str, str]] | None:
    """Return a study's claims, so that a report can be rebuilt from results alone."""
    return published.read_rows(study.claims_file, COLUMNS)


def parsed(given: Mapping[str, str]) -> ClaimRow:
    """Return a row as values; ConfigError for a test, a threshold or a share that cannot be."""
    texts = [given.get(name, "").strip() for name in COLUMNS]
    claim, words, page, experiment, problem, metric, rule, method, reference, *tested = texts
    test, threshold, portion, note, ours, see = tested
    word = TESTS.get(test)
    if not claim:
        raise ConfigError("the column 'claim' is empty")
    if word is None and test != UNTESTED:
        raise ConfigError(unknown_name("test", test, [*TESTS, UNTESTED]))
    if word is None and not note:
        raise ConfigError("an untested claim needs a reason in 'note'")
    try:
        limits = _range(test, word, threshold)
        share = float(portion or 1)
    except ValueError as error:
        raise ConfigError(f"threshold and share must be numbers: {error}") from error
    if not 0 < share <= 1:
        raise ConfigError(f"share must be above 0 and at most 1, got {share:g}")
    asked = (tuple(problem.split()), canonical(metric), rule, tuple(method.split()))
    references, line = tuple(map(canonical, reference.split())), given.get(LINE, "")
    said = (claim, words, page, experiment)
    kind = (truth("ours", ours), tuple(see.split()))
    return ClaimRow(*said, *asked, references, test, limits, share, note, *kind, line)


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
        raise ConfigError(f"the test '{test}' needs {form} as its threshold, got '{text}'")
    return limits


def faults(study: Study) -> Iterator[str]:
    """Say what is wrong with a study's claims, each with its line, if anything is."""
    told: dict[str, ClaimRow] = {}
    kinds = published.block_kinds(study)

    def check(given: Mapping[str, str]) -> None:
        row = parsed(given)
        _check(study, row)
        _linked(study, row)
        if not (told or kinds is None or any(kind.claims for _, kind in kinds)):
            raise ConfigError("no block of the report shows claims: add {block: claims}")
        first = told.setdefault(row.claim, row)
        if row is not first and UNTESTED in (row.test, first.test):
            raise ConfigError(f"'{row.claim}' has tested and untested rows: make them two claims")
        if row.ours is not first.ours:
            raise ConfigError(f"'{row.claim}' is 'ours' in some of its rows: make them two claims")
        if not row.words and row is first:
            raise ConfigError(f"the first row of '{row.claim}' must say the claim in 'words'")

    yield from published.row_faults(study.claims_file, COLUMNS, check)


def _check(study: Study, row: ClaimRow) -> None:
    """Raise ConfigError where a row names what its experiment has not; rules are the block's."""
    if row.test == UNTESTED:
        return
    setup = study.experiments.get(row.experiment)
    if setup is None:
        raise ConfigError(unknown_name("experiment", row.experiment, study.experiments))
    if TESTS[row.test].compares and not row.reference:
        raise ConfigError(f"the test '{row.test}' needs a reference")
    if isinstance(setup, Simulate):
        _of_check(row, setup)
        return
    if (curve := row.curve()) is not None:
        if not (setup.keep and setup.keep.at):
            raise ConfigError(message("study.no_curves", row=row))
        if not {*row.reference} <= {*setup.methods} or (curve[0] == "rms" and not row.reference):
            raise ConfigError(f"'{row.metric}' needs another method as its reference")
    metrics = [repr(parse(text)) for text in setup.metrics]
    fitted = setup.keep.fitted if setup.keep else []
    if BAYES in row.reference and row.metric not in metrics:
        raise ConfigError(f"{row.metric} is not known for the best scorer")
    for what, given, known in (
        ("problem", row.problem[row.problem[:1] == (OVER,) :], ["*", *setup.problems]),
        ("metric", [row.metric], [*metrics, *fitted, *([row.metric] if curve else [])]),
        ("method", row.method or [""], setup.methods),
        ("reference", row.reference, [*setup.methods, *setup.problems, *metrics, BAYES, *fitted]),
    ):
        for name in given:
            if name not in known and name.partition("[")[0] not in fitted:
                raise ConfigError(unknown_name(what, name, known))


def _linked(study: Study, row: ClaimRow) -> None:
    """Raise ConfigError where a row names a study that does not come with rankexp, or a block."""
    for link in row.see:
        name, slash, block = link.rpartition("/")
        if slash and name not in shipped():
            raise ConfigError(unknown_name("study", name, shipped()))
        known = [*titles(name)] if slash else [own.name for own in study.report]
        if block not in known:
            raise ConfigError(unknown_name("block", block, known))


@cache
def titles(study: str) -> dict[str, str]:
    """Return the titles of a study's blocks by name, if it comes with rankexp; not checked."""
    file = shipped().get(study)
    tree = parse_yaml(file.read_text(encoding="utf-8"))[0] if file else None
    report = tree.child("report") if tree else None
    found = [(b.child("name"), b.child("title")) for b in (report.value if report else ())]
    return {str(name.value): str(title.value) if title else "" for name, title in found if name}


def _of_check(row: ClaimRow, setup: Simulate) -> None:
    """Raise ConfigError where a row asks of a check what it has not, quantities aside."""
    for name in row.problem if setup.problems else ():
        if name not in ("*", *setup.problems):
            raise ConfigError(unknown_name("problem", name, ["*", *setup.problems]))
    lone = row.problem and not setup.problems
    if lone or row.method or row.rule or row.test in ("best", "worst"):
        raise ConfigError(message("study.of_check", experiment=row.experiment))
    if len(row.reference) > 1:
        raise ConfigError("a quantity of a check takes at most one reference")
