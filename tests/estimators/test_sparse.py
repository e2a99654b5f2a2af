"""Sparse rows: they give what the same rows made dense give, certified, and in little memory."""

import tracemalloc
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import minimize
from sklearn.datasets import make_classification

from rankexp.estimators import (
    KernelRanker,
    LinearRanker,
    OrdinalSVM,
    ProportionalOdds,
    RankBoost,
    linear,
    parameters,
)
from rankexp.estimators.labels import best_threshold
from rankexp.estimators.linear import _threshold as threshold_of
from rankexp.solvers import rows as solved
from rankexp.solvers.rows import as_rows, exact_product
from rankexp.solvers.smooth.certificate import product

SMOOTH = ["logistic", "squared_hinge", "squared", "exponential"]
CASES = [
    (LinearRanker(loss=loss, risk=risk), several)
    for loss, risk, several in [
        *((loss, risk, False) for loss in SMOOTH for risk in ("classification", "bipartite")),
        ("logistic", "multipartite", True),
        ("logistic", "listwise", True),
        ("logistic", "push", False),
        ("p_classification(p=4)", "classification", False),
        ("hinge", "classification", False),
        ("hinge", "bipartite", False),
        ("hinge", "multipartite", True),
    ]
] + [(ProportionalOdds(), True), (OrdinalSVM(), True), (OrdinalSVM(constraints="all"), True)]


@pytest.fixture(autouse=True)
def never_written_out(monkeypatch):
    """Solve sparse rows as such, however few they are."""
    monkeypatch.setattr(parameters, "FEW_CELLS", 0)


def rows(n, d, density=0.1, seed=0):
    """Return sparse rows, two classes and three levels."""
    rng = np.random.default_rng(seed)
    X = sparse.csr_array(sparse.random(n, d, density, random_state=seed))
    s = X @ rng.normal(size=d)
    s = s / (s.std() or 1.0) + 0.5 * rng.normal(size=n)
    two = (s > np.median(s)).astype(int)
    return X, two, np.digitize(s, np.quantile(s, [0.3, 0.7]))


def agree(model, X, other, y, **more):
    """Check that two forms of the same rows have one minimum, within both gaps."""
    one, two = (clone_of(model).fit(rows, y, **more) for rows in (X, other))
    for found in (one, two):
        assert found.gap_ <= found.tol
    top = max(one.gap_, two.gap_) + 1e-12
    assert abs(one.objective_ - two.objective_) <= top * max(one.objective_, two.objective_)
    # Both are within their gaps of the minimum, so that they are as near as convexity says.
    near = np.sqrt(8.0 * top * one.objective_ / model.lam) + 1e-9
    assert np.linalg.norm(one.coef_ - two.coef_) <= near
    return one, two


def clone_of(model):
    return type(model)(**model.get_params())


@pytest.mark.parametrize(("model", "several"), CASES, ids=lambda x: str(x).replace("\n", ""))
@pytest.mark.parametrize(
    ("size", "lam"), [((120, 40), 0.1), ((60, 200), 1e-3)], ids=["long", "wide"]
)
def test_the_same_as_dense_rows(model, several, lam, size):
    X, two, three = rows(*size)
    before = X.copy()
    model = clone_of(model).set_params(lam=lam)
    one, _ = agree(model, X, X.toarray(), three if several else two)
    for form in (X, X.tocsc(), sparse.coo_matrix(X)):
        np.testing.assert_array_equal(one.decision_function(form), one.decision_function(X))
    s = X.toarray() @ one.coef_[0]
    np.testing.assert_allclose(np.diff(one.decision_function(X)), np.diff(s), atol=1e-9)
    for part in ("data", "indices", "indptr"):
        np.testing.assert_array_equal(getattr(X, part), getattr(before, part))


