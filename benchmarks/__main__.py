"""Print every speed figure with its target: ``python -m benchmarks [module...]``.

A module here with ``rows() -> Iterator[tuple[name, measured, target or None]]`` is a benchmark;
lower is better throughout. Ratios are taken in one run, as absolute times drift with the machine.
A target of 1 beside somebody else's name is what we want; where it is missed, they are ahead. What
could not be measured, as a package is not there, is NaN: the row says so.
"""

import importlib
import math
import os
import sys
import traceback
from collections.abc import Iterable, Iterator
from pathlib import Path

HERE = Path(__file__).parent
Row = tuple[str, float, float | None]


def names() -> list[str]:
    """Return the modules of this folder, in order."""
    return sorted(file.stem for file in HERE.glob("*.py") if not file.stem.startswith("_"))


def measure(module: str) -> Iterator[Row]:
    """Yield the rows of a module."""
    yield from importlib.import_module(f"benchmarks.{module}").rows()


def line(name: str, measured: float, target: float | None) -> str:
    """Return a row of the table, with "ok" or "MISSED" where there is a target."""
    if math.isnan(measured):
        return f"  {name:<70} {'':>9} {'' if target is None else target:>9}  not measured"
    if target is None:
        return f"  {name:<70} {measured:>9.3g}"
    verdict = "ok" if measured <= target else "MISSED"
    return f"  {name:<70} {measured:>9.3g} {target:>9.3g}  {verdict}"


def show(rows: Iterable[Row]) -> int:
    """Print rows as they come, and return how many miss their target."""
    missed = 0
    for name, measured, target in rows:
        print(line(name, measured, target), flush=True)
        missed += target is not None and not measured <= target
    return missed


def head() -> None:
    """Print what the columns are."""
    print("lower is better")
    print(f"  {'':<70} {'measured':>9} {'target':>9}", flush=True)


def main(asked: list[str]) -> int:
    """Run the modules asked for, or all; return 1 if a target is missed."""
    unknown = sorted(set(asked) - set(names()))
    if unknown:
        print(f"no benchmark '{unknown[0]}'; there are {', '.join(names())}", file=sys.stderr)
        return 2
    for library in ("OMP", "OPENBLAS", "MKL"):  # as in a worker; read when numpy is imported
        os.environ.setdefault(f"{library}_NUM_THREADS", "1")
    head()
    missed = 0
    for module in asked or names():
        print(module, flush=True)
        try:
            missed += show(measure(module))
        except Exception:  # the others are measured all the same
            traceback.print_exc()
            missed += 1
    if missed:
        print(f"{missed} missed")
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
