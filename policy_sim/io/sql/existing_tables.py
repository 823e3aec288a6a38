"""Whose tables a database holds: none, ours, or somebody else's, which are left alone."""

from __future__ import annotations

from collections.abc import Mapping

from sqlalchemy import Connection, column, inspect, select, table

from policy_sim.errors import InputError
from policy_sim.io.sql.address import database_file, shown_url
from policy_sim.io.sql.models import Base

__all__ = ["HEAD", "holds_lists"]

HEAD = "0001"
_VERSION = "alembic_version"
_SHOWN = 3

_Columns = Mapping[str, set[str]]


def holds_lists(connection: Connection) -> bool:
    """Tell whether the database holds our tables, whole and of this version; false where it is empty.

    A table of versions alone, without a row, is what an undone migration leaves: it counts as empty.

    Raises
    ------
    InputError : it holds somebody else's tables, or those of another version; nothing was changed.
    """
    tables = _tables(connection)
    versions = _versions(connection, tables)
    if set(tables) <= {_VERSION} and not versions:
        return False
    if versions == [HEAD]:
        if lacking := _lacking(tables):
            raise _refused(connection, f"its tables are damaged or belong to another program: {lacking} is missing")
        return True
    if {"voter_list", "list_field", _VERSION} <= set(tables):
        raise _refused(
            connection,
            f"its tables have version {', '.join(versions) or 'none'}, made by another version of policy-sim, but "
            f"this one needs {HEAD}; update policy-sim or build the lists again",
        )
    names = ", ".join(sorted(tables)[:_SHOWN]) + (", ..." if len(tables) > _SHOWN else "")
    raise _refused(connection, f"it contains other tables ({names}) but no voter lists")


def _tables(connection: Connection) -> _Columns:
    columns_by_table = inspect(connection).get_multi_columns()
    return {name: {column_info["name"] for column_info in columns} for (_, name), columns in columns_by_table.items()}


def _versions(connection: Connection, tables: _Columns) -> list[str]:
    if tables.get(_VERSION) != {"version_num"}:
        return []
    return sorted(map(str, connection.execute(select(column("version_num")).select_from(table(_VERSION))).scalars()))


def _lacking(tables: _Columns) -> str:
    for name, ours in Base.metadata.tables.items():
        if name not in tables:
            return f"table {name}"
        for table_column in ours.columns:
            if table_column.name not in tables[name]:
                return f"column {name}.{table_column.name}"
    return ""


def _refused(connection: Connection, why: str) -> InputError:
    url = connection.engine.url
    file = database_file(url)
    other = "Name an empty database" if file is None else "Name another file, or remove or rename this one"
    return InputError(
        f"database {shown_url(url)}: {why}. Nothing was changed. {other}, "
        "and build the lists there (policy-sim lists build)."
    )
