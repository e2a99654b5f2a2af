import json
import os
import tokenize

import numpy as np
import pytest

from rankexp.errors import DataError
from rankexp.runner.data import snapshot
from rankexp.runner.data.dataset import Dataset, DataTable, Feature

FEATURES = (Feature("a"), Feature("b", "nominal", ("ü", "v")))


def dataset(**changes):
    values = {
        "name": "toy",
        "X": np.array([[1.5, 0], [np.nan, 1]]),
        "y": np.array([0, 1]),
        "features": FEATURES,
        "levels": ("lo", "hi"),
        "groups": np.array([3, 4]),
        "provenance": {"source": "hand", "n": [1, 2]},
    }
    return Dataset(**(values | changes))


@pytest.mark.parametrize(
    "changes", [{}, {"groups": None}, {"levels": None, "y": np.array([0.5, 2.0])}]
)
def test_a_data_set_comes_back(tmp_path, changes):
    original = dataset(**changes)
    path = tmp_path / "deep" / "toy.npz"
    snapshot.write_dataset(original, path)
    found = snapshot.load_snapshot(str(path))
    np.testing.assert_array_equal(found.X, original.X)
    np.testing.assert_array_equal(found.y, original.y)
    assert found.y.dtype == original.y.dtype
    assert (found.features, found.levels) == (original.features, original.levels)
    assert found.provenance == original.provenance
    assert found.fingerprint == original.fingerprint
    assert (found.groups is None) == (original.groups is None)
    assert [p.name for p in path.parent.iterdir()] == ["toy.npz"]
    assert snapshot.load_snapshot(str(path)) is found


def test_a_table_comes_back(tmp_path):
    original = DataTable("t", FEATURES, np.array([[1.5, 0], [np.nan, 1]]), {"id": 15})
    snapshot.write_table(original, tmp_path / "t.npz")
    found = snapshot.read_table(tmp_path / "t.npz")
    assert (found.name, found.columns, found.provenance) == ("t", FEATURES, {"id": 15})
    np.testing.assert_array_equal(found.values, original.values)


@pytest.mark.parametrize("where", ["start", "middle", "end", "cut", "emptied", "foreign"])
def test_damage_is_told(tmp_path, where):
    path = tmp_path / "toy.npz"
    snapshot.write_dataset(dataset(X=np.arange(40.0).reshape(20, 2), y=np.arange(20) % 2), path)
    raw = bytearray(path.read_bytes())
    at = {"start": 0, "middle": raw.find(np.float64(17).tobytes()), "end": len(raw) - 8}
    if where in at:
        raw[at[where] + 1 : at[where] + 8] = b"\xff" * 7
    raw = {"cut": raw[:-50], "emptied": b"", "foreign": b"hello"}.get(where, raw)
    path.write_bytes(raw)
    with pytest.raises(DataError, match="snapshot"):
        snapshot.read_dataset(path)


def test_altered_content_is_told_though_the_file_is_whole(tmp_path):
    snapshot.write_dataset(dataset(), tmp_path / "toy.npz")
    with np.load(tmp_path / "toy.npz") as file:
        arrays = dict(file)
    arrays["y"] = arrays["y"][::-1]
    np.savez(tmp_path / "toy.npz", **arrays)
    with pytest.raises(DataError, match="is damaged"):
        snapshot.read_dataset(tmp_path / "toy.npz")


def test_a_table_is_no_data_set(tmp_path):
    snapshot.write_table(DataTable("t", FEATURES, np.ones((2, 2))), tmp_path / "t.npz")
    with pytest.raises(DataError, match="is not a dataset"):
        snapshot.read_dataset(tmp_path / "t.npz")
    with pytest.raises(DataError, match="does not exist"):
        snapshot.read_dataset(tmp_path / "none.npz")


def rewritten(path, **changes):
    with np.load(path) as file:
        arrays = dict(file)
    np.savez(path, **(arrays | changes))


def as_head(head):
    return np.frombuffer(json.dumps(head).encode(), dtype=np.uint8)


def compressed_otherwise(path):
    raw = bytearray(path.read_bytes())
    at = raw.find(b"PK\x01\x02")  # the first entry of the directory
    raw[at + 10] = raw[8] = 99  # a method that there is not
    path.write_bytes(raw)


def encrypted(path):
    raw = bytearray(path.read_bytes())
    at = raw.find(b"PK\x01\x02")
    raw[at + 8] |= 1
    raw[6] |= 1
    path.write_bytes(raw)


ALTERED = {
    "compression": compressed_otherwise,
    "encrypted": encrypted,
    "no array": lambda path: np.savez(path, head=as_head({"format": 1, "kind": "dataset"})),
    "deep head": lambda path: rewritten(path, head=np.frombuffer(b"[" * 100_000, dtype=np.uint8)),
    "head no mapping": lambda path: rewritten(path, head=as_head([1])),
    "features": lambda path: rewritten(
        path, head=as_head({"format": 1, "kind": "dataset", "levels": 3, "features": None})
    ),
    "text": lambda path: rewritten(path, X=np.array(["a", "b"])),
}


@pytest.mark.parametrize("case", ALTERED)
def test_whatever_a_snapshot_holds_the_file_is_named(tmp_path, case):
    path = tmp_path / "toy.npz"
    snapshot.write_dataset(dataset(), path)
    ALTERED[case](path)
    with pytest.raises(DataError, match=r"snapshot .*toy\.npz"):
        snapshot.read_dataset(path)


@pytest.mark.parametrize("error", [NotImplementedError, tokenize.TokenError, MemoryError])
def test_whatever_numpy_raises_the_file_is_named(tmp_path, monkeypatch, error):
    def load(*_, **__):
        raise error("no")

    monkeypatch.setattr(np, "load", load)
    with pytest.raises(DataError, match=rf"toy\.npz cannot be read: {error.__name__}: no"):
        snapshot.read_dataset(tmp_path / "toy.npz")


def test_others_may_read_a_snapshot(tmp_path):
    before = os.umask(0o022)
    try:
        snapshot.write_dataset(dataset(), tmp_path / "toy.npz")
    finally:
        os.umask(before)
    assert (tmp_path / "toy.npz").stat().st_mode & 0o777 == 0o644
