"""What may be said of a difference: better, worse, equivalent within a margin, undecided."""

MARGINS = {"rank_loss": 0.01, "auc": 0.01}
"""Differences of no practical importance, where a study sets none: Kotłowski et al. (ICML 2011,
sec. 5.1) call differences of "at most around 0.01" very small."""


def verdict(
    difference: float, p: float, p_equivalence: float, *, higher: bool, alpha: float = 0.05
) -> str:
    """Return the words that two tests allow.

    Parameters
    ----------
    difference : float
        Method minus reference.
    p : float
        Of "there is no difference".
    p_equivalence : float
        Of "the difference is the margin or more".
    higher : bool
        Whether higher values are better.
    alpha : float
        Level of both tests.

    Returns
    -------
    str
        ``better``, ``worse``, ``equivalent``, ``better, equivalent``, ``worse, equivalent``
        (a difference that is there, but within the margin) or ``undecided``.
    """
    words = []
    if p < alpha and difference != 0:
        words.append("better" if (difference > 0) == higher else "worse")
    if p_equivalence < alpha:
        words.append("equivalent")
    return ", ".join(words) or "undecided"
