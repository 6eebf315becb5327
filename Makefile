# `make run` and `make test` do everything from a fresh clone; `make help` lists the rest.

PYTHON ?= python3
PORT ?= 8501
# Number of processes that run the tests, each taking whole files; 0 for none. Three keep two cores
# busy while some tests wait for browsers and servers.
JOBS ?= 3
ARGS ?=

VENV := .venv
BIN := $(VENV)/bin
# A new process would begin with the test that ended the former one.
PYTEST := $(BIN)/python -m pytest --numprocesses $(JOBS) --dist loadfile --max-worker-restart 0
# Byte code is compiled when a module is first imported: that saves a third of the install.
INSTALL := $(BIN)/python -m pip --disable-pip-version-check install --quiet --no-compile \
	--constraint constraints.txt --editable
# Not so where Python is told to keep none (PYTHONDONTWRITEBYTECODE): each command then takes twice as
# long to start. So that of what a command loads is compiled here, in two seconds.
BYTE_CODE := $(BIN)/python -m compileall -q -x '/tests/' thoughtful_command.py engine solvers \
	catalogue $(addprefix $(VENV)/lib/python3*/site-packages/,numba llvmlite numpy typer pydantic \
	pydantic_core)

.DEFAULT_GOAL := help
.PHONY: help run quick test thorough install lint format types check site pictures clean

help: ## show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-9s %s\n", $$1, $$2 }' Makefile

run: $(VENV)/.runtime ## install missing packages, fill the catalogue, serve the dashboard
	@exec $(BIN)/thoughtful up --port $(PORT)

quick: $(VENV)/.dev ## the tests to run while working: no server, browser or search kernel
	@exec $(PYTEST) -m "not thorough and not slow" $(ARGS)

test: $(VENV)/.dev ## the tests that a change must pass; ARGS="-k name" narrows, JOBS=4 spreads
	@exec $(PYTEST) $(ARGS)

thorough: $(VENV)/.dev ## the statistical and long tests that `make test` leaves out
	@exec $(PYTEST) -m thorough $(ARGS)

install: $(VENV)/.dev ## create the environment with all development tools

lint: $(VENV)/.dev ## check rules and format with ruff
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

format: $(VENV)/.dev ## format, and fix what ruff can fix
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

types: $(VENV)/.dev ## check types with mypy
	$(BIN)/mypy

check: lint types test ## what a change must pass: lint, types and `make test`

site: $(VENV)/.dev ## build the documentation site in build/site; ARGS=--serve to look at it
	@exec $(BIN)/python -m docs.site $(ARGS)

pictures: $(VENV)/.dev ## make the pictures of the README and of docs/tour.md (a few minutes)
	@PYTHONPATH=benchmarks exec $(BIN)/python -m docs.pictures $(ARGS)

clean: ## remove the environment, the site and all caches, but not the catalogue
	rm -rf $(VENV) build/site build/site-source *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV)/.created:
	@command -v $(PYTHON) >/dev/null || { \
		echo "$(PYTHON) was not found: install Python 3.11 or later, or name one with PYTHON=" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "$$($(PYTHON) --version) is too old: Python 3.11 or later is needed; name one with PYTHON=" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
		echo "$(PYTHON) cannot create environments: on Debian, apt-get install python3-venv" >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/.runtime: pyproject.toml constraints.txt $(VENV)/.created
	@echo "Installing into $(VENV) (about half a minute, and the downloads) ..."
	@$(INSTALL) '.[cluster,dashboard]'
	@$(BYTE_CODE)
	@touch $@

$(VENV)/.dev: pyproject.toml constraints.txt $(VENV)/.created
	@echo "Installing into $(VENV), with the tools for development (about a minute) ..."
	@$(INSTALL) '.[dev]'
	@$(BYTE_CODE)
	@touch $(VENV)/.runtime $@
