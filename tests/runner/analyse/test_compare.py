"""Means, standard errors, paired differences and verdicts, worked by hand."""

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest

from rankexp import registry
from rankexp.errors import ConfigError
from rankexp.metrics.bipartite import hanley_mcneil
from rankexp.metrics.metric import parse
from rankexp.runner.analyse import compare
from rankexp.runner.analyse.frame import NONE
from rankexp.runner.config import published

NAN = math.nan


def splits(values: dict[str, list[list[float]]], *, models: bool = False) -> pd.DataFrame:
    """One problem: method -> units -> values."""
    rows: list[dict[str, Any]] = []
    for method, units in values.items():
        for unit, inside in enumerate(units):
            for place, value in enumerate(inside):
                where = (unit, place, NONE) if models else (NONE, unit, place)
                names = ("model", "rep", "fold")
                rows.append(
                    {"problem": "p", "method": method, "unit": unit, "grid": "", "value": value}
                    | dict(zip(names, where, strict=True))
                )
    return pd.DataFrame(rows)


def test_the_se_is_over_the_means_of_repeats() -> None:
    got = compare.summary(splits({"m": [[0.1, 0.3], [0.3, 0.5], [0.6, 0.6]]})).iloc[0]
    # Repeats .2, .4, .6: SD .2.
    assert got["mean"] == pytest.approx(0.4)
    assert got["se"] == pytest.approx(0.2 / math.sqrt(3))
    assert (got["q1"], got["median"], got["q3"]) == pytest.approx((0.3, 0.4, 0.5))
    assert (got["units"], got["splits"], got["nan"]) == (3, 6, 0)
    assert got["se_of"] == compare.OF_REPEATS


def test_the_se_is_over_models_where_there_are_models() -> None:
    got = compare.summary(splits({"m": [[0.1, 0.3], [0.4]]}, models=True)).iloc[0]
    assert got["se_of"] == compare.OF_MODELS
    assert got["se"] == pytest.approx(0.1)


def test_undefined_folds_are_left_out_and_counted() -> None:
    got = compare.summary(splits({"m": [[0.1, NAN], [0.2, 0.4], [NAN, NAN]]})).iloc[0]
    assert got["mean"] == pytest.approx(0.2)  # of the repeats' .1 and .3
    assert (got["units"], got["splits"], got["nan"]) == (2, 3, 3)


def test_one_unit_has_no_se() -> None:
    got = compare.summary(splits({"m": [[0.1, 0.3]]})).iloc[0]
    assert math.isnan(got["se"]) and got["se_of"] == compare.OF_NOTHING


def test_differences_are_paired_by_split() -> None:
    table = splits({"a": [[0.3, 0.5], [0.4, NAN]], "b": [[0.1, 0.4], [0.1, 0.2]], "c": [[0.0]]})
    got = compare.paired(table, "b")
    of_a = got[got["method"] == "a"]["value"]
    assert list(of_a) == pytest.approx([0.2, 0.1, 0.3])
    assert list(got[got["method"] == "c"]["value"]) == pytest.approx([-0.1])
    assert "b" not in set(got["method"])
    summary = compare.summary(got).set_index("method").loc["a"]
    assert summary["mean"] == pytest.approx(0.225)  # of .15 and .3
    assert summary["se"] == pytest.approx(0.075)


def test_hanley_and_mcneil_worked_by_hand() -> None:
    # A = .8: Q1 = .8/1.2, Q2 = 1.28/1.8; (.16 + 49 (Q1 - .64) + 49 (Q2 - .64)) / 2500.
    expected = math.sqrt((0.16 + 49 * (2 / 3 - 0.64) + 49 * (1.28 / 1.8 - 0.64)) / 2500)
    assert hanley_mcneil(0.8, [50, 50]) == pytest.approx(expected)
    assert math.isnan(hanley_mcneil(NAN, [50, 50]))
    assert math.isnan(hanley_mcneil(0.8, [50, 0]))


def test_hanley_and_mcneil_is_near_the_spread_of_simulated_aucs() -> None:
    rng = np.random.default_rng(3)
    positive = rng.exponential(4.0, (400, 60, 1))
    negative = rng.exponential(1.0, (400, 1, 80))
    aucs = (positive > negative).mean(axis=(1, 2))
    assert hanley_mcneil(0.8, [80, 60]) == pytest.approx(aucs.std(), rel=0.12)


def test_metrics_say_which_standard_error_and_margin_they_have() -> None:
    auc, loss, worst = map(parse, ("auc", "rank_loss", "rank_loss(ties=worst)"))
    for value, metric in ((0.8, auc), (0.2, loss), (0.2, worst)):
        error = metric.reading.standard_error
        assert error is not None and error(value, [80, 60]) == hanley_mcneil(0.8, [80, 60])
        assert metric.reading.margin == 0.01
    other = parse("kendall_tau_b").reading
    assert (other.margin, other.standard_error, other.bayes) == (0.02, None, None)


def test_every_metric_has_a_margin_but_those_without_a_scale_of_their_own() -> None:
    without = {name for name in registry.names("metrics") if parse(name).reading.margin is None}
    assert without == {"dcg", "mse", "push_risk", "unexplained_variance", "vus"}


ROW = {
    "experiment": "e",
    "problem": "p",
    "method": "m",
    "quantity": "rank_loss",
    "value": "0.1225",
    "last_digit": "0.0001",
    "source": "Table 1",
    "verified": "true",
    "note": "",
    "line": "2",
}


def test_published_values_are_found_by_their_place() -> None:
    found = published.table([ROW, ROW | {"method": "n", "verified": "no"}])
    assert found["e", "p", "m", "rank_loss"].value == 0.1225
    assert found["e", "p", "m", "rank_loss"].verified
    assert not found["e", "p", "n", "rank_loss"].verified
    assert found["e", "p", "m", "rank_loss"].units is None
    given = published.table([ROW | {"units": "10"}, ROW | {"method": "n", "units": " "}])
    assert [one.units for one in given.values()] == [10, None]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([ROW, ROW], "line 2: e / p / m / rank_loss occurs twice"),
        ([ROW | {"value": "x"}], "line 2: value and last_digit must be numbers"),
        ([ROW | {"last_digit": "0"}], "last_digit above 0"),
        ([ROW | {"units": "0"}], "units must be a whole number above 0 or empty, got 0"),
        ([ROW | {"units": "ten"}], "units must be a whole number"),
        ([{k: v for k, v in ROW.items() if k != "note"}], "line 2: no value for note"),
    ],
)
def test_bad_published_values_are_refused(rows: list[dict[str, str]], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        published.table(rows)
