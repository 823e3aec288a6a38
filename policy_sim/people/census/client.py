"""The census service: a session that never reveals the key, whole numbers from its answers, and answers saved."""

from __future__ import annotations

import gzip
import json
import logging
import re
import shutil
import time
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any, NoReturn
from urllib.parse import quote, quote_plus, urljoin, urlsplit

import requests
from census.core import APIKeyError, CensusException, Client
from requests.adapters import HTTPAdapter
from requests.exceptions import ChunkedEncodingError, ContentDecodingError, RequestException
from urllib3.exceptions import MaxRetryError
from urllib3.util.retry import Retry

from policy_sim.files.writing import replace_file
from policy_sim.people.census.tables import MOST_PEOPLE, Edition, wrong_with
from policy_sim.words.errors import InputError, SourceError

# An HTTP session that retries and is limited in time.


_BUSY = (429, 500, 502, 503, 504)
_HEAD = 2000  # characters in which a page has its title
_KEY_TITLE = re.compile(r"<(?:title|h1)\b[^>]*>\s*(Missing|Invalid) Key\s*</", re.IGNORECASE)
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


class Refused(Exception):  # noqa: N818 - a message inside this module
    """The service gave no table after all retries, or sent the request elsewhere; the text says why."""


class Session(requests.Session):
    """A session that retries busy answers with back-off and limits every wait; no table is :class:`Refused`."""

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
        """Return an answer with a table, or with none for these places."""
        kwargs.setdefault("timeout", self._timeout)
        answer = _within(self._whole, partial(super().request, *args, **kwargs))
        if answer.status_code not in (200, 204):
            raise Refused(_explain(answer))
        page = urlsplit(answer.url).path.rpartition("/")[2]
        if key_page := _KEY_TITLE.search(answer.text[:_HEAD]):
            page = f"{key_page[1].lower()}_key.html"
        elif not answer.history or answer.text.lstrip().startswith("["):
            return answer
        raise Refused(_explain_page(page))

    def get_redirect_target(self, resp: requests.Response) -> str | None:
        """Follow a redirect only where the key may go: to the same host, port and scheme."""
        target = super().get_redirect_target(resp)
        if target is None:
            return None
        source_url, target_url = urlsplit(resp.url), urlsplit(urljoin(resp.url, target))
        if (source_url.scheme, source_url.netloc) != (target_url.scheme, target_url.netloc):
            resp.close()
            host, page = target_url.hostname or "an address without a host", target_url.path.rpartition("/")[2]
            raise Refused(
                _explain_page(page)
                if page in _KEY_PAGES
                else f"the census service redirects to another address, {host}, and the program does not send the key "
                "there. Check the url or POLICY_SIM_CENSUS_URL."
            )
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
        raise Refused(
            f"the census service did not complete its answer within {seconds:g} seconds. "
            "Try again later: the answers fetched so far are saved."
        ) from None
    if isinstance(outcome, BaseException):
        raise outcome
    return outcome


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


# The census service through the ``census`` package: whole numbers, or one clear line.
#
# The package sends one metadata request per variable, has no time-out and can put the key into an
# exception. This subclass uses its query and fixes the rest.


DEFAULT_URL = "https://api.census.gov/data"
MAX_VARIABLES = 50  # in one request, a limit of the service

# A revised figure of 2010 keeps its reference: 35221(r1234).
_COUNT = re.compile(r"(\d{1,11})(?:\(r\d+\))?", re.ASCII)
_MARGIN = re.compile(r"B\d{5}[A-I]?_\d{3}M")
# What the survey writes in place of a margin: the estimate is fixed to a known total; too few people, or none asked.
_MARGIN_CODES = {"-555555555": 0} | dict.fromkeys(("-222222222", "-333333333", "-999999999"), MOST_PEOPLE)
_NOT_A_TABLE = "the answer of the census service is not a table of whole numbers"
_LONGEST = 200  # characters of the service's own words in a message


class _Malformed(Exception):  # noqa: N818 - a message inside this module
    """The answer is not a table of whole numbers; another request may succeed."""


