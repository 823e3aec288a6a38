"""What was shipped and what a run wrote, with checksums."""

from __future__ import annotations

import json
import platform
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

from policy_sim.files.toml import toml_table
from policy_sim.files.writing import replace_file, sha256_of
from policy_sim.words.errors import OutputError, SourceError

# The manifest of the shipped data: what each file is, its sources and its checksum.


MANIFEST_NAME = "manifest.toml"
_HEADER = (
    "# What the files in this folder are, where they come from, and their checksums.\n"
    "# Written by the commands that make the files, such as `policy-sim dev build-population`.\n\n"
)


def update_manifest(folder: Path, kind: str, name: str, facts: Mapping[str, Any]) -> Path:
    """Write :func:`with_facts` into the folder's manifest, and return its path."""
    path = folder / MANIFEST_NAME
    replace_file(path, with_facts(folder, kind, name, facts))
    return path


def with_facts(folder: Path, kind: str, name: str, facts: Mapping[str, Any]) -> bytes:
    """Return the folder's manifest with the facts of one file added or replaced."""
    import tomli_w

    path = folder / MANIFEST_NAME
    try:
        document = toml_table(path.read_text(encoding="utf-8")) if path.exists() else {}
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise SourceError(f"{path}: cannot be read ({error}). Correct it or remove it.") from error
    document[kind] = dict(sorted({**document.get(kind, {}), name: dict(facts)}.items()))
    return (_HEADER + tomli_w.dumps(document)).encode()


# What a folder of results says of the runs that made it.
#
# ``manifest.json`` describes the newest run: command, options, inputs, versions, and the sha256 of each file it wrote.
# Runs of before that still have files in the folder are kept under ``earlier``, newest first. A file belongs to the
# run that wrote it last, so every file is named exactly once, and the same run twice gives the same manifest.


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


def program_citation() -> list[str]:
    """Return how to cite the program and its model, one line each."""
    return [
        f"policy_sim {version('policy-sim')}: risk of re-identification by state.",
        "Model: P. Golle (2006), WPES, doi:10.1145/1179601.1179615; K. Benitez, B. Malin (2010), JAMIA 17(2), "
        "doi:10.1136/jamia.2009.000026.",
    ]


@dataclass(frozen=True)
class RunProvenance:
    """Where an answer about a file comes from: notes, citation and manifest, as every answer has them.

    ``command``: the command that gives the same answer. ``inputs``: the sha256 of each input, or its file, which is
    read when the manifest is asked for; None for one that has no checksum.
    """

    command: str
    options: Mapping[str, Any]
    inputs: Mapping[str, str | Path | None]
    notes: Sequence[str] = ()
    sources: Sequence[str] = field(default=())

    @property
    def citation(self) -> str:
        """How to cite the program, its model and the answer's own sources, one line each."""
        return "\n".join([*program_citation(), *self.sources])

    def manifest(self) -> dict[str, Any]:
        """Return versions, options, notes and the sha256 of every input."""
        digests = {
            name: sha256_of(item) if isinstance(item, Path) else item or "not computed"
            for name, item in self.inputs.items()
        }
        return run_manifest(self.command, self.options, digests) | {"notes": list(self.notes)}


def with_earlier(manifest: Mapping[str, Any], before: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return a run's manifest together with those of earlier runs, of the folder's until now, that still have files."""
    runs = [] if before is None else [before, *before.get("earlier", ())]
    runs = [{key: value for key, value in run.items() if key != "earlier"} for run in runs]
    for run in runs:
        run["files"] = {name: digest for name, digest in run["files"].items() if name not in manifest["files"]}
    earlier_runs = [run for run in runs if run["files"]]
    return {**manifest, "earlier": earlier_runs} if earlier_runs else dict(manifest)


def read_manifest(path: Path) -> dict[str, Any] | None:
    """Return the manifest of a folder that results were written into before; None where there is none."""
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
