"""Contracts of all rooms, for the authors of plug-ins and for our own tests.

As scikit-learn's ``check_estimator`` does, each function takes one thing, tries it, and raises a
`ContractError` whose one sentence says what must hold, and where it does not:

>>> from rankexp.losses import Logistic
>>> from rankexp.testing import check_loss
>>> check_loss(Logistic())
>>> class Wrong(Logistic):
...     def margin_derivative(self, z):
...         return -super().margin_derivative(z)
>>> check_loss(Wrong())
Traceback (most recent call last):
...
rankexp.testing.contract.ContractError: loss Wrong: its derivative is the slope of its value: ...

A thing of another package needs no entry point for this, unless it says so. Nothing in
`rankexp` imports this room, and it needs neither pytest nor hypothesis.
"""

from rankexp.registry import exports

__getattr__, __dir__ = exports("testing")
