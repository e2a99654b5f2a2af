"""Write a fitted tree as JSON, one row a node."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator

REGISTER = {"tree": "tree"}


@dataclass(frozen=True)
class TreeNode:
    """A node, its training examples, and its rule or (a leaf) its score."""

    # Those below it follow it, first where its rule holds, then where it does not.

    depth: int
    size: int
    rule: str | None = None
    score: float | None = None


def tree(model: "BaseEstimator", names: Sequence[str]) -> str | None:
    """Return a tree as text for `read`: our own oriented trees and those of scikit-learn."""
    if callable(getattr(model, "nodes", None)):
        nodes = [
            TreeNode(row["j"], row["size"], row.get("rule"), row.get("score"))
            for row in model.nodes(names)
        ]
    elif hasattr(getattr(model, "tree_", None), "children_left"):
        nodes = _of_sklearn(model, names)
    else:
        return None
    return json.dumps([asdict(node) for node in nodes])


def _of_sklearn(model: "BaseEstimator", names: Sequence[str]) -> list[TreeNode]:
    """Return the nodes of a scikit-learn tree; a class scores its expected level."""
    made, values = model.tree_, np.asarray(model.tree_.value)[:, 0, :]
    if hasattr(model, "classes_"):
        shares = values / values.sum(axis=1, keepdims=True)
        codes = [0.0, 1.0] if values.shape[1] == 2 else model.classes_
        values = (shares @ np.asarray(codes, dtype=np.float64))[:, None]
    nodes, waiting = [], [(0, 0)]
    while waiting:
        place, depth = waiting.pop()
        size, below = int(made.n_node_samples[place]), int(made.children_left[place])
        if below < 0:
            nodes.append(TreeNode(depth, size, score=float(values[place, 0])))
            continue
        rule = f"{names[made.feature[place]]} <= {made.threshold[place]:.6g}"
        nodes.append(TreeNode(depth, size, rule))
        waiting += [(int(made.children_right[place]), depth + 1), (below, depth + 1)]
    return nodes


def read(text: str) -> list[TreeNode]:
    """Return the nodes of a tree that a record keeps, each before those below it.

    ValueError for a text of another form; older records have indented lines.
    """
    try:
        nodes = [TreeNode(**row) for row in json.loads(text)]
        steps = zip(nodes[1:], nodes, strict=False)
        whole = nodes[0].depth == 0 and all(1 <= n.depth <= last.depth + 1 for n, last in steps)
    except (IndexError, TypeError, ValueError):
        whole = False
    if not whole:
        raise ValueError("a tree is kept in a form that is not read any more")
    return nodes
