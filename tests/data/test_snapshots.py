import numpy as np
import pytest

from rankexp.data import snapshot
from rankexp.data.dataset import Dataset, Feature, Table
from rankexp.errors import DataError, EnvironmentProblemError

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
    original = Table("t", FEATURES, np.array([[1.5, 0], [np.nan, 1]]), {"id": 15})
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
    snapshot.write_table(Table("t", FEATURES, np.ones((2, 2))), tmp_path / "t.npz")
    with pytest.raises(DataError, match="is not a dataset"):
        snapshot.read_dataset(tmp_path / "t.npz")
    with pytest.raises(DataError, match="does not exist"):
        snapshot.read_dataset(tmp_path / "none.npz")


def test_a_failed_write_leaves_what_was_there(tmp_path):
    path = tmp_path / "f"
    snapshot.write_atomically(path, lambda file: file.write(b"old"))

    def full(file):
        file.write(b"new")
        raise OSError(28, "No space left on device")

    with pytest.raises(EnvironmentProblemError, match="No space left on device"):
        snapshot.write_atomically(path, full)
    assert path.read_bytes() == b"old"
    assert [p.name for p in tmp_path.iterdir()] == ["f"]


def test_a_folder_that_cannot_be_made(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(EnvironmentProblemError, match="RANKEXP_CACHE"):
        snapshot.write_atomically(tmp_path / "file" / "f", lambda file: None)
