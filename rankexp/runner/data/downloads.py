"""Downloads of packages that set themselves no limits: they end, and are seen to go on."""

import re
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.client import responses
from threading import Thread
from time import monotonic
from typing import TypeVar
from urllib.parse import urlsplit

import requests
from requests import adapters, sessions

from rankexp.errors import DataError
from rankexp.runner.data.readers.compressed import MOST_UNPACKED

ANSWER = 30.0
"""Seconds in which a server must take a connection, and send something more of its answer."""
PATIENCE = 60.0
"""Seconds in which more than a few bytes must come."""
EVERY = 5.0
"""Seconds between lines that say how much has come."""
Found = TypeVar("Found")


class GivenUp(BaseException):
    """Nobody waits for this download any more."""


class Download:
    """What is known of a download while it goes on; `title` names it in messages."""

    def __init__(self, title: str) -> None:
        self.title, self.host, self.status = title, "", 0
        self.size, self.received = 0, 0
        self.moved = self.told = monotonic()
        self.given_up = False

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Let every request of this process, whoever makes it, end and be seen."""
        usual, watch = sessions.HTTPAdapter, self

        class Watched(usual):  # type: ignore[misc, valid-type]
            def send(self, request: requests.PreparedRequest, **how: object) -> requests.Response:
                watch._begin(str(request.url))
                answer = super().send(request, **how | {"timeout": ANSWER})
                watch._answered(answer)
                return answer

        sessions.HTTPAdapter = Watched
        try:
            yield
        finally:
            sessions.HTTPAdapter = usual

    def wait_for(self, act: Callable[[], Found]) -> Found:
        """Return what a function does that downloads; DataError when nothing more comes."""
        done: list[Found | BaseException] = []

        def work() -> None:
            try:
                done.append(act())
            except BaseException as error:  # goes to who waits
                done.append(error)

        thread = Thread(target=work, daemon=True)
        thread.start()
        try:
            while thread.is_alive():
                thread.join(0.1)
                now = monotonic()
                if now - self.moved > PATIENCE:
                    text = f"nothing more came from {self.host} in {PATIENCE:g} s"
                    raise DataError(f"{self.title}: {text}")
                if self.received and now - self.told > EVERY:
                    self.told = now
                    whole = f" of {self.size / 1e6:,.1f}" * bool(self.size)
                    print(f"{self.title}: {self.received / 1e6:,.1f}{whole} MB", file=sys.stderr)
        finally:
            self.given_up = True
        if isinstance(done[0], BaseException):
            raise done[0]
        return done[0]

    def _begin(self, url: str) -> None:
        self.host, self.status, self.received = urlsplit(url).netloc, 0, 0
        self._go_on()

    def _answered(self, answer: requests.Response) -> None:
        self._go_on()
        self.status = answer.status_code
        if self.status >= 500:  # the package tries again
            raise requests.ConnectionError(f"status {self.status}")
        self.size = _length(answer.headers)
        answer.encoding = "utf-8"  # not Latin-1, as HTTP has it where nothing is said
        stream = answer.raw.stream

        def watched(*given: object, **how: object) -> Iterator[bytes]:
            for piece in stream(*given, **how):
                self.received += len(piece)
                self._go_on()
                yield piece

        answer.raw.stream = watched

    def _go_on(self) -> None:
        self.moved = monotonic()
        if self.given_up or self.received > MOST_UNPACKED:
            raise GivenUp

    def said(self, error: BaseException) -> str | None:
        """Return in words how a connection, or a server, failed; None for another error."""
        if isinstance(error, GivenUp):
            return f"{self.host} sent more than {MOST_UNPACKED / 1e9:g} GB"
        if self.status not in (0, 200):
            known = responses.get(self.status, "unknown")
            return f"{self.host} answered with status {self.status} ({known})"
        if isinstance(error, requests.exceptions.SSLError):
            why = re.search(r"certificate verify failed: ([^(\n]+)", str(error))
            text = why[1].strip() if why else "the connection cannot be made safe"
            return f"the certificate of {self.host} is not trusted ({text})"
        if isinstance(error, requests.RequestException):
            if not self.status:
                return f"{self.host} cannot be reached ({type(error).__name__})"
            return f"the connection to {self.host} broke off before all had come"
        return None


def _length(headers: Mapping[str, str]) -> int:
    given = headers.get("Content-Length", "")
    return int(given) if given.isdecimal() and "Content-Encoding" not in headers else 0
