"""How often intervals of a difference in AUC over folds cover (``make calibration``).

The table beside this file is printed, and one of its cells is simulated again; with the number of
a cell that one, with ``--all`` the table is made anew (some hours). A cell is a pair of methods, a
number of rows, a share of positives and a cross-validation. The rows of a study come from one of
two populations of 20,000 points with known class probabilities, so that the AUC of any scoring
function in the population is exact. The truth is the mean difference over 1,000 training sets of
their own, of the size that folds train on.
"""

import csv
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import stats
from sklearn.tree import DecisionTreeClassifier

from rankexp.runner.analyse.delong import Seen
from rankexp.statistics import paired
from rankexp.statistics.design import Design
from rankexp.statistics.orders import PlacedPart, from_parts

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

TABLE = Path(__file__).with_name("calibration.csv")
POINTS = 20_000
PENALTIES = 10.0 ** np.arange(-3, 4)


@dataclass(frozen=True)
class Population:
    """Points with the probabilities that a positive, and a negative, is one of them."""

    features: dict[str, Floats]
    positive: Floats
    negative: Floats

    def auc(self, scores: Floats) -> float:
        """Return the AUC of scores of all points."""
        order = np.argsort(scores, kind="stable")
        first = np.unique(scores[order], return_index=True)[1]
        own = np.add.reduceat(self.positive[order], first)
        other = np.add.reduceat(self.negative[order], first)
        return float((own * (other.cumsum() - other / 2)).sum())

    def sample(self, rng: np.random.Generator, counts: Sequence[int]) -> Ints:
        """Draw points of so many positives, then so many negatives."""
        chances = self.positive, self.negative
        edges = [np.cumsum(chance) / chance.sum() for chance in chances]
        return np.concatenate(
            [np.searchsorted(e, rng.random(n)) for e, n in zip(edges, counts, strict=True)]
        )


@cache
def population(slope: float) -> Population:
    """Return a population of five features; a steeper slope makes classes easier to tell apart."""
    rng = np.random.default_rng([77, 0])
    X = rng.normal(size=(POINTS, 5))
    X[:, 1] = np.exp(X[:, 1] * 0.7)
    X[:, 2] += 0.8 * X[:, 0]
    X[:, 1] = (X[:, 1] - X[:, 1].mean()) / X[:, 1].std()
    best = X[:, 0] + 0.6 * X[:, 1] - 0.5 * X[:, 3]
    best = best + 0.5 * (X[:, 2] ** 2 - 1) * 0.7 + 0.4 * X[:, 3] * X[:, 4]
    eta = 1 / (1 + np.exp(-slope * best))
    products = [X[:, i] * X[:, j] for i in range(5) for j in range(i, 5)]
    bent = np.column_stack([X, *products])
    one = np.ones((POINTS, 1))
    features = {
        "plain": np.hstack([X, one]),
        "clipped": np.hstack([np.clip(X, -1.2, 1.2), one]),
        "bent": np.hstack([(bent - bent.mean(0)) / bent.std(0), one]),
    }
    return Population(features, eta / eta.sum(), (1 - eta) / (1 - eta).sum())


Scorer = Callable[[Floats], Floats]


class Method(Protocol):
    """What a cell compares."""

    features: str

    def fit(self, X: Floats, y: Ints, rng: np.random.Generator) -> Scorer:
        """Return a scoring function."""


@dataclass(frozen=True)
class LeastSquares:
    """Ridge regression on the classes; without a penalty one is chosen by three inner folds."""

    features: str = "plain"
    balanced: bool = False
    penalty: float | None = 1e-6

    def _solve(self, X: Floats, y: Ints) -> Floats:
        counts = np.bincount(y, minlength=2)
        weights = (len(y) / (2.0 * counts))[y] if self.balanced else np.ones(len(y))
        weighted = X * weights[:, None]
        free = np.eye(X.shape[1])
        free[-1, -1] = 0.0
        gram, right = weighted.T @ X, weighted.T @ (2.0 * y - 1.0)
        penalties = PENALTIES if self.penalty is None else [self.penalty]
        scale = 0.01 * weights.sum()
        return np.array([np.linalg.solve(gram + p * scale * free, right) for p in penalties]).T

    def fit(self, X: Floats, y: Ints, rng: np.random.Generator) -> Scorer:
        """Return a linear scoring function of the features."""
        columns, best = self._solve(X, y), 0
        if self.penalty is None:
            fold = np.empty(len(y), dtype=np.int64)
            for level in (0, 1):
                rows = np.flatnonzero(y == level)
                fold[rng.permutation(rows)] = np.arange(len(rows)) % 3
            found = np.zeros(len(PENALTIES))
            for k in range(3):
                own = y[fold == k]
                if own.min() == own.max():
                    continue
                ranks = stats.rankdata(
                    X[fold == k] @ self._solve(X[fold != k], y[fold != k]), axis=0
                )
                m = int(own.sum())
                sums = ranks[own == 1].sum(axis=0) - m * (m + 1) / 2
                found += sums / (m * (len(own) - m))
            best = int(found.argmax())
        coef = columns[:, best]
        return lambda rows: rows @ coef