@st.composite
def entries(draw):
    """Return rows as lists of entries, some twice, some 0, in any order; some rows have none."""
    n, d = draw(st.integers(8, 30)), draw(st.integers(2, 12))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    count = draw(st.integers(n, 3 * n))
    i, j = rng.integers(0, n, count), rng.integers(0, d, count)
    x = np.where(rng.random(count) < 0.2, 0.0, rng.normal(size=count).round(2))
    return sparse.coo_array((x, (i, j)), shape=(n, d)), rng.integers(0, 2, n), rng


def untidy(coo, kind=np.int32):
    """Return rows with entries in the order given, twice where they are given twice."""
    order = np.argsort(coo.row, kind="stable")
    ends = np.concatenate(([0], np.bincount(coo.row, minlength=coo.shape[0]).cumsum()))
    X = sparse.csr_matrix(coo.shape)
    X.data, X.indices, X.indptr = coo.data[order], coo.col[order].astype(kind), ends.astype(kind)
    return X


@settings(max_examples=40, deadline=None)
@given(entries(), st.sampled_from(["logistic", "hinge", "squared_hinge"]), st.booleans())
def test_duplicate_unsorted_zero_and_missing_entries(made, loss, pairs):
    coo, y, _ = made
    if len(set(y.tolist())) < 2:
        y[:2] = 0, 1
    model = LinearRanker(loss=loss, risk="pairs" if pairs else "points", lam=0.1)
    X = untidy(coo, np.int64)
    kept = X.data.copy(), X.indices.copy()
    agree(model, X, coo.toarray(), y)
    np.testing.assert_array_equal(X.data, kept[0])
    np.testing.assert_array_equal(X.indices, kept[1])


@settings(max_examples=20, deadline=None)
@given(entries(), st.sampled_from(["logistic", "hinge"]))
def test_the_order_of_columns_does_not_matter(made, loss):
    coo, y, rng = made
    y[:2] = 0, 1
    order = rng.permutation(coo.shape[1])
    X = coo.tocsr()
    one = LinearRanker(loss=loss, lam=0.1).fit(X, y)
    two = LinearRanker(loss=loss, lam=0.1).fit(X[:, order], y)
    top = max(one.gap_, two.gap_) + 1e-12
    assert abs(one.objective_ - two.objective_) <= top * one.objective_
    near = np.sqrt(8.0 * top * one.objective_ / 0.1) + 1e-9
    assert np.linalg.norm(one.coef_[0, order] - two.coef_[0]) <= near


@pytest.mark.parametrize("pairs", [False, True])
@pytest.mark.parametrize(
    "seed", [*range(20), *(pytest.param(k, marks=pytest.mark.slow) for k in range(20, 200))]
)
def test_the_gap_holds_against_scipy(seed, pairs):
    rng = np.random.default_rng(seed)
    X, y, _ = rows(int(rng.integers(20, 60)), int(rng.integers(5, 80)), 0.2, seed)
    lam = 10.0 ** -rng.integers(1, 5)
    sign = 2.0 * y - 1.0
    i, j = np.nonzero(y[:, None] > y)
    D = X[i] - X[j] if pairs else X * sign[:, None]
    b = np.zeros(D.shape[0]) if pairs else sign

    def objective(v):
        z = D @ v[:-1] + b * v[-1]
        r = -np.exp(-np.logaddexp(0.0, z)) / z.size
        g = np.append(D.T @ r + lam * v[:-1], b @ r)
        return np.logaddexp(0.0, -z).mean() + 0.5 * lam * v[:-1] @ v[:-1], g

    best = minimize(objective, np.zeros(X.shape[1] + 1), jac=True, tol=1e-14, method="L-BFGS-B")
    tol = 10.0 ** -rng.integers(2, 9)
    found = LinearRanker(risk="pairs" if pairs else "points", lam=lam, tol=tol).fit(X, y)
    here = objective(np.append(found.coef_[0], found.intercept_))[0]
    assert found.objective_ == pytest.approx(here, rel=1e-10)
    assert here - best.fun <= found.gap_ * here + 1e-13
    assert found.gap_ <= tol


