"""Where a database is: a URL or a plain path, read without ever repeating a password."""

from __future__ import annotations

import os
import re
from pathlib import Path

from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError

from policy_sim.errors import InputError
from policy_sim.masking import mask_credentials

__all__ = [
    "DATABASE_VARIABLE",
    "FORMS",
    "OWN",
    "database_file",
    "first_line",
    "given_url",
    "read_address",
    "shown_url",
]

DATABASE_VARIABLE = "POLICY_SIM_DATABASE"
OWN = "own"
FORMS = "Write lists.sqlite, sqlite:///lists.sqlite or postgresql+psycopg://host/name."

_DRIVERS = {"sqlite": "sqlite", "postgresql": "postgresql+psycopg", "postgres": "postgresql+psycopg"}
_SCHEME = re.compile(r"[A-Za-z][\w+.-]+:|.*://")  # of two letters or more: C:/ is a drive
_PASSWORD = re.compile(r"(?i)\bpass\w*\s*=")  # PostgreSQL's other form: host=... password=...
_OPTION = re.compile(r"[/?;].*=")  # in a password: the @ stood in an option, and what follows it is no host
_LONGEST = 200  # letters of what a server says
_NOT_SECRET = ("host", "port", "dbname")


def given_url(database: str | None) -> str | None:
    """Return the URL or path that was asked for, by option or environment; None for the user's own SQLite.

    ``own`` asks for that by name, whatever the environment says.
    """
    address = database or os.environ.get(DATABASE_VARIABLE) or OWN
    return None if address == OWN else address


def read_address(database: str) -> URL:
    """Read a URL, or the plain path of an SQLite file.

    Raises
    ------
    InputError : it is neither. What cannot be read is not repeated, for a password may be in it.
    """
    if not _SCHEME.match(database) and not _PASSWORD.search(database):
        return URL.create("sqlite", database=database)
    try:
        url = make_url(database)
    except (ArgumentError, ValueError):
        raise InputError(f"the database's address is neither a path nor a URL. {FORMS}") from None
    kind, _, driver = url.drivername.partition("+")
    if (
        _OPTION.search(url.password or "")
        or "@" in (url.host or "")
        or (kind != "sqlite" and "@" in (url.database or ""))
    ):
        raise InputError(
            "the database's address has more than one @, or one after a /: "
            f"write @ in a password as %40 and / as %2F. {FORMS}"
        )
    driver_name = _DRIVERS.get(kind)
    if driver_name is None or (driver and f"{kind}+{driver}" != driver_name):
        raise InputError(f"database {kind}://…: this kind of database is not supported. {FORMS}")
    if kind == "sqlite" and (url.host or url.username or url.password):
        raise InputError(f"an SQLite address has three slashes before the path, and no user. {FORMS}")
    return url.set(drivername=driver_name)


def database_file(url: URL) -> Path | None:
    """Return the file of an SQLite database; None for a server, or a database in memory."""
    if url.get_backend_name() != "sqlite" or url.database in (None, "", ":memory:"):
        return None
    name = str(url.database)
    return Path(name.removeprefix("file:")) if "uri" in url.query else Path(name)


def shown_url(url: URL) -> str:
    """Return a URL as messages and outputs show it: without user and password, wherever they stand."""
    if url.get_backend_name() == "sqlite":  # rendered, its : and @ would not be seen as an address's
        return mask_credentials(f"{url.drivername}:///{url.database or ''}")
    public = {key: value for key, value in url.query.items() if key == "host"}
    return mask_credentials(url.set(query=public).render_as_string(hide_password=True)).replace("%2F", "/")


def first_line(error: object, url: URL) -> str:
    """Return the first line that a driver or server said, without any password of the address that it may repeat."""
    message = str(error).strip()
    values = [url.password, *(value for key, value in url.query.items() if key not in _NOT_SECRET)]
    for secret in {str(value) for value in values if value}:
        message = re.sub(rf"(?<!\w){re.escape(secret)}(?!\w)", "…", message)
    lines = mask_credentials(message).splitlines() or ["no reason given"]
    return lines[0][:_LONGEST].rstrip(".")
