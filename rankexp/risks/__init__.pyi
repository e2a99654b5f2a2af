# Written by `make exports`.
from rankexp.risks.base import Risk as Risk
from rankexp.risks.base import Task as Task
from rankexp.risks.base import parse as parse
from rankexp.risks.base import table as table
from rankexp.risks.classification import Classification as Classification
from rankexp.risks.pairs import Bipartite as Bipartite
from rankexp.risks.pairs import Multipartite as Multipartite
from rankexp.risks.push import Push as Push
