import numpy as np
import pytest
from scipy import stats

from rankexp.analyse.noisy_ranks import average_ranks, drawn, spearman


def ranked(values, corrections, draws=4000, ties="average", higher=True):
    rng = np.random.default_rng(0)
    return drawn(values, corrections, higher=higher, ties=ties, draws=draws, rng=rng)


def test_ranks_are_those_of_means_within_each_data_set():
    first, second = (
        np.array([[0.9, 0.7, 0.7], [0.7, 0.7, 0.7]]),
        np.array([[0.0, 1, 2], [0, 1, 2.0]]),
    )
    assert ranked([first, second], [0, 0]).average.tolist() == [2.0, 2.25, 1.75]
    assert ranked([first, second], [0, 0], ties="min").average.tolist() == [2.0, 2.0, 1.5]
    lower = ranked([first, second], [0, 0], ties="min", higher=False).average
    assert lower.tolist() == [2.0, 1.5, 2.0]


def test_means_are_rounded_before_they_are_ranked():
    values = [np.array([[0.9112, 0.9114, 0.9]] * 2)]
    rng = np.random.default_rng(0)
    how = {"higher": True, "ties": "min", "draws": 100, "rng": rng}
    assert drawn(values, [0], **how).average.tolist() == [2.0, 1.0, 3.0]
    rounded = drawn(values, [0], decimals=3, **how)
    assert rounded.average.tolist() == [1.0, 1.0, 3.0] == rounded.draws[0].tolist()


def test_columns_that_agree_tie_in_every_draw():
    one = np.random.default_rng(1).random(10)
    found = ranked([np.stack([one, one, one + 5], axis=1)], [0.25], ties="min")
    assert np.unique(found.draws, axis=0).tolist() == [[2.0, 2.0, 1.0]]
    assert found.apart(0.95).tolist() == [0.0, 0.0, 0.0]


@pytest.mark.parametrize("correction", [0.0, 0.25])
def test_draws_turn_two_methods_round_as_often_as_their_difference_says(correction):
    rng = np.random.default_rng(2)
    shared, J = rng.normal(size=(25, 1)), 25
    values = shared + rng.normal(scale=0.3, size=(J, 2)) + [0.1, 0.0]
    difference = values[:, 0] - values[:, 1]
    se = difference.std(ddof=1) * np.sqrt(1 / J + correction)
    expected = 1 + stats.norm.cdf(-difference.mean() / se)  # 2 with the chance of a turn, else 1
    found = ranked([values], [correction], draws=20_000)
    assert found.draws[:, 0].mean() == pytest.approx(expected, abs=0.012)


def test_spearman_agrees_with_scipy_and_has_no_value_of_constants():
    rng = np.random.default_rng(3)
    a, b = rng.integers(0, 5, (6, 9)).astype(float), rng.integers(0, 5, 9).astype(float)
    expected = [stats.spearmanr(row, b).statistic for row in a]
    assert spearman(a, b) == pytest.approx(expected)
    assert np.isnan(spearman(np.ones(4), np.arange(4.0)))
    assert average_ranks(np.array([[1.0, 1.0 + 1e-15]]), True, "min").tolist() == [1.0, 1.0]
