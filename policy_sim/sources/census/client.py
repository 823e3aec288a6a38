"""The census service through the ``census`` package: whole numbers, or one clear line.

The package asks one metadata request a variable, has no time-out and can put the key into an
exception; this subclass keeps its query and mends the rest.
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
from policy_sim.sources.census.editions import Edition
from policy_sim.sources.census.session import Patience, Refused, mask, open_session

__all__ = ["DEFAULT_URL", "MAX_VARIABLES", "TableClient"]

DEFAULT_URL = "https://api.census.gov/data"
MAX_VARIABLES = 50  # of one request, set by the service

# A revised figure of 2010 keeps its reference: 35221(r1234).
_COUNT = re.compile(r"(\d+)(?:\(r\d+\))?")
_NOT_A_TABLE = "the census service answered with something that is not a table of whole numbers"
_SHOWN = 200  # characters of the service's own words in a message


class _Malformed(Exception):  # noqa: N818 - a message inside this module, never shown
    """The answer is not a table of whole numbers; asking again may mend it."""


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
                "no census key: set CENSUS_API_KEY, or ask for one at https://api.census.gov/data/key_signup.html."
            )
        self.patience = patience or Patience()
        super().__init__(key.strip(), session=open_session(self.patience), retries=1)
        self.edition = edition
        self.dataset = edition.dataset
        self.endpoint_url = f"{_checked(url)}/%s/%s"

    def __repr__(self) -> str:
        return f"TableClient({self.edition.name!r})"

    @property
    def address(self) -> str:
        """The address that is asked, without the key."""
        return str(self.endpoint_url % (self.edition.year, self.dataset))

    def _field_type(self, field: str, year: int) -> Any:  # noqa: ARG002 - the package's signature
        """Tell counts from codes by their names; the package would ask the service."""
        return _whole if re.fullmatch(r"P(CT)?\d+[A-Z]?_?\d{3}N?", field) else str

    def rows(self, variables: Sequence[str], geography: Mapping[str, str]) -> list[dict[str, Any]]:
        """Return one row a place: each variable a whole number, each code text.

        Raises
        ------
        SourceError : the service cannot be reached, refuses, or answers with something else; the
            key stands in no message.
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
        # Every failure is re-raised outside its handler, so that no chained exception holds the key.
        said = ""
        fault = ""
        try:
            rows: list[dict[str, Any]] = self.query(list(variables), geography, year=self.edition.year)
        except APIKeyError:
            said = "the census service does not accept the key. Check CENSUS_API_KEY."
        except Refused as refusal:
            said = _explain(refusal)
        except CensusException as error:
            said = f"the census service says: {_one_line(str(error))}"
        except requests.exceptions.JSONDecodeError:
            fault = _NOT_A_TABLE
        except RequestException as error:
            if _gave_up(error):
                said = f"the census service cannot be reached ({_cause(error)}). Check the network and try again."
            else:
                fault = "the census service's answer was cut off"
        except (ValueError, TypeError, KeyError, AttributeError, IndexError):
            fault = _NOT_A_TABLE
        if said:
            self._fail(said)
        if fault:
            raise _Malformed(fault)
        if not rows:
            self._fail("the census service has no such table for these places (status 204).")
        if any(set(variables) - set(row) for row in rows):
            raise _Malformed("the census service left out variables")
        return rows

    def _fail(self, said: str) -> NoReturn:
        raise SourceError(f"{self.address}: {mask(said, self._key)}")


def _whole(text: str) -> int:
    found = _COUNT.fullmatch(text)
    if not found:
        raise ValueError("not a count")
    return int(found[1])


def _checked(url: str) -> str:
    """Return the address if a key may be sent there; it stands in manifests, so it must hold no secret."""
    what = "the census address (--url or POLICY_SIM_CENSUS_URL)"  # never repeated: it may hold a key
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        host = None
    if not host or parts.scheme not in ("http", "https") or "%" in url:
        raise InputError(f"{what} must begin with https:// and name a host.")
    if parts.username is not None or parts.query or parts.fragment:
        raise InputError(f"{what} must hold no user, question mark or #; the key comes from CENSUS_API_KEY.")
    if parts.scheme == "http" and host not in ("localhost", "127.0.0.1", "::1"):
        raise InputError(f"{what} is http://{host}: a key is sent over https only.")
    return url.rstrip("/")


def _explain(refusal: Refused) -> str:
    if refusal.status == 429:
        return "the census service asks for fewer requests (status 429). Try again later; what was fetched is kept."
    if refusal.status >= 500:
        return f"the census service is out of order (status {refusal.status}). Try again later."
    return f"the census service refused (status {refusal.status}): {_one_line(refusal.text)}"


def _one_line(text: str) -> str:
    words = " ".join(re.sub(r"<[^>]*>", " ", text).split())
    return words[:_SHOWN] or "nothing"


def _gave_up(error: RequestException) -> bool:
    """Tell a connection that was tried to the end from a body that broke off."""
    if isinstance(error, ChunkedEncodingError | ContentDecodingError):
        return False
    inner = error.args[0] if error.args else None
    return not isinstance(error, requests.exceptions.ConnectionError) or isinstance(inner, MaxRetryError)


def _cause(error: RequestException) -> str:
    inner = error.args[0] if error.args else None
    reason = getattr(inner, "reason", None) or error
    return type(reason).__name__
