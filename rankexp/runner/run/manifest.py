"""How a study was run: versions, machine, configuration, data, time. Kept beside its results."""

import json
import platform
import re
import subprocess
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, ConfigDict, NonNegativeInt, ValidationError

import rankexp
from rankexp.errors import ConfigError, EnvironmentProblemError, RankexpError, one_line
from rankexp.runner.config import claims, published
from rankexp.runner.config.asking import message
from rankexp.runner.config.outside import Outside, installed
from rankexp.runner.config.schema import Evaluate, Study
from rankexp.runner.data.reading import Json
from rankexp.runner.data.snapshot import load_snapshot
from rankexp.runner.diagnostics.alone import Alone, best_alone
from rankexp.runner.diagnostics.diagnostic import Diagnosis, TableFacts, before
from rankexp.runner.files import write_atomically
from rankexp.runner.plan import DataFacts
from rankexp.runner.protocols.dividing import Dividing
from rankexp.runner.run.store import FORMAT
from rankexp.runner.spec import PROTOCOL_VERSION

if TYPE_CHECKING:
    from rankexp.runner.run.prepare import Prepared

REPORTING = ("numpy", "scipy", "pandas", "matplotlib")  # what tables and figures are made with
PACKAGES = (*REPORTING, "scikit-learn", "joblib", "openml", "numba")


@dataclass(frozen=True)
class DataDiagnosis:
    """What the diagnostics found in a data set, and the column that ranks best by itself."""

    found: list[Diagnosis] = field(default_factory=list)
    alone: Alone | None = None


def diagnose(study: Study, name: str, facts: DataFacts) -> DataDiagnosis:
    """Return what the diagnostics find in a data set, for the manifest."""
    setups = [one for one in study.experiments.values() if isinstance(one, Evaluate)]
    used = (one.protocol for one in setups if name in one.problems)
    parted = any(isinstance(own, Dividing) and own.together == "none" for own in used)
    return _diagnosis(facts.snapshot, parted=parted)


@lru_cache(maxsize=32)
def _diagnosis(snapshot: str, *, parted: bool) -> DataDiagnosis:
    dataset = load_snapshot(snapshot)
    if dataset.reading is None:
        return DataDiagnosis()
    alone = best_alone(dataset)
    return DataDiagnosis(before(TableFacts(dataset.reading, dataset, alone, parted=parted)), alone)


@dataclass
class Usage:
    """Time, memory and work done of one run."""

    wall: float = 0.0  # seconds
    cpu: float = 0.0  # seconds of all processes
    memory: int = 0  # largest of any process, bytes
    jobs: int = 0
    fits: int = 0

    def __add__(self, more: "Usage") -> "Usage":
        wall, cpu = round(self.wall + more.wall, 2), round(self.cpu + more.cpu, 2)
        memory = max(self.memory, more.memory)
        return Usage(wall, cpu, memory, self.jobs + more.jobs, self.fits + more.fits)


@dataclass
class Manifest:
    """The manifest of a folder of results, as it is before this run adds its own."""

    prepared: "Prepared"
    study: Study
    config: Path | None  # the study's file
    only: Sequence[str]  # experiments run; none means all

    def __post_init__(self) -> None:
        self.damage: str | None = None
        self.before = NOTHING
        try:
            # Without an earlier run's records, what a manifest says of one (in a fresh clone,
            # say) is not added to.
            if not self.prepared.alone:
                self.before = read_told(self.prepared.folder)[0]
        except RankexpError as error:
            self.damage = f"{error}; it is written anew"
        self.data = self._known()  # the data sets that this run or one before found
        self._fixed = self._described()

    def write(
        self,
        used: Usage,
        *,
        complete: bool = False,
        hosts: Mapping[str, int] = MappingProxyType({}),
    ) -> None:
        """Write what this run has used, and its records by host, added to those before."""
        total = asdict(self.before.used + used)
        content = self._fixed | {"complete": complete, "used": total}
        made = Counter(self.before.hosts) + Counter(hosts)
        content |= {"hosts": dict(sorted(made.items()))} if made else {}
        text = json.dumps(content, indent=1, ensure_ascii=False) + "\n"
        file = self.prepared.folder / "manifest.json"
        write_atomically(file, text.encode(), lasting=True)

    def _described(self) -> dict[str, Any]:
        asked, missing = list(self.only), self.prepared.plan.missing
        if self.before is not NOTHING:
            both = asked and self.before.only
            asked = sorted({*self.before.only, *asked}) if both else []
        # What a run before could not find and this one, of others, did not look for:
        unsought = self.study.data.keys() - {*self.prepared.data.facts, *missing}
        lost = {k: v for k, v in self.before.missing_data.items() if k in unsought}
        shards = sorted({*self.before.shards, *filter(None, [self.prepared.shard])})
        return {
            "format": FORMAT,
            "rankexp": rankexp.__version__,
            "protocol": PROTOCOL_VERSION,
            "commit": commit(),
            "python": platform.python_version(),
            "packages": {k: v for k in packages(self.prepared.outside) if (v := installed(k))},
            "outside": asdict(self.prepared.outside),
            "platform": platform.platform(),
            "cpu": processor(),
            "config": _relative(self.config),
            "only": asked,
            "seed": self.study.seed,
            "data": self.data,
            "missing_data": lost | {k: _portable(v) for k, v in missing.items()},
            "published": published.rows_of(self.study),
            "claims": claims.rows_of(self.study),
            "study": self.study.model_dump(mode="json"),
        } | ({"shards": shards} if shards else {})

    def _known(self) -> dict[str, dict[str, Any]]:
        """Return what is known of data sets: where they come from, and what was read of them."""
        before = self.before.data.items()
        found = {k: v.model_dump(exclude_unset=True) for k, v in before if k in self.study.data}
        for name, facts in self.prepared.data.facts.items():
            given = dict(self.prepared.data.provenance.get(name, {}))
            where = given.pop("provenance", {})
            portable = {k: _portable(v) if isinstance(v, str) else v for k, v in where.items()}
            known = {"rows": facts.rows, "fingerprint": facts.fingerprint}
            found[name] = {**known, "provenance": portable, **given}
        return found


