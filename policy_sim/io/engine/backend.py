"""What an engine does: it reads records and cells, computes tables, and explains its errors."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Self

from policy_sim.arrays import IntArray
from policy_sim.errors import PolicySimError, SourceError
from policy_sim.io.engine.record_sources import Records

if TYPE_CHECKING:
    import ibis.expr.types as ir
    import pyarrow as pa

__all__ = ["Backend", "Progress", "out_of_memory", "quietly", "unreadable"]

Progress = Callable[[str], object]


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
        """Return the columns of the key fields as f0, f1, ... and, if asked for, the row number (from 1) as ``ROW``.

        The rows of several files follow each other in the order of the files.
        """
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
            ours = self.explain(error, name) or _explain_parts(error, name)
            if ours is None:
                raise
            raise ours from None


def out_of_memory(name: str, memory: str) -> SourceError:
    """Say that the engine's memory was not enough."""
    return SourceError(
        f"{name}: the records need more than {memory} of memory and the free disk space. Allow more memory, free some "
        f"disk space, or use a Spark engine."
    )


def unreadable(name: str, kind: str) -> SourceError:
    """Say that what a name means cannot be read, and the kind of the error, but not its text."""
    return SourceError(f"{name}: cannot be read ({kind}). Check that it is complete and of its format.")


def _explain_parts(error: Exception, name: str) -> PolicySimError | None:
    """Explain an error of the libraries between the engine and this package: their texts may quote values too."""
    import pyarrow as pa
    from ibis.common.exceptions import IbisError

    kind = type(error).__name__
    if isinstance(error, MemoryError):  # Arrow's own is one too
        return SourceError(f"{name}: not enough memory. Use fewer fields, free some memory, or use a Spark engine.")
    if isinstance(error, (pa.ArrowException, IbisError, UnicodeError)):
        return unreadable(name, kind)
    return None


@contextmanager
def quietly() -> Iterator[None]:
    """Silence warnings of the engine's libraries about each other's versions; a user cannot act on them."""
    with warnings.catch_warnings():
        for text in ("fetch_arrow_table", "fetch_record_batch", "Arrow output", "PySpark does not yet fully support"):
            warnings.filterwarnings("ignore", message=text)
        yield
