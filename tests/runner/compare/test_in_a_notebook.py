"""`rankexp.compare` and `rankexp.inspect` in Python: what they take, say and show."""

import ast
import gc
import io
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from html.parser import HTMLParser
from pathlib import Path

import matplotlib.figure
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import rankexp
from rankexp.errors import ConfigError, DataError, RankexpError
from rankexp.runner.cli import main
from rankexp.runner.compare import budget, calls, command, session
from rankexp.runner.compare.results import CompareResult
from rankexp.runner.config.asking import manner

N = 80
FEW = ["points-logistic", "pairs-logistic"]
EVIL = "<script>alert('x')</script> & more"


def frame(**more: object) -> pd.DataFrame:
    rng = np.random.default_rng(3)
    made = pd.DataFrame({"x": rng.normal(size=N).round(3), EVIL: rng.normal(size=N).round(3)})
    return made.assign(left=np.where(made["x"] > rng.normal(size=N), "<b>", "no"), **more)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder to work in, in which one repeat must do and nothing is widened."""
    folder = tmp_path_factory.mktemp("notebook")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setenv("RANKEXP_CACHE", str(folder / "cache"))
        patch.setattr(tempfile, "tempdir", str(folder))
        patch.setattr(session, "ROUNDS", 0)
        patch.setattr(budget, "MOST_REPEATS", 1)
        yield folder


@pytest.fixture(scope="module")
def answer(place: Path) -> CompareResult:
    """The answer on a frame, which prints nothing."""
    printed = io.StringIO()
    with redirect_stdout(printed), redirect_stderr(printed):
        made = rankexp.compare(
            frame(), target="left", methods=FEW, out=place / "its", jobs=1, minutes=0.2
        )
    assert not printed.getvalue()
    return made


def flat(text: str) -> str:
    return " ".join(text.split())


def test_the_tables_have_the_numbers_of_the_file(answer: CompareResult) -> None:
    exact = {"keep_default_na": False, "na_values": [""], "float_precision": "round_trip"}
    numbers = pd.read_csv(answer.folder / "answer.csv", **exact)
    assert set(answer.methods) & set(answer.contrasts) == {"method"}
    for name in ("mean", "low", "seconds"):
        np.testing.assert_array_equal(answer.methods[name], numbers[name])
    (row,) = answer.contrasts.itertuples()
    assert (row.method, row.on_points) == ("pairs-logistic", "points-logistic")
    assert row.difference == numbers.set_index("method").loc["pairs-logistic", "difference"]
    assert isinstance(answer.figure, matplotlib.figure.Figure)


def test_the_sentences_are_those_of_the_report(answer: CompareResult) -> None:
    said, report = repr(answer), (answer.folder / "report.md").read_text("utf-8")
    assert said.startswith(answer.answer[0]) and said.endswith(answer.remarks[-1])
    assert answer.remarks[0].startswith("Guessed: '<b>' is taken") and "positive=..." in said
    plain = report.replace("\\", "")
    assert all(flat(text) in flat(plain) for text in answer.answer)
    assert "Can it be trusted? The answer rests on 80 rows" in said
    assert "a larger minutes=..." in said and "--" not in said


class Page(HTMLParser):
    """The tags, the sources and the visible text of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.sources: list[str] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.sources += [value or "" for key, value in attrs if key in ("src", "href")]

    def handle_data(self, data: str) -> None:
        self.text += data


def test_the_page_is_whole_and_obeys_nothing(answer: CompareResult) -> None:
    page = Page(answer._repr_html_())
    assert not {"script", "b", "link", "iframe"} & set(page.tags)
    assert [source[:22] for source in page.sources] == ["data:image/png;base64,"]
    assert all(flat(text) in flat(page.text) for text in (*answer.answer, answer.code, EVIL))
    assert "t-test over the test rows" in page.text and "logistic on pairs" in page.text
    assert page.tags.count("details") == 4
    assert "color" not in answer._repr_html_().partition("base64")[0]  # pages have their own


