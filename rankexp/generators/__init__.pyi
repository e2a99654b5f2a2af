# Written by `make exports`.
from rankexp.generators.classes import Discrete as Discrete
from rankexp.generators.classes import Gaussian as Gaussian
from rankexp.generators.flipped import Linear as Linear
from rankexp.generators.flipped import Rules as Rules
from rankexp.generators.generator import Generator as Generator
from rankexp.generators.generator import Model as Model
from rankexp.studies.clemencon2017.generators.regression import (
    ExponentialFamily as ExponentialFamily,
)
from rankexp.studies.clemencon2017.generators.regression import Folded as Folded
from rankexp.studies.clemencon2017.generators.regression import Polynomial as Polynomial
from rankexp.studies.clemencon2017.generators.regression import Regression as Regression
