"""Which bits of records are the same on other processors, as docs/reports.md says."""

import os
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest

from rankexp.runner.config.load import load
from rankexp.runner.plan import cells
from rankexp.runner.run.scored import path_of
from rankexp.runner.run.store import Store

STUDY = """
version: 1
study: bits
title: Bits
seed: 3
generators: {line: {generator: linear, params: {d: 10}}}
methods:
  logistic: {params: {loss: logistic, risk: classification}, lambdas: [1, 0.01, 0.0001]}
  logistic-pairs: {params: {loss: logistic, risk: bipartite}, lambdas: [1, 0.01, 0.0001]}
  exponential: {params: {loss: exponential, risk: bipartite}, lambdas: [1, 0.01]}
  hinge: {params: {loss: hinge, risk: classification}, lambdas: [1, 0.01]}
  hinge-pairs: {params: {loss: hinge, risk: bipartite}, lambdas: [1, 0.01]}
  push: {params: {loss: exponential, risk: push(p=4)}, lambdas: [1, 0.01]}
  kernel: {estimator: rankexp.estimators.KernelRanker}
  boost: {estimator: rankexp.estimators.RankBoost}
  boosted: {estimator: rankexp.estimators.BoostedRanker}
  trees: {estimator: sklearn.tree.DecisionTreeClassifier, grid: {max_leaf_nodes: [4, 16]}}
  forest: {estimator: sklearn.ensemble.RandomForestClassifier, params: {n_estimators: 20}}
experiments:
  figure:
    problems: [line]
    methods: [logistic, logistic-pairs, exponential, hinge, hinge-pairs, push, kernel, boost,
              boosted, trees, forest]
    protocol: {kind: models, models: 3, training_sets: 3, n_train: 200, n_test: 500}
    keep: {scores: true}
report: []
"""
PROCESSORS = {
    "this": {},
    "Haswell": {"OPENBLAS_CORETYPE": "Haswell"},
    "Prescott": {"OPENBLAS_CORETYPE": "Prescott"},
    "no AVX-512": {"NPY_DISABLE_CPU_FEATURES": "AVX512F AVX512_SKX X86_V4 AVX512_ICL"},
}
TREES = {"boosted", "trees", "forest"}


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_what_differs_on_other_processors(tmp_path: Path) -> None:
    file = tmp_path / "bits.yaml"
    file.write_text(STUDY)
    command = [sys.executable, "-m", "rankexp", "run", str(file), "-q", "-j", "1", "--results"]
    records, scores = {}, {}
    needed = list(cells(load(file), {}))
    for name, set_ in PROCESSORS.items():
        folder = tmp_path / name
        subprocess.run([*command, str(folder)], env=os.environ | set_, check=True)
        records[name] = Store(folder / "bits").read()
        files = {c.key: path_of(folder / "bits", c.spec.scores_key) for c in needed}
        scores[name] = {key: np.load(kept) for key, kept in files.items()}
    apart: defaultdict[str, float] = defaultdict(float)
    for name in PROCESSORS:
        for cell in needed:
            here, there = scores["this"][cell.key], scores[name][cell.key]
            assert np.array_equal(here["0.test.y"], there["0.test.y"])
            own, other = here["0.test.scores"], there["0.test.scores"]
            if cell.method in TREES:
                assert own.tobytes() == other.tobytes(), (name, cell.method)
            apart[name] = max(apart[name], float(np.abs(own - other).max() / own.std()))
            pairs = zip(records["this"][cell.key].rows, records[name][cell.key].rows, strict=True)
            for one, two in pairs:
                assert one[:5] == two[:5]
                if one.part == "test":
                    assert one.value == two.value, (name, cell.method, one)
                elif one.quantity == "objective":
                    assert one.value == pytest.approx(two.value, rel=1e-12)
    print(len(needed), "records; scores differ by", dict(apart), "standard deviations")
    assert apart.pop("this") == 0 and max(apart.values()) < 1e-12
