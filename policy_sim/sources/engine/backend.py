"""What an engine can do for us: read records and cells, compute tables, and say what its errors mean."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Self

from policy_sim.errors import PolicySimError, SourceError
from policy_sim.microdata.classes import IntArray
from policy_sim.sources.engine.records import Records

if TYPE_CHECKING:
    import ibis.expr.types as ir
    import pyarrow as pa

__all__ = ["Backend", "Progress", "out_of_memory", "quietly"]

Progress = Callable[[str], None]


class Backend:
    """Something that computes ibis expressions; a context manager that leaves nothing behind.

    A subclass says how it reads a file and what its errors mean.
    """

    name = "engine"

    def __init__(self, progress: Progress | None = None) -> None:
        self.progress: Progress = progress or (lambda _: None)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __str__(self) -> str:
        return self.name

    def close(self) -> None:
        """Give back what the engine holds."""

    def read(self, records: Records, *, rows: bool) -> ir.Table:
        """Return the key columns and, if asked for, the row number (from 1) as ``ROW``."""
        raise NotImplementedError

    def parquet(self, location: str) -> ir.Table:
        """Return a Parquet file, folder or pattern as a table."""
        raise NotImplementedError

    def explain(self, error: Exception, name: str) -> PolicySimError | None:
        """Say what an error of the engine means, without a record's values; None if it is not one."""
        raise NotImplementedError

    def keep(self, table: ir.Table) -> ir.Table:
        """Compute a table once and hold it until the engine closes."""
        raise NotImplementedError

    def fetch(self, table: ir.Table) -> pa.Table:
        """Compute a table and take it over: whole numbers, or the values of a field."""
        raise NotImplementedError

    def whole(self, number: ir.IntegerScalar) -> int:
        """Compute a single whole number; 0 where there are no rows."""
        return int(self.fetch(number.as_table()).column(0)[0].as_py() or 0)

    def hold(self, columns: Mapping[str, IntArray]) -> ir.Table:
        """Give the engine a table of whole numbers."""
        raise NotImplementedError

    @contextmanager
    def plainly(self, name: str) -> Iterator[None]:
        """Turn the engine's errors into one line of ours: theirs quote the records."""
        try:
            with quietly():
                yield
        except Exception as error:
            ours = self.explain(error, name)
            if ours is None:
                raise
            raise ours from None


def out_of_memory(name: str, memory: str) -> SourceError:
    """Say that the engine's memory was not enough."""
    return SourceError(
        f"{name}: the records need more than {memory} and what the disk for spilling holds: raise --memory, free "
        f"disk space, or use a Spark engine."
    )


@contextmanager
def quietly() -> Iterator[None]:
    """Keep to themselves what the engine's parts say of each other's versions; nobody here can mend it."""
    with warnings.catch_warnings():
        for text in ("fetch_arrow_table", "fetch_record_batch", "Arrow output", "PySpark does not yet fully support"):
            warnings.filterwarnings("ignore", message=text)
        yield
