"""Parameters by name only, because the first one is a loss here, a kernel or a depth there."""

from inspect import Parameter, signature
from typing import TYPE_CHECKING

from rankexp import registry
from rankexp.risks.risk import ALIASES


class ByName:
    """An estimator that refuses a parameter without its name, and says what to write."""

    if not TYPE_CHECKING:  # a type checker sees the parameters of each class

        def __new__(cls, *values, **named):
            """Return an instance; TypeError for values without names."""
            known = signature(cls).parameters
            if values and all(p.kind is Parameter.KEYWORD_ONLY for p in known.values()):
                name, given = cls.__name__, registry.shown(repr(values[0]))
                meant = f"write {name}({_meant(values[0], list(known))}={given})"
                raise TypeError(f"{name} takes its parameters by name: {meant}")
            return super().__new__(cls)


def _meant(value: str, known: list[str]) -> str:
    """Return the parameter that a value is probably for: that of a known loss or risk, or 1st."""
    said = str(value).partition("(")[0]
    rooms = (("loss", "losses", ()), ("risk", "risks", ALIASES))
    found = (p for p, room, more in rooms if p in known and said in (*registry.names(room), *more))
    return next(found, known[0])
