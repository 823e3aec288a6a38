"""Numbers the rows of files that Spark reads in parts: by file in the order of their names, then as in the file."""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING
from urllib.parse import unquote

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["numbered"]


def numbered(frame: DataFrame, columns: list[str], *, stored_index: bool) -> DataFrame:
    """Return some columns of files just read, and ``row``, from 1.

    Parameters
    ----------
    frame : What a reader returned, as it is.
    stored_index : The files know the place of each row in them, as Parquet does. Otherwise each file must be
        read by one worker, as CSV with lines that end inside quotes is: Spark's numbers of a part ascend.
    """
    from pyspark.sql import functions as spark

    index = spark.col("_metadata.row_index") if stored_index else spark.monotonically_increasing_id()
    placed = frame.select(*columns, spark.col("_metadata.file_path").alias("_file"), index.alias("_at")).persist()
    found = placed.groupBy("_file").agg(spark.min("_at").alias("first"), spark.count("*").alias("rows")).collect()
    files = sorted(found, key=lambda file: unquote(file["_file"]))
    before = accumulate((file["rows"] for file in files), initial=0)
    shift = [(file["_file"], start - file["first"] + 1) for file, start in zip(files, before, strict=False)]
    if not shift:
        return placed.select(*columns, spark.lit(0).cast("bigint").alias("row"))
    shifts = spark.broadcast(placed.sparkSession.createDataFrame(shift, "_file string, _shift bigint"))
    return placed.join(shifts, "_file").select(*columns, (placed["_at"] + shifts["_shift"]).alias("row"))
