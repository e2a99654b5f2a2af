"""Contrasts as rows of a picture: what is pooled first, then each problem."""

import math
from collections.abc import Sequence
from dataclasses import replace

from rankexp.charts.model import Axis, Chart, Interval, Intervals
from rankexp.runner.report.context import Context
from rankexp.runner.report.verdict_words import intervals
from rankexp.statistics.contrast import Contrast, Settings

WIDTH, FRAME, ROW = 6.8, 0.9, 0.26  # of a panel; of what is around its rows; of a row: inches
FAR, ROOM = 4.0, 0.04  # margins in view at least; of the range, beside it
MOST = 60  # rows of a panel, beyond which the table alone is shown


def forest(panels: Sequence[Intervals]) -> Chart | None:
    """Return the panels that have rows, one below the other; None if none has.

    Those with a pooled row come first, for these say most.
    """
    known = [one for one in panels if 0 < len(one.rows) <= MOST]
    known.sort(key=lambda one: not any(row.pooled for row in one.rows))
    known = [replace(one, axis=_axis(one, known)) for one in known]
    if not known:
        return None
    rows = max(len(one.rows) for one in known)
    return Chart(known, 1, (WIDTH, FRAME + ROW * rows), below=0.0)


def _axis(own: Intervals, panels: Sequence[Intervals]) -> Axis:
    """Return an axis as all panels of its kind have it; what is undecided may leave the view."""
    kind = own.axis.better, repr(own.margin)  # labels also say what intervals hold for
    alike = [one for one in panels if (one.axis.better, repr(one.margin)) == kind]
    rows = [row for one in alike for row in one.rows]
    decided = [end for row in rows if row.decided for end in (row.low, row.high)]
    seen = [*(row.value for row in rows), *filter(math.isfinite, decided)]
    near = max(FAR * own.margin, 1.1 * max(map(abs, seen)))
    reach = near if math.isfinite(near) else math.inf
    ends = [e for row in rows for e in (row.value, row.low, row.high, own.margin, -own.margin)]
    known = [min(max(end, -reach), reach) for end in ends if math.isfinite(end)]
    room = ROOM * (max(known) - min(known))
    return replace(own.axis, low=min(known) - room, high=max(known) + room) if room else own.axis


def panel(
    context: Context, title: str, what: str, found: Sequence[Contrast], settings: Settings
) -> Intervals:
    """Return a panel of differences: `what` is what they are of; its axis names the intervals."""
    known = [one for one in found if not math.isnan(one.difference)]
    margin = math.nan if settings.margin is None else settings.margin
    label = f"{what} ({intervals(found, settings)})"
    axis = Axis(label, better="higher" if settings.higher else "lower")
    known.sort(key=lambda one: bool(one.problem))
    labels = [context.problem_label(o.problem) if o.problem else f"all {o.unit}" for o in known]
    rows = list(map(row, labels, known))
    return Intervals(title, rows, axis, margin, reference=0.0)


def row(label: str, own: Contrast) -> Interval:
    """Return the row of a contrast: hollow if it is undecided, pooled if it is of no problem."""
    known = own.problem or math.isfinite(own.low_all) or math.isnan(own.difference)
    said = own.verdict.words + ("" if known else ", too few for this CI")
    decided, pooled = own.verdict.equivalent or own.verdict.shown is not None, not own.problem
    ends = own.low_all, own.high_all, (own.low_near, own.high_near)
    return Interval(label, own.difference, *ends, decided=decided, pooled=pooled, said=said)
