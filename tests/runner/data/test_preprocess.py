import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from rankexp.errors import DataError
from rankexp.runner.config.schema import Preprocess
from rankexp.runner.data.dataset import Feature
from rankexp.runner.data.preprocess import Preprocessor

NAN = np.nan
FEATURES = (
    Feature("size"),
    Feature("colour", "nominal", ("red", "green", "blue")),
    Feature("sex", "nominal", ("f", "m")),
    Feature("only", "nominal", ("x",)),
    Feature("constant"),
)
TRAIN = np.array([[0.0, 0, 1, 0, 7], [4, 2, 1, 0, 7], [NAN, 2, NAN, NAN, NAN], [2, NAN, 0, 0, 7]])
TEST = np.array([[6.0, 1, 0, 0, 9], [NAN, NAN, NAN, NAN, NAN]])

law = settings(max_examples=40)


def fitted(X=TRAIN, features=FEATURES, **options):
    return Preprocessor(Preprocess(**options), features).fit(X)


def test_by_hand():
    made = fitted()
    assert made.names == (
        "size",
        "colour=red",
        "colour=green",
        "colour=blue",
        "sex=m",
        "only=x",
        "constant",
    )
    np.testing.assert_array_equal(
        made.transform(TRAIN),
        [
            [0, 1, 0, 0, 1, 0, 0],
            [1, 0, 0, 1, 1, 0, 0],
            [0.5, 0, 0, 1, 1, 0, 0],  # mean of 0, 4, 2; commonest colour; commonest sex
            [0.5, 0, 0, 1, 0, 0, 0],
        ],
    )
    np.testing.assert_array_equal(
        made.transform(TEST),
        [[1.5, 0, 1, 0, 0, 0, 2], [0.5, 0, 0, 1, 1, 0, 0]],  # outside [0, 1] stays outside
    )


def test_standard_scaling_leaves_indicators():
    made = fitted(scale="standard").transform(TRAIN)
    np.testing.assert_allclose(made[:, 0].mean(), 0, atol=1e-15)
    np.testing.assert_allclose(made[:, 0].std(), 1)
    np.testing.assert_array_equal(made[:, -1], 0)
    np.testing.assert_array_equal(made[:, 1:6], fitted().transform(TRAIN)[:, 1:6])


def test_no_scaling_codes_and_no_imputation():
    made = fitted(scale="none", nominal="codes", impute="none")
    assert made.names == tuple(f.name for f in FEATURES)
    np.testing.assert_array_equal(made.transform(TEST), TEST)
    coded = fitted(nominal="codes").transform(TRAIN)
    np.testing.assert_array_equal(coded[:, 1], [0, 1, 1, 1])


@pytest.mark.parametrize("scale", ["minmax", "standard"])
def test_what_is_missing_stays_so_where_asked(scale):
    made = fitted(impute="none", scale=scale).transform(TRAIN)
    expected = np.isnan(TRAIN)[:, [0, 1, 1, 1, 2, 3, 4]]
    np.testing.assert_array_equal(np.isnan(made), expected)


def test_a_column_missing_in_the_whole_training_part():
    X = np.array([[NAN, NAN], [NAN, NAN]])
    features = (Feature("a"), Feature("b", "nominal", ("p", "q", "r")))
    for scale in ("minmax", "standard", "none"):
        made = fitted(X, features, scale=scale)
        np.testing.assert_array_equal(made.transform(X), [[0, 1, 0, 0]] * 2)
        np.testing.assert_array_equal(made.transform(np.array([[3.0, 2]])), [[3, 0, 0, 1]])


def test_an_imputed_constant_stays_constant():
    X = np.array([[0.1], [0.1], [0.1], [NAN]])  # the mean of three .1 is above .1
    np.testing.assert_array_equal(fitted(X, FEATURES[:1]).transform(X), np.zeros((4, 1)))


def test_the_order_in_memory_does_not_matter():
    X = np.random.default_rng(0).normal(size=(200, 5))
    X[0, :3] = NAN
    features = tuple(Feature(str(j)) for j in range(5))
    for scale in ("minmax", "standard"):
        straight = fitted(X, features, scale=scale).transform(X)
        turned = fitted(np.asfortranarray(X), features, scale=scale).transform(X)
        np.testing.assert_array_equal(turned, straight)


def test_tied_modes_go_to_the_first_declared():
    X = np.array([[2.0], [1], [NAN]])
    features = (Feature("b", "nominal", ("p", "q", "r")),)
    np.testing.assert_array_equal(fitted(X, features).transform(X)[2], [0, 1, 0])


