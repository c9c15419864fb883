# Set-up and daily commands; needs Python >= 3.11, make and git. `make` alone lists the targets.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

PYTHON ?= python3
CORES ?= all
UV ?= uv

STAMP := .venv/.installed
# Jobs started by Snakemake look `python` up here, so the shell needs no activation.
export PATH := $(CURDIR)/.venv/bin:$(PATH)
# An environment active in the calling shell must not leak into this one.
unexport PYTHONPATH PYTHONHOME VIRTUAL_ENV

SNAKEMAKE := snakemake --cores $(CORES)
LOCK := requirements.lock
# What pip needs before it can build: taken from the lock too, so nothing unpinned ever runs.
BUILD_TOOLS := /^[^ \#]/ { keep = /^setuptools==/ } keep

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-16s %s\n", $$1, $$2 }' Makefile

.PHONY: reproduce
reproduce: env ## every figure and table of the paper, from simulations at full scale
	$(SNAKEMAKE)

.PHONY: test
test: lint unit check ## all checks: linters, tests, reproducibility

.PHONY: env
env: $(STAMP) ## the environment in .venv, exactly as locked

$(STAMP): $(LOCK) pyproject.toml
	@$(PYTHON) -c 'import sys; v = sys.version.split()[0]; sys.version_info >= (3, 11) or sys.exit(f"rankone needs Python 3.11 or newer and found {v}: name another one with make PYTHON=...")'
	@echo 'Making .venv from $(LOCK): a minute or two.'
	$(PYTHON) -m venv --clear .venv
	awk '$(BUILD_TOOLS)' $(LOCK) > .venv/build.lock
	.venv/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r .venv/build.lock
	.venv/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes --no-build-isolation -r $(LOCK)
	.venv/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	# Read by every job, also where PYTHONDONTWRITEBYTECODE is set; valid by content, not by time.
	.venv/bin/python -m compileall -qf --invalidation-mode checked-hash src
	touch $@

.PHONY: lint
lint: env ## ruff, mypy, snakefmt and Snakemake's own linter
	ruff check
	ruff format --check
	mypy
	snakefmt --check Snakefile workflow
	snakemake --lint

.PHONY: unit
unit: env ## the tests alone
	pytest -n auto --maxprocesses 8

# Each half of the long tests ends after so many seconds, with what it has found until then.
LONG_SECONDS ?= 7200
# Where fuzzing notes a case that is lost as soon as it is, so that no time limit takes it away.
FUZZING := results/fuzzing

.PHONY: test-long
test-long: env ## the tests that take minutes: faults, fuzzing at length, emulated processors
	python tests/faults/run.py --seconds $(LONG_SECONDS)
	rm -rf $(FUZZING)
	code=0; timeout --foreground $(LONG_SECONDS) pytest -n auto --maxprocesses 8 -m long -x || code=$$?; \
	if compgen -G '$(FUZZING)/*.lost' >/dev/null; then head -n 40 $(FUZZING)/*.lost; exit 1; fi; \
	if ((code == 124)); then echo 'Ended after $(LONG_SECONDS) seconds; no test had failed until then.'; \
	else exit $$code; fi

.PHONY: test-statistics
test-statistics: env ## the chance that the tests fail on sound code, with other seeds
	python tests/statistics/run.py

.PHONY: test-mutants
test-mutants: env ## break the code in some 310 small ways; which tests notice? (an hour of CPU time)
	python tests/mutation/run.py

.PHONY: release
release: env ## an sdist and a wheel in dist/, tried outside the tree (needs uv)
	python .ci/installs.py release

.PHONY: matrix
matrix: env ## Python 3.11 to 3.14, newest and lowest versions of what it needs (needs uv)
	python .ci/installs.py matrix

.PHONY: audit
audit: ## known weaknesses of the locked versions (fails where it cannot ask; docs/audit.md)
	$(PYTHON) .ci/audit.py --uv '$(UV)'

.PHONY: licences
licences: env ## docs/licences.md anew, after `make lock` and `make env`
	python .ci/licences.py

.PHONY: smoke
smoke: env ## the whole workflow in small, in under a minute
	$(SNAKEMAKE) smoke

# As root on Debian or Ubuntu with slurmctld slurmd slurm-client munge; elsewhere it says why not.
# SLURM_TEST='--kills 3', or --million for a study of 10^6 runs; --required: a skip is a failure.
SLURM_TEST ?=

.PHONY: test-slurm
test-slurm: env ## the workflow on a real Slurm of two little nodes, with kills in between
	python tests/slurm/run.py $(SLURM_TEST)

# In a folder that was emptied first, so nothing that was made before can satisfy it.
SCRATCH := results/scratch

.PHONY: check
check: env ## regenerate results from nothing and compare them with tests/expected
	rm -rf $(SCRATCH)
	$(SNAKEMAKE) --directory $(SCRATCH) check

.PHONY: renew
renew: env ## after a change of results that is meant: regenerate tests/expected and figures/
	rm -rf $(SCRATCH)
	$(SNAKEMAKE) --directory $(SCRATCH) renew_expected
	$(SNAKEMAKE) publish

.PHONY: beyond
beyond: env ## the studies that go further than the paper
	$(SNAKEMAKE) beyond

.PHONY: bench
bench: env ## time the policies, fast against plain, and the whole paper
	$(SNAKEMAKE) benchmark

.PHONY: report
report: env ## report.html: figures, verdicts, discrepancies and run times on one page
	$(SNAKEMAKE) report

# Made by Snakemake itself: the graph of jobs, the code of each rule, every file for download.
.PHONY: snakemake-report
snakemake-report: report ## snakemake-report.html: the same results as Snakemake shows them
	snakemake --report snakemake-report.html report 2>&1 | tee .venv/report.log
	@! grep -F '(ERROR/' .venv/report.log

.PHONY: docs
docs: env ## the site, in docs/_build/html
	python -m sphinx -W --keep-going -q -b html docs docs/_build/html
	@echo 'Open docs/_build/html/index.html.'

.PHONY: lock
lock: ## pin every dependency anew (needs uv; UPGRADE=--upgrade takes newer versions)
	$(UV) pip compile --quiet --universal --fork-strategy fewest --python-version 3.11 \
		--generate-hashes --no-header $(UPGRADE) --extra dev pyproject.toml -o $(LOCK)
	$(PYTHON) .ci/lock.py

.PHONY: clean
clean: ## remove results, logs and caches; figures and .venv stay
	rm -rf docs/_build results logs benchmarks .snakemake report.html snakemake-report.html
	rm -rf .mypy_cache .pytest_cache .ruff_cache
