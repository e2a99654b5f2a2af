# Written by `make exports`.
from rankexp.studies.uematsu2010.theory.ordinal import orboost as orboost
from rankexp.studies.uematsu2010.theory.ordinal import proportional_odds as proportional_odds
from rankexp.studies.uematsu2010.theory.ratios import half_log_ratio as half_log_ratio
from rankexp.studies.uematsu2010.theory.ratios import likelihood_ratio as likelihood_ratio
from rankexp.studies.uematsu2010.theory.ratios import log_ratio as log_ratio
from rankexp.studies.uematsu2010.theory.ratios import tripartite as tripartite
from rankexp.studies.uematsu2010.theory.staircase import hinge_population as hinge_population
