"""Keys and stored records stay what they are: a change here orphans every user's results.

Nothing in ``tests/golden`` is ever edited. A new field of a specification has a default, which its
identity leaves out; a new format of files gets a fixture beside the old ones.
"""

import json
from pathlib import Path

import pytest
import yaml

from rankexp.runner import spec
from rankexp.runner.config.schema import Study
from rankexp.runner.plan import DataFacts, cells
from rankexp.runner.run.store import Store

HERE = Path(__file__).parent / "golden"
FACTS = {name: DataFacts(100, name[0] * 64, "anywhere") for name in ("vote", "ranked")}


def planned() -> dict[str, str]:
    study = Study.model_validate(yaml.safe_load((HERE / "study.yaml").read_text("utf-8")))
    return {
        f"{cell.experiment}/{cell.problem}/{cell.method}/{list(cell.place)}": cell.key
        for cell in cells(study, FACTS)
    }


@pytest.mark.parametrize(("version", "file"), [(2, "keys.json"), (3, "keys-3.json")])
def test_keys_are_what_they_were(version: int, file: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spec, "PROTOCOL_VERSION", version)
    assert planned() == json.loads((HERE / file).read_text("utf-8"))


def test_the_last_keys_are_those_of_today() -> None:
    assert spec.PROTOCOL_VERSION == 3, "add keys of the new version beside the old ones"


def test_stored_records_are_read_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spec, "PROTOCOL_VERSION", 2)
    store = Store(HERE / "records-1")
    found = store.read()
    assert store.problems == []
    assert {key: json.loads(json.dumps(record.to_json())) for key, record in found.items()} == (
        json.loads((HERE / "records-1.json").read_text("utf-8"))
    )
    assert sorted(record.status for record in found.values()) == ["failed", "ok"]
    assert set(found) <= set(planned().values()), "their keys are those of their version"


def test_sealed_records_are_read_for_ever() -> None:
    store = Store(HERE / "sealed-1")
    found = {key: json.loads(json.dumps(r.to_json())) for key, r in store.read().items()}
    assert store.problems == [] and store.sealed == found.keys()
    assert found == json.loads((HERE / "records-1.json").read_text("utf-8"))
