"""Say in plain words what pydantic found wrong with a study."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel

from rankexp.config import schema
from rankexp.config.tree import Mark, Problem, Tree
from rankexp.registry import did_you_mean

Path = tuple[str | int, ...]

_ENTRIES: dict[str | int, type[BaseModel]] = {
    "data": schema.DataEntry,
    "generators": schema.GeneratorEntry,
    "methods": schema.Method,
    "report": schema.Block,
}
_PARTS: dict[str | int, type[BaseModel]] = {
    "fingerprint": schema.Fingerprint,
    "evaluate": schema.Evaluate,
    "simulate": schema.Simulate,
    "models": schema.Models,
    "cross_validation": schema.CrossValidation,
    "split": schema.Holdout,
    "preprocess": schema.Preprocess,
    "inner": schema.Inner,
    "keep": schema.Keep,
    "at": schema.Points,
}
_EXPECTED = {
    "string_type": "text",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "finite_number": "a finite number",
    "bool_type": "true or false",
    "list_type": "a list",
    "dict_type": "a mapping",
    "model_type": "a mapping",
    "model_attributes_type": "a mapping",
    "path_type": "a path",
    "none_required": "nothing",
    "string_pattern_mismatch": "letters, digits, '_', '-', '.', first a letter or digit",
}


def got(value: object) -> str:
    """Name a value as it was written."""
    match value:
        case None:
            return "nothing"
        case bool():
            return "true" if value else "false"
        case str():
            return f"the text '{value if len(value) <= 40 else value[:37] + '...'}'"
        case Mapping():
            return "a mapping" if value else "an empty mapping"
        case Sequence():
            return "a list" if value else "an empty list"
        case _:
            return str(value)


def _hint(value: object, kind: str) -> str:
    """Explain the usual reason why a text is not a number or a truth value."""
    if not isinstance(value, str):
        return ""
    if kind == "bool_type" and value.lower() in {"yes", "no", "on", "off", "y", "n"}:
        return " (YAML 1.2 knows only true and false)"
    if kind in {"int_type", "float_type"}:
        try:
            return f" (write {float(value.replace('_', '')):g}, without quotes or underscores)"
        except ValueError:
            return ""
    return ""


def _bounds(kind: str, limits: Mapping[str, Any]) -> str:
    match kind:
        case "greater_than":
            return "a positive number" if limits["gt"] == 0 else f"a number above {limits['gt']}"
        case "greater_than_equal":
            return f"a number of at least {limits['ge']}"
        case "less_than":
            return f"a number below {limits['lt']}"
        case "less_than_equal":
            return f"a number of at most {limits['le']}"
        case "too_short":
            least = limits["min_length"]
            return "at least one entry" if least == 1 else f"at least {least} entries"
        case _:
            return ""


def fields(path: Path, root: type[BaseModel] = schema.Study) -> list[str]:
    """Return the keys that the model at pydantic's path `path` below `root` may hold."""
    if not path:
        model = root
    elif len(path) == 2 and path[0] in _ENTRIES:
        model = _ENTRIES[path[0]]
    else:
        model = _PARTS[path[-1]]
    return list(model.model_fields)


def without_tags(path: Path) -> Path:
    """Drop the names of union members that pydantic puts into paths of experiments."""
    if path[:1] != ("experiments",):
        return path
    if path[3:4] == ("protocol",):
        path = path[:4] + path[5:]
    return path[:2] + path[3:]


def _existing(tree: Tree, path: Path) -> tuple[Path, bool]:
    """Return the parts of a path that are in the file, and whether any was left out."""
    kept: list[str | int] = []
    here = tree
    for part in path:
        below = here.child(part)
        if below is not None:
            kept.append(part)
            here = below
    return tuple(kept), len(kept) < len(path)


def _choice(options: str, value: object) -> str:
    known = [option.strip(" '") for option in options.replace(" or ", ", ").split(",")]
    hint = did_you_mean(value, known) if isinstance(value, str) else ""
    return f"expected one of {', '.join(known)}, got {got(value)}{hint}"


def _located(
    tree: Tree, error: Mapping[str, Any], base: Path, root: type[BaseModel]
) -> Problem | None:
    """Turn the errors that concern a key, or a choice between kinds, into a problem."""
    raw: Path = error["loc"]
    path = base + without_tags(raw)
    at, is_key = path, False
    match error["type"]:
        case "missing":
            at, is_key, text = path[:-1], True, f"missing key '{path[-1]}'"
        case "extra_forbidden":
            known = fields(raw[:-1], root)
            hint = did_you_mean(str(raw[-1]), known)
            text = f"unknown key '{raw[-1]}'{hint}; known: {', '.join(known)}"
            return Problem(tree.place(path, key=True), path[:-1], text)
        case "union_tag_invalid":
            at = (*path, "kind")
            text = _choice(error["ctx"]["expected_tags"], error["input"]["kind"])
        case "union_tag_not_found" if isinstance(error["input"], Mapping):
            is_key, text = True, "missing key 'kind'"
        case "union_tag_not_found":
            text = f"expected a mapping, got {got(error['input'])}"
        case "literal_error":
            text = _choice(error["ctx"]["expected"], error["input"])
        case kind if raw[-1:] == ("[key]",):
            at, is_key = path[:-1], True
            text = f"a name holds {_EXPECTED[kind]}; got '{error['input']}'"
        case _:
            return None
    return Problem(tree.place(at, key=is_key), at, text)


def _expected(error: Mapping[str, Any]) -> str:
    kind = error["type"]
    return _bounds(kind, error.get("ctx", {})) or _EXPECTED.get(kind, "")


def _merged(mark: Mark, path: Path, errors: list[Mapping[str, Any]]) -> Problem:
    """Say one sentence about all members of a union that refused a value."""
    value = errors[0]["input"]
    wanted = list(dict.fromkeys(_expected(error) for error in errors if _expected(error)))
    if not wanted:
        return Problem(mark, path, str(errors[0]["msg"]).removeprefix("Value error, "))
    hint = next(filter(None, (_hint(value, error["type"]) for error in errors)), "")
    options = ", ".join(wanted[:-1]) + (" or " if wanted[1:] else "") + wanted[-1]
    return Problem(mark, path, f"expected {options}, got {got(value)}{hint}")


def problems(
    tree: Tree,
    errors: Sequence[Mapping[str, Any]],
    base: Path = (),
    root: type[BaseModel] = schema.Study,
) -> list[Problem]:
    """Turn pydantic's errors into problems with places in the file.

    Parameters
    ----------
    tree : Tree
        The study that was validated.
    errors : sequence of mapping
        ``ValidationError.errors()``.
    base, root
        The part of the study that was validated, and by which model.

    Returns
    -------
    list of Problem
        One for each wrong place: what the members of a union say is joined, and a member's
        "expected text" is left out where another found the fault deeper in the value.
    """
    found: list[Problem] = []
    grouped: dict[Path, list[Mapping[str, Any]]] = defaultdict(list)
    loose: set[Path] = set()
    for error in errors:
        problem = _located(tree, error, base, root)
        if problem:
            found.append(problem)
            continue
        path, cut = _existing(tree, base + without_tags(error["loc"]))
        grouped[path].append(error)
        if cut:
            loose.add(path)
    for path, group in grouped.items():
        deeper = any(len(other) > len(path) and other[: len(path)] == path for other in grouped)
        if not (deeper and path in loose):
            found.append(_merged(tree.place(path), path, group))
    return found
