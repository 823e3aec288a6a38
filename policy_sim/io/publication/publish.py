"""The data set as a folder: every file made in memory, then written whole or not at all."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from policy_sim.errors import InputError
from policy_sim.io.files import replace_folder, sha256_of
from policy_sim.io.list_coding_files import read_coding, shipped_coding
from policy_sim.io.publication.bibtex import bibtex
from policy_sim.io.publication.data_package import codebook_csv, codebook_page, data_package
from policy_sim.io.publication.method_page import changes_page, citation, method_page
from policy_sim.io.publication.published_tables import published_sources, published_tables
from policy_sim.io.voter_lists.exchange import as_json
from policy_sim.voter_lists.agreement import agreement_frame
from policy_sim.voter_lists.coding import fact_keys
from policy_sim.voter_lists.voter_list import VoterList

__all__ = ["CHECKSUMS", "publication", "publish"]

CHECKSUMS = "SHA256SUMS"
_PACKAGE = "datapackage.json"


def publication(lists: Sequence[VoterList]) -> dict[str, bytes]:
    """Return every file of the data set, by name; the same lists give the same bytes.

    Parameters
    ----------
    lists : Lists that describe a year, by state and vintage
        (:func:`~policy_sim.io.voter_lists.state_files.described_lists`).
    """
    tables, sources = published_tables(lists), published_sources(lists)
    version = _version(lists)
    first = {fact.key: fact.code for fact in read_coding(shipped_coding("first"))}
    agreement = agreement_frame(first, read_coding(shipped_coding("second")))
    contents = {f"{table.name}.csv": table.as_csv() for table in tables}
    contents["codebook.csv"] = codebook_csv(tables)
    contents["codebook.md"] = codebook_page(tables)
    contents["method.md"] = method_page(tables, agreement, version, len(fact_keys(lists)))
    contents["CHANGES.md"] = changes_page(next(table for table in tables if table.name == "changes"))
    contents["CITATION.cff"] = citation(version)
    contents["references.bib"] = bibtex(sources).encode()
    contents[_PACKAGE] = data_package(tables, contents, sources, version)
    sums = "".join(f"{sha256_of(contents[name])}  {name}\n" for name in sorted(contents))
    return {**contents, CHECKSUMS: sums.encode()}


def publish(lists: Sequence[VoterList], folder: Path) -> list[str]:
    """Write the data set into a folder, whole or not at all, and return the names of its files.

    Parameters
    ----------
    lists : As for :func:`publication`.
    folder : A new or empty folder, or an earlier publication, which is replaced.

    Raises
    ------
    InputError : the folder holds other files.
    OutputError : it cannot be written; what stood there before still stands.
    """
    contents = publication(lists)
    try:
        existing = sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []
    except OSError as error:
        raise InputError(f"{folder}: cannot be read ({error.strerror or error}).") from error
    if existing and (CHECKSUMS not in existing or set(existing) - set(contents)):
        other = next((name for name in existing if name not in contents), existing[0])
        raise InputError(
            f"{folder} contains {other}, which is not part of a publication. Choose a new or an empty folder."
        )
    replace_folder(folder, contents)
    return sorted(contents)


def _version(lists: Sequence[VoterList]) -> str:
    """Return the newest vintage and the beginning of a checksum over all lists."""
    newest = max((listed.vintage for listed in lists if listed.vintage.isdigit()), default="0")
    return f"{newest}.{sha256_of(as_json(lists).encode())[:12]}"
