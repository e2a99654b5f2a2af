"""What is said of pairs looks at intervals, at chance and at the ceiling; the advice agrees."""

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rankexp.metrics.metric import parse
from rankexp.runner.analyse.contrast import Contrast
from rankexp.runner.compare.question import METRICS
from rankexp.runner.diagnostics.alone import Alone
from rankexp.runner.report import context as contexts
from rankexp.runner.report import diagnosed
from rankexp.runner.report.context import Context
from rankexp.runner.report.gain_words import Words, advice, headline, of_scorers, recommended
from rankexp.runner.report.gains import Effect, Gains, MethodStanding
from rankexp.runner.run.manifest import DataDiagnosis
from rankexp.statistics.needed import Needed
from rankexp.statistics.verdicts import NOT_RUN, UNDECIDED, Verdict

Make = Callable[..., Context]
PAIRS = {"svm_or": "logistic"}
BETTER, WORSE, SAME = Verdict("better"), Verdict("worse"), Verdict(None, equivalent=True)


def gains(
    own: Mapping[str, tuple[Verdict, float, float]],
    means: Mapping[str, float],
    pairs: Mapping[str, str] = PAIRS,
    behind: Mapping[str, Verdict] | None = None,
    metric: str = "auc",
    **given: Any,
) -> Gains:
    """Return gains with these verdicts and intervals, and means, the best first."""
    contrasts = {
        name: Contrast(
            "d",
            test="t",
            difference=(low + high) / 2,
            low_all=low,
            high_all=high,
            p=0.5,
            needed=Needed(9.0, 9.0, 9.0, 9.0),
            verdict=verdict,
        )
        for name, (verdict, low, high) in own.items()
    }
    standings = [
        MethodStanding(m, v, 0.01, v - 0.02, v + 0.02, 1.0, None) for m, v in means.items()
    ]
    best = standings[0]
    gaps = {
        one.method: Contrast(
            "d", difference=best.mean - one.mean, verdict=(behind or {}).get(one.method, UNDECIDED)
        )
        for one in standings[1:]
    }
    return Gains(parse(metric), 0.01, 0.95, 1500, standings, pairs, contrasts, gaps, **given)


def effect(
    verdict: Verdict, low: float, high: float, *means: float, metric: str = "auc"
) -> Effect:
    found = gains(
        {"svm_or": (verdict, low, high)},
        dict(zip(("svm_or", "logistic"), means, strict=True)),
        metric=metric,
    )
    return found.effect("svm_or")


NAN = float("nan")


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ((SAME, -0.0069, 0.0069, 1.0, 1.0), Effect.PERFECT),
        ((BETTER, 0.02, 0.08, 0.9, 0.85), Effect.GAIN),
        ((WORSE, -0.08, -0.02, 0.8, 0.85), Effect.LOSS),
        ((Verdict("better", equivalent=True), 0.001, 0.006, 0.8, 0.8), Effect.NONE),
        ((UNDECIDED, -0.0137, 0.0023, 0.806, 0.812), Effect.NONE),  # excludes a gain of .01
        ((UNDECIDED, -0.0137, 0.0101, 0.806, 0.812), Effect.OPEN),
        ((UNDECIDED, NAN, NAN, 0.806, 0.812), Effect.OPEN),
        ((UNDECIDED, -0.0411, 0.0411, 1.0, 1.0), Effect.PERFECT),
        ((UNDECIDED, -0.0186, 0.0183, 0.9998, 1.0), Effect.PERFECT),
        ((UNDECIDED, -0.0186, 0.0183, 0.998, 1.0), Effect.OPEN),
        ((NOT_RUN, NAN, NAN, 0.8, 0.8), Effect.UNKNOWN),
    ],
)
def test_an_effect_is_told_from_the_verdict_the_interval_and_the_ceiling(
    given: tuple[Any, ...], expected: Effect
) -> None:
    verdict, low, high, *means = given
    assert effect(*given) is expected
    turned = [1 - mean for mean in means]
    assert effect(verdict, -high, -low, *turned, metric="rank_loss") is expected


def test_no_metric_without_a_known_end_has_a_ceiling() -> None:
    assert effect(UNDECIDED, -0.02, 0.02, 0.0, 0.0, metric="mse") is Effect.OPEN


