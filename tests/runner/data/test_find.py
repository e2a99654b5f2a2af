import subprocess
import sys
from inspect import signature
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest

from rankexp import registry
from rankexp.errors import DataError, EnvironmentProblemError
from rankexp.runner.data import find as finding
from rankexp.runner.data.dataset import DataTable, Feature
from rankexp.runner.data.find import add, cache_folder, find, listing, load_snapshot, verify
from rankexp.runner.data.origins import added_folder
from rankexp.runner.data.sources import asks_network

TOY = "a,colour,y\n1,red,no\n2,?,yes\n3,blue,no\n"
DECLARED = {
    "levels": ["no", "yes"],
    "fingerprint": {"rows": 3, "features": 2, "classes": [2, 1], "missing": 1},
}


@pytest.fixture
def place(tmp_path):
    """Make a folder with the toy file, and the path of a cache that does not exist yet."""
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "toy.csv").write_text(TOY)
    return folder, tmp_path / "cache"


@pytest.fixture
def no_network(monkeypatch):
    """Let OpenML answer with what a test puts here; nothing is sent."""
    answers = {}

    def ask(reference, entry, folders):
        if reference not in answers:
            raise DataError(f"OpenML {reference}: cannot be reached (ConnectionError)")
        return answers[reference]

    ask.network = True
    real = registry.get
    monkeypatch.setattr(
        registry, "get", lambda room, name: ask if name == "openml" else real(room, name)
    )
    return answers


def test_a_file_of_the_folder(place, entry):
    folder, cache = place
    found = find("toy", entry(**DECLARED), [folder], cache)
    assert found.where == f"file {folder / 'toy.csv'}"
    assert found.facts.rows == 3
    assert found.facts.fingerprint == found.dataset.fingerprint
    loaded = load_snapshot(found.facts.snapshot)
    assert loaded.fingerprint == found.facts.fingerprint
    assert loaded.features[1] == Feature("colour", "nominal", ("blue", "red"))
    assert loaded.provenance["file"] == "toy.csv"
    assert len(loaded.provenance["sha256"]) == 64


def test_the_first_folder_counts_and_compressed_copies_too(place, entry, tmp_path):
    import gzip

    folder, cache = place
    first = tmp_path / "first"
    first.mkdir()
    (first / "toy.csv.gz").write_bytes(gzip.compress(TOY.replace("1", "7").encode()))
    found = find("toy", entry(**DECLARED), [first, folder], cache)
    assert found.where.endswith("first/toy.csv.gz")
    assert found.dataset.X[0, 0] == 7


def test_an_absolute_path(place, entry):
    folder, cache = place
    found = find("toy", entry(**DECLARED, source={"file": str(folder / "toy.csv")}), [], cache)
    assert found.where == f"file {folder / 'toy.csv'}"


def test_sources_are_found_by_name():
    assert {"file", "openml", "sklearn"} <= set(registry.names("data.sources"))
    for name in registry.names("data.sources"):
        assert list(signature(registry.get("data.sources", name)).parameters) == [
            "reference",
            "entry",
            "folders",
        ]


def test_a_second_time_nothing_is_read(place, entry, monkeypatch):
    folder, cache = place
    first = find("toy", entry(**DECLARED), [folder], cache)
    monkeypatch.setattr(finding, "build", None)
    again = find("toy", entry(**DECLARED), [folder], cache)
    assert again.facts == first.facts


def test_other_content_or_another_entry_is_read_anew(place, entry):
    folder, cache = place
    facts = [find("toy", entry(**DECLARED), [folder], cache).facts]
    facts.append(find("toy", entry(**DECLARED, nominal=["a"]), [folder], cache).facts)
    (folder / "toy.csv").write_text(TOY.replace("3", "4"))
    facts.append(find("toy", entry(**DECLARED), [folder], cache).facts)
    assert len({f.fingerprint for f in facts}) == len({f.snapshot for f in facts}) == 3


def test_an_earlier_snapshot_does_not_hide_weights_declared_since(place, entry):
    folder, cache = place
    for weights in (None, "a"):
        found = find("toy", entry(levels=["no", "yes"], weights=weights), [folder], cache)
        assert (found.dataset.weights is None) == (weights is None)


@pytest.mark.parametrize("damage", [b"", b"hello", None])
def test_a_damaged_snapshot_is_made_anew(place, entry, damage):
    folder, cache = place
    facts = find("toy", entry(**DECLARED), [folder], cache).facts
    (path,) = (cache / "snapshots").iterdir()
    raw = path.read_bytes()
    path.write_bytes(raw[:-40] if damage is None else damage)
    again = find("toy", entry(**DECLARED), [folder], cache)
    assert again.facts == facts
    assert load_snapshot(again.facts.snapshot).fingerprint == facts.fingerprint


