"""Where jobs are done but on this machine: one file for each kind of cluster.

A worker of a cluster does each job in a process of its own, which it starts as `pool` does here.
What a method does to its process, its limits and its death stay in that process. So a worker may
have several threads, and a death is blamed on one method.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator
from functools import partial

from rankexp import registry
from rankexp.errors import ConfigError, EnvironmentProblemError
from rankexp.runner.config.asking import message
from rankexp.runner.run.pool import Death, Returned
from rankexp.runner.run.remote import Requirements
from rankexp.runner.run.workers import Done

ROOM = "run.engines"
TICK = 0.5  # seconds between looks at a cluster that does not answer
WAIT = 60.0  # seconds to wait for a cluster's first worker
SLOTS_A_SECOND = 100  # calls at a time for which jobs of a second do: the parent takes 6 ms each
SPARE = 2  # calls under way for each one that is done at a time, so that no worker waits for us


class Lost(Death):
    """How a call ended whose workers have died: the cluster gave it to several."""

    def __str__(self) -> str:
        return message("engines.lost")


class Cluster(ABC):
    """Where calls are made, other than on this machine."""

    kind: str  # as people call it

    def __init__(self, address: str) -> None:
        self.address = address

    @abstractmethod
    def slots(self) -> int:
        """Return how many calls the cluster does at a time, by now."""

    @abstractmethod
    def equip(self, requirements: Requirements) -> None:
        """Give workers what calls need; EnvironmentProblemError where one is not fit for them."""

    @abstractmethod
    def answers(
        self, more: Callable[[], partial[Done] | None], most: float = math.inf
    ) -> Generator[Returned[Done], None, None]:
        """Yield what comes of calls, as it comes, of which at most so many are under way.

        Whatever closes this takes back the calls that are under way.
        """

    @abstractmethod
    def close(self) -> None:
        """Leave the cluster, with nothing of ours in it."""


def connected(text: str) -> Cluster:
    """Return the cluster that ``KIND:ADDRESS`` names, connected.

    ConfigError for a kind that is not known; EnvironmentProblemError where nothing answers.
    """
    kind, _, address = text.partition(":")
    known = registry.names(ROOM)
    if kind not in known:
        hint = registry.did_you_mean(kind, known)
        raise ConfigError(message("engines.kind", text=text, hint=hint, known=known))
    try:
        cluster: type[Cluster] = registry.get(ROOM, kind)
    except ImportError as error:
        raise EnvironmentProblemError(
            message("engines.package", kind=kind, error=error)
        ) from error
    return cluster(address)
