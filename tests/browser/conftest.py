"""Pages in a browser: built once, of records that are committed, of a quick run and of compare.

`make browser` installs what drives a browser. Where there is none, all is skipped and says why.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pandas as pd
import pytest
from sample_pages import HOSTILE, rich, whole, written

if TYPE_CHECKING:
    from playwright.sync_api import Browser
    from playwright.sync_api import Page as BrowserPage

ROOT = Path(__file__).parents[2]
REFERENCES = sorted(path.name for path in (ROOT / "results" / "reference").iterdir())
BUILT = os.environ.get("RANKEXP_BUILT")  # a folder of reports that are there already
SHORT = ["sample", "hostile", "quick", "compare"]
NAMES = SHORT if os.environ.get("RANKEXP_BROWSER") == "short" else [*SHORT, *REFERENCES]
ENGINES = ("chromium", "chromium-browser", "google-chrome")


def engine() -> str | None:
    """Return the browser: the one that a variable of the environment names, or one on PATH."""
    named = os.environ.get("RANKEXP_CHROMIUM")
    return named or next(filter(None, map(shutil.which, ENGINES)), None)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "page_name" in metafunc.fixturenames:
        metafunc.parametrize("page_name", NAMES, scope="session")


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


@pytest.fixture(name="build", scope="session")
def _build(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], BuiltPage]:
    folder, made = tmp_path_factory.mktemp("pages"), dict[str, BuiltPage]()

    def build(name: str) -> BuiltPage:
        if name not in made:
            made[name] = BuiltPage(name, _made(name, folder))
        return made[name]

    return build


def _made(name: str, folder: Path) -> Path:
    if name in ("sample", "hostile"):
        shown = rich() if name == "sample" else whole(" ".join(HOSTILE))
        file = folder / f"{name}.html"
        file.write_bytes(written(shown).encode(errors="replace"))
        return file
    if BUILT and (file := Path(BUILT, name, "report.html")).is_file():
        return file.resolve()
    if name == "quick":
        study = ROOT / "configs" / "example-own-data.yaml"
        _rankexp("run", str(study), "--quick", "--results", str(folder), folder=folder)
        return folder / "example-own-data-quick" / "report.html"
    if name == "compare":
        _table(folder / "people.csv")
        _rankexp("compare", "people.csv", "--target", "left", "--minutes", ".1", folder=folder)
        return folder / "compare-people" / "report.html"
    own = Path(shutil.copytree(ROOT / "results" / "reference" / name, folder / name))
    _rankexp("report", str(own), folder=folder)
    return own / "report.html"


@pytest.fixture(name="made")
def _page(build: Callable[[str], BuiltPage], page_name: str) -> BuiltPage:
    return build(page_name)


@pytest.fixture(name="browser", scope="session")
def _browser() -> "Iterator[Browser]":
    if (found := engine()) is None:
        pytest.skip("no Chromium on PATH, and RANKEXP_CHROMIUM names none")
    driver = pytest.importorskip("playwright.sync_api", reason="make browser installs playwright")
    with driver.sync_playwright() as running:
        own = running.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield own
        own.close()


Show = Callable[..., "BrowserPage"]


@pytest.fixture(name="show")
def _show(browser: "Browser") -> "Iterator[Show]":
    """Return what opens a page in a window of its own."""
    contexts = []

    def show(
        made: BuiltPage, width: int = 1280, *, theme: str = "light", script: bool = True
    ) -> "BrowserPage":
        context = browser.new_context(
            viewport={"width": width, "height": 800},
            color_scheme="dark" if theme == "dark" else "light",
            java_script_enabled=script,
        )
        contexts.append(context)
        page = context.new_page()
        page.goto(made.url)
        return page

    yield show
    for context in contexts:
        context.close()
