"""Options that several blocks share; each block is a model of its own options."""

from typing import Annotated

from pydantic import AfterValidator, Field

from rankexp.config.schema import Block, Strict
from rankexp.registry import did_you_mean
from rankexp.report.context import Context

RULES = {"oracle": "best test mean", "nested": "nested", "one_standard_error": "1 SE"}


def _known_rule(name: str) -> str:
    kind, _, point = name.partition(":")
    if name in RULES or (kind == "fixed" and point):
        return name
    known = f"known: {', '.join(RULES)}, and fixed:lam=1 for a grid point"
    raise ValueError(f"unknown rule '{name}'{did_you_mean(name, RULES)}; {known}")


Rule = Annotated[str, AfterValidator(_known_rule)]


class Choosing(Strict):
    """Options of a block that shows methods of `evaluate` experiments at chosen grid points."""

    metric: str | None = None
    """Default: the experiment's first."""
    methods: list[str] | None = None
    """Default: all of the experiments, in their order."""
    digits: Annotated[int, Field(ge=0, le=12)] = 4

    def shown(
        self, context: Context, block: Block, without: frozenset[str] = frozenset()
    ) -> list[str]:
        """Return the methods to show, in order."""
        if self.methods is not None:
            return self.methods
        names = (m for e in context.experiments(block) for m in context.evaluate(e).methods)
        return [name for name in dict.fromkeys(names) if name not in without]


def rule_label(rule: str) -> str:
    """Return what a rule of choice is called in tables."""
    return RULES.get(rule) or rule.removeprefix("fixed:")
