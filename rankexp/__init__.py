"""rankexp: run the experiments of ranking papers, and ask their question of your own data."""

from importlib import import_module
from typing import TYPE_CHECKING

__all__ = ["__version__", "compare", "inspect", "verdicts"]
__version__ = "0.1.0"

if TYPE_CHECKING:
    from rankexp.runner.compare.calls import compare, inspect
    from rankexp.studies.leaderboard.command import verdicts
else:

    def __getattr__(name):  # the library loads nothing of the runner
        if name not in __all__:
            raise AttributeError(f"module 'rankexp' has no attribute '{name}'")
        own = {"verdicts": "rankexp.studies.leaderboard.command"}
        return getattr(import_module(own.get(name, "rankexp.runner.compare.calls")), name)

    def __dir__():
        return [*globals(), *__all__]
