"""Read a study's YAML file; report everything wrong with it at once, each with its place."""

from pathlib import Path
from typing import Any

from pydantic import ValidationError

from rankexp.config import meaning, published, words
from rankexp.config.schema import Study
from rankexp.config.tree import Mark, Problem, Tree, parse
from rankexp.errors import ConfigError
from rankexp.registry import did_you_mean


def load(path: str | Path, profile: str | None = None) -> Study:
    """Read and check a study.

    Parameters
    ----------
    path : str or Path
        A YAML file.
    profile : str, optional
        One of the file's profiles, merged into the study before it is checked.

    Returns
    -------
    Study
        Complete and consistent: every name it uses exists and takes the parameters given.

    Raises
    ------
    ConfigError
        With one line ``file:line:column: place in the tree: what is wrong`` for each error of
        the study and of all its profiles.
    """
    path = Path(path)
    tree, problems = parse(_read(path))
    if tree is None:
        raise ConfigError(_lines(path, problems))
    studies, wrong = _studies(tree, path.parent, {problem.mark for problem in problems})
    problems += wrong
    if problems:
        raise ConfigError(_lines(path, problems))
    if profile not in studies:
        known = [name for name in studies if name]
        hint, listed = did_you_mean(str(profile), known), ", ".join(known) or "none"
        raise ConfigError(f"{path}: no profile '{profile}'{hint}; profiles: {listed}")
    return studies[profile]


def schema_json() -> dict[str, Any]:
    """Return the JSON schema of a study's file, for editors."""
    schema = Study.model_json_schema()
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}


def _read(path: Path) -> str:
    """Return the file's text, or say in one line why there is none."""
    try:
        return path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        near = [file.name for file in path.parent.glob("*.y*ml")] if path.parent.is_dir() else []
        hint = did_you_mean(path.name, near)
        raise ConfigError(f"{path}: no such file{hint}") from None
    except IsADirectoryError:
        files = ", ".join(sorted(file.name for file in path.glob("*.y*ml"))) or "none"
        raise ConfigError(f"{path}: a folder, not a study; YAML files in it: {files}") from None
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        column = error.start - error.object.rfind(b"\n", 0, error.start)
        raise ConfigError(
            f"{path}:{line}:{column}: not UTF-8 text (byte 0x{error.object[error.start]:02x})"
        ) from None
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror or error}") from None


def _variants(tree: Tree) -> tuple[dict[str | None, Tree], list[Problem]]:
    """Return the study as it stands, and merged with each well-formed profile."""
    variants: dict[str | None, Tree] = {None: tree}
    problems: list[Problem] = []
    profiles = tree.child("profiles")
    if profiles is None or not isinstance(profiles.value, dict):
        return variants, problems
    rest = {key: child for key, child in tree.value.items() if key != "profiles"}
    base = Tree(tree.mark, rest, tree.keys, tree.size)
    for name, over in profiles.value.items():
        if isinstance(over.value, dict):
            variants[name] = base.merged(over)
            path = ("profiles", name)
            problems += _removals(base, over, path)
            if "profiles" in over.value:
                text = "a profile holds no profiles"
                problems.append(Problem(over.keys["profiles"], path, text))
    return variants, problems


def _removals(base: Tree, over: Tree, path: tuple[str | int, ...]) -> list[Problem]:
    """Find the nulls of a profile that remove what is not there."""
    problems = []
    for key, child in over.value.items():
        below = base.child(key)
        if child.value is None and below is None:
            known = list(base.value) if isinstance(base.value, dict) else []
            text = f"nothing to remove: there is no '{key}'{did_you_mean(key, known)}"
            problems.append(Problem(over.keys[key], (*path, key), text))
        elif below is not None and isinstance(child.value, dict) and isinstance(below.value, dict):
            problems += _removals(below, child, (*path, key))
    return problems


def _studies(
    tree: Tree, folder: Path, known: set[Mark]
) -> tuple[dict[str | None, Study], list[Problem]]:
    """Check the study as it stands (under None) and under each profile.

    Places in `known` have been complained about already.
    """
    profiles, problems = _variants(tree)
    studies: dict[str | None, Study] = {}
    for name, variant in profiles.items():
        said = {(problem.mark, problem.text) for problem in problems}
        study, wrong = _validated(variant, folder)
        new = [p for p in wrong if p.mark not in known and (p.mark, p.text) not in said]
        problems += [_of(problem, name) for problem in new]
        if study is not None:
            studies[name] = study
    if None in studies:
        problems += _published(studies[None], tree)
    return studies, problems


def _published(study: Study, tree: Tree) -> list[Problem]:
    """Check the published values; a profile may have removed what some of them are of."""
    file, path = study.published_file, ("published",)
    if file is None or not file.is_file():
        return []
    return [Problem(tree.place(path), path, text) for text in published.faults(study, file)]


def _validated(tree: Tree, folder: Path) -> tuple[Study | None, list[Problem]]:
    """Check one variant of the file, its shape first, then what its names mean."""
    try:
        study = Study.model_validate(tree.plain())
    except ValidationError as error:
        return None, words.problems(tree, error.errors(include_url=False))
    default = Path("published") / f"{study.study}.csv"
    if study.published is None and (folder / default).is_file():
        study = study.model_copy(update={"published": default})
    study._folder = folder
    return study, meaning.problems(study, tree)


def _of(problem: Problem, profile: str | None) -> Problem:
    """Name the profile that an error occurs under."""
    if profile is None:
        return problem
    return problem._replace(text=f"{problem.text} (in profile '{profile}')")


def _lines(path: Path, problems: list[Problem]) -> str:
    """Write the problems in the order of the file."""
    return "\n".join(
        f"{path}:{mark.line}:{mark.column}: {_where(tree_path)}{text}"
        for mark, tree_path, text in sorted(problems, key=lambda problem: problem.mark)
    )


def _where(path: tuple[str | int, ...]) -> str:
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}"
    return f"{text.removeprefix('.')}: " if text else ""
