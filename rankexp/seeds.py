"""Random streams addressed by a path, so that adding one never moves another."""

import hashlib

import numpy as np


def stream(seed: int, path: str) -> np.random.Generator:
    """Return the random generator of one place in a study, the same on every machine.

    The path says where the numbers are used, such as ``"linear-50/model/3/train/7"``. That of
    data never holds the method, so that every method sees the same.
    """
    digest = hashlib.sha256(path.encode("utf-8")).digest()
    words = [int.from_bytes(digest[i : i + 4], "little") for i in range(0, 16, 4)]
    return np.random.default_rng(np.random.SeedSequence([seed, *words]))