def test_paths_have_the_solutions_of_single_fits():
    X, y, levels = rows(200, 80)
    lams = [1e-3, 1e-1, 1e-2]
    for model, labels in (
        (LinearRanker(), y),
        (LinearRanker(loss="hinge"), y),
        (LinearRanker(loss="hinge", risk="pairs"), y),
        (ProportionalOdds(), levels),
        (OrdinalSVM(), levels),
    ):
        path = model.path(X, labels, lams)
        dense = model.path(X.toarray(), labels, lams)
        assert path.converged.all()
        np.testing.assert_allclose(path.objective, dense.objective, rtol=2e-6)


def test_weights_groups_and_classes_count_as_for_dense_rows():
    X, y, levels = rows(150, 50)
    rng = np.random.default_rng(3)
    weight, groups = rng.integers(0, 3, 150), rng.integers(0, 8, 150)
    for loss in ("logistic", "hinge"):
        for queries in ("pairs", "each"):
            model = LinearRanker(loss=loss, risk="multipartite", lam=0.01, queries=queries)
            agree(model, X, X.toarray(), levels, groups=groups)
        agree(LinearRanker(loss=loss, risk="pairs", lam=0.01), X, X.toarray(), y)
        model = LinearRanker(loss=loss, lam=0.01, class_weight="balanced")
        agree(model, X, X.toarray(), y, sample_weight=weight)
    for model in (OrdinalSVM(), ProportionalOdds()):
        agree(model, X, X.toarray(), levels, sample_weight=weight)


def test_far_columns_and_no_penalty():
    X, y, _ = rows(300, 20, 0.3)
    year = sparse.csr_array(2000.0 + np.arange(300.0)[:, None] % 30)
    X = sparse.hstack((X, year)).tocsr()
    agree(LinearRanker(lam=1e-3), X, X.toarray(), y)
    found = LinearRanker(lam=0.0).fit(X, y)
    other = LinearRanker(lam=0.0).fit(X.toarray(), y)
    assert found.gap_ <= 1e-6
    assert found.objective_ == pytest.approx(other.objective_, rel=2e-6)


@pytest.mark.parametrize("model", [LinearRanker(), OrdinalSVM(), ProportionalOdds()])
def test_missing_and_infinite_numbers_are_refused_as_in_dense_rows(model):
    X, y, _ = rows(30, 5, 0.5)
    model = model.fit(X, y)
    for bad, said in ((np.nan, "NaN"), (np.inf, "infinity")):
        holed = X.copy()
        holed.data[3] = bad
        for given_rows in (holed, holed.toarray(), holed.tocoo()):
            for use in (lambda Z: model.fit(Z, y), model.decision_function):
                with pytest.raises(ValueError, match=said):
                    use(given_rows)
    twice = sparse.coo_array(([1e308, 1e308, 1.0], ([0, 0, 1], [0, 0, 0])), shape=(30, 5))
    with pytest.raises(ValueError, match="infinity"):
        model.fit(twice, y)


@pytest.mark.parametrize("column", [-1, 5, 10**6])
@pytest.mark.parametrize("model", [LinearRanker(), LinearRanker(risk="pairs"), OrdinalSVM()])
def test_entries_outside_of_the_columns_are_refused(model, column):
    X, y, _ = rows(40, 5, 0.5)
    fitted = clone_of(model).fit(X, y)
    X.indices[7] = column
    with pytest.raises(ValueError, match="outside of its 5 columns"):
        clone_of(model).fit(X, y)
    with pytest.raises(ValueError, match="outside of its 5 columns"):
        fitted.predict(X)


def test_sparse_rows_need_no_other_check_if_they_are_plain(monkeypatch):
    X, y, _ = rows(40, 5, 0.5)
    frame = pd.DataFrame(X.toarray(), columns=list("abcde"))
    model = LinearRanker().fit(frame, y)
    slow = LinearRanker().fit(X, y.astype(str))
    monkeypatch.setattr(parameters, "validate_data", None)
    wider = sparse.csr_matrix(sparse.hstack([X, X]))
    assert not hasattr(model.fit(wider, y), "feature_names_in_")
    assert model.n_features_in_ == 10
    np.testing.assert_array_equal(model.fit(X, y).coef_, slow.coef_)
    far = sparse.csr_array(np.repeat(np.finfo(np.float64).max, 40)[:, None])
    for other, target in ((X.tocsc(), y), (X, y.astype(str)), (X.astype(np.float32), y), (far, y)):
        with pytest.raises(TypeError, match="callable"):  # all others are checked further
            model.fit(other, target)


