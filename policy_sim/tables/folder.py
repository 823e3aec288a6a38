"""The folder of a protected table as it is written, and what a ledger has published so far."""

from __future__ import annotations

import shutil
from dataclasses import asdict
from pathlib import Path

import pandas as pd

from policy_sim.files.manifest import MANIFEST, read_manifest, run_manifest
from policy_sim.files.output_folder import output_folder
from policy_sim.files.writing import sha256_of
from policy_sim.tables.ledger import KEEP, SEND, Ledger, read_sources
from policy_sim.tables.publish import ProtectedTables
from policy_sim.tables.table import PRIMARY
from policy_sim.words.errors import InputError

_COLUMNS = ("folder", "file", "week", "entered", "corrected", "cells", "hidden")


def write_folder(answer: ProtectedTables, out: Path) -> None:
    """Write the tables to publish into ``send``, what stays into ``keep``, and the manifest of the run.

    The folder is complete or unchanged. An answer that is not safe is an InputError: nothing of it may go out.
    """
    if not answer.safe:
        raise InputError(f"nothing is written: {answer.verdict}")
    result = answer.result
    facts = {"rule": answer.rule.id, **asdict(answer.request), "seconds": float(answer.request.seconds)}
    facts |= {"status": result.status, "price": result.cost, "bound": result.bound}
    manifest = run_manifest("table protect", facts, {path.name: sha256_of(path) for path in answer.files})
    with output_folder(out, manifest) as folder:
        answer.write(folder)


def ledger_frame(ledger: Ledger) -> pd.DataFrame:
    """Return one row per table that a ledger has published, oldest first; no count is in it.

    ``entered``: it was out before the ledger began; ``corrected``: it may differ from what was published before;
    ``cells`` and ``hidden``: how many counts it has, and how many of them it hides.
    """
    proof = ledger.proof()
    published = proof.published if proof else ()
    sources = read_sources(ledger.send, published)
    rows = [
        {
            "folder": str(Path(of.file).parent),
            "file": Path(of.file).name,
            "week": of.week,
            "entered": of.entered,
            "corrected": of.corrected,
            "cells": len(source.file.cells),
            "hidden": sum(cell.status == PRIMARY for cell in source.file.cells.values()),
        }
        for of, source in zip(published, sources, strict=True)
    ]
    frame = pd.DataFrame(rows, columns=_COLUMNS)
    texts, numbers = dict.fromkeys(("folder", "file", "week"), "string"), dict.fromkeys(("cells", "hidden"), "Int64")
    return frame.astype(texts | dict.fromkeys(("entered", "corrected"), "boolean") | numbers)


def copy_folder(source: Path, out: Path) -> None:
    """Write a folder of :func:`write_folder` again, elsewhere: the same files, next to what other runs left there."""
    manifest = read_manifest(source / MANIFEST)
    if manifest is None:
        raise InputError(f"{source}: is no folder of a protected table.")
    run = {name: value for name, value in manifest.items() if name not in ("files", "earlier")}
    with output_folder(out, run) as folder:
        for part in (SEND, KEEP):
            shutil.copytree(source / part, folder / part)
