"""rankexp: run the experiments of ranking papers, and ask their question of your own data."""

from typing import TYPE_CHECKING

__all__ = ["__version__", "compare", "inspect", "verdicts"]
__version__ = "0.1.0"

if TYPE_CHECKING:
    from rankexp.runner.compare.calls import compare, inspect
    from rankexp.runner.leaderboard.command import verdicts
else:

    def __getattr__(name):  # the library loads nothing of the runner
        if name not in __all__:
            raise AttributeError(f"module 'rankexp' has no attribute '{name}'")
        from rankexp.runner.compare import calls
        from rankexp.runner.leaderboard import command

        return (vars(command) | vars(calls))[name]

    def __dir__():
        return [*globals(), *__all__]
