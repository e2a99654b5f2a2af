"""The contracts find what is broken, and say what and where in one sentence."""

import dataclasses

import numpy as np
import pytest
from sklearn.base import BaseEstimator

from rankexp.estimators import ProportionalOdds
from rankexp.generators import Linear
from rankexp.losses import Hinge, Logistic, SquaredHinge
from rankexp.metrics import auc
from rankexp.metrics.metric import Metric, declare
from rankexp.risks import Bipartite, Classification
from rankexp.runner.data.dataset import DataTable, Feature
from rankexp.runner.protocols.dividing import Holdout
from rankexp.runner.protocols.protocol import Part, Parts, Place
from rankexp.runner.report.blocks.tables.paired_table import PairedTable
from rankexp.runner.report.options import BlockKind
from rankexp.testing import (
    ContractError,
    check_block,
    check_check,
    check_curve,
    check_generator,
    check_loss,
    check_metric,
    check_protocol,
    check_ranker,
    check_risk,
    check_source,
)


def made(base, **attributes):
    """Return a class with something else about it."""
    return type("Broken", (base,), attributes)


@pytest.mark.parametrize(
    ("loss", "sentence"),
    [
        (made(Logistic, margin_derivative=lambda self, z: -z), "derivative is the slope"),
        (made(Logistic, margin_curvature=lambda self, z: 0 * z), "curvature is the slope"),
        (made(Logistic, of_margin=lambda self, z: -z), "at least 0"),
        (made(Logistic, link=lambda self, eta: eta), "link of a `proper` loss is the best"),
        (made(Logistic, weight=lambda self, c: 1.0 / c), "integrals of the weight"),
        (made(Logistic, inverse_link=lambda self, v: 0 * v), "undoes the link"),
        (made(Logistic, at_zero=0.5), "`bounds_zero_one`"),
        (made(Hinge, smooth=True), "derivative of a `smooth` loss has no jump.*jumps by 1 at 1"),
        (made(Hinge, link=lambda self, eta: eta), "is not `proper`"),
        (made(Logistic, margin_derivative=lambda self, z: -1 / (1 + np.exp(z))), "far away"),
        (made(SquaredHinge, factorises=True), "training finds the minimum"),
    ],
)
def test_a_broken_loss(loss, sentence):
    with pytest.raises(ContractError, match=f"^loss Broken: .*{sentence}"):
        check_loss(loss())


def solve_badly(self, task):
    found = Bipartite.solve(self, task)
    return dataclasses.replace(found, gap=found.gap + 1.0)


@pytest.mark.parametrize(
    ("risk", "sentence"),
    [
        (made(Bipartite, accepts=lambda self, loss: ""), "says None, or in a sentence"),
        (made(Bipartite, accepts=lambda self, loss: "no"), "none of the registered losses"),
        (made(Bipartite, solve=solve_badly), "the gaps are"),
        (made(Classification, refuses=lambda self, given: "no"), "refused with its `reason`"),
    ],
)
def test_a_broken_risk(risk, sentence):
    with pytest.raises(ContractError, match=f"^risk Broken: .*{sentence}"):
        check_risk(risk())


def metric(function, direction="higher", **declared):
    return Metric("mine", declare(direction, source="a paper", **declared)(function))


def turned(y, scores):
    """AUC, declared the wrong way round."""
    return auc(y, scores)


def forgetful(y, scores):
    """Take NaN for 0."""
    return auc(y, np.nan_to_num(scores))


def greedy(y, scores):
    """Sort what it is given."""
    found = auc(y, scores)
    y.sort()
    return found


def needy(y, scores, power):
    """Ask for a parameter without a default."""
    return auc(y, scores)


def apart(y, scores):
    """Say nothing of its groups."""
    return auc(y, scores)


def joint(y, scores):
    """Mix columns."""
    return auc(
        y,
        scores - (scores.mean() > 0.05) * np.arange(len(y)).reshape(-1, *[1] * (scores.ndim - 1)),
    )


