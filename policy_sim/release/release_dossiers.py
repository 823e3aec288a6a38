"""A project that lies in a dossier, taken out to be run again."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from policy_sim.errors import InputError, SourceError
from policy_sim.io.scratch import gone_with_this_process
from policy_sim.render.dossier import project_in_dossier

__all__ = ["project_of"]


@contextmanager
def project_of(path: Path) -> Iterator[Path]:
    """Yield the project file: ``path`` itself, or a copy of the one in a dossier that lasts as long as the block.

    Files that a project in a dossier names, such as a hierarchy or a key, are looked for next to the dossier.

    Raises
    ------
    SourceError : the dossier cannot be read.
    InputError : it carries no project.
    """
    if path.suffix.casefold() not in (".html", ".htm"):
        yield path
        return
    try:
        text = project_in_dossier(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise SourceError(f"{path}: cannot be read ({getattr(error, 'strerror', None) or 'not UTF-8'}).") from error
    if text is None:
        raise InputError(f"{path} is not the dossier of a release.")
    with tempfile.NamedTemporaryFile("wb", dir=path.parent, prefix=".dossier-", suffix=".toml") as file:
        gone_with_this_process(Path(file.name))
        file.write(text.encode())
        file.flush()
        yield Path(file.name)
