"""Choose the files that a command on voter lists reads, and write one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

from policy_sim.errors import InputError, OutputError

__all__ = ["checked_files", "written_beside"]


def checked_files(what: tuple[str, ...]) -> dict[Path, list[Path]]:
    """Return the files to check by folder; an empty list means the whole folder.

    Each argument is a state, a state's file, or a folder of them; the shipped folder by default.
    """
    from policy_sim.files.paths import kind_of, voter_policies_dir
    from policy_sim.states import find_state

    if not what:
        return {voter_policies_dir(): []}
    by_folder: dict[Path, list[Path]] = {}
    for name in what:
        path = Path(name)
        if kind_of(path) == "folder":
            by_folder[path] = []
            continue
        if not name.endswith(".toml"):
            path = voter_policies_dir() / f"{find_state(name).postal.lower()}.toml"
        if kind_of(path) != "file":
            raise InputError(f"{path} does not exist. Name a state, a .toml file or a folder.")
        by_folder.setdefault(path.parent, []).append(path)
    return by_folder


@contextmanager
def written_beside(out: Path) -> Iterator[Path]:
    """Give a temporary path next to ``out``; it replaces ``out`` when it is complete.

    The command writes to a device or pipe, such as ``/dev/stdout``, directly.
    """
    from policy_sim.files.paths import kind_of
    from policy_sim.io.files import replaced

    try:
        with nullcontext(out) if kind_of(out) == "other" else replaced(out) as draft:
            yield draft
    except OutputError as error:
        raise OutputError(f"--out {error} Free some space or choose another place. Nothing was written.") from error
    except OSError as error:
        raise OutputError(f"--out {out}: {error.strerror or error}. Nothing was written.") from error
