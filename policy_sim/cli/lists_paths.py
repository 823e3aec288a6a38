"""Which files a command on voter lists reads, and how it writes one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from policy_sim.errors import InputError, OutputError

__all__ = ["checked_files", "written_beside"]


def checked_files(what: tuple[str, ...]) -> dict[Path, list[Path]]:
    """Return the files to check by folder; an empty list means the whole folder.

    Each argument is a state, a state's file, or a folder of them; the shipped folder by default.
    """
    from policy_sim.sources.paths import voter_policies_dir
    from policy_sim.states import find_state

    if not what:
        return {voter_policies_dir(): []}
    found: dict[Path, list[Path]] = {}
    for name in what:
        path = Path(name)
        if path.is_dir():
            found[path] = []
            continue
        if not name.endswith(".toml"):
            path = voter_policies_dir() / f"{find_state(name).postal.lower()}.toml"
        if not path.is_file():
            raise InputError(f"{path}: there is no such file. Name a state, a .toml file or a folder.")
        found.setdefault(path.parent, []).append(path)
    return found


@contextmanager
def written_beside(out: Path) -> Iterator[Path]:
    """Give a path beside ``out`` to write to; it takes the place of ``out`` when it is complete."""
    beside = out.with_name(f".{out.name}.part")
    try:
        yield beside
        beside.replace(out)
    except OSError as error:
        raise OutputError(
            f"--out {out}: {error.strerror or error}: nothing was written; free the place or choose another."
        ) from error
    finally:
        beside.unlink(missing_ok=True)
