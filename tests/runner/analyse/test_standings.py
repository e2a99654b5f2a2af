"""Numbers in ranges: what holds, what doesn't, what is open, and all of a claim at once."""

import math

import numpy as np
import pytest

from rankexp.statistics import claims, paired, several
from rankexp.statistics.claims import Finding, Standing

H, F, U, N = Standing.HOLDS, Standing.FAILS, Standing.UNDECIDED, Standing.NOT_RUN
BELOW, ABOVE = (-math.inf, 0.0), (0.0, math.inf)
NEAR = (-0.01, 0.01)


def found(mean, limits, se=0.001, one_sided=False):
    return claims.of_estimate("x", limits, paired.Estimate(mean, se, 20), one_sided=one_sided)


@pytest.mark.parametrize(
    "mean, limits, standing",
    [
        (-0.01, BELOW, H),
        (-0.001, BELOW, U),
        (0.001, BELOW, U),
        (0.01, BELOW, F),
        (0.01, ABOVE, H),
        (-0.01, ABOVE, F),
        (0.0, NEAR, H),
        (-0.009, NEAR, U),
        (0.0105, NEAR, U),
        (0.02, NEAR, F),
        (-0.02, NEAR, F),
        (0.0, BELOW, U),
    ],
)
def test_a_number_is_shown_to_lie_within_or_outside_or_neither(mean, limits, standing):
    (one,) = claims.judged([found(mean, limits)], 0.95)
    assert one.standing is standing
    ends = [end for end in limits if math.isfinite(end)]
    crossed = any(one.low < end < one.high for end in ends)
    assert crossed == (standing is U)  # the interval shown says the same as the test


def test_margins_are_tested_one_sided_as_equivalence_is_elsewhere():
    estimate = paired.Estimate(0.0082, 0.001, 20)  # t = 1.8: 4.3 % one-sided
    assert paired.p_value(estimate, 0.01) / 2 == pytest.approx(paired.equivalence(estimate, 0.01))
    sides = [claims.of_estimate("x", NEAR, estimate, one_sided=one) for one in (True, False)]
    judged = [claims.judged([one], 0.95)[0] for one in sides]
    assert [one.standing for one in judged] == [H, U]
    assert judged[0].p_holds == pytest.approx(paired.equivalence(estimate, 0.01))
    assert judged[0].high < 0.01 < judged[1].high


def test_a_difference_is_tested_as_in_a_comparison():
    estimate = paired.Estimate(-0.0022, 0.001, 20)
    assert found(-0.0022, BELOW).p_holds == pytest.approx(paired.p_value(estimate))
    assert found(0.0022, BELOW).p_fails == pytest.approx(paired.p_value(estimate))


def test_p_values_of_a_claim_are_adjusted_together():
    alone = claims.judged([found(-0.0022, BELOW)], 0.95)[0]
    assert alone.standing is H
    three = claims.judged([found(-0.0022, BELOW)] * 3, 0.95)
    assert {one.standing for one in three} == {U}
    raw = [found(mean, BELOW) for mean in (-0.0022, -0.03, -0.02)]
    adjusted = several.holm([one.p_holds for one in raw])
    judged = claims.judged(raw, 0.95)
    assert [one.p_holds for one in judged] == adjusted.tolist()
    assert [one.standing for one in judged] == [H, H, H]


def test_data_sets_are_judged_by_signed_ranks():
    values = np.arange(1.0, 10.0) / 100
    one = claims.of_ranks("x", ABOVE, values, one_sided=False)
    assert one.p_holds == several.signed_rank(values).p
    assert claims.judged([one], 0.95)[0].standing is H
    assert (
        claims.judged([claims.of_ranks("x", BELOW, values, one_sided=False)], 0.95)[0].standing
        is F
    )
    few = claims.of_ranks("x", ABOVE, values[:4], one_sided=False)
    assert claims.judged([few], 0.95)[0].standing is U
    inside = claims.of_ranks("x", (-0.2, 0.2), values, one_sided=True)
    assert inside.p_holds == pytest.approx(several.equivalence(values, 0.2))


def test_every_value_counts_where_a_claim_says_always():
    assert claims.of_every("x", (0.0, 1.0), [0.0, 0.5, 1.0]).standing is H
    assert claims.of_every("x", (0.0, 1.0), [0.5, 1.1]).standing is F


def test_a_single_value_says_nothing():
    one = found(-1.0, BELOW, se=math.nan)
    assert one.standing is U and "no error" in one.why
    assert claims.judged([one, found(-0.0022, BELOW)], 0.95)[1].standing is H  # it is no test


@pytest.mark.parametrize(
    "standings, share, together",
    [
        ([H, H], 1.0, H),
        ([H, U], 1.0, U),
        ([H, N], 1.0, N),
        ([U, N], 1.0, N),
        ([H, U, N, F], 1.0, F),
        ([H, U], 0.5, H),
        ([H, F, F], 0.5, F),
        ([H, F, U], 0.6, U),
        ([H, H, F], 2 / 3, H),
        ([F, F], 0.5, F),
    ],
)
def test_all_must_hold_or_the_share_that_is_claimed(standings, share, together):
    assert claims.together(standings, share) is together


def test_no_error_at_all_is_no_doubt():
    assert claims.judged([found(-0.001, BELOW, se=0.0)], 0.95)[0].standing is H
    assert claims.judged([found(0.0, BELOW, se=0.0)], 0.95)[0].standing is U
    assert Finding("x").standing is U
