"""Errors that reach a user as one line, each with its exit code."""

_LONGEST = 300  # most characters of a foreign message that a line repeats


class RankexpError(Exception):
    """Base of the errors whose message is all that a user needs."""

    exit_code = 1
    """What the command line returns: 1 a job failed, 2 usage or configuration, 3 data,
    4 environment."""


class Interrupted(KeyboardInterrupt):
    """The user, or the system, asked a run to stop; raised by the run's own signal handlers."""


class OutOfTime(Interrupted):
    """The time that a run was given is over."""


class ConfigError(RankexpError):
    """A configuration or an argument is wrong."""

    exit_code = 2


class DataError(RankexpError):
    """Data could not be had, could not be read, or is not what was declared."""

    exit_code = 3


class DataNotFoundError(DataError):
    """A data set is not found; the message says where it was looked for and how to add it."""

    def __init__(self, where: str, advice: str) -> None:
        super().__init__(f"{where}. {advice}")
        self.where = where


class EnvironmentProblemError(RankexpError):
    """The machine does not let us work: not writable, disk full, locked."""

    exit_code = 4


class NumbaError(EnvironmentProblemError, ImportError):
    """numba cannot be imported."""


class ClassOrderWarning(UserWarning):
    """`levels` call the one of two classes better that does not sort last.

    scikit-learn's tools need `classes_` sorted and a positive decision function for the last of
    them; `rank_scores` has the sign that `levels` say.
    """


class UngroupedScoreWarning(UserWarning):
    """A ranker was trained on pairs within groups, but is measured on pairs of all rows."""


def one_line(error: BaseException) -> str:
    """Return an error's class and message in one line, the message cut to 300 characters."""
    try:
        text = " ".join(str(error).split())
    except Exception:  # a foreign error's own fault
        text = ""
    text = text.encode(errors="replace").decode()  # halves of pairs cannot be printed
    text = text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."
    return f"{type(error).__name__}: {text or 'no message'}"
