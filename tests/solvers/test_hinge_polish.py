"""The box-constrained quadratic program of the end game, by its duality gap."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankexp.solvers.hinge.iterate import Best, HingeIterate
from rankexp.solvers.hinge.pairs import hinge_pairs
from rankexp.solvers.hinge.polish import box_program, rescue
from rankexp.solvers.hinge.sweep import sweep
from rankexp.solvers.pairs.partial_order import PartialOrder


@settings(max_examples=40)
@given(
    st.integers(0, 10**6),
    st.sampled_from([1e-1, 1e-4]),
    st.integers(1, 60),
    st.sampled_from([4, 30]),
)
def test_box_program_closes_its_gap(seed, lam, M, d):
    rng = np.random.default_rng(seed)
    D, b = rng.standard_normal((M, d)), 0.1 * rng.standard_normal(d)
    m = rng.integers(1, 4, M).astype(float)
    unit = 1.0 / M
    a = box_program((D, b, m), lam, unit, 0.5 * m, 1e-9 * M)
    assert (a >= 0.0).all() and (a <= m).all()
    slope = b - unit * (a @ D)
    w = -slope / lam
    dual = unit * a.sum() - slope @ slope / (2.0 * lam)
    primal = 0.5 * lam * w @ w + b @ w + unit * (m @ np.maximum(0.0, 1.0 - D @ w))
    assert dual <= primal + 1e-9 * (1.0 + abs(primal))
    assert primal - dual <= 1e-7 * (1.0 + abs(primal))


def test_rescue_certifies_separated_classes_from_far_off():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 6))
    y = X @ rng.standard_normal(6) > 0.0
    pairs, lam = hinge_pairs(X, PartialOrder.of_classes(y)), 1e-6
    w = pairs.mean_difference
    best = Best()
    best.update(HingeIterate.at(lam, w, pairs.scores(w), sweep(pairs, pairs.scores(w), 0.1)))
    rescue(lam, pairs, 1e-6, best)
    assert best.gap <= 1e-6
    D = (X[y][:, None] - X[~y][None]).reshape(-1, 6)
    hinge = np.maximum(0.0, 1.0 - D @ best.w).mean()
    assert best.primal == pytest.approx(0.5 * lam * best.w @ best.w + hinge, rel=1e-6)
