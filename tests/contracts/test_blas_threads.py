"""Small fits, paths and predictions have one BLAS thread; whoever comes after has what was."""

import inspect
import os
import subprocess
import sys
import threading
import warnings
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import ThreadpoolController, threadpool_limits

import rankexp
from rankexp import registry
from rankexp.blas import SparesThreads, _libraries, one_thread, threads_for
from rankexp.estimators import LinearRanker, ProportionalOdds, RankPerceptron
from rankexp.solvers.hinge import path

ROOT = str(Path(rankexp.__file__).parent)
X = np.random.default_rng(0).normal(size=(40, 3))
GIVEN = {
    "X": X,
    "y": (X[:, 0] > 0).astype(int),  # which some line separates, as MaxMarginRanker asks
    "lams": [1.0, 0.1],
    "pairs": [[i, j] for i in range(9) for j in range(i) if X[i, 0] > X[j, 0]],
    "n_rounds": [2, 1],
}
GIVEN["labels"] = [1] * len(GIVEN["pairs"])


def counts():
    return [library.num_threads for library in _libraries()]


@pytest.fixture(autouse=True)
def two_threads():
    """Two threads, also where the environment, or the machine, has one."""
    with threadpool_limits(2, user_api="blas"):
        if set(counts()) != {2}:
            pytest.skip("this BLAS has no threads")
        yield


def seen(call, *arguments):
    """Return the counts of threads that functions of the package found as they were called."""
    found, known = set(), set()

    def look(frame, event, _):
        code = frame.f_code
        if code not in known and code.co_filename.startswith(ROOT):
            known.add(code)  # looking at each time would take seconds
            if not code.co_filename.endswith("blas.py") and code.co_name != "_columns":
                found.update(counts())

    sys.setprofile(look)
    try:
        call(*arguments)
    finally:
        sys.setprofile(None)
    return found


def calls(ranker):
    """Yield its public methods of X, with what they need; those that fit come first."""
    names = [name for name in dir(ranker) if not name.startswith(("_", "staged_"))]
    for name in sorted(names, key=lambda name: (not name.startswith("fit"), name)):
        method = getattr(ranker, name, None)
        if inspect.ismethod(method) and "X" in (takes := inspect.signature(method).parameters):
            yield method, [GIVEN[key] for key in takes if key in GIVEN]


NAMES = [
    pytest.param(name, marks=[pytest.mark.slow] * (name == "KernelRanker"))  # takes seconds
    for name in registry.names("estimators")
]


@pytest.mark.parametrize("name", NAMES)
def test_every_small_fit_path_and_prediction_has_one_thread(name):
    if name == "BoostedRanker":
        pytest.importorskip("lightgbm")
    ranker = registry.get("estimators", name)()
    few = {"n_rounds": 3, "n_estimators": 2, "max_iter": 5}
    ranker.set_params(**{key: few[key] for key in few.keys() & ranker.get_params()})
    made = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        for method, arguments in calls(ranker):
            method(*arguments)  # compiled while nothing looks on, which would take much longer
            assert seen(method, *arguments) == {1}, method
            assert set(counts()) == {2}, method
            made += 1
    assert made > 3
    with pytest.raises(ValueError):
        ranker.fit(X, GIVEN["y"][1:])
    assert set(counts()) == {2}


def test_large_products_have_the_threads_that_there_are():
    class Toy(SparesThreads):
        def predict(self, X):
            return counts()

    assert set(Toy().predict(X)) == set(Toy().predict(X=X)) == {1}
    assert set(Toy().predict(X.tolist())) == {1}
    many, wide = np.broadcast_to(0.0, (500_000, 10)), np.broadcast_to(0.0, (1_000, 1_000))
    assert set(Toy().predict(many)) == set(Toy().predict(X=wide)) == {2}
    ranker = registry.get("estimators", "KernelRanker")()
    with threads_for(1_000, ranker._columns(1_000, 2, True)):  # its matrix is rows by rows
        assert set(counts()) == {2}


def test_the_hinge_of_pairs_has_one_thread_at_any_size(monkeypatch):
    solve, found = path._solve, []
    monkeypatch.setattr("rankexp.blas.ENTRIES", 0)
    monkeypatch.setattr(path, "_solve", lambda *a: found.extend(counts()) or solve(*a))
    LinearRanker(loss="hinge", risk="bipartite").fit(X, GIVEN["y"])
    assert set(found) == {1}
    assert set(counts()) == {2}


