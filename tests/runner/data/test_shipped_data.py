"""Data that come with rankexp: what they are, and what is found before and after them."""

import hashlib
import re
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from rankexp.errors import ConfigError, DataError
from rankexp.runner.config.data_entry import DataEntry
from rankexp.runner.config.load import load
from rankexp.runner.config.shipped import shipped, shipped_data
from rankexp.runner.data.build import first_difference
from rankexp.runner.data.dataset import Feature
from rankexp.runner.data.find import FoundData, add, find

STUDIES = [name for name, file in shipped().items() if "shipped: " in file.read_text("utf-8")]


@cache
def entries(study: str) -> dict[str, DataEntry]:
    """Return the data sets of a study that come with rankexp."""
    named = load(shipped()[study]).data
    return {name: entry for name, entry in named.items() if "shipped" in entry.source}


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: object, **__: object) -> None:
        raise AssertionError("the network was asked")

    monkeypatch.setattr("rankexp.runner.data.origins.remote", never)


def found(name: str, cache: Path, *folders: Path) -> FoundData:
    return find(name, entries("kotlowski2011")[name], folders, cache)


def test_each_file_is_what_its_readme_says() -> None:
    files = shipped_data()
    readme = next(iter(files.values())).with_name("README.md").read_text(encoding="utf-8")
    said = dict(re.findall(r"^\| (\S+)\.arff \|.* \| ([0-9a-f]{64}) \|$", readme, re.M))
    held = {name: hashlib.sha256(file.read_bytes()).hexdigest() for name, file in files.items()}
    assert said == held
    assert len(held) == 9
    assert set(re.findall(r"^- \*\*(\S+)\*\*: \w+, ", readme, re.M)) == set(files)


@pytest.mark.parametrize("study", STUDIES)
def test_studies_find_them_without_files_or_network(study: str, tmp_path: Path) -> None:
    for name, entry in entries(study).items():
        assert entry.fingerprint and entry.fingerprint.sha256
        assert find(name, entry, [tmp_path], tmp_path).where == f"{name}, shipped with rankexp"
    assert study != "kotlowski2011" or set(entries(study)) == set(shipped_data())


def test_a_file_of_the_user_comes_first_and_is_the_same_data(tmp_path: Path) -> None:
    theirs = tmp_path / "vote.arff"
    theirs.write_bytes(shipped_data()["vote"].read_bytes())
    own = found("vote", tmp_path / "cache", tmp_path)
    assert own.where == f"file {theirs}"
    assert own.facts.fingerprint == found("vote", tmp_path / "cache").facts.fingerprint


def test_a_changed_cell_is_named_and_not_masked(tmp_path: Path) -> None:
    lines = shipped_data()["vote"].read_bytes().split(b"\r\n")
    first = lines.index(b"@data") + 1
    cells = lines[first + 4].split(b",")
    cells[1] = b"'y'" if cells[1] == b"'n'" else b"'n'"
    lines[first + 4] = b",".join(cells)
    theirs = tmp_path / "vote.arff"
    theirs.write_bytes(b"\r\n".join(lines))
    wrong = (
        r"'vote' \(file .*\) differs from the declared data set: SHA-256 of the content: declared "
        r"5e0e7a69\w+, found \w+; compared with the copy that rankexp ships, "
        r"column 'water-project-cost-sharing' differs in row 5$"
    )
    with pytest.raises(DataError, match=wrong):
        found("vote", tmp_path / "cache", tmp_path)
    with pytest.raises(DataError, match=wrong):
        add("vote", entries("kotlowski2011")["vote"], theirs, tmp_path / "cache")


def test_what_was_added_by_hand_comes_before_them(tmp_path: Path) -> None:
    theirs = tmp_path / "mine.arff"
    theirs.write_bytes(shipped_data()["haberman"].read_bytes())
    add("haberman", entries("kotlowski2011")["haberman"], theirs, tmp_path / "cache")
    assert found("haberman", tmp_path / "cache").where.endswith("added/haberman/mine.arff")


def test_a_study_copied_elsewhere_finds_them(tmp_path: Path) -> None:
    for file in ("kotlowski2011.yaml", "published/kotlowski2011.csv"):
        target = tmp_path / file
        target.parent.mkdir(exist_ok=True)
        target.write_bytes((shipped()["kotlowski2011"].parent / file).read_bytes())
    claims = "published/kotlowski2011-claims.csv"
    (tmp_path / claims).write_bytes((shipped()["kotlowski2011"].parent / claims).read_bytes())
    study = load(tmp_path / "kotlowski2011.yaml")
    assert study.folder == tmp_path
    assert find("colic", study.data["colic"], [tmp_path], tmp_path / "cache").facts.rows == 368


def test_a_wrong_declaration_is_not_blamed_on_the_data(tmp_path: Path) -> None:
    look = {"rows": 435, "features": 16, "missing": 391}
    given = entries("kotlowski2011")["vote"].model_dump() | {"fingerprint": look}
    with pytest.raises(DataError, match=r"missing cells: declared 391, found 392$"):
        find("vote", DataEntry(**given), [], tmp_path)
    (tmp_path / "party.csv").write_text("u,party\n1,a\n2,b\n3,a\n")
    other = given | {"source": {"file": "party.csv", "shipped": "vote"}, "target": "party"}
    with pytest.raises(DataError, match=r"party\.csv\).*: rows: declared 435, found 3; features"):
        find("vote", DataEntry(**other | {"levels": ["a", "b"]}), [tmp_path], tmp_path)


def test_a_hash_has_64_digits() -> None:
    with pytest.raises(ValueError, match="must be 64 digits and letters a to f, got 3 characters"):
        DataEntry(
            source={"file": "a"},
            target="y",
            fingerprint={"rows": 1, "features": 1, "sha256": "abc"},
        )


def test_a_name_that_is_not_among_them(tmp_path: Path) -> None:
    entry = DataEntry(source={"shipped": "votes"}, target="Class", levels=["a", "b"])
    with pytest.raises(
        DataError, match=r"does not ship a data set 'votes' \(did you mean 'vote'\?\); it"
    ):
        find("votes", entry, [], tmp_path)


def test_the_first_difference(tmp_path: Path) -> None:
    data = found("haberman", tmp_path).dataset
    X, y = data.X.copy(), data.y.copy()
    X[[3, 7], 0] += 1
    assert first_difference(replace(data, X=X), data) == (
        f"column '{data.features[0].name}' differs in 2 rows, first in row 4"
    )
    y[11] = 1 - y[11]
    assert first_difference(replace(data, y=y), data) == "target differs in row 12"
    renamed = (Feature("age of patient"), *data.features[1:])
    assert "'age of patient' is where" in first_difference(replace(data, features=renamed), data)
    year = data.features[1]
    turned = replace(year, categories=year.categories[::-1])
    mixed = (data.features[0], turned, data.features[2])
    assert "a different order" in first_difference(replace(data, features=mixed), data)
    assert first_difference(data, data) == ""
    fewer = replace(data, X=X[1:], y=y[1:])
    assert first_difference(fewer, data) == "the number of rows or columns differs"
    assert np.isfinite(data.X).all()


def test_verified_names_a_source(tmp_path: Path) -> None:
    text = shipped()["example-own-data"].read_text(encoding="utf-8")
    text = text.replace("target: left", "verified: [openml], target: left")
    (tmp_path / "study.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(
        ConfigError, match="'openml' is not a source of this data set; its sources: file"
    ):
        load(tmp_path / "study.yaml")
