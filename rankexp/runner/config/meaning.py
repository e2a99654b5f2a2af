"""Check what a study's names and values mean: that they exist, and go together.

Each check yields faults: where in the tree, and one sentence. Methods and experiments are checked
in files of their own.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import combinations
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from rankexp import registry
from rankexp.metrics.metric import Metric, parse
from rankexp.runner.config import experiments, fault, methods, words
from rankexp.runner.config.asking import message
from rankexp.runner.config.data_entry import DataEntry
from rankexp.runner.config.fault import Fault, TreePath
from rankexp.runner.config.schema import Block, Evaluate, Simulate, Study
from rankexp.runner.config.shipped import shipped
from rankexp.runner.config.tree import YamlTree
from rankexp.runner.strict import Plain

RESERVED = ("scores", "report", "manifest", "records", "run", "cite")
"""Names of the files that every results folder holds."""


def faults(study: Study, tree: YamlTree) -> list[Fault]:
    """Return everything that is wrong with a well-formed study, whose file has this tree."""
    found = list(_faults(study))
    for i, block in enumerate(study.report):
        found += _block(study, block, ("report", i), tree)
    return found


def _faults(study: Study) -> Iterator[Fault]:
    for key, file in (("published", study.published_file), ("claims", study.claims_file)):
        if file and not file.is_file():
            yield Fault((key,), f"no such file: {file}")
    yield from of_entries(study)
    for name, experiment in study.experiments.items():
        path = ("experiments", name)
        if isinstance(experiment, Simulate):
            yield from experiments.simulate(study, experiment, path)
        else:
            yield from experiments.evaluate(study, experiment, path)
    yield from experiments.nothing_aside(study)
    yield from _report(study)
    yield from _wing(study)


def of_entries(study: Study) -> Iterator[Fault]:
    """Yield what is wrong with data sets, generators and methods, each by itself."""
    for name, entry in study.data.items():
        yield from _data(entry, ("data", name))
        if name in study.generators:
            yield Fault(("generators", name), "a data set already has this name", key=True)
    for name, generator in study.generators.items():
        yield from _generator(generator.generator, generator.params, ("generators", name))
    for name, method in study.methods.items():
        yield from methods.faults(method, ("methods", name))


def _wing(study: Study) -> Iterator[Fault]:
    """Find a study of ours whose own folder is not installed."""
    checks = (e.check for e in study.experiments.values() if isinstance(e, Simulate))
    named = [*(("checks", check) for check in checks)]
    named += [("report.blocks", block.block) for block in study.report]
    folder = study.study.replace("-", "_")
    lacking = [(room, name) for room, name in named if registry.target(room, name) is None]
    near = (registry.did_you_mean(name, registry.names(room)) for room, name in lacking)
    lacks = not all(near)  # one is no misspelling
    if lacks and study.study in shipped() and folder not in registry.wings():
        text = f"study '{study.study}' needs rankexp/{registry.WINGS}/{folder}, which is missing"
        yield Fault(("study",), f"{text}; install the whole package")


def _sources(entry: DataEntry, path: tuple[str, str]) -> Iterator[Fault]:
    for source, reference in entry.sources.items():
        place = (*path, "source", source)
        strange = list(fault.unregistered("data.sources", source, place))
        yield from strange
        takes = strange or getattr(registry.get("data.sources", source), "files", False)
        if isinstance(reference, dict) and not takes:
            yield Fault(place, f"'{source}' takes one reference, not one file per part")
    for i, source in enumerate(entry.verified):
        if source not in entry.sources:
            text = f"'{source}' is not a source of this data set; its sources: "
            yield Fault((*path, "verified", i), text + ", ".join(entry.sources))


def _data(entry: DataEntry, path: tuple[str, str]) -> Iterator[Fault]:
    yield from _sources(entry, path)
    for key in ("drop", "nominal"):
        if entry.target in getattr(entry, key):
            yield Fault((*path, key), f"contains the target '{entry.target}'")
    roles = {key: getattr(entry, key) for key in ("target", "groups", "weights", "part", "time")}
    for other, key in combinations(roles, 2):
        if roles[key] is not None and roles[key] == roles[other]:
            yield Fault((*path, key), f"column '{roles[key]}' is already the {other}")
    raw = [value for level in entry.levels or [] for value in fault.listed(level)]
    for value in fault.twice(raw):
        yield Fault((*path, "levels"), f"{fault.got(value)} occurs twice")
    look = entry.fingerprint
    if look is None or look.classes is None:
        return
    place = (*path, "fingerprint", "classes")
    if entry.levels is None:
        yield Fault(place, "class counts are given, but the data set has no 'levels'")
    elif len(look.classes) != len(entry.levels):
        yield Fault(place, f"{len(look.classes)} counts for {len(entry.levels)} levels")
    elif sum(look.classes) != look.rows:
        yield Fault(place, f"the counts add up to {sum(look.classes)}, but 'rows' is {look.rows}")


def _generator(name: str, params: Mapping[str, Plain], path: tuple[str, str]) -> Iterator[Fault]:
    try:
        factory = registry.get("generators", name)
    except registry.UnknownNameError as error:
        yield Fault((*path, "generator"), str(error))
        return
    place = (*path, "params")
    wrong = list(fault.unknown_parameters(factory, params, place, f"generator '{name}'"))
    wrong += fault.mistyped(factory, params, place)
    yield from wrong or methods.construction(factory, params, place)


def remarks(study: Study, only: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield data sets with a sentence each about parts that experiments ignore."""
    for name in only:
        setup = study.experiments[name]
        if isinstance(setup, Evaluate) and setup.protocol.uses_parts:
            continue
        kind = setup.protocol.kind if isinstance(setup, Evaluate) else None
        for problem in setup.problems:
            entry = study.data.get(problem)
            if entry is not None and (entry.part is not None or entry.test_file is not None):
                known = {"problem": problem, "name": name, "kind": kind}
                yield problem, message("study.ignored_parts", **known)


