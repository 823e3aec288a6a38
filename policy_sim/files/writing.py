"""How a file is written: whole or not at all; and where unfinished things lie until they are."""

from __future__ import annotations

import atexit
import errno
import hashlib
import os
import re
import secrets
import shutil
import stat
import subprocess
import sys
import tempfile
import threading
import zlib
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path

from policy_sim.words.errors import OutputError

# Temporary files and folders that last as long as their run, also where it is killed.
#
# A small process that waits for the end of the run removes what the run left (:func:`gone_with_this_process`). A run
# also locks its folder, and the system drops the lock when the process ends, however it ends: where that small process
# was killed too, a folder of the same kind without a lock is abandoned, and the next run removes it.


try:
    import fcntl
except ImportError:  # a system without these locks: nothing is removed there
    fcntl = None  # type: ignore[assignment]

# No user gives a folder such a name, so a folder with this ending is one of ours.
_SUFFIX = ".policy-sim-run"
BUSY = "another run of policy-sim is writing there: wait until it ends"
_TRIES = 100
_LONGEST = 40  # letters of a name that a hidden folder or a draft repeats: a long name leaves no room for more
_CAN_LOCK = fcntl is not None

# Its input ends when the run does. It needs nothing of this package, and removes nothing while its input is open. A
# worker of the run may still write for a moment, so it tries again.
_WATCHER = """
import os, shutil, sys, time
paths = [os.fsdecode(path) for path in sys.stdin.buffer.read().split(b"\\0") if path]
for _ in range(50):
    for path in paths:
        shutil.rmtree(path, ignore_errors=True)
        try:
            os.unlink(path)
        except OSError:
            pass
        if os.path.basename(os.path.dirname(path)).startswith("policy-sim-"):
            try:
                os.rmdir(os.path.dirname(path))
            except OSError:
                pass
    if not any(map(os.path.lexists, paths)):
        break
    time.sleep(0.1)
"""
_watcher: list[subprocess.Popen[bytes]] = []
_one_by_one = threading.Lock()


def gone_with_this_process(path: Path) -> None:
    """Have a file or folder removed when this process ends, also if it is killed."""
    with _one_by_one, suppress(OSError):  # no room for another process: the next run removes it
        if not _watcher and _CAN_LOCK and sys.executable:
            _watcher.append(
                subprocess.Popen(  # noqa: S603
                    [sys.executable, "-I", "-S", "-c", _WATCHER],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    cwd=os.sep,
                    start_new_session=True,  # what stops the run from its terminal does not stop it
                )
            )
            atexit.register(_dismiss)
        for watcher in _watcher:
            assert watcher.stdin is not None
            watcher.stdin.write(os.fsencode(path.absolute()) + b"\0")
            watcher.stdin.flush()


def _dismiss() -> None:
    """End the process that waits for this one to end."""
    while _watcher:
        watcher = _watcher.pop()
        with suppress(OSError):
            watcher.communicate()


def _forget() -> None:
    """Leave the parent's process to the parent."""
    while _watcher:
        watcher = _watcher.pop()
        watcher.returncode = 0
        assert watcher.stdin is not None
        with suppress(OSError):
            watcher.stdin.close()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)


class HeldFolder:
    """A new folder that only the user can read; :meth:`close` removes it.

    ``parent``: the folder to create it in. Abandoned folders with the same prefix are removed first. ``prefix``: the
    beginning of its name.
    """

    def __init__(self, parent: Path, prefix: str) -> None:
        parent.mkdir(parents=True, exist_ok=True)
        sweep(parent, prefix)
        for _ in range(_TRIES):
            with suppress(FileNotFoundError):  # another run took it for abandoned before it was locked
                self.path = parent / f"{prefix}{secrets.token_hex(4)}{_SUFFIX}"
                gone_with_this_process(self.path)  # before it is there: a kill may come at once
                self.path.mkdir(mode=0o700)
                self._lock = _hold(self.path)
                return
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(parent))

    def close(self) -> None:
        """Remove the folder and its content."""
        shutil.rmtree(self.path, ignore_errors=True)
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None


class _PrivateFolder(HeldFolder):
    def __init__(self, parent: Path, prefix: str) -> None:
        _sweep(parent, "[a-z]+-")  # of every kind: the next run may never need this one's
        super().__init__(parent, prefix)

    def close(self) -> None:
        """Remove the folder, and the place of all runs of the user if no other run uses it."""
        super().close()
        with suppress(OSError):
            self.path.parent.rmdir()


