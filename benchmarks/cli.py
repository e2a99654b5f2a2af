"""How soon the command line answers."""

import subprocess
import sys
import time
from collections.abc import Iterator


def _seconds(*arguments: str, rounds: int = 7) -> float:
    """Return the best wall time of a call, interpreter and imports included."""
    best = float("inf")
    for _ in range(rounds):
        start = time.perf_counter()
        subprocess.run(
            [sys.executable, "-m", "rankexp", *arguments], check=True, stdout=subprocess.DEVNULL
        )
        best = min(best, time.perf_counter() - start)
    return best


def rows() -> Iterator[tuple[str, float, float | None]]:
    """Yield (name, measured seconds, target); lower is better."""
    yield "rankexp --help, seconds", _seconds("--help"), 0.3
    yield "rankexp list losses, seconds", _seconds("list", "losses", rounds=3), None
