"""The page that shows a study in order: what it is, every table and figure, how it was run."""

from collections.abc import Sequence

from rankexp.runner.report import runs
from rankexp.runner.report.context import Context
from rankexp.runner.report.model import Output, Page, Section

SLICE = ": a quick slice, whose numbers are no findings"
CLOSING = (
    "In full, with protocols, data, the machine and whatever was wrong: [run.md](run.md). Every "
    "score of every grid point: scores.csv, where the study was run. To cite the source and "
    "rankexp: [cite.bib](cite.bib)."
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
