"""Damaged and strange inputs for every reader; `make explore` tries 50,000 of each.

A reader may take an input or refuse it with an error of its own. Anything else is a fault:
another error, more than a second of a processor beyond what the size asks for, or a file that is
written, a program that is started or a connection that is made meanwhile. What an input was that
is at fault is left in the folder `build/fuzz`. Run as

    python tests/fuzz.py [--inputs N] [--seed S] [READER ...]
"""

import argparse
import bz2
import faulthandler
import gzip
import hashlib
import io
import json
import lzma
import os
import random
import re
import resource
import signal
import sys
import tempfile
import time
import traceback
import warnings
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from rankexp.errors import ConfigError, DataError
from rankexp.runner.config.data_entry import DataEntry

ROOT = Path(__file__).parents[1]
SECONDS = 1.0
"""Of a processor that an input may take, and as many for each megabyte of it."""
MEMORY = 4 << 30
"""Bytes that the process may take beyond those it has at its start."""
ENTRY = DataEntry.model_validate({"source": {"file": "t"}, "target": "y"})
Random = random.Random

CSV = (
    b"age,income,plan,when,left\n"
    + b"34,1.5,basic,2024-01-05,no\n?,2e3,plus,2024-02-05,yes\n,-7,,2023-01-01,no\n" * 6
)
GERMAN = CSV.replace(b",", b";").replace(b"1.5", b"1.234,5")
QUOTED = b'"a","b c","d"\r\n' + b'"1,234.50",x,"say ""no"""\r\n"22,000.25","l\nb",z\r\n' * 6
WIDE = "x;y\n1,5;é\n2;ü\n".encode("utf-16")
SPACED = b"# note\na b  c\n" + b"1 2.5 x\n-3  4 y\n" * 6
SAID = b"sep=|\na|b\n" + b"1 000,5|$3\n2,5|$4,50\n" * 4
ARFF = (
    b"% c\n@relation t\n@attribute age numeric\n@attribute 'a b' {red, 'dark green'}\n"
    b"@attribute w string\n@attribute d date 'yyyy'\n@attribute n integer [1,10]\n@data\n"
    + b"5, red, zebra, 2001, 1\n?, 'dark green', 'an ant', ?, 2\n7.5e1,?,\"it's\",x,?\n"
    * 5
)
LETOR = b"2 qid:1 1:0.5 2:3 3:-1e-3 # d1\n0 qid:1 1:1 3:2\n1 qid:2 2:NULL 3:nan\n" * 5
YAML = b"""version: 1
study: t
title: "A study"
seed: 1
data:
  d: {source: {file: d.csv, openml: 15}, target: y, levels: [a, [b, c], "*"], missing: [-9, n/k],
      fingerprint: {rows: 20, features: 3, classes: [5, 10, 5], missing: null}}
  q: {source: {letor: {S1: a.txt, S2: b.txt}}, target: relevance, groups: qid}
generators: {g: &g {generator: gaussian, params: {priors: [0.5, 0.5]}}}
methods:
  m: {params: {loss: logistic, risk: multipartite}, lambdas: [1e-3, 1.0]}
  n: {estimator: sklearn.linear_model.LogisticRegression, grid: {C: [1, 10.0]}, label: "x \\u00e9"}
experiments:
  e: {problems: [g], methods: [m, n], metrics: [auc, "ndcg@3", rank_loss(ties=expected)],
      protocol: {kind: models, models: 2, training_sets: 1, n_train: 20, n_test: 30}}
  f: {problems: [d], methods: [m], metrics: [pair_risk], inner: {folds: 3},
      protocol: {kind: cross_validation, folds: 5, repeats: 2}}
report:
  - {block: boxplots, name: t1, experiment: e, title: "x"}
  - block: rank_table
    name: t2
    experiment: e
    text: |
      one
      two
profiles: {quick: {experiments: {e: {protocol: {models: 1}}, f: null}}}
"""
RECORD = {
    "status": "ok", "reason": None, "version": "0.1.0", "warnings": ["UserWarning: w"],
    "grid": [{"lam": 1.0}, {"lam": 2.0}], "texts": {"tree:0": "x"}, "times": {"fit": 0.1},
    "rows": [["test", 0, None, None, "auc", 0.5], ["test", 1, None, "7", "auc", "inf"]],
    "curves": {"roc:0": {"x": [0.0, 1.0], "y": [None, 1.0]}}, "packages": {"numpy": "2"},
}  # fmt: skip
PIECES = [
    *(b",", b";", b"\t", b"|", b'"', b"'", b"\n", b"\r", b"\r\n", b" ", b".", b"-", b"?", b"NA"),
    *(b"\0", b"\xff", b"\xe2\x80\xa8", b"\x0c", b"\x1a", b"#", b"%", b"{", b"}", b"\\", b"1e999"),
    *(b"nan", b"1,234", b"1_000", b"12:30", b"x" * 50, b"\xef\xbb\xbf", b"\xc2\xa0", b"@data\n"),
    *(b"inf", b"[", b"]", b"[" * 300, b"9" * 400, b"1e-400", b"0x10", b"<", b">", b"&", b"!"),
    *(b"\xed\xa0\x80", b"\xff\xfe", b"\xd9\xa3", b"../../x", b"/etc/passwd", b"null", b"true"),
    *(b"sep=,\n", b"@attribute", b"qid:", b"qid:99999999999999999999", b"99999:1", b"$"),
    *(b"- ", b": ", b"? ", b"<<: ", b"&a ", b"*a", b"!!python/object:os.getpid ", b"|\n", b"~"),
    *(b"XFD1048576", b' t="s"', b' t="d"', b' t="e"', b' r="A0"', b' s="99"', b"<v>1e999</v>"),
    *(b"-1", b"0", b"4294967296", b"18446744073709551616", b"\x00" * 8, b"\xff" * 8, b"e", b"E5"),
    *(b"31/12/2020", b"1/2/20 3:04 PM", b"(3)", "−5".encode(), "€5".encode(), "1\u202f0".encode()),
]  # fmt: skip


