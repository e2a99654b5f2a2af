"""Check what is sound of a study whose file has unknown keys or wrong types, too.

Data sets, generators and methods are checked one by one; elsewhere the names are looked up.
"""

from collections.abc import Iterator
from contextlib import suppress
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
    sound: dict[str, dict[str, Any]] = {"data": {}, "generators": {}, "methods": {}}
    named: dict[str, list[str]] = {key: [] for key in sound}
    for key in sound:
        kind: TypeAdapter[Any] = TypeAdapter(Study.model_fields[key].annotation or Any)
        section = tree.child(key)
        for name, entry in section.value.items() if section and section.keys else ():
            named[key].append(name)
            with suppress(ValidationError):  # it is said already
                sound[key] |= kind.validate_python({name: entry.plain()})
    study = Study.model_construct(**sound)  # type: ignore[arg-type]
    for method in study.methods.values():
        method._folder = str(folder)
    yield from of_entries(study)
    data, generators, methods = named.values()
    for path, value in tree.leaves():
        match path, value:
            case ("experiments", _, "check"), str():
                yield from unregistered("checks", value, path)
            case ("report", _, "block"), str():
                yield from unregistered("report.blocks", value, path)
            case ("experiments", _, "problems", _), str():
                yield from unknown(value, data + generators, "problem", path)
            case ("experiments", _, "methods", _), str():
                yield from unknown(value, methods, "method", path)
            case ("experiments", _, "metrics", _), str():
                try:
                    parse(value)
                except ValueError as error:
                    yield Fault(path, str(error))
