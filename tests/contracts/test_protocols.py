"""Every registered protocol keeps the contract that plug-ins have, too."""

import pytest

from rankexp import registry
from rankexp.testing import check_protocol

LATER = [str(part) for part in range(14, -1, -1) if part != 3]
EXAMPLES = [
    {"kind": "models", "models": 2, "training_sets": 2, "n_train": 30, "n_test": 20},
    {
        "kind": "models",
        "models": 1,
        "training_sets": 2,
        "n_train": 30,
        "n_test": 20,
        "validation": 9,
    },
    {"kind": "cross_validation", "repeats": 2, "folds": 3},
    {"kind": "cross_validation", "folds": 3, "stratified": True, "together": "groups"},
    {"kind": "split", "test": 0.3, "repeats": 2},
    {"kind": "split", "test": 20, "together": "duplicates"},
    {"kind": "time", "column": "date"},
    {"kind": "time", "test": 0.4, "folds": 5, "together": "duplicates"},
    {"kind": "given", "test": "3", "validation": "5"},
    {"kind": "given", "folds": [{"test": "3", "validation": "5"}, {"test": "4"}]},
    {"kind": "given", "folds": [{"test": "3", "train": LATER}], "together": "groups"},
]


def test_each_kind_is_tried():
    assert {given["kind"] for given in EXAMPLES} == set(registry.names("protocols"))


@pytest.mark.parametrize("given", EXAMPLES, ids=repr)
def test_keeps_its_contract(given):
    check_protocol(registry.get("protocols", given["kind"])(**given))
