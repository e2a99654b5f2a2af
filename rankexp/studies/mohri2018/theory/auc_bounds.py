"""How far an AUC on a sample may be from its expectation: exercise 10.9 of mohri2018, and more.

The scoring function is fixed, m positives and n negatives are independent. A tied pair counts ½.
"""

from typing import Literal

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

from rankexp.arrays import Floats
from rankexp.metrics.level_counts import won
from rankexp.studies.mohri2018.theory.rademacher import check_confidence
from rankexp.theory.models import check_positive, vector

Kind = Literal["hoeffding", "mcdiarmid"]


def auc_deviation_bound(t: float, m: int, n: int, kind: Kind = "hoeffding") -> float:
    """Return a bound on the chance that an AUC differs from its expectation by more than t.

    It is ``2 exp(-2 t² min(m, n))``, Hoeffding's of two-sample U-statistics (1963, section 5), or
    by bounded differences ("mcdiarmid") ``2 exp(-2 t² m n / (m + n))``, which is never less.

    >>> [round(auc_deviation_bound(0.1, 200, 400, kind), 4) for kind in ("hoeffding", "mcdiarmid")]
    [0.0366, 0.139]
    """
    check_positive(t=t, m=m, n=n)
    return float(min(1.0, 2.0 * np.exp(-2.0 * t * t * _size(m, n, kind))))


def auc_half_width(m: int, n: int, delta: float, kind: Kind = "hoeffding") -> float:
    """Return the t that an AUC deviates by with a chance of at most delta, by the same bounds."""
    check_positive(m=m, n=n)
    check_confidence(delta)
    return float(np.sqrt(np.log(2.0 / delta) / (2.0 * _size(m, n, kind))))


def _size(m: int, n: int, kind: str) -> float:
    """Return the number of independent examples that an AUC is worth."""
    sizes = {"hoeffding": float(min(m, n)), "mcdiarmid": m * n / (m + n)}
    if kind not in sizes:
        raise ValueError(f"kind='{kind}': expected hoeffding or mcdiarmid")
    return sizes[kind]


def delong_interval(
    positives: npt.ArrayLike, negatives: npt.ArrayLike, delta: float
) -> tuple[float, float]:
    """Return an interval of the expected AUC at level 1 - delta, normal in large samples.

    The variance comes from the placements of examples (DeLong, DeLong and Clarke-Pearson,
    Biometrics 44, 1988). It is no bound: in small samples, or if all pairs are in order, it covers
    too rarely.
    """
    check_confidence(delta)
    up, down = _two_each(positives, negatives)
    m, n = len(up), len(down)
    codes = np.repeat([1, 0], [m, n]).astype(np.int64)
    wins = won(codes, np.concatenate([up, down]))
    variance = (wins[:m] / n).var(ddof=1) / m + (wins[m:] / m).var(ddof=1) / n
    value, half = wins[:m].mean() / n, -ndtri(delta / 2.0) * np.sqrt(variance)
    return float(value - half), float(value + half)


def bootstrap_interval(
    positives: npt.ArrayLike,
    negatives: npt.ArrayLike,
    delta: float,
    rng: np.random.Generator,
    draws: int = 500,
) -> tuple[float, float]:
    """Return the percentile bootstrap's interval of the expected AUC at level 1 - delta.

    Positives and negatives are drawn separately. It is no bound either: see `delong_interval`.
    """
    check_confidence(delta)
    if draws < 2:
        raise ValueError(f"draws={draws}: expected 2 or more")
    up, down = _two_each(positives, negatives)
    m, n = len(up), len(down)
    right = np.greater.outer(up, down) + 0.5 * np.equal.outer(up, down)
    first = rng.multinomial(m, np.full(m, 1.0 / m), size=draws)
    second = rng.multinomial(n, np.full(n, 1.0 / n), size=draws)
    values = ((first @ right) * second).sum(axis=1) / (m * n)
    low, high = np.quantile(values, [delta / 2.0, 1.0 - delta / 2.0]).tolist()
    return low, high


def _two_each(positives: npt.ArrayLike, negatives: npt.ArrayLike) -> tuple[Floats, Floats]:
    up, down = vector("positives", positives), vector("negatives", negatives)
    if min(len(up), len(down)) < 2:
        raise ValueError(f"{len(up)} positives and {len(down)} negatives: expected two each")
    return up, down
