# Written by `make exports`.
from rankexp.losses.asymmetric import AsymmetricA as AsymmetricA
from rankexp.losses.asymmetric import AsymmetricB as AsymmetricB
from rankexp.losses.base import Loss as Loss
from rankexp.losses.base import MarginLoss as MarginLoss
from rankexp.losses.base import parse as parse
from rankexp.losses.exponential import Exponential as Exponential
from rankexp.losses.hinge import Hinge as Hinge
from rankexp.losses.logistic import Logistic as Logistic
from rankexp.losses.p_classification import PClassification as PClassification
from rankexp.losses.p_classification import ScaledLogistic as ScaledLogistic
from rankexp.losses.squared import Squared as Squared
from rankexp.losses.squared_hinge import SquaredHinge as SquaredHinge
from rankexp.losses.zero_one import ZeroOne as ZeroOne
