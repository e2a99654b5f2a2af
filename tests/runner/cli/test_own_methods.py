"""Methods as people have them, through a real process: files, pipelines, rankers, plug-ins."""

import csv
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

MODELS = '''
import os
from pathlib import Path

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler


def poly(degree=2, *, interaction=False):
    made = PolynomialFeatures(degree, interaction_only=interaction)
    return make_pipeline(made, StandardScaler(), LogisticRegression())


forest = make_pipeline(StandardScaler(), RandomForestClassifier(n_estimators=5))


class Counting(BaseEstimator):
    """Leaves a sign of each fit."""

    def __init__(self, slope=1.0, random_state=None):
        self.slope, self.random_state = slope, random_state

    def fit(self, X, y):
        with Path(os.environ["FITS"]).open("a") as log:
            log.write("x")
        noise = np.random.default_rng(self.random_state).normal(size=X.shape[1])
        up = y > np.min(y)
        self.w_ = X[up].mean(axis=0) - X[~up].mean(axis=0) + self.slope * noise / 10
        self.score_scale_ = 2.0
        return self

    def predict(self, X):
        return (X * self.w_).sum(axis=1)


class Within(BaseEstimator):
    """Covariances within groups, summed exactly: integers in, integers out."""

    def learn(self, X, y, groups):
        X, w = np.rint(X).astype(int), 0
        for g in np.unique(groups):
            x, t = X[groups == g], y[groups == g]
            w = w + len(t) * (x * t[:, None]).sum(axis=0) - x.sum(axis=0) * t.sum()
        self.w_ = w
        return self

    def predict(self, X):
        return (np.rint(X) * self.w_).sum(axis=1)


class Ours(Within):
    def fit(self, X, y, groups=None):
        return self.learn(X, y, groups)


class Sizes(Within):
    def fit(self, X, y, sample_weight=None, init_score=None, group=None):
        assert sum(group) == len(X) and len(group) > 3
        return self.learn(X, y, np.repeat(np.arange(len(group)), group))


class Ids(Within):
    def fit(self, X, y, *, group=None, qid=None, sample_weight=None):
        assert group is None and (np.diff(qid) >= 0).all()
        return self.learn(X, y, qid)
'''
STUDY = """\
version: 1
study: mine
title: Mine
seed: 3
generators: {g: {generator: linear, params: {d: 3}}}
methods:
METHODS
experiments:
  e:
    problems: [g]
    protocol: {kind: models, models: 2, training_sets: 2, n_train: 40, n_test: 60}
    methods: [NAMES]
    metrics: [rank_loss]
report: [{block: paired_table, name: table, experiment: e}]
"""

Typed = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("FITS", str(tmp_path / "fits"))
    (tmp_path / "models.py").write_text(MODELS, encoding="utf-8")
    return tmp_path


def study(place: Path, name: str = "study.yaml", **methods: str) -> str:
    """Write a study of some methods, each as its YAML, and return the text."""
    lines = "\n".join(f"  {method}: {text}" for method, text in methods.items())
    text = STUDY.replace("METHODS", lines).replace("NAMES", ", ".join(methods))
    (place / name).write_text(text, encoding="utf-8")
    return text


