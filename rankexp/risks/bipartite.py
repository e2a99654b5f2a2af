"""The risk of pairs of a positive and a negative example."""

from rankexp.risks.base import RiskOfPairs

REGISTER = {"bipartite": "Bipartite"}


class Bipartite(RiskOfPairs):
    """The mean of ``l(w·(x - x'))`` over pairs of a positive x and a negative x'.

    With the hinge this is SVM-OR of kotlowski2011.
    """
