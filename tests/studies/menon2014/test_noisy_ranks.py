import numpy as np
import pytest
from scipy import stats

from rankexp.studies.menon2014.blocks.rank_table import noisy_ranks, spearman


def ranked(values, corrections, draws=4000, higher=True, **more):
    return noisy_ranks(values, corrections, draws, np.random.default_rng(0), higher=higher, **more)


def test_ranks_are_those_of_means_within_each_data_set():
    first, second = (
        np.array([[0.9, 0.7, 0.7], [0.7, 0.7, 0.7]]),
        np.array([[0.0, 1, 2], [0, 1, 2.0]]),
    )
    assert ranked([first, second], [0, 0])[0].tolist() == [2.0, 2.25, 1.75]
    assert ranked([first, second], [0, 0], ties="min")[0].tolist() == [2.0, 2.0, 1.5]
    lower, _ = ranked([first, second], [0, 0], ties="min", higher=False)
    assert lower.tolist() == [2.0, 1.5, 2.0]


def test_means_are_rounded_before_they_are_ranked():
    values = [np.array([[0.9112, 0.9114, 0.9]] * 2)]
    assert ranked(values, [0], ties="min")[0].tolist() == [2.0, 1.0, 3.0]
    average, draws = ranked(values, [0], ties="min", decimals=3)
    assert average.tolist() == [1.0, 1.0, 3.0] == draws[0].tolist()


def test_columns_that_agree_tie_in_every_draw():
    one = np.random.default_rng(1).random(10)
    _, draws = ranked([np.stack([one, one, one + 5], axis=1)], [0.25], ties="min")
    assert np.unique(draws, axis=0).tolist() == [[2.0, 2.0, 1.0]]


@pytest.mark.parametrize("correction", [0.0, 0.25])
def test_draws_turn_two_methods_round_as_often_as_their_difference_says(correction):
    rng = np.random.default_rng(2)
    shared, J = rng.normal(size=(25, 1)), 25
    values = shared + rng.normal(scale=0.3, size=(J, 2)) + [0.1, 0.0]
    difference = values[:, 0] - values[:, 1]
    se = difference.std(ddof=1) * np.sqrt(1 / J + correction)
    expected = 1 + stats.norm.cdf(-difference.mean() / se)  # 2 with the chance of a turn, else 1
    _, draws = ranked([values], [correction], draws=20_000)
    assert draws[:, 0].mean() == pytest.approx(expected, abs=0.012)


def test_spearman_agrees_with_scipy_and_has_no_value_of_constants():
    rng = np.random.default_rng(3)
    a, b = rng.integers(0, 5, (6, 9)).astype(float), rng.integers(0, 5, 9).astype(float)
    expected = [stats.spearmanr(row, b).statistic for row in a]
    assert spearman(a, b) == pytest.approx(expected)
    assert np.isnan(spearman(np.ones(4), np.arange(4.0)))
    assert np.isnan(spearman(a, np.full(9, np.nan))).all()
