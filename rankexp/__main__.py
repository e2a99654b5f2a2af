"""`python -m rankexp` is the command line: like ``rankexp``, without the working folder."""

import sys
from pathlib import Path

if not sys.flags.safe_path and Path(sys.path[0]).resolve() != Path(__file__).resolve().parents[1]:
    del sys.path[0]  # in which a file ``numpy.py`` would be imported

from rankexp.runner.cli import main

if __name__ == "__main__":
    main()
