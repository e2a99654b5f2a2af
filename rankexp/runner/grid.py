"""Grid points: the settings that a method is tried with, as values with one text each."""

import itertools
import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from rankexp.runner.labels import LABELS, spoken, value_text
from rankexp.runner.strict import Plain

REAL = frozenset({"lam"})
"""Names whose numbers are real whatever they are written as: ``lam: 1`` and ``lam: 1.0`` are one
point, with the text ``lam=1``. Any other name keeps 1 and 1.0 apart, as estimators do."""
EQUAL = 1e-12  # values of grid points that are nearer differ by rounding, and are equally good
SIMPLER = {"lam": 1.0, "alpha": 1.0, "C": -1.0, "n_rounds": -1.0, "max_leaf_nodes": -1.0}
SIMPLER |= {"max_depth": -1.0, "depth": -1.0, "min_samples_leaf": 1.0, "learning_rate": -1.0}
"""The direction in which a grid's parameter means a simpler model."""
_SIGNS = re.compile(r'"(?:\\.|[^"\\])*"?|.', re.DOTALL)  # a text in quotes counts as one
_BARE = re.compile(r"[A-Za-z_][\w.+-]*")


@dataclass(frozen=True, eq=False)
class Point:
    """One setting of the parameters of a grid, in the order of their names.

    Two points are equal where their texts are, and their texts are equal where names, values and
    the types of the values are: 1, 1.0, "1" and True make four different points.

    >>> Point.of({"max_features": 1.0, "criterion": "gini"}).text
    'criterion=gini,max_features=1.0'
    >>> Point.parse("lam=0.01").value("lam")
    0.01
    """

    values: tuple[tuple[str, Any], ...]

    @classmethod
    def of(cls, values: Mapping[str, Plain]) -> "Point":
        """Return the point with these values."""
        return cls(tuple((name, _real(name, value)) for name, value in sorted(values.items())))

    @classmethod
    def parse(cls, text: str) -> "Point":
        """Return the point that has this text; ValueError where none has."""
        pairs = [part.partition("=") for part in _parts(text)] if text else []
        if any(not (name and equals) for name, equals, _ in pairs):
            raise ValueError(f"'{text}' is not a grid point: write name=value, such as lam=0.01")
        found = cls.of({name.strip(): _value(given.strip()) for name, _, given in pairs})
        if len(found.values) < len(pairs):
            raise ValueError(f"'{text}' is not a grid point: it names a parameter twice")
        return found

    @cached_property
    def text(self) -> str:
        """The point's only text, ``lam=0.01`` or ``C=1.0,kernel=rbf``; empty for no grid."""
        return ",".join(f"{name}={_text(name, value)}" for name, value in self.values)

    def value(self, name: str) -> Plain:
        """Return the value of a parameter; None where the grid has not this parameter."""
        return dict(self.values).get(name)

    @property
    def label(self) -> str:
        """What it is called on pages: ``λ = .01, rounds = 100``."""
        return self.named(LABELS)

    def named(self, labels: Mapping[str, str]) -> str:
        """Return what it is called with the labels of a check."""
        return ", ".join(f"{spoken(k, labels)} = {value_text(v, labels)}" for k, v in self.values)

    @property
    def numbers(self) -> dict[str, float]:
        """Its parameters that are numbers."""
        return {name: float(v) for name, v in self.values if type(v) in {int, float}}

    @property
    def simplicity(self) -> tuple[float, ...]:
        """How simple its model is, one parameter after the other; greater is simpler."""
        known = self.numbers
        return tuple(sign * known[name] for name, sign in SIMPLER.items() if name in known)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Point) and self.text == other.text

    def __lt__(self, other: "Point") -> bool:
        return self.text < other.text

    def __hash__(self) -> int:
        return hash(self.text)

    def __repr__(self) -> str:
        return self.text


def points(grid: Mapping[str, Sequence[Plain]]) -> tuple[Point, ...]:
    """Return the points of a grid, the last name varying fastest; one empty point for no grid."""
    made = itertools.product(*grid.values())
    return tuple(Point.of(dict(zip(grid, values, strict=True))) for values in made)


def size(grid: Mapping[str, Sequence[Plain]]) -> int:
    """Return the number of points of a grid, without making them."""
    return math.prod(len(values) for values in grid.values())


def _real(name: str, value: Plain) -> Plain:
    if name in REAL and isinstance(value, int | float) and not isinstance(value, bool):
        return float(value) + 0.0  # -0 is 0
    return value


def _text(name: str, value: Plain) -> str:
    if isinstance(value, str) and _BARE.fullmatch(value) and isinstance(_value(value), str):
        return value
    text = json.dumps(value, ensure_ascii=False, sort_keys=True)
    return text.removesuffix(".0") if name in REAL and isinstance(value, float) else text


def _value(text: str) -> Plain:
    try:
        found: Plain = json.loads(text)
    except ValueError:
        return text
    return found


def _parts(text: str) -> list[str]:
    """Divide a text at its commas, those within brackets and quotes aside."""
    parts, depth = [""], 0
    for sign in _SIGNS.findall(text):
        if sign == "," and depth == 0:
            parts.append("")
            continue
        depth += (sign in "[{") - (sign in "]}")
        parts[-1] += sign
    return parts
