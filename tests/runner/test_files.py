import pytest

from rankexp.errors import EnvironmentProblemError
from rankexp.runner.files import open_to_append, write_atomically


def test_a_failed_write_leaves_what_was_there(tmp_path):
    path = tmp_path / "f"
    write_atomically(path, lambda file: file.write(b"old"))

    def full(file):
        file.write(b"new")
        raise OSError(28, "No space left on device")

    with pytest.raises(EnvironmentProblemError, match="the disk is full"):
        write_atomically(path, full)
    assert path.read_bytes() == b"old"
    assert [p.name for p in tmp_path.iterdir()] == ["f"]


def test_a_folder_that_cannot_be_made(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(EnvironmentProblemError, match="RANKEXP_CACHE"):
        write_atomically(tmp_path / "file" / "f", b"", "RANKEXP_CACHE")


def test_a_link_is_replaced_and_not_followed(tmp_path):
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_text("mine")
    link.symlink_to(target)
    write_atomically(link, b"ours")
    assert (target.read_text(), link.read_text(), link.is_symlink()) == ("mine", "ours", False)


def test_nothing_is_added_behind_a_link(tmp_path):
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_text("mine")
    link.symlink_to(target)
    with pytest.raises(OSError, match="symbolic links"):
        open_to_append(link)
    assert target.read_text() == "mine"
    with open_to_append(target) as file:
        file.write(", more")
    assert target.read_text() == "mine, more"
