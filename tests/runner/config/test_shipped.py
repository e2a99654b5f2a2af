"""The studies that come with the project, and their published values."""

import csv
import json
import re
from functools import cache
from pathlib import Path

import pytest

from rankexp.runner.config.claims import UNTESTED, parsed, rows_of
from rankexp.runner.config.load import _studies, load, schema_json
from rankexp.runner.config.schema import Evaluate, Study
from rankexp.runner.config.tree import parse

FOLDER = Path(__file__).parents[3] / "configs"
CONFIGS = sorted(FOLDER.glob("*.yaml"))
PUBLISHED = sorted(
    file for file in (FOLDER / "published").glob("*.csv") if "-claims" not in file.name
)


@cache
def studies(file):
    """Return the study and its profiles: `load` reads and checks them all and returns one."""
    tree, faults = parse(file.read_text(encoding="utf-8"))
    made, more = _studies(tree, file.parent, set())
    assert not faults + more
    return made


@pytest.mark.parametrize("file", CONFIGS, ids=lambda file: file.stem)
def test_it_loads_and_survives_a_manifest(file):
    assert {None, "quick"} <= studies(file).keys()
    for study in studies(file).values():
        dumped = json.loads(json.dumps(study.model_dump(mode="json"), allow_nan=False))
        again = Study.model_validate(dumped)
        assert again.model_dump() == study.model_dump()


SUMMARISED = [file for file in CONFIGS if "block: summary" in file.read_text(encoding="utf-8")]


@pytest.mark.parametrize("file", SUMMARISED, ids=lambda file: file.stem)
@pytest.mark.parametrize("profile", [None, "quick"])
def test_a_page_begins_with_its_summary_and_shows_little(file, profile):
    head, *others = studies(file)[profile].report
    assert head.block == "summary" and not head.aside
    assert len([block for block in others if not block.aside]) <= 10
    told = [
        own["block"]
        for key in ("why", "means")
        for own in head.options.get(key, [])
        if "block" in own
    ]
    assert {*told, *head.options.get("reproduced", [])} <= {block.name for block in others}
    assert head.options["asked"] and head.options["means"]


RUNS = sorted((FOLDER.parent / "results" / "reference").glob("*/run.md"))


@pytest.mark.parametrize("run", RUNS, ids=lambda file: file.parent.name)
def test_a_committed_page_is_read_in_two_minutes(run):
    page = (run.parent / "report.md").read_text(encoding="utf-8")
    assert len(page.splitlines()) < 200
    _, head, *rest = page.split("\n## ")
    said = [line for line in head.splitlines() if line.startswith("**")]
    compared = ["Reproduced", "Not reproduced"]
    leads = ["Asked", "Answer", "What was run", *compared * (run.parent.name != "boosting")]
    assert [line[2:].partition(".**")[0] for line in said] == leads
    texts = [line.partition(".** ")[2] for line in said]
    counts = [
        len(part.split())
        for text in texts
        for part in re.split(r"(?<=[a-z0-9%)])\. (?=[A-Z])", text)
    ]
    assert max(counts) <= 64, counts
    assert max(len(text.split()) for text in texts) <= 160
    assert "nothing is known" not in head
    rows = [line for part in rest for line in part.splitlines() if line.startswith("| ")]
    seen = [re.sub(r"(; )?see \[.*?\]\(\S+?\)", "", row) for row in rows]  # links are passed over
    seen = [re.sub(r"\]\(\S+?\)", "]", row) for row in seen]  # a link is its words
    assert max(map(len, seen)) <= 205


@pytest.mark.parametrize("file", CONFIGS, ids=lambda file: file.stem)
def test_links_of_claims_lead_to_files(file):
    study, reference = studies(file)[None], FOLDER.parent / "results" / "reference"
    for row in map(parsed, rows_of(study) or []):
        for link in row.see:
            place = link if "/" in link else f"{study.study}/{link}"
            assert (reference / f"{place}.md").is_file(), f"{study.claims}:{row.line}: {link}"


def test_what_is_not_tested_for_being_a_theorem_says_where_it_is_tested_if_anywhere():
    told = [
        row.see or re.search(r"\bnot tested\b|tests\b|not measured", row.note)
        for file in CONFIGS
        for row in map(parsed, rows_of(studies(file)[None]) or [])
        if row.test == UNTESTED and "theorem" in row.note
    ]
    assert len(told) >= 5 and all(told)


def test_the_readme_shows_the_head_of_a_committed_page():
    (page,) = (run.parent / "report.md" for run in RUNS if run.parent.name == "kotlowski2011")
    lines = page.read_text(encoding="utf-8").splitlines()
    said = [line for line in lines if line.startswith("**")][:5]
    readme = " ".join((FOLDER.parent / "README.md").read_text(encoding="utf-8").split())
    assert len(said) == 5 and all(line in readme for line in said)


@pytest.mark.parametrize("file", CONFIGS, ids=lambda file: file.stem)
def test_quick_needs_neither_network_nor_other_files(file):
    study = studies(file)["quick"]
    for experiment in study.experiments.values():
        problems = experiment.problems if isinstance(experiment, Evaluate) else []
        for name in set(problems) & study.data.keys():
            source = study.data[name].source
            assert "sklearn" in source or (FOLDER / str(source["file"])).is_file()
    assert study.report


@pytest.mark.parametrize("file", PUBLISHED, ids=lambda file: file.stem)
def test_published_values_are_printed_numbers_with_a_source(file):
    with file.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    for row in rows:
        steps = float(row["value"]) / float(row["last_digit"])
        assert abs(steps - round(steps)) < 1e-6
        assert row["source"]
        assert row["verified"] in {"true", "false"}


def test_table_1_of_kotlowski2011_is_whole():
    with (FOLDER / "published" / "kotlowski2011.csv").open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    assert len(rows) == 33
    sums = {
        method: sum(round(float(row["value"]) * 10_000) for row in rows if row["method"] == method)
        for method in ("exponential", "svm-or", "logistic")
    }
    assert sums == {"exponential": 16621, "svm-or": 16100, "logistic": 16767}


def test_the_table_of_menon2014_is_whole():
    with (FOLDER / "published" / "menon2014.csv").open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    assert len(rows) == 70
    sums: dict[str, float] = {}
    for row in rows:
        sums[row["quantity"]] = sums.get(row["quantity"], 0.0) + float(row["value"])
    assert list(sums.values()) == [80.25, 101.25, 105.0, 100.0, 51.25]


def test_the_large_sets_are_split_as_printed():
    study = load(FOLDER / "kotlowski2011.yaml")
    rows = study.data["covtype"].fingerprint.rows
    held = round(rows * study.experiments["covtype"].protocol.test)
    assert (rows - held, held) == (522_911, 58_101)
    held = study.data["kdd04"].fingerprint.rows * study.experiments["kdd04"].protocol.test
    assert held == pytest.approx(20_000)


def test_equal_rows_are_not_parted_where_they_would_flatter_trees():
    study = studies(FOLDER / "clemencon2017.yaml")[None]
    assert study.experiments["real"].protocol.together == "duplicates"


def test_schema_knows_every_key_of_the_shipped_studies():
    schema = schema_json()
    assert schema["properties"].keys() == Study.model_fields.keys()
    assert schema["additionalProperties"] is False
    json.dumps(schema)
