"""Check what is sound of a study whose file has unknown keys or wrong types, too.

Data sets, generators and methods are checked one by one; elsewhere the names are looked up.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from rankexp.metrics.metric import parse
from rankexp.runner.config.fault import Fault, unknown, unregistered
from rankexp.runner.config.meaning import of_entries
from rankexp.runner.config.schema import Study
from rankexp.runner.config.tree import YamlTree


def faults(tree: YamlTree, folder: Path) -> Iterator[Fault]:
    """Yield what is wrong with the meaning of a study's sound parts."""
    sections = {key: tree.child(key) for key in ("data", "generators", "methods")}
    known = {key: one.value if one and one.keys else {} for key, one in sections.items()}
    for key, entries in known.items():
        for name, entry in entries.items():
            yield from _entry(key, name, entry, folder)
    for path, value in tree.leaves():
        match path, value:
            case ("experiments", _, "check"), str():
                yield from unregistered("checks", value, path)
            case ("report", _, "block"), str():
                yield from unregistered("report.blocks", value, path)
            case ("experiments", _, "problems", _), str():
                yield from unknown(value, known["data"] | known["generators"], "problem", path)
            case ("experiments", _, "methods", _), str():
                yield from unknown(value, known["methods"], "method", path)
            case ("experiments", _, "metrics", _), str():
                try:
                    parse(value)
                except ValueError as error:
                    yield Fault(path, str(error))


def _entry(key: str, name: str, entry: YamlTree, folder: Path) -> Iterator[Fault]:
    kind: TypeAdapter[Any] = TypeAdapter(Study.model_fields[key].annotation or Any)
    try:
        study = Study.model_construct(**{key: kind.validate_python({name: entry.plain()})})
    except ValidationError:  # said already
        return
    for method in study.methods.values():
        method._folder = str(folder)
    yield from of_entries(study)
