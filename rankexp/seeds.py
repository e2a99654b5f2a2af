"""Random streams addressed by a path, so that a new stream never changes another."""

import hashlib

import numpy as np


def stream(seed: int, path: str) -> np.random.Generator:
    """Return the random generator of one place in a study, the same on every machine.

    The path names the use of the numbers, such as ``"linear-50/model/3/train/7"``. A path of data
    never holds the method, so every method sees the same data.
    """
    digest = hashlib.sha256(path.encode("utf-8")).digest()
    words = [int.from_bytes(digest[i : i + 4], "little") for i in range(0, 16, 4)]
    return np.random.default_rng(np.random.SeedSequence([seed, *words]))
