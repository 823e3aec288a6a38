"""LibreOffice opens a workbook, computes it and writes it again."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import openpyxl
import pytest


def recalculated(content: bytes, folder: Path) -> openpyxl.Workbook:
    """Return a workbook with what LibreOffice computes of its formulas; it must open the file as it is."""
    if shutil.which("soffice") is None:
        pytest.skip("LibreOffice is not installed")
    (folder / "in").mkdir()
    (folder / "in" / "w.xlsx").write_bytes(content)
    profile = f"-env:UserInstallation={(folder / 'profile').as_uri()}"
    command = ["soffice", profile, "--headless", "--convert-to", "xlsx", "--outdir", str(folder)]
    command.append(str(folder / "in" / "w.xlsx"))
    done = subprocess.run(command, capture_output=True, text=True, timeout=240, check=True)
    assert "repair" not in (done.stdout + done.stderr).casefold()
    return openpyxl.load_workbook(folder / "w.xlsx", data_only=True)
