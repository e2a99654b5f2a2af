"""The head of a page in a few sentences: asked, done, and what other blocks found."""

from typing import ClassVar

from pydantic import Field

from rankexp.analyse import complete
from rankexp.config.schema import Block, Evaluate, Simulate
from rankexp.report.context import Context
from rankexp.report.model import Output, Said
from rankexp.report.options import BlockKind, BlockName
from rankexp.run.progress import duration

REGISTER = {"summary": "Summary"}


class Summary(BlockKind):
    """What was asked and done, and what other blocks say in a sentence each."""

    shows = (Evaluate, Simulate)
    gathers: ClassVar[bool] = True

    asked: str | None = None
    """The question of the study, a sentence."""
    of: list[BlockName] | dict[str, BlockName] = Field(default_factory=list)
    """The blocks that have a sentence, with the words that lead each. Default: their titles."""

    def build(self, context: Context, block: Block) -> Output:
        """Return the sentences, which say themselves what the run and each block lacks."""
        return self.output(context, block)

    def output(self, context: Context, block: Block) -> Output:
        """Return a paragraph a sentence."""
        lead = [Said("Asked", self.asked)] if self.asked else []
        lead.append(Said("Done", done(context, block.experiments)))
        titles = {other.name: other.title or other.name for other in context.study.report}
        named = (
            self.of
            if isinstance(self.of, dict)
            else {titles.get(name, name).partition(":")[0]: name for name in self.of}
        )
        shown = context.shown
        lead += [Said(label, sentence(shown.get(name), name)) for label, name in named.items()]
        tells = [name for name in named.values() if name in shown and shown[name].gist]
        return Output(lead=lead, tells=tells)


def sentence(output: Output | None, name: str) -> str:
    """Return what a block says of itself, and what it lacks."""
    if output is None:
        return f"Nothing is known of block '{name}'."
    first = next((said for said in output.lead if isinstance(said, str)), "See below.")
    failed = output.incomplete and not (output.gist or output.lead or output.numbers is not None)
    return " ".join([*output.incomplete, *([] if failed else [output.gist or first])])


def done(context: Context, names: list[str]) -> str:
    """Say what was run: problems, methods, records and time; and what is missing."""
    setups = [context.study.experiments[name] for name in names]
    runs = [one for one in setups if isinstance(one, Evaluate)]
    problems = list(dict.fromkeys(problem for one in runs for problem in one.problems))
    sets = [name for name in problems if name in context.study.data]
    absent = [context.problem_label(n) for n in sets if context.missing_data(n) is not None]
    methods = {context.method_label(method) for one in runs for method in one.methods}
    counts = {
        "method": len(methods),
        "data set": len(sets) - len(absent),
        "generator": len(problems) - len(sets),
        "simulation": len(setups) - len(runs),
    }
    text = ", ".join(f"{n} {word}{'s' * (n != 1)}" for word, n in counts.items() if n)
    total = complete.total(map(context.total, names))
    lacking = complete.shortfall(total)
    text += f"; {lacking}" if lacking else f"; all {total.expected:,} records are good"
    if absent:
        text += f"; no data for {', '.join(absent)}"
    used = context.manifest.get("used")
    return text + (f"; {duration(used['cpu'])} of computing" if used else "") + "."
