"""Made-up pages that have one of each thing, with a label everywhere."""

import numpy as np

from rankexp.charts.model import Axis, Chart, Interval, Intervals
from rankexp.runner.report.heads import PROBLEM, Role, heads
from rankexp.runner.report.model import Beside, Cell, Cells, Output, Page, Said, Section, Table
from rankexp.runner.report.render import html
from rankexp.statistics.claims import Standing
from rankexp.statistics.verdicts import Kind, Note, Reproduction, Verdict
from rankexp.studies.kotlowski2011.boxes import Box, Boxes

HOSTILE = [
    *("<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "|x|", "x" * 2000),
    *("\u202eright to left", "עברית", "🦀" * 40, "a\x00b\x1b[31mc", "\ud800", "{{ 7 * 7 }}"),
    *("' onload='x", "</script><b>", "</style><b>", "<!--", "line\nbreak", "javascript:alert(1)"),
]


def intervals(label: str) -> Chart:
    rows = [Interval(label, 0.01, 0.0, 0.02, said=label)]
    return Chart([Intervals(label, rows, Axis(label), margin=0.01, reference=0.0)])


def whole(label: str) -> Page:
    """Return a page that has one of each, all with a label."""
    beside = Beside(0.5, 0.01, Reproduction.NEAR, 1.5, "4 of 4", label, label)
    cells = [label, Cells([Cell(0.5), Cell(0.51, 0.01, beside=beside)]), Cell(Standing.HOLDS)]
    table = Table(
        [label, label, "c"], [cells, [label, Cell(label, note=label, link=label), 1]], label
    )
    output = Output(
        tables=[table, Table(["a"], [[label]], label, detail=True)],
        chart=intervals(label),
        notes=[label, Note(Kind.WARNING, label)],
        incomplete=[label],
        lead=[Said(label, label)],
        gist=label,
    )
    head = Output(lead=[Said("Asked", label), Said("Answer", label), Said("Done", label)])
    sections = [
        Section(label, label, head, role="summary"),
        Section(label, label, output, ["part.csv", "part.png"], primary=True),
    ]
    return Page(label, label, label, [label], sections, [Section(label, label, output, ["b.csv"])])


def written(shown: Page) -> str:
    return html.page(shown, Output(notes=["of the run"]))


def rich() -> Page:
    """Return a page with enough to sort, filter, choose and walk through."""
    rng = np.random.default_rng(3)
    units = [f"model {i + 1}" for i in range(30)]
    boxes = [
        Box(name, rng.normal(size=30), i, units) for i, name in enumerate(("pairs", "points"))
    ]
    axes = [Axis("rank loss", better="lower"), Axis("calls")]
    panels = [Boxes("linear, p = .5", boxes, axis, "model") for axis in axes]
    verdicts = [*Reproduction][:4]
    beside = [Beside(0.5, 0.01, verdicts[i % 4], float(i), "4 of 4") for i in range(10)]
    values = [Cell(0.5 + 0.01 * i, 0.01, beside=own) for i, own in enumerate(beside)]
    rows = [[f"set {i}", Cells([Cell(0.5), value])] for i, value in enumerate(values)]
    rows += [[Cell("mean difference", pooled=True), Cell(0.51, beside=beside[1])]]
    standings = [Standing.HOLDS, Standing.FAILS, Standing.UNDECIDED]
    claims = [[f"claim {i}", Cell(9.0 - i, digits=1), Cell(standings[i % 3])] for i in range(10)]
    head = Output(lead=[Said("Asked", "Must one?"), Said("Answer", "No."), Said("Done", "All.")])
    sections = [
        Section("In short", "", head, role="summary"),
        Section("Answer", "", Output(chart=intervals("all")), primary=True),
        Section("Figure 1", "", Output(chart=Chart(panels, columns=2)), ["figure1.png"]),
        Section(
            "Table 1", "", Output(tables=[Table(["Data set", "Pairs"], rows)]), ["table1.csv"]
        ),
        Section("Claims", "", Output(tables=[Table(["Claim", "Found", "Verdict"], claims)])),
    ]
    better = Cells(
        [Cell(0.1, interval=(0.05, 0.15)), Cell("better", verdict=Verdict("better"))], "; "
    )
    gains = Table(
        [PROBLEM, *heads(Role.DIFFERENCE, "pairs − points", "other")], [["vote", better, Cell()]]
    )
    sections.append(Section("Gains", "", Output(tables=[gains]), ["gains.csv"]))
    aside = [Section("More", "", Output(tables=[Table(["a"], [["b"]])], gist="A gist."))]
    return Page("A rich page", "Nobody", "Some text.", [], sections, aside)
