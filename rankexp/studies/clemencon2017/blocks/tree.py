"""A recorded tree as a table and as a drawing, the best cells on the left."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from rankexp.charts import frame as figure
from rankexp.charts.letters import wrapped
from rankexp.charts.model import Drawing
from rankexp.charts.numbers import short
from rankexp.errors import ConfigError
from rankexp.runner.analyse import kept
from rankexp.runner.config.schema import Block
from rankexp.runner.keep import KeptName
from rankexp.runner.report.context import Context
from rankexp.runner.report.model import Output, Table
from rankexp.studies.clemencon2017.blocks.scoring_functions import OfOneSplit
from rankexp.studies.clemencon2017.texts.tree import TreeNode, read

REGISTER = {"tree": "TreeFigure"}

SPACE, WIDEST = 0.95, 14.0  # of a leaf at least, and of the whole at most, inches


def texts(sources: Iterable[kept.Source], name: str) -> list[kept.KeptItem]:
    """Return the texts of one name, as `curves`."""
    nothing = np.empty(0)
    return [
        kept.KeptItem(cell.problem, cell.method, place, nothing, nothing, text)
        for cell, record, place, grid in sources
        if (text := record.texts.get(str(KeptName(name, grid)))) is not None
    ]


@dataclass
class TreeCell:
    """A node and where it is drawn."""

    node: TreeNode
    children: list["TreeCell"] = field(default_factory=list)
    x: float = 0.0

    @property
    def text(self) -> str:
        """The rule of the examples that go left, or the score of a leaf."""
        return self.node.rule or f"score {self.node.score:g}"

    def said(self, digits: int = 6) -> str:
        """Return the same as pages print it, with so many digits at most: ``x0 ≤ .25``."""
        words, _, cut = self.text.rpartition(" ")
        try:
            shown = short(float(f"{float(cut):.{digits}g}"))
        except ValueError:  # not a threshold
            return self.text
        return f"{re.sub('<=$', '≤', words)} {shown}"

    def walk(self) -> Iterator["TreeCell"]:
        """Yield it and all below, left before right."""
        yield self
        for child in self.children:
            yield from child.walk()


class TreeFigure(OfOneSplit):
    """One panel a method that is an oriented tree: its rules, its cells, their scores."""

    keeps = "tree"

    def output(self, context: Context, block: Block) -> Output:
        """Return a table of nodes, and the drawing."""
        methods = self.shown(context, block)
        trees = {name: one.text for name, one in self.here(context, block, texts).items()}
        if not trees:
            text = "No tree is kept of this split: see 'keep' of the experiment."
            return Output(notes=[text])
        try:
            cells = {name: placed(read(trees[name])) for name in methods if name in trees}
        except ValueError as error:
            raise ConfigError(f"{error}: run the methods again with --redo") from error
        labels = {name: context.method_label(name) for name in cells}
        best_left = all(_oriented(tree) for tree in cells.values())
        higher = "; cells to the left rank higher" * best_left
        notes = [f"Examples for which a rule holds go left{higher}."]
        tables: list[Table] = []
        rows: list[tuple[str, int, str, int]] = []
        for name, tree in cells.items():
            walked = list(tree.walk())
            rows += [(name, c.node.depth, c.text, c.node.size) for c in walked]
            header = "Cell, from best to worst" if _oriented(tree) else "Cell"
            shown = [("· " * c.node.depth + c.said(), c.node.size) for c in walked]
            tables.append(Table([header, "Examples"], shown, labels[name], detail=True))
        numbers = pd.DataFrame(rows, columns=["method", "depth", "node", "examples"])
        alike: dict[str, list[str]] = {}
        for name in cells:
            alike.setdefault(trees[name], []).append(name)
        drawn = {" and ".join(labels[n] for n in own): cells[own[0]] for own in alike.values()}
        return Output(numbers, tables, Drawing(draw(drawn)), notes)


def placed(nodes: Sequence[TreeNode]) -> TreeCell:
    """Return the root of a tree: leaves side by side, others between their children."""
    above = [root := TreeCell(nodes[0])]
    for node in nodes[1:]:
        del above[node.depth :]
        above[-1].children.append(cell := TreeCell(node))
        above.append(cell)
    cells = list(root.walk())
    for place, leaf in enumerate(cell for cell in cells if not cell.children):
        leaf.x = float(place)
    for cell in reversed(cells):
        if cell.children:
            cell.x = sum(child.x for child in cell.children) / len(cell.children)
    return root


def _leaves(tree: TreeCell) -> list[TreeNode]:
    return [cell.node for cell in tree.walk() if not cell.children]


def _oriented(tree: TreeCell) -> bool:
    """Whether the leaves stand in the order of their scores, the best on the left."""
    scores = [leaf.score or 0.0 for leaf in _leaves(tree)]
    return scores == sorted(scores, reverse=True)


def draw(trees: Mapping[str, TreeCell]) -> figure.Figure:
    """Return the figure: a panel a tree of its title, one below the other."""
    sizes = [
        (len(_leaves(tree)), max(cell.node.depth for cell in tree.walk()))
        for tree in trees.values()
    ]
    width = min(WIDEST, max(6.5, SPACE * max(leaves for leaves, _ in sizes)))
    heights = [0.62 * (depth + 1) + 0.45 for _, depth in sizes]
    made, axes = figure.panels(1, 1, (width, sum(heights)), heights=heights)
    for own, (title, tree), (leaves, depth) in zip(axes, trees.items(), sizes, strict=True):
        _panel(own, tree, width / leaves)
        own.set(xlim=(-0.6, leaves - 0.4), ylim=(-depth - 0.45, 0.45))
        figure.title(own, title, bold=True)
        own.axis("off")
    return made


def _panel(axes: figure.Axes, tree: TreeCell, room: float) -> None:
    for cell in tree.walk():
        y = -cell.node.depth
        for place, child in enumerate(cell.children):
            axes.plot([cell.x, child.x], [y, y - 1], color="#888888", zorder=1)
            axes.annotate(
                ("yes", "no")[place > 0],
                ((cell.x + child.x) / 2, y - 0.5),
                fontsize=6.5,
                color="#555555",
                ha="center",
                va="center",
                bbox={"facecolor": "white", "edgecolor": "none", "pad": 1.0},
            )
        leaf = not cell.children
        axes.text(
            cell.x,
            y,
            f"{wrapped(cell.said(3), 1.15 * room)}\nn = {cell.node.size}",
            ha="center",
            va="center",
            fontsize=7,
            bbox={
                "boxstyle": "round,pad=0.3",
                "facecolor": "#e8f1f8" if leaf else "white",
                "edgecolor": figure.colour(0) if leaf else "#444444",
                "linewidth": 0.8,
            },
        )
