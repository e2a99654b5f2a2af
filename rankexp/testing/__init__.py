"""What each room asks of what it holds, for the authors of plug-ins and for our own tests.

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

A thing of another package needs no entry point for this, save where it says so. Nothing in
`rankexp` imports this room, and it needs neither pytest nor hypothesis.
"""

from rankexp.testing.blocks import check_block
from rankexp.testing.checks import check_check
from rankexp.testing.contract import ContractError
from rankexp.testing.generators import check_generator
from rankexp.testing.kept import check_curve, check_text
from rankexp.testing.losses import check_loss
from rankexp.testing.metrics import check_metric
from rankexp.testing.protocols import check_protocol
from rankexp.testing.rankers import check_ranker
from rankexp.testing.risks import check_risk
from rankexp.testing.sources import check_source

__all__ = [
    "ContractError",
    "check_block",
    "check_check",
    "check_curve",
    "check_generator",
    "check_loss",
    "check_metric",
    "check_protocol",
    "check_ranker",
    "check_risk",
    "check_source",
    "check_text",
]