def _report(study: Study) -> Iterator[Fault]:
    names = Counter(block.name.lower() for block in study.report)  # as some systems see them
    first = next((block.name for block in study.report if block.primary), None)
    for i, block in enumerate(study.report):
        path = ("report", i)
        yield from fault.unregistered("report.blocks", block.block, (*path, "block"))
        named = (block.experiment, study.experiments, "experiment")
        yield from fault.unknown(*named, (*path, "experiment"))
        if names[block.name.lower()] > 1:
            yield Fault((*path, "name"), message("study.two_named", name=block.name))
        if block.primary and block.name != first:
            yield Fault((*path, "primary"), message("study.two_primary", first=first))
        if block.name.lower() in RESERVED:
            yield Fault((*path, "name"), message("study.reserved", name=block.name))


def _block(study: Study, block: Block, path: TreePath, tree: YamlTree) -> list[Fault]:
    """Check a block by its kind: options, whose types say which hold names, what it can show."""
    try:
        model = registry.get("report.blocks", block.block)
        options = model.model_validate(block.options, context=names_for(study, block))
    except registry.UnknownNameError:
        return []  # complained about already
    except ValidationError as error:
        return words.faults(tree, error.errors(include_url=False), (*path, "options"), model)
    return [one._replace(path=(*path, *one.path)) for one in options.faults(study, block)]


def names_for(study: Study, block: Block) -> dict[str, list[str] | list[Metric]] | None:
    """Return what a block's options may name, by kind; None where an experiment is unknown."""
    shown = [study.experiments.get(name) for name in fault.listed(block.experiment)]
    if None in shown:
        return None
    runs = [experiment for experiment in shown if isinstance(experiment, Evaluate)]
    metrics = (experiments.metric_of(text) for run in runs for text in run.metrics)
    return {
        "method": list(dict.fromkeys(name for run in runs for name in run.methods)),
        "problem": list(dict.fromkeys(name for run in runs for name in run.problems)),
        "metric": list(dict.fromkeys(metric for metric in metrics if metric)),
        "experiment": fault.listed(block.experiment),
        "block": [other.name for other in study.report if other.name != block.name],
    }


def of_sound_parts(tree: YamlTree, folder: Path) -> Iterator[Fault]:
    """Yield what is wrong with what is sound of a file that has unknown keys or wrong types, too.

    Data sets, generators and methods are checked one by one; elsewhere the names are looked up.
    """
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
                yield from fault.unregistered("checks", value, path)
            case ("report", _, "block"), str():
                yield from fault.unregistered("report.blocks", value, path)
            case ("experiments", _, "problems", _), str():
                yield from fault.unknown(value, data + generators, "problem", path)
            case ("experiments", _, "methods", _), str():
                yield from fault.unknown(value, methods, "method", path)
            case ("experiments", _, "metrics", _), str():
                try:
                    parse(value)
                except ValueError as error:
                    yield Fault(path, str(error))
