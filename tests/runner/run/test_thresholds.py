"""The thresholds between two classes, of every kind of method, and the 0/1 loss in records."""

from dataclasses import replace

import numpy as np
import pytest
import toys
from sklearn import metrics as sk
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeRegressor

from rankexp.estimators import LinearRanker
from rankexp.metrics import parse
from rankexp.runner.config.schema import Keep, Preprocess
from rankexp.runner.plan import cells, jobs
from rankexp.runner.protocols.inner import Inner
from rankexp.runner.protocols.protocol import Part, Parts
from rankexp.runner.run import fitting, measured
from rankexp.runner.run.evaluate import evaluate
from rankexp.runner.run.fitting import Extras, fit
from rankexp.runner.run.material import Fold
from rankexp.runner.spec import MethodSpec


def zero_one_loss(y, predicted):
    return pytest.approx(sk.zero_one_loss(y, predicted), abs=1e-12)


METRICS = ["rank_loss", "zero_one_loss", "zero_one_loss(threshold=training)"]
OWN, TRAINING = map(parse, METRICS[1:])


def fold(seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((200, 3))
    y = np.where(X[:, 0] + rng.standard_normal(200) > 0.7, 1, -1)
    parts = Parts(Part(X[:120], y[:120]), Part(X[120:], y[120:]), "path")
    return Fold(parts, Preprocess(scale="none"), None)


def losses(method, made):
    found = fit(method, made, 0, Extras(thresholds=True))
    y, scores = made.test.part.y, found.scores["test"]
    return [metric(y=y, scores=scores, fitted=found.known) for metric in (OWN, TRAINING)]


def least_error(model, made):
    """Return the test error at the threshold with the least training error."""
    s, y = model.decision_function(made.train.X), made.train.part.y
    cuts = np.concatenate(([-np.inf], np.sort(s)))
    errors = [sk.zero_one_loss(y > 0, s > cut) for cut in cuts]
    assert min(errors) == zero_one_loss(y, model.predict(made.train.X))
    return zero_one_loss(made.test.part.y, model.predict(made.test.X))


@pytest.mark.parametrize("loss", ["logistic", "exponential"])
def test_an_intercept_is_a_threshold_of_its_own_along_a_path_and_alone(loss):
    made, lams = fold(), (0.001, 0.1)
    params = {"loss": loss, "risk": "classification"}
    own, training = losses(MethodSpec("LinearRanker", params, lambdas=lams), made)
    for place, lam in enumerate(lams):
        model = LinearRanker(loss=loss, lam=lam).fit(made.train.X, made.train.part.y)
        signs = made.test.X @ model.coef_[0] + model.intercept_ > 0
        assert own[place] == zero_one_loss(made.test.part.y > 0, signs)
        assert training[place] == least_error(model, made)
        alone = losses(MethodSpec("LinearRanker", {**params, "lam": lam}), made)
        assert [values[0] for values in alone] == [own[place], training[place]]
    assert not np.array_equal(own, training)


def test_without_an_intercept_the_training_error_decides():
    made = fold()
    for params in ({"loss": "hinge", "risk": "bipartite"}, {"fit_intercept": False}):
        own, training = losses(MethodSpec("LinearRanker", params, lambdas=(0.01, 1.0)), made)
        model = LinearRanker(**params, lam=0.01).fit(made.train.X, made.train.part.y)
        assert own.tolist() == training.tolist() and own[0] == least_error(model, made)


@pytest.mark.parametrize("kind", [LogisticRegression, GaussianNB])
def test_a_classifier_of_scikit_learn_has_the_error_of_its_predictions(kind):
    made = fold()
    own, _ = losses(MethodSpec(f"{kind.__module__}.{kind.__name__}"), made)
    model = kind().fit(made.train.X, made.train.part.y)
    assert own[0] == zero_one_loss(made.test.part.y, model.predict(made.test.X))


def test_what_is_no_classifier_has_no_threshold_of_its_own():
    assert np.isnan(measured.threshold_of(DecisionTreeRegressor()))
    found = measured.thresholds(np.array([[0.1, 3], [0.2, 2], [0.3, 1]]), Part(np.zeros((3, 1)),
                             np.array([0, 0, 1])), np.array([np.nan, 1.5]))  # fmt: skip
    assert found["threshold"][0] == found["training_threshold"][0] == pytest.approx(0.25)
    assert found["threshold"][1] == 1.5 and found["training_threshold"][1] == 3


def test_a_row_of_weight_three_moves_the_threshold_as_three_rows_do():
    scores, y = np.array([[4.0], [3.0], [2.0], [1.0]]), np.array([1, 0, 1, 0])
    weight = np.array([1, 3, 1, 1])
    rows = np.repeat(np.arange(4), weight)
    own = np.array([measured.NO_THRESHOLD])
    weighted = measured.thresholds(scores, Part(scores, y, weights=weight.astype(float)), own)
    copies = measured.thresholds(scores[rows], Part(scores[rows], y[rows]), own)
    assert weighted == copies == {"threshold": [3.5], "training_threshold": [3.5]}
    assert measured.thresholds(scores, Part(scores, y), own)["training_threshold"] == [1.5]


def test_scores_that_are_nan_are_named():
    with pytest.raises(ValueError, match="scores hold NaN"):
        measured.thresholds(np.array([[np.nan], [0]]), Part(np.zeros((2, 1)), np.array([0, 1])),
                         np.array([0.0]))  # fmt: skip


def test_records_hold_it_for_every_grid_point_and_inner_folds_choose_by_it():
    methods = {
        "exp": {"params": {"loss": "exponential"}, "lambdas": [0.01, 1.0]},
        "svm": {"params": {"loss": "hinge", "risk": "bipartite"}, "lambdas": [0.01, 1.0]},
    }
    study = toys.study(methods, models=1, training_sets=1)
    (setup,) = study.experiments.values()
    asked = setup.model_copy(update={"metrics": METRICS, "inner": Inner(folds=2)})
    study = study.model_copy(update={"experiments": {"figure": asked}})
    for job in jobs(cells(study, {}), ()):
        for record in evaluate(job):
            assert record.status == "ok", record.reason
            for name in METRICS:
                for part in ("test", "inner"):
                    found = [r.value for r in record.rows if (r.part, r.quantity) == (part, name)]
                    assert len(found) == 2 and 0 < min(found) <= max(found) < 0.6
            assert not any(row.quantity == "zero_one_loss:bayes" for row in record.rows)


def test_kept_scores_without_thresholds_are_not_used_where_metrics_ask_for_them(
    monkeypatch, tmp_path
):
    def run(metrics):
        study = toys.study({"log": {"lambdas": [0.01, 1.0]}}, models=1, training_sets=1)
        (setup,) = study.experiments.values()
        given = {"metrics": metrics, "keep": Keep(scores=True), "inner": Inner(folds=2)}
        setup = setup.model_copy(update=given)
        study = study.model_copy(update={"experiments": {"figure": setup}})
        (job,) = jobs(cells(study, {}), ())
        (record,) = evaluate(replace(job, folder=str(tmp_path)))
        return record, {(r.part, r.quantity): r.value for r in record.rows if r.grid == 0}

    def fitted_now(metrics):
        """Return whether anything is fitted where scores are kept already."""
        with monkeypatch.context() as patch:
            patch.setattr("rankexp.runner.run.evaluate.fit", lambda *_: pytest.fail("fitted"))
            return run(metrics)[0].status == "failed"

    monkeypatch.setattr(fitting, "thresholds", lambda *_: {})  # as versions before had none
    run(["rank_loss"])
    monkeypatch.undo()
    assert not fitted_now(["rank_loss"])
    assert fitted_now(METRICS)
    first = run(METRICS)[1]
    assert not fitted_now(METRICS)
    assert run(METRICS)[1] == first
    assert first["test", METRICS[2]] != first["test", METRICS[1]]
