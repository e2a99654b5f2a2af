"""What a method says or scores reaches nobody's terminal or table as anything but words."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import toys

from rankexp.runner.cli import main
from rankexp.runner.data.build import inspect_table
from rankexp.runner.run.execute import execute
from rankexp.runner.run.store import Store


class Rings(toys.MeanDifference):
    def fit(self, X: Any, y: Any) -> "Rings":
        raise ValueError("a\ud800b\x1b[31mred\0\x07\x9b2J\u2028c")


class Complex(toys.MeanDifference):
    def predict(self, X: Any) -> Any:
        return super().predict(X) + 1j


class ComplexDecisions(Complex):
    def decision_function(self, X: Any) -> Any:
        return self.predict(X)


class ComplexChances(Complex):
    def predict_proba(self, X: Any) -> Any:
        return np.column_stack([self.predict(X), self.predict(X)])


def test_messages_hold_nothing_that_a_terminal_obeys(tmp_path: Path) -> None:
    study = toys.study({"rings": {"estimator": "test_hostile_words.Rings"}})
    outcome = execute(study, results=tmp_path, workers=1, quiet=True)
    (failed,) = [line for line in outcome.messages if "ValueError" in line]
    assert failed.endswith("ValueError: a\\ud800b�[31mred���2J")
    assert not [sign for line in outcome.messages for sign in line if ord(sign) < 32]


def test_complex_scores_are_refused_by_name(tmp_path: Path) -> None:
    names = ("Complex", "ComplexDecisions", "ComplexChances")
    own = {name.lower(): {"estimator": f"test_hostile_words.{name}"} for name in names}
    study = toys.study({"good": "MeanDifference", **own})
    outcome = execute(study, results=tmp_path, workers=1, quiet=True)
    records = Store(outcome.folder).read().values()
    failed = [r.reason for r in records if r.status == "failed"]
    assert len(failed) == 3 * (len(records) // 4)
    assert set(failed) == {
        "ValueError: scores are complex numbers, which have no order: give their real part"
    }


def test_errors_and_readings_of_strange_names_are_printed_safely(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["rankexp", "check", str(tmp_path / "\x1b[31mno.yaml")])
    with pytest.raises(SystemExit):
        main()
    assert "�[31mno.yaml: no such file" in capsys.readouterr().err
    path = tmp_path / "t.csv"
    path.write_text("a\x1b[31m,y\n" + "".join(f"2024-01-{i:02d},{i % 2}\n" for i in range(1, 20)))
    assert "\x1b" not in inspect_table(path).text()