def spill_folder() -> HeldFolder:
    """Return a new folder for what an engine cannot hold in memory, among the private ones."""
    return private_folder("spill-")


def private_folder(prefix: str) -> HeldFolder:
    """Return a new folder that only the user can read, for as long as this process lasts.

    It lies in ``policy-sim-<number of the user>`` among the system's temporary files (``TMPDIR``), which is made
    with mode 700 and swept of what killed runs left.
    """
    place, user = private_place()
    try:
        for _ in range(_TRIES):
            with suppress(FileNotFoundError):  # another run ended and removed the empty place
                _make_private(place, user)
                return _PrivateFolder(place, prefix)
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(place))
    except OSError as error:
        raise OutputError(f"{place}: cannot be used ({error.strerror}). Set TMPDIR to one of your folders.") from error


def private_place() -> tuple[Path, int]:
    """Return where private folders lie, which need not exist, and the number of the user."""
    user = int(getattr(os, "getuid", lambda: 0)())
    return Path(tempfile.gettempdir()) / f"policy-sim-{user}", user


def _make_private(place: Path, user: int) -> None:
    place.mkdir(mode=0o700, exist_ok=True)
    held = place.lstat()
    if not stat.S_ISDIR(held.st_mode) or held.st_uid != user:
        raise OutputError(f"{place} belongs to another user. Set TMPDIR to one of your folders.")
    if stat.S_IMODE(held.st_mode) != 0o700:
        place.chmod(0o700)


def _hold(folder: Path) -> int | None:
    """Lock a new folder; None if the system has no such locks."""
    if not _CAN_LOCK:
        return None
    handle = os.open(folder, os.O_RDONLY)
    with suppress(OSError):  # a disk without locks: nothing is ever removed from it
        fcntl.flock(handle, fcntl.LOCK_EX)  # a run that is removing abandoned folders is done soon
    if not folder.exists():
        os.close(handle)
        raise FileNotFoundError(folder)
    return handle


def hidden_prefix(out: Path) -> str:
    """Return how the hidden folders begin in which what is to become ``out`` is written, such as ``.out-``."""
    name = out.name
    if len(name) > _LONGEST:  # leaves no room for more of it
        name = f"{name[: _LONGEST - 9]}~{zlib.crc32(os.fsencode(name)):08x}"
    return f".{name}-"


def sweep(parent: Path, prefix: str) -> bool:
    """Remove the folders with this prefix that no run locks any more; return whether a live run has one."""
    return _sweep(parent, re.escape(prefix))


def clear_of_killed_runs(written: Path) -> None:
    """Remove what killed runs left unfinished of a file or a folder that they wrote, unless a run writes it now.

    Of a folder, drafts in it and in its folders ``send`` and ``keep`` too.
    """
    if any(sweep(place, hidden_prefix(written)) for place in (written.parent, written)):
        return
    drafts = [(written.parent, re.escape(written.name[:_LONGEST]))]
    for folder in (written, written / "send", written / "keep"):
        drafts.append((folder, ".+"))
        _sweep(folder, r"\..+-")
    for folder, name in drafts:
        draft = re.compile(rf"\.{name}-[0-9a-f]{{8}}\.part", re.DOTALL)
        with suppress(OSError):  # no such folder, or one that may not be changed
            for path in folder.iterdir():
                if draft.fullmatch(path.name) and not path.is_dir():
                    path.unlink()


def is_held(folder: Path) -> bool:
    """Tell whether a live run has a :class:`HeldFolder`; never where the system has no locks."""
    if not _CAN_LOCK:
        return False
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(handle)
    return False


def _sweep(parent: Path, beginning: str) -> bool:
    ours = re.compile(beginning + r"[a-z0-9_]{8}" + re.escape(_SUFFIX))
    leftovers: list[Path] = []
    alive = False
    with suppress(OSError):  # no such folder, or one that may not be read
        leftovers = [path for path in parent.iterdir() if ours.fullmatch(path.name) and not path.is_symlink()]
    for path in leftovers if _CAN_LOCK else ():
        with suppress(OSError):  # removed by another, or not ours
            handle = os.open(path, os.O_RDONLY)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(path)
            except BlockingIOError:
                alive = True
            finally:
                os.close(handle)
    return alive


