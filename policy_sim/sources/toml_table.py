"""Read a TOML table strictly: every key is asked for by name and type, and nothing is ignored.

Problems are collected, not raised, so that a file can be told everything that is wrong with it at
once. Each problem says where, what, what was allowed and what to do.
"""

from __future__ import annotations

import datetime as dt
import difflib
import re
import tomllib
from collections.abc import Collection, Iterator, Sequence
from typing import Any

__all__ = ["TomlTable", "not_toml"]

_LONGEST = 80  # letters of a line that are shown


class TomlTable:
    """One table of a TOML file and the list to which its problems are added.

    Parameters
    ----------
    raw : The table as ``tomllib`` returns it.
    problems : Where to add problems; shared by all tables of a file.
    at : What stands before a key in a problem: ``"[2008] fields.gender."``.

    Call :meth:`done` after the last key: it reports those that nothing asked for.
    """

    def __init__(self, raw: dict[str, Any], problems: list[str], at: str = "") -> None:
        self.raw, self.problems, self.at = raw, problems, at
        self._asked: dict[str, None] = {}

    def __contains__(self, key: str) -> bool:
        return key in self.raw

    def problem(self, key: str, text: str) -> None:
        """Add a problem with one key."""
        self.problems.append(f"{self.at}{key} {text}")

    def text(self, key: str, *, required: bool = False) -> str:
        """Return a text; empty where the key is absent."""
        return str(self._take(key, str, "a text in quotes", "", required))

    def choice(
        self, key: str, allowed: Collection[str], default: str = "", *, required: bool = False, hint: str = ""
    ) -> str:
        """Return one of the allowed words."""
        value = self._take(key, str, f"one of {', '.join(allowed)}", default, required)
        if key in self.raw and value and value not in allowed:
            self.problem(key, f"= {value!r} is not one of {', '.join(allowed)}.{_near(value, allowed)}{hint}")
            return default
        return str(value)

    def number(self, key: str, default: float = 0.0) -> float:
        """Return a number of 0 or more."""
        value = self._take(key, (int, float), "a number, written without quotes such as 2500", default, required=False)
        if value < 0 or value != value or value == float("inf"):
            self.problem(key, f"= {value} is not a number of 0 or more.")
            return default
        return float(value)

    def flag(self, key: str, *, default: bool = False) -> bool:
        """Return true or false."""
        value = self.raw.get(key, default)
        self._asked[key] = None
        if not isinstance(value, bool):
            self.problem(key, f"= {value!r} is not true or false; write it without quotes.")
            return default
        return value

    def date(self, key: str, *, required: bool = False) -> dt.date | None:
        """Return a day, written 2008-09-01 without quotes."""
        value = self._take(key, dt.date, "a day such as 2008-09-01, without quotes", None, required)
        if isinstance(value, dt.datetime):
            self.problem(key, f"= {value} has a time of day; write the day alone, such as 2008-09-01.")
            return None
        return value if isinstance(value, dt.date) else None

    def texts(self, key: str, allowed: Collection[str] | None = None) -> tuple[str, ...]:
        """Return a list of texts, each one of the allowed words if there are any."""
        value = self._take(key, list, 'a list of texts such as ["a", "b"]', [], required=False)
        if not all(isinstance(item, str) for item in value):
            self.problem(key, f"= {value!r} is not a list of texts.")
            return ()
        for item in value:
            if allowed is not None and item not in allowed:
                self.problem(key, f"holds {item!r}, not one of {', '.join(allowed)}.{_near(item, allowed)}")
        return tuple(item for item in value if allowed is None or item in allowed)

    def table(self, key: str, *, required: bool = False) -> TomlTable:
        """Return a table inside this one; where it is absent, an empty one whose keys are not missed one by one."""
        raw = self._take(key, dict, f"a table, [{key}] or {key} = {{ ... }}", None, required)
        return TomlTable(raw or {}, self.problems if raw is not None else [], f"{self.at}{key}.")

    def tables(self, key: str) -> Iterator[TomlTable]:
        """Yield each table of an array of tables."""
        raw = self._take(key, list, f"an array of tables, [[{key}]]", [], required=False)
        for number, item in enumerate(raw, 1):
            if isinstance(item, dict):
                yield TomlTable(item, self.problems, f"{self.at}{key} {number}: ")
            else:
                self.problem(key, f"{number} is not a table.")

    def done(self, also: Sequence[str] = ()) -> None:
        """Report every key that nothing asked for; a key that nothing reads is an error."""
        known = list(dict.fromkeys([*self._asked, *also]))
        for key in self.raw:
            if key not in known:
                near = _near(key, known)
                self.problems.append(
                    f"{self.at}{key} is not a known key.{near} Known here: {', '.join(known)}. "
                    "Remove it or correct its name."
                )

    def _take(self, key: str, kind: type | tuple[type, ...], said: str, default: Any, required: bool) -> Any:
        self._asked[key] = None
        if key not in self.raw:
            if required:
                self.problems.append(f"{self.at}{key} is missing; give {said}.")
            return default
        value = self.raw[key]
        if not isinstance(value, kind) or isinstance(value, bool):
            shown = value.isoformat() if isinstance(value, dt.date) else repr(value)
            self.problem(key, f"= {shown} is not {said}.")
            return default
        return value


def _near(given: str, known: Collection[str]) -> str:
    small = {name.casefold(): name for name in known}
    near = difflib.get_close_matches(given.casefold(), list(small), n=1, cutoff=0.6)
    return f" Did you mean {small[near[0]]!r}?" if near else ""


def not_toml(error: tomllib.TOMLDecodeError, text: str) -> str:
    """Return what is wrong with a text that is not TOML, with the line that it stumbles over."""
    place = re.search(r"at line (\d+)", str(error))
    lines = text.splitlines()
    number = int(place.group(1)) if place else 0
    line = lines[number - 1].strip() if 0 < number <= len(lines) else ""
    return f"is not TOML: {error}" + (f": {line[:_LONGEST]}" if line else "")
