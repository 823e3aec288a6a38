"""Spark as the engine, where the records outgrow one machine: the same queries, the same integers."""

from __future__ import annotations

import os
import re
import socket
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import reduce
from itertools import accumulate
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from numpy.typing import NDArray

from policy_sim.records.engines.engine import Engine
from policy_sim.records.engines.expressions import Progress, Table, quietly
from policy_sim.records.engines.sources import ROW, FileHeader, Records
from policy_sim.words.errors import InputError, MissingPackageError, PolicySimError, SchemaError, SourceError
from policy_sim.words.text import mask_credentials

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import Column, DataFrame

    Frame = tuple[DataFrame, list[str]]


# Rows of files that Spark reads in parts are numbered by file in the order of their names, then as in the file.


_FILE, _AT, _SHIFT = "policy_sim_file", "policy_sim_at", "policy_sim_shift"


def keyed(frame: DataFrame, columns: Sequence[str]) -> DataFrame:
    """Return some columns of files as f0, f1, ..."""
    return frame.select(*_keys(columns))


def _keys(columns: Sequence[str]) -> list[Column]:
    from pyspark.sql import functions as spark

    quoted = [f"`{column.replace('`', '``')}`" for column in columns]  # a dot in a name is a dot
    return [spark.col(column).alias(f"f{at}") for at, column in enumerate(quoted)]


def numbered(frames: Sequence[Frame], *, stored_index: bool) -> DataFrame:
    """Return the key columns of files just read, and :data:`~policy_sim.records.engines.sources.ROW`, from 1."""
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


# How long a job may wait without any worker before it is given up.
_PATIENCE_SECONDS = 60.0
_CONNECT_PORT = 15002  # where Spark Connect listens unless told otherwise
_LISTEN_SECONDS = 10.0
_CSV = {
    "header": "true",
    "inferSchema": "false",  # codes stay text: "01" is not 1
    "quote": '"',
    "escape": '"',
    "multiLine": "true",  # a line may end inside quotes
    "mode": "FAILFAST",
}


