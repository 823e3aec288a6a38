"""The server: on this machine alone, for one browser, until it is stopped or nobody has used it for a while."""

from __future__ import annotations

import html
import logging
import os
import socket
import threading
import time
import webbrowser
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import uvicorn

from policy_sim.app.jobs import Jobs, clear_up
from policy_sim.app.screens import Desk
from policy_sim.app.security import Keys
from policy_sim.app.site import application, first_screen
from policy_sim.files.writing import private_folder

_PREFIX = "app-"
_LOOK = 1.0  # seconds between two looks at whether anybody uses it
_OPENING = """\
<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>policy_sim</title>
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url={address}"></head>
<body><p><a href="{address}">Open policy_sim</a></p></body></html>
"""


def serve(file: Path | None, *, browser: bool, idle: float, say: Callable[[str], object]) -> None:
    """Serve until the button, a signal, or ``idle`` seconds without a request and a job.

    ``file`` is what the first screen opens; ``say`` is told the address, or that a browser was opened.
    """
    clear_up(_PREFIX)
    held = private_folder(_PREFIX)
    jobs = Jobs(held.path)
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as listening:
            listening.bind(("127.0.0.1", 0))
            listening.listen()  # a browser may be quicker than the server
            keys = Keys(listening.getsockname()[1])
            desk = Desk(held.path, jobs, keys)
            guard = application(desk, first_screen(desk, file))
            logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL + 1)  # a traceback may quote data
            config = uvicorn.Config(
                guard,
                log_config=None,
                access_log=False,
                server_header=False,
                lifespan="off",
                ws="none",
                timeout_graceful_shutdown=2,
            )
            server = uvicorn.Server(config)
            desk.stop = lambda: setattr(server, "should_exit", True)
            is_unused = lambda: time.monotonic() - guard.seen > idle and not jobs.are_running  # noqa: E731
            threading.Thread(target=_end_when, args=(server, is_unused), daemon=True).start()
            threading.Thread(target=_prepare, daemon=True).start()
            say(_opened(held.path, keys, browser=browser))
            server.run(sockets=[listening])
    finally:
        jobs.close()
        held.close()


def _prepare() -> None:
    """Import what the screens of a project need, while the reader looks at the first screen."""
    import_module("policy_sim.release.door")


def _end_when(server: uvicorn.Server, is_unused: Callable[[], bool]) -> None:
    while not server.should_exit:
        time.sleep(_LOOK)
        if is_unused():
            server.should_exit = True


def _opened(folder: Path, keys: Keys, *, browser: bool) -> str:
    """Open a browser through a file that only the user can read; return what to say."""
    stop = "Stop it with the button Stop on its pages, or with Ctrl-C here."
    if browser:
        path = folder / "open.html"
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:  # noqa: PTH123
            file.write(_OPENING.format(address=html.escape(keys.address)))
        if webbrowser.open(path.as_uri()):
            return f"policy_sim is open in your browser. {stop}"
    return f"Open this address, which works once: {keys.address}\n{stop}"
