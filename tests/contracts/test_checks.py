"""Every registered check keeps the contract that plug-ins have, too."""

import pytest

from rankexp import registry
from rankexp.testing import check_check


@pytest.mark.parametrize("name", registry.names("checks"))
def test_keeps_its_contract(name):
    check_check(name)
