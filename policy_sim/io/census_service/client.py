"""The census service through the ``census`` package: whole numbers, or one clear line.

The package sends one metadata request per variable, has no time-out and can put the key into an
exception. This subclass uses its query and fixes the rest.
"""

from __future__ import annotations

import re
import time
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn
from urllib.parse import urlsplit

import requests
from census.core import APIKeyError, CensusException, Client
from requests.exceptions import ChunkedEncodingError, ContentDecodingError, RequestException
from urllib3.exceptions import MaxRetryError

from policy_sim.errors import InputError, SourceError
from policy_sim.io.census_service.editions import Edition
from policy_sim.io.census_service.session import Elsewhere, Patience, Refused, TooSlow, mask, open_session
from policy_sim.io.census_service.whole import wrong_with

__all__ = ["DEFAULT_URL", "MAX_VARIABLES", "TableClient"]

DEFAULT_URL = "https://api.census.gov/data"
MAX_VARIABLES = 50  # in one request, a limit of the service

# A revised figure of 2010 keeps its reference: 35221(r1234).
_COUNT = re.compile(r"(\d{1,11})(?:\(r\d+\))?", re.ASCII)
_NOT_A_TABLE = "the answer of the census service is not a table of whole numbers"
_WRONG_KEY = "the census service does not accept the key. Check CENSUS_API_KEY."
_LONGEST = 200  # characters of the service's own words in a message


class _Malformed(Exception):  # noqa: N818 - a message inside this module
    """The answer is not a table of whole numbers; another request may succeed."""


class TableClient(Client):  # type: ignore[misc]
    """One edition's tables.

    Parameters
    ----------
    key : The user's key; it leaves this object only inside requests.
    edition : Which file.
    url : The service's address, without the year.
    patience : Time-outs and retries.
    """

    def __init__(self, key: str, edition: Edition, *, url: str = DEFAULT_URL, patience: Patience | None = None) -> None:
        if not key.strip():
            raise InputError(
                "no census key. Set CENSUS_API_KEY, or request a key at https://api.census.gov/data/key_signup.html."
            )
        self.patience = patience or Patience()
        super().__init__(key.strip(), session=open_session(self.patience), retries=1)
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
        return _whole if re.fullmatch(r"P(CT)?\d+[A-Z]?_?\d{3}N?", field) else str

    def rows(self, variables: Sequence[str], geography: Mapping[str, str]) -> list[dict[str, Any]]:
        """Return one row per place: each variable a whole number, each code text.

        Raises
        ------
        SourceError : the service cannot be reached, refuses, or answers with something else; no
            message contains the key.
        """
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
        failure = ""
        fault = ""
        try:
            rows: list[dict[str, Any]] = self.query(list(variables), geography, year=self.edition.year)
        except APIKeyError:
            failure = _WRONG_KEY
        except Refused as refusal:
            failure = _explain(refusal)
        except Elsewhere as away:
            failure = _explain_elsewhere(away)
        except TooSlow:
            failure = (
                f"the census service did not complete its answer within {self.patience.whole:g} seconds. "
                "Try again later: the answers fetched so far are saved."
            )
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


def _explain(refusal: Refused) -> str:
    if refusal.status == 429:
        return (
            "the census service received too many requests (status 429). Try again later: the answers so far are saved."
        )
    if refusal.status >= 500:
        return f"the census service failed (status {refusal.status}). Try again later."
    return f"the census service refused (status {refusal.status}): {_one_line(refusal.text)}"


def _explain_elsewhere(away: Elsewhere) -> str:
    """Explain a redirect to another page; since May 2026 a request without a key gets one."""
    if away.page == "invalid_key.html":
        return _WRONG_KEY
    if away.page == "missing_key.html":
        return (
            "the census service received no key and redirected to its page missing_key.html. "
            "Check CENSUS_API_KEY, and check that no proxy removes it."
        )
    if away.host:
        return (
            f"the census service redirects to another address, {away.host}, and the program does not send the key "
            f"there. "
            "Check the url or POLICY_SIM_CENSUS_URL."
        )
    page = away.page[:_LONGEST] or "/"
    return (
        f"the census service redirected to a page, {page}, that is not a table. Check the address and try again later."
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
