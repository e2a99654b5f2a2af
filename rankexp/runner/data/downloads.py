"""Downloads that end and are seen to go on, by packages that set themselves no limits."""

import re
import sys
from collections.abc import Callable, Iterator
from threading import Thread
from time import monotonic
from typing import TypeVar
from unittest.mock import patch
from urllib.parse import urlsplit

import requests

from rankexp.errors import DataError, one_line
from rankexp.runner.config.asking import message
from rankexp.runner.data.readers.compressed import MOST_UNPACKED

ANSWER = 30.0  # seconds in which a server must take a connection, and send anything more
PATIENCE = 60.0  # seconds in which it must send more than a few bytes
EVERY = 5.0  # seconds between lines that say how much has come
Found = TypeVar("Found")


class Download(requests.adapters.HTTPAdapter):  # type: ignore[misc]
    """Makes the requests of a package, and knows how they went on; `title` names what comes."""

    def __init__(self, title: str) -> None:
        super().__init__()
        self.title, self.host, self.status, self.size, self.received = title, "", 0, 0, 0
        self.moved, self.given_up = monotonic(), False

    def send(self, request: requests.PreparedRequest, **how: object) -> requests.Response:
        """Send a request that gets an answer in time, or none; 5xx is none, so it is repeated."""
        self.host, self.status, self.received = urlsplit(request.url).netloc, 0, 0
        self._go_on()
        answer = super().send(request, **how | {"timeout": ANSWER})
        self.status, stream = answer.status_code, answer.raw.stream
        if self.status >= 500:
            raise requests.ConnectionError
        self.size = answer.raw.length_remaining or 0
        answer.encoding = "utf-8"  # where nothing is said it would be Latin-1

        def watched(size: int, decode_content: bool) -> Iterator[bytes]:
            for piece in stream(size, decode_content):
                self.received += len(piece)
                self._go_on()
                yield piece

        answer.raw.stream = watched
        return answer

    def _go_on(self) -> None:
        self.moved = monotonic()
        if self.given_up or self.received > MOST_UNPACKED:
            raise DataError(f"{self.host} sends more than {MOST_UNPACKED / 1e9:g} GB")

    def wait_for(self, act: Callable[[], Found]) -> Found:
        """Return what a function returns that downloads; DataError says how that failed."""
        done: list[Found | Exception] = []

        def work() -> None:
            try:
                done.append(act())
            except Exception as error:  # goes to who waits
                done.append(error)

        with patch("requests.sessions.HTTPAdapter", lambda: self):
            thread, told = Thread(target=work, daemon=True), monotonic()
            thread.start()
            while thread.is_alive() and not self.given_up:
                thread.join(0.1)
                self.given_up = monotonic() - self.moved > PATIENCE
                if self.received and monotonic() - told > EVERY:
                    told, whole = monotonic(), f" of {self.size / 1e6:,.1f}" * bool(self.size)
                    print(f"{self.title}: {self.received / 1e6:,.1f}{whole} MB", file=sys.stderr)
        if self.given_up:
            raise DataError(f"nothing more came from {self.host} in {PATIENCE:g} s")
        if isinstance(done[0], Exception):
            raise DataError(self._said(done[0])) from done[0]
        return done[0]

    def _said(self, error: Exception) -> str:
        if isinstance(error, DataError):
            return str(error)
        known = {"host": self.host, "status": self.status, "kind": type(error).__name__}
        if not isinstance(error, requests.RequestException):
            return message("data.answer", error=one_line(error), **known)
        why = re.search(r"certificate verify failed: ([^(\n]+)", str(error))
        return message("data.request", untrusted=why and why[1].strip(), **known)