@dataclass(frozen=True)
class Tree:
    """A classification tree."""

    depth: int
    balanced: bool = False
    features: str = "plain"

    def fit(self, X: Floats, y: Ints, rng: np.random.Generator) -> Scorer:
        """Return the share of positives in the leaf of a row."""
        weights = "balanced" if self.balanced else None
        tree = DecisionTreeClassifier(
            max_depth=self.depth, min_samples_leaf=5, class_weight=weights, random_state=0
        )
        tree.fit(X.astype(np.float32), y)
        return lambda rows: np.asarray(tree.predict_proba(rows.astype(np.float32))[:, 1])


@dataclass(frozen=True)
class Boosted:
    """60 boosted trees of 6 leaves (LightGBM)."""

    balanced: bool = False
    features: str = "plain"

    def fit(self, X: Floats, y: Ints, rng: np.random.Generator) -> Scorer:
        """Return the log odds of a row."""
        import lightgbm

        weights = (len(y) / (2.0 * np.bincount(y)))[y] if self.balanced else None
        data = lightgbm.Dataset(X[:, :5], label=y, weight=weights, params={"verbose": -1})
        given = {"objective": "binary", "num_leaves": 6, "min_data_in_leaf": 20, "verbose": -1}
        given |= {"num_threads": 1, "deterministic": True}
        model = lightgbm.train(given, data, 60)
        return lambda rows: np.asarray(model.predict(rows[:, :5], raw_score=True, num_threads=1))


PAIRS: dict[str, tuple[Method, Method]] = {
    "like": (LeastSquares(), LeastSquares(balanced=True)),
    "like, clipped": (LeastSquares(), LeastSquares("clipped")),
    "like, tuned": (LeastSquares(penalty=None), LeastSquares(balanced=True, penalty=None)),
    "like, clipped, tuned": (LeastSquares(penalty=None), LeastSquares("clipped", penalty=None)),
    "like, bent, tuned": (
        LeastSquares("bent", penalty=None),
        LeastSquares("bent", balanced=True, penalty=None),
    ),
    "unlike": (LeastSquares(), LeastSquares("bent", penalty=0.1)),
    "unlike, tuned": (LeastSquares(penalty=None), LeastSquares("bent", penalty=None)),
    "like, boosted": (Boosted(), Boosted(balanced=True)),
    "like trees": (Tree(3), Tree(4, balanced=True)),
    "unlike trees": (Tree(2), Tree(6)),
}


class Cell(NamedTuple):
    """What is simulated; the seed is of all its studies."""

    pair: str
    rows: int
    positives: float
    repeats: int
    folds: int
    slope: float
    seed: int
    studies: int = 2000
    training_sets: int = 1000  # for the truth


def outcome(cell: Cell, rng: np.random.Generator) -> tuple[Floats, list[PlacedPart]]:
    """Return the differences of both methods' AUC on the folds of a study, and its parts."""
    people, methods = population(cell.slope), PAIRS[cell.pair]
    m = round(cell.rows * cell.positives)
    drawn, y = people.sample(rng, [m, cell.rows - m]), np.repeat([1, 0], [m, cell.rows - m])
    parts, found = [], []
    for _ in range(cell.repeats):
        positive = rng.permutation(m).reshape(cell.folds, -1)
        negative = rng.permutation(cell.rows - m).reshape(cell.folds, -1) + m
        for k in range(cell.folds):
            test = np.concatenate([positive[k], negative[k]])
            train = np.ones(cell.rows, dtype=bool)
            train[test] = False
            placed, size = [], positive.shape[1]
            for method in methods:
                X = people.features[method.features]
                score = method.fit(X[drawn[train]], y[train], rng)(X[drawn[test]])
                high, low = score[:size, None], score[size:]
                wins = (high > low) + 0.5 * (high == low)
                placed.append(np.concatenate([wins.mean(axis=1), wins.mean(axis=0)]))
            parts.append(PlacedPart(test, y[test], np.array(placed)))
            found.append(placed[0][:size].mean() - placed[1][:size].mean())
    return np.array(found), parts


