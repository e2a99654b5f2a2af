"""Every registered data source keeps the contract that plug-ins have, too."""

from pathlib import Path

import pytest

from rankexp import registry
from rankexp.testing import check_source

REFERENCES = {
    "file": "example.csv",
    "sklearn": "iris",
    "letor": {"S1": "example.letor"},
    "shipped": "vote",
    "package": "rankexp_sets/example",
}
CONFIGS = Path(__file__).parents[2] / "configs"
NETWORK = {"openml", "url"}  # tests/runner/data has a server for them


@pytest.mark.parametrize("name", sorted(set(registry.names("data.sources")) - NETWORK))
def test_keeps_its_contract(name, tmp_path, monkeypatch):
    (tmp_path / "rankexp_sets").mkdir()
    (tmp_path / "rankexp_sets" / "example.csv").write_text("a,b\n1,2\n")
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "example.letor").write_text("1 qid:7 1:0.5 3:NULL\n0 qid:7 2:-1 # a comment\n")
    check_source(name, REFERENCES[name], [CONFIGS, tmp_path])