def mutated(content: bytes, rng: Random) -> bytes:
    """Return bytes with one to four changes."""
    found = bytearray(content)
    for _ in range(rng.choice([1, 1, 1, 2, 3, 4])):
        at, much = rng.randrange(len(found) + 1), rng.choice([1, 1, 1, 1, 2, 9, 60, 300])
        match rng.choice([0, 1, 2, 2, 3, 3, 4, 4, 5, 6, 7, 7, 8, 8]):
            case 0 | 1:
                found[at:at] = rng.choice(PIECES) * rng.choice([1] * 9 + [2, 30])
            case 2:
                del found[at : at + much]
            case 3:
                found[at : at + 1] = bytes([rng.randrange(256)])
            case 4:
                piece = rng.choice(PIECES)
                found[at : at + len(piece)] = piece
            case 5:
                found[at:at] = found[at : at + much] * rng.randint(1, 3)
            case 6:
                found = found[: max(at, 1)]
            case 7 if found:
                found[min(at, len(found) - 1)] ^= 1 << rng.randrange(8)
            case _:
                other = rng.randrange(len(found) + 1)
                found[at:at] = found[other : other + much]
    return bytes(found)


def strange(rng: Random) -> bytes:
    """Return text, or bytes, of no format."""
    if rng.random() < 0.3:
        return rng.randbytes(rng.randrange(200))
    planes = (0x20, 0x7F), (0, 0x20), (0x80, 0x800), (0x2000, 0x2070), (0x1F300, 0x1F600)
    signs = (chr(rng.randrange(*rng.choice(planes))) for _ in range(rng.randrange(60)))
    pieces = (rng.choice(PIECES) for _ in range(rng.randrange(30)))
    return b"".join(sorted([*pieces, *(s.encode() for s in signs)], key=lambda _: rng.random()))


