# Two targets do everything on a fresh machine: run and test. Both set up .venv first.
PYTHON ?= python3
BIN := .venv/bin
OUT ?= out
# One more than there are processors: a test that waits for a browser, server or other process leaves one idle.
WORKERS ?= $(shell expr $$(getconf _NPROCESSORS_ONLN) + 1)

.PHONY: run test lint types tests unit rest whole reports explorer docs bench release clean

run: .venv/.run
	@$(BIN)/policy-sim start --out $(OUT)
	@echo
	@echo "First type 'source $(BIN)/activate', so that your shell finds policy-sim. README.md has a tutorial for each reader."

test: lint types tests

lint: .venv/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: .venv/.dev
	$(BIN)/mypy

# All of them at once: each worker collects the tests anew, which takes a quarter of a minute. In a new clone one process
# does it first: each worker would make of every test file what pytest keeps of it (30 s of processor).
tests: .venv/.dev
	@test -d tests/__pycache__ || PYTHONDONTWRITEBYTECODE= $(BIN)/pytest --collect-only -q >/dev/null || true
	$(PYTEST) $(PYTEST_ARGS)

# Everything that needs no server, browser, office or Spark and takes under a second, for use while one works.
unit: .venv/.dev
	$(PYTEST) -m "not ($(SLOW))" $(PYTEST_ARGS)

rest: .venv/.dev
	$(PYTEST) -m "$(SLOW)" $(PYTEST_ARGS)

# What pytest makes of a test file is kept, wherever bytecode is not: the next run need not make it anew.
PYTEST = PYTHONDONTWRITEBYTECODE= $(BIN)/pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder

SLOW := slow or postgres or spark or browser

# All of what the others try a pinned part of: every seed, every population built anew.
whole: .venv/.dev
	POLICY_SIM_WHOLE=1 $(PYTEST) $(PYTEST_ARGS)

# The gallery, as the commands write it. The day of the briefs is fixed, so that the bytes are too.
DAY := 2026-11-22
reports: .venv/.run
	rm -rf reports/today reports/briefs reports/release
	$(BIN)/policy-sim compare --out reports/today
	$(BIN)/policy-sim compare --as benitez-malin-2010 --format csv > reports/benitez-malin-2010.csv
	$(BIN)/policy-sim compare --hipaa paper --population us-2020 --release newest --attacker general --format csv > reports/releases.csv
	for state in US OH; do $(BIN)/policy-sim brief $$state --date $(DAY) --out reports/briefs/$$state.html; done
	$(BIN)/policy-sim brief VA --bill birth=year --date $(DAY) --out reports/briefs/VA-bill.html
	$(BIN)/policy-sim brief OH --in-file 11000 --date $(DAY) --out reports/briefs/OH-11000.pdf
	pdftoppm -singlefile -f 1 -l 1 -r 80 -png reports/briefs/OH-11000.pdf reports/briefs/OH-11000
	$(BIN)/policy-sim model workbook --out reports/states.xlsx
	$(BIN)/policy-sim explorer --out reports/explorer.html
	mkdir -p build && cp docs/examples/patients.toml build/
	$(BIN)/policy-sim dev synth DE --people 3000 --seed 11 --out build/patients.csv
	$(BIN)/policy-sim release run build/patients.toml --out reports/release

# The documentation site, in build/site: a warning or a broken link is an error.
docs: .venv/.dev
	$(BIN)/python docs/site/list_pages.py
	$(BIN)/python docs/site/assemble.py build/pages
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict -f docs/site/mkdocs.yml
	@echo "Open build/site/index.html. Its search needs a server: $(BIN)/python -m http.server -d build/site"

# One page that computes in the reader's browser.
explorer: .venv/.run
	$(BIN)/policy-sim explorer --out reports/explorer.html

# Wheel, sdist, SBOM, site, notes and checksums in dist/; the wheel is tried without a network. Nothing is published.
release: .venv/.release
	$(BIN)/python .ci/release

bench: .venv/.dev
	$(BIN)/python -m benchmarks

# The default packages, which README's commands need; what only tests, a server or a cluster need comes with the second stamp.
.venv/.run: pyproject.toml
	PYTHON=$(PYTHON) .ci/install app
	touch $@

.venv/.dev: .venv/.run
	PYTHON=$(PYTHON) .ci/install dev
	touch $@

.venv/.release: .venv/.dev
	PYTHON=$(PYTHON) .ci/install release
	touch $@

clean:
	rm -rf .venv out build dist .pytest_cache .mypy_cache .ruff_cache
