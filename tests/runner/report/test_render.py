import math
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankexp.charts.numbers import NOTHING, number
from rankexp.runner.config.asking import message
from rankexp.runner.report.heads import Head, Role
from rankexp.runner.report.model import Cell, Cells, Mark, Output, Page, Section, Table
from rankexp.runner.report.render import latex, markdown, terminal
from rankexp.runner.report.render.text import all_notes, cell_text


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (0.0051, ".0051"),
        (-0.0019, "−.0019"),
        (1.25, "1.2500"),
        (10.5, "10.5000"),
        (0.0, ".0000"),
        (-1e3, "−1,000.0000"),
    ],
)
def test_numbers_are_printed_as_in_the_papers(value: float, expected: str) -> None:
    assert number(value) == expected


def test_signs_dashes_and_errors() -> None:
    assert number(math.nan) == NOTHING
    assert number(0.01, 2, sign=True) == "+.01"
    assert number(-0.00001, sign=True) == ".0000"  # no sign where nothing is left
    assert (number(math.inf), number(-math.inf)) == ("∞", "−∞")


def test_cells_print_their_value_error_mark_and_remark() -> None:
    assert cell_text(Cell(0.0052, 0.0002, mark=Mark.NEAR)) == ".0052 ± .0002 ≈"
    assert cell_text(Cell(0.0052, math.nan, sign=True)) == "+.0052"
    assert cell_text(Cell(math.nan, 0.1)) == cell_text(Cell()) == NOTHING
    assert cell_text(Cell("lam=1", mark=Mark.EDGE, remark="6")) == "lam=1* (6)"
    assert cell_text(Cell(interval=(-0.1, 0.2), digits=1, sign=True)) == "−.1 to +.2"
    assert cell_text(Cell(0.1, interval=(0.0, 0.2), digits=1)) == ".1 (.0 to .2)"
    assert cell_text(Cell(interval=(-math.inf, math.inf))) == "no interval"
    assert cell_text(Cell(interval=(math.nan, math.nan))) == NOTHING
    assert cell_text(Cell(0.0001, digits=3, least=0.001)) == "<.001"
    assert cell_text(Cell(0.0005, digits=3, least=0.001)) in {".001", ".000"}
    assert cell_text(Cells([Cell(1.0, digits=1), "not run", Cell()])) == "1.0 / not run / –"


def test_notes_are_numbered_as_cells_refer_to_them() -> None:
    rows = [[Cell("", note="second")], [Cell(1.0, note="first", digits=0)], [Cell(note="second")]]
    output = Output(tables=[Table(["a"], rows)], notes=["before"])
    assert all_notes(output) == ["before", "[1] second", "[2] first"]
    assert "| \\[1] |" in markdown.body(output) and "| 1 \\[2] |" in markdown.body(output)


def unescaped_specials(source: str) -> list[str]:
    """Return what TeX would take for markup, once known commands and math are taken out."""
    plain = re.sub(r"\\(textbackslash|textasciitilde|textasciicircum)\{\}", "", source)
    plain = re.sub(r"\$(<|>|\||-|\\[a-z]+)\$", "", plain)
    return re.findall(r"(?<!\\)[&%$#_{}~^\\](?![&%$#_{}])", plain)


@settings(max_examples=50)
@given(st.text(alphabet=r"ab&%$#_{}~^\<>|±×≤ "))
def test_tex_has_no_special_left(given_text: str) -> None:
    assert unescaped_specials(latex.escape(given_text)) == []


TABLE = Table(
    ["Data & set", Head("a_b", Role.VALUE), "100 %"],
    [["x|y", "1 ± 2", "#1"], ["{z}", "–", "~^\\"]],
    "Caption with 5 % & $",
)


def test_a_tex_table_has_the_same_columns_in_every_row() -> None:
    source = latex.render(Output(tables=[TABLE], notes=["50 % of x_1"], incomplete=["Lacks & %"]))
    assert source is not None
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
    lines = markdown.table(TABLE).splitlines()
    assert lines[0].startswith("**")
    for line in lines[2:]:
        assert len(re.findall(r"(?<!\\)\|", line)) == 4
    assert r"x\|y" in lines[4]