class TableClient(Client):  # type: ignore[misc]
    """One edition's tables; the user's key leaves this object only inside requests.

    ``url``: the service's address, without the year.
    """

    def __init__(self, key: str, edition: Edition, *, url: str = DEFAULT_URL, patience: Patience | None = None) -> None:
        if not key.strip():
            raise InputError(
                "no census key. Set CENSUS_API_KEY, or request a key at https://api.census.gov/data/key_signup.html."
            )
        self.patience = patience or Patience()
        super().__init__(key.strip(), session=Session(self.patience), retries=1)
        hide_in_logs(self._key)
        self.edition = edition
        self.dataset = edition.dataset
        self.endpoint_url = f"{_checked(url, key.strip())}/%s/%s"

    def __repr__(self) -> str:
        return f"TableClient({self.edition.name!r})"

    @property
    def address(self) -> str:
        """The address of the requests, without the key."""
        return str(self.endpoint_url % (self.edition.year, self.dataset))

    def _field_type(self, field: str, year: int) -> Any:  # noqa: ARG002 - the package's signature
        """Tell counts from codes by their names; the package would request metadata."""
        if _MARGIN.fullmatch(field):
            return _margin
        return _whole if re.fullmatch(r"P(CT)?\d+[A-Z]?_?\d{3}N?|B\d{5}[A-I]?_\d{3}E", field) else str

    def rows(self, variables: Sequence[str], geography: Mapping[str, str]) -> list[dict[str, Any]]:
        """Return one row per place: each variable a whole number, each code text."""
        if len(variables) > MAX_VARIABLES:
            raise InputError(f"{len(variables)} variables in one request; the service takes {MAX_VARIABLES}.")
        for attempt in range(1, self.patience.tries + 1):
            try:
                return self._ask(variables, geography)
            except _Malformed as fault:
                if attempt == self.patience.tries:
                    self._fail(f"{fault}, {attempt} times in a row. Try again later.")
            time.sleep(min(self.patience.backoff * 2 ** (attempt - 1), self.patience.longest_wait))
        raise AssertionError("unreachable")

    def _ask(self, variables: Sequence[str], geography: Mapping[str, str]) -> list[dict[str, Any]]:
        # Every failure is re-raised outside its handler, so that no chained exception contains the key.
        failure = fault = ""
        try:
            rows: list[dict[str, Any]] = self.query(list(variables), geography, year=self.edition.year)
        except APIKeyError:
            failure = _WRONG_KEY
        except Refused as refusal:
            failure = str(refusal)
        except CensusException as error:
            failure = f"the census service reports: {_one_line(str(error))}"
        except requests.exceptions.JSONDecodeError:
            fault = _NOT_A_TABLE
        except RequestException as error:
            if _gave_up(error):
                failure = f"the census service cannot be reached ({_cause(error)}). Check the network and try again."
            else:
                fault = "the census service's answer was cut off"
        except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
            fault = _NOT_A_TABLE
        if failure:
            self._fail(failure)
        if fault:
            raise _Malformed(fault)
        if not rows:
            self._fail("the census service has no such table for these places (status 204).")
        for name in filter(_MARGIN.fullmatch, variables):
            for row in rows:
                if row.get(name, "") is None:
                    row[name] = MOST_PEOPLE
        if wrong := wrong_with(rows, variables, geography):
            raise _Malformed(f"{_NOT_A_TABLE} ({wrong})")
        return rows

    def _fail(self, problem: str) -> NoReturn:
        raise SourceError(f"{self.address}: {mask(problem, self._key)}")


def _whole(text: str) -> int:
    match = _COUNT.fullmatch(text)
    if not match:
        raise ValueError("not a count")
    return int(match[1])


def _margin(text: str) -> int:
    """Return a margin of error: 0 where the Bureau fixed the estimate, MOST_PEOPLE where the margin is unknown.

    >>> _margin("57"), _margin("-555555555"), _margin("-222222222") == MOST_PEOPLE
    (57, 0, True)
    """
    return _MARGIN_CODES[text] if text in _MARGIN_CODES else _whole(text)


def _checked(url: str, key: str) -> str:
    """Return the address if a key may be sent there; manifests contain it, so it must contain no secret."""
    what = "the address of the census service (url or POLICY_SIM_CENSUS_URL)"  # never repeated: it may contain a key
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        host = None
    if mask(url, key) != url:
        raise InputError(f"{what} must not contain the key, which comes from CENSUS_API_KEY.")
    if not host or parts.scheme not in ("http", "https") or "%" in url:
        raise InputError(f"{what} must start with https:// and contain a host name.")
    if parts.username is not None or parts.query or parts.fragment:
        raise InputError(f"{what} must contain no user name, question mark or #. The key comes from CENSUS_API_KEY.")
    if parts.scheme == "http" and host not in ("localhost", "127.0.0.1", "::1"):
        raise InputError(f"{what} is http://{host}, but a key may be sent only over https.")
    return url.rstrip("/")