def test_the_lines_train_on_the_frame_at_hand(answer: CompareResult, place: Path) -> None:
    known = {"frame": frame()}
    exec(compile(answer.code, "pasted", "exec"), known)
    assert (place / "its" / "ranker.joblib").is_file() and len(known["scores"]) == N
    assert "read_parquet" in (answer.folder / "train.py").read_text("utf-8")


def test_the_study_of_a_frame_can_be_run_again(
    answer: CompareResult, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = (answer.folder / "study.yaml").relative_to(Path.cwd()).as_posix()
    monkeypatch.setattr(sys, "argv", ["rankexp", "run", file, "--results", "."])
    with pytest.raises(SystemExit) as ended:
        main()
    assert not ended.value.code and "nothing to do" in capsys.readouterr().out


def test_no_file_of_the_users_is_overwritten(place: Path) -> None:
    (place / "mine").mkdir()
    (place / "mine" / "frame.parquet").write_text("precious")
    with pytest.raises(ConfigError, match="that 'rankexp' did not write; name"):
        rankexp.compare(frame(), target="left", out=place / "mine")
    assert (place / "mine" / "frame.parquet").read_text() == "precious"


class Made:
    """Something that has a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder


def test_a_temporary_folder_goes_with_the_answer(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "compare", lambda _, options: (0, options.out))
    monkeypatch.setattr(calls, "_result", lambda _, folder: Made(folder))
    answer = rankexp.compare(frame(), target="left")
    folder = answer.folder
    assert folder.parent.parent == place and folder.is_dir()
    del answer
    gc.collect()
    assert not folder.parent.exists()


def test_what_is_printed_is_asked_for_and_a_failure_leaves_nothing(
    place: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session.Session, "design", lambda _: (_ for _ in ()).throw(MemoryError()))
    there = set(place.iterdir())
    for verbose in (False, True):
        with pytest.raises(MemoryError):
            rankexp.compare(frame(), target="left", methods=FEW, jobs=1, verbose=verbose)
        assert set(place.iterdir()) == there and manner() == ""
        said = capfd.readouterr()
        assert ("Guessed: '<b>' is taken" in said.out) is verbose and not said.err


def levels(name: str) -> pd.DataFrame:
    given = pd.Series([list("abc")[i % 3] for i in range(N)])
    made = {
        "ordered": pd.Categorical(given, categories=["b", "c", "zz", "a"], ordered=True),
        "numbers": pd.Categorical(given.map({"a": 1, "b": 3, "c": 2}), [3, 2, 1, 7], ordered=True),
        "intervals": pd.cut(np.arange(N), [-1, 20, 50, 90]),
    }
    return frame(t=made[name])


@pytest.mark.parametrize(
    ("name", "order"),
    [
        ("ordered", "b < c < a"),
        ("numbers", "3 < 2 < 1"),
        ("intervals", "(-1, 20] < (20, 50] < (50, 90]"),
    ],
)
def test_an_ordered_target_brings_its_levels(name: str, order: str) -> None:
    found = rankexp.inspect(levels(name), target="t")
    assert f"rank by the levels {order}." in found.plan
    value = order.partition(" <")[0]
    assert f"'{value}' of 't' is" in rankexp.inspect(levels(name), target="t", positive=value).plan


def test_so_does_one_of_a_parquet_file(place: Path) -> None:
    name, order = "ordered", "b < c < a"
    levels(name).to_parquet(place / "t.parquet", row_group_size=7)
    assert f"the levels {order}." in rankexp.inspect(place / "t.parquet", target="t").plan
    asked = command._asked(place / "t.parquet", command.Options("t"))
    assert asked.question.levels == order.split(" < ")
    asked = command._asked(place / "t.parquet", command.Options("t", positive=order[0]))
    assert asked.question.kind == "two"
    unordered = levels(name).assign(t=levels(name)["t"].cat.as_unordered().astype(str) + "!")
    unordered.to_parquet(place / "t.parquet")
    warned = rankexp.inspect(place / "t.parquet", target="t").reading.warnings
    assert not any("levels: [" in line for line in warned)


def test_whole_numbers_beyond_64_bits_are_refused() -> None:
    with pytest.raises(DataError, match=r"column 'code' holds values of type int beyond 64 bits"):
        rankexp.inspect(frame(code=[10**20 + i for i in range(N)]), target="left")


class DataFrame:
    """A frame as polars has it, as far as it matters: there is no polars to import here."""

    def to_arrow(self) -> pa.Table:
        enum = pa.DictionaryArray.from_arrays(
            pa.array([0, 2, None] * 10, pa.uint8()), ["low", "none", "high"], ordered=True
        )
        return pa.table({"x": np.arange(30.0) % 7, "t": enum})


def test_an_enum_of_polars_brings_its_levels() -> None:
    found = rankexp.inspect(DataFrame(), target="t")
    assert "rank by the levels low < high." in found.plan
    assert found.reading.without_target == 10
    lazy = type("LazyFrame", (DataFrame,), {})()
    with pytest.raises(ConfigError, match=r"give frame\.collect\(\)"):
        rankexp.inspect(lazy, target="t")


def test_types_of_columns_count() -> None:
    rng = np.random.default_rng(1)
    table = frame(
        code=pd.Categorical(rng.choice([10, 20, 30], N)),
        day=pd.date_range("2024-01-01", periods=N, tz="Europe/Berlin"),
        month=pd.period_range("2020-01", periods=N, freq="D"),
        whole=pd.array([1, None, 3, 4] * (N // 4), dtype="Int64"),
        paid=pd.array([True, None, False, True] * (N // 4), dtype="boolean"),
        word=pd.array(["a", "b", None, "c"] * (N // 4), dtype="string"),
        mixed=[1, "one", 2.5, None] * (N // 4),
        sparse=pd.arrays.SparseArray(rng.integers(0, 2, N)),
        zip=["01", "02", "3", "3"] * (N // 4),
    )
    found = rankexp.inspect(table, target="left", nominal="mixed")
    columns = found.columns.set_index("name")
    kinds = columns["kind"].to_dict()
    assert kinds | {"left": "", "x": "", EVIL: ""} == {
        **{"code": "nominal", "day": "date", "month": "date", "whole": "numeric"},
        **{"paid": "nominal", "word": "nominal", "mixed": "nominal", "sparse": "numeric"},
        **{"zip": "numeric", "left": "", "x": "", EVIL: ""},
    }
    assert columns["missing"][["whole", "paid", "word", "mixed"]].tolist() == [N // 4] * 4
    assert {name for name, _ in columns["frequent"]["mixed"]} == {"1", "one", "2.5"}
    note = "texts that are numbers are read as numbers: 'zip'; nominal=['zip'] changes this"
    assert note in found.notes and note in flat(repr(found))
    assert any("keep=['NAME'] keeps one" in note for note in found.notes)
    named = rankexp.inspect(table, target="left", nominal=["mixed", "zip"])
    assert named.columns.set_index("name")["kind"]["zip"] == "nominal"
    assert "time='day' (RK102)" in flat(repr(found)) and found.diagnoses[0].code == "RK102"


def test_the_columns_are_shown_escaped() -> None:
    found = rankexp.inspect(frame(), target="left")
    page = Page(found._repr_html_())
    assert EVIL[:18] in page.text and "script" not in page.tags and not page.sources
    assert "compare will do this: '<b>' is taken as the positive value" in flat(page.text)


REFUSED: dict[str, tuple[object, str]] = {
    "array": (
        np.zeros((3, 2)),
        "expected a DataFrame of pandas or polars, or a path, got ndarray",
    ),
    "twice": (frame().rename(columns={EVIL: "x"}), "the frame has two columns 'x'"),
    "levels of names": (pd.DataFrame({("a", "b"): [1]}), "several levels of names"),
    "index": (frame().set_index("left"), "'left' is the frame's index, not a column"),
    "empty": (frame().iloc[:0], "the frame has no rows"),
    "lists": (frame(own=[[1]] * N), r"column 'own' holds values of type list.* drop it"),
    "bytes": (frame(own=[b"1"] * N), "column 'own' holds values of type binary"),
    "objects": (frame(own=[object()] * N), "column 'own' holds values of type object"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_plain_table_is_refused(name: str) -> None:
    table, words = REFUSED[name]
    for call in (rankexp.inspect, rankexp.compare):
        with pytest.raises((ConfigError, DataError), match=words):
            call(table, target="left")  # type: ignore[operator]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"minutes": 0}, "minutes=...: expected 0.1 or more, got 0"),
        ({"jobs": 0}, "jobs=...: expected 1 or more, got 0"),
        ({"margin": -1.0}, "margin=...: expected a number above 0"),
        ({"groups": "x", "queries": "x"}, "groups=... and queries=... exclude each other"),
        ({"time": "x", "test": frame()}, "time=... and test=... exclude each other"),
        ({"test": "other.csv"}, "test=... must both be frames, or both be files"),
        ({"drop": "left"}, "drop=...: column 'left' is the target already"),
        ({"methods": "pairs-logistic"}, "methods=...: to compare pairs with points"),
        ({"positive": "no", "levels": ["no", "<b>"]}, "positive=..., levels=... and continuous"),
        ({"target": "mail"}, "merge=[['Yes', 'yes']]"),
        ({"target": "mail"}, "to rank it before all others"),
    ],
)
def test_messages_have_the_words_of_python(options: dict[str, object], words: str) -> None:
    table = frame(mail=["yes", "Yes", "no", "no"] * (N // 4))
    with pytest.raises(RankexpError, match=re.escape(words)):
        rankexp.compare(table, **{"target": "left", **options})  # type: ignore[arg-type]


def test_no_message_names_an_option_of_the_command_line_by_itself() -> None:
    runner = Path(rankexp.__file__).parent / "runner"
    files = [*(runner / "compare").glob("*.py"), *(runner / "report").glob("gain*.py")]
    found = [
        (file.name, node.value)
        for file in files
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        if re.search(
            r"(?<![`\w])--([a-z]|$)", re.sub(r"``[^`]*``|rankexp run.*|>>>[\s\S]*", "", node.value)
        )
    ]
    assert len(files) > 12 and not found


SCRIPT = """
import pandas as pd, rankexp
table = pd.read_csv("t.csv", parse_dates=["day"], dtype={"plan": "category"})
table["left"] = pd.Categorical(table["left"] == 1, [False, True], ordered=True)
made = rankexp.compare(
    table, target="left", methods=["points-logistic", "pairs-logistic"], out="ours", jobs=1
)
"""


@pytest.mark.slow
def test_a_frame_and_the_command_line_give_the_same_numbers(tmp_path: Path) -> None:
    table = frame(plan=["a", "b"] * (N // 2), day=pd.date_range("2024-01-01", periods=N))
    table.assign(left=table["left"] == "<b>").astype({"left": int}).to_csv(tmp_path / "t.csv")
    command = ["-m", "rankexp", "compare", "t.csv", "--target", "left", "--methods", ",".join(FEW)]
    for given in ([*command, "--jobs", "1", "--out", "theirs"], ["-c", SCRIPT]):
        done = subprocess.run(
            [sys.executable, *given], cwd=tmp_path, capture_output=True, text=True, check=True
        )
    assert done.stdout == done.stderr == ""
    ours, theirs = (
        pd.read_csv(tmp_path / name / "answer.csv", keep_default_na=False).drop(columns="seconds")
        for name in ("ours", "theirs")
    )
    pd.testing.assert_frame_equal(ours, theirs, check_exact=True)
