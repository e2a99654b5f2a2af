"""Every registered metric keeps the contract that plug-ins have, too."""

import pytest

from rankexp import registry
from rankexp.testing import check_metric


@pytest.mark.parametrize("name", registry.names("metrics"))
def test_keeps_its_contract(name):
    check_metric(name)