def test_other_data_under_the_same_name(place, entry):
    folder, cache = place
    (folder / "toy.csv").write_text(TOY + "4,?,yes\n")
    with pytest.raises(DataError) as caught:
        find("toy", entry(**DECLARED), [folder], cache)
    assert str(caught.value) == (
        f"data set 'toy' (file {folder / 'toy.csv'}) differs from the declared data set: "
        "rows: declared 3, found 4; classes: declared [2, 1], found [2, 2]; "
        "missing cells: declared 1, found 2"
    )


def test_a_changed_declaration_is_held_against_the_snapshot_too(place, entry):
    folder, cache = place
    find("toy", entry(**DECLARED), [folder], cache)
    wrong = DECLARED | {"fingerprint": {"rows": 9, "features": 2, "missing": 1}}
    with pytest.raises(DataError, match="rows: declared 9, found 3"):
        find("toy", entry(**wrong), [folder], cache)


def test_a_broken_file_is_no_reason_to_look_further(place, entry, no_network):
    folder, cache = place
    (folder / "toy.csv").write_text("a,y\n1\n")
    source = {"file": "toy.csv", "openml": 7}
    with pytest.raises(DataError, match=r"toy\.csv:2: 1 values for 2 columns"):
        find("toy", entry(**DECLARED, source=source), [folder], cache)


def test_not_found_says_where_and_what_to_do(place, entry, no_network, tmp_path):
    _, cache = place
    other = tmp_path / "other"
    other.mkdir()
    declared = entry(**DECLARED, source={"file": "toy.csv", "openml": 7})
    with pytest.raises(DataError) as caught:
        find("toy", declared, [other], cache)
    for part in (
        "data set 'toy' not found",
        f"in {other} for toy.csv",
        f"in the cache {cache}",
        "OpenML 7: cannot be reached",
        "rankexp data add toy FILE",
        "--data or RANKEXP_DATA",
    ):
        assert part in str(caught.value)
    with pytest.raises(DataError) as caught:
        find("toy", declared, [], cache, online=False)
    assert "OpenML 7: cannot" not in str(caught.value)


def test_what_was_fetched_is_kept(place, entry, no_network):
    _, cache = place
    columns = (Feature("a"), Feature("y", "nominal", ("no", "yes")))
    no_network[7] = DataTable("toy", columns, np.array([[1.0, 0], [2, 1]]), {"source": "openml"})
    declared = entry(levels=["no", "yes"], source={"file": "toy.csv", "openml": 7})
    assert find("toy", declared, [], cache).where == "OpenML 7"
    no_network.clear()
    again = find("toy", declared, [], cache, online=False)
    assert again.where == "snapshot of OpenML 7"
    assert again.dataset.provenance["source"] == "openml"
    (cache / "tables" / "openml-7.npz").write_bytes(b"half")
    with pytest.raises(DataError, match="cannot be read"):
        find("toy", declared, [], cache, online=False)


def test_an_added_file_is_kept_and_replaced(place, entry, tmp_path):
    folder, cache = place
    mine = tmp_path / "mine.csv"
    mine.write_text(TOY)
    declared = entry(**DECLARED)
    first = add("toy", declared, mine, cache)
    mine.unlink()
    assert find("toy", declared, [], cache, online=False).facts == first.facts
    newer = tmp_path / "newer.csv"
    newer.write_text(TOY.replace("1", "5"))
    add("toy", declared, newer, cache)
    assert [p.name for p in (cache / "added" / "toy").iterdir()] == ["newer.csv"]
    assert find("toy", declared, [], cache).dataset.X[0, 0] == 5
    assert find("toy", declared, [folder], cache).dataset.X[0, 0] == 1  # folders come first


def test_what_is_not_as_declared_is_not_added(place, entry, tmp_path):
    _, cache = place
    other = tmp_path / "other.csv"
    other.write_text(TOY + "4,red,no\n")
    with pytest.raises(DataError, match="differs from the declared data set"):
        add("toy", entry(**DECLARED), other, cache)
    assert not cache.exists()
    with pytest.raises(DataError, match="no such file"):
        add("toy", entry(**DECLARED), tmp_path / "none.csv", cache)


def test_listing_and_verify(place, entry, no_network):
    folder, cache = place
    entries = {
        "toy": entry(**DECLARED),
        "gone": entry(source={"file": "gone.csv"}),
        "far": entry(source={"file": "far.csv", "openml": 9}),
        "wine": entry(source={"sklearn": "wine"}),
    }
    assert listing({n: (e, [folder]) for n, e in entries.items()}, cache) == [
        f"toy   file {folder / 'toy.csv'}",
        "gone  not found; to add it: rankexp data add gone FILE",
        "far   OpenML 9 (not verified), not downloaded yet",
        "wine  sklearn: wine",
    ]
    line = verify("toy", entries["toy"], [folder], cache)
    counts = "3 rows, 2 features, classes [2, 1], 1 missing cells"
    assert line == f"{counts}, from file {folder / 'toy.csv'}: as declared"
    with pytest.raises(DataError, match="not found"):
        verify("gone", entries["gone"], [folder], cache)
    assert listing({}, cache) == []


