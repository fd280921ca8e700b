# dicelab: `make papers` and `make test` set up .venv by themselves the first time and reuse it afterwards.
PYTHON ?= python3
LAB ?=  # more options for JupyterLab, for example LAB=--no-browser; it listens on this machine alone, with a token
VENV := .venv
BIN := $(VENV)/bin
UV := $(shell command -v uv 2>/dev/null)

.DEFAULT_GOAL := help
.PHONY: help papers notebooks slides site course page references wheel check test test-long test-all proof coverage lab bench format sums pins clean

help:
	@echo "make papers   rerun every paper: figures/, build/, and a table of verdicts"
	@echo "make notebooks  start, papers, questions and chapters with their outputs, where the source has changed"
	@echo "make slides   the chapters as slides, and teachers' notebooks: build/slides/ (needs npm the first time)"
	@echo "make site     everything as a static site: build/site/ (some ten minutes, and npm the first time)"
	@echo "make course   the chapters as one PDF: build/course.pdf (some minutes; needs chromium, and npm the first time)"
	@echo "make page     the page that solves, one HTML file: build/page.html"
	@echo "make references  write the lists of references, the index of terms, the instructor's guide, docs/combinations.md"
	@echo "make wheel    the package as a wheel: build/dist/"
	@echo "make check    ruff, mypy and the quick tests, some minutes the first time: while you work"
	@echo "make test     all that users meet, in some five minutes: before you push"
	@echo "make test-all the same, and then what takes long: every chapter, page and proof"
	@echo "make proof    the theorems of witness/coq, written anew and checked by Coq (needs: apt install coq)"
	@echo "make coverage count the lines that tests reach (needs: $(BIN)/pip install coverage)"
	@echo "make lab      open a copy of the notebooks in JupyterLab: build/lab/notebooks/start.ipynb"
	@echo "make bench    time the solvers against others: benchmarks/results.md"
	@echo "make sums     write SHA256SUMS in data and data/golden anew, after a change on purpose"
	@echo "make format   tidy code and notebooks (ruff, nbstripout)"
	@echo "make pins     renew requirements.txt (needs uv)"
	@echo "make clean    remove .venv and build/, but for build/lab with your notebooks"

# The stamp is written last, so that an interrupted installation is taken up again.
$(VENV)/installed: requirements.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "dicelab needs Python 3.11 or newer; name one with: make PYTHON=python3.12 ..." >&2; exit 1; }
	@mkdir $(VENV)-lock || { echo "Another make sets up $(VENV): wait for its end." \
		"If there is none, one was killed: remove $(VENV)-lock." >&2; exit 1; }; \
	trap 'rmdir $(VENV)-lock' EXIT; trap 'exit 130' INT TERM; set -e; \
	if [ -n "$(UV)" ]; then \
		test -x $(BIN)/python || $(UV) venv --quiet --python $(PYTHON) $(VENV); \
		$(UV) pip install --quiet --python $(BIN)/python -r requirements.txt; \
	else \
		test -x $(BIN)/pip || $(PYTHON) -m venv $(VENV); \
		$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.txt; \
	fi; \
	touch $@

papers: $(VENV)/installed
	$(BIN)/dicelab reproduce

slides: $(VENV)/installed
	$(BIN)/dicelab slides

site: $(VENV)/installed
	$(BIN)/dicelab site

course: $(VENV)/installed
	$(BIN)/python -m collection.book

page: $(VENV)/installed
	@mkdir -p build
	$(BIN)/python -m collection.page build/page.html

references: $(VENV)/installed
	$(BIN)/python -m collection.course.pages

wheel: $(VENV)/installed
	@if [ -n "$(UV)" ]; then $(UV) build --quiet --wheel --out-dir build/dist; \
	else $(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir build/dist .; fi
	@ls build/dist

check: $(VENV)/installed
	$(BIN)/ruff check --quiet .
	$(BIN)/ruff format --check --quiet .
	$(BIN)/python -m mypy --no-error-summary
	$(BIN)/python -m pytest -n auto -m "not slow and not browser and not notebooks"

# Compiled once, on all cores, and not in each process of the tests.
test: $(VENV)/installed
	$(BIN)/dicelab warm-up
	$(BIN)/python -m pytest -n auto -m "not long"

# One worker more than cores: these tests wait for kernels and browsers.
test-long: $(VENV)/installed
	$(BIN)/python -m pytest -n $$($(BIN)/python -c "import os; print(os.cpu_count() + 1)") -m long

test-all: test test-long

# In a folder of its own, game and theory first: what was compiled before cannot stand in for what is to be checked.
proof: $(VENV)/installed
	@command -v coqc >/dev/null || { echo "make proof needs Coq 8.16 or newer: apt install coq" >&2; exit 1; }
	$(BIN)/python witness/coq/generate.py
	rm -rf build/coq && mkdir -p build/coq && cp witness/coq/*.v build/coq
	cd build/coq && for name in game theory pig_10 piglet_10; do echo $$name; coqc -Q . Witness $$name.v || exit 1; done

coverage: $(VENV)/installed
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m coverage run -m pytest tests/solvers/test_kernels.py
	$(BIN)/python -m coverage run -m pytest
	$(BIN)/python -m coverage combine
	$(BIN)/python -m coverage report

lab: $(VENV)/installed
	@$(BIN)/python -m collection.lab $(LAB)

bench: $(VENV)/installed
	$(BIN)/python -m benchmarks

format: $(VENV)/installed
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .
	$(BIN)/nbstripout $$(git ls-files 'notebooks/explore/*.ipynb' 'notebooks/lectures/solutions/*.ipynb' 'collection/course/lectures/*.ipynb')

notebooks: $(VENV)/installed
	$(BIN)/python -m collection.committed

sums: $(VENV)/installed
	$(BIN)/python -c 'from collection.papers.published import DATA, PRINTED, write_sums; write_sums(DATA, PRINTED); write_sums(DATA / "golden", ["*"])'

pins:
	uv pip compile --quiet --universal --no-header --no-annotate --upgrade --extra exact --extra gym --extra papers --extra site --extra test pyproject.toml -o requirements.txt
	echo '-e .' >> requirements.txt

clean:
	rm -rf $(VENV)
	! test -d build || find build -mindepth 1 -maxdepth 1 ! -name lab -exec rm -rf {} +
