"""Notes above the names, units below them, and tables of texts alone are called so."""

from pathlib import Path

import pytest

from rankexp.errors import DataError
from rankexp.runner.config.asking import typed
from rankexp.runner.data.build import dataset_of, entry_of, inspect_table

ROWS = "".join(f"{i}.5,{i % 7},{'yes' if i % 3 else 'no'}\n" for i in range(30))


def refused(tmp_path: Path, text: str) -> str:
    file = tmp_path / "t.csv"
    file.write_text(text)
    with typed(), pytest.raises(DataError) as error:
        inspect_table(file, target=None)
    return str(error.value)


def test_a_row_of_units_is_called_so(tmp_path: Path) -> None:
    found = refused(tmp_path, "temp,hours,failed\nK,h,-\n" + ROWS)
    assert "is; if line 2 holds units or notes, delete it; otherwise correct it, or" in found
    assert "--missing K" in found


@pytest.mark.parametrize("notes", [2, 4])
def test_names_below_notes_are_found(tmp_path: Path, notes: int) -> None:
    rows = "".join(f"P{i},{i / 4},{i % 7}\n" for i in range(30))
    above = notes * "School report,,\n"
    found = refused(tmp_path, f"{above}pupil,share,days\n{rows}")
    line = notes + 1
    assert f"if line {line} names the columns, delete the lines above it; otherwise" in found


def test_other_strays_are_not_blamed_on_the_top(tmp_path: Path) -> None:
    lines = ROWS.splitlines()
    lines[20] = "n.k.," + lines[20].partition(",")[2]
    found = refused(tmp_path, "temp,hours,failed\n" + "\n".join(lines))
    assert "is; correct it, or write --missing n.k." in found
    twice = ["n.k.," + line.partition(",")[2] if i < 2 else line for i, line in enumerate(lines)]
    assert "if line" not in refused(tmp_path, "temp,hours,failed\n" + "\n".join(twice))


def test_texts_alone_are_refused_with_what_to_make_of_them(tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    texts = [f"we came again for soup {i}" for i in range(60)]
    file.write_text("review,stars\n" + "".join(f"{t},{i % 4}\n" for i, t in enumerate(texts)))
    with pytest.raises(DataError, match=r"'review' looks like free text .* counts of words"):
        dataset_of(file, entry_of(file, target="stars", identifiers="drop"))


def test_large_numbers_are_written_out(tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_text("a,b\n" + "".join(f"{i * 93_614_072 / 7},{i / 8}\n" for i in range(9)))
    shown = inspect_table(file).text()
    assert "0 to 106,987,511\n" in shown and "0 to 1\n" in shown + "\n"
