"""All mistakes of a file are told at once: unknown names beside unknown keys."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from rankexp.errors import ConfigError
from rankexp.runner.config.load import load

HEAD = "version: 1\nstudy: t\ntitle: T\nseed: 1\n"
BOTH = (
    HEAD
    + """\
generators: {g: {generator: «poly_nomial}, h: {generator: linear, params: {«degre: 3}}}
methods: {m: {}, n: {estimator: «LinearRankr}, k: {params: {loss: «logistik}}}
data: {d: {source: {file: d.csv, «opnml: 5}, target: y}}
experiments:
  e:
    problems: [g, «i]
    methods: [m, «o]
    metrics: [auc, «aucc]
    «protocol: {kind: models, models: 1, training_sets: 1, «n_trian: 10, n_test: 10}
  f: {kind: simulate, check: «bound_violation}
report: [{block: «rank_tabl, name: t, experiment: e}]
«notes: none
"""
)
SAID = [
    "generators.g.generator: unknown generator 'poly_nomial' (did you mean 'polynomial'?)",
    "generators.h.params.degre: generator 'linear' has no parameter 'degre'",
    "methods.n.estimator: unknown estimator 'LinearRankr' (did you mean 'LinearRanker'?)",
    "methods.k.params.loss: unknown loss 'logistik' (did you mean 'logistic'?)",
    "data.d.source.opnml: unknown data source 'opnml' (did you mean 'openml'?)",
    "experiments.e.problems[1]: unknown problem 'i'",
    "experiments.e.methods[1]: unknown method 'o'",
    "experiments.e.metrics[1]: unknown metric 'aucc' (did you mean 'auc'?)",
    "experiments.e.protocol: missing key 'n_train'",
    "experiments.e.protocol: unknown key 'n_trian' (did you mean 'n_train'?)",
    "experiments.f.check: unknown check 'bound_violation'",
    "report[0].block: unknown block 'rank_tabl' (did you mean 'rank_table'?)",
    "unknown key 'notes'",
]


def test_unknown_names_stand_beside_unknown_keys(errors: Callable[..., list[str]]) -> None:
    found = errors(BOTH)
    assert len(found) == len(SAID)
    for line, expected in zip(found, SAID, strict=True):
        assert line.startswith(expected), line


def test_what_is_sound_is_not_blamed(errors: Callable[..., list[str]]) -> None:
    """An entry of a wrong form is known by its name, so nothing else is said of it."""
    text = (
        HEAD + "generators: {g: {generator: linear, «parms: {d: 3}}}\nmethods: {m: {«grd: {}}}\n"
    )
    run = "experiments: {e: {problems: [g], methods: [m], protocol: {kind: models, models: 1, "
    found = errors(text + run + "training_sets: 1, n_train: 10, n_test: 10}}}\n")
    assert [line.partition(" (")[0] for line in found] == [
        "generators.g: unknown key 'parms'",
        "methods.m: unknown key 'grd'",
    ]


@pytest.mark.parametrize("names", ["[1, aucc]", "aucc", "{a: aucc}", "[[aucc]]", "null"])
def test_names_of_a_wrong_form_are_said_once(tmp_path: Path, names: str) -> None:
    file = tmp_path / "t.yaml"
    run = (
        "experiments: {e: {problems: [g], methods: 3, metrics: "
        + names
        + "}}\nreport: {block: x}\n"
    )
    file.write_text(HEAD + run, "utf-8")
    with pytest.raises(ConfigError) as caught:
        load(file)
    places = [line.partition(": unknown")[0] for line in str(caught.value).splitlines()]
    assert len(places) == len(set(places)) and "internal" not in str(caught.value)


MODELS = """\
from sklearn.linear_model import LogisticRegression


def poly(degree=2):
    if degree > 3:
        raise ValueError("degree is too large")
    return make_pipelin(LogisticRegression())
"""


@pytest.mark.parametrize(
    ("method", "said"),
    [
        ("estimator: «models.py:poly", "estimator: models.py, line 7: NameError: name 'make_pip"),
        (
            "estimator: models.py:poly, params: {degree: «5}",
            "params.degree: models.py, line 6: degree is too large",
        ),
    ],
)
def test_an_error_in_a_file_has_its_line(
    tmp_path: Path, errors: Callable[..., list[str]], method: str, said: str
) -> None:
    (tmp_path / "models.py").write_text(MODELS, "utf-8")
    run = "experiments: {e: {problems: [g], methods: [m], protocol: {kind: models, models: 1, "
    end = "training_sets: 1, n_train: 10, n_test: 10}}}\n"
    head = HEAD + "generators: {g: {generator: linear}}\nmethods: {m: {" + method + "}}\n"
    (found,) = errors(head + run + end)
    assert found.startswith(f"methods.m.{said}")


LOST = {
    "generators.two": {"rankexp-spiral": "0.1"},
    "metrics.lift": {"rankexp-lift": "2.0"},
    "protocols.bootstrap": {"rankexp-boot": "1.1"},
    "methods.m": {"numpy": "1.0", "models.py": "sha256:0"},
}


def test_a_missing_package_is_named_from_an_earlier_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, errors: Callable[..., list[str]]
) -> None:
    monkeypatch.chdir(tmp_path)
    manifest = Path("results/t/manifest.json")
    manifest.parent.mkdir(parents=True)
    manifest.write_text(json.dumps({"outside": {"code": LOST}}), "utf-8")
    text = (
        HEAD
        + "generators: {two: {generator: «spiral}, three: {generator: «helix}}\n"
        + "methods: {m: {estimator: «LinearRankr}}\nexperiments: {e: {problems: [two], "
        + "methods: [m], metrics: [«lift], protocol: {kind: «bootstrap}}}\n"
    )
    spiral, helix, method, lift, boot = errors(text)
    where = f"; '{manifest}' has it from rankexp-"
    assert "'spiral': no installed package offers it; known:" in spiral
    assert spiral.endswith(f"{where}spiral 0.1, which is not installed")
    assert lift.endswith(f"{where}lift 2.0, which is not installed")
    assert boot.endswith(f"{where}boot 1.1, which is not installed")
    assert "no installed package offers it" in helix and "manifest" not in helix + method
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")  # results lie beside the study, too
    assert errors(text)[0].endswith("rankexp-spiral 0.1, which is not installed")
    (tmp_path / manifest).write_text("{", "utf-8")
    assert all("manifest" not in line for line in errors(text))
