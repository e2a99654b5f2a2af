"""One method against another: verdicts, families, what is refused, directions of metrics."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from rankexp.runner.analyse import complete_blocks, contrast
from rankexp.runner.analyse.contrast import Family
from rankexp.runner.analyse.frame import NONE
from rankexp.statistics import paired, several
from rankexp.statistics.contrast import Contrast, Settings
from rankexp.statistics.design import Design
from rankexp.statistics.verdicts import MIXED, NOT_RUN, UNDECIDED, Lack, Refusal, Verdict, judge

MODELS, FOLDS = Design("models"), Design("folds", 1 / 9)
NAN = math.nan


@pytest.mark.parametrize(
    ("difference", "p", "equal", "lower", "higher"),
    [
        (-0.1, 0.01, 0.9, "better", "worse"),
        (0.1, 0.01, 0.9, "worse", "better"),
        (0.002, 0.01, 0.01, "worse, equivalent", "better, equivalent"),
        (0.002, 0.06, 0.01, "equivalent", "equivalent"),
        (0.002, 0.06, 0.06, "undecided", "undecided"),
        (0.0, 0.0, 0.0, "equivalent", "equivalent"),
        (0.1, 0.05, 0.05, "undecided", "undecided"),  # at the level, not below it
    ],
)
def test_verdicts(difference: float, p: float, equal: float, lower: str, higher: str) -> None:
    assert str(judge(difference, p, equal, higher=False)) == lower
    assert str(judge(difference, p, equal, higher=True)) == higher


def test_every_verdict_has_one_text() -> None:
    both = [Verdict(shown, same) for shown in ("better", "worse", None) for same in (False, True)]
    assert len({str(one) for one in [*both, NOT_RUN]}) == 7
    assert (str(UNDECIDED), str(NOT_RUN)) == ("undecided", "not run")


def made(differences: dict[str, np.ndarray], *, models: bool) -> pd.DataFrame:
    """A table of two methods, m minus r being as given: one a model, or a fold of ten."""
    rows, values = [], []
    for problem, given in differences.items():
        for place, difference in enumerate(given):
            rep, fold = (0, NONE) if models else divmod(place, 10)
            rows.append((problem, place if models else NONE, rep, fold))
            values.append((0.2 + 0.01 * place + difference, 0.2 + 0.01 * place))
    index = pd.MultiIndex.from_tuples(rows, names=complete_blocks.PLACE)
    table = pd.DataFrame(values, index=index, columns=["m", "r"])
    undefined = table["m"].isna()
    table.loc[undefined, "r"] = NAN
    return table.assign(state=np.where(undefined, "undefined", "whole"))


def compared(
    differences: dict[str, np.ndarray],
    settings: Settings,
    *,
    models: bool = True,
    count: float = 500.0,
) -> Family:
    table = made(differences, models=models)
    design = MODELS if models else replace(FOLDS, examples=count)
    return contrast.family(table, ("m", "r"), dict.fromkeys(differences, design), settings)


def noise(n: int, shift: float, scale: float, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(shift, scale, n)


def test_models_are_compared_by_the_paired_t_test() -> None:
    values = noise(30, 0.004, 0.002)
    own = compared({"p": values}, Settings()).problems[0]
    expected = stats.ttest_1samp(values, 0)
    assert own.p == pytest.approx(expected.pvalue)
    interval = expected.confidence_interval()
    assert (own.low, own.high) == pytest.approx((interval.low, interval.high))
    assert (own.n, own.unit, own.test) == (30, "models", "paired t-test")
    assert own.verdict == Verdict("worse", equivalent=True)
    assert (own.boot_low, own.boot_high) == pytest.approx((own.low, own.high), rel=0.1)
    assert own.effect == pytest.approx(values.mean() / values.std(ddof=1))
    assert compared({"p": values}, Settings(higher=True)).problems[0].verdict == Verdict(
        "better", equivalent=True
    )
    narrow = compared({"p": values}, Settings(margin=0.002)).problems[0]
    assert narrow.verdict == Verdict("worse")


def test_folds_are_compared_by_the_corrected_test_and_not_resampled() -> None:
    values = noise(100, 0.002, 0.008)
    own = compared({"p": values}, Settings(), models=False).problems[0]
    assert own.se == pytest.approx(math.sqrt(1 / 100 + 1 / 9) * values.std(ddof=1))
    assert stats.ttest_1samp(values, 0).pvalue < 0.05 < own.p
    assert own.test == "corrected resampled t-test" and math.isnan(own.boot_low)


def test_p_values_are_adjusted_for_the_problems_of_an_experiment() -> None:
    problems = {f"p{i}": noise(30, 0.0009, 0.002, i) for i in range(4)}
    plain = compared(problems, Settings(adjust="none")).problems
    all_ = compared(problems, Settings()).problems
    assert [own.p for own in plain] == [own.p_adjusted for own in plain]
    order = np.argsort([own.p for own in plain])
    for place in order:
        assert all_[place].p_adjusted == pytest.approx(min(1.0, 4 * plain[place].p))
    assert sum(own.verdict.shown == "worse" for own in plain) > sum(
        own.verdict.shown == "worse" for own in all_
    )
    # The intervals for all at once are Bonferroni's.
    first = problems["p0"]
    wide = paired.interval(paired.estimate(first), 1 - 0.05 / 4)
    assert (all_[0].low_all, all_[0].high_all) == pytest.approx(wide)


def test_settings_of_a_generator_are_averaged() -> None:
    problems = {"p": noise(30, 0.004, 0.002), "q": noise(20, 0.002, 0.001, 1)}
    own = compared(problems, Settings()).overall
    means = [values.mean() for values in problems.values()]
    assert own.difference == pytest.approx(np.mean(means))
    assert (own.n, own.unit, own.problem) == (2, "settings", "")
    assert own.verdict == Verdict("worse", equivalent=True)
    assert (own.low_all, own.high_all) == (own.low, own.high)


def test_settings_with_effects_of_opposite_signs_have_no_mean() -> None:
    problems = {"p": noise(30, 0.004, 0.002), "q": noise(20, -0.002, 0.001, 1)}
    own = compared(problems, Settings()).overall
    assert (own.n, own.unit, own.verdict) == (2, "settings", MIXED)
    assert math.isnan(own.difference) and math.isnan(own.p)
    assert str(MIXED) == "better on some, worse on others"
    # Over data sets the question is another one: effects of both signs are in its variance.
    sets = {f"p{i}": noise(100, (-1) ** i * 0.02, 0.005, i) for i in range(6)}
    found = compared(sets, Settings(), models=False)
    assert {c.verdict.shown for c in found.problems} == {"better", "worse"}
    assert found.overall.verdict == UNDECIDED and not math.isnan(found.overall.p)


@pytest.mark.parametrize("adjust", ["holm", "none"])
def test_intervals_agree_with_the_verdicts_beside_them(adjust: Any) -> None:
    settings, rng = Settings(adjust=adjust), np.random.default_rng(5)
    verdicts = set()
    for study in range(8):
        shifts = rng.choice([0.0, 0.001, 0.004, 0.008, 0.02], 6)
        spread = rng.choice([0.004, 0.008])
        problems = {f"p{i}": noise(20, s, spread, 6 * study + i) for i, s in enumerate(shifts)}
        made = compared(problems, settings, models=False)
        near = max(-made.overall.low_near, made.overall.high_near) < settings.margin  # type: ignore
        assert near == made.overall.verdict.equivalent  # by signed ranks
        for own in made.problems:
            apart = own.low_all > 0 or own.high_all < 0
            inside = max(-own.low_all, own.high_all) < settings.margin  # type: ignore[operator]
            assert apart == bool(own.verdict.shown), own
            assert not inside or own.verdict.equivalent, own
            near = max(-own.low_near, own.high_near) < settings.margin  # type: ignore[operator]
            assert near == own.verdict.equivalent, own  # whatever the tests are adjusted for
            if adjust == "none":
                assert (own.low_all, own.high_all) == (own.low, own.high)
            verdicts.add(str(own.verdict))
    assert verdicts >= {"worse", "worse, equivalent", "equivalent", "undecided"}


def test_the_relative_margin_is_a_share_of_the_references_loss() -> None:
    # The reference's values are .2 to .29 by `made`: its mean is .245, a tenth of which .0245.
    small, large = noise(10, 0.012, 0.001), noise(10, 0.1, 0.001, 1)
    p, q = compared({"p": small, "q": large}, Settings()).problems
    assert p.loss == pytest.approx(0.245) and p.margin_relative == pytest.approx(0.0245)
    assert (p.verdict, p.within_relative) == (Verdict("worse"), "yes")
    assert (q.verdict, q.within_relative) == (Verdict("worse"), "no")
    higher = compared({"p": small}, Settings(higher=True)).problems[0]
    assert higher.loss == pytest.approx(0.755) and higher.margin_relative == pytest.approx(0.0755)
    floor = compared({"p": small}, Settings(relative=1e-9, least=0.05)).problems[0]
    assert floor.margin_relative == 0.05
    # A value beyond the best is a share of nothing.
    beyond = made({"p": small}, models=True)
    beyond[["m", "r"]] += 2.0
    found = contrast.family(beyond, ("m", "r"), {"p": MODELS}, Settings(higher=True)).problems[0]
    assert math.isnan(found.margin_relative) and found.within_relative == ""


def test_relative_margins_over_several_problems_are_each_problems_own() -> None:
    problems = {f"p{i}": noise(20, 0.002, 0.001, i) for i in range(8)}
    sets = compared(problems, Settings(), models=False).overall
    means = np.array([v.mean() for v in problems.values()]) / (0.1 * (0.2 + 0.01 * 9.5))
    assert sets.p_relative == pytest.approx(several.equivalence(means, 1.0))
    assert sets.within_relative == "yes"
    settings = compared(problems, Settings()).overall
    assert settings.within_relative == "yes" and settings.p_relative < 1e-6
    tight = compared(problems, Settings(relative=1e-9, least=1e-4))
    assert tight.overall.within_relative in ("no", "undecided") and tight.overall.p_relative > 0.5


def test_without_a_margin_nothing_is_equivalent() -> None:
    problems = {f"p{i}": np.zeros(10) for i in range(8)}
    for models in (True, False):
        found = compared(problems, Settings(margin=None), models=models, count=50_000)
        for own in [*found.problems, found.overall]:
            assert own.verdict == UNDECIDED and math.isnan(own.p_equivalence)
            assert own.within_relative == "yes"


def test_data_sets_are_compared_by_signed_ranks() -> None:
    problems = {
        f"p{i}": noise(20, shift, 0.001, i) for i, shift in enumerate(noise(9, -0.02, 0.01))
    }
    found = compared(problems, Settings(), models=False).overall
    means = [values.mean() for values in problems.values()]
    assert found.p == pytest.approx(stats.wilcoxon(means).pvalue)
    assert found.low <= found.difference <= found.high
    assert (found.n, found.unit, found.verdict) == (9, "data sets", Verdict("better"))
    turned = compared(problems, Settings(higher=True), models=False).overall
    assert turned.verdict == Verdict("worse")


def test_identical_methods_are_equivalent() -> None:
    found = compared({"p": np.zeros(5), "q": np.zeros(5)}, Settings())
    assert [own.verdict for own in found.problems] == [Verdict(equivalent=True)] * 2
    assert found.overall.verdict == Verdict(equivalent=True)
    over = compared({f"p{i}": np.zeros(10) for i in range(9)}, Settings(), models=False).overall
    assert (over.difference, over.p, over.verdict) == (0.0, 1.0, Verdict(equivalent=True))


def test_few_examples_without_spread_show_nothing() -> None:
    same = np.zeros(50)
    few = compared({"p": same}, Settings(), models=False, count=25).problems[0]
    assert few.verdict == UNDECIDED and few.p == 1.0 and few.se == pytest.approx(2 / 25)
    assert few.low < -0.1 and few.high > 0.1 and few.low_all < -0.1
    assert "which count as 25, allow (2 divided by those tested)" in few.note
    many = compared({"p": same}, Settings(), models=False, count=50_000).problems[0]
    assert many.verdict == Verdict(equivalent=True)
    unknown = compared({"p": same}, Settings(), models=False, count=NAN).problems[0]
    assert unknown.verdict == UNDECIDED and math.isnan(unknown.p) and "no test" in unknown.note
    # Nine data sets without any difference are no more than the examples that they have.
    problems = {f"p{i}": np.zeros(10) for i in range(9)}
    for count, verdict in ((25, UNDECIDED), (3000, Verdict(equivalent=True)), (NAN, UNDECIDED)):
        over = compared(problems, Settings(), models=False, count=count).overall
        assert (over.p, over.verdict, over.n) == (1.0, verdict, 9), count


def test_too_few_pairs_or_data_sets_are_said() -> None:
    found = compared(
        {"p": noise(2, 0.1, 0.01), "q": noise(10, 0.1, 0.01)}, Settings(policy="drop")
    )
    few = found.problems[0]
    assert few.verdict == UNDECIDED and "at least 3 models are needed, and there are 2" in few.note
    assert math.isnan(few.p) and few.difference == pytest.approx(0.1, abs=0.02)
    assert found.overall.n == 1 and "dropped 1" in found.overall.note
    strict = compared({"p": noise(2, 0.1, 0.01), "q": noise(10, 0.1, 0.01)}, Settings())
    assert strict.overall.note.startswith("refused: p: no test")
    sets = compared({"p": noise(10, 0, 1), "q": noise(10, 0, 1)}, Settings(), models=False).overall
    assert (
        sets.verdict == UNDECIDED
        and "at least 3 data sets are needed, and there are 2" in sets.note
    )


def test_undefined_folds_are_counted() -> None:
    values = noise(20, 0, 0.01)
    values[3] = NAN
    own = compared({"p": values}, Settings(), models=False).problems[0]
    assert (own.n, own.undefined, own.dropped, own.note) == (19, 1, 0, "")
    assert own.difference == pytest.approx(np.nanmean(values))


def test_incomplete_models_are_refused_or_dropped() -> None:
    table = made({"p": noise(10, 0, 0.01)}, models=True)
    table.iloc[4, 0] = NAN
    table.iloc[4, 2] = "incomplete"
    designs = {"p": MODELS}
    strict = contrast.family(table, ("m", "r"), designs, Settings()).problems[0]
    assert strict.verdict == UNDECIDED and "refused" in strict.note and math.isnan(strict.p)
    lax = contrast.family(table, ("m", "r"), designs, Settings(policy="drop")).problems[0]
    assert (lax.n, lax.dropped) == (9, 1)
    assert lax.note == "dropped 1 (p, model 4: 1 of 1 splits lack a value)"


def test_problems_that_were_not_run() -> None:
    table = made({"p": noise(10, 0, 0.01)}, models=False)
    designs = dict.fromkeys(["p", "gone"], FOLDS)
    found = contrast.family(table, ("m", "r"), designs, Settings())
    assert repr(found.problems[1]) == repr(Contrast("gone", refusal=Refusal("", "gone", Lack.RUN)))
    table["state"] = "incomplete"
    lacking = contrast.family(table, ("m", "r"), designs, Settings()).problems[0]
    assert repr(lacking) == repr(
        Contrast("p", refusal=Refusal("no split has a value for both methods", "p"))
    )
    assert "gone: not run" in found.overall.note and found.overall.verdict == UNDECIDED


def test_what_more_data_and_more_repeats_do_depends_on_the_design() -> None:
    """Ten folds: rows make no more of them, repeats do, but not where the data names them."""
    table = made({"d": np.linspace(-0.02, 0.05, 10)}, models=False)

    def needs(design: Design) -> Contrast:
        found = contrast.family(table, ("m", "r"), {"d": design}, Settings())
        return found.problems[0]

    folds, models = needs(FOLDS), needs(MODELS)
    assert folds.growth.by_repeats == pytest.approx(0.1 / (0.1 + 1 / 9))
    assert not folds.growth.units and models.growth.units
    assert folds.needed.repeats_to_show > 1 and math.isnan(models.needed.repeats_to_show)
    named = needs(replace(FOLDS, repeatable=False))
    assert math.isnan(named.needed.repeats_to_show) and named.needed.data_to_show > 1
    assert named.se == folds.se and not named.growth.units


def test_adjusted_for_more_tests_every_number_follows() -> None:
    """The same difference among nine: interval, detectable difference and needs all grow."""
    rng = np.random.default_rng(3)
    values = {f"d{i}": rng.normal(0.004, 0.01, 12) for i in range(9)}
    alone = compared({"d0": values["d0"]}, Settings()).problems[0]
    among = compared(values, Settings()).problems[0]
    assert (alone.tests, among.tests) == (1, 9) and among.p == alone.p
    for name in ("high_all", "detectable", "least_margin"):
        assert getattr(among, name) > getattr(alone, name)
    assert among.needed.data_to_show > alone.needed.data_to_show
    assert among.needed.data_to_equate > alone.needed.data_to_equate
    joined = contrast.as_one(
        [(compared({name: own}, Settings()), Settings()) for name, own in values.items()]
    )
    assert [one.problems[0].p_adjusted for one in joined] == pytest.approx(
        [one.p_adjusted for one in compared(values, Settings()).problems]
    )


def test_families_over_data_sets_are_adjusted_for_each_other() -> None:
    """Two contrasts over eight sets: the interval is that of the adjusted test, and so is p."""
    rng = np.random.default_rng(4)
    given = [{f"d{i}": rng.normal(0.003, 0.004, 12) for i in range(8)} for _ in range(2)]
    alone = [compared(values, Settings(), models=False) for values in given]
    joined = contrast.as_one([(own, Settings()) for own in alone])
    for before, after, values in zip(alone, joined, given, strict=True):
        own = after.overall
        means = np.array([each.mean() for each in values.values()])
        assert (own.low_all, own.high_all) == pytest.approx(several.centre(means, 0.975)[1:])
        assert own.low_all <= before.overall.low_all and own.tests == 2
        assert own.decided <= before.overall.decided
        assert own.decided == sum(c.verdict != UNDECIDED for c in after.problems)
