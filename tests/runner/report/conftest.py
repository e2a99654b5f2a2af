"""A study with made-up records, so that reports are tested without fitting anything."""

import json
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from program_words import watched

from rankexp import __version__
from rankexp.metrics.metric import parse
from rankexp.runner import plan
from rankexp.runner.analyse.select import Rule
from rankexp.runner.config.schema import Study
from rankexp.runner.grid import Point
from rankexp.runner.plan import DataFacts, PlanCell
from rankexp.runner.report import build
from rankexp.runner.report.context import Context
from rankexp.runner.report.model import Output
from rankexp.runner.report.options import BlockKind
from rankexp.runner.run.record import Record, RecordRow
from rankexp.runner.run.store import Store
from rankexp.runner.spec import SimulateSpec

LAMBDAS = [0.01, 0.1, 1.0]
POINTS = tuple(Point.of({"lam": lam}) for lam in LAMBDAS)
LOSSES = {"exponential": 0.13, "svm_or": 0.12, "logistic": 0.11}

STUDY: dict[str, Any] = {
    "version": 1,
    "study": "made-up",
    "title": "A made-up study",
    "source": "Nobody, Journal of 100 % tests & trials, 2011",
    "seed": 1,
    "data": {
        "vote": {
            "label": "vote_84 & more",
            "source": {"file": "vote.arff"},
            "target": "class",
            "fingerprint": {"rows": 400, "features": 3, "classes": [200, 200]},
        },
        "gone": {"source": {"file": "gone.csv"}, "target": "y", "optional": True},
    },
    "generators": {
        "easy": {"label": "linear, balanced", "generator": "linear", "params": {"p": 0.5}},
        "hard": {"generator": "linear", "params": {"p": 0.9, "rank_risk": 0.05}},
    },
    "methods": {
        name: {
            "lambdas": LAMBDAS,
            "label": name.replace("svm_or", "SVM-OR"),
            "params": {"loss": name},
        }
        for name in LOSSES
    },
    "experiments": {
        "boxes": {
            "problems": ["easy", "hard"],
            "protocol": {
                "kind": "models",
                "models": 5,
                "training_sets": 3,
                "n_train": 10,
                "n_test": 10,
            },
            "methods": list(LOSSES),
        },
        "folds": {
            "problems": ["vote", "gone"],
            "protocol": {"kind": "cross_validation", "repeats": 3, "folds": 2},
            "methods": list(LOSSES),
            "inner": {"folds": 2},
        },
        "once": {
            "problems": ["vote"],
            "protocol": {"kind": "split", "test": 0.5},
            "methods": ["logistic"],
        },
        "tried": {
            "kind": "simulate",
            "check": "flip_noise",
            "grid": {"p": [0.5, 0.9]},
            "repetitions": 4,
        },
    },
    "report": [
        {
            "block": "published_table",
            "name": "table1",
            "experiment": ["folds", "once"],
            "title": "Table 1",
            "text": "What the paper's table says.",
        },
        {
            "block": "boxplots",
            "name": "figure1",
            "experiment": "boxes",
            "options": {"reference": "logistic"},
        },
        {
            "block": "paired_table",
            "name": "differences",
            "experiment": "folds",
            "options": {"reference": "logistic"},
        },
        {
            "block": "simulation_table",
            "name": "flips",
            "experiment": "tried",
            "options": {"expected": {"prior_observed": "prior"}},
        },
        {"block": "chosen_grid", "name": "chosen", "experiment": ["boxes", "folds"]},
        {
            "block": "completeness",
            "name": "completeness",
            "experiment": ["boxes", "folds", "once", "tried"],
        },
    ],
}

PUBLISHED = [
    {
        "experiment": experiment,
        "problem": "vote",
        "method": method,
        "quantity": "rank_loss",
        "value": str(value),
        "last_digit": "0.0001",
        "source": "p. 7, Table 1",
        "verified": "yes",
        "note": "A loose solver.",
    }
    for experiment, method, value in (
        ("folds", "exponential", 0.5),
        ("folds", "logistic", 0.1195),
        ("once", "logistic", 0.12),
    )
]

MANIFEST: dict[str, Any] = {
    "format": 1,
    "published": PUBLISHED,
    "data": {"vote": {"rows": 400, "fingerprint": "f" * 64, "provenance": {"file": "vote.arff"}}},
    "missing_data": {"gone": "looked in data\nrankexp data add gone FILE"},
    "packages": {"numpy": "2.0"},
    "used": {"wall": 12.3, "cpu": 20.0, "memory": 2**28, "jobs": 3, "fits": 4},
}