def rankexp(place: Path, *words: str, site: Path | None = None) -> tuple[int, str]:
    """Run the command and return its exit code and all it prints."""
    paths = [str(site or ""), os.environ.get("PYTHONPATH", "")]
    environment = {"PYTHONPATH": os.pathsep.join(filter(None, paths))}
    done = subprocess.run(
        [sys.executable, "-m", "rankexp", *words],
        cwd=place,
        env=os.environ | environment | {"RANKEXP_CACHE": str(place / "cache")},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    said = done.stdout + done.stderr
    assert "Traceback" not in said and "fault of the program" not in said, said
    return done.returncode, said


def here(typed: Typed, place: Path, *words: str) -> tuple[int, str]:
    """Run the command in this process and return its exit code and all it prints."""
    done = typed(*words, cwd=place)
    return done.returncode, done.stdout + done.stderr


def values(place: Path, results: str = "results") -> dict[tuple[str, ...], str]:
    with (place / results / "mine/scores.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    names = ("problem", "model", "rep", "method", "grid", "part", "metric")
    return {tuple(row[n] for n in names): row["value"] for row in rows if not row["group"]}


@pytest.mark.slow
def test_factories_and_pipelines_of_a_file_beside_the_study(place: Path) -> None:
    grid = "grid: {degree: [1, 2], logisticregression__C: [0.1, 1.0]}"
    study(
        place,
        made=f'{{estimator: "models.py:poly", params: {{interaction: true}}, {grid}}}',
        ready='{estimator: "models.py:forest", grid: {randomforestclassifier__max_depth: [1, 3]}}',
        by_class='{estimator: "models.py:Counting"}',
    )
    code, said = rankexp(place, "run", "study.yaml", "-j2")
    assert code == 0, said
    found = values(place)
    assert len({v for k, v in found.items() if k[3] == "made" and k[1] == "0"}) > 2
    points = {k[4] for k in found if k[3] == "made"}
    assert "degree=2,logisticregression__C=0.1" in points and len(points) == 4
    assert "nothing to do" in rankexp(place, "plan", "study.yaml")[1]
    again = ("run", "study.yaml", "-j1", "--results", "again", "--only", "e")
    assert rankexp(place, *again)[0] == 0
    assert values(place, "again") == found, "a forest's seed hangs on nothing but its place"
    with (place / "models.py").open("a", encoding="utf-8") as file:
        file.write("\n# another version\n")
    assert "12 records, 0 done" in rankexp(place, "plan", "study.yaml")[1]
    manifest = (place / "results/mine/manifest.json").read_text(encoding="utf-8")
    assert '"models.py": "sha256:' in manifest


@pytest.mark.parametrize(
    ("method", "complaint"),
    [
        (
            '{estimator: "models.py:poly", grid: {logisticregresion__C: [1.0]}}',
            "has no parameter 'logisticregresion__C' (did you mean 'logisticregression__C'?)",
        ),
        ('{estimator: "models.py:pony"}', "'models.py' has no 'pony' (did you mean 'poly'?)"),
        ('{estimator: "models.py:poly", params: {degree: -1.5}}', ""),
        ('{estimator: "modles.py:poly"}', "the file 'modles.py' in '.': No such file"),
        ('{estimator: "/tmp/models.py:poly"}', "relative to the study's own file"),
        ('{estimator: "models.py:os"}', "is neither an estimator nor a function"),
        ("{estimator: sklearn.pipeline.make_pipeline}", "write a function that returns"),
        ("{estimator: no_such_package.Ranker}", "method 'm' needs it; install it or leave"),
        ("{estimator: NoSuchThing}", "no installed package offers it"),
    ],
)
def test_what_is_wrong_is_said_at_check(
    place: Path, typed: Typed, method: str, complaint: str
) -> None:
    study(place, m=method)
    done = typed("check", "study.yaml", cwd=place)
    code, said = done.returncode, done.stderr
    if complaint:
        assert code == 2 and complaint in said and "study.yaml:7:" in said, said
    else:
        assert code == 0, said  # that a value makes no sense, only fitting tells


@pytest.mark.parametrize(
    ("body", "complaint"),
    [
        ("import os\n\nbroken = (1\n", "importing 'models.py' failed in line 3: SyntaxError: "),
        ("def f():\n    return 1 / 0\n\n\nf()\n", "failed in line 2: ZeroDivisionError: "),
        ("import neighbour\n", "failed in line 1: ModuleNotFoundError: "),
        ("import sys\nsys.exit(3)\n", "failed in line 2: SystemExit: 3"),
        ("def poly():\n    return 7\n", "'models.py:poly' is not an estimator: it has no method"),
    ],
)
def test_a_file_that_fails_names_its_line(
    place: Path, typed: Typed, body: str, complaint: str
) -> None:
    (place / "models.py").write_text(body, encoding="utf-8")
    study(place, m='{estimator: "models.py:poly"}')
    for verb in ("check", "run"):
        done = typed(verb, "study.yaml", cwd=place)
        code, said = done.returncode, done.stdout + done.stderr
        assert code == 2 and complaint in said and len(said.splitlines()) == 1, said


def test_a_worker_takes_no_other_file_than_was_planned_with(place: Path) -> None:
    from rankexp.errors import ConfigError
    from rankexp.runner.config.estimators import file_hash, resolve_estimator

    then = file_hash("models.py:poly", str(place))
    first = resolve_estimator("models.py:poly", str(place), then)
    assert [name for name, _ in first().steps][-1] == "logisticregression"
    (place / "models.py").write_text("poly = 3\n", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"'models.py' changed while the study ran; run it"):
        resolve_estimator("models.py:poly", str(place), then)


def with_data(place: Path, text: str, entry: str) -> None:
    rng = np.random.default_rng(4)
    groups, X = rng.integers(0, 8, 200), rng.integers(-9, 10, (200, 3))
    y = X[:, 0] + 4 * groups + rng.integers(-5, 6, 200) > 14
    lines = [f"q{g},{a},{b},{c},{t}" for g, (a, b, c), t in zip(groups, X, y, strict=True)]
    (place / "d.csv").write_text("q,a,b,c,t\n" + "\n".join(lines) + "\n", encoding="utf-8")
    data = f"data: {{d: {{source: {{file: d.csv}}, target: t, levels: ['False', 'True']{entry}}}}}"
    text = text.replace("generators: {g: {generator: linear, params: {d: 3}}}", data)
    start, end = text.index("    problems"), text.index("    methods: [")
    protocol = "    problems: [d]\n    protocol: {kind: split, test: 0.4, repeats: 2}\n"
    text = text[:start] + protocol + "    preprocess: {scale: none}\n" + text[end:]
    (place / "study.yaml").write_text(text, encoding="utf-8")


@pytest.mark.slow
def test_rankers_of_other_packages_get_the_groups_as_they_want_them(
    place: Path, typed: Typed
) -> None:
    named = {"a": "Ours", "b": "Sizes", "c": "Ids"}
    text = study(place, **{k: f'{{estimator: "models.py:{v}"}}' for k, v in named.items()})
    with_data(place, text, ", groups: q")
    code, said = here(typed, place, "run", "study.yaml", "-j1")
    assert code == 0 and "cannot train within" not in said, said
    found = values(place)
    ours = {k: v for k, v in found.items() if k[3] == "a"}
    assert len(ours) == 2
    for key, value in ours.items():
        assert {found[(*key[:3], other, *key[4:])] for other in "bc"} == {value}


@pytest.mark.parametrize(
    ("entry", "more", "complaint"),
    [
        ("", "", "method 'm' ranks within groups, but 'd' has no groups: name their column"),
        (", groups: q", "    within_groups: false\n", "'within_groups: false' may be the reason"),
        (", groups: q, weights: c", "", "method 'm' does not accept row weights"),
    ],
)
def test_rankers_without_groups_are_refused(
    place: Path, typed: Typed, entry: str, more: str, complaint: str
) -> None:
    text = study(place, m='{estimator: "models.py:Ids"}')
    with_data(place, text.replace("    metrics", more + "    metrics"), entry)
    done = typed("check", "study.yaml", cwd=place)
    assert done.returncode == 2 and complaint in done.stderr


def test_rankers_of_groups_have_none_in_generators(place: Path, typed: Typed) -> None:
    study(place, m='{estimator: "models.py:Sizes"}')
    done = typed("check", "study.yaml", cwd=place)
    assert done.returncode == 2 and "'g' has no groups: only data sets have groups" in done.stderr


THEIRS = """
from sklearn.base import BaseEstimator
from rankexp.estimators import LinearRanker
from rankexp.metrics import auc
from rankexp.metrics.metric import declare

@declare("higher", source="a test")
def gained(y, scores, bonus: float = 0.0):
    return auc(y, scores) + bonus

class Theirs(LinearRanker):
    pass

class Plain(BaseEstimator):
    def fit(self, X, y):
        self.w_ = X[y > 0].mean(axis=0)
        return self

    def predict(self, X):
        return (X * self.w_).sum(axis=1)
"""


def installed(place: Path, version: str) -> Path:
    site = place / "site"
    metadata = site / "theirs-0.dist-info"
    metadata.mkdir(parents=True, exist_ok=True)
    head = f"Metadata-Version: 2.1\nName: theirs\nVersion: {version}\n"
    (metadata / "METADATA").write_text(head, encoding="utf-8")
    (metadata / "RECORD").write_text("theirs.py,,\n", encoding="utf-8")
    points = (
        "[rankexp.metrics]\ngained = theirs:gained\n[rankexp.estimators]\nTheirs = theirs:Theirs"
    )
    (metadata / "entry_points.txt").write_text(points + "\n", encoding="utf-8")
    (site / "theirs.py").write_text(THEIRS, encoding="utf-8")
    return site


def plug_in_study(place: Path) -> None:
    text = study(
        place,
        ours="{lambdas: [0.1]}",
        named="{estimator: Theirs}",
        by_path="{estimator: theirs.Plain}",
    )
    text = text.replace("metrics: [rank_loss]", "lambdas: [0.1, 1.0]\n    metrics: [METRICS]")
    gained = (
        "{block: paired_table, name: gain, experiment: e, options: {metric: gained(bonus=0.5)}}"
    )
    both = text.replace("METRICS", "rank_loss, gained(bonus=0.5)")
    (place / "both.yaml").write_text(both.replace("report: [", f"report: [{gained}, "))
    (place / "study.yaml").write_text(text.replace("METRICS", "rank_loss"))


def test_another_scikit_learn_is_named_where_records_are_reused() -> None:
    import sklearn

    from rankexp.runner.run.prepare import _aged
    from rankexp.runner.run.record import Record

    then, now = (
        Record("a", packages={"scikit-learn": "0.9"}),
        {"scikit-learn": sklearn.__version__},
    )
    (line,) = _aged([then, then, Record("b", packages=now), Record("c")])
    assert line.startswith("2 records were made with scikit-learn 0.9, this is ")
    assert Record.from_json(**then.to_json()) == then and "packages" not in Record("c").to_json()


def test_records_of_foreign_methods_say_their_scikit_learn(place: Path, typed: Typed) -> None:
    from rankexp.runner.run.store import Store

    study(place, ours="{lambdas: [0.1]}", made='{estimator: "models.py:poly"}')
    assert here(typed, place, "run", "study.yaml", "-j1")[0] == 0
    records = Store(place / "results/mine").read().values()
    assert sorted(len(record.packages) for record in records) == [0] * 4 + [1] * 4


@pytest.mark.slow
def test_another_version_of_a_plug_in_is_run_anew(place: Path) -> None:
    plug_in_study(place)
    site = installed(place, "1.0")
    assert rankexp(place, "run", "study.yaml", "-j1", site=site)[0] == 0
    assert "nothing to do" in rankexp(place, "plan", "study.yaml", site=site)[1]
    installed(place, "1.1")
    assert "12 records, 4 done" in rankexp(place, "plan", "study.yaml", site=site)[1]
    first = values(place)
    assert rankexp(place, "run", "study.yaml", "-j1", site=site)[0] == 0
    assert values(place) == first, "random numbers hang on no version"
    assert rankexp(place, "run", "both.yaml", "-j1", site=site)[0] == 0
    installed(place, "1.2")
    assert "12 records, 0 done" in rankexp(place, "plan", "both.yaml", site=site)[1]


@pytest.mark.slow
def test_records_are_shown_without_the_plug_in(place: Path) -> None:
    plug_in_study(place)
    site = installed(place, "1.0")
    assert rankexp(place, "run", "both.yaml", "-j1", site=site)[0] == 0
    folder = place / "results/mine"
    before = {name: (folder / name).read_bytes() for name in ("gain.csv", "scores.csv")}
    for verb in ("check", "run", "plan"):
        code, said = rankexp(place, verb, "both.yaml")
        assert code == 2, said
        assert "unknown estimator 'Theirs'" in said and "unknown metric 'gained'" in said
        assert "no package 'theirs' in this environment: method 'by_path' needs it" in said
    code, said = rankexp(place, "report", "mine")
    assert code == 0, said
    assert "metric 'gained(bonus=0.5)' needs the package 'theirs' (1.0 when it was run)" in said
    assert "method 'named' needs the package 'theirs'" in said
    assert {name: (folder / name).read_bytes() for name in before} == before
    assert "12 records" in rankexp(place, "status", "mine")[1]


KEEP = "    metrics: [rank_loss]\n    inner: {folds: 2}\n    keep: {scores: true}"


def kept_study(place: Path, metrics: str, name: str = "study.yaml", keep: str = "true") -> None:
    text = study(
        place,
        name,
        counted='{estimator: "models.py:Counting", grid: {slope: [0.5, 2.0]}}',
        path="{lambdas: [0.01, 1.0]}",
        forest='{estimator: "models.py:forest"}',
    )
    keep = KEEP.replace("rank_loss", metrics).replace("true", keep)
    (place / name).write_text(text.replace("    metrics: [rank_loss]", keep), encoding="utf-8")


def fits(place: Path) -> int:
    return len((place / "fits").read_text(encoding="utf-8"))


@pytest.mark.slow
def test_a_new_metric_is_computed_from_kept_scores(place: Path) -> None:
    kept_study(place, "rank_loss")
    assert rankexp(place, "run", "study.yaml", "-j2")[0] == 0
    assert fits(place) == 4 * 2 * 3
    kept_study(place, "rank_loss, auc, 'rank_loss(ties=worst)'")
    said = rankexp(place, "plan", "study.yaml")[1]
    assert "12 records are computed from kept scores, without fits" in said and ", 0 fits" in said
    code, said = rankexp(place, "run", "study.yaml", "-j2")
    assert code == 0 and fits(place) == 24, said
    assert rankexp(place, "run", "study.yaml", "-j1", "--results", "fresh")[0] == 0
    assert fits(place) == 48
    first, fresh = (place / name / "mine/scores.csv" for name in ("results", "fresh"))
    assert first.read_bytes() == fresh.read_bytes()
    assert rankexp(place, "run", "study.yaml", "-j1", "--redo", "counted")[0] == 0
    assert fits(place) == 72, "what is to be made again is fitted again"


@pytest.mark.slow
def test_damaged_scores_are_fitted_again_and_that_is_said(place: Path, typed: Typed) -> None:
    kept_study(place, "rank_loss")
    assert here(typed, place, "run", "study.yaml", "-j1")[0] == 0
    files = sorted((place / "results/mine/scores").glob("*/*.npz"))
    assert len(files) == 12
    for i, file in enumerate(files):
        if i % 2:
            file.write_bytes(file.read_bytes()[:-30])
            continue
        with np.load(file) as opened:
            arrays = {name: opened[name] for name in opened.files}
        arrays["0.test.scores"] = np.nextafter(arrays["0.test.scores"], np.inf)
        np.savez(file, **arrays)
    kept_study(place, "rank_loss, auc")
    code, said = here(typed, place, "run", "study.yaml", "-j1")
    assert code == 0 and "UserWarning in 12 records" in said and fits(place) == 48, said
    assert here(typed, place, "run", "study.yaml", "-j1", "--results", "fresh")[0] == 0
    first, fresh = (place / name / "mine/scores.csv" for name in ("results", "fresh"))
    assert first.read_bytes() == fresh.read_bytes()


def test_kept_scores_are_read_as_a_frame(place: Path, typed: Typed) -> None:
    from rankexp.errors import ConfigError
    from rankexp.metrics import rank_loss
    from rankexp.runner.analyse.examples import COLUMNS, scores

    kept_study(place, "rank_loss")
    assert here(typed, place, "run", "study.yaml", "-j1")[0] == 0
    frame = scores(place / "results/mine")
    assert list(frame) == COLUMNS and len(frame) == 4 * 60 * (2 + 2 + 1)
    places = ["model", "rep", "method", "grid"]
    found = values(place)
    for (model, rep, method, grid), rows in frame.groupby(places):
        assert rows["row"].tolist() == list(range(60))
        expected = found["g", str(model), str(rep), method, grid, "test", "rank_loss"]
        assert repr(float(rank_loss(rows["y"], rows["score"]))) == repr(float(expected))
    assert set(scores(place / "results/mine", method="path")["method"]) == {"path"}
    with pytest.raises(ConfigError, match="no scores are kept of method 'other'"):
        scores(place / "results/mine", method="other")


def test_writing_out_a_default_runs_nothing_anew(place: Path, typed: Typed) -> None:
    kept_study(place, "rank_loss", keep="false")
    text = (place / "study.yaml").read_text(encoding="utf-8")
    bare = text.replace("    keep: {scores: false}\n", "")
    (place / "study.yaml").write_text(bare, encoding="utf-8")
    assert here(typed, place, "run", "study.yaml", "-j1")[0] == 0
    assert not (place / "results/mine/scores").exists()
    out = (
        "    within_groups: true\n    scaling: mean\n    preprocess: {impute: mean}\n"
        "    kind: evaluate\n    metrics: ['rank_loss(ties=expected)']\n"
    )
    written = bare.replace("    metrics: [rank_loss]\n", out)
    written = written.replace("path: {lambdas", "path: {params: {}, grid: {}, lambdas")
    assert written != bare
    (place / "study.yaml").write_text(written, encoding="utf-8")
    code, said = here(typed, place, "plan", "study.yaml", "--jobs", "1")
    assert code == 0 and "nothing to do" in said, said


def test_a_plan_is_for_the_workers_asked_for(place: Path, typed: Typed) -> None:
    kept_study(place, "rank_loss")
    text = (place / "study.yaml").read_text(encoding="utf-8")
    (place / "study.yaml").write_text(text.replace("models: 2,", "models: 40,"))
    assert "with 1 process" in here(typed, place, "plan", "study.yaml", "--jobs", "1")[1]
    assert "with 3 workers" in here(typed, place, "plan", "study.yaml", "-j3")[1]
