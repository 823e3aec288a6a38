"""Makes the files of ``data/`` from tables that do not ship. Only ``population build`` and benchmarks use it."""
