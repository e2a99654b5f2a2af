"""Every registered loss keeps the contract that plug-ins have, too."""

import pytest

from rankexp import registry
from rankexp.testing import check_loss


def test_the_losses_of_the_first_study_are_there():
    named = {"logistic", "exponential", "hinge", "squared_hinge", "zero_one"}
    assert named <= set(registry.names("losses"))


@pytest.mark.parametrize("name", registry.names("losses"))
def test_keeps_its_contract(name):
    check_loss(name)
