"""Sentences of templates: what stands in one is said as it is, and every template is in use."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import jinja2
import pytest
from jinja2 import meta

import rankexp
from rankexp.runner import sentences
from rankexp.runner.sentences import paragraphs

ROOT = Path(rankexp.__file__).parent
FILES = [*(ROOT / "runner/texts").iterdir(), *ROOT.glob("studies/*/*.jinja")]
TEXTS = {file.stem: file.read_text(encoding="utf-8") for file in FILES}
NAMED = re.compile(
    r'\b(?:paragraphs|told|_said|messages?)\(\s*(?:context,\s*)?"(\w+)'
    r'|(?:include|from) "(\w+)\.jinja"'
)
BLOCK = re.compile(r"^% block (\w+)\n(.*?)^% endblock$", re.M | re.S)
BLOCKS = {f"{n}.{b}": text for n, own in TEXTS.items() for b, text in BLOCK.findall(own)}


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


def _keys(part: ast.AST, name: str) -> Iterator[str]:
    """Yield the keys of the mappings that a function puts together under a name."""
    for made in ast.walk(part):
        targets = made.targets if isinstance(made, ast.Assign) else [getattr(made, "target", made)]
        if any(isinstance(target, ast.Name) and target.id == name for target in targets):
            for found in ast.walk(getattr(made, "value", made)):
                keys = found.keys if isinstance(found, ast.Dict) else ()
                yield from (str(key.value) for key in keys if isinstance(key, ast.Constant))


def _calls() -> Iterator[tuple[str, set[str], set[str]]]:
    """Yield the block of each call that names one, what is given by keyword, and in a mapping."""
    for file in ROOT.rglob("*.py"):
        for part in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            for call in ast.walk(part) if isinstance(part, ast.FunctionDef) else ():
                how = getattr(call.func, "id", "") if isinstance(call, ast.Call) else ""
                if how == "message" or (
                    how in ("messages", "paragraphs") and "." in ast.unparse(call.args[0])
                ):
                    assert isinstance(call.args[0], ast.Constant)
                    own = {word.arg for word in call.keywords if word.arg}
                    more = [word.value for word in call.keywords if word.arg is None]
                    of = {key for one in more for key in _keys(part, ast.unparse(one))}
                    yield str(call.args[0].value), own, of


def test_a_call_gives_what_its_block_names() -> None:
    calls = list(_calls())
    assert {block for block, _, _ in calls} == {*BLOCKS}
    made = sentences._templates()
    for block, own, more in calls:
        names = meta.find_undeclared_variables(made.parse(BLOCKS[block]))
        wanted = names - {"option", "flag", "merged"}
        assert own <= wanted <= own | more, block
        assert more or own == wanted, block
