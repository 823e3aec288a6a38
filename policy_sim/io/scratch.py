"""Temporary folders that last as long as their run, and the removal of folders that killed runs left.

A run locks its folder, and the system drops the lock when the process ends, however it ends. A folder of the same
kind without a lock is therefore abandoned, and the next run removes it.
"""

from __future__ import annotations

import errno
import os
import re
import shutil
import stat
import tempfile
from contextlib import suppress
from pathlib import Path

from policy_sim.errors import OutputError

try:
    import fcntl
except ImportError:  # a system without these locks: nothing is removed there
    fcntl = None  # type: ignore[assignment]

__all__ = ["HeldFolder", "spill_folder", "sweep"]

# No user gives a folder such a name, so a folder with this ending is one of ours.
_SUFFIX = ".policy-sim-run"
_TRIES = 100
_CAN_LOCK = fcntl is not None


class HeldFolder:
    """A new folder that only the user can read; :meth:`close` removes it.

    Parameters
    ----------
    parent : The folder to create it in. Abandoned folders with the same prefix are removed first.
    prefix : The beginning of its name.

    Raises
    ------
    OSError : the folder cannot be created.
    """

    def __init__(self, parent: Path, prefix: str) -> None:
        parent.mkdir(parents=True, exist_ok=True)
        sweep(parent, prefix)
        for _ in range(_TRIES):
            with suppress(FileNotFoundError):  # another run took it for abandoned before it was locked
                self.path = Path(tempfile.mkdtemp(prefix=prefix, suffix=_SUFFIX, dir=parent))
                self._lock = _hold(self.path)
                return
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(parent))

    def close(self) -> None:
        """Remove the folder and its content."""
        shutil.rmtree(self.path, ignore_errors=True)
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None


class _SpillFolder(HeldFolder):
    """A folder among the system's temporary files, in one parent folder for all runs of the user."""

    def close(self) -> None:
        """Remove the folder, and its parent if no other run uses it."""
        super().close()
        with suppress(OSError):
            self.path.parent.rmdir()


def spill_folder() -> HeldFolder:
    """Return a new folder for what an engine cannot hold in memory.

    It lies in ``policy-sim-<number of the user>`` among the system's temporary files (``TMPDIR``), which is made
    with mode 700 and swept of what killed runs left.

    Raises
    ------
    OutputError : the place belongs to another user or cannot be written.
    """
    place = Path(tempfile.gettempdir()) / f"policy-sim-{_user()}"
    try:
        for _ in range(_TRIES):
            with suppress(FileNotFoundError):  # another run ended and removed the empty place
                _make_private(place)
                return _SpillFolder(place, "spill-")
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(place))
    except OSError as error:
        raise OutputError(f"{place}: cannot be used ({error.strerror}). Set TMPDIR to one of your folders.") from error


def _user() -> int:
    return int(getattr(os, "getuid", lambda: 0)())


def _make_private(place: Path) -> None:
    place.mkdir(mode=0o700, exist_ok=True)
    held = place.lstat()
    if not stat.S_ISDIR(held.st_mode) or held.st_uid != _user():
        raise OutputError(f"{place} belongs to another user. Set TMPDIR to one of your folders.")
    if stat.S_IMODE(held.st_mode) != 0o700:
        place.chmod(0o700)


def _hold(folder: Path) -> int | None:
    """Lock a new folder; None if the system has no such locks.

    Raises
    ------
    FileNotFoundError : another run removed the folder before it was locked.
    """
    if not _CAN_LOCK:
        return None
    handle = os.open(folder, os.O_RDONLY)
    with suppress(OSError):  # a disk without locks: nothing is ever removed from it
        fcntl.flock(handle, fcntl.LOCK_EX)  # a run that is removing abandoned folders is done soon
    if not folder.exists():
        os.close(handle)
        raise FileNotFoundError(folder)
    return handle


def sweep(parent: Path, prefix: str) -> None:
    """Remove the folders with this prefix that no run locks any more."""
    ours = re.compile(re.escape(prefix) + r"[a-z0-9_]{8}" + re.escape(_SUFFIX))
    leftovers: list[Path] = []
    with suppress(OSError):  # no such folder, or one that may not be read
        leftovers = [path for path in parent.iterdir() if ours.fullmatch(path.name) and not path.is_symlink()]
    for path in leftovers if _CAN_LOCK else ():
        with suppress(OSError):  # locked by a live run, removed by another, or not ours
            handle = os.open(path, os.O_RDONLY)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(path)
            finally:
                os.close(handle)
