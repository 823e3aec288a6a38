"""Answers of the census service, saved as they arrive, so that an interrupted fetch can resume."""

from __future__ import annotations

import gzip
import json
import shutil
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from policy_sim.errors import SourceError
from policy_sim.io.census_service.whole import wrong_with
from policy_sim.io.files import replace_file

__all__ = ["Answers", "Question"]


@dataclass(frozen=True)
class Question:
    """One request: some columns of one table, for some places."""

    table: str
    part: int
    variables: tuple[str, ...]
    place: str
    within: str

    @property
    def geography(self) -> dict[str, str]:
        """The request's ``for`` and ``in``."""
        return {"for": f"{self.place}:*", "in": self.within}

    @property
    def name(self) -> str:
        """Name of the file with the answer."""
        where = "".join(letter if letter.isalnum() else "-" for letter in self.within).strip("-")
        return f"{self.table}-{self.part}-{where or 'all'}"


@dataclass(frozen=True)
class Answers:
    """A folder with one file per answer; only answers from ``address`` are read.

    ``address`` is the address requested, without the key: an answer of another service does not count.
    """

    folder: Path
    address: str

    def get(self, question: Question) -> list[dict[str, Any]] | None:
        """Return the saved answer, or None if there is no complete one to this question."""
        try:
            saved = json.loads(gzip.decompress(self._path(question).read_bytes()))
            request = (saved["address"], saved["variables"], saved["geography"])
            if request != (self.address, list(question.variables), question.geography):
                return None
            header = saved["header"]
            rows = [dict(zip(header, row, strict=True)) for row in saved["rows"]]
            return None if wrong_with(rows, question.variables, question.geography) else rows
        except (OSError, EOFError, zlib.error, ValueError, KeyError, TypeError, RecursionError):
            return None

    def put(self, question: Question, rows: Sequence[dict[str, Any]]) -> None:
        """Save an answer.

        Raises
        ------
        SourceError : it does not answer the question; nothing is saved.
        """
        if wrong := wrong_with(rows, question.variables, question.geography):
            raise SourceError(f"{self.address}: the answer {question.name} cannot be used: {wrong}.")
        header = list(rows[0])
        saved = {
            "address": self.address,
            "retrieved": datetime.now(UTC).isoformat(timespec="seconds"),
            "variables": list(question.variables),
            "geography": question.geography,
            "header": header,
            "rows": [[row[name] for name in header] for row in rows],
        }
        text = json.dumps(saved, separators=(",", ":")).encode()
        replace_file(self._path(question), gzip.compress(text, 5, mtime=0))

    def retrieved(self, questions: Sequence[Question]) -> str:
        """When the last of these answers arrived, ISO 8601 UTC; :meth:`get` has read each before."""
        saved = (json.loads(gzip.decompress(self._path(question).read_bytes())) for question in questions)
        return max(str(answer.get("retrieved", "")) for answer in saved)

    def forget(self) -> None:
        """Delete every answer."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def _path(self, question: Question) -> Path:
        return self.folder / f"{question.name}.json.gz"