ROWS: dict[tuple[str, ...], Sequence[RecordRow]] = {}
"""By key, method and place, which decide them."""


def made_up(cell: PlanCell) -> Record:
    """Return a record with a little noise: the best lambda is 0.1, but 1.0 by inner folds."""
    place = (cell.key, cell.method, repr(cell.place))
    if place not in ROWS:
        ROWS[place] = _rows(cell)
    tried = isinstance(cell.spec, SimulateSpec)
    return Record(
        cell.key,
        grid=cell.spec.points if tried else POINTS,
        rows=list(ROWS[place]),
        version=__version__,
    )


def _rows(cell: PlanCell) -> list[RecordRow]:
    rng = np.random.default_rng(int(cell.key[:8], 16))
    if isinstance(cell.spec, SimulateSpec):
        noise = float(rng.normal(0, 0.01))
        p = cell.spec.params["p"]
        return [
            RecordRow("test", 0, None, None, "prior", p),
            RecordRow("test", 0, None, None, "prior_observed", p + noise),
        ]
    base = LOSSES[cell.method] + 0.01 * (cell.place.model or 0) + float(rng.normal(0, 0.001))
    rows = []
    for grid in range(len(LAMBDAS)):
        loss = base + 0.01 * abs(grid - 1)
        rows += [
            RecordRow("test", grid, None, None, "rank_loss", loss),
            RecordRow("inner", grid, None, None, "rank_loss", base - 0.01 * grid),
            RecordRow("train", grid, None, None, "objective", 1.0),
        ]
    if cell.place.model is not None:
        rows.append(
            RecordRow("test", 0, None, None, "rank_loss:bayes", 0.1 + 0.001 * cell.place.model)
        )
    return rows


Change = Callable[[PlanCell, Record], Record | None]


def context(
    study: dict[str, Any] | None = None,
    change: Change | None = None,
    data: Sequence[str] = ("vote",),
) -> Context:
    """Return the made-up study's context; `change` replaces records, or drops them by None."""
    if study is None and change is None and data == ("vote",):
        # What blocks of the study as it stands select of its records is selected once.
        made, (slices, frame) = context(STUDY), _selected()
        made._slices.update(slices)
        made.__dict__["frame"] = frame
        return made
    parsed = Study.model_validate(study or STUDY)
    facts = {name: DataFacts(400, "f" * 64, "") for name in data}
    cells = list(plan.cells(parsed, facts))
    records = {}
    for cell in cells:
        record: Record | None = made_up(cell)
        if change is not None and record is not None:
            record = change(cell, record)
        if record is not None:
            records[cell.key] = record
    return Context(parsed, cells, records, MANIFEST | {"study": parsed.model_dump(mode="json")})


@cache
def _selected() -> tuple[dict[tuple[str, ...], pd.DataFrame], pd.DataFrame]:
    made = context(STUDY)
    for experiment, rule in (("boxes", "oracle"), ("folds", "oracle"), ("folds", "nested")):
        made.units(experiment, parse("rank_loss"), Rule.parse(rule))
    return made._slices, made.frame


def save(made: Context, folder: Path) -> Path:
    """Write manifest and records as a run would."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "manifest.json").write_text(json.dumps(made.manifest), encoding="utf-8")
    store = Store(folder)
    jobs: dict[str, list[Record]] = {}
    for record in made.records.values():
        jobs.setdefault(record.key[:1] * 64, []).append(record)
    for job_key, records in jobs.items():
        store.write(job_key, records)
    return folder


@pytest.fixture(name="make", scope="session")
def _make() -> Callable[..., Context]:
    return context


@pytest.fixture(name="save", scope="session")
def _save() -> Callable[[Context, Path], Path]:
    return save


@pytest.fixture(autouse=True)
def _plain_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fail where a block shows a word of programs."""
    monkeypatch.setattr(BlockKind, "build", watched(BlockKind.build))


@pytest.fixture
def undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pictures are empty files, and their words are not read: tests of blocks read these."""
    monkeypatch.setattr(build, "drawn", lambda _: [("png", b""), ("pdf", b"")])
    monkeypatch.setattr(Output, "figure", property(lambda self: self.chart and Figure()))
