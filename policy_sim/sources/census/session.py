"""An HTTP session for the census service: patient, bounded in time, and silent about the key."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, quote_plus

import requests
from requests.adapters import HTTPAdapter
from urllib3.util.retry import Retry

__all__ = ["Patience", "Refused", "hide_in_logs", "mask", "open_session"]

_BUSY = (429, 500, 502, 503, 504)
_LOGGERS = ("urllib3.connectionpool", "urllib3.util.retry", "urllib3.poolmanager", "requests")


@dataclass(frozen=True)
class Patience:
    """How long to wait, in seconds, and how often to try.

    ``connect`` and ``read`` bound one silence, not a whole answer. ``longest_wait`` caps what a
    ``Retry-After`` header may ask for.
    """

    connect: float = 10.0
    read: float = 90.0
    tries: int = 5
    backoff: float = 1.0
    longest_wait: float = 120.0


class Refused(Exception):  # noqa: N818 - a message between two modules, never shown
    """The service answered with a status that is not success, after every retry."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(status)
        self.status, self.text = status, text


class _Session(requests.Session):
    """A session whose every request has a time-out and whose failures are :class:`Refused`."""

    def __init__(self, patience: Patience) -> None:
        super().__init__()
        self._timeout = (patience.connect, patience.read)
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
        answer = super().request(*args, **kwargs)
        if answer.status_code not in (200, 204):
            raise Refused(answer.status_code, answer.text)
        return answer


def open_session(patience: Patience) -> requests.Session:
    """Return a session that retries busy answers with back-off and never waits without end."""
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
    """Mask the key in what the HTTP libraries log, whatever level the user has set, from now on.

    It stays hidden: a request that is given up may log once more after everything else is done.
    """
    for logger in map(logging.getLogger, _LOGGERS):
        if not any(isinstance(known, _Mask) and known.key == key for known in logger.filters):
            logger.addFilter(_Mask(key))
