# Written by `make exports`.
from rankexp.losses.asymmetric import AsymmetricA as AsymmetricA
from rankexp.losses.asymmetric import AsymmetricB as AsymmetricB
from rankexp.losses.asymmetric import PClassification as PClassification
from rankexp.losses.asymmetric import ScaledLogistic as ScaledLogistic
from rankexp.losses.loss import Loss as Loss
from rankexp.losses.loss import MarginLoss as MarginLoss
from rankexp.losses.loss import parse as parse
from rankexp.losses.margin import Exponential as Exponential
from rankexp.losses.margin import Hinge as Hinge
from rankexp.losses.margin import Logistic as Logistic
from rankexp.losses.margin import Squared as Squared
from rankexp.losses.margin import SquaredHinge as SquaredHinge
from rankexp.losses.margin import ZeroOne as ZeroOne
