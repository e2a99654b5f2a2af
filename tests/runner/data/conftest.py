import os
from pathlib import Path

import pytest

from rankexp.runner.config.data_entry import DataEntry


@pytest.fixture
def write(tmp_path):
    """Write a small file and return its path."""

    def _write(name, content):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return _write


@pytest.fixture
def entry():
    """Make an entry with what a test cares about."""

    def _entry(**values):
        values = {"source": {"file": "toy.csv"}, "target": "y"} | values
        return DataEntry.model_validate(values)

    return _entry


@pytest.fixture(scope="session")
def real_data():
    folder = os.environ.get("RANKEXP_DATA", "").split(os.pathsep)[0]
    if not folder or not Path(folder).is_dir():
        pytest.skip("RANKEXP_DATA names no folder with the real data files")
    return Path(folder)