@pytest.mark.parametrize("lam", [1.0, 0.03, 1e-4])
@pytest.mark.parametrize("loss", ["logistic", "hinge"])
@pytest.mark.parametrize("d", [9, 150])
def test_thresholds_do_not_depend_on_what_scores_are_off_by(loss, lam, d, monkeypatch):
    X, y, _ = rows(120, d, 0.2, seed=3)
    X = sparse.csr_array(sparse.vstack([X, X[:7]]))  # equal scores, which rounding may part
    y = np.append(y, 1 - y[:7])
    model = LinearRanker(loss=loss, risk="bipartite", lam=lam)
    told = []

    def checked(task, found, weights):
        s = X @ found.coef[:, 0]
        if found.rough is not None:
            off = np.abs(found.rough[0] - s).max()
            assert off <= found.rough[1] <= 1e-9 * np.abs(s).max()
        told.append(found.rough is not None)
        threshold = threshold_of(task, found, weights)
        assert threshold == best_threshold(s, task.level > 0, weights)
        return threshold

    monkeypatch.setattr(linear, "_threshold", checked)
    model.fit(X, y)
    assert told[0] or lam < 1.0


def test_others_say_what_to_do():
    X, y, _ = rows(30, 5, 0.5)
    for model in (KernelRanker(), RankBoost()):
        with pytest.raises(TypeError, match=r"sparse.*X\.toarray\(\)"):
            model.fit(X, y)
    with pytest.raises(TypeError, match=r"listed pairs.*X\.toarray\(\)"):
        LinearRanker(loss="hinge").fit_pairs(X, [[0, 1]], [1])
    with pytest.raises(ValueError, match=r"intercept.*X\.toarray\(\)"):
        LinearRanker(loss="hinge", fit_intercept=False).fit(X, y)
    pairs = [[0, 1], [2, 3], [4, 9]]
    one = LinearRanker().fit_pairs(X, pairs, [1, -1, 1])
    two = LinearRanker().fit_pairs(X.toarray(), pairs, [1, -1, 1])
    np.testing.assert_allclose(one.coef_, two.coef_, atol=1e-3)


def test_few_cells_have_the_bits_of_dense_rows(monkeypatch):
    monkeypatch.undo()
    X, y = make_classification(60, 10, random_state=0)
    one = LinearRanker(loss="hinge").fit(sparse.csr_array(X), y)
    np.testing.assert_array_equal(one.coef_, LinearRanker(loss="hinge").fit(X, y).coef_)


@settings(max_examples=30, deadline=None)
@given(entries())
def test_products_in_twice_the_precision(made):
    coo, _, rng = made
    X = as_rows(coo)
    w, r = rng.normal(size=coo.shape[1]) * 1e8, rng.normal(size=coo.shape[0]) * 1e-8
    np.testing.assert_allclose(
        exact_product(X, w), product(X.toarray(), w, np.zeros(1)), rtol=1e-15, atol=1e-22
    )
    np.testing.assert_allclose(
        exact_product(X.T, r), product(X.toarray().T, r, np.zeros((1, 1))), rtol=1e-15, atol=1e-38
    )


@pytest.mark.parametrize(("block", "entries"), [(1, 1), (7, 40), (2, 10**6), (10**6, 1)])
def test_sums_over_parts_of_rows_are_those_of_all(block, entries, monkeypatch):
    X = rows(41, 6, 0.3)[0]
    X.data[:3] = 1e9
    monkeypatch.setattr(solved, "BLOCK", block)
    monkeypatch.setattr(solved, "ENTRIES", entries)
    dense, w, r = X.toarray(), np.arange(6.0), np.linspace(-1.0, 1.0, 41)
    np.testing.assert_allclose(solved.across(X, w), np.abs(dense) @ w, rtol=1e-14)
    np.testing.assert_allclose(solved.down(X, r), r @ np.abs(dense), rtol=1e-14)
    np.testing.assert_allclose(solved.norms_of(X), np.linalg.norm(dense, axis=1), rtol=1e-14)
    assert sum(part.shape[0] for _, part in solved._parts(X)) == 41
    assert all(part.shape[1] == 6 for _, part in solved._parts(X))