def test_the_method_that_may_gain_is_named_and_no_other() -> None:
    text = headline({"hinge on pairs": Effect.OPEN, "logistic on pairs": Effect.NONE})
    assert (
        text == "Training on pairs shows no gain, but a gain with hinge on pairs is not excluded"
    )
    assert headline({"a": Effect.NONE, "b": Effect.NONE}) == (
        "Training on pairs brings no gain that matters"
    )
    assert "no gain that matters" in headline({"a": Effect.NONE, "b": Effect.PERFECT})
    assert "too few to tell" in headline({"a": Effect.OPEN, "b": Effect.OPEN})


@given(st.lists(st.sampled_from(Effect), min_size=1, max_size=4))
def test_the_headline_claims_only_what_is_shown(found: list[Effect]) -> None:
    text = headline(dict(zip("abcd", found, strict=False)))
    assert ("pairs helps" in text and "whether" not in text) == (Effect.GAIN in found)
    assert ("hurts" in text) == (Effect.LOSS in found)
    if not {Effect.GAIN, Effect.LOSS} & {*found}:
        assert ("excluded" in text or "too few" in text) == (Effect.OPEN in found)


def test_each_family_of_scores_has_its_own_answer() -> None:
    scorers = {"a": "linear scorers", "b": "linear scorers", "c": "boosted trees"}
    none, gain = Effect.NONE, Effect.GAIN
    assert of_scorers({"a": none, "b": none, "c": gain}, scorers) == (
        "For linear scorers, training on pairs brings no gain that matters; for boosted trees, "
        "training on pairs helps"
    )
    assert of_scorers({"a": none, "c": none}, scorers) == (
        "For linear scorers and boosted trees, training on pairs brings no gain that matters"
    )
    assert of_scorers({"a": gain}, {}) == "Training on pairs helps"


def test_at_chance_nothing_is_claimed_of_pairs(make: Make) -> None:
    found = gains({"svm_or": (WORSE, -0.114, -0.026)}, {"logistic": 0.514, "svm_or": 0.444})
    words = Words(make(), replace(found, random=frozenset(PAIRS.values()) | {*PAIRS}), 3)
    said = " ".join(words.answer())
    assert said.startswith("Whether training on pairs helps cannot be told from these columns")
    assert "hurts" not in said and "Best AUC" not in said and "would take" not in said
    assert recommended(words.found) is None
    assert advice(words).startswith("Train none of these methods yet")
    assert "hurts" in " ".join(Words(make(), found, 3).answer())


def test_two_methods_at_chance_gain_and_lose_nothing_beside_one_that_ranks(make: Make) -> None:
    means = {"exponential": 0.818, "logistic": 0.5, "svm_or": 0.456}
    found = gains({"svm_or": (WORSE, -0.0827, -0.0045)}, means, random=frozenset(list(means)[1:]))
    assert found.effect("svm_or") is Effect.RANDOM and not found.chance
    words = Words(make(), found, 3)
    said = words.answer()[0]
    assert said.startswith("Neither pairs nor points are shown to rank better than chance")
    assert "hurts" not in said and advice(words).startswith("Train exponential.")
    one = replace(found, random=frozenset({"svm_or"}))
    assert one.effect("svm_or") is Effect.LOSS, "its like ranks"
    both = {"a": Effect.RANDOM, "b": Effect.NONE}
    assert headline(both) == headline({"b": Effect.NONE})


def test_few_training_rows_are_said_in_the_first_lines(make: Make) -> None:
    found = gains({"svm_or": (SAME, -0.001, 0.001)}, {"svm_or": 0.8, "logistic": 0.8})
    words = Words(make(), replace(found, trained=250.0), 3)
    assert (
        "no gain that matters. Methods were trained on only 250 of the 1,500 rows and tested on "
        "1,250; a larger --minutes trains on more. AUC" in words.answer()[0]
    )
    assert "rests on 250 training rows of 1,500 rows" in words.trust("split")
    for enough in (1200.0, NAN):
        words = Words(make(), replace(found, trained=enough), 3)
        assert "only" not in words.answer()[0] and "training rows of" not in words.trust("folds")


@pytest.mark.parametrize(
    ("found", "word"),
    [
        ({"svm_or": (BETTER, 0.02, 0.06)}, "Yes"),
        ({"svm_or": (BETTER, 0.02, 0.06), "rankboost": (SAME, -0.001, 0.001)}, "Partly"),
        ({"svm_or": (SAME, -0.001, 0.001), "rankboost": (WORSE, -0.06, -0.02)}, "No"),
        ({"svm_or": (UNDECIDED, -0.05, 0.05)}, "Still open"),
        ({"svm_or": (NOT_RUN, math.nan, math.nan)}, "Still open"),
    ],
)
def test_the_answer_in_a_word(
    make: Make, found: Mapping[str, tuple[Verdict, float, float]], word: str
) -> None:
    means = dict.fromkeys(["svm_or", "rankboost", "logistic"], 0.8)
    own = gains(found, means, dict.fromkeys(found, "logistic"))
    assert Words(make(), own, 3).word() == word


