import gc
import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers

from rankexp import registry

NOBODY = 65534

# How long an example takes is the machine's doing, and no test's failure.
ANY_MACHINE = {
    "deadline": None,
    "suppress_health_check": [HealthCheck.too_slow],
    "print_blob": True,
}
settings.register_profile("same", **ANY_MACHINE, derandomize=True, database=None)
settings.register_profile("explore", **ANY_MACHINE)
settings.load_profile("same")
# hypothesis also draws constants from the source of whatever the process has imported so far. How
# tests are dealt to processes decides that, so that the examples would change from run to run.
providers._get_local_constants = providers.Constants

# What other packages offer is hidden, also while tests are collected: whoever has a plug-in
# installed runs the same tests. Tests of plug-ins install their own (`plug_in`).
registry.entry_points = lambda group: ()


def pytest_addoption(parser: pytest.Parser) -> None:
    text = "how many times as many random examples as a test says"
    parser.addoption("--times", type=float, default=1, help=text)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    tests = {getattr(item, "function", None) for item in items}  # parameters share a function
    for test in tests:
        if (said := getattr(test, "_hypothesis_internal_use_settings", None)) is not None:
            count = max(1, round(config.getoption("times") * said.max_examples))
            test._hypothesis_internal_use_settings = settings(said, max_examples=count)


def pytest_collection_finish() -> None:
    gc.freeze()  # ten thousand tests stay: looking through them each time takes a tenth of a run


@pytest.fixture
def plug_in(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """Return a function that installs entry points: tuples of a group, a name and a value."""

    def install(*offered: tuple[str, str, str]) -> None:
        points = [EntryPoint(name, value, f"rankexp.{group}") for group, name, value in offered]
        monkeypatch.setattr(
            registry, "entry_points", lambda group: [p for p in points if p.group == group]
        )
        registry._room.cache_clear()

    yield install
    registry._room.cache_clear()


@pytest.fixture
def shut() -> Callable[[Path], AbstractContextManager[None]]:
    """Return a context in which this process may not read a folder, not even as root."""

    @contextmanager
    def _shut(folder: Path) -> Iterator[None]:
        user = os.geteuid()
        for parent in [folder, *folder.parents]:
            if parent.stat().st_uid == user and len(parent.parts) > 2:
                parent.chmod(0o755)
        folder.chmod(0)
        if user == 0:
            os.seteuid(NOBODY)
        try:
            yield
        finally:
            os.seteuid(user)
            folder.chmod(0o755)

    return _shut