def first(y, scores, ties="stable"):
    """Take the precision at 5 of a stable sort."""
    if np.isnan(scores).any():
        raise ValueError("NaN")
    top = np.asarray(y)[np.argsort(-scores, axis=0, kind="stable")[:5]]
    share = (top > 0).mean(axis=0)
    return share if scores.ndim == 2 else float(share)


@pytest.mark.parametrize(
    ("broken", "sentence"),
    [
        (metric(first), "rows in another order give the same value, ties included.*after"),
        (metric(turned, "lower"), "in the declared direction"),
        (metric(forgetful), "NaN among the scores"),
        (metric(greedy), "changes nothing of what it is given: it changed y"),
        (metric(needy), "each parameter has a default: 'power'"),
        (metric(joint), "a matrix of scores gives the values of its columns"),
        (metric(apart, each=lambda y, scores: np.zeros((4, 3))), "by group.* have the mean"),
    ],
)
def test_a_broken_metric(broken, sentence):
    with pytest.raises(ContractError, match=f"^metric mine.*{sentence}"):
        check_metric(broken)


def test_a_metric_may_say_that_the_order_of_rows_counts():
    check_metric(dataclasses.replace(metric(first), parameters=(("ties", "order"),)))


def global_model(self, rng):
    return Linear(p=float(np.random.rand()), d=3).draw_model(rng)  # noqa: NPY002


@pytest.mark.parametrize(
    ("attributes", "sentence"),
    [
        ({"draw_model": lambda self, rng: Linear(p=0.4).draw_model(np.random.default_rng(0))}, ""),
        ({"draw_model": global_model}, "stream determines all"),
        ({"levels": (0, 1)}, "of its `levels`"),
    ],
)
def test_a_broken_generator(attributes, sentence):
    broken = made(Linear, **attributes)()
    if sentence:
        with pytest.raises(ContractError, match=f"^generator .*{sentence}"):
            check_generator(broken)
    else:
        check_generator(broken)


def test_a_generator_that_misstates_its_prior():
    class Misstates(Linear):
        def draw_model(self, rng):
            return dataclasses.replace(super().draw_model(rng), prior=0.7)

    with pytest.raises(ContractError, match=r"^generator .*P\(y = 1 \| x\).*"):
        check_generator(Misstates())


def check_one(rng, power=2):
    """Be given a parameter by position."""
    return [{"quantity": "a", "value": 1.0}]


def check_two(rng):
    """Give a value that is no float."""
    return [{"quantity": "a", "value": 1}]


def check_three(rng):
    """Ignore the stream."""
    return [{"quantity": "a", "value": float(np.random.default_rng().random())}]


@pytest.mark.parametrize(
    ("check", "sentence"),
    [
        (check_one, "'power' may be given by position"),
        (check_two, "is not a float"),
        (check_three, "other"),
    ],
)
def test_a_broken_check(check, sentence):
    with pytest.raises(ContractError, match=f"^check .*{sentence}"):
        check_check(check)


class Plain(BaseEstimator):
    def __init__(self, power=1):
        self.power = power

    def fit(self, X, y):
        return self

    def predict(self, X):
        return X[:, 0]


def by_place(self, X):
    return X[:, 0] + 1e-12 * np.arange(len(X))


def spoils(self, X, y):
    X[:] = 0.0
    return self


@pytest.mark.parametrize(
    ("attributes", "sentence"),
    [
        ({"predict": by_place}, "depends on its row alone"),
        ({"predict": lambda self, X: X[:, :1]}, "one a row"),
        ({"fit": spoils}, "leave X and y as they are: X is changed"),
    ],
)
def test_a_broken_ranker(attributes, sentence):
    check_ranker(Plain(), scikit_learn=False)
    with pytest.raises(ContractError, match=f"^estimator .*{sentence}"):
        check_ranker(made(Plain, **attributes)(), scikit_learn=False)


