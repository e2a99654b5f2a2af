"""Keys and stored records stay what they are: a change here orphans every user's results.

Nothing in ``tests/golden`` is ever edited. A new field of a specification has a default, which its
identity leaves out; a new format of files gets a fixture beside the old ones.
"""

import json
from pathlib import Path

import yaml

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


def test_keys_are_what_they_were() -> None:
    assert planned() == json.loads((HERE / "keys.json").read_text("utf-8"))


def test_stored_records_are_read_for_ever() -> None:
    store = Store(HERE / "records-1")
    found = store.read()
    assert store.problems == []
    assert {key: json.loads(json.dumps(record.to_json())) for key, record in found.items()} == (
        json.loads((HERE / "records-1.json").read_text("utf-8"))
    )
    assert sorted(record.status for record in found.values()) == ["failed", "ok"]
    assert set(found) <= set(planned().values()), "their keys are those of today"
