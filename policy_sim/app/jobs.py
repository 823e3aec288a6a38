"""Long jobs: each in one process, with its progress; to cancel one kills it and leaves nothing of it."""

from __future__ import annotations

import json
import math
import os
import secrets
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from policy_sim.app.worker import FAULT
from policy_sim.files.writing import clear_of_killed_runs, is_held, private_place
from policy_sim.words.errors import InputError

_SURE = 2.0  # seconds of a step, before it is said how long the rest of it takes
_LIST = "written"  # the name of the list, in the private folder of a server


@dataclass(eq=False)
class Job:
    """One job: its ``title`` and the ``step`` that it is at; ``state`` is running, done, failed or canceled.

    ``share`` is the part of the step that is done, where that is known; ``since`` is when it began, and at which share.
    ``go`` is where the reader goes when it is done, and ``back`` when it failed or was canceled. ``outs`` are the
    folders that it writes, of which nothing unfinished stays; ``new`` is a file that goes unless the job is done.
    """

    title: str
    back: str
    then: Callable[[Any], str]
    process: subprocess.Popen[bytes]
    outs: tuple[Path, ...] = ()
    new: Path | None = None
    left: str = "leaves nothing behind"
    state: str = "running"
    step: str = ""
    share: float | None = None
    error: str = ""
    go: str = ""
    key: str = field(default_factory=lambda: secrets.token_urlsafe(9))
    began: float = field(default_factory=time.monotonic)
    since: tuple[str, float, float] = ("", 0.0, 0.0)

    def as_json(self) -> dict[str, Any]:
        """Return what the page of a job shows."""
        words = {"state": self.state, "step": self.step, "error": self.error, "go": self.go}
        return {**words, "seconds": int(time.monotonic() - self.began), "share": self.share, "left": self.seconds_left}

    def note(self, step: str, share: float | None) -> None:
        """Note which step the job is at, and the share of it that is done, where that is known."""
        stage = step.partition(":")[0]
        if stage != self.since[0] or share is None or self.share is None:
            self.since = stage, time.monotonic(), share or 0.0
        self.step, self.share = step, share

    @property
    def seconds_left(self) -> int | None:
        """About how many seconds the step still takes, if it goes on as it did; None where nobody knows."""
        _, when, before = self.since
        seconds = time.monotonic() - when
        if self.share is None or self.share <= before or seconds < _SURE:
            return None
        return math.ceil(seconds * (1 - self.share) / (self.share - before))

    def leave_nothing(self) -> None:
        """Remove what the job wrote, once its process has ended before it was done."""
        for out in self.outs:
            clear_of_killed_runs(out)
        if self.new is not None:
            with suppress(OSError):
                self.new.unlink(missing_ok=True)
                self.new.parent.rmdir()  # if nothing else is in it


