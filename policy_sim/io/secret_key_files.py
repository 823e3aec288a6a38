"""A secret key in a file of its own, which nobody but its owner can read."""

from __future__ import annotations

import os
import secrets
import stat
from contextlib import suppress
from pathlib import Path

from policy_sim.deidentify.pseudonyms import KEY_BYTES, SecretKey
from policy_sim.errors import InputError, OutputError, SourceError

__all__ = ["make_key", "read_key"]

_OTHERS = stat.S_IRWXG | stat.S_IRWXO


def read_key(path: Path) -> SecretKey:
    """Read a key.

    Raises
    ------
    SourceError : the file does not exist, or cannot be read.
    InputError : others may read it, or it holds no key. The message never quotes the file.
    """
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
    """Make a key and write it into a new file with mode 600.

    Raises
    ------
    OutputError : there is a file of that name, or it cannot be written.
    """
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
