# Written by `make exports`.
from rankexp.risks.classification import Classification as Classification
from rankexp.risks.listwise import Listwise as Listwise
from rankexp.risks.pairs import Bipartite as Bipartite
from rankexp.risks.pairs import Multipartite as Multipartite
from rankexp.risks.push import Push as Push
from rankexp.risks.risk import Risk as Risk
from rankexp.risks.risk import Task as Task
from rankexp.risks.risk import parse as parse
from rankexp.risks.risk import table as table
