"""YAML as plain values that remember where they stand in the file.

Follows YAML 1.2 where version 1.1 surprises: ``1e-3`` is a number, ``10:30``, ``on``, ``yes``
and ``2011-06-28`` are text, only ``true`` and ``false`` are truth values. Nothing but plain data
is ever built: a tag such as ``!!python/object`` is an error.
"""

import math
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from rankexp.runner.config.asking import message
from rankexp.runner.config.fault import Fault, FileMark, TreePath, shortened
from rankexp.runner.strict import Plain

TAG = "tag:yaml.org,2002:"
MAX_VALUES = 200_000
"""Most values of a file, aliases written out: far above any study, far below a memory bomb."""
MAX_DIGITS = 30
"""Most digits of a whole number: above any seed or identifier, below what Python refuses."""

_IMPLICIT = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
MOST_NESTED = 100  # lists and mappings in each other


class _Loader(yaml.SafeLoader):
    """PyYAML's parser with the implicit types of YAML 1.2."""

    yaml_implicit_resolvers = {}  # noqa: RUF012  (PyYAML's own convention)
    _depth = 0

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        """Read a value; in what is nested deeply, PyYAML's time grows with the square."""
        self._depth += 1
        if self._depth > MOST_NESTED:
            raise RecursionError
        node = super().compose_node(parent, index)
        self._depth -= 1
        return node


for _name, (_pattern, *_first) in _IMPLICIT.items():
    _Loader.add_implicit_resolver(TAG + _name, re.compile(rf"^(?:{_pattern})$"), _first)


@dataclass(frozen=True)
class YamlTree:
    """A YAML value and the places of all its parts."""

    mark: FileMark  # where the value begins
    value: Any  # a scalar, a list of trees or a mapping of names to trees
    keys: dict[str, FileMark] = field(default_factory=dict)  # for a mapping: where each key stands
    size: int = 1  # number of values in it, aliases written out

    def plain(self) -> Plain:
        """Return the value without the places."""
        if isinstance(self.value, dict):
            return {key: child.plain() for key, child in self.value.items()}
        is_list = isinstance(self.value, list)
        return [child.plain() for child in self.value] if is_list else self.value

    def child(self, part: str | int) -> "YamlTree | None":
        """Return the entry of a mapping or list, or None."""
        if isinstance(self.value, dict):
            return self.value.get(part)
        known = isinstance(self.value, list) and isinstance(part, int) and part < len(self.value)
        return self.value[part] if known else None

    def leaves(self, path: TreePath = ()) -> Iterator[tuple[TreePath, Plain]]:
        """Yield the scalars in it, each with its path."""
        if not isinstance(self.value, dict | list):
            yield path, self.value
            return
        named = self.value if isinstance(self.value, dict) else dict(enumerate(self.value))
        for part, below in named.items():
            yield from below.leaves((*path, part))

    def place(self, path: TreePath, *, key: bool = False) -> FileMark:
        """Return the place of a value, or of its key; of the nearest parent where it is absent."""
        here, mark = self, self.mark
        for part in path:
            below = here.child(part)
            if below is None:
                return mark
            here, mark = below, here.keys.get(str(part), below.mark)
        return mark if key else here.mark

    def merged(self, over: "YamlTree") -> "YamlTree":
        """Merge overrides in: mappings key by key, null removes, anything else replaces."""
        if not (isinstance(self.value, dict) and isinstance(over.value, dict)):
            return over
        value, keys = dict(self.value), self.keys | over.keys
        for key, child in over.value.items():
            if child.value is None:
                value.pop(key, None)
            else:
                value[key] = value[key].merged(child) if key in value else child
        return YamlTree(self.mark, value, keys, 1 + sum(child.size for child in value.values()))


def _mark(node: yaml.Node) -> FileMark:
    return FileMark(node.start_mark.line + 1, node.start_mark.column + 1)


def _scalar(node: yaml.ScalarNode) -> Plain:
    text: str = node.value
    match node.tag.removeprefix(TAG):
        case "null":
            return None
        case "bool":
            return text.lower() == "true"
        case "int":
            return int(text, 0) if text[:2] in ("0x", "0o") else int(text)
        case "float":
            return float(text.lower().replace(".inf", "inf").replace(".nan", "nan"))
        case _:
            return text