def test_where_pairs_are_worse_the_advice_says_so(make: Make) -> None:
    found = gains({"svm_or": (WORSE, -0.041, -0.013)}, {"logistic": 0.826, "svm_or": 0.799})
    text = advice(Words(make(), found, 3))
    assert text == "Train on points: logistic. SVM-OR ranks worse than the same loss on points."


def test_the_advice_repeats_what_speaks_against_the_table(make: Make) -> None:
    found = gains({"svm_or": (SAME, -0.001, 0.001)}, {"svm_or": 0.8, "logistic": 0.8})
    asked = ["Rows are in order of 'date'. Split by time (RK102)."]
    text = advice(Words(make(), replace(found, conditions=asked), 3))
    assert text.endswith(f"no gain that matters. But first settle this: {asked[0]}")


verdicts = st.sampled_from([BETTER, WORSE, SAME, UNDECIDED])


@given(
    verdicts,
    st.sampled_from(["better", None]),
    st.permutations(["svm_or", "logistic", "exponential"]),
)
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_advice_names_the_method_recommended_and_the_best_where_it_is_ahead(
    make: Make, verdict: Verdict, ahead: Any, order: list[str]
) -> None:
    means = {name: 0.9 - 0.05 * place for place, name in enumerate(order)}
    behind = dict.fromkeys(order[1:], Verdict(ahead))
    found = gains({"svm_or": (verdict, -0.02, 0.03)}, means, behind=behind)
    words = Words(CONTEXTS.setdefault("one", make()), found, 3)
    best = recommended(found)
    assert best is not None and words.label(best.method) in advice(words)
    gained = verdict is BETTER and order.index("svm_or") < order.index("logistic")
    if order[0] == "exponential" and not ahead and not gained:
        assert best.method == "exponential"
        said = (
            "It looks ahead of all methods that have a counterpart, on pairs and on points, by at "
        )
        assert f"{said}least .050, which is not shown." in advice(words)
    if order[0] == "exponential" and ahead:
        assert best.method == "exponential"
        assert advice(words).startswith("Train exponential. It is ahead of all methods that have")


CONTEXTS: dict[str, Context] = {}


def test_the_advice_looks_at_all_methods_on_points(make: Make) -> None:
    """The like of the method on pairs is named only if no other on points is ahead of it."""
    means = {"exponential": 0.647, "svm_or": 0.640, "logistic": 0.632}
    for worse, points, named in ((WORSE, ["exponential"], "exponential"), (WORSE, [], "logistic")):
        behind = {"logistic": worse, "svm_or": UNDECIDED}
        own = {"svm_or": (UNDECIDED, -0.01, 0.026)}
        found = gains(own, means, behind=behind, points=points)
        best = recommended(found)
        assert best is not None and best.method == named
        text = advice(Words(make(), found, 3))
        assert text.startswith(f"Train on points: {named}. ")
        assert ("It looks best on points, and is right until" in text) is bool(points)
    near = {"exponential": 0.647, "svm_or": 0.640, "logistic": 0.641}
    best = recommended(gains(own, near, points=["exponential"]))
    assert best is not None and best.method == "logistic", "as good, and simpler"


def test_a_method_below_chance_is_never_advised(make: Make) -> None:
    """Queries may turn effects round: methods on points then rank worse than chance."""
    means = {"svm_or": 0.76, "logistic": 0.43}
    found = gains({"svm_or": (UNDECIDED, -0.25, 0.9)}, means, random=frozenset(["logistic"]))
    best, text = recommended(found), advice(Words(make(), found, 3))
    assert best is not None and best.method == "svm_or"
    assert text.startswith("Train SVM-OR. No method on points that was tried is shown to rank bet")


def test_where_no_method_has_a_value_nothing_is_said_of_chance(make: Make) -> None:
    """As where each took too long."""
    nan = math.nan
    found = gains({"svm_or": (NOT_RUN, nan, nan)}, {"logistic": nan, "svm_or": nan})
    words = Words(make(), replace(found, random=frozenset({"logistic", "svm_or"})), 3)
    assert words.answer()[0].startswith("Nothing could be compared")
    assert "chance" not in " ".join([*words.answer(), advice(words)])


