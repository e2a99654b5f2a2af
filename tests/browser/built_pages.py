"""Pages to look at: made up, of records that are committed, of a quick run and of compare."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from sample_pages import HOSTILE, rich, whole, written

ROOT = Path(__file__).parents[2]
REFERENCES = sorted(path.parent.name for path in ROOT.glob("results/reference/*/report.html"))
BUILT = os.environ.get("RANKEXP_BUILT")  # a folder of reports that are there already
SHORT = ["sample", "hostile", "quick", "compare"]
NAMES = SHORT if os.environ.get("RANKEXP_BROWSER") == "short" else [*SHORT, *REFERENCES]


class BuiltPage(NamedTuple):
    """A page, beside the files that it links to."""

    name: str
    file: Path

    @property
    def url(self) -> str:
        return self.file.as_uri()


def _rankexp(*words: str, folder: Path) -> None:
    command = [sys.executable, "-m", "rankexp", *words]
    made = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stderr[-2000:]


def _table(file: Path) -> None:
    """Write a table with names that a page must not obey."""
    rng = np.random.default_rng(1)
    x = rng.normal(size=(300, 4))
    left = np.where(x[:, 0] + x[:, 1] + rng.normal(size=300) > 0, "yes", "no")
    names = ["age", "<b>income</b>", '"><img src=x onerror=alert(1)>', "a|b"]
    pd.DataFrame(x, columns=names).assign(left=left).to_csv(file, index=False)


def built(name: str, folder: Path) -> Path:
    if name in ("sample", "hostile"):
        shown = rich() if name == "sample" else whole(" ".join(HOSTILE))
        file = folder / f"{name}.html"
        file.write_bytes(written(shown).encode(errors="replace"))
        return file
    if BUILT and (file := next(Path(BUILT, name).glob("[ar]*.html"), None)):
        return file.resolve()
    if name == "quick":
        study = ROOT / "configs" / "example-own-data.yaml"
        _rankexp("run", str(study), "--quick", "--results", str(folder), folder=folder)
        return folder / "example-own-data-quick" / "report.html"
    if name == "compare":
        _table(folder / "people.csv")
        _rankexp("compare", "people.csv", "--target", "left", "--minutes", ".1", folder=folder)
        return folder / "compare-people" / "answer.html"
    own = Path(shutil.copytree(ROOT / "results" / "reference" / name, folder / name))
    _rankexp("report", str(own), folder=folder)
    return own / "report.html"