def _altered_json(value: object, rng: Random) -> object:
    """Return JSON with a value somewhere in it replaced, moved, doubled or left out."""
    places: list[tuple[object, object]] = []

    def walk(one: object) -> None:
        items = (
            one.items()
            if isinstance(one, dict)
            else enumerate(one)
            if isinstance(one, list)
            else ()
        )
        for key, child in items:
            places.append((one, key))
            walk(child)

    value = json.loads(json.dumps(value))
    walk(value)
    for _ in range(rng.randint(1, 3)):
        parent, key = rng.choice(places)
        odd = [None, True, -1, 0, 7, 1.5, 1e308, "", "inf", "nan", "x", [], {}, [[]], {"a": 1}]
        odd += [10**30, "\ud800", ["x"], {"x": [1]}, "é" * 99, -(2**63)]
        with_other = rng.random()
        try:
            if with_other < 0.2:
                del parent[key]  # type: ignore[attr-defined]
            elif with_other < 0.4:
                other, at = rng.choice(places)
                parent[key] = json.loads(json.dumps(other[at]))  # type: ignore[index]
            else:
                parent[key] = rng.choice(odd)  # type: ignore[index]
        except (KeyError, IndexError, ValueError):  # gone with an earlier change
            continue
    return value


# -- seeds and changes of the formats that are packed


