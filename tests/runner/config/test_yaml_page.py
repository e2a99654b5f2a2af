"""Every key has a description; the page of keys is what the schema makes; its examples load."""

import re
import runpy
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from pydantic import ValidationError

from rankexp import registry
from rankexp.runner.config.load import load, schema_json
from rankexp.runner.config.schema import Study

ROOT = Path(__file__).parents[3]
MADE = runpy.run_path(str(ROOT / ".ci" / "yaml_page.py"))
EXAMPLES = MADE["examples"]()
SCHEMA = schema_json()
MODELS = {"Study": SCHEMA, **SCHEMA["$defs"]}
LATER = {"ExpandingWindow"}
"""Of a protocol that may not be there."""


def properties(node: object, path: str = "") -> Iterator[tuple[str, dict]]:
    for key, value in node.items() if isinstance(node, dict) else ():
        if key == "properties":
            yield from ((f"{path}.{name}", one) for name, one in value.items())
        yield from properties(value, f"{path}.{key}")


def merged(base: dict, over: dict) -> dict:
    both = {k: merged(base[k], v) for k, v in over.items() if isinstance(v, dict) and k in base}
    return base | over | both


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the files that examples name."""
    folder = tmp_path_factory.mktemp("yaml")
    (folder / "published").mkdir()
    for end in ("", "-claims"):
        text = (ROOT / f"configs/published/kotlowski2011{end}.csv").read_text("utf-8")
        head = next(line for line in text.splitlines() if not line.startswith("#"))
        (folder / f"published/customers{end}.csv").write_text(head + "\n", "utf-8")
    return folder


def test_every_key_has_a_description() -> None:
    found = list(properties(SCHEMA))
    assert len(found) >= 121
    assert [name for name, one in found if not one.get("description", "").strip()] == []


def test_descriptions_speak_of_yaml_not_of_python() -> None:
    for name, one in properties(SCHEMA):
        assert not re.search(r"\bNone\b|\bself\b|\bTrue\b|\bFalse\b", one["description"]), name
        assert one["description"].rstrip()[-1] in ".?", name


def test_the_page_is_what_the_schema_makes() -> None:
    text = (ROOT / "docs" / "yaml.md").read_text("utf-8")
    assert text == MADE["page"](), "run `make docs-yaml` and commit what it writes"


def test_every_key_of_every_model_is_on_the_page_with_an_example() -> None:
    assert set(MADE["sections"](SCHEMA)) == set(MODELS)
    for name, model in MODELS.items():
        lacks = [k for k in model["properties"] if not re.search(rf"\b{k}:", EXAMPLES[name])]
        assert lacks == [], name


@pytest.mark.parametrize("name", sorted(EXAMPLES.keys() - LATER | EXAMPLES.keys() & MODELS.keys()))
def test_examples_pass_the_check(place: Path, name: str) -> None:
    """Keys that an example leaves out of a list or of a mapping are those of the first study."""
    base = yaml.safe_load(EXAMPLES["base"])
    whole = merged(base, yaml.safe_load(EXAMPLES[name]))
    checks = {one.get("check") for one in whole["experiments"].values()} - {None}
    if not checks <= {*registry.names("checks")}:
        pytest.skip("the wing that has the check is not there")
    file = place / f"{name}.yaml"
    file.write_text(yaml.safe_dump(whole, sort_keys=False), "utf-8")
    study = load(file)
    for profile in study.profiles:
        load(file, profile=profile)


def test_a_wrong_example_does_not_pass(place: Path) -> None:
    whole = merged(yaml.safe_load(EXAMPLES["base"]), {"experiments": {"compare": {"folds": 3}}})
    (place / "wrong.yaml").write_text(yaml.safe_dump(whole), "utf-8")
    with pytest.raises(Exception, match="unknown key 'folds'"):
        load(place / "wrong.yaml")


FRAGMENTS = [
    (page.name, block)
    for page in (*sorted((ROOT / "docs").glob("*.md")), ROOT / "README.md")
    if page.name != "yaml.md"
    for block in re.findall(r"```yaml\n(.*?)```", page.read_text("utf-8"), re.DOTALL)
]


@pytest.mark.parametrize(("page", "block"), FRAGMENTS)
def test_what_other_pages_show_of_a_study_names_keys_that_there_are(page: str, block: str) -> None:
    for text in block.splitlines() if block.startswith("keep:") else [block]:
        shown = yaml.safe_load(text)
        if isinstance(shown, list):
            shown = {"report": shown}
        elif {"protocol", "keep"} & shown.keys():
            shown = {"experiments": {"e": shown}}
        elif "source" in shown:
            shown = {"data": {"d": shown}}
        elif "means" in shown:
            shown = {"report": [{"block": "summary", "name": "summary", "options": shown}]}
        try:
            Study.model_validate(shown)
        except ValidationError as error:  # what a whole study has besides is not shown
            assert [one for one in error.errors() if one["type"] != "missing"] == []


def test_there_are_fragments_and_a_wrong_key_is_seen() -> None:
    assert len(FRAGMENTS) >= 15
    with pytest.raises(AssertionError):
        test_what_other_pages_show_of_a_study_names_keys_that_there_are("", "keep: {score: true}")