def test_a_short_run_does_not_blame_the_data(make: Make) -> None:
    means = {"svm_or": 0.76, "logistic": 0.7}
    for trained, why in ((1000.0, "The data are too few to"), (250.0, "This run is too short to")):
        found = gains({"svm_or": (UNDECIDED, -0.25, 0.9)}, means, trained=trained)
        assert Words(make(), found, 3).answer()[0].startswith(f"{why} tell whether")


def test_a_method_that_stopped_early_is_not_advised_where_another_is_as_near(make: Make) -> None:
    pairs = {"svm_or": "logistic", "linear": "exponential"}
    means = {"logistic": 0.71, "exponential": 0.705, "svm_or": 0.7, "linear": 0.7}
    own = dict.fromkeys(pairs, (UNDECIDED, -0.05, 0.05))
    for stopped, named in (((), "logistic"), (("logistic",), "exponential")):
        best = recommended(gains(own, means, pairs, stopped=frozenset(stopped)))
        assert best is not None and best.method == named


def test_pairs_that_only_beat_their_like_are_not_advised(make: Make) -> None:
    """A gain on a poor tree is none on least squares, which rank as high."""
    own, means = (
        {"svm_or": (BETTER, 0.07, 0.14)},
        {"exponential": 0.692, "svm_or": 0.685, "logistic": 0.58},
    )
    found = gains(own, means, behind={"logistic": BETTER}, points=["exponential"])
    words = Words(make(), found, 3)
    assert advice(words) == "Train on points: exponential. It ranks as high as SVM-OR."
    assert "raining on pairs helps, but exponential ranks as high" in words.answer()[0]
    shown = {"logistic": BETTER, "svm_or": BETTER}
    words = Words(make(), gains(own, means, behind=shown, points=["exponential"]), 3)
    assert "It is ahead of all methods that have a counterpart" in advice(words)
    assert "raining on pairs helps, but exponential ranks higher" in words.answer()[0]


@pytest.mark.parametrize(("low", "high", "more"), [(0.07, 0.09, False), (0.001, 0.011, True)])
def test_the_kind_of_model_matters_more_only_where_it_does(
    make: Make, low: float, high: float, more: bool
) -> None:
    means = {"exponential": 0.65, "svm_or": 0.63, "logistic": 0.55}
    found = gains(
        {"svm_or": (BETTER, low, high)},
        means,
        behind=dict.fromkeys(means, BETTER),
        points=["exponential"],
    )
    text = advice(Words(make(), found, 3))
    assert text.startswith("Train exponential. It is ahead of all methods that have")
    assert ("the kind of model matters more than pairs do" in text) is more


def test_no_gain_is_left_open_for_which_there_is_no_room() -> None:
    own = {"svm_or": (UNDECIDED, -0.025, 0.0248)}
    found = gains(own, {"logistic": 0.998, "svm_or": 0.998})
    assert found.effect("svm_or") is Effect.OPEN, "its error is .01"
    sure = [replace(one, se=0.001) for one in found.standings]
    found = replace(found, standings=sure)
    assert found.effect("svm_or") is Effect.NONE


def test_where_intervals_exclude_nothing_no_method_is_advised(make: Make) -> None:
    found = gains({"svm_or": (UNDECIDED, -1.0, 1.0)}, {"logistic": 0.98, "svm_or": 0.97})
    found = replace(found, rarest=("1", 3))
    assert recommended(found) is None
    assert "with 3 rows of '1', differences between methods cannot be told" in advice(
        Words(make(), found, 3)
    )


def test_the_measures_of_compare_have_chance_at_one_half() -> None:
    assert {*METRICS.values()} <= {*diagnosed.CHANCE}


def test_a_row_moves_more_of_the_pairs_where_targets_tie(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = Alone("x", 0.8, untied=0.4)
    known = {"vote": DataDiagnosis([], alone)}
    monkeypatch.setattr(contexts, "diagnoses_of", lambda _: known)
    assert make().examples("vote", parse("d_tau")) == 200.0
    assert make().examples("vote", parse("concordance")) == pytest.approx(80.0)
    monkeypatch.setattr(contexts, "diagnoses_of", lambda _: {})
    assert make().examples("vote", parse("concordance")) == 200.0
