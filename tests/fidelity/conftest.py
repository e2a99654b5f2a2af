import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def with_records() -> Callable[[Path, str], Path]:
    """Put the records of a full run, if RANKEXP_FULL_RUNS names their folder, where a run looks.

    What is missing of them is run all the same.
    """

    def _with_records(results: Path, study: str) -> Path:
        done = Path(os.environ.get("RANKEXP_FULL_RUNS", "")) / study / "records"
        if "RANKEXP_FULL_RUNS" in os.environ and done.is_dir():
            shutil.copytree(done, results / study / "records")
        return results

    return _with_records