class Builder:
    """Turn parsed nodes into trees; an anchor is built once, however often it is used."""

    def __init__(self) -> None:
        self.faults: list[Fault] = []
        self._done: dict[int, YamlTree | None] = {}

    def build(self, node: yaml.Node, path: TreePath = ()) -> YamlTree:
        """Return the tree of a node; what is wrong goes to `faults`."""
        if id(node) in self._done:
            known = self._done[id(node)]
            if known is None:
                return self._refuse(node, path, "an anchor must not contain itself")
            return known
        self._done[id(node)] = None
        tree = self._build(node, path)
        if tree.size > MAX_VALUES:
            tree = self._refuse(node, path, f"its aliases expand to more than {MAX_VALUES} values")
        self._done[id(node)] = tree
        return tree

    def _build(self, node: yaml.Node, path: TreePath) -> YamlTree:
        tag = node.tag.removeprefix(TAG)
        if isinstance(node, yaml.MappingNode) and tag == "map":
            return self._mapping(node, path)
        if isinstance(node, yaml.SequenceNode) and tag == "seq":
            items = [self.build(child, (*path, i)) for i, child in enumerate(node.value)]
            return YamlTree(_mark(node), items, size=1 + sum(item.size for item in items))
        if isinstance(node, yaml.ScalarNode) and tag in {"str", "null", "bool", "int", "float"}:
            return self._leaf(node, tag, path)
        if isinstance(node, yaml.ScalarNode) and tag == "merge":
            return self._refuse(node, path, "'<<' merges mappings; to use it as text, quote it")
        name = "!!" + tag if node.tag.startswith(TAG) else node.tag
        return self._refuse(node, path, f"the tag '{name}' is not allowed: plain data only")

    def _leaf(self, node: yaml.ScalarNode, tag: str, path: TreePath) -> YamlTree:
        shown = shortened(node.value)
        if (fault := _unwritable(node.value)) is not None:
            return self._refuse(node, path, fault)
        if tag == "int" and len(node.value) > MAX_DIGITS + 1:
            return self._refuse(node, path, message("study.digits", most=MAX_DIGITS, shown=shown))
        try:
            value = _scalar(node)
        except ValueError:
            return self._refuse(node, path, f"'{shown}' is not of the type '!!{tag}'")
        if isinstance(value, float) and not math.isfinite(value):
            return self._refuse(node, path, f"expected a finite number, got {shown}")
        return YamlTree(_mark(node), value)

    def _mapping(self, node: yaml.MappingNode, path: TreePath) -> YamlTree:
        value: dict[str, YamlTree] = {}
        keys: dict[str, FileMark] = {}
        merges: list[yaml.Node] = []
        for key_node, child in node.value:
            if key_node.tag == TAG + "merge":
                if merges:
                    self._refuse(key_node, path, message("study.two_merged"))
                merges.append(child)
            elif (key := self._key(key_node, path)) in value:
                text = f"the key '{key}' occurs twice, first in line {keys[key].line}"
                self._refuse(key_node, (*path, key), text)
            elif key is not None:
                value[key], keys[key] = self.build(child, (*path, key)), _mark(key_node)
        for child in merges:
            for source in self._sources(child, path):
                value = {**source.value, **value}
                keys = {**source.keys, **keys}
        return YamlTree(_mark(node), value, keys, 1 + sum(child.size for child in value.values()))

    def _key(self, node: yaml.Node, path: TreePath) -> str | None:
        if isinstance(node, yaml.ScalarNode) and node.tag in {TAG + "str", TAG + "int"}:
            if (fault := _unwritable(node.value)) is None:
                return str(node.value)  # a number is the name it is written as
            self._refuse(node, path, fault)
            return None
        what = f"'{node.value}'" if isinstance(node, yaml.ScalarNode) else "a list or mapping"
        hint = "; put it in quotes" if isinstance(node, yaml.ScalarNode) else ""
        self._refuse(node, path, f"a key must be text, not {what}{hint}")
        return None

    def _sources(self, node: yaml.Node, path: TreePath) -> list[YamlTree]:
        """Return the mappings that '<<' brings in, the first with precedence."""
        many = isinstance(node, yaml.SequenceNode)
        trees = [self.build(child, path) for child in (node.value if many else [node])]
        good = [tree for tree in trees if isinstance(tree.value, dict)]
        if len(good) < len(trees):
            self._refuse(node, path, "'<<' expects a mapping or a list of mappings")
        return good

    def _refuse(self, node: yaml.Node, path: TreePath, text: str) -> YamlTree:
        self.faults.append(Fault(path, text, mark=_mark(node)))
        return YamlTree(_mark(node), None)


def _unwritable(text: str) -> str | None:
    """Say which character of a text no file can hold: half of a pair, by an escape."""
    found = next((sign for sign in text if "\ud800" <= sign <= "\udfff"), None)
    return None if found is None else f"the character U+{ord(found):04X} is not allowed"


def parse(text: str) -> tuple[YamlTree | None, list[Fault]]:
    """Read YAML text into a tree, None where it is not YAML or is empty, and say what is wrong."""
    mark = FileMark(1, 1)
    try:
        loader = _Loader(text)
        node = loader.get_single_node()
        if node is None:
            return None, [Fault((), "the file is empty; expected a study", mark=mark)]
        builder = Builder()
        return builder.build(node), builder.faults
    except yaml.MarkedYAMLError as error:
        at = error.problem_mark or error.context_mark
        mark = FileMark(at.line + 1, at.column + 1) if at else mark
        what = _syntax(error)
    except yaml.reader.ReaderError as error:
        before = text[: error.position]
        mark = FileMark(before.count("\n") + 1, len(before) - before.rfind("\n"))
        what = f"the character U+{error.character:04X} is not allowed"
    except (ValueError, OverflowError):  # PyYAML hands any number to `chr`
        at = loader.get_mark()
        mark = FileMark(at.line + 1, at.column + 1)
        what = "no character has this number; the largest is \\U0010FFFF"
    except RecursionError:
        what = "lists and mappings are nested too deeply"
    return None, [Fault((), what, mark=mark)]


def _syntax(error: yaml.MarkedYAMLError) -> str:
    text = ", ".join(part for part in (error.context, error.problem) if part)
    if "\\t" in text:
        text += "; indent with spaces, not tabs"
    elif "mapping values are not allowed" in text:
        text += "; text that contains ': ' needs quotes"
    return f"not valid YAML: {text}"