class Jobs:
    """All jobs of a server, and one process that waits for the next, so that none waits for imports.

    ``folder`` is the private one of the server. It has a list of what may be half written when all is killed at once.
    """

    def __init__(self, folder: Path) -> None:
        self._list = folder / _LIST
        self._jobs: dict[str, Job] = {}
        self._lock = threading.Lock()
        self._spare: subprocess.Popen[bytes] | None = _worker()

    def __getitem__(self, key: str) -> Job:
        if key not in self._jobs:
            raise InputError("There is no such work. Begin at the first screen.")
        return self._jobs[key]

    @property
    def are_running(self) -> bool:
        """Whether any job is not done."""
        return bool(self.running)

    @property
    def running(self) -> list[str]:
        """The titles of the jobs that are not done."""
        return [job.title for job in self._jobs.copy().values() if job.state == "running"]

    def start(
        self,
        work: str,
        arguments: Mapping[str, Any],
        *,
        title: str,
        then: Callable[[Any], str],
        back: str = "/",
        outs: tuple[Path, ...] = (),
        new: Path | None = None,
        left: str = Job.left,
    ) -> Job:
        """Start a job.

        Parameters
        ----------
        work : A function of this room, as ``module:name``; it takes the arguments and ``progress``, and returns what
            JSON can hold.
        arguments : Texts, numbers, and lists and tables of them.
        title : What the page of the job is called.
        then : Called with what the function returned; returns the path of the next screen.
        back : Where the reader goes when the job fails or is canceled.
        outs : Folders that it writes.
        new : A file that it makes, which was not there before.
        left : What is left once it is canceled, in a few words.
        """
        for path in (*outs, *((new,) if new else ())):
            self.may_write(path)
        with self._lock:
            process, self._spare = self._spare, None
        if process is None or process.poll() is not None:  # it may have been killed while it waited
            process = _worker()
        job = Job(title, back, then, process, outs, new, left)
        self._jobs[job.key] = job
        order = json.dumps({"work": work, "arguments": dict(arguments)}, default=str)
        threading.Thread(target=self._follow, args=(job, order), daemon=True).start()
        return job

    def may_write(self, path: Path) -> None:
        """Note a file or folder outside the private one that is about to be written."""
        with self._lock, self._list.open("ab") as file:
            file.write(os.fsencode(path.absolute()) + b"\0")

    def cancel(self, job: Job) -> None:
        """Kill the process of a job, with all that it started, and remove what it left unfinished."""
        with self._lock:
            if job.state != "running":
                return
            job.state = "canceled"
        _kill(job.process)
        job.leave_nothing()

    def close(self) -> None:
        """Cancel what runs, and end the process that waits."""
        for job in list(self._jobs.values()):
            self.cancel(job)
        with self._lock:
            spare, self._spare = self._spare, None
        if spare is not None:
            _kill(spare)

    def _follow(self, job: Job, order: str) -> None:
        """Read what the process of a job says, to its end; one that was killed before it began is replaced once."""
        said = self._said(job, order)
        if not said:
            with self._lock:
                is_lost = job.state == "running"
                job.process = _worker() if is_lost else job.process
            said = self._said(job, order) if is_lost else said
        self._ended(job, said)
        _end(job.process)
        if job.state == "failed":
            job.leave_nothing()
        with self._lock:
            if self._spare is None and job.state != "canceled":
                self._spare = _worker()

    @staticmethod
    def _said(job: Job, order: str) -> dict[str, Any]:
        """Give the order, and return the last that the process said; nothing if it ended without a word."""
        process, said = job.process, dict[str, Any]()
        assert process.stdin is not None
        assert process.stdout is not None
        with suppress(OSError):
            process.stdin.write(order.encode() + b"\n")
            process.stdin.flush()
        for line in process.stdout:
            said = json.loads(line)
            if "step" in said:
                job.note(said["step"], said.get("share"))
        if not said:
            _end(process)
        return said

    def _ended(self, job: Job, said: Mapping[str, Any]) -> None:
        with self._lock:
            if job.state != "running":
                return
        if "done" in said:
            try:
                job.go = job.then(said["done"])
            except Exception as error:
                said = {"failed": FAULT.format(kind=type(error).__name__)}
        with self._lock:
            job.error = "" if "done" in said else said.get("failed", "The process ended early: perhaps out of memory.")
            job.state = "failed" if job.error else "done"


def clear_up(prefix: str) -> None:
    """Remove what servers that were killed left half written outside their private folders, which have this prefix."""
    for noted in private_place()[0].glob(f"{prefix}*/{_LIST}"):
        with suppress(OSError):
            written = set() if is_held(noted.parent) else set(noted.read_bytes().split(b"\0"))
            for path in written - {b""}:
                clear_of_killed_runs(Path(os.fsdecode(path)))


def _worker() -> subprocess.Popen[bytes]:
    """Start a process that waits for an order; it is the first of its own group."""
    return subprocess.Popen(
        [sys.executable, "-m", "policy_sim.app.worker"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def _end(process: subprocess.Popen[bytes]) -> None:
    """Let a process end that has said its last word."""
    assert process.stdin is not None
    with suppress(OSError):  # it was killed with an order that it had not read
        process.stdin.close()
    process.wait()


def _kill(process: subprocess.Popen[bytes]) -> None:
    with suppress(OSError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    process.wait()
