"""The risks of pairs: of a positive and a negative example, or of K ordered levels."""

from rankexp.risks.risk import RiskOfPairs

REGISTER = {"multipartite": "Multipartite", "bipartite": "Bipartite"}


class Multipartite(RiskOfPairs):
    """The mean of ``l(w·(x - x'))`` over pairs of an x of a higher and an x' of a lower level.

    A pair of levels weighs what it costs (uematsu2010, "A tripartite ranking risk"). With the
    hinge this is the ordinal support vector machine of Herbrich et al. (1999).
    """

    several_levels = True


class Bipartite(RiskOfPairs):
    """The mean of ``l(w·(x - x'))`` over pairs of a positive x and a negative x'.

    With the hinge this is SVM-OR of kotlowski2011.
    """
