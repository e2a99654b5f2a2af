"""Text in figures: how wide it is, what of it can be drawn, and numbers as pages write them."""

import re
from collections.abc import Callable
from functools import cache
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from rankexp.charts.numbers import MINUS

if TYPE_CHECKING:
    from matplotlib.ft2font import FT2Font

FONT, SIZE = "DejaVu Sans", 8.5
LONGEST = 3.2  # width beyond which a label is cut, inches
_TEX, _POWER = re.compile(r"\$\\mathdefault\{(.*)\}\$"), re.compile(r"\^\{(.*?)\}")
_WHOLE = re.compile(r"(?<![\d.])\d{4,}$")
_LEADING, _ZERO = re.compile(rf"^({MINUS}?)0(?=\.)"), re.compile(r"^\.0+$")
_SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")


def one_line(text: str) -> str:
    """Return text on one line, without control characters that a file or a terminal obeys."""
    line = " ".join(text.replace("\t", " ").splitlines())
    return _CONTROL.sub("\N{REPLACEMENT CHARACTER}", line)


@cache
def _font() -> "FT2Font":
    """Return a font of our own: matplotlib's changes its size with whatever is drawn."""
    from matplotlib.font_manager import findfont
    from matplotlib.ft2font import FT2Font

    font = FT2Font(findfont(FONT))
    font.set_size(SIZE, 72)
    return font


def inches(text: str) -> float:
    """Return the width of a line of text at the usual size."""
    font = _font()
    font.set_text(text)
    return float(font.get_width_height()[0]) / 64 / 72


def literal(text: object, longest: float = LONGEST) -> str:
    """Return text from a study as drawn: one line, nothing that is obeyed or cannot be seen."""
    # Letters that the font lacks become a replacement character. A leading underscore, which would
    # keep a label out of legends, stands behind a space of no width. What is longer is cut.
    line, drawn = one_line(str(text))[:500], _font().get_char_index
    line = "".join(c if drawn(ord(c)) else "\N{REPLACEMENT CHARACTER}" for c in line)
    while (width := inches(line)) > longest:
        line = line[: min(int(len(line) * longest / width), len(line) - 2)] + "…"
    return "\N{ZERO WIDTH SPACE}" + line if line.startswith("_") else line


def wrapped(text: object, width: float, longest: float = LONGEST) -> str:
    """Return text from a study on as many lines as a width in inches asks for."""
    line = literal(text, longest)
    if (whole := inches(line)) > width:
        line = "\n".join(wrap(line, max(int(len(line) * width / whole), 1)))
    return line or " "


def in_letters(format_ticks: Callable[[Any], list[str]]) -> Callable[[Any], list[str]]:
    """Return what writes .5 for 0.5, and powers such as 2×10⁻³ where matplotlib writes TeX."""

    def plain(values: Any) -> list[str]:
        found = (_TEX.sub(r"\1", text).replace(r"\times", "×") for text in format_ticks(values))
        found = (_POWER.sub(lambda n: n[1].translate(_SUPERSCRIPT), text) for text in found)
        found = (text.replace("-", "−") for text in found)
        found = (_ZERO.sub("0", _LEADING.sub(r"\1", text)) for text in found)
        return [_WHOLE.sub(lambda whole: f"{int(whole[0]):,}", text) for text in found]

    return plain
