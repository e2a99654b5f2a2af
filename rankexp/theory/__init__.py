"""What is known of the best ranking functions: functions of densities, one criterion a file.

Registered are functions ``f(model, X, **options) -> (n,)`` of a model with known densities.
"""

from rankexp.registry import exports

__getattr__, __dir__ = exports("theory")
