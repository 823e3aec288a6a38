"""Engines by name."""

from __future__ import annotations

import re

from policy_sim.errors import InputError
from policy_sim.io.engine.backend import Progress
from policy_sim.io.engine.engine import Engine
from policy_sim.masking import mask_credentials

__all__ = ["open_engine"]


def open_engine(
    name: str = "duckdb", *, memory: str = "2GB", threads: int | None = None, progress: Progress | None = None
) -> Engine:
    """Return the engine of that name.

    Parameters
    ----------
    name : ``duckdb``, ``local`` (Spark in this process), or a Spark master: ``spark://…``, ``sc://…``.
    memory : Memory that DuckDB may use before it writes to disk.
    threads : Cores that DuckDB may use; all by default.
    progress : Told in words what is being done.

    Raises
    ------
    InputError : no such engine, or a part that it needs is not installed.
    """
    if name == "duckdb":
        from policy_sim.io.engine.duckdb_engine import DuckDbEngine

        return DuckDbEngine(memory, threads, progress)
    if name == "local" or re.match(r"(spark|sc|local(-cluster)?)\b", name):
        from policy_sim.io.engine.spark_engine import SparkEngine

        return SparkEngine(name, progress)
    raise InputError(
        f"engine {mask_credentials(name)!r} is unknown. Use duckdb, local, spark://host:port or sc://host:port."
    )
