import numpy as np
import pytest

from rankexp.studies.clemencon2017.checks.partitions import no_optimum


def test_the_best_scorers_of_two_cut_offs_disagree():
    rows = no_optimum(np.random.default_rng(1), t=0.25)
    value = {row["quantity"]: row["value"] for row in rows}
    assert value["agreement"] == 0
    assert value["auc_own"] > 0.6
    assert value["auc_own"] + value["auc_other"] == pytest.approx(1, abs=0.03)
    assert value["iauc"] == pytest.approx(0.5, abs=0.02)


@pytest.mark.parametrize("parameters", [{"t": 0.5}, {"t": 0}, {"n": 1}])
def test_bad_parameters(parameters):
    with pytest.raises(ValueError, match="expected"):
        no_optimum(np.random.default_rng(1), **parameters)


def test_ties_by_rounding_are_no_agreement():
    # For t near 1/2 both ratios are flat to the last digit far from 0.
    (agreement,) = (
        row["value"]
        for row in no_optimum(np.random.default_rng(1), t=0.4, n=1000)
        if row["quantity"] == "agreement"
    )
    assert agreement == 0
