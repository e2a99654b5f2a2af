"""Limits of time and memory, for one method at one training part."""

import math
import re
from functools import cached_property
from typing import Annotated

from pydantic import AfterValidator, PositiveFloat, ValidationError

from rankexp.errors import ConfigError
from rankexp.runner.config.asking import message
from rankexp.runner.strict import Keyed

_SIZE = re.compile(r"(\d+(?:\.\d+)?|\.\d+) ?([kMGT])(i?)B")


def _bytes(size: str) -> int:
    found = _SIZE.fullmatch(size)
    unit = 1024 if found and found[3] else 1000
    count = float(found[1]) * unit ** ("kMGT".index(found[2]) + 1) if found else 0.0
    if not 1 <= count < 2**62:
        raise ValueError(f"expected a size above 0 such as 4GB or 500MB, got '{size}'")
    return int(count)


class Limits(Keyed):
    """What one method may take at one training part, for all its settings with their scores."""

    minutes: PositiveFloat | None = None
    memory: Annotated[str, AfterValidator(lambda size: size if _bytes(size) else "")] | None = None

    @property
    def seconds(self) -> float:
        """The time in seconds."""
        return math.inf if self.minutes is None else 60 * self.minutes

    @cached_property
    def bytes(self) -> int | None:
        """The memory in bytes."""
        return None if self.memory is None else _bytes(self.memory)

    def before(self, others: "Limits | None") -> "Limits":
        """Return these limits, and those of others where there is none."""
        known = {} if others is None else others.model_dump(exclude_none=True)
        return Limits(**{**known, **self.model_dump(exclude_none=True)})


def asked(minutes: float | None, memory: str | None) -> Limits:
    """Return the limits of a command; ConfigError names the option that is wrong."""
    try:
        return Limits(minutes=minutes, memory=memory)
    except ValidationError as error:
        if error.errors()[0]["loc"] == ("minutes",):
            raise ConfigError(message("study.minutes", minutes=minutes)) from None
        raise ConfigError(message("study.memory", memory=memory)) from None


UNLIMITED = Limits()
