"""A kind of cluster: what is sent to a worker is done on this machine, one job at a time."""

from rankexp.plugin import Cluster, RemoteWorker, Returned


class OneByOne(Cluster):
    """A worker that has its own folder and process, as one on another machine has."""

    kind = "one_by_one"

    def slots(self):
        """Return how many jobs are done at a time."""
        return 1

    def equip(self, requirements):
        """Give the worker the data, and the files of methods."""
        self.worker = RemoteWorker(requirements)

    def answers(self, more, most=float("inf")):
        """Yield what comes of the calls that `more` gives, until it gives none."""
        while (call := more()) is not None:
            sent = self.worker.do(call, lambda: False)
            yield Returned(call, sent.result, sent.printed)

    def close(self):
        """Remove the worker's folder."""
        if hasattr(self, "worker"):
            self.worker.folder.cleanup()