_WRONG_KEY = "the census service does not accept the key. Check CENSUS_API_KEY."
# Since May 2026 a request without a key is redirected to a page.
_KEY_PAGES = {
    "invalid_key.html": _WRONG_KEY,
    "missing_key.html": "the census service received no key and redirected to its page missing_key.html. "
    "Check CENSUS_API_KEY, and check that no proxy removes it.",
}


def _explain(answer: requests.Response) -> str:
    if answer.status_code == 429:
        return (
            "the census service received too many requests (status 429). Try again later: the answers so far are saved."
        )
    if answer.status_code >= 500:
        return f"the census service failed (status {answer.status_code}). Try again later."
    return f"the census service refused (status {answer.status_code}): {_one_line(answer.text)}"


def _explain_page(page: str) -> str:
    return _KEY_PAGES.get(page) or (
        f"the census service redirected to a page, {page[:_LONGEST] or '/'}, that is not a table. "
        "Check the address and try again later."
    )


def _one_line(text: str) -> str:
    words = " ".join(re.sub(r"<[^>]*>", " ", text).split())
    return words[:_LONGEST] or "nothing"


def _gave_up(error: RequestException) -> bool:
    """Tell a connection that failed after all retries from an answer that was cut off."""
    if isinstance(error, ChunkedEncodingError | ContentDecodingError):
        return False
    inner = error.args[0] if error.args else None
    return not isinstance(error, requests.exceptions.ConnectionError) or isinstance(inner, MaxRetryError)


def _cause(error: RequestException) -> str:
    inner = error.args[0] if error.args else None
    reason = getattr(inner, "reason", None) or error
    return type(reason).__name__


# Answers of the census service, saved as they arrive, so that an interrupted fetch can resume.


@dataclass(frozen=True)
class Question:
    """One request: some columns of one table, for some places."""

    table: str
    part: int
    variables: tuple[str, ...]
    place: str
    within: str

    @property
    def geography(self) -> dict[str, str]:
        """The request's ``for``, and ``in`` where the places are within others."""
        return {"for": f"{self.place}:*", **({"in": self.within} if self.within else {})}

    @property
    def name(self) -> str:
        """Name of the file with the answer."""
        where = "".join(letter if letter.isalnum() else "-" for letter in self.within).strip("-")
        return f"{self.table}-{self.part}-{where or 'all'}"


@dataclass(frozen=True)
class Answers:
    """A folder with one file per answer; only answers from ``address`` are read.

    ``address`` is the address requested, without the key: an answer of another service does not count.
    """

    folder: Path
    address: str

    def get(self, question: Question) -> list[dict[str, Any]] | None:
        """Return the saved answer, or None if there is no complete one to this question."""
        try:
            saved = json.loads(gzip.decompress(self._path(question).read_bytes()))
            request = (saved["address"], saved["variables"], saved["geography"])
            if request != (self.address, list(question.variables), question.geography):
                return None
            header = saved["header"]
            rows = [dict(zip(header, row, strict=True)) for row in saved["rows"]]
            return None if wrong_with(rows, question.variables, question.geography) else rows
        except (OSError, EOFError, zlib.error, ValueError, KeyError, TypeError, RecursionError):
            return None

    def put(self, question: Question, rows: Sequence[dict[str, Any]]) -> None:
        """Save an answer."""
        if wrong := wrong_with(rows, question.variables, question.geography):
            raise SourceError(f"{self.address}: the answer {question.name} cannot be used: {wrong}.")
        header = list(rows[0])
        saved = {
            "address": self.address,
            "retrieved": datetime.now(UTC).isoformat(timespec="seconds"),
            "variables": list(question.variables),
            "geography": question.geography,
            "header": header,
            "rows": [[row[name] for name in header] for row in rows],
        }
        text = json.dumps(saved, separators=(",", ":")).encode()
        replace_file(self._path(question), gzip.compress(text, 5, mtime=0))

    def retrieved(self, questions: Sequence[Question]) -> str:
        """When the last of these answers arrived, ISO 8601 UTC; :meth:`get` has read each before."""
        saved = (json.loads(gzip.decompress(self._path(question).read_bytes())) for question in questions)
        return max(str(answer.get("retrieved", "")) for answer in saved)

    def forget(self) -> None:
        """Delete every answer."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def _path(self, question: Question) -> Path:
        return self.folder / f"{question.name}.json.gz"
