"""Perfect reproductions are called reproduced in 95 of 100, whatever the design."""

import csv
import math
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from rankexp.arrays import Floats
from rankexp.runner.analyse import compare
from rankexp.runner.analyse.compare import Mean
from rankexp.runner.analyse.reproduced import (
    Tolerance,
    central,
    judged,
    paired_error,
    reproduction,
    tolerance,
)
from rankexp.runner.config.published import Published
from rankexp.statistics.paired import stratified
from rankexp.statistics.verdicts import Reproduction

NAN = math.nan
STUDIES = 1000
REFERENCE = Path(__file__).parents[3] / "results" / "reference"
HARD = stats.beta(1, 1.5)  # of a query
FOLDS = np.repeat(np.arange(5), [22, 21, 21, 21, 21])  # LETOR's OHSUMED: 106 queries


def row(values: Floats, se_of: str = compare.OF_MODELS) -> Mean:
    """A row of a summary, of independent units."""
    se = float(values.std(ddof=1) / math.sqrt(len(values))) if len(values) > 1 else NAN
    q1, median, q3 = np.quantile(values, [0.25, 0.5, 0.75]).tolist()
    n = len(values)
    return Mean("p", "m", float(values.mean()), se, se_of, q1, median, q3, n, n, 0)


def rounded(value: float, digit: float, units: int | None = None) -> Published:
    return Published(round(value / digit) * digit, digit, units=units)


def of_units(
    units: int, printed: int, digit: float, se_of: str, rng: np.random.Generator
) -> Iterator[Reproduction | None]:
    """The run and the print average over units of one kind; their mean is anywhere."""
    for middle in rng.uniform(0.1, 0.2, STUDIES):
        runs, prints = rng.normal(middle, 0.01, units), rng.normal(middle, 0.01, printed)
        target = rounded(float(prints.mean()), digit, printed)
        yield judged(row(runs, se_of), target, runs=runs).verdict


def of_queries(unlike: int, rng: np.random.Generator) -> Iterator[Reproduction | None]:
    """The print is one more method of a family, over the same queries; some methods are unlike."""
    for _ in range(STUDIES):
        hard = HARD.rvs(106, random_state=rng)
        values = hard + rng.normal(0, 0.05, (12, 106))
        values[1 : 1 + unlike] += rng.normal(0, 0.3, (unlike, 106))
        mean, se, _ = stratified(values[0], FOLDS)
        shared = paired_error(values[0], values[1:11], FOLDS)
        run = row(values[0], compare.OF_QUERIES)._replace(mean=float(mean), se=float(se), splits=5)
        target = rounded(float(stratified(values[11], FOLDS).mean), 0.0001)
        yield judged(run, target, shared=shared).verdict


def of_single_runs(
    seeds: int, digit: float, skew: float, rng: np.random.Generator
) -> Iterator[Reproduction | None]:
    """The print is a single run, beside runs of other seeds; `skew` is of a gamma distribution."""
    for middle in rng.uniform(0.5, 0.6, STUDIES):
        drawn = rng.gamma(4 / skew**2, size=seeds + 1) if skew else rng.normal(size=seeds + 1)
        runs = middle + 0.01 * drawn
        yield judged(row(runs[1:]), rounded(float(runs[0]), digit, 1), runs=runs[1:]).verdict


MODELS, REPEATS = compare.OF_MODELS, compare.OF_REPEATS
Made = Callable[[np.random.Generator], Iterator[Reproduction | None]]
DESIGNS: dict[str, Made] = {
    "models of a generator": lambda rng: of_units(30, 30, 1e-4, MODELS, rng),
    "models, coarse digit": lambda rng: of_units(30, 30, 0.01, MODELS, rng),
    "repeats of a split": lambda rng: of_units(20, 10, 1e-4, REPEATS, rng),
    "few repeats of a split": lambda rng: of_units(4, 10, 1e-3, REPEATS, rng),
    "other units": lambda rng: of_units(5, 30, 1e-4, MODELS, rng),
    "the same queries": lambda rng: of_queries(0, rng),
    "the same queries, unlike methods": lambda rng: of_queries(3, rng),
    "single run, 100 seeds": lambda rng: of_single_runs(100, 0.01, 0, rng),
    "single run, 100 seeds, skewed": lambda rng: of_single_runs(100, 0.001, 2, rng),
    "single run, 40 seeds": lambda rng: of_single_runs(40, 0.001, 1, rng),
    "single run, 10 seeds": lambda rng: of_single_runs(10, 0.01, 0, rng),
}
"""Ranks over data sets are in tests/studies/menon2014/test_noisy_ranks.py."""


