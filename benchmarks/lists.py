"""NDCG and MAP beside packages for retrieval: 2,000 queries of 100 documents, values equal.

Each reads what it is made for: ours arrays, pytrec_eval and ir_measures dictionaries, ranx its own
objects. Making these is not counted. A call gives NDCG@10 with linear gains, and MAP.
"""

from collections.abc import Callable, Iterator

import numpy as np

from benchmarks._peers import Row, beside, compared, one_numba_thread, package
from rankexp.metrics import mean_average_precision, ndcg

QUERIES, DOCUMENTS = 2000, 100
SAME = 1e-12
Values = tuple[float, float]


class Lists:
    """Levels from 0 to 2 and scores of documents, as arrays and as dictionaries."""

    def __init__(self) -> None:
        rng = np.random.default_rng(0)
        self.queries = np.repeat(np.arange(QUERIES), DOCUMENTS)
        self.y = rng.integers(0, 3, self.queries.size)
        self.s = rng.standard_normal(self.queries.size)
        self.levels = self._dictionary(self.y.tolist())
        self.scores = self._dictionary(self.s.tolist())

    @staticmethod
    def _dictionary(values: list[float]) -> dict[str, dict[str, float]]:
        names = [f"d{i}" for i in range(DOCUMENTS)]
        return {
            f"q{k}": dict(zip(names, values[k * DOCUMENTS : (k + 1) * DOCUMENTS], strict=True))
            for k in range(QUERIES)
        }

    def ours(self) -> Values:
        """Return NDCG@10 and MAP."""
        y, s, queries = self.y, self.s, self.queries
        return ndcg(y, s, queries, k=10, gain="linear"), mean_average_precision(y, s, queries)

    def row(self, name: str, theirs: Callable[[], Values]) -> Row:
        """Return the row of a peer that gives both values."""
        apart = float(np.abs(np.subtract(self.ours(), theirs())).max())
        return compared(f"NDCG@10 and MAP / {name}", self.ours, theirs, apart, SAME)


def _pytrec_eval(lists: Lists) -> Iterator[Row]:
    made = package("pytrec_eval").RelevanceEvaluator(lists.levels, {"ndcg_cut.10", "map"})

    def theirs() -> Values:
        found = made.evaluate(lists.scores).values()
        ndcgs, maps = zip(*((one["ndcg_cut_10"], one["map"]) for one in found), strict=True)
        return sum(ndcgs) / QUERIES, sum(maps) / QUERIES

    yield lists.row("pytrec_eval", theirs)


def _ir_measures(lists: Lists) -> Iterator[Row]:
    peer = package("ir_measures")
    measures = [peer.nDCG @ 10, peer.AP]
    made = peer.evaluator(measures, lists.levels)

    def theirs() -> Values:
        found = made.calc_aggregate(lists.scores)
        return found[measures[0]], found[measures[1]]

    yield lists.row("ir_measures", theirs)


def _ranx(lists: Lists) -> Iterator[Row]:
    peer = package("ranx")
    with one_numba_thread():
        levels, scores = peer.Qrels(lists.levels), peer.Run(lists.scores)

        def theirs() -> Values:
            found = peer.evaluate(levels, scores, ["ndcg@10", "map"])
            return found["ndcg@10"], found["map"]

        yield lists.row("ranx", theirs)


def rows() -> Iterator[Row]:
    """Yield (name, measured ratio of CPU times, target); lower is better."""
    lists = Lists()
    for name, of in (
        ("pytrec_eval", _pytrec_eval),
        ("ir_measures", _ir_measures),
        ("ranx", _ranx),
    ):
        yield from beside(f"NDCG@10 and MAP / {name}", lambda of=of: of(lists))
