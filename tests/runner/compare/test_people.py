"""Tables as people have them: the command says first what a careful analyst would.

Each is run through a real process; `make slow` runs them, `make bench` times them.
"""

import re
import subprocess
import sys
import time
from pathlib import Path

import pandas as pd
import pytest

from rankexp.runner.compare import command
from rankexp.runner.compare.command import Options

ROOT = Path(__file__).parents[3]


@pytest.fixture(autouse=True)
def found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT)


def compare(name: str, folder: Path, minutes: float = 0.4, asked: bool = True) -> str:
    """Return what the command says of a table, on one line; `asked` with the options it needs."""
    from benchmarks._people import TABLES

    make, suffix, target, options = TABLES[name]
    make(folder / f"table.{suffix}")
    call = [sys.executable, "-m", "rankexp", "compare", f"table.{suffix}", "--target", target]
    call += ["--minutes", str(minutes), "--out", "answer", *(options if asked else ())]
    done = subprocess.run(call, cwd=folder, capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stderr and "internal error" not in done.stderr
    assert done.returncode == (0 if asked or "answer" in done.stdout else 2 + (suffix == "xlsx"))
    return " ".join((done.stdout + done.stderr).split())


def verdict(said: str) -> str:
    """Return the sentences between the table's description and the list of methods."""
    return said[said.index("For linear scorers") : said.index("Training time")]


def answer(folder: Path) -> pd.DataFrame:
    return pd.read_csv(folder / "answer" / "answer.csv")


pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]


def test_queries(tmp_path: Path) -> None:
    said = compare("queries", tmp_path)
    assert re.search("For linear scorers( and boosted trees)?, training on pairs helps", said)
    gain = re.search(r"logistic on pairs against proportional odds on points \+\.(\d+)", said)
    assert gain and 0.02 < float(f"0.{gain[1]}") < 0.06
    assert "What now? Train on pairs" in said


def test_queries_called_groups_are_asked_about(tmp_path: Path) -> None:
    said = compare("queries as groups", tmp_path)
    assert "Pairs of rows of different groups count" in said and "say --queries query" in said


def test_a_rare_class_has_an_answer_that_says_on_how_few_it_rests(tmp_path: Path) -> None:
    said = compare("fraud", tmp_path)
    assert "34 of them '1'" in said and "logistic on points" in verdict(said)
    shown = answer(tmp_path)
    assert shown["high"].dropna().max() <= 1


def test_forty_rows_are_too_few(tmp_path: Path) -> None:
    said = compare("forty rows", tmp_path)
    assert "too few" in said and "is not shown to be better than chance" in said
    assert answer(tmp_path)["high"].dropna().max() <= 1


def test_a_column_that_gives_the_target_away_is_named(tmp_path: Path) -> None:
    said = compare("leak", tmp_path)
    assert "'refund_eur' alone has an AUC of 1.000: is it known before the target is?" in said
    assert said.index("RK101") < said.index("For linear scorers")


def test_free_text_is_called_so_and_chance_is_called_chance(tmp_path: Path) -> None:
    said = compare("text", tmp_path)
    assert "rankexp does not read texts" in said and "'review'" in said
    assert "Nothing here" in said and "chance" in said


def test_rows_in_order_of_time_show_what_the_future_holds(tmp_path: Path) -> None:
    said = compare("drift", tmp_path)
    assert "Rows are in order of 'date'" in said and "--time date" in said
    later, mixed = re.search(r"AUC of (\.\d+) on the later rows and of (\.\d+)", said).groups()  # type: ignore[union-attr]
    assert float(mixed) > float(later) + 0.1


def test_with_time_later_rows_are_ranked(tmp_path: Path) -> None:
    said = compare("drift by time", tmp_path)
    assert "the latest 30 % of the rows, trained on those before" in said
    assert "Rows are in order" not in said


def test_one_of_two_sheets_is_chosen(tmp_path: Path) -> None:
    assert "choose one with --sheet" in compare("two sheets", tmp_path, asked=False)
    said = compare("two sheets", tmp_path)
    assert "'ja' is taken as the positive value" in said and verdict(said)


def test_values_that_look_alike_are_merged_where_asked(tmp_path: Path) -> None:
    said = compare("typos", tmp_path, asked=False)
    assert "look alike" in said and "--merge" in said
    assert "'YES|Yes|y|yes'" in compare("typos", tmp_path).replace(
        "'yes|Yes|YES|y'", "'YES|Yes|y|yes'"
    )


def test_many_rows_decide_it_in_one_split(tmp_path: Path) -> None:
    said = compare("300,000 x 21", tmp_path, minutes=1.0)
    assert "training on pairs brings no gain that matters" in verdict(said)
    assert "No interval" not in said


def test_a_wide_table_has_intervals(tmp_path: Path) -> None:
    said = compare("200 x 3,000", tmp_path, minutes=1.0)
    assert "No interval" not in said and re.search(r"against [a-z ]+ \S+ \([−+]?\.\d+ to", said)


def test_names_called_by_numbers_are_a_guess_that_says_its_way_out(tmp_path: Path) -> None:
    said = compare("three names", tmp_path)
    assert "if they are only names, --positive ranks one of them before all others" in said


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("totals", "Row 301 of 301 holds sums of those above, in 'x1', 'visitors', 'revenue'."),
        ("click rate", "'rate' is 100 · 'clicks' / 'impressions' in 800 of 800 rows"),
        ("lifetimes", "rows in which 'still_running' is yes have the largest target, 365."),
        ("vintages", "Relations change with 'vintage': 'x1' puts ."),
    ],
)
def test_what_misleads_is_to_be_settled_before_anything_is_trained(
    tmp_path: Path, name: str, found: str
) -> None:
    said = compare(name, tmp_path, minutes=0.2)
    assert found in said
    assert found in said[said.index("But first settle this:") :]


def test_an_answer_that_comes_late_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As if loading and compiling had taken all of the time, and 100 seconds more."""
    from benchmarks._people import forty

    forty(tmp_path / "t.csv")
    two = ["points-logistic", "pairs-logistic"]
    asked = Options("cured", minutes=0.2, jobs=1, methods=two, out=tmp_path / "answer")
    begun = time.monotonic() - 112, time.process_time()
    assert command.compare(tmp_path / "t.csv", asked, begun)[0] == 0
    said = " ".join(capsys.readouterr().out.split())
    assert re.search(r"This took 1 min \d+ s longer than 0.2 minutes\. The first comparison", said)
