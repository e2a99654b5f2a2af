"""One run checks each variant of a study once and makes its cells once."""

from pathlib import Path

import pytest

from rankexp.runner import cli, plan
from rankexp.runner.config.schema import Study

STUDY = """
version: 1
study: small
title: Small
seed: 1
generators: {lin: {generator: linear, params: {d: 2}}}
methods: {log: {lambdas: [1.0]}}
experiments:
  e:
    problems: [lin]
    protocol: {kind: models, models: 2, training_sets: 2, n_train: 20, n_test: 30}
    methods: [log]
report:
  - {block: paired_table, name: table1, experiment: e}
"""


def test_a_walk_from_the_file_to_a_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "s.yaml").write_text(STUDY, encoding="utf-8")
    counts = {"validated": 0, "planned": 0}
    validate, cells = Study.model_validate, plan.cells

    def counted_validate(*given, **options):  # type: ignore[no-untyped-def]
        counts["validated"] += 1
        return validate(*given, **options)

    def counted_cells(*given, **options):  # type: ignore[no-untyped-def]
        counts["planned"] += 1
        return cells(*given, **options)

    monkeypatch.setattr(Study, "model_validate", counted_validate)
    for module in ("rankexp.runner.plan", "rankexp.runner.run.prepare"):
        monkeypatch.setattr(f"{module}.cells", counted_cells)
    arguments = ["run", str(tmp_path / "s.yaml"), "--results", str(tmp_path), "-j", "1"]
    with pytest.raises(SystemExit) as stopped:
        cli.app(args=arguments)
    assert stopped.value.code == 0
    assert "rank loss" in capsys.readouterr().out
    assert (tmp_path / "small" / "table1.md").is_file()
    assert counts == {"validated": 1, "planned": 1}
