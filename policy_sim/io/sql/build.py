"""Build the database from the state files: all of it at once, or not at all."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection, Engine, delete, func, insert, select

from policy_sim.io.sql.connect import writing
from policy_sim.io.sql.existing_tables import HEAD, holds_lists
from policy_sim.io.sql.models import Base, BuildRow, VoterListRow
from policy_sim.io.sql.read import read_from
from policy_sim.io.sql.rows import CHILDREN, list_rows, source_row, to_source
from policy_sim.states import STATES
from policy_sim.voter_lists.buyers import BUYERS, USES
from policy_sim.voter_lists.evidence import Source
from policy_sim.voter_lists.voter_list import VoterList

__all__ = ["FROM_FILES", "IMPORTED", "build", "built_from", "migrate", "store"]

FROM_FILES, IMPORTED = "files", "import"


def built_from(connection: Connection) -> str | None:
    """Return what the database was built from, or None where it is empty.

    Raises
    ------
    InputError : its tables are not ours.
    """
    return connection.execute(select(BuildRow.digest)).scalar() if holds_lists(connection) else None


def build(engine: Engine, lists: Iterable[VoterList], digest: str, *, keep_imports: bool = True) -> None:
    """Bring the tables up to date and fill them with these lists; imported lists are kept, unless told otherwise.

    One transaction: whoever reads meanwhile sees the old content, and so it stays if this fails.
    A second writer waits, and does nothing when the first has already built from the same files.

    Raises
    ------
    InputError : the database holds tables that are not ours; nothing is changed.
    """
    with writing(engine) as connection:
        built = built_from(connection)  # refuses somebody else's tables
        if keep_imports and built == digest:
            return
        migrate(connection)
        imported = read_from(connection, VoterListRow.origin == IMPORTED) if keep_imports else []
        for table in reversed(Base.metadata.sorted_tables):
            connection.execute(delete(table))
        _insert_words(connection)
        connection.execute(insert(BuildRow), [{"id": 1, "digest": digest}])
        store(connection, sorted(lists, key=lambda listed: (listed.state, listed.vintage)), FROM_FILES)
        store(connection, imported, IMPORTED)


def migrate(connection: Connection) -> None:
    """Apply the migrations that the database does not have yet."""
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", "policy_sim.io.sql:migrations")
    config.attributes["connection"] = connection
    command.upgrade(config, HEAD)


def store(connection: Connection, lists: Iterable[VoterList], origin: str) -> None:
    """Put lists in, in place of those of the same state and vintage."""
    sources = _Sources(connection)
    number = connection.execute(select(func.coalesce(func.max(VoterListRow.id), 0))).scalar_one()
    rows: dict[str, list[dict[str, Any]]] = {"voter_list": [], **{name: [] for name in CHILDREN}}
    for listed in lists:
        number += 1
        _drop(connection, listed)
        for table, table_rows in list_rows(listed, number, sources.of(listed), origin).items():
            rows[table] += table_rows
    sources.write()
    for table, table_rows in rows.items():
        if table_rows:
            connection.execute(insert(Base.metadata.tables[table]), table_rows)


def _drop(connection: Connection, listed: VoterList) -> None:
    connection.execute(
        delete(VoterListRow).where(VoterListRow.state == listed.state, VoterListRow.vintage == listed.vintage)
    )


def _insert_words(connection: Connection) -> None:
    tables = Base.metadata.tables
    states = [{"postal": s.postal, "fips": s.fips, "name": s.name} for s in STATES.values() if s.postal != "PR"]
    connection.execute(insert(tables["state"]), states)
    connection.execute(insert(tables["buyer_class"]), [{"name": name} for name in BUYERS])
    connection.execute(insert(tables["permitted_use"]), [{"name": name} for name in USES])


@dataclass
class _Sources:
    """The rows of sources: those that are there, and those that new lists bring."""

    connection: Connection
    numbers: dict[Source, int] = field(default_factory=dict)
    new: list[dict[str, Any]] = field(default_factory=list)

    def __post_init__(self) -> None:
        rows = self.connection.execute(select(Base.metadata.tables["source"])).mappings()
        self.numbers.update({to_source(dict(row)): row["id"] for row in rows})

    def of(self, listed: VoterList) -> dict[str, int]:
        """Return the row number of each source of a list, by its short name."""
        return {key: self._number(source) for key, source in listed.sources.items()}

    def _number(self, source: Source) -> int:
        if source not in self.numbers:
            self.numbers[source] = max(self.numbers.values(), default=0) + 1
            self.new.append(source_row(source, self.numbers[source]))
        return self.numbers[source]

    def write(self) -> None:
        """Insert the new sources."""
        if self.new:
            self.connection.execute(insert(Base.metadata.tables["source"]), self.new)
