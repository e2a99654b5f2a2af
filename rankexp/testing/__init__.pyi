# Written by `make exports`.
from rankexp.testing.blocks import check_block as check_block
from rankexp.testing.contract import ContractError as ContractError
from rankexp.testing.functions import check_check as check_check
from rankexp.testing.functions import check_curve as check_curve
from rankexp.testing.functions import check_source as check_source
from rankexp.testing.functions import check_text as check_text
from rankexp.testing.generators import check_generator as check_generator
from rankexp.testing.losses import check_loss as check_loss
from rankexp.testing.metrics import check_metric as check_metric
from rankexp.testing.protocols import check_protocol as check_protocol
from rankexp.testing.rankers import check_ranker as check_ranker
from rankexp.testing.risks import check_risk as check_risk
