"""Sentences of templates: what stands in one is said as it is, and every template is in use."""

import re
from pathlib import Path

import jinja2
import pytest

import rankexp
from rankexp.runner import sentences
from rankexp.runner.sentences import paragraphs

ROOT = Path(rankexp.__file__).parent
TEXTS = {file.stem: file.read_text(encoding="utf-8") for file in (ROOT / "runner/texts").iterdir()}
NAMED = re.compile(
    r'\b(?:paragraphs|told|_said)\(\s*(?:context,\s*)?"([^"]+)"|include "(\w+)\.jinja"'
)


def test_every_template_is_named_somewhere_and_there() -> None:
    files = [*(file.read_text(encoding="utf-8") for file in ROOT.rglob("*.py")), *TEXTS.values()]
    named = {"".join(found) for text in files for found in NAMED.findall(text)}
    assert named == {*TEXTS}


def test_ends_of_lines_are_spaces_but_values_stay_as_they_are() -> None:
    (text,) = paragraphs("claims", block="my  block", alpha="- .05\n- more")
    assert "number lies in the range claimed. Does not hold" in text
    assert "my  block.csv" in text and "at - .05\n- more, adjusted" in text


def test_a_paragraph_may_be_empty() -> None:
    known = {"repeated": 0, "rows": 9, "strange": [], "both": None, "tested": None, "within": True}
    assert paragraphs("shared", **known) == [""]
    (text,) = paragraphs("shared", **known | {"repeated": 3, "strange": ["'a' in 2 rows"]})
    assert text.startswith("3 of the 9 test rows") and text.endswith("ignored: 'a' in 2 rows.")


def test_a_value_that_a_template_lacks_is_an_error() -> None:
    with pytest.raises(jinja2.UndefinedError, match="alpha"):
        paragraphs("claims", block="b")


@pytest.mark.parametrize("name", TEXTS)
def test_a_template_is_made_of_paragraphs(name: str) -> None:
    """It can be compiled, and no sentence stands before the first paragraph."""
    said = [
        line for line in TEXTS[name].splitlines() if not line.startswith(("%", " ", "}", "{%"))
    ]
    assert not said or said[0].startswith("-")
    sentences._templates().get_template(f"{name}.jinja")
