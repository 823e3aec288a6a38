"""An HTTP session for the census service: it retries, is limited in time, and never reveals the key."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any
from urllib.parse import quote, quote_plus, urljoin, urlsplit

import requests
from requests.adapters import HTTPAdapter
from urllib3.util.retry import Retry

__all__ = ["Elsewhere", "Patience", "Refused", "TooSlow", "hide_in_logs", "mask", "open_session"]

_BUSY = (429, 500, 502, 503, 504)
_HEAD = 2000  # characters in which a page has its title
_LOGGERS = ("urllib3.connectionpool", "urllib3.util.retry", "urllib3.poolmanager", "requests")


@dataclass(frozen=True)
class Patience:
    """How long to wait, in seconds, and how often to try.

    ``connect`` and ``read`` limit one silence. ``whole`` limits one answer with its redirects, retries and
    waits, even if it arrives byte by byte. ``longest_wait`` limits the wait that a ``Retry-After`` header demands.
    """

    connect: float = 10.0
    read: float = 90.0
    tries: int = 5
    backoff: float = 1.0
    longest_wait: float = 120.0
    whole: float = 600.0


class Refused(Exception):  # noqa: N818 - a message between two modules
    """The service answered with an error status after all retries."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(status)
        self.status, self.text = status, text


class Elsewhere(Exception):  # noqa: N818 - a message between two modules
    """The service redirected to another host, which gets no request, or to a page of its own that is no table."""

    def __init__(self, host: str, page: str) -> None:
        super().__init__(host)
        self.host, self.page = host, page


class TooSlow(Exception):  # noqa: N818 - a message between two modules
    """An answer was not complete in time."""


class _Session(requests.Session):
    """A session in which every request has a time-out and every error status raises :class:`Refused`."""

    def __init__(self, patience: Patience) -> None:
        super().__init__()
        self._timeout = (patience.connect, patience.read)
        self._whole = patience.whole
        retry = Retry(
            total=patience.tries - 1,
            backoff_factor=patience.backoff,
            backoff_max=patience.longest_wait,
            status_forcelist=_BUSY,
            allowed_methods=("GET",),
            respect_retry_after_header=True,
            retry_after_max=int(patience.longest_wait),
            raise_on_status=False,
        )
        for scheme in ("https://", "http://"):
            self.mount(scheme, HTTPAdapter(max_retries=retry))

    def request(self, *args: Any, **kwargs: Any) -> requests.Response:
        kwargs.setdefault("timeout", self._timeout)
        answer = _within(self._whole, partial(super().request, *args, **kwargs))
        if answer.status_code not in (200, 204):
            raise Refused(answer.status_code, answer.text)
        page = urlsplit(answer.url).path.rpartition("/")[2]
        if "<title>Missing Key</title>" in answer.text[:_HEAD]:
            raise Elsewhere("", "missing_key.html")
        if answer.history and not answer.text.lstrip().startswith("["):
            raise Elsewhere("", page)
        return answer

    def get_redirect_target(self, resp: requests.Response) -> str | None:
        """Follow a redirect only where the key may go: to the same host, port and scheme."""
        target = super().get_redirect_target(resp)
        if target is None:
            return None
        source_url, target_url = urlsplit(resp.url), urlsplit(urljoin(resp.url, target))
        if (source_url.scheme, source_url.netloc) != (target_url.scheme, target_url.netloc):
            resp.close()
            raise Elsewhere(target_url.hostname or "an address without a host", target_url.path.rpartition("/")[2])
        return target


def _within(seconds: float, work: Callable[[], requests.Response]) -> requests.Response:
    """Return the answer, or give up: a read may go on without end and never be silent.

    An abandoned request goes on in a thread that nobody waits for, until the service ends it.
    """
    results: SimpleQueue[requests.Response | BaseException] = SimpleQueue()

    def run() -> None:
        try:
            results.put(work())
        except BaseException as failure:
            results.put(failure)

    Thread(target=run, daemon=True).start()
    try:
        outcome = results.get(timeout=seconds)
    except Empty:
        raise TooSlow from None
    if isinstance(outcome, BaseException):
        raise outcome
    return outcome


def open_session(patience: Patience) -> requests.Session:
    """Return a session that retries busy answers with back-off and limits every wait."""
    return _Session(patience)


def mask(text: str, key: str) -> str:
    """Return the text with every form of the key replaced by ``***``."""
    for form in {key, quote(key, safe=""), quote_plus(key)} - {""}:
        text = text.replace(form, "***")
    return text


class _Mask(logging.Filter):
    def __init__(self, key: str) -> None:
        super().__init__()
        self.key = key

    def filter(self, record: logging.LogRecord) -> bool:
        record.msg, record.args = mask(record.getMessage(), self.key), ()
        return True


def hide_in_logs(key: str) -> None:
    """Mask the key in what the HTTP libraries log, at any log level, from now on.

    The mask stays: an abandoned request may log once more after everything else is done.
    """
    for logger in map(logging.getLogger, _LOGGERS):
        if not any(isinstance(filter_, _Mask) and filter_.key == key for filter_ in logger.filters):
            logger.addFilter(_Mask(key))
