import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

NOBODY = 65534


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
