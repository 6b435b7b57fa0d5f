# Everything a newcomer needs: `make demo` shows it, `make test` proves it. Both set up what they need.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.ready

.PHONY: help setup demo run test lint nightly bench golden docs shape lock clean

help:            ## this list
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-9s %s\n", $$1, $$2}'

setup: $(STAMP)  ## a virtual environment with hash-pinned tools and this project in it

$(STAMP): requirements/dev.txt pyproject.toml
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "setting up $(VENV) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/dev.txt
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@$(BIN)/python -m commonplace.providers.fetch commonplace-e5 commonplace-reranker e5-small-v2 ms-marco-minilm-l12 potion-base-8m
	@touch $@

demo: setup      ## the main job: a scripted story on a throw-away book
	@$(BIN)/python -m commonplace.surfaces.cli demo

run: setup       ## the daemon, on the embedded default; prints its address, ends with Ctrl-C
	@$(BIN)/python -m commonplace.surfaces.cli serve --log troubles

test: setup      ## every test that fits in minutes
	@$(BIN)/python -m tests.parts

lint: setup      ## style, strict types, and the arrows of ARCHITECTURE.md
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-cache

nightly: setup   ## the long proofs: kills, power cuts, state machines, fuzzing
	@$(BIN)/python -m pytest -q -m "nightly"

bench: setup     ## speed as ratios, printed with their protocol
	@$(BIN)/python -m compileall -q src
	@$(BIN)/python -m bench

golden: setup    ## rewrite the golden files; review the diff like code
	@COMMONPLACE_REWRITE_GOLDEN=1 $(BIN)/python -m pytest -q tests/golden

docs: setup      ## rewrite docs/reference from the table of operations
	@$(BIN)/python -m tests.docs.generate

shape: setup     ## sizes of functions and files
	@$(BIN)/python bench/shape.py

lock:            ## pin requirements/dev.in with hashes (needs uv)
	uv pip compile --generate-hashes --universal --python-version 3.11 --no-header -q requirements/dev.in -o requirements/dev.txt

clean:           ## remove what `make` made
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .hypothesis
