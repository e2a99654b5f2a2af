"""The contract of protocols."""

import json
from itertools import pairwise

import numpy as np

from rankexp.generators.flipped import Linear
from rankexp.runner.protocols.protocol import Generated, Loaded, Part, Parts, Place, Protocol
from rankexp.seeds import stream
from rankexp.statistics.design import Design
from rankexp.testing.contract import ContractError, keep, need

__all__ = ["check_protocol"]

ROWS = 60
SEED = 3
ABOUT = 2.0
"""What the training rows that are said may be off, as a factor."""


def check_protocol(protocol: Protocol) -> None:
    """Check that a protocol makes parts that share no row, the same at each call.

    Parameters
    ----------
    protocol : Protocol
        Made with the values to check, for a data set of 60 rows if it is for data sets:
        ``Rolling(kind="rolling", windows=3)``.
    """
    if not isinstance(protocol, Protocol):
        raise ContractError(f"{protocol!r} is not a rankexp.plugin.Protocol")
    laws = [counts_its_places, is_its_identity, describes_itself, makes_parts]
    laws += [parts_rows] if protocol.problems == "data sets" else []
    keep(f"protocol {protocol!r}", [*laws, is_repeatable], protocol)


class Drawn(Generated):
    """Models of the linear generator."""

    name = "drawn"

    def sample(
        self, model: str, n: int, path: str, *, keep: bool = False, truth: bool = True
    ) -> Part:
        """Return n rows of the model that the path `model` draws."""
        X, y = Linear(d=3).draw_model(stream(SEED, model)).sample(n, stream(SEED, path))
        return Part(X, y)


def source(protocol: Protocol) -> Generated | Loaded:
    """Return what the protocol is for: a generator, or a data set whose first column counts."""
    if protocol.problems == "generators":
        return Drawn()
    rows = np.arange(ROWS)
    X = np.column_stack([rows, np.random.default_rng(0).standard_normal(ROWS)])
    y, groups, weights = rows % 2, rows // 4, np.arange(1.0, ROWS + 1)
    names = tuple(map(str, range(ROWS // 4)))
    whole = Part(X, y, groups=groups, weights=weights)
    return Loaded("loaded", whole, SEED, groups, names, times=np.floor(rows / 2))


def counts_its_places(protocol: Protocol) -> None:
    """Its places differ, and `size` counts them."""
    places, size = list(protocol.places()), protocol.size()
    known = all(isinstance(place, Place) for place in places)
    need(places and known, f"the places are {places[:1]}")
    need(len(set(places)) == len(places), "two places are the same")
    need(places == list(protocol.places()), "a second call gives other places")
    need(len(places) == size, f"there are {len(places)} places, but `size` says {size}")


def is_its_identity(protocol: Protocol) -> None:
    """What determines its records is JSON, with its kind and without defaults."""
    said = protocol.identity()
    need(json.loads(json.dumps(said)) == said, f"JSON changes {said}")
    need(said.get("kind") == protocol.kind, f"its kind is not in {said}")
    fields = type(protocol).model_fields
    defaults = [name for name in said if name != "kind" and said[name] == fields[name].default]
    need(not defaults, f"{defaults} are defaults: a new field would lose all records")


def describes_itself(protocol: Protocol) -> None:
    """It says in words what it does, and of what design its differences are."""
    need(protocol.words().strip(), "it has no words")
    need(isinstance(protocol.design(ROWS), Design), f"its design is {protocol.design(ROWS)!r}")
    faults = list(protocol.faults({"loaded": ROWS}))
    need(not faults, f"it finds faults of 60 rows: {faults}")


def makes_parts(protocol: Protocol) -> None:
    """At each place there are rows to train and to test on, about as many as it says."""
    given, sizes = source(protocol), []
    for place in protocol.places():
        parts = protocol.parts(given, place, inner=True)
        need(isinstance(parts, Parts), f"at {place} `parts` returns {parts!r}")
        need(len(parts.train.X) and len(parts.test.X), f"at {place} a part is empty")
        need(parts.path.startswith(given.name), f"the path '{parts.path}' is not its problem's")
        sizes.append(len(parts.train.X))
    mean, said = float(np.mean(sizes)), protocol.training_rows(ROWS)
    text = f"`training_rows` says {said}, but {mean:g} rows are trained on"
    need(said / ABOUT <= mean <= said * ABOUT, text)


def parts_rows(protocol: Protocol) -> None:
    """Parts share no row, and each row keeps its y, group and weight."""
    given = source(protocol)
    assert isinstance(given, Loaded)
    for place in protocol.places():
        parts = protocol.parts(given, place, inner=True)
        every = [part for part in (parts.train, parts.validation, parts.test) if part]
        rows = [part.X[:, 0].astype(int) for part in every]
        for one, other in pairwise([*rows, rows[0]]):
            shared = set(one) & set(other)
            need(not shared, f"at {place} rows {sorted(shared)[:3]} are in two parts")
        for part, own in zip(every, rows, strict=True):
            for what in ("y", "groups", "weights"):
                same = np.array_equal(getattr(part, what), getattr(given.whole, what)[own])
                need(same, f"at {place} rows have other {what}: use Part.take")


def is_repeatable(protocol: Protocol) -> None:
    """The parts of a place depend on the study's seed and the place alone, not on the order."""
    places = list(protocol.places())
    first = [protocol.parts(source(protocol), place, inner=True) for place in places]
    given = source(protocol)
    for place, one in reversed(list(zip(places, first, strict=True))):
        again = protocol.parts(given, place, inner=True)
        for part, same in ((one.train, again.train), (one.test, again.test)):
            need(np.array_equal(part.X, same.X), f"at {place} a second call gives other parts")
