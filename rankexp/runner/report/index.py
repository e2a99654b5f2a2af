"""All studies of a results folder on one page: what pairs gain in each, and a card a study.

It is made of the file ``summary.json`` in each study's folder: what the study's page says first.
"""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from rankexp.charts.frame import drawn, styled
from rankexp.charts.model import Axis, Chart, Interval, Intervals
from rankexp.charts.numbers import number, short, span
from rankexp.charts.paint import painted
from rankexp.errors import ConfigError
from rankexp.runner.config.asking import message
from rankexp.runner.files import write_atomically
from rankexp.runner.report.model import Card, Fact, Measured, Page
from rankexp.runner.report.render import html
from rankexp.runner.report.render.text import led
from rankexp.runner.sentences import paragraphs

Row = Mapping[str, float | str | bool | None]  # of numbers in a file: None for what there is not
SUMMARY, INDEX, PICTURE = "summary.json", "index.html", "index.png"
HEADED = "summary"  # the block that says what a page says first
GAIN = "gain by training on pairs, in multiples of the study's margin"
SIDES = ("points better", "pairs better")
SIZE, ROW = (7.6, 1.0), 0.27  # of the picture without its rows, and of each: inches
SHOWN = ("title", "source", "quick", "answer", "said", "incomplete")
VIEW = 2.0  # margins: beyond, an interval leaves the picture
MINE = b'<meta name="generator" content="rankexp">'


def summary(page: Page, study: str) -> str | None:
    """Return what a page says first, as JSON; None where it has no head."""
    head = next((one for one in page.sections if one.role == HEADED), None)
    if head is None:
        return None
    said = {label.rstrip("."): text for label, text in map(led, head.output.lead)}
    facts = {"study": study, "title": page.title, "source": page.source, "quick": page.quick}
    facts["answer"] = head.output.gist
    found = head.output.gains.items()
    known = {k: (v.measured, v.verdict) for k, v in found if v.measured}
    rows = {k: _row(*own) for k, own in known.items() if own[0].margin > 0}
    made = facts | {"said": said, "incomplete": page.incomplete, "gains": rows}
    return json.dumps(made, ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def _row(own: Measured, verdict: str) -> Row:
    known = {k: v for k, v in asdict(own).items() if not isinstance(v, float) or math.isfinite(v)}
    return dict.fromkeys(asdict(own)) | known | {"verdict": verdict}


def write(results: Path) -> list[Path]:
    """Write the index of a results folder; nothing where no study has a summary.

    Raises `ConfigError` where a file is damaged, or where an index is not one of rankexp.
    """
    studies = [_read(file) for file in sorted(results.glob(f"*/{SUMMARY}"))]
    file = results / INDEX
    if not studies:
        return []
    if file.exists() and MINE not in file.read_bytes()[:2000]:
        raise ConfigError(f"{file}: it is not of rankexp, so it was left as it is; move it away")
    with styled():
        chart = gains(studies)
        contents = {INDEX: html.index(studies, chart, headline(studies)).encode(errors="replace")}
        if chart:
            contents[PICTURE] = dict(drawn(painted(chart)))["png"]
    for name, content in contents.items():
        write_atomically(results / name, content)
    return [results / name for name in contents]


def _read(file: Path) -> Card:
    try:
        found = json.loads(file.read_text("utf-8"))
        gains = {label: _measured(row) for label, row in found["gains"].items()}
        return Card(folder=file.parent.name, gains=gains, **{name: found[name] for name in SHOWN})
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ConfigError(message("report.damaged", file=file)) from error


def _measured(row: Row) -> Fact:
    known = {name: math.nan if value is None else value for name, value in row.items()}
    verdict = str(known.pop("verdict"))
    return Fact(verdict, "", measured=Measured(**known))  # type: ignore[arg-type]


def _all(studies: Sequence[Card]) -> list[tuple[str, Fact]]:
    return [pair for own in studies if not own.quick for pair in own.gains.items()]


def gains(studies: Sequence[Card]) -> Chart | None:
    """Return what pairs gain in each study, in multiples of its margin."""
    rows = [_interval(label, fact) for label, fact in _all(studies)]
    if not rows:
        return None
    far = any(abs(end) > VIEW for row in rows for end in (row.low, row.high))
    ends = (-VIEW, VIEW) if far else (math.nan, math.nan)
    axis = Axis(GAIN, low=ends[0], high=ends[1], sides=SIDES)
    panel = Intervals("", rows, axis, margin=1.0, reference=0.0)
    return Chart([panel], 1, (SIZE[0], SIZE[1] + ROW * len(rows)), below=0.0)


def _interval(label: str, fact: Fact) -> Interval:
    own = fact.measured
    assert own is not None
    gain, low, high = own.gain
    told = f"{number(gain, 4, sign=True)} ({span(low, high, 4, sign=True)})"
    told += f", margin {short(own.margin)}"
    ends = (gain / own.margin, low / own.margin, high / own.margin)
    decided = fact.verdict in {"better", "worse", "equivalent"}
    name = f"{label}, {own.over}"
    return Interval(name, *ends, decided=decided, said=fact.verdict, told=told)


def headline(studies: Sequence[Card]) -> str:
    """Return what the studies say together, a sentence of counts; empty where none has a gain."""
    found = [fact for _, fact in _all(studies) if fact.measured]
    if not found:
        return ""
    known = [(fact.measured.margin, *fact.measured.gain) for fact in found if fact.measured]
    better = sum(low > margin for margin, _, low, _ in known)
    beyond = better + sum(high < -margin for margin, _, _, high in known)
    near = sum(fact.verdict == "equivalent" for fact in found)
    counts = {"near": near, "open": len(found) - near - beyond, "better": better}
    (told,) = paragraphs("headline", comparisons=len(found), beyond=beyond, **counts)
    return told
