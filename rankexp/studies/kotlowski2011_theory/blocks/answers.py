"""Questions of a study, each answered in a sentence that is made of what other blocks found."""

from typing import Annotated, ClassVar

from pydantic import Field

from rankexp.runner.config.schema import Block, Evaluate, Simulate
from rankexp.runner.report.blocks.summary import Told, told
from rankexp.runner.report.context import Context
from rankexp.runner.report.model import Output, Said
from rankexp.runner.report.options import BlockKind

REGISTER = {"answers": "Answers"}


class Answers(BlockKind):
    """A paragraph a question: the question, and what blocks found, in words of the study."""

    shows = (Evaluate, Simulate)
    gathers: ClassVar[bool] = True

    answers: Annotated[dict[str, Annotated[list[Told], Field(min_length=1)]], Field(min_length=1)]
    """Question -> the numbers that answer it, as in ``means`` of the block ``summary``."""

    def build(self, context: Context, block: Block) -> Output:
        """Return the paragraphs, which say themselves what the blocks they rest on lack."""
        return self.output(context, block)

    def output(self, context: Context, block: Block) -> Output:
        """Return a paragraph a question."""
        return Output(lead=[Said(q, told(context, own)) for q, own in self.answers.items()])
