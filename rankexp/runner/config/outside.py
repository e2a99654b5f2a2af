"""What a study takes from outside rankexp, in which version: part of its records' keys.

What is outside is a registered name of another package, an import path, or a file; and of an
estimator made, the classes of its parts, such as the steps of a pipeline. It counts by the version
of the installed package it is of, or where it is of none, by the SHA-256 of its file. rankexp and
what it is built upon are in no key: where these are others than a record was made with, it is
reused and that is said (`Record.packages`).
"""

import hashlib
import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import PackageNotFoundError, packages_distributions, version
from pathlib import Path
from typing import Any

from rankexp import names, registry
from rankexp.errors import ConfigError
from rankexp.metrics.metric import absent, describe, parse
from rankexp.runner.config.asking import message
from rankexp.runner.config.estimators import (
    estimator_of,
    file_hash,
    file_of,
    has_path,
    resolve_estimator,
)
from rankexp.runner.config.schema import Method, Simulate, Study
from rankexp.runner.strict import Plain

Code = Mapping[str, str]  # packages with their versions, modules and files with their SHA-256
FOUNDATION = frozenset({"rankexp", "sklearn", "numpy", "scipy", "joblib", "pandas"})
"""Modules that no key depends on."""
_distributions = cache(packages_distributions)
_PATH = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)+")


@dataclass(frozen=True)
class Outside:
    """What is from outside, as it is now or as a manifest keeps it."""

    code: Mapping[str, Code] = field(default_factory=dict)
    """By what takes it: ``methods.NAME``, ``metrics.TEXT``, ``generators.NAME``, ``checks.NAME``,
    ``protocols.KIND``."""
    paths: Sequence[str] = ()
    """Methods whose estimator, another package's, solves for many lambdas at once."""
    metrics: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """What reports must know of metrics, by text, for where their package is missing."""

    def of(self, kind: str, *names: str) -> dict[str, str]:
        """Return what some methods, metrics, ... take from outside, together."""
        return {k: v for name in names for k, v in self.code.get(f"{kind}.{name}", {}).items()}


def outside(study: Study) -> Outside:
    """Return what a study takes from outside, as installed now; ConfigError if some is missing."""
    try:
        return _outside(study)
    except ValueError as error:
        raise ConfigError(str(error)) from error


def _outside(study: Study) -> Outside:
    code = {f"methods.{name}": of_method(method) for name, method in study.methods.items()}
    for name, entry in study.generators.items():
        code[f"generators.{name}"] = of_name("generators", entry.generator)
    metrics = {}
    for experiment in study.experiments.values():
        if isinstance(experiment, Simulate):
            code[f"checks.{experiment.check}"] = of_name("checks", experiment.check)
            continue
        kind = experiment.protocol.kind
        code[f"protocols.{kind}"] = of_name("protocols", kind)
        for text in experiment.metrics:
            metrics[text] = code[f"metrics.{text}"] = of_name("metrics", _head(text))
    theirs = {n: m for n, m in study.methods.items() if code[f"methods.{n}"]}
    paths = [name for name, method in theirs.items() if has_path(method.estimator)]
    described = {text: describe(parse(text)) for text, found in metrics.items() if found}
    return Outside({name: found for name, found in code.items() if found}, paths, described)


def kept(manifest: Mapping[str, Any]) -> Outside | None:
    """Return what a manifest keeps; None for one of an earlier rankexp."""
    found = manifest.get("outside")
    return None if found is None else Outside(**found)


def missing(folders: Iterable[Path]) -> dict[str, str]:
    """Say of what earlier runs took from packages that are missing now, which these are."""
    said: dict[str, str] = {}
    for manifest in (folder / "manifest.json" for folder in folders):
        try:
            found = kept(json.loads(manifest.read_text("utf-8"))) or Outside()
        except (AttributeError, OSError, TypeError, ValueError):  # none, or damaged
            continue
        for name, package, known in _gone(found):
            text = f"; '{manifest}' has it from {package} {known}, which is not installed"
            said.setdefault(name, text)
    return said


def _gone(found: Outside) -> Iterator[tuple[str, str, str]]:
    for name, code in found.code.items():
        for package, known in code.items():
            if not known.startswith("sha256:") and installed(package) is None:
                yield name, package, known


def lacking(found: Outside | None) -> list[str]:
    """Say which packages that records were made with are missing; metrics get a stand-in."""
    if found is None:
        return []
    for text, described in found.metrics.items():
        absent(text, described)
    said = []
    for own, package, known in _gone(found):
        room, _, name = own.partition(".")
        asked = {"noun": registry.noun(room), "name": name, "package": package, "known": known}
        said.append(message("study.not_installed", **asked))
    return said


def of_method(method: Method) -> dict[str, str]:
    """Return what a method takes from outside."""
    name, found = method.estimator, {}
    texts = list(_texts([method.params, method.grid]))
    modules = {text.partition(".")[0] for text in texts if _PATH.fullmatch(text)}
    if (file := file_of(name)) is not None:
        found[file] = f"sha256:{file_hash(name, method.folder)}"
    elif "." in name:
        modules.add(name.partition(".")[0])
    else:
        resolve_estimator(name)  # ConfigError where it is missing: its version would not be known
        found |= of_name("estimators", name)
        for room in ("losses", "risks"):
            for text in texts:
                found |= of_name(room, _head(text))
    if "." not in name or file_of(name) is not None:
        maker = estimator_of(method)
        engines = {**method.params, **method.grid}
        modules |= maker.modules(engines) if hasattr(maker, "modules") else set()
    if found or modules - FOUNDATION:
        modules |= set(_parts(method))
    return found | _of_modules(modules)


def of_name(room: str, name: str) -> dict[str, str]:
    """Return what a registered name takes from outside: the package that registers it."""
    target = registry.target(room, name)
    if target is None or target.package == "rankexp":
        return {}
    known = installed(target.package)
    return {target.package: known} if known else _of_modules([target.module])


def _head(text: str) -> str:
    try:
        return names.parse(text).name
    except ValueError:
        return ""


def _texts(value: Plain) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping | list):
        for below in value.values() if isinstance(value, Mapping) else value:
            yield from _texts(below)


def _parts(method: Method) -> Iterator[str]:
    try:
        model = estimator_of(method)(**method.first)
        deep = model.get_params(deep=True).values() if hasattr(model, "get_params") else ()
    except (Exception, SystemExit):  # a fault that is found elsewhere
        return
    for part in (model, *deep):
        kind = part if hasattr(part, "__module__") and hasattr(part, "__name__") else type(part)
        yield str(kind.__module__)


def _of_modules(modules: Iterable[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for module in sorted(set(modules)):
        top = module.partition(".")[0]
        if top in FOUNDATION or top in sys.stdlib_module_names:
            continue
        packages = {package: installed(package) for package in _distributions().get(top, ())}
        found |= {package: known for package, known in packages.items() if known}
        loaded = sys.modules.get(module)
        file = getattr(loaded, "__file__", None)
        named = getattr(loaded, "__spec__", None) is not None  # else it is a file of the study
        if not any(packages.values()) and named and file and Path(file).is_file():
            found[module] = f"sha256:{hashlib.sha256(Path(file).read_bytes()).hexdigest()}"
    return found


def installed(package: str) -> str | None:
    """Return the version of a package that is installed; None of others."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None