OFTEN = ("models, coarse digit", "few repeats of a split", "the same queries, unlike methods")
OFTEN += ("single run, 40 seeds", "single run, 10 seeds")
"""One of each way to judge, where it has the least to go by; the others by `make slow`."""


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=[pytest.mark.slow] * (n not in OFTEN)) for n in DESIGNS]
)
def test_perfect_reproductions_are_called_so(name: str) -> None:
    found = list(DESIGNS[name](np.random.default_rng(27)))
    assert len(found) == STUDIES
    assert 0.93 <= found.count(Reproduction.REPRODUCED) / STUDIES <= 0.97
    assert found.count(Reproduction.APART) <= 0.02 * STUDIES


def test_digits_that_are_far_coarser_than_the_noise_agree_more_often() -> None:
    found = list(of_units(30, 30, 0.1, MODELS, np.random.default_rng(1)))
    assert found.count(Reproduction.REPRODUCED) >= 0.97 * STUDIES
    # Equal digits are never denied, and nothing more than equal digits passes.
    for se in (1e-4, 1e-18):
        assert tolerance(se, 29, 30, 30, 0.01).reproduced == 0.005
    assert central(np.full(50, 0.5), 0.05) is not None


def test_the_noise_of_the_run_alone_denies_far_more() -> None:
    rng = np.random.default_rng(2)
    runs, prints = rng.normal(size=(STUDIES, 100)), rng.normal(size=(STUDIES, 10))
    alone = 2 * runs.std(axis=1, ddof=1) / 10
    assert np.mean(np.abs(runs.mean(axis=1) - prints.mean(axis=1)) > alone) > 0.5


def test_a_wrong_mean_is_denied() -> None:
    rng = np.random.default_rng(3)
    runs, other = rng.normal(0.1, 0.01, 30), rng.normal(0.12, 0.01, 30)
    assert judged(row(runs), rounded(float(other.mean()), 1e-4)).verdict == Reproduction.APART
    # The spread of all queries would let any method's print pass; that of pairs does not.
    hard = rng.beta(1, 1.5, 106)
    family = hard + rng.normal(0, 0.01, (5, 106))
    own = row(family[0], compare.OF_QUERIES)._replace(splits=5)
    shared = paired_error(family[0], family[1:], FOLDS)
    worse = rounded(float(own.mean) - 0.01, 1e-4)
    assert judged(own, worse, shared=shared).verdict == Reproduction.APART
    assert judged(own, worse, shared=own.se).verdict == Reproduction.REPRODUCED
    # Without another method nothing but equal digits can be judged.
    assert judged(own, worse).verdict == Reproduction.UNDECIDED
    assert judged(own, rounded(own.mean, 1e-4)).verdict == Reproduction.REPRODUCED


@pytest.mark.parametrize("spread", [0.2, 1.0, 5.0])
def test_rounding_is_a_uniform_error(spread: float) -> None:
    # By simulation: 95 % of a t variable plus a uniform one lie within the tolerance.
    rng = np.random.default_rng(4)
    drawn = spread * rng.standard_t(9, 400_000) + rng.uniform(-1, 1, 400_000)
    within = tolerance(spread / math.sqrt(2), 9, 10, 10, 2.0).reproduced
    assert np.mean(np.abs(drawn) <= within) == pytest.approx(0.95, abs=0.0015)


def test_order_statistics_need_39_runs_and_are_interpolated() -> None:
    values = np.arange(1.0, 40.0)
    assert central(values[:38], 0.0) is None
    assert central(values, 0.0) == pytest.approx((1.0, 39.0), abs=0.05)
    assert central(np.arange(1.0, 80.0), 0.0) == pytest.approx((2.0, 78.0), abs=0.05)
    low, high = central(np.arange(1.0, 60.0), 0.0) or (NAN, NAN)
    assert (low, high) == pytest.approx((1.5, 58.5), abs=0.05)


