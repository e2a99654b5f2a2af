"""Parts of a study, for machines that share nothing: each runs one, and the folders are joined.

Which part a record is in hangs on its key alone: not on order, on what is done already, or on
the jobs that it would be in. So every record is in exactly one part, and each part takes its share
of every split. Splits are not kept together, although methods of one share its data: a study of
ten folds would keep ten machines busy at most.
"""

import re
from collections.abc import Collection, Iterable
from itertools import groupby
from pathlib import Path
from typing import NamedTuple, Self

from rankexp.errors import ConfigError
from rankexp.runner.config.asking import message
from rankexp.runner.run.progress import how_many


class Shard(NamedTuple):
    """One part of so many, from 1."""

    part: int
    of: int

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return the shard that a text like ``3/40`` names; ConfigError where it names none."""
        if found := re.fullmatch(r"([0-9]{1,9})/([0-9]{1,9})", text, re.ASCII):
            made = cls(*map(int, found.groups()))
            if 1 <= made.part <= made.of:
                return made
        raise ConfigError(message("shards.form", text=text))

    def __str__(self) -> str:
        return f"{self.part}/{self.of}"

    def has(self, key: str) -> bool:
        """Tell whether a record belongs to this part."""
        return part_of(key, self.of) == self.part


def part_of(key: str, count: int) -> int:
    """Return which of so many parts the record of a key is in."""
    return int(key, 16) % count + 1


def told(shard: Shard, folder: Path, records: int) -> str:
    """Say what a shard has, and what comes next."""
    known = {"shard": shard, "folder": folder, "records": how_many(records, "record")}
    return message("shards.done", **known)


def unmade(
    folder: Path, shards: Iterable[str], needed: Iterable[str], made: Collection[str]
) -> list[str]:
    """Say which parts lack records of those needed, if what was run were these `shards`.

    Where a study was divided in several ways, the one into most parts counts.
    """
    divided = [Shard.parse(text) for text in shards]
    if not divided:
        return []
    count = max(shard.of for shard in divided)
    parts = sorted({part_of(key, count) for key in needed if key not in made})
    ran = {shard.part for shard in divided if shard.of == count}
    absent, short = ([p for p in parts if (p in ran) is was] for was in (False, True))
    known = {"folder": folder, "count": count, "absent": spans(absent), "short": spans(short)}
    return [message("shards.unmade", **known)] if parts else []


def spans(numbers: Iterable[int]) -> str:
    """Return ascending numbers in words.

    >>> spans([1, 2, 3, 5, 8, 9])
    '1-3, 5, 8, 9'
    """
    runs: list[str] = []
    for _, group in groupby(enumerate(numbers), key=lambda pair: pair[1] - pair[0]):
        own = [number for _, number in group]
        runs += [f"{own[0]}-{own[-1]}"] if len(own) > 2 else map(str, own)
    return ", ".join(runs)
