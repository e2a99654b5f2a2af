"""Every registered risk keeps the contract that plug-ins have, too."""

import pytest

from rankexp import registry
from rankexp.testing import check_risk


@pytest.mark.parametrize("name", registry.names("risks"))
def test_keeps_its_contract(name):
    check_risk(name)
