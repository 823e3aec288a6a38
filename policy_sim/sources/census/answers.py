"""Answers of the census service, kept as they came: interrupted work goes on, damage can be mended."""

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

from policy_sim.sources.census.files import write_bytes

__all__ = ["Answers", "Question"]


@dataclass(frozen=True)
class Question:
    """One request: some columns of one table, for some places."""

    table: str
    part: int
    variables: tuple[str, ...]
    asked: str
    within: str

    @property
    def geography(self) -> dict[str, str]:
        """The request's ``for`` and ``in``."""
        return {"for": f"{self.asked}:*", "in": self.within}

    @property
    def name(self) -> str:
        """A name for the file that keeps the answer."""
        place = "".join(letter if letter.isalnum() else "-" for letter in self.within).strip("-")
        return f"{self.table}-{self.part}-{place or 'all'}"


@dataclass(frozen=True)
class Answers:
    """A folder with one file an answer; only those of ``address`` are read.

    ``address`` is the one that is asked, without the key: what another service said is no answer.
    """

    folder: Path
    address: str

    def get(self, question: Question) -> list[dict[str, Any]] | None:
        """Return the kept answer, or None if there is none that is whole and answers this question."""
        try:
            kept = json.loads(gzip.decompress(self._path(question).read_bytes()))
            asked = (kept["address"], kept["variables"], kept["geography"])
            if asked != (self.address, list(question.variables), question.geography):
                return None
            header = kept["header"]
            return [dict(zip(header, row, strict=True)) for row in kept["rows"]]
        except (OSError, EOFError, zlib.error, ValueError, KeyError, TypeError):
            return None

    def put(self, question: Question, rows: Sequence[dict[str, Any]]) -> None:
        """Keep an answer."""
        header = list(rows[0])
        kept = {
            "address": self.address,
            "retrieved": datetime.now(UTC).isoformat(timespec="seconds"),
            "variables": list(question.variables),
            "geography": question.geography,
            "header": header,
            "rows": [[row[name] for name in header] for row in rows],
        }
        text = json.dumps(kept, separators=(",", ":")).encode()
        write_bytes(self._path(question), gzip.compress(text, 5, mtime=0))

    def retrieved(self, questions: Sequence[Question]) -> str:
        """When the last of these answers came, ISO 8601 UTC."""
        kept = (json.loads(gzip.decompress(self._path(question).read_bytes())) for question in questions)
        return max(str(answer["retrieved"]) for answer in kept)

    def forget(self) -> None:
        """Throw every answer away."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def _path(self, question: Question) -> Path:
        return self.folder / f"{question.name}.json.gz"
