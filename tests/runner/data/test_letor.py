"""Files of queries in LETOR's format: what is read, what is refused, what it is the same as."""

import gzip
import lzma
import os
import random
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import dump_svmlight_file, load_svmlight_file

from rankexp.errors import DataError, DataNotFoundError
from rankexp.metrics import mean_average_precision, ndcg
from rankexp.runner.config.data_entry import DataEntry
from rankexp.runner.config.schema import Preprocess
from rankexp.runner.data.build import build
from rankexp.runner.data.dataset import Dataset, DataTable
from rankexp.runner.data.find import add, find, listing, verify
from rankexp.runner.data.preprocess import Preprocessor
from rankexp.runner.data.readers import letor
from rankexp.runner.data.readers.letor import read_letor
from rankexp.runner.data.sources.file import from_letor

MUTATIONS = int(os.environ.get("RANKEXP_MUTATIONS", "700"))
DENSE = b"".join(
    b"%d qid:%d 1:%d 2:%.6f 3:%.3e #docid = d%d\n" % (i % 3, 7 + i // 9, i, i / 7, -i / 3, i)
    for i in range(40)
)
SPARSE = (
    b"# a comment line\n\n2 qid:11 1:0.5 3:NULL # docid = 1\r\n0 qid:11 2:-1e-3\n"
    b"1.5 qid:4\n 0  qid:4\t3:nan  7:+.25\n"
)
PIECES = [
    *(b" ", b"\n", b"\r", b"\t", b":", b"#", b"qid:", b"NULL", b"nan", b"inf", b"1e999", b"\0"),
    *(
        b"\xff",
        b"\xe2\x80\xa8",
        b"-",
        b".",
        b"e",
        b"_",
        b"0:1",
        b"9" * 20,
        b"99999:1",
        b"::",
        b"  ",
    ),
    *(b"\x1a", b"\xef\xbb\xbf", b"1:1 1:1", b"qid:1 ", b"\x0c", b"+", b"99999999:1"),
]


def read(folder: Path, *contents: bytes, **how: Any) -> DataTable:
    """Read contents as files of parts T1, T2, ...; a single one as a file without part."""
    files = {f"T{i}": folder / f"{i}.txt" for i in range(1, len(contents) + 1)}
    for path, content in zip(files.values(), contents, strict=True):
        path.write_bytes(content)
    return read_letor(files if len(files) > 1 else {"": files["T1"]}, **how)


def entry(files: Any, **more: Any) -> DataEntry:
    given = {"source": {"letor": files}, "target": "relevance", "levels": [0, 1, 2]}
    return DataEntry.model_validate(given | {"groups": "qid"} | more)


def test_what_a_line_leaves_out_is_0_and_null_is_missing(tmp_path: Path) -> None:
    table = read(tmp_path, SPARSE)
    names = [column.name for column in table.columns]
    assert names == ["relevance", "qid", *"1234567"]
    assert table.columns[1].categories == ("11", "4"), "in the order of their appearance"
    nan = np.nan
    expected = [
        [2, 0, 0.5, 0, nan, 0, 0, 0, 0],
        [0, 0, 0, -1e-3, 0, 0, 0, 0, 0],
        [1.5, 1, 0, 0, 0, 0, 0, 0, 0],
        [0, 1, 0, 0, nan, 0, 0, 0, 0.25],
    ]
    np.testing.assert_array_equal(table.values, expected)
    assert table.layout is not None and table.layout.notes == (
        "23 cells that the file leaves out were read as 0",
        "2 cells with NULL or nan were read as missing",
    )


def test_both_ways_to_read_lines_give_the_same_bits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 9)) * 10.0 ** rng.integers(-30, 30, (200, 9))
    X[::7, 3], X[:, 5] = np.nan, rng.integers(-5, 5, 200)
    lines = [
        f"{i % 3} qid:{i // 20} " + " ".join(f"{j}:{v!r}" for j, v in enumerate(row, start=1))
        for i, row in enumerate(X.tolist())
    ]
    content = "\n".join(lines).replace("nan", "NULL").encode()
    fast = read(tmp_path, content)
    monkeypatch.setattr(letor, "_quickly", lambda lines, count: None)
    slow = read(tmp_path, content)
    np.testing.assert_array_equal(fast.values.view(np.int64), slow.values.view(np.int64))
    np.testing.assert_array_equal(fast.values[:, 2:], X)
    assert fast.columns == slow.columns and fast.layout == slow.layout


