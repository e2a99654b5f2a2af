"""Read a study's YAML file; report everything wrong with it at once, each with its place."""

from pathlib import Path

from pydantic import ValidationError

from rankexp.errors import ConfigError
from rankexp.registry import did_you_mean
from rankexp.runner.config import claims, meaning, published, words
from rankexp.runner.config.fault import Fault, FileMark, TreePath
from rankexp.runner.config.outside import missing
from rankexp.runner.config.schema import Study
from rankexp.runner.config.shipped import shipped, study_file
from rankexp.runner.config.tree import YamlTree, parse
from rankexp.runner.strict import Plain

LONGEST = 1000  # most characters of what is written about one fault


def load(path: str | Path, profile: str | None = None) -> Study:
    """Read a study from a YAML file, or one that comes with rankexp, by its name; check it.

    One of the file's profiles is merged in first. Every name that the study uses exists and takes
    the parameters given; ConfigError has one line ``file:line:column: place in the tree: what is
    wrong`` for each error of the study and of all its profiles.
    """
    path = study_file(Path(path))
    tree, faults = parse(_read(path))
    if tree is None:
        raise ConfigError(_lines(path, faults))
    studies, more = _studies(tree, path.parent, {fault.mark for fault in faults})
    faults += more
    if faults:
        raise ConfigError(_lines(path, faults))
    if profile not in studies:
        known = [name for name in studies if name]
        hint, listed = did_you_mean(str(profile), known), ", ".join(known) or "none"
        raise ConfigError(f"{path}: no profile '{profile}'{hint}; profiles: {listed}")
    return studies[profile]


def schema_json() -> dict[str, Plain]:
    """Return the JSON schema of a study's file, for editors."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **Study.model_json_schema()}


def _read(path: Path) -> str:
    """Return the file's text, or say in one line why there is none."""
    try:
        return path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        near = [*(file.name for file in path.parent.glob("*.y*ml")), *shipped()]
        why = f": no such file{did_you_mean(path.name, near)}"
    except IsADirectoryError:
        files = ", ".join(sorted(file.name for file in path.glob("*.y*ml"))) or "none"
        why = f": this is a folder, not a study; its YAML files: {files}"
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        column = error.start - error.object.rfind(b"\n", 0, error.start)
        why = f":{line}:{column}: not UTF-8 text (byte 0x{error.object[error.start]:02x})"
    except OSError as error:
        why = f": cannot be read: {error.strerror or error}"
    raise ConfigError(f"{path}{why}")


def _variants(tree: YamlTree) -> tuple[dict[str | None, YamlTree], list[Fault]]:
    """Return the study as it stands, and merged with each well-formed profile."""
    variants: dict[str | None, YamlTree] = {None: tree}
    faults: list[Fault] = []
    profiles = tree.child("profiles")
    if profiles is None or not isinstance(profiles.value, dict):
        return variants, faults
    rest = {key: child for key, child in tree.value.items() if key != "profiles"}
    base = YamlTree(tree.mark, rest, tree.keys, tree.size)
    for name, over in profiles.value.items():
        if isinstance(over.value, dict):
            variants[name] = base.merged(over)
            path = ("profiles", name)
            faults += _removals(base, over, path)
            if "profiles" in over.value:
                mark = over.keys["profiles"]
                faults.append(Fault(path, "a profile cannot contain profiles", mark=mark))
    return variants, faults


def _removals(base: YamlTree, over: YamlTree, path: TreePath) -> list[Fault]:
    """Find the nulls of a profile that remove what is not there."""
    faults = []
    for key, child in over.value.items():
        below = base.child(key)
        if child.value is None and below is None:
            hint = did_you_mean(key, list(base.value) if isinstance(base.value, dict) else [])
            text = f"profile sets '{key}' to null to remove it, but the study has no '{key}'{hint}"
            faults.append(Fault((*path, key), text, mark=over.keys[key]))
        elif below is not None and isinstance(child.value, dict) and isinstance(below.value, dict):
            faults += _removals(below, child, (*path, key))
    return faults


def _studies(
    tree: YamlTree, folder: Path, known: set[FileMark | None]
) -> tuple[dict[str | None, Study], list[Fault]]:
    """Check the study as it stands (under None) and under each profile, with its new faults."""
    profiles, faults = _variants(tree)
    studies: dict[str | None, Study] = {}
    for name, variant in profiles.items():
        earlier = {(fault.mark, fault.text) for fault in faults}
        study, found = _validated(variant, folder)
        found = _provided(variant, folder, found) if found else []
        for fault in (_placed(fault, variant) for fault in found):
            if fault.mark not in known and (fault.mark, fault.text) not in earlier:
                under = "" if name is None else f" (in profile '{name}')"
                faults.append(fault._replace(text=fault.text + under))
        if study is not None:
            studies[name] = study
    if None in studies:  # a profile may have removed what some of the values are of
        for key, kind in (("published", published.faults), ("claims", claims.faults)):
            faults += [_placed(Fault((key,), text), tree) for text in kind(studies[None])]
    return studies, faults


def _provided(tree: YamlTree, folder: Path, found: list[Fault]) -> list[Fault]:
    """Add to an unknown name the package that an earlier run had it from, if that is missing."""
    named = dict(tree.leaves())
    gone = missing(root / "results" / str(named.get(("study",))) for root in (Path(), folder))
    for i, fault in enumerate(found):
        keys = [f"{room}.{named.get(fault.path)}" for room in ("checks", "metrics", "protocols")]
        keys += [".".join(map(str, fault.path[:2]))]
        found[i] = fault._replace(text=fault.text + next((gone[k] for k in keys if k in gone), ""))
    return found


def _placed(fault: Fault, tree: YamlTree) -> Fault:
    return fault._replace(mark=fault.mark or tree.place(fault.path, key=fault.key))


def _validated(tree: YamlTree, folder: Path) -> tuple[Study | None, list[Fault]]:
    try:
        study = Study.model_validate(tree.plain())
    except ValidationError as error:
        found = words.faults(tree, error.errors(include_url=False))
        return None, [*found, *meaning.of_sound_parts(tree, folder)]
    default = Path("published") / f"{study.study}.csv"
    if study.published is None and (folder / default).is_file():
        study = study.model_copy(update={"published": default})
    study._folder = folder
    for method in study.methods.values():
        method._folder = str(folder)
    return study, meaning.faults(study, tree)


def _lines(file: Path, faults: list[Fault]) -> str:
    lines = []
    for path, text, _, mark in sorted(faults, key=lambda fault: fault.mark or FileMark(1, 1)):
        line, column = mark or FileMark(1, 1)
        parts = (f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)
        whole = "".join(parts).removeprefix(".") + ": " * bool(path) + text
        shown = whole if len(whole) <= LONGEST else f"{whole[:LONGEST]}..."
        shown = "".join(sign if sign.isprintable() else " " for sign in shown)  # one line
        lines.append(f"{file}:{line}:{column}: {shown}")
    return "\n".join(lines)
