# Everything a user or CI needs; `make help` lists it. No variable has to be set.
PYTHON ?= python3
VENV ?= .venv
JOBS ?= 2
BIN := $(VENV)/bin
RANKEXP := $(BIN)/rankexp
ONE_THREAD := OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1
# Exit code 3 means that some real data could not be had: what was to be had is done and reported.
STUDY_DONE = || { code=$$?; [ $$code -eq 3 ] || exit $$code; \
	echo "make: finished without the data sets named above"; }

.DEFAULT_GOAL := help
.PHONY: help kotlowski2011 clemencon2017 uematsu2010 test lint types tests bench quick fidelity clean

help: ## list the targets
	@grep -hE '^[a-z0-9]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 16

$(VENV)/.installed: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[numba,bayes]'
	@touch $@

$(VENV)/.installed-dev: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[numba,bayes,dev]'
	@touch $@

kotlowski2011: $(VENV)/.installed ## run the whole study of Kotlowski et al. (2011) and its report
	@$(RANKEXP) run configs/kotlowski2011.yaml --jobs $(JOBS) $(STUDY_DONE)
	$(RANKEXP) report results/kotlowski2011

clemencon2017: $(VENV)/.installed ## the study of Clémençon and Achab (2017): continuous targets
	@$(RANKEXP) run configs/clemencon2017.yaml --jobs $(JOBS) $(STUDY_DONE)
	$(RANKEXP) report results/clemencon2017

uematsu2010: $(VENV)/.installed ## the study of Uematsu (2010): boosting, ordered levels, kernels
	@$(RANKEXP) run configs/uematsu2010.yaml --jobs $(JOBS) $(STUDY_DONE)
	$(RANKEXP) report results/uematsu2010

quick: $(VENV)/.installed ## a slice of every study in under a minute, without network
	for study in configs/*.yaml; do $(RANKEXP) run $$study --quick --jobs $(JOBS) || exit $$?; done

test: lint types tests ## make the environment; lint, types and tests

lint: $(VENV)/.installed-dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: $(VENV)/.installed-dev
	$(BIN)/mypy

tests: $(VENV)/.installed-dev
	$(ONE_THREAD) $(BIN)/python -m pytest -n $(JOBS) -m "not fidelity"

fidelity: $(VENV)/.installed-dev ## compare a full run with the numbers known to be reachable
	$(ONE_THREAD) $(BIN)/python -m pytest -m fidelity

bench: $(VENV)/.installed-dev ## print every speed ratio with its target
	$(ONE_THREAD) $(BIN)/python -m benchmarks

clean: ## remove the environment, caches and quick results; records of full runs stay
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .hypothesis results/*-quick
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
