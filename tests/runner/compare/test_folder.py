"""What a user edited is never written anew, and what is replaced is said."""

from pathlib import Path

import pytest

from rankexp.errors import ConfigError
from rankexp.runner.compare.study import STUDY, choose, headed, state

BODY = "study: s\ntitle: 'my.csv: does training on pairs help to rank by churn?'\n"


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def written(name: str, text: str = headed(BODY, "x", ".")) -> Path:
    Path(name).mkdir(exist_ok=True)
    (Path(name) / STUDY).write_text(text, encoding="utf-8")
    return Path(name)


def test_a_new_folder_needs_no_word() -> None:
    assert choose(None, "my table") == (Path("compare-my-table"), [])
    assert choose(Path("out"), "my") == (Path("out"), [])


@pytest.mark.parametrize("named", [None, Path("compare-my")])
def test_an_answer_as_it_was_made_is_replaced_and_that_is_said(named: Path | None) -> None:
    folder = written("compare-my")
    assert state(folder) == "made"
    chosen, (said,) = choose(named, "my")
    assert chosen == folder
    assert said.startswith("compare-my holds an earlier answer (my.csv: does training")
    assert "This one replaces it" in said and "--out" in said


@pytest.mark.parametrize("edit", ["note: mine\n", "# a comment\n"])
def test_an_edited_study_stays_and_the_answer_goes_beside_it(edit: str) -> None:
    folder = written("compare-my")
    file = folder / STUDY
    file.write_text(file.read_text(encoding="utf-8") + edit, encoding="utf-8")
    assert state(folder) == "edited"
    chosen, (said,) = choose(None, "my")
    assert chosen == Path("compare-my-2")
    assert "compare-my/study.yaml was edited and stays" in said and "goes to compare-my-2" in said
    written("compare-my-2")
    chosen, said_again = choose(None, "my")
    assert chosen == Path("compare-my-2") and "This one replaces it" in said_again[1]
    with pytest.raises(ConfigError, match=r"was edited since .* name another folder with --out"):
        choose(folder, "my")


def test_what_compare_did_not_write_is_not_overwritten() -> None:
    written("out", "mine: 1\n")
    with pytest.raises(
        ConfigError, match=r"'out' holds study\.yaml that 'rankexp compare' did not"
    ):
        choose(Path("out"), "my")
    written("compare-my", "mine: 1\n")
    chosen, (said,) = choose(None, "my")
    assert chosen == Path("compare-my-2") and "is not of 'rankexp compare'" in said
    Path("compare-b").mkdir()
    (Path("compare-b") / "report.md").write_text("notes")
    assert choose(None, "b")[0] == Path("compare-b-2")