def truth(cell: Cell, rng: np.random.Generator) -> float:
    """Return the mean difference of both methods' AUC in the population."""
    people, methods = population(cell.slope), PAIRS[cell.pair]
    m = round(cell.rows * cell.positives)
    counts = [n * (cell.folds - 1) // cell.folds for n in (m, cell.rows - m)]
    found = []
    for _ in range(cell.training_sets):
        drawn, y = people.sample(rng, counts), np.repeat([1, 0], counts)
        scorers = [(own, people.features[own.features]) for own in methods]
        fitted = [(own.fit(X[drawn], y, rng), X) for own, X in scorers]
        values = [people.auc(score(X)) for score, X in fitted]
        found.append(values[0] - values[1])
    return float(np.mean(found))


def simulate(cell: Cell) -> dict[str, float]:
    """Return how often each interval covers the true difference, and its median half-width."""
    rng = np.random.default_rng([26, cell.seed])
    true, studies = truth(cell, rng), cell.studies
    design = Design("folds", 1.0 / (cell.folds - 1))
    hits, halves = np.zeros((3, studies)), np.zeros((3, studies))
    for study in range(studies):
        differences, parts = outcome(cell, rng)
        orders = from_parts(parts, 1.0 / cell.folds)
        own = orders.difference(0, 1)
        resampled = paired.estimate(differences, design.correction)
        bare = own._replace(se=float(np.sqrt(orders.covariance @ [1, -1] @ [1, -1])))
        adopted = Seen(own, cell.rows, None, orders.examples).beside(resampled)
        for place, estimate in enumerate((resampled, bare, adopted)):
            low, high = paired.interval(estimate, 0.95)
            hits[place, study] = low - 1e-12 <= true <= high + 1e-12
            halves[place, study] = (high - low) / 2
    names = ("resampled", "placements", "adopted")
    found = {"difference": true}
    found |= dict(zip((f"{n} covers" for n in names), hits.mean(axis=1).tolist(), strict=True))
    middle = np.median(halves, axis=1).tolist()
    return found | dict(zip((f"{n} half-width" for n in names), middle, strict=True))


def stored() -> list[dict[str, str]]:
    """Return the rows of the table."""
    with TABLE.open(encoding="utf-8", newline="") as opened:
        return list(csv.DictReader(opened))


def cell_of(row: dict[str, str]) -> Cell:
    """Return the cell of a row of the table."""
    kinds = Cell.__annotations__
    return Cell(**{name: kinds[name](row[name]) for name in Cell._fields})


def told(row: dict[str, str]) -> str:
    """Return a line of the printed table."""
    cell = cell_of(row)
    base = float(row["resampled half-width"])
    cover = "  ".join(
        f"{float(row[f'{n} covers']):.3f} ({float(row[f'{n} half-width']) / base:.2f})"
        for n in ("resampled", "placements", "adopted")
    )
    name = f"{cell.pair}, n = {cell.rows:,}, p = {cell.positives:g}, {cell.repeats} × {cell.folds}"
    return f"{name:<48} {float(row['difference']):+.4f}  {cover}"


def write(rows: Sequence[dict[str, str]]) -> None:
    """Write the table."""
    with TABLE.open("w", encoding="utf-8", newline="") as opened:
        writer = csv.DictWriter(opened, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def main(asked: list[str]) -> int:
    """Print the table; simulate one cell again, or all; return 1 if a cell comes out otherwise."""
    rows = stored()
    print("true difference; cover and half-width over that of the corrected resampled t")
    print(f"{'':<57} resampled t    placements     adopted")
    for row in rows:
        print(told(row))
    if asked == ["--all"]:
        again = [cell_of(row) for row in rows]
        write([{k: str(v) for k, v in {**c._asdict(), **simulate(c)}.items()} for c in again])
        return 0
    row = rows[int(asked[0]) if asked else 0]
    cell = cell_of(row)
    found = simulate(cell)
    print(f"again: {told({**row, **{name: str(value) for name, value in found.items()}})}")
    slack = 2.6 * np.sqrt(2 * 0.95 * 0.05 / cell.studies)
    names = [name for name in found if name.endswith("covers")]
    return int(any(abs(found[name] - float(row[name])) > slack for name in names))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
