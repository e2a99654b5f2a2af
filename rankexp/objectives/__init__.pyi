# Written by `make exports`.
from rankexp.objectives.pair_objective import PairObjective as PairObjective
