# Two targets do everything on a fresh machine: run and test. Both set up .venv first.
PYTHON ?= python3
BIN := .venv/bin
OUT ?= out
WORKERS ?= auto

.PHONY: run test lint types unit reports bench clean

run: .venv/.run
	$(BIN)/policy-sim compare --out $(OUT)

test: lint types unit

lint: .venv/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: .venv/.dev
	$(BIN)/mypy

unit: .venv/.dev
	$(BIN)/pytest -n $(WORKERS) --dist loadfile $(PYTEST_ARGS)

# The gallery, as the commands write it.
reports: .venv/.run
	$(BIN)/policy-sim compare --out reports/today
	$(BIN)/policy-sim compare --as benitez-malin-2010 --out reports/benitez-malin-2010
	$(BIN)/policy-sim curve OH --g-max 5000 --as benitez-malin-2010 --out reports/ohio-2000

bench: .venv/.dev
	$(BIN)/python -m benchmarks

# What only tests need is installed by the second stamp, so that `make run` stays small.
.venv/.run: pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	touch $@

.venv/.dev: .venv/.run
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	touch $@

clean:
	rm -rf .venv out build dist .pytest_cache .mypy_cache .ruff_cache
