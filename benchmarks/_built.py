"""Programs that are built by hand, beside ours: ``python -m benchmarks._built --svm-perf PATH``.

SVM^perf 3.00 (``--svm-perf``, its ``svm_perf_learn``), liblinear-ranksvm (``--liblinear-ranksvm``,
its ``train``) and RankLib (``--ranklib``, its JAR). Each reads a file of the same numbers and
writes a model, from which the objective is computed here. Of its CPU time that of a run of least
effort is taken off, which starts, reads and writes but hardly trains.
"""

import argparse
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from benchmarks import queries
from benchmarks.__main__ import Row, head, show
from benchmarks.widths import wide
from rankexp.estimators import LinearRanker, RankBoost

SIZES, LAMS = ((1000, 50), (20_000, 50), (4000, 1000)), (0.1, 1e-3)
ROUNDS = 3
SHORT = 0.01  # seconds: what takes less beside starting and reading cannot be told


@dataclass(frozen=True)
class Program:
    """A program that minimises ``lam/2 ||w||² + mean over pairs of max(0, 1 - D)^power``."""

    name: str
    path: str
    power: int
    fine: tuple[str, ...]
    """Values of its option ``-e``."""

    def command(self, pairs: int, lam: float, effort: str, *files: Path) -> list[str]:
        """Return how it is called; of least effort at the value of ``-e`` that stops it first."""
        # SVM^perf: 1/2 ||w||² + C x, where x bounds the percentage of pairs in the wrong order;
        # -w 3 is the cutting plane algorithm in the dual, --b 0 goes without a bias.
        # liblinear-ranksvm: 1/2 ||w||² + C times the sum over pairs.
        if self.power == 1:
            options = ["-c", repr(0.01 / lam), "-w", "3", "-l", "10", "--b", "0"]
        else:
            options = ["-s", "8", "-c", repr(1.0 / (lam * pairs))]
        return [self.path, *options, "-e", effort, *map(str, files)]

    @property
    def least(self) -> str:
        """The value of ``-e`` at which it hardly trains: it is met at w = 0, or nearly."""
        return "1000" if self.power == 1 else "1"

    def weights(self, model: Path, d: int) -> np.ndarray:
        """Return the coefficients in a model file."""
        lines = model.read_text(encoding="utf-8").splitlines()
        if self.power == 2:  # a number a line, after a line "w"
            return np.array([float(x) for x in lines[lines.index("w") + 1 :][:d]])
        w = np.zeros(d)  # the one support vector: alpha, then index:value
        alpha, *entries = lines[-1].partition("#")[0].split()
        for entry in entries:
            index, value = entry.split(":")
            w[int(index) - 1] = float(value)
        return float(alpha) * w


def write(file: Path, X: np.ndarray, y: Sequence[int], query: Sequence[int] | None) -> None:
    """Write rows as all three programs read them, with all digits."""
    with file.open("w", encoding="ascii") as out:
        for k, x in enumerate(X.tolist()):
            group = "" if query is None else f" qid:{query[k]}"
            entries = " ".join(f"{j}:{value!r}" for j, value in enumerate(x, 1))
            out.write(f"{y[k]}{group} {entries}\n")


def objective(s: np.ndarray, positive: np.ndarray, power: int) -> float:
    """Return the mean over pairs of ``max(0, 1 - (s_i - s_j))^power``."""
    u, t = 1.0 - s[positive], np.sort(s[~positive])
    first = np.searchsorted(t, -u, side="right")  # from here on s_j > s_i - 1
    sums = [np.append(np.cumsum((t**k)[::-1])[::-1], 0.0)[first] for k in range(power + 1)]
    total = u * sums[0] + sums[1] if power == 1 else u * (u * sums[0] + 2 * sums[1]) + sums[2]
    return float(total.sum()) / (u.size * t.size)


def _spent(command: list[str]) -> float:
    """Return the CPU time of a program in seconds; CalledProcessError if it fails."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _times(ours: Callable[[], object], full: list[str], least: list[str]) -> tuple[float, float]:
    """Return the least CPU times of ours and of a program's training, measured in turns."""
    found = []
    for _ in range(ROUNDS):
        start = time.process_time()
        ours()
        # The full run is last: its model is the one that stays.
        found.append((time.process_time() - start, _spent(least), _spent(full)))
    own, start_and_read, all_of_it = np.min(found, axis=0)
    return own, all_of_it - start_and_read


def _row(name: str, times: tuple[float, float], excess: tuple[float, float]) -> Row:
    """Return a row; NaN where training takes too little beside starting and reading."""
    said = f"{name} ({excess[0]:.0e}, {excess[1]:.0e})"
    if times[1] < SHORT:
        return f"{said}: theirs takes too little to tell", float("nan"), None
    return said, times[0] / times[1], 1.0


