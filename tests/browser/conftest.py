"""A browser, and pages in it, each of which is built once.

`make browser` installs what drives a browser. Where there is none, all is skipped and says why.
"""

import os
import shutil
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest
from built_pages import NAMES, BuiltPage, built

if TYPE_CHECKING:
    from playwright.sync_api import Browser
    from playwright.sync_api import Page as BrowserPage

ENGINES = ("chromium", "chromium-browser", "google-chrome")


def engine() -> str | None:
    """Return the browser: the one that a variable of the environment names, or one on PATH."""
    named = os.environ.get("RANKEXP_CHROMIUM")
    return named or next(filter(None, map(shutil.which, ENGINES)), None)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "page_name" in metafunc.fixturenames:
        metafunc.parametrize("page_name", NAMES, scope="session")


@pytest.fixture(name="build", scope="session")
def _build(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], BuiltPage]:
    folder, made = tmp_path_factory.mktemp("pages"), dict[str, BuiltPage]()

    def build(name: str) -> BuiltPage:
        if name not in made:
            made[name] = BuiltPage(name, built(name, folder))
        return made[name]

    return build


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
