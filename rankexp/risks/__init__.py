"""What a loss is averaged over, one risk a file.

A *loss* says what the score of one example, or the difference of two scores, costs. A *risk* is a
mean of such costs: over single examples (classification), over pairs of a positive and a negative
one (bipartite), over negatives of a power of the mean over their pairs (push), over pairs of K
ordered levels (multipartite). A scoring function is trained by
``lam/2 ||w||² + risk``, so that each loss × each risk is a way to train.

A risk accepts a loss by its properties, and says why where it doesn't. So a loss that is written
in one file, here or in another package, trains under every risk that its properties allow:

>>> from rankexp.losses import parse as loss
>>> from rankexp.risks import parse as risk
>>> risk("bipartite").accepts(loss("hinge")) is None
True
>>> risk("push(p=4)").accepts(loss("hinge"))
'it has kinks, and the push is solved for smooth losses'

`table` says this of all losses and risks; `rankexp.estimators.LinearRanker` trains.
"""

from rankexp.registry import exports

__getattr__, __dir__ = exports("risks")