@contextmanager
def locked_folder(folder: Path) -> Iterator[None]:
    """Wait until no other run changes a file of a folder in this way, and keep others waiting until the block ends.

    The lock is the folder's own and leaves no file. A disk or system without such locks gives none.
    """
    handle = None
    if _CAN_LOCK:
        with suppress(OSError):
            handle = os.open(folder, os.O_RDONLY)
            fcntl.flock(handle, fcntl.LOCK_EX)
    try:
        yield
    finally:
        if handle is not None:
            os.close(handle)


_writing: ContextVar[frozenset[Path]] = ContextVar("_writing", default=frozenset())  # another thread is another run


@contextmanager
def writing_alone(out: Path) -> Iterator[None]:
    """Keep other runs from writing ``out`` as long as the block lasts; what killed runs left there is removed first.

    A block inside such a block for the same ``out`` is of the same run.
    """
    out = out.absolute()
    if out in _writing.get():
        yield
        return
    parent, hidden = out.parent, hidden_prefix(out)
    parent.mkdir(parents=True, exist_ok=True)
    with locked_folder(parent):
        if any(sweep(place, hidden) for place in (parent, out)):  # both, for out may have been made since
            raise OutputError(BUSY)
        held = HeldFolder(out if out.is_dir() else parent, hidden)  # others see that it is locked
    before = _writing.set(_writing.get() | {out})
    try:
        yield
    finally:
        _writing.reset(before)
        held.close()


# Files that are there whole or not at all, and their checksums: the one home of both.


_BLOCK = 1 << 20


@contextmanager
def replaced(path: Path) -> Iterator[Path]:
    """Yield a draft next to ``path`` to write to; when the block succeeds, the draft takes the place of ``path``.

    A reader never sees half a file, whatever happens and whoever else writes: every draft has a name of its own.
    The folder must exist; :func:`replace_file` makes it.
    """
    draft = path.with_name(f".{path.name[:_LONGEST]}-{secrets.token_hex(4)}.part")
    gone_with_this_process(draft)
    try:
        yield draft
        with draft.open("rb+") as written:  # on disk before the name points at it
            os.fsync(written.fileno())
        draft.replace(path)
    except OSError as error:
        raise OutputError(f"{path}: cannot be written ({error.strerror or error}).") from error
    finally:
        with suppress(OSError):  # on a disk that is read-only, or under a name too long, there is nothing
            draft.unlink(missing_ok=True)


def replace_files(contents: Mapping[Path, bytes]) -> None:
    """Write all drafts first, in folders made where needed; when all are complete, put them in their places."""
    with ExitStack() as drafts:
        for path, content in reversed([*contents.items()]):  # the drafts take their places in the order given
            draft = drafts.enter_context(replaced(path))
            draft.parent.mkdir(parents=True, exist_ok=True)
            draft.write_bytes(content)


def replace_file(path: Path, content: bytes) -> None:
    """Write a whole file or nothing."""
    replace_files({path: content})


@contextmanager
def replaced_folder(path: Path) -> Iterator[Path]:
    """Yield an empty folder that only the user can read; when the block succeeds, it takes the place of ``path``.

    A folder that was there gives way then, and comes back if the new one cannot take its place.
    """
    held = HeldFolder(path.parent, hidden_prefix(path))
    draft, before = held.path / "draft", held.path / "before"
    try:
        draft.mkdir()
        yield draft
        if path.is_dir():
            path.replace(before)
        draft.replace(path)
    except OSError:
        if before.is_dir() and not path.exists():
            before.replace(path)
        raise
    finally:
        held.close()


def replace_folder(path: Path, contents: Mapping[str, bytes]) -> None:
    """Write a whole folder of files or nothing.

    ``contents``: by the place of each file in the folder, such as ``states/oh.html``.
    """
    try:
        with replaced_folder(path) as draft:
            for name, content in contents.items():
                (draft / name).parent.mkdir(parents=True, exist_ok=True)
                with (draft / name).open("wb") as file:
                    file.write(content)
                    file.flush()
                    os.fsync(file.fileno())
    except OSError as error:
        raise OutputError(f"{path}: cannot be written ({error.strerror or error}).") from error


def sha256_of(*parts: Path | bytes) -> str:
    """Return the sha256 of these bytes and of the content of these files, one after the other, in hexadecimal.

    >>> sha256_of(b"a", b"bc") == sha256_of(b"abc")
    True
    """
    digest = hashlib.sha256()
    for part in parts:
        if isinstance(part, Path):
            with part.open("rb") as file:
                while block := file.read(_BLOCK):
                    digest.update(block)
        else:
            digest.update(part)
    return digest.hexdigest()
