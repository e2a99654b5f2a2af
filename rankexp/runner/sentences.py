"""Lists and counts in words, and sentences with computed numbers: the templates in ``texts``.

In a template a line that begins with ``-`` begins a paragraph, whose ends of lines are spaces, and
one that begins with ``%`` is a statement.
"""

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from rankexp.charts.numbers import number, short, span

if TYPE_CHECKING:
    from jinja2 import Environment

END: Final = "\r"  # of a template's line; what is put in its places has none


def capital(text: str) -> str:
    """Return a text as a sentence begins."""
    return f"{text[:1].upper()}{text[1:]}"


def listed(names: Sequence[str]) -> str:
    """Return names in words: ``a, b and c``."""
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))


def counted_names(what: str, count: int, names: Sequence[str]) -> str:
    """Return how many there are, and three by name: ``6 values (vote and colic)``; "" for none."""
    if not count:
        return ""
    shown = names if len(names) <= 4 else [*names[:3], f"{len(names) - 3} more"]
    return f"{count} {what}{'s' * (count > 1)}{f' ({listed(shown)})' * bool(names)}"


@cache
def _templates() -> "Environment":
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    here = Path(__file__).parent
    loader = FileSystemLoader([here / "texts", here.parent / "studies/leaderboard"])
    made = Environment(
        loader=loader, undefined=StrictUndefined, newline_sequence=END, line_statement_prefix="%"
    )
    made.filters |= {"number": number, "short": short, "span": span}
    made.filters |= {"capital": capital, "listed": listed, "count": "{:,.0f}".format}
    made.filters |= {"percent": lambda share: f"{100 * share:g} %"}
    return made


def paragraphs(template: str, **known: Any) -> list[str]:
    """Return the paragraphs of a template, or of one of its blocks (``data.wide``).

    Its names are `known`.
    """
    file, _, block = template.partition(".")
    made = _templates().get_template(f"{file}.jinja")
    text = "".join(made.blocks[block](made.new_context(known))) if block else made.render(known)
    _, *found = re.split(rf"(?:^|{END})-(?:[ {END}]|$)", text)
    return [re.sub(rf" *{END}[ {END}]*", " ", one).strip(" ") for one in found]