def test_a_single_run_is_near_at_twice_the_distance_from_the_median() -> None:
    runs = np.arange(101.0)  # median 50, ends 1.55 and 98.45
    said = [
        judged(row(runs), Published(value, 1e-6, units=1), 0.01, runs).verdict
        for value in (1.6, 1.5, -46.8, -47.0)
    ]
    assert said == ["reproduced", "near", "near", "not reproduced"]
    # The margin does not count for it, but for a mean of as many runs.
    mean = Published(50.0, 1e-6, units=101)
    assert judged(row(runs), mean, 0.01, runs).verdict == Reproduction.UNDECIDED


def test_a_print_has_the_noise_of_its_own_units() -> None:
    t = stats.t.ppf(0.975, 9)
    same = tolerance(0.001, 9, 10, 10, 1e-9)
    assert same.se == pytest.approx(0.001 * math.sqrt(2))
    assert same.reproduced == pytest.approx(t * same.se)
    assert same.near == pytest.approx(2 * t * same.se)
    # 100 repeats of the run have a smaller SE than the print's ten, which is what counts then.
    assert tolerance(0.001, 99, 100, 10, 0.0001).se == pytest.approx(0.001 * math.sqrt(11))
    assert tolerance(0.001, math.inf, 1, 1, 1e-9).reproduced == pytest.approx(
        stats.norm.ppf(0.975) * 0.001 * math.sqrt(2)
    )


def test_where_noise_is_unknown_the_last_digit_alone_can_tell() -> None:
    for se, df in ((NAN, 0), (NAN, 9)):
        within = tolerance(se, df, 1, 1, 0.0001)
        assert reproduction(0.00004, within) == Reproduction.REPRODUCED
        assert reproduction(0.1225 - 0.12245, within) == Reproduction.REPRODUCED  # not exact
        assert reproduction(0.00006, within) == Reproduction.UNDECIDED
    exact = tolerance(0.0, 9, 10, 10, 0.0001)
    assert reproduction(0.00006, exact) == Reproduction.APART


@pytest.mark.parametrize(
    ("difference", "expected"),
    [
        (0.0020, "reproduced"),  # at the edge
        (-0.0020, "reproduced"),
        (0.00201, "near"),
        (-0.0040, "near"),
        (0.00401, "not reproduced"),
        (NAN, "not run"),
    ],
)
def test_verdicts_at_their_boundaries(difference: float, expected: str) -> None:
    within = Tolerance(se=0.001, reproduced=0.002, near=0.004)
    assert reproduction(difference, within) == Reproduction(expected)
    # What passes tells nothing where a difference of the margin would pass, too.
    blind = "cannot tell" if expected == "reproduced" else expected
    assert reproduction(difference, within, margin=0.002) == Reproduction(blind)
    assert reproduction(difference, within, margin=0.0021) == Reproduction(expected)


def test_equal_digits_over_the_same_queries_are_reproduced_whatever_the_noise() -> None:
    own = row(np.linspace(0, 1, 106), compare.OF_QUERIES)._replace(splits=5)
    for away, said in ((0.00004, "reproduced"), (0.001, "cannot tell")):
        printed = Published(own.mean - away, 0.0001)
        assert judged(own, printed, 0.01, shared=0.02).verdict == Reproduction(said)


def verdicts(folder: Path) -> dict[tuple[str, ...], dict[str, str]]:
    """What each table of a page says of each published value that was run."""
    found: dict[tuple[str, ...], dict[str, str]] = defaultdict(dict)
    for file in folder.glob("*.csv"):
        with file.open(encoding="utf-8") as lines:
            for line in csv.DictReader(lines):
                own = (
                    line.get("published") and line.get("verdict") and not line.get("compared_with")
                )
                if own and {"experiment", "problem", "method", "metric"} <= line.keys():
                    value = line.get("reproduced") or line.get("mean", "")
                    place = [line[name] for name in ("experiment", "problem", "method", "metric")]
                    found[*place, line["published"], value][file.stem] = line["verdict"]
    return found


def test_no_published_value_has_two_verdicts_on_a_page() -> None:
    told = {folder.name: verdicts(folder) for folder in REFERENCE.iterdir() if folder.is_dir()}
    assert any(len(tables) > 1 for own in told.values() for tables in own.values())
    for study, own in told.items():
        for place, tables in own.items():
            assert len({*tables.values()}) == 1, (study, place, tables)
