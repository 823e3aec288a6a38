"""Fetched and loaded populations, kept as Parquet beside a manifest.

``<name>.json`` says everything about a population and names its data file, whose name holds its
checksum: replacing the manifest is the one step that makes a new version the current one, so a reader
never meets a manifest and data that do not belong together. Writers take a lock; readers need none.
"""

from __future__ import annotations

import hashlib
import json
import logging
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from policy_sim.errors import InputError, OutputError, SourceError, UnknownNameError
from policy_sim.population.cells import Population, Provenance
from policy_sim.sources.census.files import replaced, sha256, write_bytes
from policy_sim.sources.paths import cache_dir

__all__ = ["Entry", "PopulationCache"]

_LOG = logging.getLogger("policy_sim")
_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,79}")
_WAIT_SECONDS = 60.0
_NUMBERS = ("age", "age_width", "people")


@dataclass(frozen=True)
class Entry:
    """What is kept about one population; the manifest holds exactly this.

    ``origin`` says how to make it again from what is still at hand: kept answers or the user's files.
    """

    name: str
    title: str
    publisher: str
    date: str
    how: str
    universe: str
    geography: str
    ages: str
    counted: float
    estimated: float
    retrieved: str
    addresses: tuple[str, ...]
    notes: tuple[str, ...]
    checks: tuple[str, ...]
    origin: dict[str, Any] = field(default_factory=dict)
    rows: int = 0
    people: int = 0
    file: str = ""
    sha256: str = ""

    @property
    def provenance(self) -> Provenance:
        """What every output says about this population."""
        return Provenance(
            name=self.name,
            title=self.title,
            publisher=self.publisher,
            date=self.date,
            how=self.how,
            counted=self.counted,
            estimated=self.estimated,
            modelled=0.0,
            sources=self.addresses,
            notes=self.notes,
            sha256=self.sha256,
        )


_Rebuild = Callable[["PopulationCache", Entry], Entry]


@dataclass(frozen=True)
class PopulationCache:
    """A folder of kept populations."""

    folder: Path = field(default_factory=cache_dir)

    def names(self) -> tuple[str, ...]:
        """Names of the kept populations, sorted."""
        return tuple(sorted(path.stem for path in self.folder.glob("*.json")))

    def entry(self, name: str) -> Entry:
        """Return what is known of one population.

        Raises
        ------
        UnknownNameError : it is not kept here.
        SourceError : its manifest is damaged.
        """
        path = self.folder / f"{name}.json"
        if not _NAME.fullmatch(name) or not path.is_file():
            raise UnknownNameError("fetched or loaded population", name, self.names())
        try:
            found = json.loads(path.read_text(encoding="utf-8"))
            tuples = {key: tuple(found[key]) for key in ("addresses", "notes", "checks")}
            return Entry(**{**{one.name: found[one.name] for one in fields(Entry)}, **tuples})
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise SourceError(
                f"{path}: the manifest is damaged. Run `policy-sim census remove {name}`, then fetch or load again."
            ) from error

    def work_folder(self, name: str) -> Path:
        """Where a population's answers are kept while it is fetched, and after."""
        return self.folder / "answers" / _checked(name)

    def put(self, entry: Entry, cells: pd.DataFrame) -> Entry:
        """Keep a population; what was kept under its name before is replaced at once.

        Raises
        ------
        OutputError : it cannot be written; what was there before still is.
        """
        _checked(entry.name)
        with self._locked(entry.name):
            draft = self.folder / f"{entry.name}.parquet"
            with replaced(draft) as beside:
                _write(cells, beside)
                checksum = sha256(beside)
                data = f"{entry.name}-{checksum[:16]}.parquet"
            draft.replace(self.folder / data)
            people = int(cells["people"].sum())
            kept = {**asdict(entry), "rows": len(cells), "people": people, "file": data, "sha256": checksum}
            text = json.dumps(kept, indent=1, ensure_ascii=False) + "\n"
            write_bytes(self.folder / f"{entry.name}.json", text.encode())
            for other in self._data_files(entry.name):
                if other.name != data:
                    other.unlink(missing_ok=True)
        return self.entry(entry.name)

    def load(self, name: str, rebuild: _Rebuild | None = None) -> Population:
        """Return a population whose file has the checksum of its manifest.

        A damaged file is never read: it is named, and made again by ``rebuild``.

        Raises
        ------
        UnknownNameError : it is not kept here.
        SourceError : the file is damaged or gone and cannot be made again.
        """
        from policy_sim.sources.population_files import parse_cells

        entry = self.entry(name)
        content, wrong = self._content(entry)
        if wrong and self.entry(name) != entry:  # replaced by another process in between
            return self.load(name, rebuild)
        if wrong:
            if rebuild is None:
                raise SourceError(f"{wrong} Fetch or load {name} again.")
            _LOG.warning("%s Making it again.", wrong)
            entry = rebuild(self, entry)
            content, wrong = self._content(entry)
            if wrong:
                raise SourceError(f"{wrong} The disk or another process damages it as it is written.")
        return Population(parse_cells(content), entry.provenance)

    def damage(self, entry: Entry) -> str:
        """Say what is wrong with a population's data file; empty if nothing is."""
        return self._content(entry)[1]

    def _content(self, entry: Entry) -> tuple[bytes, str]:
        """Return the bytes of the data file, read once, or what is wrong with them."""
        path = self.folder / entry.file
        try:
            content = path.read_bytes()
        except OSError:
            return b"", f"{path}: the kept population {entry.name} has lost its data file."
        if hashlib.sha256(content).hexdigest() != entry.sha256:
            return b"", f"{path}: the kept population {entry.name} is damaged (its checksum differs)."
        return content, ""

    def remove(self, name: str) -> None:
        """Forget a population: manifest, data and answers, also those of a fetch that did not end.

        Raises
        ------
        UnknownNameError : it is not kept here.
        """
        known = {*self.names(), *(path.name for path in self.folder.glob("answers/*"))}
        if name not in known:
            raise UnknownNameError("fetched or loaded population", name, known)
        with self._locked(name):
            (self.folder / f"{name}.json").unlink(missing_ok=True)
            for path in self._data_files(name):
                path.unlink(missing_ok=True)
            shutil.rmtree(self.work_folder(name), ignore_errors=True)

    def _data_files(self, name: str) -> Iterator[Path]:
        whole = re.compile(rf"{re.escape(name)}-[0-9a-f]{{16}}\.parquet")
        return (path for path in self.folder.glob(f"{name}-*.parquet") if whole.fullmatch(path.name))

    @contextmanager
    def _locked(self, name: str) -> Iterator[None]:
        from filelock import FileLock, Timeout

        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with FileLock(self.folder / f".{name}.lock", timeout=_WAIT_SECONDS):
                yield
        except Timeout as error:
            raise OutputError(
                f"{self.folder}: another process has been writing {name} for a minute. Try again when it is done."
            ) from error
        except OSError as error:
            raise OutputError(
                f"{self.folder}: cannot be written ({error.strerror or error}). POLICY_SIM_HOME may name another place."
            ) from error


def _checked(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise InputError(
            f"population name {name!r} must be lower-case letters, digits, - and _, at most 80, "
            "and begin with a letter or digit."
        )
    return name


def _write(cells: pd.DataFrame, path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    columns = {
        name: pa.array(cells[name].to_numpy(np.int32) if name in _NUMBERS else cells[name].array)
        for name in cells.columns
    }
    pq.write_table(pa.table(columns), path, compression="zstd", row_group_size=1 << 24)
