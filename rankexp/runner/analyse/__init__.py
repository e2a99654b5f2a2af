"""From records to numbers: the long frame, selection, statistics, verdicts.

Nothing is fitted here. Records hold every grid point, so a rule of choice is a function of their
long frame, and several rules can stand side by side. What is chosen is compared by the design that
the protocol has: models that are independent, or splits whose training parts overlap.

>>> from rankexp.runner.analyse.select import Rule
>>> Rule.parse("fixed:lam=0.1").label
'λ = .1'
>>> import numpy as np
>>> from rankexp.statistics.several import holm
>>> holm(np.array([0.01, 0.04, 0.03])).tolist()
[0.03, 0.06, 0.06]
"""
