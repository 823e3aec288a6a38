"""A real server, and a window of Chromium that it opened."""

from __future__ import annotations

import http.client
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("starlette", reason="the extra app is not installed")
pytest.importorskip("uvicorn", reason="the extra app is not installed")

PATIENCE = 180_000  # milliseconds


@dataclass
class Served:
    """A server: its process, its port, the address that opens it once, and the folder of its temporary files."""

    process: subprocess.Popen[str]
    address: str
    temporary: Path
    port: int = 0
    cookie: str = ""
    page_token: str = ""
    said: list[str] = field(default_factory=list)

    def ask(self, path: str, method: str = "GET", body: bytes | None = None, **headers: str) -> tuple[int, str, Any]:
        """Send a request as a browser would not: with any header. Names of headers have _ for -."""
        link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        host = headers.pop("host", f"127.0.0.1:{self.port}")
        link.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        link.putheader("Host", host)
        if self.cookie and "cookie" not in headers:
            link.putheader("Cookie", self.cookie)
        for name, value in headers.items():
            link.putheader(name.replace("_", "-"), value)
        if body is not None:
            link.putheader("Content-Length", str(len(body)))
        link.endheaders(body)
        answer = link.getresponse()
        text = answer.read().decode()
        link.close()
        return answer.status, text, answer.headers

    def open(self) -> None:
        """Open it as a browser does: keep the cookie, and the token of the page."""
        status, text, headers = self.ask(self.address.split(str(self.port), 1)[1])
        assert status == 200, text
        self.cookie = headers["set-cookie"].split(";")[0]
        self.page_token = re.search(r'name="page-token" content="([^"]+)"', text)[1]


@contextmanager
def serving(temporary: Path, *words: object) -> Iterator[Served]:
    """Start ``policy-sim app`` with temporary files of its own; stop it at the end."""
    command = [sys.executable, "-m", "policy_sim", "app", "--no-browser", *map(str, words)]
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=os.environ | {"TMPDIR": str(temporary)},
    )
    try:
        line = process.stdout.readline()
        address = re.search(r"http://127\.0\.0\.1:(\d+)/open/\S+", line)
        assert address, line + process.stdout.read()
        yield Served(process, address[0], temporary, int(address[1]), said=[line])
    finally:
        process.terminate()
        process.wait(60)
        process.stdout.close()


@pytest.fixture(scope="module")
def served(tmp_path_factory) -> Iterator[Served]:
    """One server for the tests of a file."""
    with serving(tmp_path_factory.mktemp("temporary")) as started:
        yield started


def window(browser: Any, served: Served, width: int = 1280, **options: Any) -> Any:
    """Open the one window of a server; its requests and errors are in ``page.requests`` and ``page.errors``."""
    context = browser.new_context(viewport={"width": width, "height": 900}, **options)
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    page.requests, page.errors = [], []
    page.on("request", lambda request: page.requests.append(request.url))
    page.on("pageerror", lambda error: page.errors.append(str(error)))
    page.on("console", lambda message: page.errors.append(message.text) if message.type == "error" else None)
    page.goto(served.address)
    return page


@pytest.fixture(scope="module")
def opened(browser, served):
    """The window of the server of a file of tests."""
    page = window(browser, served)
    yield page
    page.context.close()
