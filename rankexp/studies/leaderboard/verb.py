"""The verb ``rankexp verdicts``; what it needs is imported when it is used."""

import tomllib
from pathlib import Path

from rankexp.runner.cli_own import OPTIONS, READING, OptionsGiven, taking
from rankexp.runner.config.asking import typed

FILE = ("missing", "header", "decimal", "thousands", "delimiter", "encoding", "sheet")
"""Options of all verbs for one's own table that say how its file is read."""
OPTIONS |= {
    "verdicts": {
        **tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")),
        **{name: OPTIONS[READING][name] for name in FILE},
    }
}


@taking("verdicts")
def verdicts(given: OptionsGiven) -> None:
    """Tell which methods of a table of results are better, as good, or not told apart."""
    from rankexp.studies.leaderboard.asked import VerdictOptions
    from rankexp.studies.leaderboard.command import run

    known = {name: own for name, own in given.items() if own not in (None, [])}
    reading = {name: known.pop(name) for name in ("nominal", *FILE) if name in known}
    with typed():
        run(known.pop("table"), VerdictOptions(**known, reading=reading))


VERB = verdicts
