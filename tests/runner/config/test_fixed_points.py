"""A rule that takes a grid point which no method has is an error with its place."""

from pathlib import Path

import pytest

from rankexp.errors import ConfigError
from rankexp.runner.config.load import load

STUDY = """
version: 1
study: s
title: S
seed: 1
generators: {lin: {generator: linear}}
methods: {m: {lambdas: [0.1, 1]}}
experiments:
  e:
    problems: [lin]
    protocol: {kind: models, models: 1, training_sets: 1, n_train: 9, n_test: 9}
    methods: [m]
report:
  - {block: paired_table, name: t, experiment: e, options: {rule: "RULE"}}
"""


def test_points_are_looked_up(tmp_path: Path) -> None:
    file = tmp_path / "s.yaml"
    file.write_text(STUDY.replace("RULE", "fixed:lam=1.0"), encoding="utf-8")
    assert load(file).study == "s"
    file.write_text(STUDY.replace("RULE", "fixed:lam=10"), encoding="utf-8")
    with pytest.raises(ConfigError, match=r"s.yaml:14:.*no method has the grid point lam=10"):
        load(file)
