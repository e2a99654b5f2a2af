"""Options are named as a study, the command line or Python has them."""

from rankexp.runner.config.asking import flag, merged, message, option, said, typed


def some_options() -> list[str]:
    return [option("drop", "age", "zip"), option("sheet"), option("header", False)]


def test_an_option_is_said_in_three_manners() -> None:
    assert some_options() == ["'drop: [age, zip]'", "'sheet'", "'header: false'"]
    with typed():
        assert some_options() == ["--drop age,zip", "--sheet", "--no-header"]
        assert option("most_coded") == "in a study 'most_coded'"
    with said("python"):
        assert some_options() == ["drop=['age', 'zip']", "sheet=...", "header=False"]


def test_an_option_that_no_study_has() -> None:
    assert [flag("minutes"), flag("minutes", 3)] == ["--minutes", "--minutes 3"]
    with said("python"):
        found = [flag("minutes"), flag("minutes", 3), flag("queries", "qid")]
    assert found == ["minutes=...", "minutes=3", "queries='qid'"]


def test_groups_of_values_that_are_one() -> None:
    groups = [["yes", "Yes"], ["no", "NO"]]
    with typed():
        assert merged(groups) == "--merge yes,Yes --merge no,NO"
    with said("python"):
        assert merged(groups) == "merge=[['yes', 'Yes'], ['no', 'NO']]"


def test_a_message_names_options() -> None:
    with typed():
        text = message("compare.no_numbers", target="age")
    assert text == "target 'age' has values that are no numbers: --levels orders them"
