"""What is recorded of why two vintages of a list differ: ``data/list_changes.toml``."""

from __future__ import annotations

from functools import cache

from policy_sim.errors import SchemaError
from policy_sim.files.paths import data_dir
from policy_sim.io.toml_files import shipped_table
from policy_sim.io.toml_table import TomlTable
from policy_sim.states import STATES
from policy_sim.voter_lists.list_changes import CAUSES, RecordedCause
from policy_sim.voter_lists.recorded_fields import LIST_FIELDS

__all__ = ["load_list_changes"]


@cache
def load_list_changes() -> tuple[RecordedCause, ...]:
    """Return what ships, in the order of the file.

    Raises
    ------
    SchemaError : the file is damaged; every problem at once.
    """
    where = data_dir() / "list_changes.toml"
    problems: list[str] = []
    top = TomlTable(shipped_table(where), problems)
    causes = tuple(_cause(table) for table in top.tables("change"))
    top.done()
    if problems:
        raise SchemaError(f"data/{where.name}", problems)
    return causes


def _cause(table: TomlTable) -> RecordedCause:
    cause = RecordedCause(
        table.choice("state", tuple(STATES), required=True),
        table.text("before", required=True),
        table.text("after", required=True),
        table.texts("fields", ("status", *LIST_FIELDS)),
        table.choice("cause", CAUSES, required=True),
        table.text("why", required=True),
    )
    table.done()
    return cause
