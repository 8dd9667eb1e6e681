# The first two commands of the README: `make demo` and `make test`. Both need Python 3.11-3.13 and make only.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin

.PHONY: help demo setup fmt lint test test-flink test-slow golden oracle bench bench-nexmark bench-latency bench-scaling docs clean

help: ## what there is
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/' | expand -t 12

$(VENV)/demo: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --editable '.[demo]'
	@touch $@

$(VENV)/dev: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --editable '.[demo,dev,docs]'
	@touch $@ $(VENV)/demo

demo: $(VENV)/demo ## run the main job on a year of real flights
	$(BIN)/python examples/flights/demo.py

setup: $(VENV)/dev ## build the virtualenv with everything

fmt: $(VENV)/dev ## format and mend what can be mended
	$(BIN)/ruff check --fix --quiet src tests examples benchmarks
	$(BIN)/ruff format --quiet src tests examples benchmarks

lint: $(VENV)/dev ## style, types, layers
	$(BIN)/ruff check src tests examples benchmarks
	$(BIN)/ruff format --check src tests examples benchmarks
	$(BIN)/mypy
	$(BIN)/lint-imports

test: lint ## all checks
	$(BIN)/python -m pytest -n 2 -q -m 'not flink'
	$(BIN)/mkdocs build --strict --quiet

test-flink: .venv-flink/ready ## scripts, checks and upgrades on a real Apache Flink; needs Java
	.venv-flink/bin/python -m pytest -q tests/flink

# apache-flink wants older releases of pandas and pyarrow than the other tests
.venv-flink/ready: pyproject.toml
	$(PYTHON) -m venv .venv-flink
	.venv-flink/bin/python -m pip install --quiet --editable '.[flink]' 'pytest>=9' 'hypothesis>=6.100'
	@touch $@

test-slow: $(VENV)/dev ## 200 jobs killed at random moments; 2,400 queries changed while they run
	KILLS=200 $(BIN)/python -m pytest -q -s tests/recovery
	EDITS=2400 $(BIN)/python -m pytest -n 2 -q tests/deploy

golden: $(VENV)/dev ## fill in the expected parts of tests/cases; review the diff
	$(BIN)/sameriver test --write tests/cases

oracle: ## ask Apache Flink what tests/oracle has no answer to yet (ALL=1: all; FAMILY=json: of one file)
	test -d .venv-oracle || $(PYTHON) -m venv .venv-oracle
	.venv-oracle/bin/python -m pip install --quiet apache-flink==2.3.0
	cd tests && ../.venv-oracle/bin/python -m oracle.ask_flink $(FAMILY) $(if $(ALL),--all)

bench: $(VENV)/dev ## ratios to DuckDB, side by side in one run; rows per second of functions
	$(BIN)/python benchmarks/run.py
	$(BIN)/python benchmarks/functions.py
	$(BIN)/python benchmarks/state.py

bench-nexmark: $(VENV)/dev ## Nexmark beside Apache Flink and DuckDB; needs Java (QUICK=1: five minutes)
	test -d .venv-oracle || $(PYTHON) -m venv .venv-oracle
	.venv-oracle/bin/python -m pip install --quiet apache-flink==2.3.0
	-$(FETCH_JARS)
	$(BIN)/python -m benchmarks.nexmark.run $(if $(QUICK),--quick,--format parquet --format json) \
		--write benchmarks/RESULTS.md

# What Flink reads Parquet with is not in its Python package; without Maven the benchmark reads CSV.
JARS := org.apache.flink:flink-sql-parquet:2.3.0 org.apache.hadoop:hadoop-client-api:3.4.1 \
	org.apache.hadoop:hadoop-client-runtime:3.4.1
FETCH_JARS = test -d .venv-oracle/jars || ! command -v mvn > /dev/null || { \
	for jar in $(JARS); do mvn -q dependency:copy -Dartifact=$$jar \
		-DoutputDirectory=$(CURDIR)/.venv-oracle/fetched || exit; done; \
	mv .venv-oracle/fetched .venv-oracle/jars; }

bench-latency: $(VENV)/dev ## how long rows take from source to sink
	$(BIN)/python -m benchmarks.latency --write benchmarks/latency.json

bench-scaling: $(VENV)/dev ## what a row costs with more keys, state, columns, shards; larger batches
	$(BIN)/python -m pip install --quiet --editable '.[bench]'
	$(BIN)/python -m benchmarks.scaling --write benchmarks

docs: $(VENV)/dev ## write the reference of functions, build the documentation into site/
	cd tests && ../$(BIN)/python -m oracle.reference
	$(BIN)/mkdocs build --strict

clean: ## remove what was built
	rm -rf $(VENV) .venv-flink site build dist