def test_it_reads_what_scikit_learn_reads(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(90, 12)) * (rng.random((90, 12)) < 0.4)
    y, queries = rng.integers(0, 3, 90), np.repeat(np.arange(9) + 5, 10)
    file = str(tmp_path / "a.txt")
    dump_svmlight_file(X, y, file, zero_based=False, query_id=queries, comment="made")
    theirs, labels, qid = load_svmlight_file(file, query_id=True, zero_based=False)
    table = read_letor({"": Path(file)})
    width = theirs.shape[1]
    np.testing.assert_array_equal(table.values[:, 2 : 2 + width], theirs.toarray())
    np.testing.assert_array_equal(table.values[:, 0], labels)
    texts = np.array(table.columns[1].categories)[table.values[:, 1].astype(int)]
    assert texts.tolist() == [str(query) for query in qid]


def test_blocks_are_cut_at_the_ends_of_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = read(tmp_path, DENSE + SPARSE)
    monkeypatch.setattr(letor, "BLOCK", 97)
    again = read(tmp_path, DENSE + SPARSE)
    np.testing.assert_array_equal(whole.values, again.values)
    with pytest.raises(DataError, match=r"1.txt:41: .*'x' is not a feature"):
        read(tmp_path, DENSE + b"1 qid:99 x")
    with pytest.raises(DataError, match="a line has more than 97 bytes"):
        read(tmp_path, b"1 qid:1 1:1 #" + b"x" * 300)


def test_one_index_far_beyond_the_others_is_said_or_refused(tmp_path: Path) -> None:
    """Columns up to it would all be 0: one of a typing error makes a thousandfold table."""
    stray = b"1 qid:98 1:2 # 100000: no feature\n1 qid:99 2:1 0%d:3\n"
    said = r"2.txt:2: feature 100000 is far beyond the others: only 4 of 100,000 features are"
    with pytest.raises(DataError, match=said):
        read(tmp_path, DENSE, stray % 100_000)
    table = read(tmp_path, DENSE, stray % 900)
    assert table.layout is not None and len(table.columns) == 903
    found = table.layout.notes[0]
    assert found.startswith("only 4 of 900 features are ever different from 0; feature 900 is in ")
    assert found.endswith("2.txt:2")
    dense = b" ".join(b"%d:1" % j for j in range(1, 101))
    assert len(read(tmp_path, DENSE, b"1 qid:99 %s 1000:1" % dense).columns) == 1003, "a tenth"


