"""Every registered generator keeps the contract that plug-ins have, too."""

import pytest

from rankexp import registry
from rankexp.testing import check_generator


@pytest.mark.parametrize("name", registry.names("generators"))
def test_keeps_its_contract(name):
    check_generator(name)
