"""Whether `rankexp compare` ends in the time it is given, on tables as people have them."""

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks._people import TABLES

MINUTES = 0.5


def rows() -> Iterator[tuple[str, float, float | None]]:
    """Yield (name, seconds as a share of the time given, target); lower is better."""
    with tempfile.TemporaryDirectory() as folder:
        for number, (name, (make, suffix, target, options)) in enumerate(TABLES.items()):
            file = Path(folder, f"table{number}.{suffix}")
            make(file)
            call = [sys.executable, "-m", "rankexp", "compare", str(file), "--target", target]
            call += ["--minutes", str(MINUTES), "--out", f"{file}-answer", *options]
            start = time.perf_counter()
            subprocess.run(call, check=True, capture_output=True)
            share = (time.perf_counter() - start) / (60 * MINUTES)
            yield f"compare {name}, seconds by those given", share, 1.1
