"""The library works where nothing of the runner's is installed, and loads none of it."""

import subprocess
import sys
from pathlib import Path

STUDY = Path(__file__).parents[2] / "results/reference/boosting"
SCRIPT = """
import sys

ABSENT = "typer pydantic yaml openml matplotlib rich psutil pandas pyarrow".split()


class Absent:  # for scikit-learn, too
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ABSENT:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


sys.meta_path.insert(0, Absent())

import numpy as np

import rankexp
import rankexp.testing
from rankexp.estimators import *
from rankexp.losses import Logistic
from rankexp.metrics import *
from rankexp.objectives import *
from rankexp.preference import *

X = np.arange(20.0)[:, None]
assert LinearRanker(risk="pairs").fit(X, X[:, 0] > 9).score(X, X[:, 0] > 9) == 1.0
rankexp.testing.check_loss(Logistic())
assert not any(name.startswith(("rankexp.runner", *ABSENT)) for name in sys.modules)
"""


def test_the_library_needs_none_of_the_runners_packages():
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]


def test_rooms_and_metrics_do_not_load_scikit_learn():
    rooms = "estimators metrics objectives preference testing losses risks generators theory"
    code = "import sys\n" + "".join(f"import rankexp.{room}\n" for room in rooms.split())
    code += "from rankexp.metrics import auc, ndcg, u_pairs\nauc([0, 1], [0.0, 1.0])\n"
    code += "print('sklearn' in sys.modules, 'pandas' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]


def test_status_loads_nothing_that_fits_or_reports():
    """Of 100,000 records that is half the time. Published values need blocks; these have none."""
    code = "import sys\nfrom pathlib import Path\nfrom rankexp.runner.run.opened import progress\n"
    code += f"assert 'records' in progress(Path({str(STUDY)!r}))\n"
    code += "print(*({'scipy', 'sklearn', 'pandas', 'matplotlib', 'numba'} & sys.modules.keys()))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []
