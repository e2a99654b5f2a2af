"""The head of a page in five sentences: asked, the answer, done, reproduced, what not and why."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from rankexp.runner.config.asking import message
from rankexp.runner.config.schema import Block, Evaluate, Simulate
from rankexp.runner.report.context import Context
from rankexp.runner.report.model import Fact, Output, Said
from rankexp.runner.report.options import BlockKind, BlockName
from rankexp.runner.report.runs import absent, artificial, experiments_of, ran
from rankexp.runner.run import opened
from rankexp.runner.run.progress import duration
from rankexp.runner.sentences import capital, counted_names
from rankexp.runner.strict import Strict

REGISTER = {"summary": "Summary"}
HALF = ("Partly",)  # words of an answer to a part of the question


OfDifference = Literal["better", "worse", "equivalent", "mixed", "undecided"]
OfClaim = Literal["holds", "does not hold", "not run", "not tested here"]
Words = Annotated[str, Field(pattern=r"^[^{}]*\{\}[^{}]*$")]
"""Words about a number; ``{}`` is where it stands."""


class Telling(Strict):
    """A number that a block found, in words of the study."""

    block: BlockName
    of: str = ""  # which of the block's facts. Default: its gist
    say: Words | dict[OfDifference | OfClaim, Words] = "{}"
    """What is said of it, whatever the verdict or by verdict."""
    word: dict[OfDifference | OfClaim, str] = Field(default_factory=dict)
    """The answer in a word or two by verdict, before what is said: ``{equivalent: "No"}``."""

    def fact(self, shown: Mapping[str, Output]) -> Fact:
        """Return the number; an empty one where the block has no such."""
        output = shown.get(self.block, Output())
        gist = Fact("", output.gist.rstrip("."))
        return output.facts.get(self.of, Fact("", "")) if self.of else gist

    def experiments(self, context: Context) -> Sequence[str]:
        """Return the experiments that the number is of."""
        return self.fact(context.shown).experiments or experiments_of(context, self.block)

    def text(self, shown: Mapping[str, Output]) -> str:
        """Return what is said of it, or that there is no such number."""
        fact = self.fact(shown)
        if not fact.text:
            known = ", ".join(shown.get(self.block, Output()).facts) or "nothing"
            return f"block '{self.block}' has no fact '{self.of}' (it has: {known})"
        said = self.number(fact)
        return f"{said}. {capital(fact.turn)}" if fact.turn else said

    def number(self, fact: Fact) -> str:
        """Return what is said of a number alone, behind the answer in a word or two."""
        said, word = self.words(fact).replace("{}", fact.text), self.short(fact)
        return f"{word}. {capital(said)}" if word else said

    def short(self, fact: Fact) -> str:
        """Return the answer in a word or two; empty where the study has none."""
        return {str(verdict): own for verdict, own in self.word.items()}.get(fact.verdict, "")

    def words(self, fact: Fact) -> str:
        """Return the words about a number, with a place for it."""
        default = f"{self.of}, {fact.verdict}: {{}}"
        if isinstance(self.say, str):
            return self.say if fact.known else default
        return {str(verdict): own for verdict, own in self.say.items()}.get(fact.verdict, default)


class Gain(Strict):
    """What training on pairs changes, as a row of the picture of all studies."""

    block: BlockName
    of: str  # which of the block's facts: a difference, of pairs minus points
    label: str  # what is compared, in a few words: ``linear, rank loss``


class Told(Telling):
    """A number in words of the study, and what is told in its place where it was not run."""

    otherwise: list[Telling] = Field(default_factory=list)  # the first of them that this run has

    def first(self, context: Context) -> Telling | None:
        """Return what is told; None where the run lacks it all."""
        each = (self, *self.otherwise)
        found = next((one for one in each if one.fact(context.shown).known), None)
        if found is None and not absent(context, self.experiments(context)).words():
            return self  # it is no fault of the run: what there is not is said
        return found


def told(context: Context, wanted: Sequence[Told]) -> str:
    """Return sentences on what was found with what is there, then on what is not."""
    pairs = [(own, own.first(context)) for own in wanted]
    said = [one for _, one in pairs if one is not None]
    needs = [name for own in wanted for name in own.experiments(context)]
    texts = [one.text(context.shown) for one in said] or ["nothing yet"]
    text = ". ".join([texts[0], *map(capital, texts[1:])])
    if said and artificial(context, needs, (e for one in said for e in one.experiments(context))):
        text = f"on artificial data only: {text}"
    lost = [
        name
        for own, one in pairs
        for other in ([own, *own.otherwise] if one is None else [own] if one is not own else [])
        for name in other.experiments(context)
    ]
    lacks = replace(absent(context, needs), begun=absent(context, lost).begun).words()
    return sentence(context, [one.block for one in said], ". ".join(map(capital, [text, *lacks])))


def answered(context: Context, wanted: Sequence[Told]) -> Said:
    """Return the answer, its word or two apart where nothing must be said before them."""
    whole, first = told(context, wanted), wanted[0].first(context)
    fact = first.fact(context.shown) if first else Fact("", "")
    word = first.short(fact) if first else ""
    rest = whole.removeprefix(f"{word}. ")
    half = word in HALF or fact.verdict in ("undecided", "mixed")
    return Said("Answer", rest, word, half) if word and rest != whole else Said("Answer", whole)


class Summary(BlockKind):
    """What was asked and found, what was done, what is reproduced, what is not and why."""

    shows = (Evaluate, Simulate)
    gathers: ClassVar[bool] = True

    asked: str | None = None  # the question of the study, a sentence
    reproduced: list[BlockName] = Field(default_factory=list)  # these count what is reproduced
    why: list[Told | str] = Field(default_factory=list)
    """Reasons for what is not. A plain text, which no experiment carries, is a conjecture."""
    means: list[Told] = Field(default_factory=list)
    """The answer to the question. What the run lacks of it is said behind."""
    gains: list[Gain] = Field(default_factory=list)
    """What training on pairs changes, for the picture of all studies on their index."""

    def build(self, context: Context, block: Block) -> Output:
        """Return the sentences, which say themselves what the run and each block lacks."""
        return self.output(context, block)

    def output(self, context: Context, block: Block) -> Output:
        none = Said("Answer", "See the blocks below.")
        answer = answered(context, self.means) if self.means else none
        lead = [Said("Asked", self.asked or context.study.title), answer]
        lead.append(Said("What was run", done(context, block.experiments)))
        found = {own.label: context.shown.get(own.block, Output()).facts for own in self.gains}
        gains = {own.label: fact for own in self.gains if (fact := found[own.label].get(own.of))}
        lead += self._compared(context)
        grounds = [own.block for own in self.means]
        return Output(lead=lead, gist=self._short(context), gains=gains, rests_on=grounds)

    def _short(self, context: Context) -> str:
        """Return the first number of the answer alone, as a sentence."""
        first = self.means[0].first(context) if self.means else None
        fact = first.fact(context.shown) if first else Fact("", "")
        return f"{capital(first.number(fact))}." if first and fact.known else ""

    def _compared(self, context: Context) -> Iterator[Said]:
        if not (self.reproduced or self.why):
            return  # there is nothing to reproduce
        shown = context.shown
        counts = [tally for name in self.reproduced if (tally := shown.get(name, Output()).tally)]
        text = message("found.reproduced", counts=counts)
        yield Said("Reproduced", sentence(context, self.reproduced, text), tallies=counts)
        first = [own if isinstance(own, str) else own.first(context) for own in self.why]
        reasons = [own for own in first if own is not None]
        why = [
            f"conjecture: {own}" if isinstance(own, str) else own.text(shown) for own in reasons
        ]
        text = message("found.not_reproduced", counts=counts, why=why, asked=bool(self.why))
        blocks = [own.block for own in reasons if isinstance(own, Telling)]
        yield Said("Not reproduced", sentence(context, [*self.reproduced, *blocks], text))


def sentence(context: Context, blocks: Sequence[str], text: str) -> str:
    """Return a text as a sentence; before it, what is wrong with the blocks that it rests on.

    A block lacks records where an experiment of it was begun; of one not begun it says nothing.
    """
    shown = {name: context.shown[name] for name in blocks if name in context.shown}
    failed = [line for own in shown.values() if own.failed for line in own.incomplete]
    if failed:
        return " ".join(dict.fromkeys(failed))
    lacking = [name for name, own in shown.items() if own.incomplete and _begun(context, name)]
    start = f"INCOMPLETE ({', '.join(lacking)}): " if lacking else ""
    return f"{start}{capital(text)}."


def _begun(context: Context, block: str) -> bool:
    """Whether what a block lacks are records of experiments that were begun."""
    lacking = [n for n in experiments_of(context, block) if not context.total(n).complete]
    return not lacking or any(map(context.ran, lacking))


def done(context: Context, names: list[str]) -> str:
    """Say what was run: problems, methods, records and time; and what is missing."""
    own = {name: context.study.experiments[name] for name in names if context.ran(name)}
    runs = [one for one in own.values() if isinstance(one, Evaluate)]
    problems = dict.fromkeys(problem for one in own.values() for problem in one.problems)
    begun = [problem for problem in problems if ran(context, own, problem)]
    sets = [name for name in begun if name in context.study.data]
    methods = {context.method_label(method) for one in runs for method in one.methods}
    counts = {"method": len(methods), "data set": len(sets)}
    counts |= {"artificial problem": len(begun) - len(sets), "simulation": len(own) - len(runs)}
    total, used = opened.total(map(context.total, own)), context.manifest.get("used")
    known = {"ran": bool(own), "counts": counts, "fits": bool(runs), "expected": total.expected}
    known |= {"lacks": opened.shortfall(total), "cpu": duration(used["cpu"]) if used else ""}
    lost = absent(context, names)
    idle = counted_names("experiment", len(lost.idle), lost.idle)
    return message("found.done", data=lost.data, idle=idle, **known)
