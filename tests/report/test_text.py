import math
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankexp.report import text
from rankexp.report.output import Grid, Output


@pytest.mark.parametrize(
    ("value", "expected"),
    [(0.0051, ".0051"), (-0.0019, "-.0019"), (1.25, "1.2500"), (10.5, "10.5000"), (0.0, ".0000")],
)
def test_numbers_are_printed_as_in_the_papers(value: float, expected: str) -> None:
    assert text.number(value) == expected


def test_signs_dashes_and_errors() -> None:
    assert text.number(math.nan) == text.NOTHING
    assert text.number(0.01, 2, sign=True) == "+.01"
    assert text.number(-0.00001, sign=True) == ".0000"  # no sign where nothing is left
    assert (text.number(math.inf), text.number(-math.inf)) == ("∞", "-∞")
    assert text.with_error(0.0052, 0.0002) == ".0052 ± .0002"
    assert text.with_error(0.0052, math.nan) == ".0052"


def unescaped_specials(source: str) -> list[str]:
    """Return what TeX would take for markup, once known commands and math are taken out."""
    plain = re.sub(r"\\(textbackslash|textasciitilde|textasciicircum)\{\}", "", source)
    plain = re.sub(r"\$(<|>|\||-|\\[a-z]+)\$", "", plain)
    return re.findall(r"(?<!\\)[&%$#_{}~^\\](?![&%$#_{}])", plain)


@settings(max_examples=50, deadline=None)
@given(st.text(alphabet=r"ab&%$#_{}~^\<>|±×≤ "))
def test_tex_has_no_special_left(given_text: str) -> None:
    assert unescaped_specials(text.tex(given_text)) == []


GRID = Grid(
    ["Data & set", "a_b", "100 %"],
    [["x|y", "1 ± 2", "#1"], ["{z}", "–", "~^\\"]],
    "Caption with 5 % & $",
)


def test_a_tex_table_has_the_same_columns_in_every_row() -> None:
    source = text.tex_output(Output(grids=[GRID], notes=["50 % of x_1"], incomplete=["Lacks & %"]))
    for name in ("table", "tabular"):
        assert source.count(rf"\begin{{{name}}}") == source.count(rf"\end{{{name}}}") == 1
    body = source[source.index(r"\begin{tabular}") : source.index(r"\end{tabular}")]
    rows = [line for line in body.splitlines() if line.endswith(r"\\")]
    *cells, remark = rows
    assert all(len(re.findall(r"(?<!\\)&", row)) == 2 for row in cells)
    assert remark.startswith(r"\multicolumn{3}{l}{Lacks \& \%}")
    assert r"\begin{tabular}{lrl}" in source
    assert r"\noindent 50 \% of x\_1\par" in source
    commands = set(re.findall(r"\\([a-zA-Z]+)", source))
    assert commands <= {
        *("begin", "end", "centering", "caption", "hline", "multicolumn", "noindent", "par"),
        *("pm", "textbackslash", "textasciitilde", "textasciicircum"),
    }
    depth = 0
    for brace in re.findall(r"(?<!\\)[{}]", source):
        depth += 1 if brace == "{" else -1
        assert depth >= 0
    assert depth == 0


def test_a_markdown_row_keeps_its_columns() -> None:
    lines = text.markdown_grid(GRID).splitlines()
    assert lines[0].startswith("**")
    for line in lines[2:]:
        assert len(re.findall(r"(?<!\\)\|", line)) == 4
    assert r"x\|y" in lines[4]


def test_plain_tables_are_aligned_and_leave_out_details() -> None:
    lines = text.plain_grid(GRID).splitlines()
    assert lines[1].index("a_b") + len("a_b") == lines[3].index("1 ± 2") + len("1 ± 2")
    detail = Grid(["h"], [["hidden"]], detail=True)
    shown = text.plain_output(Output(grids=[GRID, detail], notes=["n"], incomplete=["LACKS"]))
    assert shown.startswith("LACKS") and "hidden" not in shown and shown.endswith("n")
