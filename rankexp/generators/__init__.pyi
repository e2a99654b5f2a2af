# Written by `make exports`.
from rankexp.generators.base import Generator as Generator
from rankexp.generators.base import Model as Model
from rankexp.generators.discrete import Discrete as Discrete
from rankexp.generators.exponential import ExponentialFamily as ExponentialFamily
from rankexp.generators.folded import Folded as Folded
from rankexp.generators.gaussian import Gaussian as Gaussian
from rankexp.generators.linear import Linear as Linear
from rankexp.generators.polynomial import Polynomial as Polynomial
from rankexp.generators.regression import Regression as Regression
from rankexp.generators.rules import Rules as Rules