@pytest.mark.parametrize("pack", [gzip, lzma])
def test_packed_files_are_the_same_and_truncated_ones_errors(tmp_path: Path, pack: Any) -> None:
    path = tmp_path / f"a.txt.{'gz' if pack is gzip else 'xz'}"
    packed = pack.compress(DENSE * 3)
    path.write_bytes(packed)
    np.testing.assert_array_equal(read_letor({"": path}).values, read(tmp_path, DENSE * 3).values)
    path.write_bytes(packed[: len(packed) // 2])
    with pytest.raises(DataError, match=r"a\.txt\..z: cannot read the file: .*end"):
        read_letor({"": path})


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b"1 1:2 2:3", "the label is not followed by 'qid:'"),
        (b"1", "the label is not followed by 'qid:'"),
        (b"1 2:3 qid:4", "the label is not followed by 'qid:'"),
        (b"1 qid:a 1:2", "'qid:a': a query must be a whole number"),
        (b"1 qid: 1:2", "'qid:': a query must be a whole number"),
        (b"1 qid:-3 1:2 2:1 3:1", "'qid:-3': a query must be a whole number"),
        (b"1 qid:1.0 1:2 2:1 3:1", "'qid:1.0': a query must be a whole number"),
        (b"x qid:1 1:2", "begins with 'x', but a label is a finite number"),
        (b"NULL qid:1 1:2 2:1 3:1", "begins with 'NULL', but a label"),
        (b"qid:1 1:2", "begins with 'qid:1', but a label"),
        (b"1e999 qid:1 1:2 2:1 3:1", "begins with '1e999', but a label"),
        (b"1 qid:1 0:2", "feature 0 is below 1; indices must increase"),
        (b"1 qid:1 1:2 3:1 2:1", "feature 2 comes after 3; indices must increase"),
        (b"1 qid:1 1:2 1:3 2:1", "feature 1 comes after 1; indices must increase"),
        (b"1 qid:1 1:2 2:x 3:1", "feature 2 is 'x', which is not a number"),
        (b"1 qid:1 1:2 2:1_0 3:1", "feature 2 is '1_0', which is not a number"),
        (b"1 qid:1 1:2 2:NA 3:1", "feature 2 is 'NA', which is not a number"),
        (b"1 qid:1 1:2 2:0x1 3:1", "feature 2 is '0x1', which is not a number"),
        (b"1 qid:1 1:2 2:inf 3:1", "feature 2 is infinite"),
        (b"1 qid:1 1:2 2:1e400 3:1", "feature 2 is infinite"),
        (b"1 qid:1 1:2 2: 3:1", "'2:' is not a feature, which is written 'index:value'"),
        (b"1 qid:1 1:2 2 3:1", "'2' is not a feature"),
        (b"1 qid:1 1:2 :5 3:1", "':5' is not a feature"),
        (b"1 qid:1 1:2 2.0:5 3:1", "'2.0:5' is not a feature"),
        (b"1 qid:1 1:2 2:5:6 3:1", "feature 2 is '5:6', which is not a number"),
        (b"1 qid:1 qid:2 2:5 3:1", "'qid:2' is not a feature"),
        (b"1 qid:1 1:2 300000:5", "feature '300000': at most 100,000 features are allowed"),
        (b"1 qid:1 " + b"9" * 5000 + b":5", "feature '9999.*at most 100,000 features are allowed"),
        (b"1 qid:1 1:2 2:5 3:1 # caf\xe9", "is not valid utf-8; give"),
    ],
)
def test_malformed_lines_are_errors_with_their_number(
    tmp_path: Path, line: bytes, said: str
) -> None:
    first = b"# comment\n\n" + DENSE.splitlines(keepends=True)[0]
    with pytest.raises(DataError, match=rf"1\.txt:4: .*{said}"):
        read(tmp_path, first + line + b"\n")