def test_a_cache_that_cannot_be_written(place, entry, tmp_path, monkeypatch):
    folder, _ = place
    monkeypatch.setenv("RANKEXP_CACHE", "named by the user")
    (tmp_path / "file").write_text("")
    with pytest.raises(EnvironmentProblemError, match="RANKEXP_CACHE"):
        find("toy", entry(**DECLARED), [folder], tmp_path / "file")


def test_where_the_cache_is(monkeypatch, tmp_path):
    monkeypatch.setenv("RANKEXP_CACHE", str(tmp_path / "a"))
    assert cache_folder() == tmp_path / "a"
    monkeypatch.delenv("RANKEXP_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "b"))
    assert cache_folder() == tmp_path / "b" / "rankexp"


@pytest.mark.parametrize(
    ("name", "levels", "shape", "classes"),
    [
        ("breast_cancer", ["benign", "malignant"], (569, 30), [357, 212]),
        ("wine", [["class_0", "class_2"], "class_1"], (178, 13), [107, 71]),
        ("digits", ["*", 8], (1797, 64), [1623, 174]),
        ("iris", ["*", "virginica"], (150, 4), [100, 50]),
        ("diabetes", None, (442, 10), None),
    ],
)
def test_bundled_sets(place, entry, name, levels, shape, classes):
    declared = entry(source={"sklearn": name}, target="target", levels=levels)
    dataset = find(name, declared, [], place[1]).dataset
    assert dataset.X.shape == shape
    assert classes is None or np.bincount(dataset.y).tolist() == classes


def test_a_bundled_set_that_is_none(place, entry):
    with pytest.raises(
        DataError, match=r"not include a data set 'wien' \(did you mean 'wine'\?\)"
    ):
        find("w", entry(source={"sklearn": "wien"}), [], place[1])


def test_workers_import_nothing_heavy(place, entry):
    snapshot = find("toy", entry(**DECLARED), [place[0]], place[1]).facts.snapshot
    code = (
        "import sys; from rankexp.runner.data.snapshot import load_snapshot;"
        f"import rankexp.runner.data.preprocess; assert load_snapshot({snapshot!r}).name == 'toy';"
        "heavy = {'pandas', 'openml', 'pydantic', 'sklearn', 'scipy', 'requests'};"
        "sys.exit(str(heavy & set(sys.modules)) if heavy & set(sys.modules) else 0)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_source_of_another_package_says_that_it_needs_the_network(place, entry, monkeypatch):
    asked = []

    @asks_network
    def ask(reference, entry, folders):
        asked.append(reference)
        return DataTable("toy", (Feature("a"), Feature("y")), np.array([[1.0, 0], [2, 1]]), {})

    real = registry.get
    monkeypatch.setattr(
        registry, "get", lambda room, name: ask if name == "hub" else real(room, name)
    )
    folder, cache = place
    one = entry(source={"hub": "some/../where"})
    there = listing({"one": (one, [folder])}, cache)
    assert there == ["one  hub: some/../where (not verified), not downloaded yet"]
    with pytest.raises(DataError, match="not found"):
        find("one", one, [folder], cache, online=False)
    assert asked == []
    assert find("one", one, [folder], cache).where == "hub: some/../where"
    assert find("one", one, [folder], cache).where == "snapshot of hub: some/../where"
    assert asked == ["some/../where"]
    assert [path.parent for path in cache.rglob("hub-*.npz")] == [cache / "tables"]


def test_a_folder_that_may_not_be_read(entry, shut):
    with TemporaryDirectory() as name:
        folder = Path(name) / "data"
        folder.mkdir()
        with (
            shut(folder),
            pytest.raises(DataError, match=r"toy\.csv: cannot read the file: Permission"),
        ):
            find("toy", entry(), [folder], Path(name) / "cache")
        added = added_folder("toy", Path(name) / "cache")
        added.mkdir(parents=True)
        with (
            shut(added),
            pytest.raises(DataError, match="toy: cannot read the folder: Permission"),
        ):
            find("toy", entry(), [], Path(name) / "cache")


@pytest.mark.parametrize("name", [".", "", "/", "..", "a\0b"])
def test_what_is_no_name_of_a_file_is_said(place, entry, name):
    folder, cache = place
    with pytest.raises(DataError, match=r"is not the name of a file|data set 'toy' not found"):
        find("toy", entry(source={"file": name}), [folder], cache)
    assert listing({"toy": (entry(source={"file": name}), [folder])}, cache)


def test_the_home_of_nobody_is_not_found(place, entry):
    folder, cache = place
    with pytest.raises(DataError, match=r"searched in .* for ~nobody-of-that-name/toy.csv"):
        find("toy", entry(source={"file": "~nobody-of-that-name/toy.csv"}), [folder], cache)
