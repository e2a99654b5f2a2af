"""The regions of hinge ties on three points against linear programs."""

import numpy as np
import pytest

from rankexp.losses import Hinge
from rankexp.studies.uematsu2010.theory.three_points import hinge_program, hinge_regions
from rankexp.theory.population_hinge import pair_weights, surrogate_risk


def ordered(rng):
    p, q = rng.dirichlet(np.ones(3), size=2)
    order = np.argsort(-p / q)
    return p[order], q[order]


def test_regions_and_programs_agree_in_100_draws():
    rng = np.random.default_rng(20)
    seen = set()
    for _ in range(100):
        p, q = ordered(rng)
        found = hinge_regions(p, q)
        assert not found.degenerate
        np.testing.assert_allclose(hinge_program(p, q), found[:2], atol=1e-9)
        seen.add(found[:2])
    assert seen == {(1.0, 1.0), (1.0, 0.0), (0.0, 1.0)}


def risk(d12, d23, p, q):
    scores = [d12 + d23, d23, 0.0]
    return surrogate_risk(scores, pair_weights(np.column_stack([q, p])), Hinge())


DEGENERATE = {
    "middle equal, both negative": ([0.21, 0.6, 0.19], [0.19, 0.6, 0.21], (1, 0), (0, 1)),
    "c12 = 0": ([0.5, 0.4, 0.1], [0.25, 0.25, 0.5], (1, 1), (0, 1)),
    "c23 = 0": ([0.5, 0.25, 0.25], [0.1, 0.4, 0.5], (1, 1), (1, 0)),
}


@pytest.mark.parametrize(("p", "q", "one", "other"), DEGENERATE.values(), ids=DEGENERATE)
def test_on_the_borders_a_segment_is_best(p, q, one, other):
    found = hinge_regions(p, q)
    assert found.degenerate
    assert np.isnan(found.d12)
    assert np.isnan(found.d23)
    least = risk(*hinge_program(p, q), p, q)
    for share in np.linspace(0, 1, 5):
        point = share * np.array(one) + (1 - share) * np.array(other)
        assert risk(*point, p, q) == pytest.approx(least, rel=1e-9)
    for d12 in (0.0, 0.5, 1.0, 1.5):
        for d23 in (0.0, 0.5, 1.0, 1.5):
            assert risk(d12, d23, p, q) >= least - 1e-12


def test_c12_and_c23_are_those_printed():
    p, q = np.array([0.6, 0.3, 0.1]), np.array([0.2, 0.3, 0.5])
    found = hinge_regions(p, q)
    assert found.c12 == pytest.approx(0.6 / 0.2 - (0.3 / 0.3 + 0.1 / 0.3))
    assert found.c23 == pytest.approx(0.5 / 0.1 - (0.3 / 0.3 + 0.2 / 0.3))
    assert found[:2] == (1.0, 1.0)


def test_reversal_turns_the_regions_round():
    rng = np.random.default_rng(3)
    for _ in range(50):
        p, q = ordered(rng)
        found, turned = hinge_regions(p, q), hinge_regions(q[::-1], p[::-1])
        np.testing.assert_allclose(turned, [found.d23, found.d12, found.c23, found.c12])


@pytest.mark.parametrize(
    ("p", "q", "message"),
    [
        ([0.5, 0.5], [0.5, 0.3, 0.2], "p_plus is .*three numbers"),
        ([0.5, 0.3, 0.2], [0.5, 0.5, 0.0], "p_minus is .*> 0"),
        ([0.5, 0.3, 0.1], [0.2, 0.3, 0.5], "p_plus is .*add up to 1"),
        ([0.2, 0.3, 0.5], [0.5, 0.3, 0.2], "in the order of"),
    ],
)
@pytest.mark.parametrize("function", [hinge_regions, hinge_program])
def test_bad_probabilities(function, p, q, message):
    with pytest.raises(ValueError, match=message):
        function(p, q)
