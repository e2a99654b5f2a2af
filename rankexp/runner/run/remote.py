"""What workers on other machines are sent and must have installed, and how they do a job."""

import contextlib
import hashlib
import multiprocessing
import os
import platform
import socket
import tempfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from pkgutil import resolve_name
from typing import NamedTuple

import rankexp
from rankexp.errors import EnvironmentProblemError
from rankexp.runner import files
from rankexp.runner.config.asking import message
from rankexp.runner.config.estimators import file_of
from rankexp.runner.config.outside import Code, installed
from rankexp.runner.files import sent_as
from rankexp.runner.plan import PlanCell
from rankexp.runner.run.manifest import processor
from rankexp.runner.run.pool import Death, answers
from rankexp.runner.run.workers import Done
from rankexp.runner.spec import EvaluateSpec

SAME = ("rankexp", "numpy", "scipy", "scikit-learn", "numba")  # may change a record; in no key


class Sent(NamedTuple):
    """What a worker sends back."""

    result: Done | Death
    printed: str
    host: str


@dataclass(frozen=True)
class Requirements:
    """What the jobs of a run need that does not stand in them."""

    files: Mapping[str, bytes]  # by what `sent_as` calls them
    wanted: Mapping[str, str]  # versions of Python and packages, and SHA-256 of lone modules
    code: Code = field(default_factory=dict)  # from outside, files of methods among it

    @classmethod
    def of(cls, cells: Iterable[PlanCell], snapshots: Iterable[str], code: Code) -> "Requirements":
        """Return what cells need: their data and files of methods, and installed `code`."""
        specs = [cell.spec for cell in cells if isinstance(cell.spec, EvaluateSpec)]
        methods = {(s.method.folder, file_of(s.method.estimator)) for s in specs}
        own = [Path(folder, file) for folder, file in methods if folder and file]
        paths = [*map(Path, snapshots), *own]
        theirs = {name: version for name, version in code.items() if not name.endswith(".py")}
        wanted = {name: version_of(name) for name in ("Python", *SAME)} | theirs
        return cls({sent_as(path): path.read_bytes() for path in paths}, wanted, code)

    def unfit(self) -> str:
        """Say what this machine has other than it should; empty where it has all."""
        for name, version in self.wanted.items():
            if (found := version_of(name)) != version:
                known = {"name": name, "found": found, "version": version}
                return message("engines.unfit", host=socket.gethostname(), **known)
        return ""


def version_of(name: str) -> str:
    """Return the version of Python or a package, or of a module the SHA-256; empty: not here."""
    if name == "Python":
        return ".".join(platform.python_version_tuple()[:2])
    if name == "rankexp":
        return f"{rankexp.__version__} (code {_code()})"
    if (version := installed(name)) is not None:
        return version
    with contextlib.suppress(ImportError, OSError, ValueError):
        if (spec := find_spec(name)) and spec.origin:
            return f"sha256:{hashlib.sha256(Path(spec.origin).read_bytes()).hexdigest()}"
    return ""


def _code() -> str:
    """Return a digest of rankexp's own code, which a version alone does not tell in a checkout."""
    root = Path(rankexp.__file__).parent
    own = sorted(file.relative_to(root) for file in root.rglob("*.py"))
    code = ((root / file).read_bytes() for file in own if "configs" not in file.parts)
    return hashlib.sha256(b"".join(code)).hexdigest()[:8]


class RemoteWorker:
    """What a worker on another machine keeps for a run: the files, in a folder of its own."""

    def __init__(self, requirements: Requirements, folder: str | None = None) -> None:
        self.requirements = requirements
        self.folder = tempfile.TemporaryDirectory(prefix="rankexp-", dir=folder)
        for name, content in requirements.files.items():
            Path(self.folder.name, name).write_bytes(content)
        self.unfit = requirements.unfit()  # once a run
        self.host = f"{socket.gethostname()} ({processor()})"

    def do(self, call: partial[Done], taken_back: Callable[[], bool]) -> Sent:
        """Make a call in a process of its own; InterruptedError where nobody waits for it."""
        if self.unfit:
            raise EnvironmentProblemError(self.unfit)
        calls = [partial(_with_files, self.folder.name, call)]

        def more() -> partial[Done] | None:  # is asked twice a second
            if not calls and taken_back():
                raise InterruptedError
            return calls.pop() if calls else None

        _allow_processes()
        (made,) = answers(more, 2, {**self.requirements.wanted, **self.requirements.code})
        return Sent(made.result, made.printed, self.host)


def warm() -> None:
    """Start a process that does jobs, so that it has its imports when the first one comes."""
    _allow_processes()
    calls = iter([partial(resolve_name, "rankexp.runner.run.evaluate:LONGEST")])
    list(answers(lambda: next(calls, None), 1, {name: version_of(name) for name in SAME}))


def _allow_processes() -> None:
    # A worker of Dask is told not to start processes, lest they outlive it: ours do not. It has
    # malloc give memory back at once, with which our fits would take a fourth more time.
    multiprocessing.current_process().daemon = False
    os.environ.pop("MALLOC_TRIM_THRESHOLD_", None)


def _with_files(folder: str, call: partial[Done]) -> Done:
    """Make a call whose files are in a folder; scores that it keeps come back with it."""
    files.SENT[:] = [Path(folder)]
    job, *others = call.args
    if not job.folder:
        return call()
    with tempfile.TemporaryDirectory(dir=folder) as kept:
        done = call.func(replace(job, folder=kept), *others)
        scores = {path.stem: path.read_bytes() for path in Path(kept).rglob("*.npz")}
    return replace(done, files=scores)
