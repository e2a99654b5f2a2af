"""Say in plain words what pydantic found wrong with a study.

What was expected is read off the annotations of the models, never off pydantic's sentences.
"""

import tomllib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, get_args, get_origin

from pydantic import BaseModel, Tag
from pydantic_core import ErrorDetails

from rankexp.registry import did_you_mean
from rankexp.runner.config import schema
from rankexp.runner.config.fault import Fault, TreePath, got
from rankexp.runner.config.tree import YamlTree
from rankexp.runner.strict import Plain

_KNOWN = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
_EXPECTED, _NATURAL = _KNOWN.values()
"""What was expected where pydantic has an error of a type, and how one would rather say it."""


class Complaint(NamedTuple):
    """What pydantic says of one value."""

    type: str
    loc: TreePath
    input: Plain
    msg: str
    ctx: Mapping[str, Any] = {}

    @property
    def said(self) -> str:
        """The sentence of one of our own checks, or pydantic's."""
        return str(next((one for name, one in self.ctx.items() if name == "error"), self.msg))

    @property
    def wanted(self) -> str:
        """What was expected, as far as its type tells; else an empty text."""
        text = _EXPECTED.get(self.type, "").format_map(self.ctx)
        return str(_NATURAL.get(text, text))

    @property
    def hint(self) -> str:
        """The usual reason why a text is not a number or a truth value."""
        value = self.input
        if not isinstance(value, str):
            return ""
        if self.type == "bool_type" and value.lower() in {"yes", "no", "on", "off", "y", "n"}:
            return " (YAML 1.2 knows only true and false)"
        if self.type in {"int_type", "float_type"}:
            try:
                return f" (write {float(value.replace('_', '')):g}, without quotes or underscores)"
            except ValueError:
                return ""
        return ""


@dataclass(frozen=True)
class Shape:
    """What an annotation allows: a type, a literal, a model, or a union of such."""

    annotation: Any

    @property
    def bare(self) -> Any:
        """The annotation without what is marked on it."""
        marked = get_origin(self.annotation) is Annotated
        return get_args(self.annotation)[0] if marked else self.annotation

    @property
    def model(self) -> type[BaseModel] | None:
        """The model, where it is one."""
        bare = self.bare
        return bare if isinstance(bare, type) and issubclass(bare, BaseModel) else None

    @property
    def members(self) -> "list[Shape]":
        """The members of a union, or the shape as its only member."""
        arguments = get_args(self.bare)
        known = get_origin(self.bare) in {None, Literal, list, dict, tuple, set}
        return [Shape(self.bare)] if known or not arguments else [*map(Shape, arguments)]

    @property
    def tags(self) -> tuple[str, ...]:
        """The values of `kind` that choose a model of a union."""
        named = tuple(one.tag for one in get_args(self.annotation)[1:] if isinstance(one, Tag))
        kind = self.below("kind") if self.model and not named else None
        return get_args(kind.annotation) if kind else named

    @property
    def choices(self) -> list[str]:
        """What its literals, or the kinds of its members, may be."""
        bare = [one.bare for one in self.members]
        literals = [value for b in bare if get_origin(b) is Literal for value in get_args(b)]
        return list(map(str, literals)) or [tag for one in self.members for tag in one.tags]

    @property
    def keys(self) -> list[str]:
        """The keys that its models may hold."""
        models = filter(None, (one.model for one in self.members))
        return [key for model in models for key in model.model_fields]

    def below(self, part: str | int) -> "Shape | None":
        """Return the shape of an entry of a mapping, list or model; None where there is none."""
        for member in self.members:
            if member.model:
                field = member.model.model_fields.get(str(part))
                if field is not None:
                    return Shape(field.annotation)
            elif get_origin(member.bare) is (list if isinstance(part, int) else dict):
                return Shape(get_args(member.bare)[-1])
        return None

    def walk(self, location: TreePath) -> "tuple[TreePath, Shape]":
        """Follow an error's location, but pydantic's tags; return the path, and what it holds."""
        path: TreePath = ()
        here = self
        for part in location:
            several = [one for one in here.members if one.model] if here.members[1:] else []
            if chosen := [one for one in several if part in (*one.tags, one.bare.__name__)]:
                here = Shape(chosen[0].bare)
            else:
                path, here = (*path, part), here.below(part) or Shape(None)
        return path, here


