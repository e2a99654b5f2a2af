"""What is asked of a table is told from its target's values; every guess is said."""

import pandas as pd
import pytest

from rankexp.errors import ConfigError
from rankexp.runner.compare.question import ask, check_rows
from rankexp.runner.config.asking import typed


def test_of_two_words_the_usual_one_is_positive_and_that_is_said() -> None:
    found = ask("left", {"Yes": 800, "No": 100})
    assert found.levels == ["No", "Yes"]
    assert found.metric == "auc"
    assert min(found.counts.values()) == 100
    assert "'Yes' is taken as the positive value" in found.guesses[0]
    assert "--positive" in found.guesses[0]


def test_of_two_numbers_the_larger_is_positive_and_of_two_other_words_the_rarer() -> None:
    assert ask("y", {"2": 5, "1": 50}).levels == ["1", "2"]
    assert ask("y", {"10": 5, "9": 50}).levels == ["9", "10"], "as numbers, not as texts"
    assert ask("kind", {"ham": 90, "spam": 10}).levels == ["ham", "spam"]


def test_what_is_given_is_no_guess() -> None:
    found = ask("left", {"yes": 2, "no": 3}, positive="no")
    assert (found.levels, found.guesses) == (["yes", "no"], [])
    assert ask("q", {"a": 1, "b": 2, "c": 3}, levels=["c", "a", "b"]).levels == ["c", "a", "b"]


def test_one_of_several_values_is_ranked_before_the_rest() -> None:
    found = ask("colour", {"red": 5, "blue": 7, "green": 8}, positive="red")
    assert found.levels == [["*"], "red"]
    assert found.counts == {"others": 15, "red": 5}
    assert found.kind == "two"


def test_few_whole_numbers_are_levels_and_many_are_a_number() -> None:
    wine = {"3": 10, "10": 5, "4": 53, "5": 681}
    assert ask("quality", wine).levels == ["3", "4", "5", "10"]
    assert ask("quality", wine, continuous=True).kind == "continuous"
    many = {str(i): 1 for i in range(30)}
    assert ask("price", many).levels is None
    assert ask("price", {"0.5": 1, "1": 2, "2": 1}).kind == "continuous"
    halves = ask("rating", {"0.5": 30, "0": 20, "1": 3})
    assert halves.levels == ["0", "0.5", "1"] and "the 3 numbers of 'rating'" in halves.guesses[0]


@pytest.mark.parametrize(
    ("counts", "given", "said"),
    [
        ({"a": 3}, {}, "only the value 'a'"),
        ({"x": 3}, {}, "nothing to rank by. If an empty cell means no, write 'no' into it"),
        ({}, {}, "no value at all"),
        ({"a": 3, "b": 1, "c": 1}, {}, "--levels, or name one with --positive"),
        ({"yes": 3, "no": 1}, {"positive": "yess"}, "no value 'yess' (did you mean 'yes'?)"),
        ({"a": 3, "b": 1, "c": 1}, {"levels": ["a", "b"]}, "leaves out c"),
        ({"a": 3, "b": 1}, {"levels": ["a", "b", "a"]}, "names a value twice"),
        ({"a": 3, "b": 1, "c": 1}, {"continuous": True}, "no numbers"),
        ({"a": 3, "b": 1}, {"positive": "a", "levels": ["a", "b"]}, "exclude each other"),
    ],
)
def test_what_cannot_be_asked_is_refused_with_the_option_that_helps(
    counts: dict[str, int], given: dict[str, object], said: str
) -> None:
    with pytest.raises(ConfigError) as error:
        ask("y", counts, **given)  # type: ignore[arg-type]
    assert said in str(error.value)


@pytest.mark.parametrize(
    ("values", "line"),
    [
        (["2:32:59", "3:01:00", "10:00:01"], "pd.to_timedelta(table['y']).dt"),
        (["3:15", "75:30", "9:00"], "pd.to_timedelta('0:' + table['y']).dt"),
        (["P0DT0H10M0.17S", "P1DT2H10M0S", "-P1DT0H0M1S"], "pd.to_timedelta(table['y']).dt"),
        (["59:30", "1:02:30", "1:12:30"], ""),
    ],
)
def test_durations_are_to_be_seconds(values: list[str], line: str) -> None:
    for given in ({}, {"continuous": True}):
        with pytest.raises(ConfigError) as error:
            ask("y", dict.fromkeys(values, 5), **given)  # type: ignore[arg-type]
        assert "into seconds first" in str(error.value) and line in str(error.value)
        assert ("pandas" in str(error.value)) is bool(line) and "level" not in str(error.value)
    if line:
        made = str(error.value).partition("= ")[2]
        seconds = eval(made, {"pd": pd, "table": pd.DataFrame({"y": values})})
        assert seconds.notna().all() and seconds.is_unique
    with pytest.raises(ConfigError, match="unknown order"):
        ask("y", dict.fromkeys([*values, "late"], 5))


def test_numbers_within_texts_propose_an_order() -> None:
    stars = {"10 stars": 9, "2 stars": 8, "1 star": 7}
    with typed(), pytest.raises(ConfigError, match="--levels '1 star,2 stars,10 stars'"):
        ask("y", stars)
    for values in (
        {"a1": 3, "b1": 4, "c2": 5},
        {"1 to 2": 3, "3 to 4": 4, "5 to 9": 2},
        {"500k": 3, "1.2M": 4, "750k": 2},
        {f"{k} h": 3 for k in range(11)},
    ):
        with pytest.raises(ConfigError) as error:
            ask("y", values)
        assert "By the numbers" not in str(error.value)


@pytest.mark.parametrize(
    ("counts", "said"),
    [
        (
            {"0": 50, "1": 40, "2": 2},
            ["2 rows of '2'", "take its rows out of the table", "--merge 1,2", "--continuous"],
        ),
        ({"0": 2, "1": 40, "2": 20}, ["--merge 1,0"]),
        ({"no": 50, "yes": 1}, ["1 row of 'yes'", "take its rows out"]),
    ],
)
def test_a_value_with_too_few_rows_is_refused_with_ways_out(
    counts: dict[str, int], said: list[str]
) -> None:
    with typed(), pytest.raises(ConfigError) as error:
        check_rows("y", ask("y", counts), 3)
    assert all(part in str(error.value) for part in said)
    assert ("--continuous" in str(error.value)) is ("2" in counts)
    check_rows("y", ask("y", dict.fromkeys(counts, 3)), 3)


@pytest.mark.parametrize(
    ("numbers", "asked"),
    [("123459", True), ("12345", False), ("01", False), ("123", False), ("1235", False)],
)
def test_a_last_level_far_from_the_others_may_mean_no_answer(numbers: str, asked: bool) -> None:
    with typed():
        (guess,) = ask("recommend", dict.fromkeys(numbers, 30)).guesses
    far = f"{numbers[-1]} is far from the others: if it means no answer, say --missing"
    assert (far in guess) is asked
