"""The head of a page in five sentences: asked, done, reproduced, what not and why, its meaning."""

from collections.abc import Mapping, Sequence
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from rankexp.analyse import complete
from rankexp.analyse.verdicts import NOT_RUN
from rankexp.config.schema import Block, Evaluate, Simulate
from rankexp.report.context import Context
from rankexp.report.model import Fact, Output, Said
from rankexp.report.options import BlockKind, BlockName
from rankexp.run.progress import duration
from rankexp.strict import Strict

REGISTER = {"summary": "Summary"}


OfDifference = Literal["better", "worse", "equivalent", "mixed", "undecided"]
OfClaim = Literal["holds", "does not hold", "not run", "not tested here"]
Words = Annotated[str, Field(pattern=r"^[^{}]*\{\}[^{}]*$")]
"""Words about a number; ``{}`` is where it stands."""


class Told(Strict):
    """A number that a block found, in words of the study."""

    block: BlockName
    of: str = ""
    """Which of the block's facts. Default: its gist."""
    say: Words | dict[OfDifference | OfClaim, Words] = "{}"
    """What is said of it, whatever the verdict or by verdict."""

    def text(self, shown: Mapping[str, Output]) -> str:
        """Return what is said of it, or that there is no such number."""
        output = shown.get(self.block, Output())
        fact = output.facts.get(self.of) if self.of else Fact("", output.gist.rstrip("."))
        if fact is None or not fact.text:
            known = ", ".join(output.facts) or "nothing"
            return f"nothing is known of '{self.of}' (block '{self.block}' tells of: {known})"
        if isinstance(self.say, str):
            missing = self.of and fact.verdict == str(NOT_RUN)  # no number: why there is none
            text = f"{self.of}, {fact.verdict}: {{}}" if missing else self.say
            return text.replace("{}", fact.text)
        said = {str(verdict): words for verdict, words in self.say.items()}
        words = said.get(fact.verdict, f"{self.of}, {fact.verdict}: {{}}")
        return words.replace("{}", fact.text)


class Summary(BlockKind):
    """What was asked and done, what is reproduced, what is not and why, and what it all means."""

    shows = (Evaluate, Simulate)
    gathers: ClassVar[bool] = True

    asked: str | None = None
    """The question of the study, a sentence."""
    reproduced: list[BlockName] = Field(default_factory=list)
    """The blocks that count what is reproduced."""
    why: list[Told | str] = Field(default_factory=list)
    """Reasons for what is not. A plain text, which no experiment carries, is a conjecture."""
    means: list[Told] = Field(default_factory=list)
    """The answer to the question."""

    def build(self, context: Context, block: Block) -> Output:
        """Return the sentences, which say themselves what the run and each block lacks."""
        return self.output(context, block)

    def output(self, context: Context, block: Block) -> Output:
        """Return a paragraph a sentence."""
        shown = context.shown
        reasons = [own for own in self.why if isinstance(own, Told)]
        told = [(name, shown.get(name, Output()).tally) for name in self.reproduced]
        found = [own.found for _, own in told if own]
        lacks = [own.lacks for _, own in told if own and own.lacks]
        why = [
            f"conjecture: {own}" if isinstance(own, str) else own.text(shown) for own in self.why
        ]
        missed = f"{'; '.join(lacks)}. Why: {'; '.join(why) or 'no experiment tells'}"
        none = "nothing that is published was compared"
        said = {
            "Reproduced": (self.reproduced, "; ".join(found) or none),
            "Not reproduced": (
                [*self.reproduced, *(own.block for own in reasons)],
                missed if lacks else "nothing that was compared" if found else none,
            ),
            "What it means": (
                [own.block for own in self.means],
                "; ".join(own.text(shown) for own in self.means) or "see the blocks below",
            ),
        }
        if not (self.reproduced or self.why):
            del said["Not reproduced"]  # the sentence before says that nothing was compared
        lead = [Said("Asked", self.asked or context.study.title)]
        lead.append(Said("Done", done(context, block.experiments)))
        lead += [Said(label, sentence(shown, *own)) for label, own in said.items()]
        return Output(lead=lead)


def sentence(shown: Mapping[str, Output], blocks: Sequence[str], text: str) -> str:
    """Return a text as a sentence; before it, what is wrong with the blocks that it rests on."""
    wrong = {name: shown[name].incomplete for name in blocks if name in shown}
    failed = [line for own in wrong.values() for line in own if line.startswith("FAILED")]
    if failed:
        return " ".join(dict.fromkeys(failed))
    lacking = [name for name, own in wrong.items() if own]
    start = f"INCOMPLETE ({', '.join(lacking)}): " if lacking else ""
    return f"{start}{text[:1].upper()}{text[1:]}."


def done(context: Context, names: list[str]) -> str:
    """Say what was run: problems, methods, records and time; and what is missing."""
    setups = [context.study.experiments[name] for name in names]
    runs = [one for one in setups if isinstance(one, Evaluate)]
    problems = list(dict.fromkeys(problem for one in setups for problem in one.problems))
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
