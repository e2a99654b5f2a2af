"""Logistic regression over columns, beside scikit-learn's fastest: ``make bench-wide``.

Dense rows of 10 to 4,000 columns, sparse ones of 10,000 to 1,000,000, each kind of features, in
one thread and, dense ones, with as many threads as there are by default: two processes, as the
number is read when numpy is imported. CPU time counts, as elapsed time hangs on what else the
machine does. It takes some fifty minutes. ``python -m benchmarks._wide sparse`` measures a part.
"""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from benchmarks.__main__ import Row, head, show

WIDTHS = (10, 50, 100, 400, 1000, 4000)
MANY = (10, 50, 100, 400)
COLUMNS = (10_000, 100_000, 1_000_000)
SIZES = {
    "dense": (4000, WIDTHS),
    "more": (30_000, MANY),
    "many": (100_000, MANY),
    "sparse-few": (4000, COLUMNS),
    "sparse": (20_000, COLUMNS),
    "sparse-many": (100_000, COLUMNS),
}
PARTS = tuple(SIZES)
ALL = ("lbfgs", "newton-cg", "newton-cholesky", "liblinear")
REST = 0.1  # seconds after which threads have ceased to spin


def rows(part: str, threads: bool = False) -> Iterator[Row]:
    """Yield a row for each size and kind of features, each the worst of its penalties."""
    from benchmarks._solvers import of_scikit_learn
    from benchmarks.widths import DENSE, PENALTIES, SPARSE, row, worst
    from benchmarks.widths import sparse as sparse_rows
    from benchmarks.widths import wide as dense_rows

    sparse = part.startswith("sparse")
    n, widths = SIZES[part]
    solvers = of_scikit_learn(*(name for name in ALL if not (sparse and "chol" in name)))
    for d in widths:
        for kind in SPARSE if sparse else DENSE:
            X, y = (sparse_rows if sparse else dense_rows)(n, d, kind)
            found = worst(X, y, PENALTIES, solvers, rounds=3, rest=REST * threads)
            yield row(f"{n:,} × {d:,}, {kind}", dict([found]))


def _process(part: str, threads: bool) -> int:
    """Measure in a process of its own; return whether a target is missed."""
    environment = {k: v for k, v in os.environ.items() if not k.endswith("_NUM_THREADS")}
    if not threads:
        environment |= {f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL")}
    command = [sys.executable, "-m", "benchmarks._wide", part, "inside", "threads" * threads]
    where = Path(__file__).parents[1]
    return subprocess.run(command, env=environment, cwd=where, check=False).returncode


def main(asked: list[str]) -> int:
    """Measure the parts asked for, or all; return 1 if a target is missed."""
    if "inside" in asked:
        return int(show(rows(asked[0], "threads" in asked)) > 0)
    unknown = sorted(set(asked) - set(PARTS))
    if unknown:
        print(f"no part '{unknown[0]}'; there are {', '.join(PARTS)}", file=sys.stderr)
        return 2
    head()
    missed = 0
    for threads in (False, True):
        for part in asked or PARTS:
            if threads and part.startswith("sparse"):  # whose products have one thread in any case
                continue
            print(f"{part}, {'default threads' if threads else 'one thread'}", flush=True)
            missed |= _process(part, threads)
    return missed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
