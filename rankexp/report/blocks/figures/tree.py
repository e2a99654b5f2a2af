"""A recorded tree as a table and as a drawing, the best cells on the left."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated

import pandas as pd
from pydantic import Field

from rankexp.analyse import kept, select
from rankexp.config.schema import Block
from rankexp.report import figure
from rankexp.report.context import Context
from rankexp.report.model import Output, Table
from rankexp.report.options import Choosing, ProblemName, Rule

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

REGISTER = {"tree": "Tree"}

INDENT = "|   "
_LINE = re.compile(r"(?P<what>.*?)(?:  \[(?P<size>\d+)\])?")


@dataclass
class Node:
    """A cell: the rule of those that go left, or of a leaf what it says."""

    depth: int
    what: str
    size: str
    children: list["Node"] = field(default_factory=list)
    x: float = 0.0

    def walk(self) -> Iterator["Node"]:
        """Yield it and all below, left before right."""
        yield self
        for child in self.children:
            yield from child.walk()


class Tree(Choosing):
    """One panel a method that is an oriented tree: its rules, its cells, their scores."""

    keeps = "tree"

    problem: ProblemName | None = None
    """Default: the experiment's first."""
    split: Annotated[int, Field(ge=0)] = 0
    """Which of the splits that keep their texts."""
    rule: Rule = select.ORACLE

    def output(self, context: Context, block: Block) -> Output:
        """Return a table of nodes, and the drawing."""
        (experiment, *_) = block.experiments
        methods = self.shown(context, block)
        problem = self.problem or context.evaluate(experiment).problems[0]
        metric = context.metric(experiment, self.metric)
        chosen = context.chosen(experiment, metric, self.rule, methods)
        found = kept.texts(context.cells, context.records, experiment, "tree", chosen)
        here = kept.at_split(found, problem, self.split)
        trees = {one.method: parsed(one.text) for one in here}
        trees = {name: trees[name] for name in methods if name in trees}
        if not trees:
            text = "No tree is kept of this split: see 'keep' of the experiment."
            return Output(notes=[text])
        labels = {name: context.method_label(name) for name in trees}
        return Output(
            numbers=_numbers(trees),
            tables=[_grid(labels[name], tree) for name, tree in trees.items()],
            figure=draw(trees, [labels[name] for name in trees]),
            notes=["Examples for which a rule holds go left; cells to the left rank higher."],
        )


def parsed(text: str) -> Node:
    """Return the tree that indented lines describe, ``|   `` a level, ``[size]`` at the end."""
    root = Node(-1, "", "")
    above = [root]
    for line in text.splitlines():
        depth = 0
        while line.startswith(INDENT, depth * len(INDENT)):
            depth += 1
        match = _LINE.fullmatch(line[depth * len(INDENT) :])
        assert match is not None  # it matches anything
        node = Node(depth, match["what"], match["size"] or "")
        del above[depth + 1 :]
        above[-1].children.append(node)
        above.append(node)
    return root.children[0] if root.children else root


def _numbers(trees: dict[str, Node]) -> pd.DataFrame:
    rows = [
        {"method": name, "depth": node.depth, "node": node.what, "examples": node.size}
        for name, tree in trees.items()
        for node in tree.walk()
    ]
    return pd.DataFrame(rows)


def _grid(label: str, tree: Node) -> Table:
    rows = [["· " * node.depth + node.what, node.size] for node in tree.walk()]
    return Table(["Cell, from best to worst", "Examples"], rows, label, detail=True)


def draw(trees: dict[str, Node], titles: Sequence[str]) -> "Figure":
    """Return the figure: a panel a tree, one below the other."""
    sizes = [_placed(tree) for tree in trees.values()]
    width = min(14.0, max(6.5, 0.95 * max(leaves for leaves, _ in sizes)))
    heights = [0.62 * (depth + 1) + 0.45 for _, depth in sizes]
    made, axes = figure.panels(1, 1, (width, sum(heights)), heights=heights)
    for own, tree, title, (leaves, depth) in zip(axes, trees.values(), titles, sizes, strict=True):
        _panel(own, tree)
        own.set(xlim=(-0.6, leaves - 0.4), ylim=(-depth - 0.45, 0.45))
        figure.title(own, title, bold=True)
        own.axis("off")
    return made


def _placed(tree: Node) -> tuple[int, int]:
    """Place leaves side by side, others between their children; return leaves and depth."""
    leaves = 0
    for node in list(tree.walk()):
        if not node.children:
            node.x = float(leaves)
            leaves += 1
    for node in reversed(list(tree.walk())):
        if node.children:
            node.x = sum(child.x for child in node.children) / len(node.children)
    return leaves, max(node.depth for node in tree.walk())


def _panel(axes: "Axes", tree: Node) -> None:
    for node in tree.walk():
        for place, child in enumerate(node.children):
            axes.plot([node.x, child.x], [-node.depth, -child.depth], color="#888888", zorder=1)
            axes.annotate(
                ("yes", "no")[place > 0],
                ((node.x + child.x) / 2, -(node.depth + child.depth) / 2),
                fontsize=6.5,
                color="#555555",
                ha=("right", "left")[place > 0],
            )
        lines = [node.what, f"n = {node.size}"] if node.size else [node.what]
        axes.text(
            node.x,
            -node.depth,
            "\n".join(lines),
            ha="center",
            va="center",
            fontsize=7,
            bbox={
                "boxstyle": "round,pad=0.3",
                "facecolor": "white" if node.children else "#e8f1f8",
                "edgecolor": "#444444" if node.children else figure.colour(0),
                "linewidth": 0.8,
            },
        )
