"""Risks: the means of losses that a scoring function minimises.

A *loss* is the cost of the score of one example, or of the difference of two scores. A *risk* is a
mean of such costs: over points (classification), over pairs of a positive and a negative example
(bipartite), over negatives with a power of the mean over their pairs (push), or over pairs of K
ordered levels (multipartite). A scoring function minimises ``lam/2 ||w||² + risk``, so every
combination of a loss and a risk is a way to train.

A risk accepts a loss by its properties, or says why it does not. So a loss in one file, here or in
another package, trains under every risk that its properties allow:

>>> from rankexp.losses import parse as loss
>>> from rankexp.risks import parse as risk
>>> risk("bipartite").accepts(loss("hinge")) is None
True
>>> risk("push(p=4)").accepts(loss("hinge"))
'it has kinks, and the push is solved for smooth losses'

Three risks have plain names, too: ``points`` is `classification`, ``pairs`` is `bipartite`, and
``balanced`` is `classification` with both classes weighed alike.

>>> risk("balanced")
classification(balanced=True)

`table` lists all combinations; `rankexp.estimators.LinearRanker` trains them.
"""

from rankexp.registry import exports

__getattr__, __dir__ = exports("risks")
