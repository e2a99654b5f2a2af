"""`python -m rankexp` is the command line: like ``rankexp``, without the working folder.

``-m`` puts the working folder on the path, so that a file ``numpy.py`` in it would be imported.
"""

import sys
from pathlib import Path

_HOME = Path(__file__).resolve().parents[1]

if not sys.flags.safe_path and Path(sys.path[0]).resolve() != _HOME:
    del sys.path[0]

from rankexp.runner.cli import main  # noqa: E402

if __name__ == "__main__":
    main()
