"""A real server of the app, asked as no browser would; and its processes, to end them as no reader would."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass
class Served:
    """A server: its process, its port, the address that opens it once, and the folder of its temporary files."""

    process: subprocess.Popen[str]
    address: str
    temporary: Path
    port: int = 0
    root: str = ""
    cookie: str = ""
    page_token: str = ""
    said: list[str] = field(default_factory=list)
    links: list[Any] = field(default_factory=list)

    def begin(self, path: str, method: str = "GET", body: bytes | None = None, **headers: str) -> Any:
        """Send a request with any header, and return the link. Names of headers have _ for -."""
        link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        host = headers.pop("host", f"127.0.0.1:{self.port}")
        length = headers.pop("content_length", None if body is None else str(len(body)))
        link.putrequest(method, self._rooted(path), skip_host=True, skip_accept_encoding=True)
        link.putheader("Host", host)
        if self.cookie and "cookie" not in headers:
            link.putheader("Cookie", self.cookie)
        for name, value in headers.items():
            link.putheader(name.replace("_", "-"), value)
        if length is not None:
            link.putheader("Content-Length", length)
        self.links.append(link)
        link.endheaders(body)
        return link

    def ask(self, path: str, method: str = "GET", body: bytes | None = None, **headers: str) -> tuple[int, str, Any]:
        """Send a request as :meth:`begin` does; return status, text and headers."""
        link = self.begin(path, method, body, **headers)
        answer = link.getresponse()
        text = answer.read().decode()
        self.links.remove(link)
        link.close()
        return answer.status, text, answer.headers

    def _rooted(self, path: str) -> str:
        return path if path.startswith(("/open/", f"{self.root}/")) else f"{self.root}{path}"

    @property
    def home(self) -> str:
        """The address of the first screen, once it is open."""
        return f"http://127.0.0.1:{self.port}{self.root}/"

    def open(self) -> str:
        """Open it as a browser does: keep cookie and token of the page; return the header that set the cookie."""
        status, text, headers = self.ask(self.address.split(str(self.port), 1)[1])
        assert status == 200, text
        self.cookie = headers["set-cookie"].split(";")[0]
        found = re.search(r'name="page-token" content="([^"]+)".*data-root="([^"]+)"', text, re.DOTALL)
        assert found
        self.page_token, self.root = found.groups()
        return str(headers["set-cookie"])

    def own(self, **more: str) -> dict[str, str]:
        """Return the headers that a page of the app sends."""
        words = {"content_type": "application/json", "accept": "application/json", "x_page_token": self.page_token}
        return words | {"origin": f"http://127.0.0.1:{self.port}"} | more

    def post(self, path: str, /, **fields: object) -> dict[str, Any]:
        """Send a form as the script of a page does; return its answer."""
        body = {name: list(map(str, value if isinstance(value, list) else [value])) for name, value in fields.items()}
        answer: dict[str, Any] = json.loads(self.ask(path, "POST", json.dumps(body).encode(), **self.own())[1])
        return answer

    def job(
        self, path: str, until: Callable[[dict[str, Any]], bool] | None = None, /, **fields: object
    ) -> dict[str, Any]:
        """Send a form that starts a job; return what its page shows when ``until`` is true or it has ended."""
        done = self.post(path, **fields)
        assert "go" in done, (path, done)
        return self.follow(done["go"], until)

    def follow(self, job: str, until: Callable[[dict[str, Any]], bool] | None = None) -> dict[str, Any]:
        """Ask for a job until ``until`` is true or it has ended."""
        while (now := json.loads(self.ask(f"{job}/now")[1]))["state"] == "running":
            if until is not None and until(now):
                break
            time.sleep(0.01)
        return dict(now)

    def processes(self) -> list[int]:
        """Return the server's process and all that descend from it, whatever their group (Linux)."""
        children: dict[int, list[int]] = {}
        for entry in Path("/proc").iterdir():
            with suppress(OSError, ValueError, IndexError):
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
                children.setdefault(parent, []).append(int(entry.name))
        found = [self.process.pid]
        for one in found:
            found += children.get(one, [])
        return found

    def kill(self, whom: str) -> None:
        """Kill -9: the ``server`` alone, its ``workers``, or ``all`` of its processes at once."""
        pids = {"server": slice(0, 1), "workers": slice(1, None), "all": slice(None)}[whom]
        found = self.processes()[pids]
        if whom == "workers":
            found = [pid for pid in found if _is_worker(pid)]
        for sent in (signal.SIGSTOP, signal.SIGKILL) if whom == "all" else (signal.SIGKILL,):  # none sees another end
            for pid in found:
                with suppress(ProcessLookupError):
                    os.kill(pid, sent)
        if whom != "workers":
            self.process.wait()


def _is_worker(pid: int) -> bool:
    try:
        return b"policy_sim.app.worker" in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:  # it has just ended
        return False


@contextmanager
def serving(temporary: Path, *words: object, **environment: str) -> Iterator[Served]:
    """Start ``policy-sim app`` with a separate folder of temporary files; stop it at the end."""
    command = [sys.executable, "-m", "policy_sim", "app", "--no-browser", *map(str, words)]
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=os.environ | {"TMPDIR": str(temporary)} | environment,
    )
    assert process.stdout is not None
    try:
        line = process.stdout.readline()
        address = re.search(r"http://127\.0\.0\.1:(\d+)/open/\S+", line)
        assert address, line + process.stdout.read()
        served = Served(process, address[0], temporary, int(address[1]), said=[line])
        yield served
        for link in served.links:
            link.close()
    finally:
        process.terminate()
        process.wait(60)
        process.stdout.close()