@pytest.mark.parametrize("content", [b"", b"\n\n", b"# only a comment\n"])
def test_a_file_without_rows_is_an_error(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(DataError, match=r"1\.txt: there are no data rows"):
        read(tmp_path, content)


def test_other_things_that_are_no_letor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(DataError, match="no line has a feature"):
        read(tmp_path, b"1 qid:1\n")
    with pytest.raises(DataError, match=r"is compressed with gzip, so its name must end in \.gz"):
        read(tmp_path, gzip.compress(DENSE))
    with pytest.raises(DataError, match=r"1\.txt: the file is not text: character 14 is zero"):
        read(tmp_path, b"0 qid:1 1:2 2\0")
    with pytest.raises(DataError, match="'x' is not a known text encoding"):
        read(tmp_path, DENSE + "# é".encode(), encoding="x")
    assert len(read(tmp_path, DENSE + b"# caf\xe9", encoding="latin-1").values) == 40
    assert len(read(tmp_path, b"\xef\xbb\xbf" + DENSE).values) == 40
    monkeypatch.setattr("rankexp.runner.data.memory._allowed", lambda: 1e9)
    with pytest.raises(
        DataError,
        match=r"matrix of 2,000 rows and 90,000 columns needs about 1.4 GB.*index is 90000",
    ):
        read(tmp_path, b"1 qid:1 1:1\n" * 1999 + b"1 qid:1 90000:1\n")


def test_a_query_in_two_parts_is_an_error(tmp_path: Path) -> None:
    second = b"0 qid:50 1:1\n1 qid:8 1:2\n"
    with pytest.raises(
        DataError, match=r"query 8 occurs in two parts, 'T1' .*1\.txt\) and 'T2' \("
    ):
        read(tmp_path, DENSE, second)
    table = read(tmp_path, DENSE, b"0 qid:50 1:1\n1 qid:4 1:2\n")
    assert table.columns[2].categories == ("T1", "T2")
    assert table.values[:, 2].tolist() == [0] * 40 + [1] * 2
    assert table.columns[1].categories == ("7", "8", "9", "10", "11", "50", "4")


def test_queries_with_rows_in_several_places_are_one_and_said(tmp_path: Path) -> None:
    table = read(tmp_path, b"0 qid:1 1:1\n0 qid:2 1:2\n1 qid:1 1:3\n")
    assert table.values[:, 1].tolist() == [0, 1, 0]
    assert table.layout is not None
    said = "1.txt: 1 query has rows that are not consecutive, such as 1; they were put together"
    assert table.layout.notes == (said,)


def made(folder: Path, kind: str, frame: pd.DataFrame) -> Dataset:
    """Return the data set of a frame, kept in a kind of file."""
    features = [name for name in frame if name.isdecimal()]
    if kind == "letor":
        source = {}
        for part, rows in frame.groupby("part"):
            lines = [
                f"{row['relevance']} qid:{row['qid']} "
                + " ".join(f"{j}:{row[j]!r}" for j in features).replace("nan", "NULL")
                for row in rows.to_dict("records")
            ]
            source[part] = f"{part}.txt"
            (folder / f"{part}.txt").write_text("\n".join(lines))
        own = entry(source, part="part")
    elif kind == "csv":
        frame.to_csv(folder / "a.csv", index=False)
    else:
        frame.to_parquet(folder / "a.parquet")
    if kind != "letor":
        file = {"source": {"file": f"a.{kind}"}, "identifiers": "keep", "header": True}
        own = entry("", part="part", **file)
    return find("d", own, [folder], folder / "cache").dataset


def test_letor_csv_and_parquet_make_the_same_data_set(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    X = rng.normal(size=(60, 4)).round(6)
    X[rng.random((60, 4)) < 0.1] = np.nan
    frame = pd.DataFrame(X, columns=list("1234"))
    frame["relevance"], frame["qid"] = np.arange(60) % 3, np.arange(60) // 6
    frame["part"] = np.where(np.arange(60) < 24, "T1", "T2")
    one, *others = (made(tmp_path, kind, frame) for kind in ("letor", "csv", "parquet"))
    assert one.groups is not None and one.parts is not None
    for other in others:
        assert one.X.tobytes() == other.X.tobytes() and one.y.tobytes() == other.y.tobytes()
        assert other.groups is not None and one.groups.tobytes() == other.groups.tobytes()
        assert other.parts is not None and one.parts.tobytes() == other.parts.tobytes()
        assert (one.part_names, one.group_names) == (other.part_names, other.group_names)
        assert one.fingerprint == other.fingerprint


def test_query_and_part_are_never_features_unless_asked_for(tmp_path: Path) -> None:
    table = read(tmp_path, DENSE, SPARSE.replace(b"1.5", b"1").replace(b"qid:11", b"qid:21"))
    found = build("d", table, entry("", groups=None))
    assert [feature.name for feature in found.features] == list("1234567")
    assert found.reading is not None and set(found.reading.left_out) == {"qid", "part"}
    kept = build("d", table, entry("", groups=None, keep=["qid"]))
    assert kept.features[0].name == "qid"


def test_files_that_are_not_there_are_named(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(DENSE)
    own = entry({"T1": "a.txt", "T2": "b.txt"}, part="part", origin="www.example.org,\n  sha 1")
    with pytest.raises(DataNotFoundError) as caught:
        find("d", own, [tmp_path], tmp_path / "cache", online=False)
    said = str(caught.value)
    assert (
        "these of its files are missing: b.txt" in said
        and "put a.txt and b.txt into a folder" in said
    )
    assert said.endswith("Where from: www.example.org, sha 1")
    with pytest.raises(DataError, match=r"of 2 files these are missing: b\.txt"):
        from_letor(own.source["letor"], own, [tmp_path])
    with pytest.raises(DataError, match=r"has two files; put a\.txt and b\.txt into"):
        add("d", own, tmp_path / "a.txt", tmp_path / "cache")
    (line,) = listing({"d": (own, [tmp_path])}, tmp_path / "cache")
    assert line == "d  not found; put its files into a folder: a.txt, b.txt"


def test_a_single_file_can_be_added_and_is_read_anew_when_it_changes(tmp_path: Path) -> None:
    cache, own = tmp_path / "cache", entry("a.txt")
    (tmp_path / "mine.txt").write_bytes(DENSE)
    assert add("d", own, tmp_path / "mine.txt", cache).facts.rows == 40
    assert find("d", own, [], cache).dataset.group_names == ("7", "8", "9", "10", "11")
    (tmp_path / "a.txt").write_bytes(DENSE + b"1 qid:99 1:1\n")
    first = find("d", own, [], cache).facts
    (tmp_path / "cache" / "added" / "d" / "mine.txt").write_bytes(DENSE + b"1 qid:99 1:1\n")
    assert (first.rows, find("d", own, [], cache).facts.rows) == (40, 41)
    assert "41 rows, 3 features" in verify("d", own, [], cache)


def mutated(rng: random.Random) -> bytes:
    content = bytearray(rng.choice([DENSE[:800], SPARSE, DENSE[:300] + SPARSE]))
    for _ in range(rng.randint(1, 3)):
        at = rng.randrange(len(content) + 1)
        end = min(len(content), at + rng.randint(0, 30))
        match rng.randrange(4):
            case 0:
                content[at:end] = bytes(rng.randrange(256) for _ in range(rng.randint(0, 2)))
            case 1:
                content[at:at] = rng.choice(PIECES)
            case 2:
                content[at:at] = content[at:end] * 2
            case 3:
                del content[at:]
    return bytes(content)


def test_mutated_files_are_read_or_refused_and_both_ways_agree(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng, outcomes = random.Random(0), {"read": 0, "refused": 0}
    for _ in range(MUTATIONS):
        found = []
        content = mutated(rng)
        for quick in (True, False):
            with monkeypatch.context() as patch:
                if not quick:
                    patch.setattr(letor, "_quickly", lambda lines, count: None)
                try:
                    table = read(tmp_path, content)
                except DataError as error:
                    assert str(tmp_path / "1.txt") in str(error)
                    found.append(str(error).encode())
                    outcomes["refused"] += 1
                    continue
            assert np.isfinite(table.values[:, 0]).all() and not np.isinf(table.values).any()
            assert table.values.shape[1] == len(table.columns)
            found.append(np.where(np.isnan(table.values), np.nan, table.values).tobytes())
            outcomes["read"] += 1
        assert found[0] == found[1], content
    assert min(outcomes.values()) > MUTATIONS / 10, outcomes


@pytest.fixture(scope="session")
def ohsumed(real_data: Path) -> dict[str, DataTable]:
    if not (real_data / "ohsumed").is_dir():
        pytest.skip("RANKEXP_DATA has no OHSUMED")
    names = {"QueryLevelNorm": "test", "Feature-min": "testset", "Feature-null": "testset"}
    return {
        variant: read_letor(
            {
                f"T{i}": real_data / "ohsumed" / variant / f"Fold{i}" / f"{name}.txt.xz"
                for i in range(1, 6)
            }
        )
        for variant, name in names.items()
    }


def test_ohsumed_is_what_was_counted(ohsumed: dict[str, DataTable]) -> None:
    for table in ohsumed.values():
        assert table.values.shape == (16140, 3 + 45)
        assert len(table.columns[1].categories) == 106
        assert np.bincount(table.values[:, 0].astype(int)).tolist() == [11303, 2585, 2252]
        parts = np.bincount(table.values[:, 2].astype(int)).tolist()
        assert parts == [3383, 2570, 3076, 3573, 3538]
        np.testing.assert_array_equal(table.values[:, :3], ohsumed["Feature-null"].values[:, :3])
    missing = np.isnan(ohsumed["Feature-null"].values[:, 3:])
    assert missing.sum() == 51_490
    where = [*range(11, 16), *range(26, 31), *range(41, 46)]
    assert (np.flatnonzero(missing.any(axis=0)) + 1).tolist() == where
    for filled in ("Feature-min", "QueryLevelNorm"):
        assert not np.isnan(ohsumed[filled].values).any()


def test_scaling_within_queries_makes_query_level_norm(ohsumed: dict[str, DataTable]) -> None:
    raw, scaled = ohsumed["Feature-min"], ohsumed["QueryLevelNorm"]
    groups = raw.values[:, 1].astype(np.int64)
    config = Preprocess(scale="minmax", within="groups")
    made = Preprocessor(config, raw.columns[3:])
    found = made.fit(raw.values[:, 3:], groups).transform(raw.values[:, 3:], groups)
    np.testing.assert_allclose(found, scaled.values[:, 3:], atol=1e-6)


def test_a_declared_entry_is_found_packed_and_checked(
    ohsumed: dict[str, DataTable], real_data: Path, tmp_path: Path
) -> None:
    files = {f"T{i}": f"ohsumed/QueryLevelNorm/Fold{i}/test.txt" for i in range(1, 6)}
    prints = {"rows": 16140, "features": 45, "classes": [11303, 2585, 2252]}
    own = entry(files, part="part", fingerprint=prints)
    found = find("ohsumed", own, [real_data], tmp_path)
    assert found.dataset.part_names == ("T1", "T2", "T3", "T4", "T5")
    assert found.where.endswith("Fold1/test.txt.xz and 4 more")
    with pytest.raises(DataError, match="rows: declared 16139, found 16140"):
        wrong = entry(files, part="part", fingerprint=prints | {"rows": 16139, "classes": None})
        find("ohsumed", wrong, [real_data], tmp_path)


def test_least_squares_are_letors_row_of_regression(ohsumed: dict[str, DataTable]) -> None:
    """The print, to its last digit: LETOR's folds, discount and order of ties."""
    y, query, part, *features = ohsumed["QueryLevelNorm"].values.T
    X, found = np.column_stack([np.ones(y.size), *features]), []
    for test in range(5):
        train = np.isin(part, [(test + k) % 5 for k in (1, 2, 3)])
        w = np.linalg.lstsq(X[train], y[train], rcond=None)[0]
        own = part == test
        given = (y[own], X[own] @ w, query[own])
        cuts = [ndcg(*given, k=k, discount="letor", ties="order") for k in (1, 3, 5, 10)]
        found.append([*cuts, mean_average_precision(*given, ties="order")])
    row = np.mean(found, axis=0).round(4).tolist()
    assert row == [0.4456, 0.4426, 0.4278, 0.4110, 0.4220]
