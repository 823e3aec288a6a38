"""Numbers the rows of files that Spark reads in parts: by file in the order of their names, then as in the file."""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING
from urllib.parse import unquote

from policy_sim.sources.engine.records import ROW

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["numbered"]

# Not names that a file of records has.
_FILE, _AT, _SHIFT = "policy_sim_file", "policy_sim_at", "policy_sim_shift"


def numbered(frame: DataFrame, columns: list[str], *, stored_index: bool) -> DataFrame:
    """Return some columns of files just read, and :data:`~policy_sim.sources.engine.records.ROW`, from 1.

    Parameters
    ----------
    frame : What a reader returned, as it is.
    stored_index : The files know the place of each row in them, as Parquet does. Otherwise each file must be
        read by one worker, as CSV with lines that end inside quotes is: Spark's numbers of a part ascend.
    """
    from pyspark.sql import functions as spark

    index = spark.col("_metadata.row_index") if stored_index else spark.monotonically_increasing_id()
    placed = frame.select(*columns, spark.col("_metadata.file_path").alias(_FILE), index.alias(_AT)).persist()
    found = placed.groupBy(_FILE).agg(spark.min(_AT).alias("first"), spark.count("*").alias("rows")).collect()
    files = sorted(found, key=lambda file: unquote(file[_FILE]))
    before = accumulate((file["rows"] for file in files), initial=0)
    shift = [(file[_FILE], start - file["first"] + 1) for file, start in zip(files, before, strict=False)]
    if not shift:
        return placed.select(*columns, spark.lit(0).cast("bigint").alias(ROW))
    shifts = spark.broadcast(placed.sparkSession.createDataFrame(shift, f"{_FILE} string, {_SHIFT} bigint"))
    return placed.join(shifts, _FILE).select(*columns, (placed[_AT] + shifts[_SHIFT]).alias(ROW))
