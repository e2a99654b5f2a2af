"""The risk of pairs of examples of K ordered levels."""

from rankexp.risks.base import RiskOfPairs

REGISTER = {"multipartite": "Multipartite"}


class Multipartite(RiskOfPairs):
    """The mean of ``l(w·(x - x'))`` over pairs of an x of a higher and an x' of a lower level.

    A pair of levels weighs what it costs (uematsu2010, "A tripartite ranking risk"). With the
    hinge this is the ordinal support vector machine of Herbrich et al. (1999).
    """

    several_levels = True