@given(st.lists(st.booleans(), max_size=30))
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_first_one_in_sets_and_the_last_one_out_sets_back(comes):
    inside = 0
    for one in comes:
        if one:
            one_thread.__enter__()
        elif inside:
            one_thread.__exit__()
        inside = max(inside + (1 if one else -1), 0)
        assert set(counts()) == {1 if inside else 2}
    for _ in range(inside):
        one_thread.__exit__()
    assert set(counts()) == {2}


def test_threads_of_python_share_the_limit():
    together, found = threading.Barrier(4), []

    def enter():
        together.wait()
        for _ in range(50):
            with one_thread:
                found.extend(counts())

    threads = [threading.Thread(target=enter) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(found) == {1} and set(counts()) == {2}


def test_the_last_one_out_may_be_another_thread_than_the_first_one_in():
    first, last = threading.Event(), threading.Event()

    def stay():
        with one_thread:
            first.set()
            last.wait()

    thread = threading.Thread(target=stay)
    with one_thread:
        thread.start()
        first.wait()
    assert set(counts()) == {1}
    last.set()
    thread.join()
    assert set(counts()) == {2}


def test_what_others_have_limited_is_left_alone():
    with threadpool_limits(1, user_api="blas"):
        with one_thread:
            assert set(counts()) == {1}
        assert set(counts()) == {1}
    other = threadpool_limits(1, user_api="blas")
    with one_thread:
        other.restore_original_limits()  # as from another thread of Python
    assert set(counts()) == {2}


def test_every_library_is_known():
    found = ThreadpoolController().select(user_api="blas").lib_controllers
    assert {one.filepath for one in found} == {one.filepath for one in _libraries()}


DIGEST = """
import hashlib
import numpy as np
from rankexp.estimators import KernelRanker, LinearRanker, ProportionalOdds
from rankexp.metrics import expected_auc, log_loss
rng = np.random.default_rng(0)
X = rng.normal(size=(12_000, 8))  # BLAS takes its threads from 9,216 numbers on
s = X[:, 0] + rng.normal(size=len(X))
rankers = [LinearRanker(loss=l, risk=r) for l, r in [
    ("logistic", "classification"), ("logistic", "bipartite"), ("hinge", "bipartite")]]
found = [m.fit(X, s > 0).decision_function(X) for m in [*rankers, ProportionalOdds()]]
found += [m.coef_ for m in rankers] + [log_loss(s > 0, s), expected_auc(s, 1 / (1 + np.exp(-s)))]
found += [KernelRanker().fit(X[:300], s[:300] > 0).decision_function(X[:900])]
digest = hashlib.sha256(b"".join(np.asarray(one).tobytes() for one in found)).hexdigest()
"""


def test_small_fits_have_the_same_bits_for_any_number_of_threads():
    alone = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    child = subprocess.Popen(
        [sys.executable, "-c", f"{DIGEST}print(digest)"],
        env=os.environ | alone,
        stdout=subprocess.PIPE,
        text=True,
    )
    here: dict[str, str] = {}
    exec(DIGEST, here)
    assert child.communicate()[0].strip() == here["digest"]


def test_large_fits_agree_to_rounding(monkeypatch):
    """What threads sum up in parts differs in its last bits; the certificate holds for each."""
    monkeypatch.setattr("rankexp.blas.ENTRIES", 0)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2_000, 20))
    y = X[:, 0] + rng.normal(size=2_000) > 0
    for risk in ("classification", "bipartite"):
        model, found = LinearRanker(loss="logistic", risk=risk), []
        for threads in (1, 2):
            with threadpool_limits(threads, user_api="blas"):
                found.append(model.fit(X, y).objective_)
                assert model.gap_ <= model.tol
        assert found[0] == pytest.approx(found[1], rel=1e-12)


def test_a_warning_names_the_line_that_asked():
    y = np.random.default_rng(0).integers(0, 2, len(X))
    for ranker in (
        LinearRanker(loss="logistic", tol=1e-12, max_iter=1),
        ProportionalOdds(tol=1e-12, max_iter=1),
        RankPerceptron(max_iter=1),
    ):
        with pytest.warns(ConvergenceWarning) as said:
            ranker.fit(X, y)
        assert said[0].filename == __file__, ranker
