"""The table of what is gained in training: which value is subtracted from which."""

from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest

from rankexp.studies.auc_itself.blocks import training_gains
from rankexp.studies.auc_itself.blocks.training_gains import KEYS, TrainingGains

KEPT = {"start_auc_": [0.7, 0.8], "training_auc_": [0.75, 0.95], "n_sweeps_": [2.0, 4.0]}


def rows(method: str, values: list[float]) -> pd.DataFrame:
    made = dict.fromkeys(KEYS, 0) | {"problem": "p", "method": method}
    return pd.DataFrame([made | {"fold": i, "value": value} for i, value in enumerate(values)])


def test_gains_are_after_less_before_and_own_less_the_start(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    both = pd.concat([rows("itself", [0.6, 0.7]), rows("logistic", [0.65, 0.72])])
    monkeypatch.setattr(TrainingGains, "chosen", lambda *_: both)
    context: Any = SimpleNamespace(scores=lambda _, name, part: rows("itself", KEPT[name]))
    block = TrainingGains.model_validate({"method": "itself", "reference": "logistic"})
    (found,) = block._means(context, "sets").itertuples()
    assert (found.before, found.after, found.sweeps) == pytest.approx((0.75, 0.85, 3.0))
    assert (found.gain, found.least, found.largest) == pytest.approx((0.1, 0.05, 0.15))
    assert found.test == pytest.approx(-0.035)
    assert training_gains.REGISTER == {"training_gains": "TrainingGains"}
