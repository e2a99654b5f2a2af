"""Each statement of the sources is answered: by a row of a ledger, an experiment, or a page.

items_of_sources.csv lists what the five sources and LETOR state, claim, draw and print, in our
words, as two reviews listed it. Its places are parted by semicolons: `claim STUDY/NAME`,
`experiment STUDY/NAME`, `block STUDY/NAME`, `PAGE.md#words` and `TEST.py::name`. What only a test
stands for has a sentence why no study tests it.
"""

import csv
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import yaml

PROJECT = Path(__file__).parents[2]
FOLDER = PROJECT / "configs"
LEAST = {  # statements of each source
    "kotlowski2011": 37,
    "menon2014": 29,
    "mohri2018": 33,
    "clemencon2017": 23,
    "uematsu2010": 21,
    "letor-ohsumed": 9,
}
LEDGERS = [*LEAST, "kotlowski2011-theory"]
UNTESTED = 7  # rows of a ledger without a test, at most


def items() -> list[dict[str, str]]:
    with Path(__file__).with_name("items_of_sources.csv").open(encoding="utf-8") as lines:
        return list(csv.DictReader(lines))


def places(item: dict[str, str]) -> Iterator[str]:
    for place in item["places"].split(";"):
        yield place.strip()


@cache
def ledger(study: str) -> pd.DataFrame:
    file = FOLDER / "published" / f"{study}-claims.csv"
    return pd.read_csv(file, comment="#", keep_default_na=False, dtype=str)


@cache
def config(study: str) -> dict[str, Any]:
    """The YAML as it is read, without checks: names alone are looked up in it."""
    text = (FOLDER / f"{study}.yaml").read_text(encoding="utf-8")
    read: dict[str, Any] = yaml.load(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    return read


@cache
def words(path: str) -> str:
    file = PROJECT / path
    return " ".join(file.read_text(encoding="utf-8").split()) if file.is_file() else ""


def is_there(place: str) -> bool:
    """Whether a place exists: a claim has words, and a test or a note why there is none."""
    if "::" in place:
        path, _, name = place.partition("::")
        return f"def {name}(" in words(path)
    if "#" in place:
        path, _, said = place.partition("#")
        return bool(said) and said in words(path)
    kind, _, rest = place.partition(" ")
    study, _, name = rest.partition("/")
    if not (FOLDER / f"{study}.yaml").is_file():
        return False
    if kind == "claim":
        rows = ledger(study)
        own = rows[rows["claim"] == name]
        return bool(len(own)) and bool(own["words"].iloc[0]) and answered(own)
    if kind == "experiment":
        return name in config(study)["experiments"]
    return kind == "block" and any(own.get("name") == name for own in config(study)["report"])


def answered(rows: pd.DataFrame) -> bool:
    """Whether each row of a claim has a test with an experiment, or the first a note."""
    untested = rows["test"] == "not tested"
    return bool((rows.loc[~untested, "experiment"] != "").all()) and (
        not untested.any() or bool(rows["note"].iloc[0])
    )


@pytest.mark.parametrize("study", LEAST)
def test_each_statement_is_answered_at_a_place_that_exists(study):
    own = [item for item in items() if item["source"] == study]
    assert len(own) == LEAST[study]
    assert len({item["item"] for item in own}) == len(own)
    gone = [place for item in own for place in places(item) if not is_there(place)]
    assert not gone


def test_what_only_a_test_or_a_page_stands_for_says_why():
    loose = [
        item["item"]
        for item in items()
        if not item["why"].endswith(".") and all(".py::" in place for place in places(item))
    ]
    assert not loose


@pytest.mark.parametrize("study", LEDGERS)
def test_each_claim_of_a_ledger_is_of_a_statement(study):
    """A row that no statement of the list leads to would show that the list lacks one."""
    named = {place for item in items() for place in places(item)}
    rows = ledger(study)
    first = rows.groupby("claim", sort=False).first()
    mine = {f"claim {study}/{claim}" for claim in first.index}
    assert mine <= named
    assert (first["words"] != "").all()
    untested = first[first["test"] == "not tested"]
    assert (untested["note"] != "").all()
    assert len(untested) <= UNTESTED
    assert (rows.loc[rows["test"] != "not tested", "experiment"] != "").all()


@pytest.mark.parametrize(
    "place",
    [
        "claim menon2014/no such claim",
        "claim no-such-study/push",
        "experiment mohri2018/nowhere",
        "block mohri2018/nowhere",
        "docs/errata.md#no such words",
        "docs/nowhere.md#words",
        "tests/metrics/test_bipartite.py::test_nothing",
        "push",
    ],
)
def test_a_place_that_is_not_there_is_seen(place):
    assert not is_there(place)