def test_plain_tables_are_aligned_and_leave_out_details() -> None:
    lines = terminal.table(TABLE).splitlines()
    assert lines[1].index("a_b") + len("a_b") == lines[3].index("1 ± 2") + len("1 ± 2")
    detail = Table(["h"], [["hidden"]], detail=True)
    shown = terminal.render(Output(tables=[TABLE, detail], notes=["n"], incomplete=["LACKS"]))
    assert shown.startswith("LACKS") and "hidden" not in shown and shown.endswith("n")


LABELS = st.text(
    alphabet=st.one_of(
        st.sampled_from("|\\\n\r\x1b[]*&_$<#`~{}%^ -+.1\x85\u2028"), st.characters()
    ),
    max_size=12,
)


def markdown_cells(row: str) -> int:
    """Count a row's cells as a reader of GitHub's Markdown does."""
    return len(re.findall(r"(?<!\\)(?:\\\\)*\|", row)) - 1


def tex_cells(row: str) -> int:
    return len(re.findall(r"(?<!\\)(?:\\\\)*&", row)) + 1


@settings(max_examples=200)
@given(st.lists(st.lists(LABELS, min_size=3, max_size=3), min_size=1, max_size=3), LABELS)
def test_rows_keep_their_number_of_cells(rows: list[list[str]], caption: str) -> None:
    shown = Table(["a", "b", "c"], rows, caption)
    lines = markdown.table(shown).split("\n")
    assert len(lines) == len(rows) + 2 + 2 * bool(caption)
    assert [markdown_cells(line) for line in lines[-len(rows) :]] == [3] * len(rows)
    source = latex.table(shown, ()).split("\n")
    body = source[source.index(r"\hline") + 3 : -3]
    assert len(body) == len(rows) and all(line.endswith(r" \\") for line in body)
    assert [tex_cells(line) for line in body] == [3] * len(rows)
    assert not any(line.lstrip().startswith(("[", "*")) for line in body)
    plain = terminal.table(shown).split("\n")
    assert len(plain) == len(rows) + 2 + bool(caption)
    assert not re.search(r"[\x00-\x1f\x7f-\x9f]", "".join([*lines, *source, *plain]))


@settings(max_examples=200)
@given(st.lists(LABELS, min_size=1, max_size=4).map("\n".join))
def test_prose_is_never_taken_for_markup(text: str) -> None:
    for line in markdown.prose(text).split("\n"):
        assert not re.match(r"\s*([-+*>#=~|]|\d+[.)]|```)", line)
        assert not re.search(r"(?<!\\)(?:\\\\)*[`<\[_*|]", line)


def test_a_page_shows_titles_and_texts_as_they_are() -> None:
    section = Section("# [x](y) <b>", "- no list\n1. nor one", Output(notes=["*n*"]), ["a.png"])
    page = markdown.page(Page("A <script> & `code`", "_x_", "> quoted\n\n## head", [], [section]))
    assert page.splitlines() == [
        r"# A \<script> & \`code\`",
        "",
        r"Source: \_x\_",
        "",
        r"\> quoted",
        "",
        r"\## head",
        "",
        r"## # \[x](y) \<b>",
        "",
        r"\- no list",
        r"1\. nor one",
        "",
        r"![# \[x](y) \<b>](a.png)",
        "Files: [a.png](a.png)",
        "",
        r"- \*n\*",
        "",
        message("report.closing"),
    ]


def test_a_table_keeps_to_the_width_of_the_terminal() -> None:
    long = "-.0003 (-.0013 to +.0006), equivalent"
    shown = Table(["Method", "A", "B"], [["logistic on points", long, long], ["b", "1", "2"]])
    wide, narrow = terminal.table(shown), terminal.table(shown, width=50)
    assert max(map(len, wide.split("\n"))) > 90 and max(map(len, narrow.split("\n"))) <= 50
    words = [sorted(w for w in text.split() if set(w) != {"-"}) for text in (wide, narrow)]
    assert words[0] == words[1]
    assert terminal.table(shown, width=200) == wide
