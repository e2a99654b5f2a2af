import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

CONFIGS = Path(__file__).parents[2] / "configs"


@pytest.fixture(scope="session")
def run_study(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """Run a study, or experiments of it, in a folder of its own; return where its pages are.

    It is skipped where files or folders of `data` are not in RANKEXP_DATA. Records of a full run
    are put where a run looks, if RANKEXP_FULL_RUNS names their folder; what is missing is run.
    """

    def run(
        study: str, *experiments: str, data: Sequence[str] = (), codes: Sequence[int] = (0,)
    ) -> Path:
        known = Path(os.environ.get("RANKEXP_DATA", ""))
        if gone := [name for name in data if not (known / name).exists()]:
            pytest.skip(f"RANKEXP_DATA has no {', '.join(gone)}")
        results = tmp_path_factory.mktemp(study)
        done = Path(os.environ.get("RANKEXP_FULL_RUNS", "")) / study / "records"
        if "RANKEXP_FULL_RUNS" in os.environ and done.is_dir():
            shutil.copytree(done, results / study / "records")
        command = [sys.executable, "-m", "rankexp", "run", str(CONFIGS / f"{study}.yaml")]
        only = [word for name in experiments for word in ("--only", name)]
        ended = subprocess.run(
            [*command, *only, "--results", str(results), "--quiet"], check=False
        )
        assert ended.returncode in codes
        return results / study

    return run
