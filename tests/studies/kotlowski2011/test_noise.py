import numpy as np
import pytest

from rankexp.registry import UnknownNameError
from rankexp.studies.kotlowski2011.checks.flipped_labels import flip_noise


@pytest.mark.parametrize("generator", ["linear", "rules"])
@pytest.mark.parametrize("p", [0.5, 0.9])
def test_promises_are_kept(generator, p):
    rows = flip_noise(np.random.default_rng(1), generator=generator, p=p, n=40_000)
    value = {row["quantity"]: row["value"] for row in rows}
    assert len(value) == len(rows) == 8
    for quantity, tolerance in {
        "prior": 0.012,
        "kappa": 0.0075,
        "bayes_rank_risk": 0.012,
        "law": 0.012,
    }.items():
        assert value[f"{quantity}_observed"] == pytest.approx(value[quantity], abs=tolerance)
        assert value[f"{quantity}_observed"] != value[quantity]
    assert 0.1 < value["law"] < 0.4


def test_unknown_generator():
    with pytest.raises(UnknownNameError, match="did you mean 'linear'"):
        flip_noise(np.random.default_rng(0), generator="liner")
