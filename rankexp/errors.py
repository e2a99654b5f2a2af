"""Errors that reach a user as one line, each with its exit code."""


class RankexpError(Exception):
    """Base of the errors whose message is all that a user needs.

    Attributes
    ----------
    exit_code : int
        What the command line returns: 1 a job failed, 2 usage or configuration, 3 data,
        4 environment.
    """

    exit_code = 1


class ConfigError(RankexpError):
    """A configuration or an argument is wrong."""

    exit_code = 2


class DataError(RankexpError):
    """Data could not be had, could not be read, or is not what was declared."""

    exit_code = 3


class DataNotFoundError(DataError):
    """A data set lies nowhere.

    Parameters
    ----------
    where : str
        Where it was looked for.
    advice : str
        How to add it by hand.
    """

    def __init__(self, where: str, advice: str) -> None:
        super().__init__(f"{where}. {advice}")
        self.where = where


class EnvironmentProblemError(RankexpError):
    """The machine does not let us work: not writable, disk full, locked."""

    exit_code = 4
