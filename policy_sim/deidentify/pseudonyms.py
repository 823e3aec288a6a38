"""Keyed pseudonyms: HMAC-SHA-256 of a value with a secret key that never leaves its object.

Anyone can undo a plain hash of a record number by hashing every number. With a secret key, only someone who has the
key can do that, for values that can be listed. Guard the key like the file of names itself.
"""

from __future__ import annotations

import hmac
import re
import secrets
from collections.abc import Sequence

from policy_sim.deidentify.coded_columns import CodedColumn
from policy_sim.errors import InputError

__all__ = ["KEY_BYTES", "SecretKey", "can_be_listed", "pseudonym_column"]

KEY_BYTES = 32
_SHOWN = 32  # hexadecimal digits of a pseudonym: 128 bits, so that no two of a trillion values collide by chance
_LISTABLE = 10**10
_DIGITS = re.compile(r"[\d\s()./+-]+")
_FEW_LETTERS = 6


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

    Parameters
    ----------
    column : The values.
    key : The secret key.
    purpose : Columns with the same purpose share their pseudonyms, such as a patient number in two files.

    Examples
    --------
    >>> column = pseudonym_column(CodedColumn.of(["7", "", "7"]), SecretKey(bytes(32)), "patient")
    >>> first, second, third = column.texts()
    >>> first == third, second, len(first)
    (True, '', 32)
    """
    return column.relabeled(["", *(key.digest(purpose, value).hex()[:_SHOWN] for value in column.values)])


def can_be_listed(values: Sequence[str]) -> bool:
    """Return whether an attacker can try all values of this form: numbers of ten digits or fewer, or short codes.

    Examples
    --------
    >>> can_be_listed(["123-45-6789", "987-65-4321"]), can_be_listed(["maria.lopez@example.org"])
    (True, False)
    """
    if not values:
        return False
    for value in values:
        digits = sum(letter.isdigit() for letter in value)
        listed = _DIGITS.fullmatch(value) is not None and 10**digits <= _LISTABLE
        if not listed and len(value) > _FEW_LETTERS:
            return False
    return True
