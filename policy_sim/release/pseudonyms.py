"""Pseudonyms (HMAC-SHA-256) and shifts of dates, both made with a secret key, and the key in a file of its own.

Anyone can undo a plain hash of a record number by hashing every number. With a secret key, only someone who has the
key can do that, for values that can be listed. Guard the key like the file of names itself.
"""

from __future__ import annotations

import datetime as dt
import hmac
import os
import re
import secrets
import stat
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np

from policy_sim.records.dates import ISO, read_dates
from policy_sim.records.formats import CodedColumn
from policy_sim.words.arrays import IntArray
from policy_sim.words.errors import InputError, OutputError, SourceError

KEY_BYTES = 32
_SHOWN = 32  # hexadecimal digits of a pseudonym: 128 bits, so that no two of a trillion values collide by chance
_LISTABLE = 10**10
_DIGITS = re.compile(r"[\d\s()./+-]+")
_FEW_LETTERS = 6
MOST_DAYS = 3650
_OTHERS = stat.S_IRWXG | stat.S_IRWXO


class SecretKey:
    """A key of 32 bytes that never appears in output, logs or tracebacks.

    Examples
    --------
    >>> SecretKey(bytes(32))
    SecretKey(hidden)
    >>> SecretKey(bytes(32)).digest("visit", "17") == SecretKey(bytes(32)).digest("visit", "17")
    True
    """

    __slots__ = ("_bytes",)

    def __init__(self, content: bytes) -> None:
        if len(content) != KEY_BYTES:
            raise InputError(f"a key has {KEY_BYTES} bytes. Let a new one be made in a file of its own.")
        self._bytes = content

    @classmethod
    def new(cls) -> SecretKey:
        """Create a key from the system's source of randomness."""
        return cls(secrets.token_bytes(KEY_BYTES))

    def __repr__(self) -> str:
        return "SecretKey(hidden)"

    def __reduce__(self) -> str:
        raise TypeError("a secret key is not copied into files or other processes")

    def to_text(self) -> str:
        """Return the key in hexadecimal digits, only for its own file."""
        return self._bytes.hex()

    def digest(self, purpose: str, value: str) -> bytes:
        """Return the HMAC-SHA-256 of a value, different for each purpose."""
        length = len(purpose.encode())
        return hmac.new(self._bytes, f"{length}:{purpose}:{value}".encode(), "sha256").digest()

    @property
    def fingerprint(self) -> str:
        """Sixteen hexadecimal digits that show two people whether they have the same key."""
        return self.digest("fingerprint", "").hex()[:16]


def pseudonym_column(column: CodedColumn, key: SecretKey, purpose: str) -> CodedColumn:
    """Return a column with a pseudonym of 32 hexadecimal digits for each value; a missing value stays missing.

    Columns with the same purpose share their pseudonyms, such as a patient number in two files.
    """
    return column.relabeled(["", *(key.digest(purpose, value).hex()[:_SHOWN] for value in column.values)])


def can_be_listed(values: Sequence[str]) -> bool:
    """Return whether an attacker can try all values of this form: numbers of ten digits or fewer, or short codes."""
    if not values:
        return False
    for value in values:
        is_number = _DIGITS.fullmatch(value) and 10 ** sum(letter.isdigit() for letter in value) <= _LISTABLE
        if not is_number and len(value) > _FEW_LETTERS:
            return False
    return True


def days_of_people(people: Sequence[str], key: SecretKey, most: int) -> IntArray:
    """Return for each person a number of days from ``-most`` to ``most``, never 0, all equally likely.

    It comes from the key, so a second file of the same people, shifted with the same key, fits the first.
    """
    if not 1 <= most <= MOST_DAYS:
        raise InputError(f"days = {most}: give the largest shift of dates, from 1 to {MOST_DAYS:,}.")
    drawn = [int.from_bytes(key.digest("shift", person)[:8], "big") % (2 * most) for person in people]
    return np.array([number - most if number < most else number - most + 1 for number in drawn], dtype=np.int64)


def shifted_dates(name: str, column: CodedColumn, days: IntArray, form: str = ISO) -> CodedColumn:
    """Return a column of dates as YYYY-MM-DD, each shifted by the days of its row."""
    dates, _ = read_dates(name, column.values, form)
    unread = sum(date is None for date in dates)
    if unread:
        raise InputError(f"{name}: {unread:,} distinct values are not dates. Correct them before dates are shifted.")
    ordinals = np.array([0, *(date.toordinal() for date in dates if date)], dtype=np.int64)
    shifted = np.where(column.codes > 0, ordinals[column.codes] + days, 0)
    distinct, codes = np.unique(shifted, return_inverse=True)
    day_numbers = distinct[distinct != 0]
    if len(day_numbers) and not 0 < day_numbers[0] <= day_numbers[-1] <= dt.date.max.toordinal():
        raise InputError(f"{name}: a shifted date is outside the calendar. Shift by fewer days.")
    values = tuple(dt.date.fromordinal(int(number)).isoformat() for number in day_numbers)
    return CodedColumn((codes + (0 if len(day_numbers) < len(distinct) else 1)).astype(np.int32), values)


def read_key(path: Path) -> SecretKey:
    """Read a key, which nobody but its owner may be able to read."""
    try:
        mode = path.stat().st_mode
        if os.name == "posix" and mode & _OTHERS:
            raise InputError(f"{path}: other users may read the key. Set the file's mode to 600.")
        text = path.read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "not text"
        raise SourceError(f"{path}: the key cannot be read ({reason}).") from None
    try:
        content = bytes.fromhex(text)
    except ValueError:
        content = b""
    if len(content) != KEY_BYTES:
        raise InputError(f"{path} does not contain a key of {2 * KEY_BYTES} hexadecimal digits.")
    return SecretKey(content)


def make_key(path: Path) -> SecretKey:
    """Make a key and write it into a new file with mode 600."""
    key = SecretKey.new()
    draft = path.with_name(f".{path.name[:40]}-{secrets.token_hex(4)}.part")
    try:
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii") as file:
            file.write(key.to_text() + "\n")
            file.flush()
            os.fsync(file.fileno())
        os.link(draft, path)  # fails where the name is taken, so that no key is ever overwritten
    except OSError as error:
        raise OutputError(f"{path}: the key cannot be written ({error.strerror}).") from None
    finally:
        with suppress(OSError):
            draft.unlink(missing_ok=True)
    return key