class _Data(BaseModel):
    model_config = ConfigDict(extra="allow")

    rows: NonNegativeInt
    fingerprint: str
    diagnosis: DataDiagnosis = DataDiagnosis()


class _Known(BaseModel):
    data: dict[str, _Data] = {}


class RunTold(BaseModel):
    """What is relied on of a manifest, and of what form it is."""

    model_config = ConfigDict(strict=True)

    format: Literal[1]
    study: dict[str, Any]
    data: dict[str, _Data]
    used: Usage = Usage()
    only: list[str] = []
    shards: list[str] = []
    hosts: dict[str, int] = {}
    complete: bool = False
    protocol: int | None = None
    missing_data: dict[str, str] = {}
    packages: dict[str, str] = {}
    outside: Outside = Outside()
    published: list[dict[str, str]] | None = None
    claims: list[dict[str, str]] | None = None


NOTHING = RunTold(format=1, study={}, data={})


def read_manifest(folder: Path) -> dict[str, Any]:
    """Return what a manifest says, empty where there is none; ConfigError where it is damaged."""
    return read_told(folder)[1]


def read_told(folder: Path) -> tuple[RunTold, dict[str, Any]]:
    """Return what a manifest says, checked and as it is; ConfigError where it is damaged."""
    file = folder / "manifest.json"
    try:
        text = file.read_text(encoding="utf-8")
        return RunTold.model_validate_json(text), json.loads(text)
    except FileNotFoundError:
        return NOTHING, {}
    except ValidationError as error:
        place = ".".join(map(str, error.errors()[0]["loc"]))
        what = f"'{place}' is missing or of another form" if place else "it holds no mapping"
        raise ConfigError(f"{file} was altered or is of another version: {what}") from error
    except OSError as error:
        raise EnvironmentProblemError(f"{file} cannot be read: {error.strerror}") from error
    except (RecursionError, ValueError) as error:
        raise ConfigError(f"{file} cannot be read: {one_line(error)}") from error


def study_before(folder: Path) -> Study | None:
    """Return the study as it was run before; None if it was not, or cannot be read."""
    try:
        return Study.model_validate(read_told(folder)[0].study)
    except (RankexpError, ValidationError):
        return None


def facts_of(manifest: Mapping[str, Any]) -> dict[str, DataFacts]:
    """Return the data facts a manifest keeps, to plan the same cells without the data."""
    known = _Known.model_validate(manifest).data.items()
    return {name: DataFacts(own.rows, own.fingerprint, "") for name, own in known}


def diagnoses_of(manifest: Mapping[str, Json]) -> dict[str, DataDiagnosis]:
    """Return what the diagnostics found in each data set when a study was run."""
    known = _Known.model_validate(manifest).data.items()
    return {name: own.diagnosis for name, own in known}


def to_add(study: Study, names: Iterable[str]) -> str:
    """Say how a user adds data sets: a command each, but for those that several files make."""
    return message("run.to_add", names=[name for name in names if not study.data[name].files])


def other_versions(folder: Path) -> str | None:
    """Say that a report may differ from that of the run, being made with other packages."""
    then = read_told(folder)[0].packages
    both = [(name, then[name], installed(name)) for name in REPORTING if name in then]
    told = ", ".join(f"{name} {was} (here {now})" for name, was, now in both if was != now)
    return message("run.versions", told=told) if told else None


def protocol_of(folder: Path) -> int | None:
    """Return the version of the protocol that the records of a run were made by, if told."""
    return read_told(folder)[0].protocol


def shards_of(folder: Path) -> list[str]:
    """Return which shards of a study were run into a folder; none where it was not divided."""
    return read_told(folder)[0].shards


def commit() -> str:
    """Return the git commit of this package's own checkout, marked if changed, or "unknown"."""
    root = Path(rankexp.__file__).resolve().parents[1]
    here = _git(root, "ls-files", "--error-unmatch", "rankexp/__init__.py")
    head = _git(root, "rev-parse", "HEAD") if here else None
    if head is None:
        return "unknown"
    changed = _git(root, "status", "--porcelain", "--untracked-files=no", "--", "rankexp")
    return head + (" with changes" if changed else "")


def _git(root: Path, *arguments: str) -> str | None:
    command = ["git", "-C", str(root), *arguments]
    try:
        return subprocess.check_output(
            command, stderr=subprocess.DEVNULL, text=True, timeout=10
        ).strip()
    except (OSError, subprocess.SubprocessError):
        return None


def packages(found: Outside) -> list[str]:
    """Return the packages that numbers may depend on: ours, and those from outside."""
    theirs = {name for code in found.code.values() for name in code}
    return [*PACKAGES, *sorted(theirs - {*PACKAGES})]


def processor() -> str:
    """Return this machine's processor, and how many cores it has."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return f"{names[0]}, {len(names)} cores" if names else platform.machine()


def _relative(config: Path | None) -> str | None:
    """Return a path that means something on another machine."""
    if config is None:
        return None
    file, here = config.resolve(), Path.cwd()
    return file.relative_to(here).as_posix() if file.is_relative_to(here) else config.name


def _portable(text: str) -> str:
    """Return a text with file names in place of this machine's absolute paths; URLs stay."""
    return re.sub(r"(?<![\w.:/])/(?:[^\s/'\"]+/)*([^\s/'\",;:]+)", r"\1", text)
