"""Rank by a classifier, take the step of Figure 10.2, and follow a ROC curve."""

import numpy as np

from rankexp.arrays import Floats
from rankexp.checks.check import Rows, quantities
from rankexp.metrics.bipartite import auc
from rankexp.metrics.roc import roc

REGISTER = {
    "classifier_as_ranker": "classifier_as_ranker",
    "steps_of_figure_10_2": "steps_of_figure_10_2",
    "roc_points": "roc_points",
}

GRID = np.linspace(0.0, 1.0, 41)


def classifier_as_ranker(rng: np.random.Generator) -> Rows:
    """Compare a classifier's error with that of the ranking that it induces: exercise 10.7.

    On a grid, a classifier calls a share of the positives negative and a share of the negatives
    positive, and positives are a share of all examples. It ranks what it calls positive above the
    rest. Rows: the largest excess of the ranking's error over the classifier's, if ties in score
    are no errors, `excess, ties right`; if they count one half, `excess, ties one half`, and for
    classes of one size, `excess, ties one half, balanced`; if they are errors, `excess, ties
    wrong`. `error of a perfect ranking`: the largest error of a classifier whose scores rank
    without error but whose threshold is wrong, so the converse does not hold.
    """
    missed, alarms, share = np.meshgrid(GRID, GRID, GRID[1:-1], indexing="ij")
    error = share * missed + (1.0 - share) * alarms
    strict = missed * alarms  # a positive called negative and a negative called positive
    ties = missed * (1.0 - alarms) + (1.0 - missed) * alarms
    half = strict + ties / 2.0 - error
    return quantities(
        {
            "excess, ties right": (strict - error).max(),
            "excess, ties one half": half.max(),
            "excess, ties one half, balanced": half[:, :, len(GRID) // 2 - 1].max(),
            "excess, ties wrong": (strict + ties - error).max(),
            "error of a perfect ranking": share.max(),
        }
    )


def steps_of_figure_10_2(rng: np.random.Generator) -> Rows:
    """Compare the step of Figure 10.2 with the one that minimises the loss of a round.

    A base ranker with values 0 and 1 gives 1 to a weighted share E+ of the positives and E- of the
    negatives, on a grid of both, E+ above E-. Rows: the largest `excess of Figure 10.2`, the
    factor Z of the loss on pairs with the figure's step ``½ log(E+ / E-)`` less the least factor,
    and `excess of Figure 10.1`, with ``½ log(E+ (1 - E-) / ((1 - E+) E-))``; of E+ = .8 and E- =
    .3, `Z of Figure 10.2` and `Z of Figure 10.1`.
    """
    up, down = np.meshgrid(GRID[1:-1], GRID[1:-1], indexing="ij")
    kept = up > down
    up, down = up[kept], down[kept]
    right, wrong = up * (1.0 - down), (1.0 - up) * down
    steps = {"2": np.log(up / down) / 2.0, "1": np.log(right / wrong) / 2.0}
    factors = {
        name: right * np.exp(-step) + wrong * np.exp(step) + 1.0 - right - wrong
        for name, step in steps.items()
    }
    least = 1.0 - np.square(np.sqrt(right) - np.sqrt(wrong))
    at = int(np.argmin(np.abs(up - 0.8) + np.abs(down - 0.3)))
    values = {f"excess of Figure 10.{n}": (own - least).max() for n, own in factors.items()}
    return quantities(values | {f"Z of Figure 10.{n}": own[at] for n, own in factors.items()})


def roc_points(
    rng: np.random.Generator, *, n: int = 40, threshold: float = 0.5, shift: float = 1.5
) -> Rows:
    """Draw scores of two classes, and follow their ROC curve: Figures 10.3 and 10.4.

    There are n examples, 4 or more, half of them positive; scores are normal, those of positives
    larger by `shift` in the mean. Rows by `group`, the corner of the curve, in order: `false` and
    `true`, the rates of false and true positives, and its `threshold`; by `group`, the example, as
    `score` and `class`, 0 or 1. Without a group: `area`, by the trapezium rule, `share of pairs in
    order`, and `area apart`, their distance; and the rates `false at` and `true at` the
    `threshold`. ValueError for fewer examples.
    """
    if n < 4:
        raise ValueError(f"n={n}: expected 4 or more")
    y = np.repeat([0, 1], [n - n // 2, n // 2])
    s = rng.standard_normal(n) + shift * y
    false, true, cuts = roc(y, s)
    area, share = float(np.trapezoid(true, false)), float(auc(y, s))
    rows = quantities(
        {
            "area": area,
            "share of pairs in order": share,
            "area apart": abs(area - share),
            "false at": (s[y == 0] >= threshold).mean(),
            "true at": (s[y == 1] >= threshold).mean(),
        }
    )
    ends = np.minimum(cuts, s.max() + 1.0)
    rows += _numbered(false=false, true=true, threshold=ends)
    return rows + _numbered(**{"score": s, "class": y})


def _numbered(**columns: Floats) -> Rows:
    """Return rows by `group`, the place in the columns."""
    rows: Rows = []
    for i, values in enumerate(zip(*columns.values(), strict=True)):
        rows += quantities(dict(zip(columns, values, strict=True)), group=str(i))
    return rows
