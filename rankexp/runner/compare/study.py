"""The study that `compare` runs: a YAML file like any other, ready to be edited."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from rankexp.runner.analyse.one_test_set import KEPT
from rankexp.runner.compare.folder import headed
from rankexp.runner.compare.methods import Offer
from rankexp.runner.compare.question import Question

EXPERIMENT = "compare"
SEED = 1


@dataclass(frozen=True)
class Asked:
    """What was asked of which table.

    `entry` has the options of the data entry beside source, target and levels; `inner` are the
    folds inside each training part, `remarks` what the report says above the answer.
    """

    table: Path
    target: str
    question: Question
    offer: Offer
    entry: Mapping[str, Any]
    margin: float
    inner: int = 3
    test: Path | None = None
    remarks: str = ""

    @property
    def files(self) -> dict[str, Path]:
        """The table's files, as a source has them."""
        found = {"file": self.table, "test": self.test}
        return {key: file.resolve() for key, file in found.items() if file is not None}


def content(
    asked: Asked,
    name: str,
    folder: Path,
    protocol: Mapping[str, Any],
    methods: Mapping[str, Mapping[str, Any]],
) -> dict[str, Any]:
    """Return the study `name` as it is written to `folder`, where paths in it start.

    `methods` are those that are run, their grids as wide as they have become.
    """
    question = asked.question
    problem = "data"
    here = folder.resolve()
    source = {k: Path(os.path.relpath(f, here)).as_posix() for k, f in asked.files.items()}
    levels = {} if question.levels is None else {"levels": question.levels}
    entry = {
        "label": asked.table.name,
        "source": source,
        "target": asked.target,
        **levels,
        **asked.entry,
    }
    strata = {} if question.kind == "continuous" else {"stratified": True}
    contrasts = {p: q for p, q in asked.offer.contrasts.items() if p in methods and q in methods}
    options = {"contrasts": contrasts, "margin": asked.margin}
    return {
        "version": 1,
        "study": name,
        "title": f"{asked.table.name}: does training on pairs help to rank by {asked.target}?",
        "seed": SEED,
        "data": {problem: entry},
        "methods": {name: dict(method) for name, method in methods.items()},
        "experiments": {
            EXPERIMENT: {
                "problems": [problem],
                "methods": list(methods),
                "metrics": [question.metric],
                "protocol": dict(protocol),
                "inner": {"folds": asked.inner, **strata},
                **({"within_groups": False} if "groups" in asked.entry else {}),
                **({} if asked.test is None else {"keep": {"curves": [KEPT]}}),
            }
        },
        "report": [
            _block("pairs_or_points", "answer", "The answer", options, asked.remarks),
            _block("chosen_grid", "chosen", "What was chosen", {"rules": ["nested"]}),
        ],
    }


def _block(
    kind: str, name: str, title: str, options: Mapping[str, Any], text: str = ""
) -> dict[str, Any]:
    said = {"title": title, **({"text": text} if text else {})}
    return {"block": kind, "name": name, **said, "experiment": EXPERIMENT, "options": options}


class _Dumper(yaml.SafeDumper):
    """Mappings of many keys in lines of their own, short lists in one line."""

    def ignore_aliases(self, data: Any) -> bool:
        """Write everything out: a reader should not have to look for an anchor."""
        return True


def _sequence(dumper: yaml.SafeDumper, values: Sequence[Any]) -> yaml.Node:
    plain = all(not isinstance(value, dict) for value in values)
    return dumper.represent_sequence("tag:yaml.org,2002:seq", values, flow_style=plain)


_Dumper.add_representer(list, _sequence)


def text(study: Mapping[str, Any], name: str, results: str) -> str:
    """Return the YAML of a study, headed by how to run the file `name` again."""
    made = yaml.dump(
        study,
        Dumper=_Dumper,
        sort_keys=False,
        width=98,
        allow_unicode=True,
        default_flow_style=False,
    )
    return headed(made, name, results)
