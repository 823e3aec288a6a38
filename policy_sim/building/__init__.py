"""Make the files of ``data/`` from tables that do not ship; for ``population build`` and benchmarks only."""