def _existing(tree: YamlTree, path: TreePath) -> tuple[TreePath, bool]:
    """Return the parts of a path that are in the file, and whether any was left out."""
    kept: TreePath = ()
    for part in path:
        if below := tree.child(part):
            kept, tree = (*kept, part), below
    return kept, len(kept) < len(path)


def _choice(shape: Shape, value: Plain) -> str:
    known = shape.choices
    hint = did_you_mean(value, known) if isinstance(value, str) else ""
    return f"expected one of {', '.join(known)}, got {got(value)}{hint}"


def _located(tree: YamlTree, error: Complaint, base: TreePath, root: Shape) -> Fault | None:
    """Turn the errors that concern a key, or a choice between kinds, into a fault."""
    raw = error.loc
    below, shape = root.walk(raw)
    path = base + below
    at, is_key, mark = path, False, None
    match error.type, error.input:
        case "missing", _:
            at, is_key, text = path[:-1], True, f"missing key '{path[-1]}'"
        case "extra_forbidden", _:
            known = root.walk(raw[:-1])[1].keys
            hint = did_you_mean(str(raw[-1]), known)
            text = f"unknown key '{raw[-1]}'{hint}; known: {', '.join(known)}"
            at, mark = path[:-1], tree.place(path, key=True)
        case "union_tag_invalid", {"kind": kind}:
            at, text = (*path, "kind"), _choice(shape, kind)
        case "union_tag_not_found", dict():
            is_key, text = True, "missing key 'kind'"
        case "union_tag_not_found", value:
            text = f"expected a mapping, got {got(value)}"
        case "literal_error", value if _existing(tree, path) == (path, False):
            text = _choice(shape, value)
        case "string_pattern_mismatch", value if raw[-1:] == ("[key]",):
            at, is_key = path[:-1], True
            text = f"a name consists of {error.wanted}; got '{value}'"
        case _:
            return None
    return Fault(at, text, is_key, mark)


def _expected(error: Complaint, root: Shape) -> str:
    if error.type == "literal_error":
        return "one of " + ", ".join(root.walk(error.loc[:-1])[1].choices)
    return error.wanted


def _merged(path: TreePath, is_key: bool, errors: list[Complaint], root: Shape) -> Fault:
    """Say one sentence about all members of a union that refused a value."""
    said = [error.said for error in errors if not _expected(error, root)]
    if said:  # by a member that takes values of this type
        others = [_expected(error, root) for error in errors if error.type == "literal_error"]
        return Fault(path, "; or ".join([said[0], *others]), is_key)
    wanted = list(dict.fromkeys(_expected(error, root) for error in errors))
    hint = next(filter(None, (error.hint for error in errors)), "")
    options = ", ".join(wanted[:-1]) + (" or " if wanted[1:] else "") + wanted[-1]
    return Fault(path, f"expected {options}, got {got(errors[0].input)}{hint}", is_key)


def faults(
    tree: YamlTree,
    errors: Sequence[ErrorDetails],
    base: TreePath = (),
    model: type[BaseModel] = schema.Study,
) -> list[Fault]:
    """Turn pydantic's errors in the part of a study at `base`, of a model, into a fault a place.

    What the members of a union say is joined; a member's "expected text" is left out where another
    found the fault deeper in the value.
    """
    found: list[Fault] = []
    grouped: dict[tuple[TreePath, bool], list[Complaint]] = defaultdict(list)
    loose: set[TreePath] = set()
    root = Shape(model)
    for error in (Complaint(**given) for given in errors):  # type: ignore[misc]
        if fault := _located(tree, error, base, root):
            found.append(fault)
            continue
        path, cut = _existing(tree, base + root.walk(error.loc)[0])
        is_key = error.loc[-1:] == ("[key]",)
        grouped[path, is_key].append(error)
        if cut and not is_key:
            loose.add(path)
    for (path, is_key), group in grouped.items():
        deeper = any(len(other) > len(path) and other[: len(path)] == path for other, _ in grouped)
        if not (deeper and path in loose):
            found.append(_merged(path, is_key, group, root))
    return found
