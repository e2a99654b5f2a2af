"""Write contracts as laws: functions whose docstring says what must hold."""

import warnings
from collections.abc import Callable, Iterable
from typing import TypeVar, TypeVarTuple

import numpy as np
from numpy.typing import ArrayLike

from rankexp import registry
from rankexp.names import Named

__all__ = ["ContractError"]

T = TypeVar("T")
Things = TypeVarTuple("Things")


class ContractError(AssertionError):
    """Something breaks the contract of its room; the message says what must hold, and where."""


def keep(place: str, laws: Iterable[Callable[[*Things], None]], *things: *Things) -> None:
    """Try each law on the same things, with warnings silenced.

    `place` is what is tried, for messages: ``loss huber(delta=0.5)``. ContractError for the first
    law that does not hold, or that could not be tried.
    """
    for law in laws:
        said = (law.__doc__ or law.__name__).splitlines()[0].rstrip(".")
        said = f"{place}: {said if said.startswith('NaN') else said[0].lower() + said[1:]}"
        try:
            with warnings.catch_warnings(action="ignore"):
                law(*things)
        except ContractError as fault:
            raise ContractError(f"{said}: {fault}") from None
        except Exception as error:
            raise ContractError(f"{said}: {type(error).__name__}: {error}") from error


def thing(room: str, given: T | str) -> T:
    """Return a class or function, or the registered one of this name.

    ContractError for what the room refuses, with the names of what is missing.
    """
    found: T = registry.get(room, given) if isinstance(given, str) else given
    if why := registry.unfit(room, found):
        raise ContractError(why)
    return found


def is_a_value(made: Named) -> None:
    """Its parameters are kept under their names, and things with the same are equal."""
    again = type(made)(**made.parameters())
    need(again == made and hash(again) == hash(made), f"made again it is {again!r}")
    need(made != object(), "it equals an object of another kind")
    if registry.name_of(made.room, type(made)):
        again = type(made).parse(repr(made))
        need(again == made, f"its text '{made!r}' is parsed to something else")


def need(holds: object, where: str) -> None:
    """Raise a `ContractError` with a sentence unless something holds."""
    if not holds:
        raise ContractError(where)


def near(
    found: ArrayLike, wanted: ArrayLike, at: ArrayLike, rtol: float = 1e-6, atol: float = 1e-7
) -> None:
    """Raise a `ContractError` that names the first place where two arrays are apart."""
    is_, should, place = np.broadcast_arrays(found, wanted, at)
    apart = np.flatnonzero(~np.isclose(is_, should, rtol=rtol, atol=atol, equal_nan=False))
    if apart.size:
        k = apart[0]
        text = f"at {place.flat[k]:.6g} it is {is_.flat[k]:.6g}, not {should.flat[k]:.6g}"
        raise ContractError(text)


def raises(error: type[Exception], words: str, call: Callable[[], object]) -> None:
    """Ask for an error whose message has some words."""
    try:
        call()
    except error as said:
        need(words in str(said), f"the message '{said}' does not contain '{words}'")
    except Exception as other:
        raise ContractError(f"expected {error.__name__}, got {type(other).__name__}") from other
    else:
        raise ContractError(f"expected {error.__name__}, but nothing was raised")
