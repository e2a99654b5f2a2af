"""Thirty further tables, made by someone who had not seen the code: none is answered wrongly
without a word.

Each is run through a real process; `make further` runs them all and prints which are right.
"""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
NOTHING = "What now? Train none of these methods yet"
NO_GAIN = "training on pairs (brings no gain that matters|shows no gain)|the data are too few"
AS_HIGH = f"{NO_GAIN}|ranks (as high|higher)"
BETTER = r"What now\? Train (least squares|random forest|boosted|RankBoost).* the kind of model"
WORDS = {
    "churn": AS_HIGH,
    "credit": AS_HIGH,
    "medical_trial": "the data are too few to tell",
    "sensors": BETTER,
    "housing": r"What now\? Train (on points|least squares|random forest)",
    "wine": NO_GAIN,
    "search_log": "training on pairs helps|looks better by",
    "ecology": r"What now\? Train (on points|least squares|random forest)",
    "exam_grades": NO_GAIN,
    "ab_test": re.escape(NOTHING),
    "insurance": r"What now\? Train least squares on ranks",
    "survey_likert": NO_GAIN,
    "chemistry": r"What now\? Train least squares",
    "sports": NO_GAIN,
    "manufacturing": "no gain is left to find",
    "tickets": NO_GAIN,
    "energy": r"What now\? Train (on points|least squares|random forest)",
    "gene_panel": re.escape(NOTHING),
    "biopsy": r"(conference_week|grade). alone .* --drop \w+,(conference_week|grade) \(RK101\)",
    "readmission": r"'patient_no' have similar targets.* say --groups patient_no.*\(RK106\)",
    "competition": r"'target' is -1 in 1,200 rows.* say --missing -1 \(RK112\)",
    "used_cars": r"'price' is 0 in \d+ rows, .* or was none recorded\?.*\(RK112\)",
    "creatinine": r"'creatinine' has two parts, as 'clinic' tells.* two units\?.*\(RK112\)",
    "passengers": r"'freq' may count rows: .* say --weights freq \(RK113\)",
    "transplant": r"'days' may be a time until an event, and 'status' .*--drop status \(RK112\)",
    "retail": r"'product' is 'Total' \(\d+\) seem to hold sums .*\(RK110\)",
    "fraud": r"in order of 'booked'.* on the later rows and .*--time booked \(RK102\)",
    "case_control": r"'freezer_box' alone has an AUC of .*--drop freezer_box \(RK101\)",
    "microloans": r"'postcode_risk' holds the mean target .*\(RK101\)",
    "no_show": r"look alike.* --merge yes,Yes,YES,y \(RK105\)",
}
pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("further")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT)
        from benchmarks._further import write

        assert {file.stem for file in write(found)} == set(WORDS)
    return found


@pytest.mark.parametrize("name", WORDS)
def test_it_is_answered_rightly_or_with_a_word(
    name: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(ROOT)
    from benchmarks._further import TABLES

    table = next(one for one in TABLES if one.name == name)
    call = [sys.executable, "-m", "rankexp", "compare", f"{name}{table.suffix}", *table.options]
    call += ["--minutes", ".4", "--out", f"{name}-answer"]
    done = subprocess.run(call, cwd=folder, capture_output=True, text=True, check=True)
    said = " ".join(done.stdout.split())
    assert re.search(WORDS[name], said), said
    if table.trap:
        assert "But first settle this" in said, said
