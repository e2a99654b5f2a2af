"""Each diagnostic finds what it is for, keeps silent otherwise, and stands on the page."""

import inspect
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from rankexp import registry
from rankexp.metrics.bipartite import auc
from rankexp.runner.config.asking import said as speaking
from rankexp.runner.config.asking import typed
from rankexp.runner.data.dataset import Dataset, Feature
from rankexp.runner.data.reading import Column, Layout, Reading
from rankexp.runner.diagnostics import alone as own
from rankexp.runner.diagnostics.alone import Alone, best_alone
from rankexp.runner.diagnostics.diagnostic import (
    MethodFacts,
    ResultFacts,
    TableFacts,
    after,
    before,
)

PAGE = (Path(__file__).parents[3] / "docs" / "diagnostics.md").read_text(encoding="utf-8")
RNG = np.random.default_rng(3)
X = RNG.normal(size=(400, 3))
Y = (X[:, 0] + RNG.normal(size=400) > 0).astype(np.int64)
LAYOUT = Layout("delimited text")


def data(X: np.ndarray, y: np.ndarray = Y, kinds: str = "") -> Dataset:
    features = [Feature(f"x{j}") for j in range(X.shape[1])]
    for j, kind in enumerate(kinds):
        if kind == "n":
            codes = X[:, j][~np.isnan(X[:, j])]
            features[j] = Feature(f"x{j}", "nominal", tuple(map(str, range(int(codes.max()) + 1))))
    return Dataset("d", X, y, tuple(features), ("no", "yes"))


def regions(silent: int, others: int) -> tuple[np.ndarray, np.ndarray]:
    """Return rows of regions, some of which never say yes, and the others in one row of four."""
    of = np.arange(400) % (silent + others)
    yes = (of >= silent) & (np.random.default_rng(5).random(400) < 0.25)
    return of[:, None].astype(float), yes.astype(np.int64)


