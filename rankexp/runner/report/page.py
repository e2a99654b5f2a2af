"""The page that shows a study in order: what it is, every table and figure, how it was run."""

from collections.abc import Sequence

from rankexp.runner.report import runs
from rankexp.runner.report.context import Context
from rankexp.runner.report.model import Output, Page, Section

SLICE = " (quick slice: the numbers are no findings)"
CLOSING = (
    "[run.md](run.md) has the details: protocols, data, machine and problems. scores.csv, where "
    "the study was run, has every score of every grid point. [cite.bib](cite.bib) is for citing "
    "the source and rankexp."
)


def page(context: Context, sections: Sequence[Section], aside: Sequence[Section] = ()) -> Page:
    """Return the page of a study, its blocks being the sections, some of them set aside."""
    study = context.study
    names = list(study.experiments)
    notes = [*runs.facts(context), *runs.wrong(context, names)]
    return Page(
        title=study.title + SLICE * study.study.endswith("-quick"),
        source=study.source or "",
        text=study.text or "",
        incomplete=[" ".join(context.incomplete(names))] if context.incomplete(names) else [],
        sections=[*sections, Section("How it was run", "", Output(notes=notes), closing=CLOSING)],
        aside=aside,
    )
