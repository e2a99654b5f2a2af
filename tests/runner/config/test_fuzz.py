"""The studies that come with the project, altered anywhere: they load, or say where they don't."""

import copy
import json
import random
import re
from pathlib import Path

import pytest

from rankexp.errors import ConfigError
from rankexp.runner.config.load import load
from rankexp.runner.config.tree import parse

FILES = sorted((Path(__file__).parents[3] / "configs").glob("*.yaml"))
VARIANTS = 6
"""Of each study."""
QUICK = {"auc-itself", "boosting-tabarena", "mohri2018"}
"""Fits on data, on other packages' data, and checks of theory: the quickest read of their kind."""
STRANGE = [
    None, True, 0, -1, 1.5, 1e300, 10**25, "", "no such thing", "auc", "é\x85", "a" * 300, [],
    [None], [[1]], [{}], {}, {"a": 1}, {"kind": []}, {"kind": "split"}, ["auc", "auc"],
    "rank_loss(ties={[]})", "pair_risk(costs=1 2 1, ties=worst)", "(" * 500, "ndcg@-1",
    "sklearn.svm.SVC", "os.getpid", "..", "a.b",
]  # fmt: skip


def places(value, path=()):
    """Yield the paths of all values below a value."""
    items = value.items() if isinstance(value, dict) else ()
    items = enumerate(value) if isinstance(value, list) else items
    for key, child in items:
        yield (*path, key)
        yield from places(child, (*path, key))


def altered(study, draw):
    """Return a study with one to three values replaced, removed, renamed or moved."""
    study = copy.deepcopy(study)
    for _ in range(draw.randint(1, 3)):
        known = list(places(study))
        *parents, last = draw.choice(known)
        parent = study
        for part in parents:
            parent = parent[part]
        match draw.randrange(5):
            case 0:
                del parent[last]
            case 1 if isinstance(parent, dict):
                parent[draw.choice(["colour", "kind", "params", str(last) + "s"])] = parent.pop(
                    last
                )
            case 2:
                *others, key = draw.choice(known)
                value = study
                try:
                    for part in [*others, key]:
                        value = value[part]
                except (KeyError, IndexError, TypeError):
                    value = None
                parent[last] = copy.deepcopy(value)
            case _:
                parent[last] = copy.deepcopy(draw.choice(STRANGE))
    return study


@pytest.mark.parametrize(
    "file",
    [pytest.param(f, marks=[pytest.mark.slow] * (f.stem not in QUICK)) for f in FILES],
    ids=[file.stem for file in FILES],
)
def test_an_altered_study_loads_or_says_where_it_is_wrong(file, tmp_path):
    draw = random.Random(file.stem)
    study = parse(file.read_text(encoding="utf-8"))[0].plain()
    there = tmp_path / "study.yaml"
    for turn in range(VARIANTS):
        text = json.dumps(altered(study, draw), ensure_ascii=False, indent=1)
        there.write_text(text, encoding="utf-8")
        try:
            load(there)
        except ConfigError as error:
            for line in str(error).split("\n"):
                assert re.match(rf"{re.escape(str(there))}:\d+:\d+: .", line), (turn, line)
        except BaseException as error:
            raise AssertionError(f"variant {turn}:\n{text}") from error
