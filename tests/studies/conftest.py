import pytest
from program_words import watched

from rankexp.runner.report.options import BlockKind


@pytest.fixture(autouse=True)
def _plain_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fail where a block shows a word of programs."""
    monkeypatch.setattr(BlockKind, "build", watched(BlockKind.build))
