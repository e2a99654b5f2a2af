import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankexp.errors import DataError
from rankexp.runner.protocols.dealing import KeptRows, deal, duplicates
from rankexp.runner.protocols.dividing import CrossValidation, Holdout
from rankexp.runner.protocols.inner import Inner, inner_folds
from rankexp.runner.protocols.protocol import Loaded, Part, Place
from rankexp.seeds import stream

law = settings(max_examples=40)


def data(n, classes=2, copies=1, groups=None, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))[np.arange(n) // copies]
    y = rng.integers(classes, size=n)
    return Part(X, y, groups=groups)


def split(protocol, whole, fold, rng):
    return protocol.rows(Loaded("toy", whole, 0), Place(None, 0, fold), rng)


def folds(protocol, dataset, seed=1):
    return [split(protocol, dataset, f, stream(seed, "rep/0")) for f in range(protocol.folds)]


def cross(**options):
    return CrossValidation(kind="cross_validation", **options)


def hold(**options):
    return Holdout(kind="split", **options)


@law
@given(st.integers(2, 60), st.integers(2, 10), st.booleans(), st.integers(0, 5))
def test_folds_are_a_partition_of_even_sizes(n, k, stratified, seed):
    dataset = data(n, seed=seed)
    if k > n:
        with pytest.raises(DataError, match="use fewer folds"):
            folds(cross(folds=k), dataset)
        return
    parts = folds(cross(folds=k, stratified=stratified), dataset, seed)
    np.testing.assert_array_equal(np.sort(np.concatenate([p.test for p in parts])), np.arange(n))
    sizes = [len(p.test) for p in parts]
    assert max(sizes) - min(sizes) <= 1
    for p in parts:
        np.testing.assert_array_equal(np.sort(np.concatenate([p.train, p.test])), np.arange(n))
        assert (np.diff(p.test) > 0).all()
    if stratified:
        for code in (0, 1):
            counts = [int((dataset.y[p.test] == code).sum()) for p in parts]
            assert max(counts) - min(counts) <= 1


@law
@given(
    st.integers(4, 60), st.sampled_from(["groups", "duplicates"]), st.booleans(), st.integers(0, 5)
)
def test_rows_that_belong_together_stay_together(n, together, stratified, seed):
    groups = np.random.default_rng(seed).integers(10, 14, size=n)
    groups[:4] = [10, 11, 12, 13]
    dataset = data(n, copies=1 + seed % 3, groups=groups, seed=seed)
    units = groups if together == "groups" else duplicates(dataset.X)
    options = {"together": together, "stratified": stratified}
    k = min(3, len(np.unique(units)))
    made = [split(hold(test=0.4, **options), dataset, None, stream(seed, "x"))]
    if k > 1:
        parts = folds(cross(folds=k, **options), dataset, seed)
        tests = np.concatenate([p.test for p in parts])
        np.testing.assert_array_equal(np.sort(tests), np.arange(n))
        made += parts
    for p in made:
        assert not set(units[p.train]) & set(units[p.test])
        assert len(p.train) + len(p.test) == n


def test_units_are_dealt_evenly():
    dataset = data(100, copies=3)
    sizes = [len(p.test) for p in folds(cross(folds=5, together="duplicates"), dataset)]
    assert max(sizes) - min(sizes) <= 3


def test_few_units_in_many_strata_are_dealt_evenly():
    units = np.repeat(np.arange(40), 5)
    part = deal(200, 10, np.random.default_rng(0), KeptRows(units % 8, units))
    assert np.bincount(part).tolist() == [20] * 10
    for stratum in range(8):  # of five units each
        assert np.bincount(part[units % 8 == stratum], minlength=10).max() == 5


def test_a_split_depends_on_its_stream_alone():
    dataset = data(50)
    for protocol in (cross(folds=5), cross(folds=5, stratified=True)):
        first, again = folds(protocol, dataset), folds(protocol, dataset)
        other = folds(protocol, dataset, seed=2)
        assert all(np.array_equal(a.test, b.test) for a, b in zip(first, again, strict=True))
        assert not all(np.array_equal(a.test, b.test) for a, b in zip(first, other, strict=True))


def test_pinned():
    """Figures of finished studies rest on these rows."""
    parts = folds(cross(folds=3), data(8))
    assert [p.test.tolist() for p in parts] == PINNED


PINNED = [[2, 3, 4], [0, 1, 7], [5, 6]]


def test_folds_are_random_not_in_order():
    counts = np.zeros(10)
    for rep in range(300):
        rng = stream(0, f"rep/{rep}")
        counts[split(cross(folds=5), data(10), 0, rng).test] += 1
    # each row is in the first fold with probability 1/5; 5 standard deviations of 6.9
    assert abs(counts - 60).max() < 35


@law
@given(st.integers(4, 200), st.floats(0.05, 0.95), st.booleans())
def test_holdout_has_the_wanted_share(n, share, stratified):
    dataset = data(n)
    wanted = int(n * share + 0.5)
    protocol = hold(test=share, stratified=stratified)
    if not 0 < wanted < n:
        with pytest.raises(DataError, match="leaves one part empty"):
            split(protocol, dataset, None, stream(0, "a"))
        return
    made = split(protocol, dataset, None, stream(0, "a"))
    assert len(made.test) == wanted
    np.testing.assert_array_equal(np.sort(np.concatenate([made.train, made.test])), np.arange(n))
    if stratified:
        for code in (0, 1):
            exact = (dataset.y == code).mean() * wanted
            assert abs((dataset.y[made.test] == code).sum() - exact) <= 1


def test_holdout_of_a_number_of_rows():
    made = split(hold(test=7), data(20), None, stream(0, "a"))
    assert len(made.test) == 7
    covtype = hold(test=0.1)
    assert len(split(covtype, data(581_012), None, stream(0, "a")).test) == 58_101


def test_what_cannot_be_split():
    continuous = Part(np.ones((4, 1)), np.arange(4.0))
    with pytest.raises(DataError, match="continuous target, so its splits cannot be stratified"):
        folds(cross(folds=2, stratified=True), continuous)
    with pytest.raises(DataError, match="has no groups to keep together"):
        folds(cross(folds=2, together="groups"), data(4))
    one = Part(np.ones((4, 1)), np.arange(4.0))
    with pytest.raises(DataError, match="use fewer folds"):
        folds(cross(folds=2, together="duplicates"), one)
    with pytest.raises(DataError, match="all rows must stay together, so they cannot be split"):
        split(hold(test=0.5, together="duplicates"), one, None, stream(0, "a"))


def test_inner_folds():
    y = np.array([0] * 12 + [1] * 3)
    part = Part(np.zeros((15, 1)), y)
    parts = inner_folds(Inner(folds=3, stratified=True), part, stream(0, "inner"))
    assert sorted(np.concatenate([p.test for p in parts]).tolist()) == list(range(15))
    assert [int(y[p.test].sum()) for p in parts] == [1, 1, 1]
    plain = inner_folds(Inner(folds=3), part, stream(0, "inner"))
    assert [len(p.test) for p in plain] == [5, 5, 5]


def test_inner_part_is_one_held_out():
    y = np.array([0] * 16 + [1] * 4)
    part = Part(np.zeros((20, 1)), y)
    inner = Inner(folds=1, test=0.25, stratified=True)
    (only,) = inner_folds(inner, part, stream(0, "inner"))
    assert len(only.test) == 5
    assert y[only.test].sum() == 1
    assert sorted([*only.train, *only.test]) == list(range(20))
    for wrong in ({"test": 0.25}, {"folds": 1}, {"folds": 3, "test": 0.25}):
        with pytest.raises(ValueError, match="needs 'test'"):
            Inner(**wrong)


def test_duplicates_know_missing_and_minus_zero():
    X = np.array([[0.0, np.nan], [-0.0, -np.nan], [0.0, 1.0], [0.0, np.nan]])
    found = duplicates(X)
    assert found[0] == found[1] == found[3] != found[2]
    assert np.signbit(X[1, 0])  # the data itself is left alone
