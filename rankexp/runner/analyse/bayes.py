"""The Bayesian signed-rank test with a region of practical equivalence; extra ``bayes``.

Benavoli, Corani, Demšar and Zaffalon (JMLR 18, 2017, sec. 4.2); the sampling is baycomp's.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt


class Posterior(NamedTuple):
    """Posterior probabilities that the difference is below, within or above the region."""

    below: float
    within: float
    above: float


class NoBaycompError(ImportError):
    """The package that samples the posterior is not installed."""


def signed_rank(
    differences: npt.ArrayLike, margin: float, seed: int = 0, samples: int = 20_000
) -> Posterior:
    """Return what is probable of the difference on a further data set.

    `differences` are one a data set or model, `margin` is half the width of the region of
    practical equivalence. Raises `NoBaycompError` where the extra is not installed.
    """
    try:
        import baycomp
    except ImportError as error:
        raise NoBaycompError("needs baycomp: pip install 'rankexp[bayes]'") from error
    values = np.asarray(differences, dtype=np.float64)
    posterior = baycomp.SignedRankTest(
        np.zeros_like(values), values, rope=margin, nsamples=samples, random_state=seed
    )
    return Posterior(*(float(part) for part in posterior.probs()))
