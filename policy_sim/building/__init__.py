"""Make the files of ``data/`` from tables that do not ship; for ``dev build-population`` and benchmarks only."""
