"""The first answer: what the program is, one state, two maps, and the four ways on."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from policy_sim.cli.commands import command
from policy_sim.cli.options import FOLDER, ask, option
from policy_sim.cli.output import put
from policy_sim.files.manifest import MANIFEST

_FOLDER = Path("out")
_STATE = "OH"
_MAPS = ("map-total-risk-safe-harbor-voter", "map-total-risk-limited-dataset-voter")

DOORS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "a state": ("policy-sim compare OH", "the figures of any state"),
        "a file": ("policy-sim dataset check FILE", "what Safe Harbor changes"),
        "a table": ("policy-sim table check FILE --rule cms-11", "which counts to hide"),
        "a page": ("policy-sim brief OH --out ohio.pdf", "two pages for a decision"),
    }
)
_HINT = (
    "No file at hand? Type policy-sim example visits.csv, or policy-sim example weekly.csv for a table. policy-sim "
    "--help lists the commands that most readers need, and policy-sim help all lists every one."
)


@command()
@option("--out", type=FOLDER, metavar="DIR", help="Folder for the maps and tables. [default: out]")
def start(out: Path | None) -> None:
    """Compare every state, write two maps and the table of all states, and say what to do next.

    'policy-sim' alone does the same. It writes into the folder 'out', unless that folder has files of other programs.

    \b
    Examples:
      policy-sim start
      policy-sim start --out first
    """
    from policy_sim.cli.states import comparison_frames, write_comparison
    from policy_sim.show.opening import opening_text
    from policy_sim.show.save import Drawers

    folder = out or (_FOLDER if _is_free(_FOLDER) else None)
    with Drawers(0 if folder is None else None) as drawers:
        studies = ask()
        frames = comparison_frames(studies)
        if folder is not None:
            write_comparison(folder, studies, frames, {"worth": True, "g": ()}, drawers, _MAPS)
    put(opening_text(frames["profiles"], _STATE, _written(folder), DOORS, _HINT) + "\n")


def _is_free(folder: Path) -> bool:
    """Say whether a folder can be used without being named: it is new or empty, or has results of this program."""
    if not folder.exists():
        return os.access(folder.absolute().parent, os.W_OK)
    return (
        folder.is_dir() and os.access(folder, os.W_OK) and ((folder / MANIFEST).is_file() or not any(folder.iterdir()))
    )


def _written(folder: Path | None) -> list[str]:
    if folder is None:
        return ["The folder out has other files or cannot be written. For two maps, type policy-sim start --out NAME."]
    return [
        "Two maps show every state:",
        *(f"  {folder / name}.png" for name in _MAPS),
        f"Open {folder / 'index.html'} to see both and to choose a state. "
        f"{folder / 'summary.txt'} has the table of all states.",
    ]
