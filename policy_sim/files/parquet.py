"""Read Parquet files."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

if TYPE_CHECKING:
    import pyarrow as pa


def read_frame(source: Path | bytes) -> pd.DataFrame:
    """Read a file, or what it contains."""
    frame: pd.DataFrame = read_table(source).to_pandas()
    return frame


def read_table(source: Path | bytes, columns: Sequence[str] | None = None) -> pa.Table:
    """Read all or some columns of a file, or of what it contains."""
    import pyarrow as pa
    import pyarrow.parquet as pq  # its ParquetFile: read_table imports the data set machinery, a tenth of a second

    with suppress(NotImplementedError):  # this pool gives memory back to the machine: reading takes much for a moment
        pa.set_memory_pool(pa.jemalloc_memory_pool())
    file = pq.ParquetFile(pa.BufferReader(source) if isinstance(source, bytes) else source)
    return file.read(columns if columns is None else list(columns), use_threads=columns is None)
