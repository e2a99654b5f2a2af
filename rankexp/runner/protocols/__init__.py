"""How a problem becomes training, validation and test parts.

A protocol is what stands under ``protocol:`` in a study. One file holds one kind: what it checks,
its places, the parts it makes, the statistical design of its differences, its words in a report.

>>> from rankexp.runner.protocols.dividing import CrossValidation
>>> protocol = CrossValidation(kind="cross_validation", repeats=2, folds=3)
>>> [tuple(place) for place in protocol.places()][:3]
[(None, 0, 0, None), (None, 0, 1, None), (None, 0, 2, None)]
>>> protocol.words(), protocol.design().correction
('2 × 3 folds, plain', 0.5)
"""
