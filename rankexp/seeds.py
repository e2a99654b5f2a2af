"""Random streams addressed by a path, so that adding one never moves another."""

import hashlib

import numpy as np


def stream(seed: int, path: str) -> np.random.Generator:
    """Return the random generator of one place in a study.

    Parameters
    ----------
    seed : int
        The study's seed.
    path : str
        Where the numbers are used, such as ``"linear-50/model/3/train/7"``. It never holds
        the method, so that every method sees the same data.

    Returns
    -------
    numpy.random.Generator
        The same stream for the same arguments, on every machine and in every process.
    """
    digest = hashlib.sha256(path.encode("utf-8")).digest()
    words = [int.from_bytes(digest[i : i + 4], "little") for i in range(0, 16, 4)]
    return np.random.default_rng(np.random.SeedSequence([seed, *words]))