def calculated(made: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> TableFacts:
    """Return a table of a target made of two counts, rounded to two decimals."""
    counts = np.random.default_rng(6).integers([10, 1000, 1], [900, 9000, 50], (400, 3))
    X = counts.astype(float)
    given = replace(data(X), y=made(X[:, 0], X[:, 1]).round(2), levels=None)
    return TableFacts(Reading("d.csv", LAYOUT, 400, target="ctr"), given, best_alone(given))


def counted(name: str) -> Dataset:
    """Return a table of counts: a row for each of 20 ages, ten places and two answers."""
    row = np.arange(400)
    X = np.column_stack([row % 20, row // 20 % 10, RNG.integers(1, 99, 400)]).astype(float)
    features = (Feature("age"), Feature("place"), Feature(name))
    return Dataset("d", X, row // 200, features, ("no", "yes"))


def table(
    X: np.ndarray = X, y: np.ndarray = Y, parted: bool = False, **reading: object
) -> TableFacts:
    made = data(X, y)
    read = Reading("d.csv", LAYOUT, len(y), **reading)  # type: ignore[arg-type]
    return TableFacts(read, made, best_alone(made), parted=parted)


def found(*methods: MethodFacts, **given: object) -> ResultFacts:
    return ResultFacts("AUC", methods, chance=0.5, **given)  # type: ignore[arg-type]


TEXT = Column("review", "text", "left out", "looks like free text (12 words a row)")
NAME = Column("name", "identifier", "left out", "it has 400 different texts in 400 rows")
LEAK = np.column_stack([X, np.where(Y == 1, 5.0 + X[:, 1], np.nan)])
SOME = np.vstack([X[:300], X[:100]])
GOOD, POOR = MethodFacts("logistic", 0.8, 0.02), MethodFacts("hinge", 0.525, 0.021)
SCORE = Alone("score", 0.9, True, 0.5, 0.02)
CASES = {
    "RK101": (table(LEAK), "'x3' alone has an AUC of 1.000", table(X)),
    "RK102": (table(in_order=(("date", True),)), "in order of 'date'", table()),
    "RK103": (table(columns=(TEXT,)), "'review' looks like free text (12", table(columns=(NAME,))),
    "RK104": (table(SOME, parted=True), "100 of 400 rows repeat", table(SOME)),
    "RK105": (
        TableFacts(Reading("d", LAYOUT, 9), values={"Yes": 3, "no": 4, "YES": 1, "y": 1}),
        "Yes, YES, y look alike",
        TableFacts(Reading("d", LAYOUT, 9), values={"yes": 3, "no": 4, "maybe": 1}),
    ),
    "RK106": (
        table(belonging=(("patient", 80, 0.98), ("x", 80, 0.9))),
        "their intraclass correlation is .98 (80 values, and of 1 more column). With",
        table(),
    ),
    "RK107": (
        table(np.where(np.arange(1200).reshape(400, 3) % 9 == 1, -999, X)),
        "-999 in 'x1' (134 rows)",
        table(np.where(np.arange(1200).reshape(400, 3) % 900 == 1, -999, X)),
    ),
    "RK108": (
        table(columns=(Column("Session-ID", "numeric", "feature"),)),
        "The values of 'Session-ID' may be queries.",
        table(columns=(Column("customer_id", "numeric", "feature"),)),
    ),
    "RK109": (
        TableFacts(Reading("d.csv", LAYOUT, 400), data(*regions(3, 1), kinds="n")),
        "All 300 rows in which 'x0' is 0 or 1 or 2 have the target 'no'. Was the target recorded",
        TableFacts(Reading("d.csv", LAYOUT, 400), data(*regions(0, 4), kinds="n")),
    ),
    "RK110": (
        table(totals=(("row 401 of 401 holds", ", in 'a', 'b'"),)),
        "Row 401 of 401 holds sums of those above, in 'a', 'b'. Such rows are used",
        table(),
    ),
    "RK111": (
        calculated(lambda a, b: 100 * a / b),
        "'ctr' is 100 · 'x0' / 'x1' in 400 of 400 rows, up to rounding. Are both columns known",
        calculated(lambda a, b: 100 * a / b + 0.1 * np.sin(b)),
    ),
    "RK112": (
        calculated(lambda a, b: np.where(a < 100, 0.0, 500.0 + a)),
        "'ctr' is 0 in ",
        calculated(lambda a, b: 500.0 + a),
    ),
    "RK113": (
        TableFacts(Reading("d.csv", LAYOUT, 400), counted("people")),
        "'people' may count rows: nearly no row repeats another",
        TableFacts(Reading("d.csv", LAYOUT, 400), counted("income")),
    ),
    "RK201": (
        found(POOR, MethodFacts("tree", 0.51, 0.02)),
        "Nothing here ranks: the best AUC, .525 (± .021), is no better than chance.",
        found(POOR, GOOD),
    ),
    "RK202": (found(GOOD, alone=SCORE), "'score' alone ranks better", found(GOOD)),
    "RK203": (found(MethodFacts("tree", 0.3, 0.02)), "for tree (.300)", found(GOOD)),
    "RK204": (
        found(MethodFacts("ridge", 0.8, 0.01, "highest λ")),
        "end of the range tried: ridge (highest λ)",
        found(GOOD),
    ),
    "RK205": (found(GOOD, undefined=3, records=50), "3 of 50 test values", found(GOOD)),
    "RK206": (
        found(MethodFacts("svm", 0.8, 0.01, unconverged=4)),
        "converged: svm (in 4 records)",
        found(GOOD),
    ),
    "RK207": (
        found(MethodFacts("tree", 0.9993, 0.001), alone=SCORE),
        "tree, ranks almost perfectly: its AUC is .999, and no column does so alone ('score': .9",
        found(MethodFacts("tree", 0.9985, 0.001), alone=SCORE),
    ),
}


def test_each_code_is_tried_and_stands_on_the_page_with_its_sentence() -> None:
    codes = registry.names("diagnostics")
    assert sorted(CASES) == sorted(codes) == re.findall(r"^### (RK\d+)$", PAGE, re.MULTILINE)
    for code in codes:
        sentence = " ".join((inspect.getdoc(registry.get("diagnostics", code)) or "").split())
        _, _, section = PAGE.partition(f"### {code}\n\n")
        assert " ".join(section.split("\n\n")[0].split()) == sentence


@pytest.mark.parametrize("code", CASES)
def test_it_says_what_it_finds_and_is_silent_otherwise(code: str) -> None:
    facts, words, others = CASES[code]
    for given, expected in ((facts, True), (others, False)):
        look = before if isinstance(given, TableFacts) else after
        said = {one.code: str(one) for one in look(given)}  # type: ignore[arg-type]
        assert (code in said) is expected, said
        if expected:
            assert words in said[code] and said[code].endswith(f"({code}).")


def test_the_advice_speaks_as_its_reader_types() -> None:
    advice = {one.code: one.advice for one in before(CASES["RK101"][0])}  # type: ignore[arg-type]
    assert advice["RK101"].endswith("'drop: [x3]'")
    with typed():
        (one,) = before(CASES["RK105"][0])  # type: ignore[arg-type]
    assert one.advice.endswith("--merge Yes,YES,y")


def test_few_rows_are_not_called_chance() -> None:
    (one,) = after(found(MethodFacts("tree", 0.62, 0.09)))
    assert "not shown to be better" in one.text and "too few to tell" in one.advice
    assert not after(found(MethodFacts("tree", 0.62)))  # no error is known


def test_intervals_hold_for_all_methods_at_once() -> None:
    """Alone, a method 2.2 standard errors above chance ranks; as the best of seven it may not."""
    lucky = MethodFacts("tree", 0.544, 0.02)
    others = [MethodFacts(f"m{i}", 0.5, 0.02) for i in range(6)]
    assert not after(found(lucky))
    (one,) = after(found(lucky, *others))
    assert one.code == "RK201" and "too few to tell" in one.advice


def test_losses_are_better_where_they_are_lower() -> None:
    good, bad = MethodFacts("a", 0.2, 0.02), MethodFacts("b", 0.48, 0.02)
    assert not after(found(good, bad, higher=False))
    assert [o.code for o in after(found(MethodFacts("a", 0.7, 0.02), higher=False))] == [
        "RK201",
        "RK203",
    ]
    said = after(found(bad, higher=False, alone=SCORE))
    assert "its AUC is .100, that of b .480" in said[1].text


@pytest.mark.parametrize("rows", [20_000, 130])
def test_the_best_column_alone_is_that_of_brute_force(
    rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(own, "ROWS", rows)
    made = best_alone(data(X))
    every = [float(auc(Y, X[:, j])) for j in range(3)]
    assert made is not None and made.column == "x0"
    assert made.value == pytest.approx(max(max(a, 1 - a) for a in every))
    assert made.untied == pytest.approx(2 * Y.sum() * (400 - Y.sum()) / (400 * 399))
    turned = best_alone(data(-X))
    assert turned is not None and turned.value == pytest.approx(made.value)
    n1, n0 = Y.sum(), 400 - Y.sum()
    assert made.se == pytest.approx(np.sqrt(401 / (12 * n1 * n0)), rel=1e-6)


def test_a_category_ranks_by_its_target_if_it_has_rows() -> None:
    kinds = np.where(Y == 1, RNG.integers(0, 2, 400), 2).astype(float)
    few = best_alone(data(np.column_stack([kinds, X[:, 1]]), kinds="n"))
    assert few is not None and few == Alone(
        "x0", 1.0, False, few.untied, few.se, few.second, 0.5, 3
    )
    many = np.arange(400.0)  # each its own: by its target it would be perfect
    assert best_alone(data(np.column_stack([many, X[:, 0]]), kinds="n")).column == "x1"  # type: ignore[union-attr]
    assert best_alone(data(X, np.ones(400, dtype=np.int64))) is None


def test_rare_levels_give_nothing_away() -> None:
    y = np.zeros(400, dtype=np.int64)
    y[:4] = 1
    assert "RK101" not in {one.code for one in before(table(np.column_stack([X, y]), y))}


def codes(facts: TableFacts) -> dict[str, str]:
    return {one.code: str(one) for one in before(facts)}


def test_equal_rows_matter_unless_they_are_few_or_combinations() -> None:
    for repeated, matter in ((3, False), (4, True), (200, True), (350, True)):  # copies
        some = np.vstack([X[: 400 - repeated], X[:1].repeat(repeated, axis=0)])
        assert ("RK104" in codes(table(some, parted=True))) is matter, repeated
    combinations = np.column_stack([np.arange(400) % 4, np.arange(400) % 5, np.arange(400) % 3])
    assert "RK104" not in codes(table(combinations.astype(float), parted=True))


def test_a_column_far_better_than_all_others_is_asked_about() -> None:
    leak = 3.0 * Y + RNG.normal(size=400)
    said = codes(table(np.column_stack([X, leak])))
    assert "is it known before the target is?" in said["RK101"]
    also = 2.5 * Y + RNG.normal(size=400)  # nearly as good, as measurements of one thing are
    assert "RK101" not in codes(table(np.column_stack([X, leak, also])))
    few = np.column_stack([np.arange(12.0), X[:12, 1]])
    half = np.array([*[0] * 5, 1, 0, *[1] * 5])  # an AUC of 35/36, as one of many columns may have
    assert "RK101" not in codes(table(few, half))


def test_whether_a_cell_is_filled_in_may_tell_the_target() -> None:
    wrong = RNG.random(400) < 0.05
    filled = np.where((Y == 1) ^ wrong, X[:, 1], np.nan)
    also = np.where((Y == 1) ^ (RNG.random(400) < 0.08), X[:, 2], np.nan)
    said = codes(table(np.column_stack([X, filled, also])))
    assert "'x3' alone" in said["RK101"] and "whether it is filled in says nearly" in said["RK101"]
    both = np.column_stack([X, filled, np.where(np.isnan(filled), np.nan, X[:, 2])])
    said = codes(table(both))
    assert "; the same rows have 'x4'): is it known" in said["RK101"]
    assert said["RK101"].endswith("leave them out with 'drop: [x3, x4]' (RK101).")
    some = np.where(RNG.random(400) < 0.5, X[:, 1], np.nan)
    assert "RK101" not in codes(table(np.column_stack([X, some])))


def usually(usual: float, of: np.ndarray, kinds: str = "") -> str:
    """Return what RK101 says of a last column that differs from its usual value in some rows."""
    values = np.full(400, usual)
    values[of] = np.arange(len(of)) % 3 + 1.0
    made = data(np.column_stack([X, values]), kinds=kinds)
    return codes(TableFacts(Reading("d", LAYOUT, 400), made, best_alone(made))).get("RK101", "")


def test_a_column_that_differs_in_rows_of_one_class_alone_is_asked_about() -> None:
    yes, no = np.flatnonzero(Y == 1), np.flatnonzero(Y == 0)
    said = usually(np.nan, yes[:120])
    assert said.startswith("All 120 rows in which 'x3' is filled in are of 'yes'. Is it known bef")
    assert said.endswith("If not, leave it out with 'drop: [x3]' (RK101).")
    assert "in which 'x3' is not 0 are of 'no'. Is" in usually(0.0, no[:-90])
    assert "in which 'x3' is not 7 are of 'yes'" in usually(7.0, yes[:120], kinds="   n")
    assert not usually(0.0, np.append(yes[:120], no[:1])), "one of the other class"
    assert usually(0.0, yes[: len(yes) // 4]), "a fourth of the class"
    wide, large = np.tile(X, (10, 1)), np.tile(Y, 10)
    for share, asked in ((0.11, True), (0.09, False)):  # of the class
        own_rows = np.flatnonzero(large)[: int(share * large.sum())]
        column = np.isin(np.arange(len(large)), own_rows).astype(float)
        assert bool(own.unusual(data(np.column_stack([wide, column]), large))) is asked
    for rows, said in ((19, ""), (20, "All 20 rows in which 'x3' is filled in are of 'yes'")):
        rare = (np.arange(400) < 30).astype(np.int64)
        filled = np.where(np.arange(400) < rows, X[:, 0], np.nan)
        found = codes(table(np.column_stack([X, filled]), rare)).get("RK101", "")
        assert found.startswith(said) and bool(found) is bool(said)
    for common, asked in ((380, False), (340, True)):  # .95 ** 190 is .00006, .85 ** 190 nearly 0
        y = (np.arange(400) < common).astype(np.int64)
        filled = np.where(np.arange(400) < 190, X[:, 0], np.nan)
        assert ("RK101" in codes(table(np.column_stack([X, filled]), y))) is asked


def test_half_of_the_rows_must_have_the_usual_value() -> None:
    y = np.arange(400) % 4 > 0  # 300 of one class
    for rows, expected in ((200, True), (201, False)):
        values = np.zeros(400)
        values[np.flatnonzero(y)[:rows]] = 1.5
        values[np.flatnonzero(y)[:9]] = -1.5  # below and above the usual value
        found = own.unusual(data(np.column_stack([X, values]), y.astype(np.int64)))
        words = f"{rows} rows in which 'x3' is not 0 are of 'yes'"
        assert found == ({"x3": words} if expected else {})


def test_several_such_columns_are_named_at_once() -> None:
    some = np.column_stack([np.arange(400) % 3 > 0, np.arange(400) % 5 > 1])
    both = np.where((Y[:, None] == 1) & some, X[:, :2], np.nan)
    said = codes(table(np.column_stack([X[:, 1:], both])))["RK101"]
    assert "; all " in said and "Are these columns known" in said and "[x2, x3]" in said


def lone(X: np.ndarray, y: np.ndarray, kinds: str = "n") -> str:
    made = data(X, y, kinds)
    made = made if y.dtype == np.int64 else replace(made, levels=None)
    return codes(TableFacts(Reading("d", LAYOUT, len(y)), made, best_alone(made))).get("RK109", "")


def test_a_region_without_positives_is_asked_about_and_a_weak_category_is_not() -> None:
    assert "in which 'x0' is 0 have" in lone(*regions(1, 4)), "the others are alike"
    of, _ = regions(1, 4)
    graded = (RNG.random(400) < 0.2 * of[:, 0]).astype(np.int64)  # from none to most
    assert not (graded[of[:, 0] == 0]).any() and not lone(of, graded)
    assert not lone(*regions(1, 2)), "two others are too few to be alike"
    many = np.repeat(np.arange(20.0), 20)[:, None]
    rare = np.zeros(400, dtype=np.int64)
    rare[:5] = rare[200:203] = 1  # by chance 18 of 20 categories may lack it
    assert not lone(many, rare)


def test_rows_that_stop_at_the_largest_target_are_asked_about() -> None:
    days = np.minimum(RNG.exponential(300, 400), 365.0)
    runs = (days == 365.0).astype(float)[:, None]
    assert "in which 'x0' is 1 have the largest target, 365." in lone(runs, days)
    assert not lone(runs, days + RNG.normal(size=400))
    filled = np.column_stack([np.where(runs[:, 0] == 1, np.nan, X[:, 0])])
    assert "in which 'x0' is missing have the largest target" in lone(filled, days, "")


def test_a_column_is_not_asked_about_twice() -> None:
    made = data(LEAK)
    said = codes(TableFacts(Reading("d", LAYOUT, 400), made, best_alone(made)))
    assert "'x3' alone" in said["RK101"] and "RK109" not in said


@pytest.mark.parametrize(
    ("made", "text"),
    [
        (lambda a, b: a + b, "'x0' + 'x1'"),
        (lambda a, b: b - a, "'x1' − 'x0'"),
        (lambda a, b: 1.19 * a * b, "1.19 · 'x0' · 'x1'"),
        (lambda a, b: (a + b) / 2, ".5 · ('x0' + 'x1')"),
        (lambda a, b: b / a, "'x1' / 'x0'"),
    ],
)
def test_sums_differences_products_and_ratios_are_found(
    made: Callable[[np.ndarray, np.ndarray], np.ndarray], text: str
) -> None:
    assert f"'ctr' is {text} in 400 of 400 rows" in codes(calculated(made))["RK111"]


def test_no_formula_is_found_in_noise_or_in_levels() -> None:
    facts = calculated(lambda a, b: a + b)
    assert facts.dataset is not None
    noisy = replace(facts.dataset, y=facts.dataset.y + RNG.normal(size=400).round(2))
    assert "RK111" not in codes(replace(facts, dataset=noisy))
    few = replace(facts.dataset, y=np.digitize(facts.dataset.y, [3000, 5000, 7000]).astype(float))
    assert "RK111" not in codes(replace(facts, dataset=few))


@pytest.mark.parametrize(("rows", "categories", "both"), [(20, 20, True), (100, 4, False)])
def test_categories_that_tell_the_target_may_be_groups(
    rows: int, categories: int, both: bool
) -> None:
    """Twenty rows a category are enough, and with ten categories both ways are named."""
    of = np.repeat(np.arange(categories), rows)
    made = data(np.column_stack([of, RNG.normal(size=len(of))]), of % 2, kinds="n")
    read = Reading("d", LAYOUT, len(of), belonging=(("x0", categories, 1.0),))
    said = codes(TableFacts(read, made, best_alone(made)))
    assert ("'groups: x0'" in said["RK101"]) is both
    assert ("RK106" in said) is not both, "said once"


def test_order_by_a_number_is_said_with_a_condition() -> None:
    said = codes(table(in_order=(("meter", True),)))["RK102"]
    assert "'meter'. If it grows with time, random splits mix past and future." in said
    dated = Reading("d", Layout("delimited text", dates=("day",)), 400, in_order=(("day", True),))
    assert "'day', and random splits mix" in codes(TableFacts(dated))["RK102"]


def by_year(changes: float, n: int = 600, rare: bool = False) -> TableFacts:
    """Return rows of 14 years in any order, in the last of which a column ranks otherwise."""
    rng = np.random.default_rng(8)
    years = rng.integers(2010, 2024, n).astype(float)
    some = rng.normal(size=(n, 2))
    sign = np.where(years > 2019, 1 - changes, 1.0)
    y = (sign * some[:, 0] + rng.normal(size=n) > (2.2 if rare else 0)).astype(np.int64)
    made = data(np.column_stack([years, some]), y)
    return TableFacts(Reading("d.csv", LAYOUT, n), made, best_alone(made))


def test_years_that_change_what_ranks_are_found_in_rows_in_any_order() -> None:
    facts = by_year(changes=2.0)
    said = codes(replace(facts, ahead=lambda rows: f" First is row {rows[0]}."))["RK102"]
    assert "Relations change with 'x0': 'x1' puts ." in said
    assert facts.dataset is not None
    first = int(np.argmin(facts.dataset.X[:, 0]))
    assert f"mix past and future. First is row {first}. If later rows" in said
    assert "RK102" not in codes(by_year(changes=0.0))
    assert "RK102" not in codes(by_year(changes=0.0, n=200, rare=True)), "few positives"
    ages = replace(facts.dataset, X=facts.dataset.X - [[1000, 0, 0]])
    assert "RK102" not in codes(replace(facts, dataset=ages)), "no years"


@pytest.mark.parametrize(
    ("times", "found"),
    [
        (lambda years, month: 100 * years + month, True),  # 201904
        (lambda years, month: 10_000 * years + 100 * month + 2 * month, True),  # 20190408
        (lambda years, month: 100 * years + month + 40, False),
    ],
)
def test_months_and_days_in_numbers_are_times(
    times: Callable[..., np.ndarray], found: bool
) -> None:
    facts = by_year(changes=2.0)
    assert facts.dataset is not None
    given = facts.dataset.X.copy()
    given[:, 0] = times(given[:, 0], 1 + np.arange(len(given)) % 12)
    said = codes(replace(facts, dataset=replace(facts.dataset, X=given)))
    assert ("RK102" in said) is found


def test_relations_that_turn_along_the_rows_are_found() -> None:
    """As where the target is coded in another way from some row on."""
    rng = np.random.default_rng(9)
    some = rng.normal(size=(600, 2))
    y = (some[:, 0] + rng.normal(size=600) > 0).astype(np.int64)
    turned = np.where(np.arange(600) < 400, y, 1 - y)
    said = codes(table(some, turned))["RK102"]
    assert "Relations change along the rows: 'x0' puts ." in said
    assert "in the first 420 rows" in said and "recorded in the same way in all rows" in said
    assert "RK102" not in codes(table(some, y))
    by = np.argsort(some[:, 0])  # what the rows are sorted by has another range later
    assert "RK102" not in codes(table(some[by], (np.abs(some[by, 0]) > 1).astype(np.int64)))


def test_a_column_of_mean_targets_gives_them_away() -> None:
    of = RNG.integers(0, 120, 400)
    means = np.bincount(of, weights=Y, minlength=120)[of] / np.bincount(of, minlength=120)[of]
    said = codes(table(np.column_stack([X[:, 1:], means.round(3)])))["RK101"]
    assert "'x2' holds the mean target of the rows with its value" in said
    assert "RK101" not in codes(table(np.column_stack([X[:, 1:], RNG.permutation(means)])))
    shrunk = (2 * Y.mean() + means) / 3  # of training rows, or towards the mean of all
    assert "RK101" not in codes(table(np.column_stack([X[:, 1:], shrunk])))


@pytest.mark.parametrize("kind", ["winners", "places", "noise", "three positives"])
def test_values_with_the_same_targets_are_queries(kind: str) -> None:
    heat, rng = np.repeat(np.arange(50), 8), np.random.default_rng(10)
    place = rng.permuted(np.tile(np.arange(8), (50, 1)), axis=1).ravel()
    y = {
        "winners": place == 0,
        "places": place,
        "noise": rng.permutation(place),
        "three positives": np.isin(np.arange(400), [3, 133, 301]),
    }[kind].astype(np.int64)
    made = data(np.column_stack([heat, X[:, 1:]]), y, kinds="n")
    made = replace(made, levels=("a", "b") if y.max() == 1 else tuple("12345678"))
    read = Reading("d.csv", LAYOUT, 400, columns=(Column("x0", "nominal", "feature", 0),))
    said = codes(TableFacts(read, made, best_alone(made)))
    assert ("RK108" in said) is (kind in {"winners", "places"})
    assert "races or pairs" in said.get("RK108", "races or pairs")


def test_a_code_in_the_target_of_a_study_is_found_without_its_values() -> None:
    y = np.append(RNG.integers(0, 120, 380), 20 * [9999]).astype(float)
    made = replace(data(X, Y), y=y, levels=None)
    assert (
        "9999 in the target (20 rows)"
        in codes(TableFacts(Reading("d.csv", LAYOUT, 400), made, best_alone(made)))["RK107"]
    )


def test_dates_left_out_are_named_unless_rows_are_in_their_order() -> None:
    date = Column("signup", "date", "left out", "it holds dates or times")
    facts = table(columns=(date,))
    assert "Dates were left out: 'signup'." in codes(facts)["RK103"]
    for how, words in (
        ("", "'protocol: {kind: time, column: signup}'"),
        ("typed", "--time signup"),
        ("python", "time='signup'"),
    ):
        with speaking(how):  # type: ignore[arg-type]
            expected = f" If later rows are to be ranked, split by time: {words} (RK103)."
            assert codes(facts)["RK103"].endswith(expected)
    by_time = replace(facts.dataset, times=np.arange(400.0))  # type: ignore[type-var]
    assert "by time" not in codes(replace(facts, dataset=by_time))["RK103"]
    assert "by time" not in str(codes(table(columns=(TEXT,)))["RK103"])
    assert "RK103" not in codes(table(columns=(date,), in_order=(("signup", True),)))


@pytest.mark.parametrize(
    ("values", "alike"),
    [
        ({"-1": 9, "1": 9}, ""),
        ({"-0.445": 9, "0.445": 9, "2": 1}, ""),
        ({"A": 90, "A-": 9, "B": 9}, ""),
        ({"stage I": 90, "stage II": 9}, ""),
        ({"type one": 90, "type two": 9}, ""),
        ({"inactive": 90, "active": 9}, ""),
        ({"male": 90, "female": 9}, ""),
        (
            {"churned": 352, "chruned": 1, "stayed": 340, "stayd": 2},
            "churned, chruned|stayed, stayd",
        ),
        ({"churned": 10, "chruned": 9}, ""),
        ({"very-good": 9, "Very good": 8, "bad": 3}, "very-good, Very good"),
    ],
)
def test_alike_are_words_that_may_be_one(values: dict[str, int], alike: str) -> None:
    said = codes(TableFacts(Reading("d", LAYOUT, 9), values=values)).get("RK105", "")
    assert re.findall(r"(?:values |; )(.+?) look alike", said) == alike.split("|") * bool(alike)


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        ({"0": 300, "1": 300, "-9": 40}, "-9 in the target (40 rows)"),
        ({"1": 30, "5": 30, "99": 4, "999": 3}, "99 in the target (4 rows), 999 in the target"),
        ({"1": 30, "5": 30, "99": 2}, ""),
        ({"18": 30, "80": 30, "99": 4}, ""),
        ({"-1": 30, "1": 30}, ""),
        ({"0": 30, "999": 30}, ""),
        ({"-9": 5, "0": 5, "9": 5}, ""),
    ],
)
def test_codes_for_missing_are_far_from_all_other_values(
    counts: dict[str, int], expected: str
) -> None:
    with typed():
        said = codes(TableFacts(Reading("d", LAYOUT, 9), values=counts)).get("RK107", "")
    assert expected in said and bool(expected) is bool(said)


def test_a_few_rows_below_chance_are_no_sign_of_turned_labels() -> None:
    twelve = MethodFacts("tree", 0.22, 0.1), MethodFacts("ridge", 0.45, 0.1)
    assert [one.code for one in after(found(*twelve))] == ["RK201"]


def test_the_best_column_is_doubted_before_it_is_recommended() -> None:
    (one,) = after(found(GOOD, alone=SCORE))
    assert one.advice.startswith("Is it known before the target is?")


def test_almost_perfect_is_asked_about_once_and_of_losses_too() -> None:
    perfect = MethodFacts("tree", 0.0004, 0.001)
    assert [one.code for one in after(found(perfect, higher=False))] == ["RK207"]
    assert [one.code for one in after(found(MethodFacts("tree", 1.0, 0.0)))] == ["RK207"]
    assert not after(found(MethodFacts("tree", 1.0, 0.001), alone=Alone("x", 0.995)))
    assert [o.code for o in after(found(MethodFacts("tree", 1.0, 0.3)))] == ["RK201"], "few rows"


def test_rows_that_are_equal_altogether_are_kept_together_anyway() -> None:
    thrice, twice = np.repeat(X[:100], 3, axis=0), np.repeat(X[:150], 2, axis=0)
    facts = table(twice, np.repeat(Y[:150], 2), belonging=(("x0", 150, 1.0),))
    assert "RK106" not in codes(facts)
    facts = table(thrice, np.repeat(Y[:100], 3), belonging=(("x0", 100, 1.0),))
    assert "RK106" not in codes(facts), "copies"
    ten = np.repeat(np.arange(10.0)[:, None], 30, axis=0)
    few = table(ten, np.repeat(Y[:10], 30), belonging=(("x0", 10, 1.0),))
    assert "RK106" in codes(few), "splits part combinations of a few values"
    beside = np.column_stack([thrice, RNG.normal(size=300)])
    assert "RK106" in codes(table(beside, facts.dataset.y, belonging=(("x0", 100, 1.0),)))  # type: ignore[union-attr]


@pytest.mark.filterwarnings("error")
def test_odd_tables_are_looked_at_without_a_warning() -> None:
    """Thousands of categories, a class in late years alone, huge numbers, empty halves."""
    n = 4000
    of, years = np.arange(n) % 200, 2000.0 + np.arange(n)[::-1] // 200
    huge = np.where(np.arange(n) % 2, np.nan, 1e200)
    X = np.column_stack([of, years, huge, RNG.normal(size=n)])
    y = (years > 2017).astype(np.int64) * (np.arange(n) % 3 == 0)
    made = data(X, y, "n")
    read = Reading("d", LAYOUT, n)
    before(TableFacts(read, made, best_alone(made)))
    before(TableFacts(read, replace(made, y=years + of / 1000, levels=None)))


def test_codes_in_levels_of_a_study_are_found() -> None:
    made = replace(data(X, np.arange(400) % 4), levels=("1", "2", "3", "99"))
    said = codes(TableFacts(Reading("d", LAYOUT, 400), made, best_alone(made)))
    assert "99 in the target (100 rows)" in said["RK107"]
