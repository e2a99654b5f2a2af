# Written by `make exports`.
from rankexp.protocols.cross_validation import CrossValidation as CrossValidation
from rankexp.protocols.given import Given as Given
from rankexp.protocols.models import Models as Models
from rankexp.protocols.split import Holdout as Holdout
