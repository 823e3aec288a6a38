"""The dossier of a release as a document, written as HTML and as DOCX."""

from __future__ import annotations

import html
import re
from contextlib import suppress
from pathlib import Path

from policy_sim.errors import InputError
from policy_sim.io.files import replace_files
from policy_sim.render.document.blocks import Block, Document, Verbatim
from policy_sim.render.document.docx_document import docx_document
from policy_sim.render.document.html_document import html_document
from policy_sim.render.dossier.decision_parts import (
    agreement_parts,
    answer_part,
    attacks_part,
    evidence_part,
    model_part,
    reproduction_part,
    threshold_part,
)
from policy_sim.render.dossier.measured_parts import (
    analyses_part,
    linkage_part,
    risks_part,
    sensitive_part,
    transformation_part,
    use_part,
)
from policy_sim.render.dossier.part import Figures, part

__all__ = ["dossier_document", "project_in_dossier", "write_dossier"]

_PROJECT = "project"
_SOURCE = re.compile(rf'<pre id="{_PROJECT}">(.*?)</pre>', re.DOTALL)
_PARTS = (
    answer_part,
    model_part,
    threshold_part,
    attacks_part,
    risks_part,
    transformation_part,
    use_part,
    sensitive_part,
    linkage_part,
    analyses_part,
    evidence_part,
    agreement_parts,
    reproduction_part,
)


def dossier_document(figures: Figures) -> Document:
    """Return the dossier.

    Parameters
    ----------
    figures : What a run of a release project wrote as ``release.json``.
    """
    blocks: list[Block] = [block for make in _PARTS for block in make(figures)]
    blocks += part("Project file", ["The project as it was run. The command above reads it."])
    blocks.append(Verbatim(figures["project"], _PROJECT))
    subtitle = f"{figures['edition']['title']}; {figures['program']}"
    return Document(f"Release dossier: {figures['title']}", subtitle, tuple(blocks))


def write_dossier(figures: Figures, folder: Path) -> None:
    """Write ``dossier.html`` into a folder, and ``dossier.docx`` where python-docx is installed.

    Raises
    ------
    OutputError : a file cannot be written.
    """
    document = dossier_document(figures)
    files = {folder / "dossier.html": html_document(document)}
    with suppress(InputError):  # the extra that writes Word documents is not installed
        files[folder / "dossier.docx"] = docx_document(document)
    replace_files(files)


def project_in_dossier(page: str) -> str | None:
    r"""Return the project file that a dossier carries, as it was; None where it carries none.

    Examples
    --------
    >>> project_in_dossier('<p>T</p><pre id="project">a = 1  # &lt;mine&gt;\n</pre>')
    'a = 1  # <mine>\n'
    """
    held = _SOURCE.search(page)
    return None if held is None else html.unescape(held[1])