def _zipped(parts: dict[str, bytes]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as made:
        for name, content in parts.items():
            made.writestr(zipfile.ZipInfo(name), content)
    return file.getvalue()


def _parts(content: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        return {name: packed.read(name) for name in packed.namelist()}


def within_zip(content: bytes, rng: Random) -> bytes:
    """Return an archive with a change in one of its parts, its checksums right."""
    if rng.random() < 0.3:
        return mutated(content, rng)
    parts = _parts(content)
    name = rng.choice([*parts, *[n for n in parts if "sheet" in n or n == "head.npy"] * 4])
    if rng.random() < 0.05:
        parts["../../outside.xml"] = parts.pop(name)
    else:
        parts[name] = mutated(parts[name], rng)
    return _zipped(parts)


@cache
def excel_seeds() -> list[bytes]:
    import pandas as pd

    one = pd.read_csv(io.BytesIO(CSV), parse_dates=["when"])
    two = pd.DataFrame({"a": [1.5, None], "b": ["=1+2", "x"], "c": [True, False]})
    found = []
    for frames in ({"only": one}, {"first": two, "second": one.head(2)}):
        file = io.BytesIO()
        with pd.ExcelWriter(file, engine="openpyxl") as writer:
            for name, frame in frames.items():
                frame.to_excel(writer, sheet_name=name, index=False)
        found.append(_zipped(_parts(file.getvalue())))
    return found


@cache
def parquet_seeds() -> list[bytes]:
    import pandas as pd

    frame = pd.read_csv(io.BytesIO(CSV), parse_dates=["when"])
    frame["big"], frame["plan"] = np.arange(len(frame)) + 2**60, frame["plan"].astype("category")
    nested = pd.DataFrame({"a": [[1], [2]], "b": [1, 2]})
    found = []
    for one, how in ((frame, None), (frame, "snappy"), (frame, "gzip"), (nested, "zstd")):
        file = io.BytesIO()
        one.to_parquet(file, compression=how)
        found.append(file.getvalue())
    return found


@cache
def snapshot_seeds() -> list[bytes]:
    from rankexp.runner.data import build, snapshot
    from rankexp.runner.data.dataset import DataTable, Feature
    from rankexp.runner.data.sources.file import read

    found = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "t.csv")
        path.write_bytes(CSV)
        entry = DataEntry.model_validate(
            {"source": {"file": "t.csv"}, "target": "left", "levels": ["no", "yes"]}
        )
        snapshot.write_dataset(build.build("t", read(path, entry), entry), Path(folder, "a"))
        features = (Feature("a"), Feature("b", "nominal", ("ü", "v")))
        table = DataTable("t", features, np.array([[1.5, 0], [np.nan, 1]]), {"id": 15})
        snapshot.write_table(table, Path(folder, "b"))
        found += [Path(folder, name).read_bytes() for name in "ab"]
    return found


def job(keys: str = "ab", generation: int = 0) -> bytes:
    """Return a file of records, its checksum right."""
    return resealed({"job": "c" * 64, "records": [RECORD | {"key": k * 64} for k in keys]})


def resealed(payload: object) -> bytes:
    text = json.dumps(payload, sort_keys=True, separators=(",", ":"))
    try:
        from rankexp.runner.spec import digest

        checksum = digest(payload)
    except (ValueError, RecursionError):
        checksum = hashlib.sha256(text.encode()).hexdigest()
    head = f'{{"format":1,"rankexp":"0","written":0,"checksum":"{checksum}","payload":{text}}}'
    return head.encode()


def altered_records(content: bytes, rng: Random) -> bytes:
    if rng.random() < 0.4:
        return mutated(content, rng)
    return resealed(_altered_json(json.loads(content)["payload"], rng))


@cache
def sealed_seeds() -> list[bytes]:
    from rankexp.runner.run.sealed import seal
    from rankexp.runner.run.store import unpack

    _, generation, records = unpack(job("abcd"))
    return [seal([(generation, one) for one in records])]


def altered_sealed(content: bytes, rng: Random) -> bytes:
    """Return a sealed file with a change in one of its streams, packed again."""
    if rng.random() < 0.3:
        return mutated(content, rng)
    whole = lzma.decompress(content)
    line, _, body = whole.partition(b"\n")
    match rng.randrange(3):
        case 0:
            line = json.dumps(_altered_json(json.loads(line), rng)).encode()
        case 1:
            line = mutated(line, rng)
        case _:
            body = mutated(body, rng)
    return lzma.compress(line + b"\n" + body, preset=0)


def packed_again(content: bytes, rng: Random) -> bytes:
    """Return a packed file with a change, in it or of it, or packed another way."""
    if rng.random() < 0.4:
        return mutated(content, rng)
    way = rng.choice([gzip.compress] * 8 + [bz2.compress, lzma.compress])
    return way(mutated(gzip.decompress(content), rng))


# -- the readers


def _read_table(path: Path) -> None:
    from rankexp.runner.data.sources.file import read

    table = read(path, ENTRY)
    assert table.values.shape == (len(table.values), len(table.columns))


def _read_letor(path: Path) -> None:
    from rankexp.runner.data.readers.letor import read_letor

    read_letor({"": path})


def _read_study(path: Path) -> None:
    from rankexp.runner.config.load import load

    try:
        load(path)
    except ConfigError as error:
        for line in str(error).split("\n"):
            assert re.match(rf"{re.escape(str(path))}:\d+:\d+: .", line), line
        raise


@cache
def _study(name: str) -> object:
    from rankexp.runner.config.load import load
    from rankexp.runner.config.shipped import shipped

    return load(shipped()[name])


def _read_published(path: Path) -> None:
    from rankexp.runner.config import published

    study = _study("menon2014").model_copy(update={"published": path})  # type: ignore[attr-defined]
    said = list(published.faults(study))
    assert all(one.startswith(f"{path}:") and "\n" not in one for one in said), said
    if (rows := published.rows_of(study)) is not None:
        published.table(rows)


def _read_claims(path: Path) -> None:
    from rankexp.runner.config import claims

    study = _study("menon2014").model_copy(update={"claims": path})  # type: ignore[attr-defined]
    said = list(claims.faults(study))
    assert all(one.startswith(f"{path}:") and "\n" not in one for one in said), said


def _read_records(path: Path) -> None:
    from rankexp.runner.run.store import Store, pack

    store = Store(path.parent.parent.parent)
    records = store.read()
    assert bool(records) != bool(store.problems) or not records
    for record in records.values():
        pack("c" * 64, [record])


def _read_sealed(path: Path) -> None:
    from rankexp.runner.run.sealed import name_of, open_sealed

    there = path.with_name(name_of(path.read_bytes()))
    path.rename(there)
    try:
        open_sealed(there)
    finally:
        there.rename(path)


def _read_snapshot(path: Path) -> None:
    from rankexp.runner.data.snapshot import read_dataset, read_table

    for read in (read_dataset, read_table):
        try:
            read(path)
        except DataError as error:
            assert str(path) in str(error)


@dataclass(frozen=True)
class Reader:
    """What reads an input, and what inputs are made of."""

    read: Callable[[Path], None]
    seeds: Callable[[], list[bytes]]
    name: str
    """Of the file."""
    change: Callable[[bytes, Random], bytes] = mutated
    errors: tuple[type[Exception], ...] = (DataError,)


def _published(name: str) -> bytes:
    lines = Path(ROOT, "configs/published", name).read_bytes().splitlines(keepends=True)
    return b"".join([*[line for line in lines if not line.startswith(b"#")][:9], b"# a\n"])


READERS = {
    "csv": Reader(_read_table, lambda: [CSV, GERMAN, QUOTED, WIDE, SPACED, SAID], "t.csv"),
    "packed-csv": Reader(
        _read_table,
        lambda: [gzip.compress(one, mtime=0) for one in (CSV, GERMAN)],
        "t.csv.gz",
        packed_again,
    ),
    "arff": Reader(_read_table, lambda: [ARFF], "t.arff"),
    "letor": Reader(_read_letor, lambda: [LETOR], "t.txt"),
    "parquet": Reader(_read_table, parquet_seeds, "t.parquet"),
    "excel": Reader(_read_table, excel_seeds, "t.xlsx", within_zip),
    "yaml": Reader(_read_study, lambda: [YAML], "t.yaml", errors=(ConfigError,)),
    "published": Reader(
        _read_published, lambda: [_published("menon2014.csv")], "t.csv", errors=(ConfigError,)
    ),
    "claims": Reader(
        _read_claims, lambda: [_published("menon2014-claims.csv")], "t.csv", errors=(ConfigError,)
    ),
    "records": Reader(
        _read_records, lambda: [job()], f"records/cc/{'c' * 64}.json", altered_records
    ),
    "sealed": Reader(
        _read_sealed, sealed_seeds, "sealed.xz", altered_sealed, errors=(ConfigError,)
    ),
    "snapshots": Reader(_read_snapshot, snapshot_seeds, "t.npz", within_zip),
}


# -- watching


class Watch:
    """What a process does beside reading, while it is watched."""

    def __init__(self) -> None:
        self.folder: Path | None = None
        self.seen: list[str] = []
        sys.addaudithook(self._hook)

    def _hook(self, event: str, given: tuple[object, ...]) -> None:
        if self.folder is None:
            return
        if event == "open":
            path, mode, flags = given
            writes = isinstance(flags, int) and flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
            if (
                writes
                and not str(path).endswith((".pyc", ".nbi", ".nbc"))
                and "pyc." not in str(path)
            ):
                self.seen.append(f"open {path} {mode} {flags}")
        elif event in FORBIDDEN:
            if event == "os.rename" and str(self.folder) in str(given[0]):
                return
            self.seen.append(f"{event} {given[:2]}")


FORBIDDEN = {
    "os.mkdir", "os.remove", "os.rename", "os.rmdir", "os.link", "os.symlink", "os.truncate",
    "os.system", "os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.spawn", "os.startfile",
    "os.kill", "subprocess.Popen", "socket.connect", "socket.bind", "socket.getaddrinfo",
    "ftplib.connect", "urllib.Request", "shutil.rmtree", "shutil.move", "pickle.find_class",
}  # fmt: skip


@cache
def watch() -> Watch:
    return Watch()


class TooSlow(BaseException):
    """The input takes too long."""


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Raise TooSlow where Python is still at it after some seconds of a processor."""

    def stop(*_: object) -> None:
        raise TooSlow

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def attempt(reader: Reader, content: bytes, folder: Path) -> str | None:
    """Return what is wrong with how a reader takes an input; None if nothing is."""
    path = folder / reader.name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    allowed = SECONDS * (1 + len(content) / 1e6)
    fault, begun = None, time.process_time()
    watch().seen.clear()
    watch().folder = folder
    try:
        with limited(5 * allowed), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            reader.read(path)
    except reader.errors as error:
        text = str(error)
        if not text or len(text) > 20_000:
            fault = f"a message of {len(text)} characters"
    except TooSlow:
        fault = f"not done after {5 * allowed:.1f} s\n{traceback.format_exc()}"
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            raise
        fault = "".join(traceback.format_exception(error))
    finally:
        watch().folder = None
    if fault is None and (spent := time.process_time() - begun) > allowed:
        fault = f"took {spent:.2f} s of a processor"
    if watch().seen:
        fault = f"did more than read: {watch().seen[:3]}"
    return fault


def inputs(reader: Reader, seed: str, count: int) -> Iterator[bytes]:
    """Yield so many inputs: whole ones, then changed ones and some of no format."""
    rng, seeds = random.Random(seed), reader.seeds()
    yield from seeds
    for _ in range(count - len(seeds)):
        yield strange(rng) if rng.random() < 0.05 else reader.change(rng.choice(seeds), rng)


def faults(name: str, seed: str, count: int) -> Iterator[tuple[bytes, str]]:
    """Yield the inputs that a reader fails at, and how."""
    reader = READERS[name]
    with tempfile.TemporaryDirectory() as folder:
        for seed_input in reader.seeds():  # what is imported and compiled is no input's fault
            attempt(reader, seed_input, Path(folder))
        for content in inputs(reader, seed, count):
            fault = attempt(reader, content, Path(folder))
            if fault and (again := attempt(reader, content, Path(folder))):  # no slow machine's
                yield content, again


def main() -> None:
    asked = argparse.ArgumentParser()
    asked.add_argument("readers", nargs="*", default=list(READERS))
    asked.add_argument("--inputs", type=int, default=50_000)
    asked.add_argument("--seed", default=str(time.time_ns()))
    given = asked.parse_args()
    faulthandler.enable()
    have = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (have + MEMORY,) * 2)
    kept, failed = ROOT / "build/fuzz", False
    for name in given.readers:
        begun, kinds = time.process_time(), Counter[str]()
        for content, fault in faults(name, f"{given.seed} {name}", given.inputs):
            last = fault.strip().splitlines()[-1]
            where = [line for line in fault.splitlines() if line.lstrip().startswith("File")][-1:]
            kind = re.sub(r"\d+", "0", f"{last[:80]} {''.join(where)}")
            kinds[kind] += 1
            if kinds[kind] == 1:
                kept.mkdir(parents=True, exist_ok=True)
                digest = hashlib.sha256(content).hexdigest()[:8]
                file = kept / f"{name}-{digest}-{Path(READERS[name].name).name}"
                file.write_bytes(content)
                print(f"{name}: {file}\n{fault[-3000:]}", flush=True)
        failed |= bool(kinds)
        spent = time.process_time() - begun
        print(
            f"{name}: {given.inputs:,} inputs, {kinds.total():,} faults of {len(kinds)} kinds, "
            f"{spent:.0f} s of a processor, seed {given.seed}",
            flush=True,
        )
    sys.exit(failed)


if __name__ == "__main__":
    main()
