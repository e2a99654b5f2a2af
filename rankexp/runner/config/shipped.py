"""The studies and data that come with rankexp, in an installed package as in a checkout."""

from importlib.resources import files
from pathlib import Path


def shipped() -> dict[str, Path]:
    """Return the files of the studies by their names."""
    return {file.stem: file for file in sorted(_folder().glob("*.yaml"))}


def shipped_data() -> dict[str, Path]:
    """Return the files of the data sets by their names."""
    return {file.stem: file for file in sorted((_folder() / "data").glob("*.arff"))}


def _folder() -> Path:
    package = Path(str(files("rankexp")))
    checkout = package.parent
    return (checkout if (checkout / "pyproject.toml").is_file() else package) / "configs"


def study_file(named: Path) -> Path:
    """Return the file of a study, named by its path or, if it comes with rankexp, by its name."""
    return named if named.exists() else shipped().get(str(named), named)
