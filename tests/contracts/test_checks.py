"""What holds for every registered check, run with its defaults: so these are to be quick."""

import inspect
import json

import numpy as np
import pytest

from rankexp import registry

NAMES = pytest.mark.parametrize("name", registry.names("checks"))


@NAMES
def test_declares_its_parameters(name):
    check = registry.get("checks", name)
    rng, *parameters = inspect.signature(check).parameters.values()
    assert rng.name == "rng"
    assert all(p.kind is p.KEYWORD_ONLY and p.default is not p.empty for p in parameters)
    json.dumps({p.name: p.default for p in parameters})
    assert inspect.getdoc(check)


@NAMES
def test_gives_rows_that_the_stream_determines(name):
    check = registry.get("checks", name)
    rows, again = (check(np.random.default_rng(0)) for _ in range(2))
    assert rows
    assert rows == again
    for row in rows:
        assert set(row) <= {"quantity", "value", "group", "step"}
        assert isinstance(row["quantity"], str)
        assert type(row["value"]) is float
    assert json.loads(json.dumps(rows)) == rows
    places = [(row["quantity"], row.get("group"), row.get("step")) for row in rows]
    assert len(set(places)) == len(places)
