"""The contract of kinds of tables and figures."""

import inspect
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from rankexp.runner.config.published import Published, PublishedKey
from rankexp.runner.config.schema import Block, Study
from rankexp.runner.report.build import files, open_report
from rankexp.runner.report.context import Context
from rankexp.runner.report.model import Output
from rankexp.runner.report.options import BlockKind
from rankexp.runner.run.execute import execute
from rankexp.testing.contract import keep, need, thing

__all__ = ["check_block"]

PROTOCOL = {"kind": "models", "models": 2, "training_sets": 2, "n_train": 40, "n_test": 60}
TINY = {
    "version": 1,
    "study": "tiny",
    "title": "A study to show",
    "seed": 1,
    "generators": {"flips": {"generator": "linear", "params": {"d": 3}}},
    "methods": {
        "points": {"params": {"loss": "logistic", "risk": "classification"}},
        "pairs": {"params": {"loss": "squared_hinge", "risk": "bipartite"}},
    },
    "experiments": {
        "sim": {
            "problems": ["flips"],
            "protocol": PROTOCOL,
            "methods": ["points", "pairs"],
            "lambdas": [0.1, 1.0],
        }
    },
}
"""A study that is run in a second; its experiment is ``sim``, its methods are points and pairs."""


def check_block(
    kind: type[BlockKind] | str,
    options: Mapping[str, Any] | None = None,
    study: Mapping[str, Any] | None = None,
) -> None:
    """Check that a kind of block shows a run study, from its records alone.

    Parameters
    ----------
    kind : class or str
        A subclass of `BlockKind`, or the name of a registered one.
    options : mapping, optional
        As they would stand in a study.
    study : mapping, optional
        A study as its YAML has it; the block shows its first experiment. Default: `TINY`.
    """
    made = thing("report.blocks", kind)
    place = f"block {made.__name__}"
    keep(place, (declares_its_options,), made)
    with tempfile.TemporaryDirectory() as folder:
        whole = Study.model_validate({**(study or TINY)})
        done = execute(whole, results=Path(folder), workers=1, quiet=True)
        need(not done.exit_code, f"the study to show failed: {'; '.join(done.messages)}")
        shown, (first, *_) = open_report(done.folder).context, whole.experiments
        block = Block(block="any", name="any", experiment=first, options=dict(options or {}))
        keep(place, (shows_the_study, names_what_it_looks_up), made, shown, block)


class _Asked(dict[PublishedKey, Published]):
    """No published values, but what was looked up among them."""

    def __init__(self) -> None:
        super().__init__()
        self.keys_asked: set[object] = set()

    def __contains__(self, key: object) -> bool:
        return self.get(key) is not None

    def get(self, key: object, default: Any = None) -> Any:
        self.keys_asked.add(key)
        return default


def names_what_it_looks_up(kind: type[BlockKind], context: Context, block: Block) -> None:
    """Every published value that it asks for is among those that `looks_up` names."""
    options, asked = kind.model_validate(block.options), _Asked()
    seen = replace(context)
    seen.published = asked
    options.output(seen, block)
    strange = asked.keys_asked - options.published_keys(context.study, block)
    need(not strange, f"'looks_up' does not name {strange}")


def declares_its_options(kind: type[BlockKind]) -> None:
    """Its options can be written as a JSON schema, and an unknown one is refused."""
    need(inspect.getdoc(kind), "it has no docstring")
    schema = kind.model_json_schema()
    need(schema.get("additionalProperties") is False, "it accepts unknown options")


def shows_the_study(kind: type[BlockKind], context: Context, block: Block) -> None:
    """Its tables have a cell a column, can be written in every format, and are the same again."""
    options = kind.model_validate(block.options)
    faults = [fault.text for fault in options.faults(context.study, block)]
    need(not faults, f"it cannot show the study: {faults}")
    output, again = (options.output(context, block) for _ in range(2))
    need(isinstance(output, Output), f"it gives {output!r}, not a rankexp.plugin.Output")
    need(output.tables or output.figure or output.lead, "it shows nothing")
    for table in output.tables:
        wide = {len(row) for row in table.rows} - {len(table.columns)}
        need(not wide, f"a table has {len(table.columns)} columns, but rows of {wide} cells")
    if output.figure is None:
        need(files("any", output) == files("any", again), "a second call shows something else")