class ByAlphabet(ProportionalOdds):
    def fit(self, X, y):
        model = ProportionalOdds(levels=sorted(set(np.asarray(y).tolist()))).fit(X, y)
        vars(self).update({name: value for name, value in vars(model).items() if name != "levels"})
        return self


class AlwaysGood(ProportionalOdds):
    def predict_level(self, X):
        return np.repeat(self.levels_[1], len(X))


@pytest.mark.parametrize(
    ("broken", "sentence"),
    [(ByAlphabet, "never in that of the alphabet"), (AlwaysGood, "it predicts {1}")],
)
def test_a_broken_ranker_of_levels(broken, sentence):
    with pytest.raises(ContractError, match=f"^estimator {broken.__name__}.*{sentence}"):
        check_ranker(broken(), scikit_learn=False)


def source_of(values, columns, missing="none"):
    def source(reference, entry, folders):
        """Give a table."""
        if reference != "mine":
            return None if missing == "none" else DataTable("x", columns, values, {"source": "x"})
        return DataTable("mine", columns, values, {"source": "mine"})

    return source


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        (source_of(np.zeros((3, 2)), (Feature("a"),)), "1 columns, values of shape"),
        (source_of(np.zeros((3, 2)), (Feature("a"), Feature("a"))), "two columns have one name"),
        (source_of(np.ones((3, 1)), (Feature("a", "nominal", ("x",)),)), "codes without"),
        (source_of(np.ones((3, 1)), (Feature("a"),), "any"), "is None, or a"),
    ],
)
def test_a_broken_source(source, sentence):
    check_source(source_of(np.zeros((3, 1)), (Feature("a"),)), "mine")
    with pytest.raises(ContractError, match=f"^data source source: .*{sentence}"):
        check_source(source, "mine")


def uneven(self, context, block):
    output = PairedTable.output(self, context, block)
    table = output.tables[0]
    short = dataclasses.replace(table, columns=table.columns[1:])
    return dataclasses.replace(output, tables=[short])


def by_hand(self, source, place, *, inner):
    parts = Holdout.parts(self, source, place, inner=inner)
    return dataclasses.replace(parts, test=Part(parts.test.X, parts.test.y))


def by_chance(self, source, place, *, inner):
    rows = np.random.default_rng().permutation(60)
    return Parts(source.whole.take(rows[:40]), source.whole.take(rows[40:]), source.name)


@pytest.mark.parametrize(
    ("attributes", "sentence"),
    [
        ({"size": lambda self: 3}, "there are 2 places, but `size` says 3"),
        ({"places": lambda self: iter([Place(None, 0)] * 2)}, "two places are the same"),
        ({"words": lambda self: ""}, "it has no words"),
        ({"training_rows": lambda self, rows: 5}, "about as many as it says"),
        ({"identity": lambda self: {"kind": "split", "stratified": False}}, "are defaults"),
        ({"parts": by_hand}, "rows have other groups"),
        ({"parts": by_chance}, "a second call gives other parts"),
    ],
)
def test_a_broken_protocol(attributes, sentence):
    broken = made(Holdout, **attributes)
    with pytest.raises(ContractError, match=f"^protocol Broken.*{sentence}"):
        check_protocol(broken(kind="split", test=0.4, repeats=2))


def test_a_broken_block():
    check_block(PairedTable, {"reference": "points"})
    with pytest.raises(
        ContractError, match=r"^block Broken: its tables have a cell a column.*rows"
    ):
        check_block(made(PairedTable, output=uneven))
    with pytest.raises(ContractError, match="dict is not a subclass of rankexp"):
        check_block(dict)


class Unfinished(BlockKind):
    """A block that shows nothing yet."""


def test_what_a_room_refuses_is_named_by_its_contract():
    with pytest.raises(ContractError, match=r"BlockKind subclass Unfinished does not .*: output"):
        check_block(Unfinished)
    with pytest.raises(
        ContractError, match=r"must take \(X, y, scores\), but .* are \(y, scores\)"
    ):
        check_curve(turned)
