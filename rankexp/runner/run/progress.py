"""What a user sees while a study runs: a bar in a terminal, plain lines elsewhere."""

import math
import sys
from time import monotonic
from typing import Any, Self

from rankexp.charts.letters import one_line
from rankexp.charts.numbers import printed

EVERY = 10.0  # seconds between plain lines


class Progress:
    """Counts fits up to a total; what is left is judged by `work`, about the seconds of all."""

    def __init__(self, total: int, work: float, *, quiet: bool = False) -> None:
        self.total, self.work, self.quiet = total, max(work, 1e-9), quiet
        self.count, self.worked = 0, 0.0
        self._bar: Any = None
        self._task: Any = None

    def __enter__(self) -> Self:
        self._start = self._printed = monotonic()
        if not self.quiet and sys.stderr.isatty():
            self._bar = _bar()
            self._task = self._bar.add_task("", total=self.work, said=self._said())
            self._bar.start()
        return self

    def __exit__(self, *error: object) -> None:
        if self._bar is not None:
            self._bar.stop()
        elif not self.quiet:
            self._line()

    def advance(self, fits: int, work: float) -> None:
        """Count fits that are done, with their share of the work."""
        self.count += fits
        self.worked += work
        if self._bar is not None:
            self._bar.update(self._task, completed=self.worked, said=self._said())
        elif not self.quiet and monotonic() - self._printed >= EVERY:
            self._line()

    def _said(self) -> str:
        """Return how many fits are done, and how many a second since the start."""
        rate = self.count / max(monotonic() - self._start, 1e-9)
        return f"{self.count:,} of {self.total:,} fits done, {rate:,.0f} per second"

    def say(self, text: str) -> None:
        """Print a warning without tearing the bar, and even where it is quiet."""
        if self._bar is None:
            print(text, file=sys.stderr, flush=True)
        else:
            self._bar.console.print(text, markup=False, highlight=False)

    def _line(self) -> None:
        self._printed = monotonic()
        took, share = self._printed - self._start, self.worked / self.work
        left = took * (1.0 / share - 1.0) if share > 0.0 else 0.0
        ending = f", {duration(left)} left" if left > 0.0 else ""
        print(f"{self._said()}; {duration(took)} so far{ending}", file=sys.stderr, flush=True)


def _bar() -> Any:
    from rich import progress
    from rich.console import Console

    return progress.Progress(
        progress.BarColumn(),
        progress.TextColumn("{task.fields[said]}"),
        progress.TimeElapsedColumn(),
        progress.TextColumn("left"),
        progress.TimeRemainingColumn(),
        console=Console(stderr=True),
        refresh_per_second=4,
    )


def printed_lines(text: str) -> str:
    """Return text without what a terminal obeys: a method, or a table, may have put it there."""
    return "\n".join(map(one_line, text.split("\n")))


def how_many(count: int, what: str) -> str:
    """Return a count with its noun: ``"1 fit"``, ``"2,403 fits"``."""
    return f"{count:,} {what}{'s' * (count != 1)}"


def duration(seconds: float) -> str:
    """Return a time as people say it: ``".53 s"``, ``"3 min 20 s"``, ``"2 h 5 min"``."""
    if math.isnan(seconds):
        return "unknown"
    if seconds < 59.5:
        return f"{printed(f'{seconds:.2g}')} s" if seconds >= 0.01 else "under .01 s"
    whole = round(seconds)
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"
