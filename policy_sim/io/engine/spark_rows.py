"""Numbers the rows of files that Spark reads in parts: by file in the order of their names, then as in the file."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from itertools import accumulate
from typing import TYPE_CHECKING
from urllib.parse import unquote

from policy_sim.io.engine.record_sources import ROW

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

    Frame = tuple[DataFrame, list[str]]

__all__ = ["keyed", "numbered"]

_FILE, _AT, _SHIFT = "policy_sim_file", "policy_sim_at", "policy_sim_shift"


def keyed(frame: DataFrame, columns: Sequence[str]) -> DataFrame:
    """Return some columns of files as f0, f1, ..."""
    return frame.select(*_keys(columns))


def _keys(columns: Sequence[str]) -> list[Column]:
    from pyspark.sql import functions as spark

    quoted = [f"`{column.replace('`', '``')}`" for column in columns]  # a dot in a name is a dot
    return [spark.col(column).alias(f"f{at}") for at, column in enumerate(quoted)]


def numbered(frames: Sequence[Frame], *, stored_index: bool) -> DataFrame:
    """Return the key columns of files just read, and :data:`~policy_sim.io.engine.record_sources.ROW`, from 1.

    Parameters
    ----------
    frames : What a reader returned, as it is, and its key columns.
    stored_index : The files know the place of each row in them, as Parquet does. Otherwise each file must be
        read by one worker, as CSV with lines that end inside quotes is: Spark's numbers of a part ascend.
    """
    from pyspark.sql import functions as spark

    index = spark.col("_metadata.row_index") if stored_index else spark.monotonically_increasing_id()
    place = [spark.col("_metadata.file_path").alias(_FILE), index.alias(_AT)]
    read = [frame.select(*_keys(columns), *place) for frame, columns in frames]
    placed = reduce(lambda left, right: left.unionAll(right), read).persist()
    keys = placed.columns[:-2]
    starts = placed.groupBy(_FILE).agg(spark.min(_AT).alias("first"), spark.count("*").alias("rows")).collect()
    files = sorted(starts, key=lambda file: unquote(file[_FILE]))
    before = accumulate((file["rows"] for file in files), initial=0)
    shift = [(file[_FILE], start - file["first"] + 1) for file, start in zip(files, before, strict=False)]
    if not shift:
        return placed.select(*keys, spark.lit(0).cast("bigint").alias(ROW))
    shifts = spark.broadcast(placed.sparkSession.createDataFrame(shift, f"{_FILE} string, {_SHIFT} bigint"))
    return placed.join(shifts, _FILE).select(*keys, (placed[_AT] + shifts[_SHIFT]).alias(ROW))