class SparkEngine(Engine):
    """A Spark cluster, or Spark inside this process: ``local``, ``spark://host:port``, or ``sc://host:port``.

    Further settings, such as memory of the workers, are Spark's own: ``SPARK_CONF_DIR`` or ``spark-defaults.conf``.
    """

    def __init__(self, master: str, progress: Progress | None = None, patience: float = _PATIENCE_SECONDS) -> None:
        super().__init__(progress)
        self.name = mask_credentials(master)  # sc://host:15002/;token=... is an address too
        self._patience = patience
        self._abandoned = False
        self._closed = threading.Event()
        with quietly():
            try:
                import pyspark.errors
            except ImportError as error:
                raise MissingPackageError(f"engine {self.name}", error.name or "pyspark", "spark") from error
            self._errors: tuple[type[Exception], ...] = (pyspark.errors.PySparkException, *_bridge_errors())
            _somebody_listens(master)
            self.progress(f"starting Spark at {self.name}")
            try:
                self.session = _session(master)
                self.session.conf.set("spark.sql.caseSensitive", "true")  # sex and Sex are two columns
            except Exception as error:
                raise SourceError(
                    f"engine {self.name}: Spark did not start ({type(error).__name__}). Check that Java is installed "
                    f"and that the address is correct."
                ) from None
        if master.startswith("spark://"):
            threading.Thread(target=self._watch_workers, daemon=True).start()

    def close(self) -> None:
        """Stop the session."""
        self._closed.set()
        with suppress(*self._errors):
            self.session.stop()

    def keep(self, table: Table) -> Table:
        """Compute a table once, on the workers."""
        return self._viewed(self.session.sql(table.query).persist())

    def fetch(self, table: Table) -> pa.Table:
        """Compute a table on the workers and take it over."""
        return self.session.sql(table.query).toArrow()

    def hold(self, columns: Mapping[str, NDArray[Any]]) -> Table:
        """Give the engine a table of numbers or texts."""
        import pandas as pd

        return self._viewed(self.session.createDataFrame(pd.DataFrame(dict(columns))))

    def read(self, records: Records, *, rows: bool) -> Table:
        """Return the key columns, with row numbers in the order of the files' names and lines."""
        if records.kind == "sql":
            raise InputError(f"engine {self.name} reads files; the default engine reads databases.")
        if records.files:
            frames = [self._read_files(records, files) for files in records.read_alike()]
        else:
            frames = [self._read_elsewhere(records)]
        if rows:
            return self._viewed(numbered(frames, stored_index=records.kind == "parquet"))
        return self._viewed(reduce(lambda left, right: left.unionAll(right), (keyed(*frame) for frame in frames)))

    def _read_files(self, records: Records, files: Sequence[FileHeader]) -> Frame:
        """Read files of one header; the columns of CSV by place, for Spark makes other names of some."""
        first = files[0]
        paths = [_no_pattern(str(file.readable)) for file in files]
        places = records.places(first.header)
        if records.kind == "parquet":
            return self.session.read.parquet(*paths), [first.header[place] for place in places]
        columns = [f"c{at}" for at in range(len(first.header))]
        reader = self.session.read.options(**_CSV, sep=first.separator)
        frame = reader.schema(", ".join(f"{column} string" for column in columns)).csv(paths)
        return frame, [columns[place] for place in places]

    def _read_elsewhere(self, records: Records) -> Frame:
        """Read files where only Spark reaches them; it compares their headers itself."""
        if records.kind == "parquet":
            frame = self.session.read.parquet(records.location)
        else:
            reader = self.session.read.options(**_CSV, sep=records.separator)
            seen = reader.csv(records.location).schema
            frame = reader.schema(seen).options(enforceSchema="false").csv(records.location)
        return frame, [frame.columns[place] for place in records.places(frame.columns)]

    def _viewed(self, frame: DataFrame) -> Table:
        name = self._next_name()
        frame.createOrReplaceTempView(name)
        return Table(f"SELECT * FROM {name}", dict(frame.dtypes))

    def parquet(self, location: str) -> Table:
        """Return a Parquet file, folder or pattern as a table."""
        return self._viewed(self.session.read.parquet(location))

    def explain(self, error: Exception, name: str) -> PolicySimError | None:
        """Say what Spark's error means; its own text quotes the record."""
        if self._abandoned and isinstance(error, self._errors):
            return SourceError(
                f"{name}: Spark at {self.name} has had no worker for {self._patience:g} s. Start workers and run the "
                f"command again."
            )
        if not isinstance(error, self._errors):
            return None
        text = str(error)
        if "MALFORMED_RECORD" in text or "MALFORMED_CSV" in text:
            return SchemaError(
                name,
                ["a line has more or fewer columns than the header. The default engine says which line; correct it."],
            )
        if "header does not conform" in text:
            return SchemaError(
                name, ["the headers of its files differ. All must name the same columns in the same order."]
            )
        if "PATH_NOT_FOUND" in text:
            return SourceError(f"{name}: no such file on the machine where Spark runs.")
        return SourceError(
            f"{name}: Spark at {self.name} failed ({type(error).__name__}). Check that the file is complete "
            "and that the workers are running."
        )

    def _watch_workers(self) -> None:
        """Cancel the jobs when no worker has been there for long: Spark itself would wait for ever."""
        without = 0.0
        step = min(5.0, self._patience / 4)
        while not self._closed.wait(step):
            with suppress(Exception):
                workers = self.session.sparkContext._jsc.sc().getExecutorMemoryStatus().size() - 1
                waiting = self.session.sparkContext.statusTracker().getActiveJobsIds()
                without = without + step if waiting and not workers else 0.0
                # a worker that comes late ends the alarm: only a job that was given up is explained by it
                self._abandoned = without >= self._patience or (self._abandoned and not workers)
                if without >= self._patience:
                    self.session.sparkContext.cancelAllJobs()


def _somebody_listens(master: str) -> None:
    """Refuse a Spark Connect address at which nobody listens: its client would try again for minutes."""
    if not master.startswith("sc://"):
        return
    address = urlsplit(master)
    try:
        port = address.port or _CONNECT_PORT
        socket.create_connection((address.hostname or "", port), timeout=_LISTEN_SECONDS).close()
    except (OSError, ValueError) as error:
        raise SourceError(
            f"engine {mask_credentials(master)}: no Spark Connect server answers there ({type(error).__name__}). Give "
            f"the sc://host:port of a running server."
        ) from None


def _session(master: str) -> Any:
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.appName("policy-sim")
    if master.startswith("sc://"):
        return builder.remote(master).getOrCreate()
    settings = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        # Spark's log quotes the records that it cannot read
        "spark.log.level": "OFF",
        "spark.sql.session.timeZone": "UTC",
        # otherwise a line with too few columns passes when the columns that it lacks are not read
        "spark.sql.csv.parser.columnPruning.enabled": "false",
    }
    if master == "local":
        master = f"local[{os.cpu_count()}]"
        settings |= {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}
        settings["spark.sql.shuffle.partitions"] = str(2 * (os.cpu_count() or 1))
    for key, value in settings.items():
        builder = builder.config(key, value)
    return builder.master(master).getOrCreate()


def _no_pattern(path: str) -> str:
    """Return a name in which no sign stands for others."""
    return re.sub(r"([\\*?\[\]{}])", r"\\\1", path)


def _bridge_errors() -> tuple[type[Exception], ...]:
    try:
        from py4j.protocol import Py4JError  # type: ignore[import-untyped]
    except ImportError:  # a Spark Connect client has no bridge to Java
        return ()
    return (Py4JError,)
