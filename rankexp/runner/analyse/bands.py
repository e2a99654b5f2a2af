"""Curves of many splits at the same points: bands, and how far they are from a function."""

from typing import NamedTuple

import numpy as np

from rankexp.arrays import Bools, Floats


class Band(NamedTuple):
    """A pointwise band, (m,) each."""

    mean: Floats
    low: Floats
    high: Floats


def band(curves: Floats, share: float) -> Band:
    """Return the mean of curves, (s, m), and the quantiles that hold a share of them."""
    tail = (1.0 - share) / 2.0
    low, high = np.quantile(curves, [tail, 1.0 - tail], axis=0)
    return Band(curves.mean(axis=0), low, high)


def centred(curves: Floats, inside: Bools) -> Floats:
    """Return curves, (s, m) or (m,), less their means over some of the points."""
    return np.asarray(curves - curves[..., inside].mean(axis=-1, keepdims=True))


def slopes(x: Floats, curves: Floats, inside: Bools) -> Floats:
    """Return the slopes of the lines nearest to curves, (s,), in squares over some points."""
    apart = x[inside] - x[inside].mean()
    return np.asarray(curves[..., inside] @ apart / (apart @ apart))


def distances(curves: Floats, function: Floats, inside: Bools) -> Floats:
    """Return root mean squared distances of curves to a function, (s,), over some points."""
    squares = np.square(curves[..., inside] - function[inside])
    return np.asarray(np.sqrt(squares.mean(axis=-1)))


def rescaled(curves: Floats, function: Floats, inside: Bools) -> Floats:
    """Return each curve, (s, m), times the factor that brings it nearest to a function.

    Both are to be centred; a curve that is constant in the window stays as it is.
    """
    own = curves[:, inside]
    size = np.square(own).sum(axis=1)
    factor = np.where(size > 0, own @ function[inside] / np.where(size > 0, size, 1.0), 1.0)
    return np.asarray(curves * factor[:, None])
