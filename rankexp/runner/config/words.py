"""Say in plain words what pydantic found wrong with a study.

An error has a type, a location and an input; what was expected there is read off the annotations
of the models, never off the sentences of pydantic.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal, get_args, get_origin

from pydantic import BaseModel, Tag

from rankexp.registry import did_you_mean
from rankexp.runner.config import schema
from rankexp.runner.config.fault import Fault, TreePath, got
from rankexp.runner.config.tree import YamlTree

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


def _members(annotation: Any) -> tuple[Any, ...]:
    """Return the members of a union, or the annotation as its only member."""
    bare = _bare(annotation)
    arguments = get_args(bare)
    known = get_origin(bare) in {None, Literal, list, dict, tuple, set}
    return (bare,) if known or not arguments else arguments


def _bare(annotation: Any) -> Any:
    return get_args(annotation)[0] if get_origin(annotation) is Annotated else annotation


def _is_model(annotation: Any) -> bool:
    return isinstance(annotation, type) and issubclass(annotation, BaseModel)


def _tags(member: Any) -> tuple[str, ...]:
    """Return the values of `kind` that choose a model of a union."""
    named = [extra.tag for extra in get_args(member)[1:] if isinstance(extra, Tag)]
    model = _bare(member)
    if not named and _is_model(model) and "kind" in model.model_fields:
        return get_args(model.model_fields["kind"].annotation)
    return tuple(named)


def _below(annotation: Any, part: str | int) -> Any:
    """Return the annotation of an entry of a mapping, list or model; None where there is none."""
    for member in map(_bare, _members(annotation)):
        if _is_model(member):
            field = member.model_fields.get(str(part))
            found = None if field is None else field.annotation
        elif get_origin(member) is (list if isinstance(part, int) else dict):
            found = get_args(member)[-1]
        else:
            continue
        if found is not None:
            return found
    return None


def _walk(root: Any, location: TreePath) -> tuple[TreePath, Any]:
    """Follow the location of an error from `root`; return where it is in the file, and its type.

    The path has none of the tags and classes of union members that pydantic puts into a
    location; the annotation is None where it is not known.
    """
    path: list[str | int] = []
    here = root
    for part in location:
        members = _members(here)
        models = [(member, _bare(member)) for member in members if _is_model(_bare(member))]
        chosen = [m for member, m in models if part in (*_tags(member), m.__name__)]
        if len(members) > 1 and chosen:
            here = chosen[0]
        else:
            path.append(part)
            here = _below(here, part)
    return tuple(path), here


def _choices(annotation: Any) -> list[str]:
    """Return what the literals of an annotation, or the kinds of its members, may be."""
    members = _members(annotation)
    literals = [m for m in map(_bare, members) if get_origin(m) is Literal]
    return [str(value) for m in literals for value in get_args(m)] or [
        tag for member in members for tag in _tags(member)
    ]


def _fields(annotation: Any) -> Iterator[str]:
    """Yield the keys that the models of an annotation may hold."""
    for member in filter(_is_model, map(_bare, _members(annotation))):
        yield from member.model_fields


def _existing(tree: YamlTree, path: TreePath) -> tuple[TreePath, bool]:
    """Return the parts of a path that are in the file, and whether any was left out."""
    kept: list[str | int] = []
    here = tree
    for part in path:
        below = here.child(part)
        if below is not None:
            kept.append(part)
            here = below
    return tuple(kept), len(kept) < len(path)


def _choice(annotation: Any, value: object) -> str:
    known = _choices(annotation)
    hint = did_you_mean(value, known) if isinstance(value, str) else ""
    return f"expected one of {', '.join(known)}, got {got(value)}{hint}"


def _located(tree: YamlTree, error: Mapping[str, Any], base: TreePath, root: Any) -> Fault | None:
    """Turn the errors that concern a key, or a choice between kinds, into a fault."""
    raw: TreePath = error["loc"]
    below, annotation = _walk(root, raw)
    path = base + below
    at, is_key, mark = path, False, None
    match error["type"]:
        case "missing":
            at, is_key, text = path[:-1], True, f"missing key '{path[-1]}'"
        case "extra_forbidden":
            known = list(_fields(_walk(root, raw[:-1])[1]))
            hint = did_you_mean(str(raw[-1]), known)
            text = f"unknown key '{raw[-1]}'{hint}; known: {', '.join(known)}"
            at, mark = path[:-1], tree.place(path, key=True)
        case "union_tag_invalid":
            at, text = (*path, "kind"), _choice(annotation, error["input"]["kind"])
        case "union_tag_not_found" if isinstance(error["input"], Mapping):
            is_key, text = True, "missing key 'kind'"
        case "union_tag_not_found":
            text = f"expected a mapping, got {got(error['input'])}"
        case "literal_error" if _existing(tree, path) == (path, False):
            text = _choice(annotation, error["input"])
        case "string_pattern_mismatch" if raw[-1:] == ("[key]",):
            at, is_key = path[:-1], True
            text = f"a name holds {_EXPECTED[error['type']]}; got '{error['input']}'"
        case _:
            return None
    return Fault(at, text, is_key, mark)


def _expected(error: Mapping[str, Any], root: Any) -> str:
    kind = error["type"]
    if kind == "literal_error":
        return "one of " + ", ".join(_choices(_walk(root, error["loc"][:-1])[1]))
    return _bounds(kind, error.get("ctx", {})) or _EXPECTED.get(kind, "")


def _merged(path: TreePath, is_key: bool, errors: list[Mapping[str, Any]], root: Any) -> Fault:
    """Say one sentence about all members of a union that refused a value."""
    value = errors[0]["input"]
    said = [str(e.get("ctx", {}).get("error", e["msg"])) for e in errors if not _expected(e, root)]
    if said:  # by a member that takes values of this type
        others = [_expected(error, root) for error in errors if error["type"] == "literal_error"]
        return Fault(path, "; or ".join([said[0], *others]), is_key)
    wanted = list(dict.fromkeys(_expected(error, root) for error in errors))
    hint = next(filter(None, (_hint(value, error["type"]) for error in errors)), "")
    options = ", ".join(wanted[:-1]) + (" or " if wanted[1:] else "") + wanted[-1]
    return Fault(path, f"expected {options}, got {got(value)}{hint}", is_key)


def faults(
    tree: YamlTree,
    errors: Sequence[Mapping[str, Any]],
    base: TreePath = (),
    root: type[BaseModel] = schema.Study,
) -> list[Fault]:
    """Turn pydantic's errors in the part of a study at `base`, of the model `root`, into faults.

    There is one for each wrong place: what the members of a union say is joined, and a member's
    "expected text" is left out where another found the fault deeper in the value.
    """
    found: list[Fault] = []
    grouped: dict[tuple[TreePath, bool], list[Mapping[str, Any]]] = defaultdict(list)
    loose: set[TreePath] = set()
    for error in errors:
        fault = _located(tree, error, base, root)
        if fault:
            found.append(fault)
            continue
        path, cut = _existing(tree, base + _walk(root, error["loc"])[0])
        is_key = error["loc"][-1:] == ("[key]",)
        grouped[path, is_key].append(error)
        if cut and not is_key:
            loose.add(path)
    for (path, is_key), group in grouped.items():
        deeper = any(len(other) > len(path) and other[: len(path)] == path for other, _ in grouped)
        if not (deeper and path in loose):
            found.append(_merged(path, is_key, group, root))
    return found
