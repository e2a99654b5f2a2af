"""The studies that come with rankexp, found in an installed package as in a checkout."""

from importlib.resources import files
from pathlib import Path


def shipped() -> dict[str, Path]:
    """Return the files of the studies by their names."""
    package = Path(str(files("rankexp")))
    checkout = package.parent
    folder = checkout if (checkout / "pyproject.toml").is_file() else package
    return {file.stem: file for file in sorted((folder / "configs").glob("*.yaml"))}


def study_file(named: Path) -> Path:
    """Return the file of a study, named by its path or, if it comes with rankexp, by its name."""
    return named if named.exists() else shipped().get(str(named), named)