def text(n, d, entries_a_row=100, seed=0):
    """Return rows like those of texts: some 100 entries each, columns by Zipf's law."""
    rng = np.random.default_rng(seed)
    size = rng.poisson(entries_a_row, n)
    chance = 1.0 / (np.arange(d) + 3.0)
    columns = (chance.cumsum() / chance.sum()).searchsorted(rng.random(size.sum()))
    ends = np.concatenate(([0], size.cumsum()))
    X = sparse.csr_array((np.full(columns.size, 0.1), columns, ends), shape=(n, d))
    X.sum_duplicates()
    s = X @ rng.normal(size=d)
    return X, (s + s.std() * rng.normal(size=n) > 0.0).astype(int)


def peak(model, X, y):
    """Return the most memory that a fit takes beside the rows, in multiples of theirs."""
    type(model)(**model.get_params()).fit(X[:500], y[:500])  # compiles
    tracemalloc.start()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.fit(X, y)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return most / (X.data.nbytes + X.indices.nbytes + X.indptr.nbytes)


@pytest.mark.parametrize(
    "model",
    [
        LinearRanker(lam=1e-4),
        LinearRanker(risk="pairs", lam=1e-4),
        LinearRanker(loss="hinge", lam=0.1),
        LinearRanker(loss="hinge", risk="pairs", lam=0.1),
    ],
    ids=str,
)
def test_memory(model):
    X, y = text(5_000, 25_000)
    assert peak(model, X, y) <= 2.2  # of which the hinge of points copies the rows once


@pytest.mark.slow
@pytest.mark.parametrize("risk", ["points", "pairs"])
def test_memory_of_a_million_columns(risk):
    X, y = text(100_000, 1_000_000)
    assert peak(LinearRanker(risk=risk, lam=1e-4), X, y) <= 2.0


@pytest.mark.parametrize("loss", ["logistic", "exponential", "scaled_logistic"])
@pytest.mark.parametrize("form", [sparse.csr_array, np.asarray])
def test_the_gap_counts_the_intercept_of_a_rare_class_with_small_features(loss, form):
    X, y = 0.01 * rows(300, 150)[0], np.arange(300) < 3
    for lam in (1.0, 10.0):
        model = LinearRanker(loss=loss, lam=lam, tol=1e-12).fit(X.toarray(), y)
        best = model.objective_
        for tol in (1e-4, 1e-6, 1e-8):
            found = LinearRanker(loss=loss, lam=lam, tol=tol).fit(form(X.toarray()), y)
            assert found.objective_ - best <= (found.gap_ + 1e-12) * found.objective_
            assert found.gap_ <= tol


def test_the_hinge_of_pairs_of_empty_or_tiny_rows():
    X, y, _ = rows(60, 40)
    model = LinearRanker(loss="hinge", risk="pairs")
    none = model.fit(sparse.csr_array(X.shape), y)
    assert none.objective_ == 1.0
    assert not none.coef_.any()
    with pytest.raises(FloatingPointError, match="scale the features"):
        model.fit(1e-200 * X, y)


@pytest.mark.filterwarnings("error")
def test_the_hinge_of_pairs_is_exact_where_it_is_nearly_0():
    X = 10.0 * sparse.csr_array(sparse.random(40, 100, 0.2, random_state=0))
    y = (X @ np.random.default_rng(0).normal(size=100) > 0.0).astype(int)
    agree(LinearRanker(loss="hinge", risk="pairs", lam=1e-3, tol=1e-3), X, X.toarray(), y)
