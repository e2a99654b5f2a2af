"""Paragraphs of fixed words with computed numbers in their places: the templates in ``texts``.

In a template a line that begins with ``-`` begins a paragraph, whose ends of lines are spaces, and
one that begins with ``%`` is a statement.
"""

import re
from functools import cache
from typing import TYPE_CHECKING, Any

from rankexp.charts.numbers import number, short, span
from rankexp.runner.report.numbers import capital, listed
from rankexp.runner.run.progress import duration

if TYPE_CHECKING:
    from jinja2 import Environment


@cache
def _templates() -> "Environment":
    from jinja2 import Environment, PackageLoader, StrictUndefined

    loader = PackageLoader("rankexp.runner.report.render", "texts")
    made = Environment(loader=loader, undefined=StrictUndefined, line_statement_prefix="%")
    made.filters |= {"number": number, "short": short, "span": span}
    made.filters |= {"capital": capital, "listed": listed, "count": "{:,.0f}".format}
    made.filters |= {"duration": duration, "percent": lambda share: f"{100 * share:g} %"}
    return made


def paragraphs(template: str, **known: Any) -> list[str]:
    """Return the paragraphs of a template, whose names are `known`."""
    text = _templates().get_template(f"{template}.jinja").render(**known)
    _, *found = re.split(r"^- ", text, flags=re.MULTILINE)
    return [re.sub(r"[ \n]+", " ", one).strip(" ") for one in found]