numbers = st.floats(-1e6, 1e6) | st.just(NAN)
tables = st.integers(1, 12).flatmap(
    lambda n: st.tuples(
        arrays(float, (n, 2), elements=numbers),
        arrays(float, (n, 2), elements=st.sampled_from([0.0, 1.0, 2.0, NAN])),
    ).map(np.hstack)
)
MIXED = (
    Feature("a"),
    Feature("b"),
    Feature("c", "nominal", ("x", "y", "z")),
    Feature("d", "nominal", ("x", "y", "z")),
)


@law
@given(tables)
def test_the_training_part_lies_in_the_unit_cube(X):
    made = fitted(X, MIXED).transform(X)
    assert made.min() >= 0
    assert made.max() <= 1
    assert made.flags.c_contiguous
    assert made.shape == (len(X), 8)
    np.testing.assert_array_equal(made[:, 2:5].sum(axis=1), 1)


@law
@given(tables, tables, st.sampled_from(["minmax", "standard", "none"]))
def test_each_row_is_made_by_itself_from_what_training_taught(train, test, scale):
    made = fitted(train, MIXED, scale=scale)
    before = made.transform(train)
    together = made.transform(np.vstack([train, test]))
    np.testing.assert_array_equal(together[: len(train)], before)
    for i, row in enumerate(test):
        np.testing.assert_array_equal(made.transform(row[None])[0], together[len(train) + i])


@law
@given(tables, st.permutations(range(4)))
def test_the_order_of_columns_does_not_matter(X, order):
    straight = fitted(X, MIXED)
    turned = fitted(X[:, order], tuple(MIXED[j] for j in order))
    where = [turned.names.index(name) for name in straight.names]
    np.testing.assert_array_equal(turned.transform(X[:, order])[:, where], straight.transform(X))


@law
@given(tables)
def test_the_input_is_left_alone(X):
    before = X.copy()
    fitted(X, MIXED).transform(X)
    np.testing.assert_array_equal(X, before)


def test_agrees_with_scikit_learn():
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import MinMaxScaler, StandardScaler

    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 5)) * [1, 1e3, 1e-3, 5, 1] + [0, 1e4, 0, 1, 1]
    X[rng.random(X.shape) < 0.2] = NAN
    features = tuple(Feature(str(j)) for j in range(5))
    for scale, scaler in (("minmax", MinMaxScaler()), ("standard", StandardScaler())):
        oracle = make_pipeline(SimpleImputer(), scaler).fit(X[:40])
        made = fitted(X[:40], features, scale=scale).transform(X)
        np.testing.assert_allclose(made, oracle.transform(X), rtol=1e-9, atol=1e-12)


def test_each_group_is_scaled_by_its_own_rows_and_filled_in_afterwards():
    nan = np.nan
    X = np.array([[1, 5, 0], [3, 5, 1], [2, nan, 1], [10, nan, 0], [30, nan, 1.0]])
    groups = np.array([7, 7, 7, 2, 2])
    features = [Feature("a"), Feature("b"), Feature("c", "nominal", ("no", "yes"))]
    made = Preprocessor(Preprocess(within="groups"), features).fit(X, groups)
    expected = [[0, 0, 0], [1, 0, 1], [0.5, 0, 1], [0, 0, 0], [1, 0, 1]]
    np.testing.assert_array_equal(made.transform(X, groups), expected)
    test = np.array([[100, 1, 0], [300, 2, 1], [nan, nan, 0.0]])
    found = made.transform(test, np.array([7, 7, 7]))
    np.testing.assert_array_equal(found, [[0, 0, 0], [1, 1, 1], [0.5, 0, 0]])
    with pytest.raises(DataError, match="'within: groups' needs groups"):
        made.transform(test)


def test_standard_scaling_within_groups_agrees_with_pandas():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(50, 3)) * 10 + 3
    X[rng.random((50, 3)) < 0.2] = np.nan
    X[:10, 0] = 0.1  # a constant whose mean is rounded
    groups = rng.permutation(np.repeat(np.arange(5), 10))
    groups[:10] = 9
    config = Preprocess(scale="standard", within="groups", impute="none")
    found = Preprocessor(config, [Feature(n) for n in "abc"]).fit(X, groups).transform(X, groups)
    own = pd.DataFrame(X).groupby(groups)
    expected = (pd.DataFrame(X) - own.transform("mean")) / own.transform("std", ddof=0)
    expected.iloc[:10, 0] = 0.0
    np.testing.assert_allclose(found, expected, rtol=1e-10)


def test_scaling_within_groups_enters_the_identity_and_nothing_else_does():
    assert Preprocess().model_dump(exclude_defaults=True) == {}
    dumped = Preprocess(within="groups").model_dump(exclude_defaults=True)
    assert dumped == {"within": "groups"}
    with pytest.raises(ValueError, match="'within: groups' needs a 'scale'"):
        Preprocess(scale="none", within="groups")