def linear(program: Program, folder: Path, sizes: Sequence[tuple[int, int]]) -> Iterator[Row]:
    """Yield rows beside a program for pairs of two classes; excess in brackets, ours first."""
    loss = "hinge" if program.power == 1 else "squared_hinge"
    for n, d in sizes:
        X, y = wide(n, d, "normal")
        data, model = folder / "rows.txt", folder / "model.txt"
        label = np.where(y, 1, -1).tolist()
        write(data, X, label, None if program.power == 1 else [1] * n)
        for lam in LAMS:
            made = LinearRanker(loss=loss, risk="bipartite", lam=lam)
            made.fit(X, y)
            for effort in program.fine:
                pairs = int(y.sum() * (~y).sum())
                full = program.command(pairs, lam, effort, data, model)
                least = program.command(pairs, lam, program.least, data, model)
                times = _times(lambda: made.fit(X, y), full, least)  # noqa: B023 - called at once
                found = [
                    0.5 * lam * float(w @ w) + objective(X @ w, y, program.power)
                    for w in (made.coef_[0], program.weights(model, d))
                ]
                best = min(*found, made.objective_ * (1.0 - made.gap_))
                excess = (found[0] / best - 1.0, found[1] / best - 1.0)
                name = f"{loss} of pairs / {program.name} -e {effort}, {n:,} × {d}, lam {lam:g}"
                yield _row(name, times, excess)


def stumps(model: Path, X: np.ndarray) -> np.ndarray:
    """Return the scores of RankLib's RankBoost: ``index:threshold:alpha`` for each round."""
    text = model.read_text(encoding="utf-8").splitlines()
    s = np.zeros(len(X))
    for rule in " ".join(line for line in text if not line.startswith("##")).split():
        index, threshold, alpha = rule.split(":")
        s += float(alpha) * (X[:, int(index) - 1] > float(threshold))
    return s


def _exponential(s: np.ndarray, y: np.ndarray, query: np.ndarray) -> float:
    """Return the mean of ``exp(-D)`` over pairs of different levels within queries."""
    total, pairs = 0.0, 0
    for one in np.unique(query):
        here = query == one
        above = y[here][:, None] > y[here]
        total += float(np.exp(s[here] - s[here][:, None])[above].sum())
        pairs += int(above.sum())
    return total / pairs


def ranklib(java: str, jar: str, folder: Path, rounds: int = 100) -> Iterator[Row]:
    """Yield the row beside RankLib's RankBoost: the losses of both over the lower one."""
    X, y, query = queries.made()
    data, model = folder / "rows.txt", folder / "model.txt"
    write(data, X, y.tolist(), query.tolist())

    def command(count: int) -> list[str]:
        options = ["-ranker", "2", "-tc", "10", "-silent", "-round", str(count)]
        files = ["-train", str(data), "-save", str(model)]
        return [java, "-jar", jar, *options, *files]

    made = RankBoost(risk="multipartite", n_rounds=rounds, cuts="equidistant", n_cuts=10)
    made.fit(X, y, groups=query)
    ours, theirs = _times(lambda: made.fit(X, y, groups=query), command(rounds), command(1))
    found = [_exponential(s, y, query) for s in (made.decision_function(X), stumps(model, X))]
    excess = (found[0] / min(found) - 1.0, found[1] / min(found) - 1.0)
    name = f"RankBoost / RankLib's, {rounds} rounds, {len(y):,} × {X.shape[1]}"
    # One round is in what is taken off, and in ours.
    yield _row(name, (ours, theirs * rounds / (rounds - 1)), excess)


def main(asked: list[str]) -> int:
    """Measure the programs whose paths are given; return 1 if a target is missed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks._built")
    parser.add_argument("--svm-perf", metavar="PATH", help="svm_perf_learn of SVM^perf 3.00")
    parser.add_argument("--liblinear-ranksvm", metavar="PATH", help="train of liblinear-ranksvm")
    parser.add_argument("--ranklib", metavar="JAR", help="RankLib's JAR")
    parser.add_argument("--java", metavar="PATH", default="java", help="what runs it")
    given = parser.parse_args(asked)
    if not (given.svm_perf or given.liblinear_ranksvm or given.ranklib):
        parser.error("no program is given")
    head()
    missed = 0
    with TemporaryDirectory() as place:
        folder = Path(place)
        if given.svm_perf:
            program = Program("SVM^perf", given.svm_perf, 1, ("0.1", "0.001"))
            missed += show(linear(program, folder, SIZES))
        if given.liblinear_ranksvm:
            program = Program("liblinear-ranksvm", given.liblinear_ranksvm, 2, ("1e-3", "1e-5"))
            missed += show(linear(program, folder, SIZES))
        if given.ranklib:
            missed += show(ranklib(given.java, given.ranklib, folder))
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
