"""Jobs done by a Dask cluster, by Dask's own client: joblib's waits for ever for a dead worker."""

import contextlib
import itertools
import logging
import math
import pickle
import signal
import time
from collections.abc import Callable, Generator
from dataclasses import replace
from functools import partial
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import ParamSpec, TypeVar

import dask
import distributed
from distributed.comm import CommClosedError, get_address_host_port
from joblib.externals.loky.backend.reduction import dumps

from rankexp.errors import EnvironmentProblemError as Trouble
from rankexp.errors import RankexpError, one_line
from rankexp.runner.config.asking import message
from rankexp.runner.run.engines import SPARE, TICK, WAIT, Cluster, Lost
from rankexp.runner.run.pool import Death, Returned
from rankexp.runner.run.remote import RemoteWorker, Requirements, Sent, warm
from rankexp.runner.run.watch import WatchedStep
from rankexp.runner.run.workers import Done

REGISTER = {"dask": "Dask"}
P = ParamSpec("P")
T = TypeVar("T")
SETTING = "scheduler-address"  # of Dask
ANSWERS = 10.0  # seconds in which a scheduler has to answer
SIZES = 1.0  # seconds for which the number of workers is taken as it was


class _Plugin(distributed.WorkerPlugin):  # type: ignore[misc]
    """What Dask gives each worker, and those that come later."""

    def __init__(self, requirements: Requirements) -> None:
        self.requirements = requirements

    def setup(self, worker: distributed.Worker) -> None:
        self.here = RemoteWorker(self.requirements, worker.local_directory)

    def teardown(self, worker: distributed.Worker) -> None:
        self.here.folder.cleanup()


def _do(sent: bytes, name: str) -> Sent:
    """Make a call, in a worker."""
    worker = distributed.get_worker()
    key, tasks = worker.get_current_task(), worker.state.tasks

    def taken_back() -> bool:
        return key not in tasks or tasks[key].state != "executing"

    here: RemoteWorker = worker.plugins[name].here
    return here.do(pickle.loads(sent), taken_back)


def _unfit(name: str, dask_worker: distributed.Worker) -> str:
    return str(dask_worker.plugins[name].here.unfit)


class Dask(Cluster):
    """A Dask cluster, by the address of its scheduler or by the scheduler's file.

    Dask's own settings say the rest, such as the certificates of a ``tls://`` address.
    """

    kind = "Dask"

    def __init__(self, address: str) -> None:
        super().__init__(address)
        for name in logging.root.manager.loggerDict:  # we say what matters
            if name.partition(".")[0] in ("asyncio", "distributed", "tornado"):
                logging.getLogger(name).setLevel(logging.CRITICAL + 1)
        file = address.endswith(".json")
        if not (address or dask.config.get(SETTING, None)):
            raise Trouble(message("engines.address", cluster=self))
        try:
            if file:
                Path(address).read_bytes()
            elif address:
                get_address_host_port(address, strict=True)
            where = {"scheduler_file" if file else "address": address or None}
            self.client = distributed.Client(**where, timeout=ANSWERS, set_as_default=False)
        except (OSError, RuntimeError, TypeError, ValueError) as error:
            text = one_line(error)
            raise Trouble(message("engines.silent", cluster=self, error=text)) from error
        self.name = f"rankexp-{self.client.id}"
        self._keys = itertools.count()
        self._size = -math.inf, 0
        keys = [f"{self.name}-warm-{slot}" for slot in range(self.slots())]
        self._warm = [self.client.submit(warm, key=key, pure=False) for key in keys]

    def slots(self) -> int:
        asked, size = self._size
        if time.monotonic() - asked > SIZES:
            size = sum(self._told(self.client.nthreads).values())
            self._size = time.monotonic(), size
        return size

    def equip(self, requirements: Requirements) -> None:
        try:
            self.client.wait_for_workers(1, timeout=WAIT)
        except TimeoutError:
            raise Trouble(message("engines.empty", cluster=self, seconds=WAIT)) from None
        try:
            self._told(self.client.register_plugin, _Plugin(requirements), name=self.name)
            unfit = self._told(self.client.run, _unfit, self.name)
        except ImportError as error:
            text = one_line(error)
            raise Trouble(message("engines.import", cluster=self, error=text)) from error
        for text in filter(None, unfit.values()):
            raise Trouble(message("engines.worker", cluster=self, text=text))

    def answers(
        self, more: Callable[[], partial[Done] | None], most: float = math.inf
    ) -> Generator[Returned[Done], None, None]:
        ready: SimpleQueue[distributed.Future] = SimpleQueue()
        calls: dict[str, tuple[partial[Done], distributed.Future]] = {}
        alone = time.monotonic()  # when the cluster was last seen to have a worker
        try:
            while True:
                while len(calls) < min(max(1, SPARE * self.slots()), most) and (call := more()):
                    key = f"{self.name}-{next(self._keys)}"
                    future = self.client.submit(_do, dumps(call), self.name, key=key, pure=False)
                    calls[key] = call, future
                    future.add_done_callback(ready.put)
                if not calls:
                    return
                alone = time.monotonic() if self.slots() else alone
                if time.monotonic() - alone > WAIT:
                    raise Trouble(message("engines.empty", cluster=self, seconds=WAIT))
                try:
                    future = ready.get(timeout=TICK)
                except Empty:
                    continue
                yield self._returned(calls.pop(future.key)[0], future)
        finally:
            if self.client.status == "running":
                self.client.cancel([future for _, future in calls.values()], force=True)

    def _returned(self, call: partial[Done], future: distributed.Future) -> Returned[Done]:
        """Return what came of a call that is over."""
        try:
            answer: Sent = self._told(future.result)
        except distributed.KilledWorker:
            return Returned(call, Lost(-signal.SIGKILL, WatchedStep()), "")
        except RankexpError:
            raise
        except Exception as error:  # what a worker could not do, or send
            text = one_line(error)
            raise Trouble(message("engines.worker", cluster=self, text=text)) from error
        result = answer.result
        made = result if isinstance(result, Death) else replace(result, host=answer.host)
        return Returned(call, made, answer.printed)

    def _told(self, ask: Callable[P, T], *arguments: P.args, **options: P.kwargs) -> T:
        """Return what the scheduler says; EnvironmentProblemError where it is gone."""
        try:
            found = ask(*arguments, **options)
        except (distributed.CancelledError, CommClosedError, TimeoutError) as error:
            raise Trouble(message("engines.gone", cluster=self)) from error
        if self.client.status != "running":
            raise Trouble(message("engines.gone", cluster=self))
        return found

    def close(self) -> None:
        if self.client.status == "running":
            with contextlib.suppress(OSError, RuntimeError, ValueError):
                self.client.unregister_worker_plugin(self.name)
        self.client.close(timeout=ANSWERS)
