import numpy as np
import pytest

from rankexp.studies.uematsu2010.checks.hinge import hinge_staircase, hinge_ties
from rankexp.studies.uematsu2010.theory.three_points import hinge_regions


def test_regions_and_programs_agree_draw_by_draw():
    rows = hinge_ties(np.random.default_rng(5), draws=60)
    summary = {row["quantity"]: row["value"] for row in rows if "group" not in row}
    assert summary == {"agreement": 1.0, "degenerate": 0.0}
    groups = {}
    for row in rows:
        if "group" in row:
            groups.setdefault(row["group"], {})[row["quantity"]] = row["value"]
    assert list(groups) == [str(i) for i in range(60)]
    for g in groups.values():
        p = np.array([g[f"p_plus_{i}"] for i in (1, 2, 3)])
        q = np.array([g[f"p_minus_{i}"] for i in (1, 2, 3)])
        assert (np.diff(p / q) < 0).all()
        assert [p.sum(), q.sum()] == pytest.approx([1, 1])
        assert g["c12"] == pytest.approx(p[0] / q[0] - (p[1] + p[2]) / q[1])
        assert g["c23"] == pytest.approx(q[2] / p[2] - (q[1] + q[0]) / p[1])
        assert (g["agree"], g["degenerate"]) == (1, 0)
        assert g["lp_d12"] == pytest.approx(g["region_d12"], abs=1e-9)
        assert g["lp_d23"] == pytest.approx(g["region_d23"], abs=1e-9)
    assert len({(g["region_d12"], g["region_d23"]) for g in groups.values()}) == 3


def test_disagreement_would_be_seen(monkeypatch):
    monkeypatch.setattr(
        "rankexp.studies.uematsu2010.checks.hinge.hinge_program", lambda p, q: (1.0, 1.0)
    )
    rows = hinge_ties(np.random.default_rng(5), draws=60)
    agree = [row["value"] for row in rows if row["quantity"] == "agree"]
    (share,) = (row["value"] for row in rows if row["quantity"] == "agreement")
    assert 0 < share == np.mean(agree) < 1


@pytest.mark.parametrize("wrong", [(0.5, 0.0), (0.0, 0.5)])
def test_both_differences_must_agree(monkeypatch, wrong):
    def program(p, q):
        return np.add(hinge_regions(p, q)[:2], wrong)

    monkeypatch.setattr("rankexp.studies.uematsu2010.checks.hinge.hinge_program", program)
    rows = hinge_ties(np.random.default_rng(5), draws=9)
    assert not any(row["value"] for row in rows if row["quantity"] in ("agree", "agreement"))


def test_steps_that_are_no_integers_would_be_seen(monkeypatch):
    monkeypatch.setattr(
        "rankexp.studies.uematsu2010.checks.hinge.minimise_hinge",
        lambda w: np.arange(41) // 2 * 0.3,
    )
    rows = hinge_staircase(np.random.default_rng(0))
    value = {row["quantity"]: row["value"] for row in rows if "step" not in row}
    assert value["levels"] == 21
    assert value["integer"] == pytest.approx(0.3)


def test_the_staircase():
    rows = hinge_staircase(np.random.default_rng(0))
    value = {row["quantity"]: row["value"] for row in rows if "step" not in row}
    assert value["levels"] == 7
    assert value["integer"] < 1e-9
    assert value["risk"] < value["risk_logistic"]
    names = ("risk", "risk_logistic", "rank_risk", "rank_risk_logistic")
    reviewed = (0.2016, 0.2178, 0.0918, 0.0819)  # of a review's own program
    assert [value[name] for name in names] == pytest.approx(reviewed, abs=5e-5)
    assert value["rank_risk_logistic"] < value["rank_risk"] < value["risk"]
    columns = {
        name: np.array([row["value"] for row in rows if row["quantity"] == name])
        for name in ("x", "r", "p_plus", "p_minus")
    }
    np.testing.assert_allclose(columns["x"], np.linspace(-3, 3, 41))
    np.testing.assert_allclose(columns["r"], -columns["r"][::-1], atol=1e-9)
    np.testing.assert_allclose(columns["p_plus"], columns["p_minus"][::-1])
    assert columns["p_plus"].sum() == pytest.approx(1)
    np.testing.assert_allclose(
        columns["p_plus"] / columns["p_minus"], np.exp(2 * columns["x"]), rtol=1e-9
    )
    assert [row["step"] for row in rows if row["quantity"] == "x"] == list(range(41))


def test_a_wider_gap_and_a_finer_grid_have_more_steps():
    rows = hinge_staircase(np.random.default_rng(0), points=31, mean=1.5, low=-4.0, high=4.0)
    value = {row["quantity"]: row["value"] for row in rows if "step" not in row}
    assert value["levels"] > 7
    assert value["integer"] < 1e-9


@pytest.mark.parametrize(
    ("check", "parameters"),
    [
        (hinge_ties, {"draws": 0}),
        (hinge_staircase, {"points": 1}),
        (hinge_staircase, {"low": 4.0}),
    ],
)
def test_bad_parameters(check, parameters):
    with pytest.raises(ValueError, match="expected"):
        check(np.random.default_rng(0), **parameters)
