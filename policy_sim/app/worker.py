"""The process of one long job: it reads one order, says its progress, and gives one answer, all as lines of JSON.

It ends when the server does, however that ends, with every process that it started.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

from policy_sim.words.errors import PolicySimError
from policy_sim.words.telling import telling

_ROOM = "policy_sim.app."
FAULT = "The program failed ({kind}). This is a bug in the program. Nothing that was saved is lost."
_MEMORY = "There is not enough memory for this file. Close other programs, or decide on fewer key fields."


def main() -> None:
    """Do the one job that standard input names."""
    answers = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)  # nothing that a library prints is an answer
    import_module("policy_sim.release.door")  # what most jobs need, while nobody waits
    order = sys.stdin.buffer.readline()
    if not order.strip():
        return
    threading.Thread(target=_end_with_the_server, daemon=True).start()

    def tell(step: str, *_: object, **__: object) -> None:
        _say(answers, {"step": str(step), "share": getattr(step, "share", None)})

    _say(answers, _answer(json.loads(order), tell))


def _answer(order: dict[str, Any], progress: Callable[..., None]) -> dict[str, Any]:
    module, _, name = order["work"].partition(":")
    try:
        work = getattr(import_module(_ROOM + module), name)
        with telling(progress):
            return {"done": work(**order["arguments"], progress=progress)}
    except PolicySimError as error:
        return {"failed": str(error)}
    except MemoryError:
        return {"failed": _MEMORY}
    except OSError as error:
        return {"failed": f"{error.strerror or type(error).__name__}. Check the names, your permissions and the disk."}
    except Exception as error:
        return {"failed": FAULT.format(kind=type(error).__name__)}


def _say(answers: BinaryIO, answer: dict[str, Any]) -> None:
    answers.write(json.dumps(answer, default=_plain).encode() + b"\n")


def _plain(value: Any) -> Any:
    """Return a number of numpy as Python's, and a path as text."""
    return str(value) if isinstance(value, Path) else value.item()


def _end_with_the_server() -> NoReturn:
    while sys.stdin.buffer.read(1 << 16):
        pass
    if hasattr(os, "killpg"):
        os.killpg(os.getpgid(0), signal.SIGKILL)
    os._exit(1)


if __name__ == "__main__":
    main()
