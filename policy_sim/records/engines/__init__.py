"""Records and populations where they lie: classes and groups counted inside an engine, DuckDB or Spark."""
