import math

import numpy as np
import pytest
from scipy import stats

from rankexp.studies.menon2014.blocks.rank_table import noisy_ranks, spearman


def ranked(values, draws=4000, higher=True, seed=0, **more):
    return noisy_ranks(values, draws, np.random.default_rng(seed), higher=higher, **more)


def test_ranks_are_those_of_means_within_each_data_set():
    first, second = (
        np.array([[0.9, 0.7, 0.7], [0.7, 0.7, 0.7]]),
        np.array([[0.0, 1, 2], [0, 1, 2.0]]),
    )
    assert ranked([first, second])[0].tolist() == [2.0, 2.25, 1.75]
    assert ranked([first, second], ties="min")[0].tolist() == [2.0, 2.0, 1.5]
    lower, _ = ranked([first, second], ties="min", higher=False)
    assert lower.tolist() == [2.0, 1.5, 2.0]


def test_means_are_rounded_before_they_are_ranked():
    values = [np.array([[0.9112, 0.9114, 0.9]] * 2)]
    assert ranked(values, ties="min")[0].tolist() == [2.0, 1.0, 3.0]
    average, draws = ranked(values, ties="min", decimals=3)
    assert average.tolist() == [1.0, 1.0, 3.0] == draws[0].tolist()


def test_columns_that_agree_tie_in_every_draw():
    one = np.random.default_rng(1).random(10)
    _, draws = ranked([np.stack([one, one, one + 5], axis=1)], ties="min")
    assert np.unique(draws, axis=0).tolist() == [[2.0, 2.0, 1.0]]


def test_draws_turn_two_methods_round_as_often_as_their_difference_says():
    rng, n = np.random.default_rng(2), 25
    shared = rng.normal(size=(n, 1))
    values = shared + rng.normal(scale=0.3, size=(n, 2)) + [0.2, 0.0]
    difference = values[:, 0] - values[:, 1]
    mean, se = difference.mean(), difference.std(ddof=1) / math.sqrt(n)
    drawn_together = math.sqrt(1 - (se / mean) ** 2)
    expected = 1 + stats.t.cdf(-drawn_together * mean / se, n - 1)  # 2 if turned, else 1
    _, draws = ranked([values], draws=20_000)
    assert draws[:, 0].mean() == pytest.approx(expected, abs=0.012)
    # What repeats share moves no rank, however much it moves.
    louder = ranked([values + 100 * shared], draws=20_000)[1]
    assert louder[:, 0].mean() == pytest.approx(draws[:, 0].mean(), abs=1e-9)


def test_methods_without_a_difference_have_runs_that_do_not_agree():
    noise = [np.random.default_rng(i).normal(size=(5, 14)) for i in range(40)]
    agree = []
    for place in range(0, 40, 4):
        _, draws = ranked(noise[place : place + 4], draws=400)
        agree.append(np.median(spearman(draws, np.roll(draws, 1, axis=0))))
    assert np.mean(agree) < 0.3  # .5 if the noise of the means counted as differences


@pytest.mark.parametrize("signal", [0.3, 1.0])
def test_perfect_reproductions_of_ranks_are_called_so(signal):
    # 90 runs on four data sets, 14 methods each, beside another run on the same data sets.
    rng, passed = np.random.default_rng(27), []
    for study in range(90):
        true = signal * rng.standard_normal((4, 1, 14))
        run, other = true + rng.standard_normal((2, 4, 5, 14))
        average, draws = ranked(list(run), draws=250, seed=study)
        within = np.quantile(np.abs(draws - np.roll(draws, 1, axis=0)), 0.95, axis=0)
        again, _ = ranked(list(other), draws=1)
        passed.append(np.abs(average - again) <= within)
    assert np.size(passed) == 1260
    assert 0.93 <= np.mean(passed) <= 0.97


def test_spearman_agrees_with_scipy_and_has_no_value_of_constants():
    rng = np.random.default_rng(3)
    a, b = rng.integers(0, 5, (6, 9)).astype(float), rng.integers(0, 5, 9).astype(float)
    expected = [stats.spearmanr(row, b).statistic for row in a]
    assert spearman(a, b) == pytest.approx(expected)
    assert np.isnan(spearman(np.ones(4), np.arange(4.0)))
    assert np.isnan(spearman(a, np.full(9, np.nan))).all()
