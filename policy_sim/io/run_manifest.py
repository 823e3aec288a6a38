"""What a folder of results says of the runs that made it.

``manifest.json`` describes the newest run: command, options, inputs, versions, and the sha256 of each file it wrote.
Runs of before that still have files in the folder are kept under ``earlier``, newest first. A file belongs to the run
that wrote it last, so every file is named exactly once, and the same run twice gives the same manifest.
"""

from __future__ import annotations

import json
import platform
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

from policy_sim.errors import OutputError

__all__ = ["MANIFEST", "read_manifest", "run_manifest", "with_earlier"]

MANIFEST = "manifest.json"


def run_manifest(command: str, options: Mapping[str, Any], inputs: Mapping[str, str]) -> dict[str, Any]:
    """Say what made a result: versions, options and the sha256 of every input.

    Holds no clock and no path of this machine, so the same run gives the same manifest.
    """
    packages = ("policy-sim", "numpy", "scipy", "pandas", "pyarrow", "matplotlib")
    return {
        "command": command,
        "options": dict(options),
        "inputs": dict(inputs),
        "versions": {"python": platform.python_version()} | {name: version(name) for name in packages},
    }


def with_earlier(manifest: Mapping[str, Any], before: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return a run's manifest together with those of earlier runs that still have files.

    Parameters
    ----------
    manifest : The run's own, with ``files``: name to sha256.
    before : The manifest of the folder until now, with its own ``earlier``; None where there is none.

    Examples
    --------
    >>> first = {"command": "cost", "files": {"cost.csv": "aa"}}
    >>> both = with_earlier({"command": "trust", "files": {"trust.csv": "bb"}}, first)
    >>> [run["command"] for run in both["earlier"]]
    ['cost']
    >>> with_earlier({"command": "cost", "files": {"cost.csv": "cc"}}, first)
    {'command': 'cost', 'files': {'cost.csv': 'cc'}}
    """
    runs: list[dict[str, Any]] = []
    if before is not None:
        runs = [{key: value for key, value in before.items() if key != "earlier"}, *before.get("earlier", ())]
    earlier_runs = []
    for run in runs:
        files = {name: digest for name, digest in run["files"].items() if name not in manifest["files"]}
        if files:
            earlier_runs.append({**run, "files": files})
    return {**manifest, "earlier": earlier_runs} if earlier_runs else dict(manifest)


def read_manifest(path: Path) -> dict[str, Any] | None:
    """Return the manifest of a folder that results were written into before; None where there is none.

    Raises
    ------
    OutputError : the file is not a manifest of ours, and writing would lose it.
    """
    if not path.exists():
        return None
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError):
        document = None
    runs = [document, *document.get("earlier", ())] if isinstance(document, dict) else [None]
    if not all(isinstance(run, dict) and isinstance(run.get("files"), dict) for run in runs):
        raise OutputError(f"its {path.name} is not one of policy-sim")
    result: dict[str, Any] = document
    return result
