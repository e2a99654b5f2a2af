"""Markdown: a file a block with tables, and the page that shows a study in order."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from rankexp.charts.letters import one_line
from rankexp.runner.config.asking import message
from rankexp.runner.report.model import Output, Page, Said, Section, Table, footnotes
from rankexp.runner.report.render.text import all_notes, led, rows

SUFFIX = "md"
_MARKUP = re.compile(r"([\\|*_`<\[$]|&(?=#?\w+;)|~(?=~))")
# Beginnings of a line that would make a list, a heading or a quotation of it:
_BEGINNING = re.compile(r"^(\s*)([-+>#=~])", re.MULTILINE)
_NUMBERED = re.compile(r"^(\s*\d+)(?=[.)])", re.MULTILINE)


def escape(text: str) -> str:
    """Escape what would break a table's row or be taken for markup or HTML."""
    return _MARKUP.sub(r"\\\1", one_line(text))


def prose(text: str) -> str:
    """Escape a text that stands by itself; its lines and paragraphs stay."""
    lines = "\n".join(escape(line) for line in text.strip().split("\n"))
    return _NUMBERED.sub(r"\1\\", _BEGINNING.sub(r"\1\\\2", lines))


def table(shown: Table, notes: Mapping[str, int] | None = None) -> str:
    """Return a table, its caption above in bold."""
    cells = rows(shown, notes, _linked)
    head = list(map(escape, shown.labels))
    lines = ["| " + " | ".join(row) + " |" for row in [head, *cells]]
    lines.insert(1, "|" + "|".join("---:" if r else ":---" for r in shown.right) + "|")
    caption = [f"**{escape(shown.title)}**", ""] if shown.title else []
    return "\n".join([*caption, *lines])


def _linked(text: str, link: str) -> str:
    return f"[{escape(text)}]({link})" if link else escape(text)


def body(output: Output, pictures: Sequence[str] = ()) -> str:
    """Return all tables and notes of a block, its pictures behind what is said first."""
    numbered = footnotes(output.tables)
    parts = [f"**{escape(text)}**" for text in output.incomplete]
    for label, words in map(led, output.lead):
        parts.append(f"**{escape(label)}** {escape(words)}" if label else prose(words))
    parts += pictures
    parts += [table(one, numbered) for one in output.tables]
    parts += ["\n".join(f"- {prose(one_line(note))}" for note in all_notes(output))]
    return "\n\n".join(part for part in parts if part)


def render(output: Output) -> str | None:
    """Return a block's file, or None where it has no table."""
    return body(output) + "\n" if output.tables else None


def page(shown: Page) -> str:
    """Return the page of a study."""
    parts = [f"# {escape(shown.title)}"]
    parts += [f"Source: {escape(shown.source)}"] if shown.source else []
    parts += [prose(shown.text), *(f"**{escape(line)}**" for line in shown.incomplete)]
    parts += [*map(_section, shown.sections), message("report.closing")]
    if shown.aside:
        parts += ["## In files", "\n".join(map(_aside, shown.aside))]
    return "\n\n".join(part for part in parts if part) + "\n"


def _section(section: Section) -> str:
    """Return a section; what is a detail stands in its files only."""
    title = escape(section.title)
    output = section.output
    main = replace(output, tables=[one for one in output.tables if not one.detail])
    pictures = [f"![{title}]({name})" for name in section.files if name.endswith(".png")]
    links = ", ".join(f"[{name}]({name})" for name in section.files)
    files = f"Files: {links}" if links else ""
    if pictures:  # which its files stand below
        pictures, files = ["\n".join([*pictures, files])], ""
    parts = [f"## {title}", prose(section.text), body(main, pictures), files]
    return "\n\n".join(part for part in parts if part)


def _aside(section: Section) -> str:
    """Return the line of a section that stands in its files only, with what is wrong with it."""
    output = section.output
    warned = [text for text in output.warnings if text not in output.gist]
    wrong = [f"**{escape(text)}**" for text in [*output.incomplete, *warned]]
    links = ", ".join(f"[{name}]({name})" for name in section.files)
    title, _ = led(Said(section.title, ""))
    parts = [f"- **{escape(title)}**", *wrong, escape(output.gist), links]
    return " ".join(part for part in parts if part)
