# Every target works on a fresh clone: it first makes what it needs (a virtual environment, the compiled core), and makes it
# again only when the sources have changed.

PYTHON ?= python3
PYTHONS := 3.11 3.12 3.13 3.14
VENV := .venv
BIN := $(VENV)/bin
DIST := target/wheels
MANYLINUX := manylinux_2_28
MUSLLINUX := musllinux_1_2
ARGS ?=
# Tests run on as many processes as there are CPUs; ARGS="-n0" runs them in one, for a debugger.
PARALLEL = --numprocesses auto --maxprocesses 8 --dist worksteal
SECONDS ?= 60
TARGETS ?=

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.NOTPARALLEL:
.SUFFIXES:
export PIP_DISABLE_PIP_VERSION_CHECK := 1
export PYO3_PYTHON := $(abspath $(BIN)/python)

RUST_SOURCES := Cargo.toml Cargo.lock pyproject.toml $(shell find crates -name '*.rs' -o -name '*.toml' -o -name '*.bin' -o -type d)
PYTHON_SOURCES := $(shell find python -name '*.py' -o -name '*.pyi' -o -name py.typed)
FAST_TESTS = -m "not fuzz and not parity and not slow" $(filter-out tests/helpers/ tests/slow/ tests/__pycache__/,$(wildcard tests/*/))
# Tests of the core that take four fifths of the time of all; `make check` leaves them out.
SLOW_CORE_TESTS = every_character_in_every_context categories_equal_the_engine \
	every_kernel_encodes_hard_texts_at_every_position no_kernel_reads_beyond_a_hard_text
PYTHON_CODE := $(wildcard python tests tools bench examples)

##@ Use
.PHONY: help demo
help: ## List the targets
	@awk 'BEGIN { FS = ":.*## " } /^##@ / { print "\n" substr($$0, 5) } /^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: $(VENV)/.built ## Train, save, load, encode and explain, on text that is part of Python
	$(BIN)/python examples/demo.py

##@ Develop
.PHONY: build fmt check lint lint-core test
build: $(VENV)/.built $(VENV)/.test ## Create .venv with all development tools

fmt: $(VENV)/.test ## Format all code, and apply automatic fixes
	$(CARGO) fmt
	$(BIN)/ruff check --fix-only --quiet $(PYTHON_CODE)
	$(BIN)/ruff format $(PYTHON_CODE)

check: style $(VENV)/.checked $(VENV)/.importable ## Check an edit in minutes: formats, lints, types, fast tests
	HYPOTHESIS_PROFILE=quick $(BIN)/pytest --quiet $(PARALLEL) $(FAST_TESTS) $(ARGS)

lint: style lint-core ## Check formats, lints, types, stubs and import contracts

lint-core: $(VENV)/.built $(VENV)/.test
	$(CARGO) clippy --workspace --all-targets --locked --quiet -- --deny warnings
	$(CARGO) clippy --package piecework-core --no-default-features --locked --quiet -- --deny warnings
	$(BIN)/python -m mypy.stubtest piecework._core --allowlist tests/stubtest-allow.txt

# The release build and the tests of the core compile different profiles, so they run side by side; so does what waits for
# packages, processes or other machines. What fails waits for what runs beside it. The whole Python suite comes last, so that
# its count is the last line of the output.
test: style $(VENV)/.run ## Run every check and every test
	$(MAKE) $(VENV)-cluster/.ready & cluster=$$!; $(MAKE) $(VENV)/.built & built=$$!; failed=; \
		$(MAKE) test-rust || failed=1; \
		wait $$built || failed=1; wait $$cluster || failed=1; [ -z "$$failed" ]
	$(MAKE) test-cluster & cluster=$$!; $(MAKE) smoke & smoke=$$!; failed=; \
		$(MAKE) lint-core doctests || failed=1; \
		wait $$smoke || failed=1; wait $$cluster || failed=1; [ -z "$$failed" ]
	$(MAKE) test-python

##@ Parts of `make test`
.PHONY: style test-rust doctests docs-check smoke test-python test-cluster
style: $(VENV)/.test ## Check formats, Python lints, types and import contracts, without compiling
	$(CARGO) fmt --check
	$(BIN)/ruff check --quiet $(PYTHON_CODE)
	$(BIN)/ruff format --check --quiet $(PYTHON_CODE)
	$(BIN)/mypy --strict python/piecework
	PYTHONPATH=python $(BIN)/lint-imports --no-logo
	PYTHONPATH=python $(BIN)/lint-imports --no-logo --config tools/import_layers.toml

test-rust: $(VENV)/.run ## Run the tests of the core, with overflow checks
	$(CARGO) test --package piecework-core --locked --quiet
	$(CARGO) test --package piecework-core --no-default-features --locked --quiet --test without_jieba \
		--config profile.dev.package.piecework-core.opt-level=0

doctests: $(VENV)/.built $(VENV)/.test ## Run the examples in the docstrings of both languages
	RUSTDOCFLAGS="--deny warnings" $(CARGO) doc --package piecework-core --no-deps --locked --quiet
	$(BIN)/pytest --quiet $(PARALLEL) --doctest-modules python/piecework

docs-check: doctests ## Run the docstring examples and the tests of the docs
	$(BIN)/pytest --quiet tests/docs

smoke: $(PYTHONS:%=smoke-%) ## Test the wheel with every Python of this machine

test-python: $(VENV)/.built $(VENV)/.test ## Run the Python tests (ARGS="-k name" selects)
	@$(call INSTALL,nm,binutils)
	@( $(call INSTALL,chromium,chromium) ) || echo "The tests in Chromium are skipped."
	$(BIN)/pytest $(PARALLEL) --ignore tests/cluster $(ARGS)

test-cluster: $(VENV)/.built $(VENV)-cluster/.ready ## Test the engines of clusters with Ray and Spark, on loopback alone
	@$(NEED_NAMESPACES)$(LOOPBACK) $(VENV)-cluster/bin/pytest --quiet --numprocesses 2 --dist loadgroup tests/cluster $(ARGS)

##@ Long runs
.PHONY: bench bench-figure scaling torture fuzz random random-calls fuzz-core unsafe parity
bench: $(VENV)/.built $(VENV)/.test $(VENV)/.bench ## Measure speed and memory (ARGS are passed to bench/run.py; ARGS=figure: the cells of the picture)
	$(BIN)/python bench/run.py $(ARGS)

# `make bench bench-figure ARGS=figure` measures the cells of the picture again and draws it, in about 15 minutes.
bench-figure: $(VENV)/.run ## Draw the picture of the READMEs from bench/results.json, which `make bench` writes
	$(BIN)/python bench/figure.py

scaling: $(VENV)/.built $(VENV)/.test ## Measure that time grows with the input, and how fast Ctrl-C ends calls (ARGS=interrupts: the latter)
	PYTHONPATH=bench $(BIN)/python -m scaling $(ARGS)

torture: $(VENV)/.built $(VENV)/.test ## Damage files, kill writers, fill disks and limit memory, for 30 minutes (ARGS="--seconds 120 --seed 0")
	PYTHONPATH=bench $(BIN)/python -m torture $(ARGS)

fuzz: $(VENV)/.built $(VENV)/.test ## Run many random trials, different in each run
	HYPOTHESIS_PROFILE=fuzz $(BIN)/pytest -m fuzz $(ARGS)

random: $(VENV)/.built $(VENV)/.test ## Try random changes of vocabularies beside other libraries (SEED=0 is the first of TRIALS=20000)
	PIECEWORK_SEED=$(or $(SEED),0) PIECEWORK_TRIALS=$(or $(TRIALS),20000) $(BIN)/pytest $(PARALLEL) \
		tests/slow/property/test_random_changes.py $(ARGS)

random-calls: $(VENV)/.built $(VENV)/.test ## Call everything public with random arguments (SEED=0 is the first of TRIALS=10000 of each)
	PIECEWORK_SEED=$(or $(SEED),0) PIECEWORK_TRIALS=$(or $(TRIALS),10000) $(BIN)/pytest $(PARALLEL) \
		tests/slow/property/test_random_calls.py $(ARGS)

fuzz-core: ## Fuzz readers, paths and models with libFuzzer (SECONDS=60 for each of TARGETS)
	@$(NEED_CARGO)fuzz/run.sh $(SECONDS) $(TARGETS)

unsafe: ## Test the vector kernels under Miri, AddressSanitizer and valgrind, where installed
	@$(NEED_CARGO)$(MIRI)
	@$(ASAN)
	@$(VALGRIND)

parity: $(VENV)/.built $(VENV)/.test ## Compare with other tokenizers on all data
	$(BIN)/pytest -m parity $(ARGS)

##@ Release
.PHONY: wheel wheel-free-threaded wheel-check
# Wheels for Linux, with glibc 2.28 or newer or with musl 1.2. `make wheel-check` also builds from the source archive, which takes
# minutes. A wheel for another processor or for musl (`rustup target add` its TARGET) is built, and not run here.
HOST = $(shell rustc -vV | sed -n 's/^host: //p')
TARGET ?= $(HOST)
BUILD_WHEEL = PATH="$(abspath $(VENV)-wheel/bin):$$PATH" $(VENV)-wheel/bin/maturin build --release --locked --quiet --zig \
	--target $(TARGET) --compatibility $(if $(findstring musl,$(TARGET)),$(MUSLLINUX),$(MANYLINUX)) --out dist
wheel: $(VENV)-wheel/.ready ## Build the wheel for Linux and the source archive (dist/), check them, and run the READMEs where no compiler is
	rm -rf dist
	PYO3_PYTHON="$(abspath $(VENV)-wheel/bin/python)" $(BUILD_WHEEL)
	$(VENV)-wheel/bin/maturin sdist --out dist
	$(VENV)-wheel/bin/twine check --strict dist/*
	$(VENV)-wheel/bin/python tools/check_wheel.py dist/*.whl $(if $(filter $(TARGET),$(HOST)),--run)

wheel-free-threaded: $(VENV)-wheel/.ready ## Add the wheel for the free-threaded Python 3.14 to dist/
	$(BUILD_WHEEL) --interpreter python3.14t
	$(VENV)-wheel/bin/python tools/check_wheel.py dist/*-cp314t-*.whl

wheel-check: wheel ## Build a wheel from the source archive, too, and test it
	rm -rf target/from-sdist
	$(VENV)-wheel/bin/python -m pip wheel --quiet --no-deps --wheel-dir target/from-sdist dist/*.tar.gz
	$(VENV)-wheel/bin/python tools/check_wheel.py target/from-sdist/*.whl --run

##@ Maintenance
.PHONY: changelog lock clean
changelog: $(VENV)-wheel/.ready ## Move the files of changelog.d to CHANGELOG.md (VERSION=0.2.0)
	$(VENV)-wheel/bin/towncrier build --yes --version $(or $(VERSION),$(error make changelog needs a version: VERSION=0.2.0))

lock: ## Pin the newest versions that pyproject.toml and Cargo.toml allow
	rm -rf $(VENV)-lock
	$(PYTHON) -m venv $(VENV)-lock
	$(VENV)-lock/bin/python -m pip install --quiet --upgrade pip
	$(VENV)-lock/bin/python -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["project"]["dependencies"], sep="\n")' >$(VENV)-lock/run.txt
	$(VENV)-lock/bin/python -m pip install --quiet --requirement $(VENV)-lock/run.txt --group build
	$(VENV)-lock/bin/python -m pip freeze >requirements/run.txt
	$(VENV)-lock/bin/python -m pip install --quiet --group all
	$(VENV)-lock/bin/python -m pip freeze >requirements/test.txt
	$(VENV)-lock/bin/python -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["dependency-groups"]["bench"], sep="\n")' >requirements/bench.txt
	$(PYTHON) -m venv --clear $(VENV)-lock
	$(VENV)-lock/bin/python -m pip install --quiet --upgrade pip
	$(VENV)-lock/bin/python -m pip install --quiet --group wheel
	$(VENV)-lock/bin/python -m pip freeze >requirements/wheel.txt
	$(PYTHON) -m venv --clear $(VENV)-lock
	$(VENV)-lock/bin/python -m pip install --quiet --upgrade pip
	$(VENV)-lock/bin/python -m pip install --quiet --requirement requirements/run.txt --constraint requirements/test.txt --group cluster
	$(VENV)-lock/bin/python -m pip freeze >requirements/cluster.txt
	rm -rf $(VENV)-lock
	$(CARGO) update
	$(CARGO) update --manifest-path fuzz/Cargo.toml

clean: ## Remove all generated files
	rm -rf dist target fuzz/target fuzz/corpus fuzz/artifacts $(VENV) $(VENV)-* python/piecework/*.so .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find python tests tools bench examples -name __pycache__ -prune -exec rm -rf {} + 2>/dev/null || true

# All unsafe code of the core is in the vector kernels, so these targets run their tests. Miri assumes the CPU features that
# RUSTFLAGS names; valgrind hides AVX-512 from the program.
KERNEL_TESTS = test --package piecework-core --locked --quiet
HAVE_KERNELS = -Ctarget-feature=+ssse3,+avx2,+avx512bw,+avx512vbmi
define MIRI
if ! cargo +nightly miri --version >/dev/null 2>&1; then \
	echo "unsafe: Miri skipped, not on this machine (rustup toolchain install nightly --component miri,rust-src)"; exit; fi; \
echo "unsafe: Miri"; \
[ "$$(uname -m)" != x86_64 ] || export RUSTFLAGS=$(HAVE_KERNELS); \
cargo +nightly miri $(KERNEL_TESTS) --lib -- fast::masks
endef
define ASAN
echo "unsafe: AddressSanitizer"; \
export RUSTC_BOOTSTRAP=1 RUSTFLAGS=-Zsanitizer=address; \
cargo $(KERNEL_TESTS) --target "$$(rustc -vV | sed -n 's/^host: //p')" --lib --test fast_kernels -- fast:: kernel
endef
define VALGRIND
if ! command -v valgrind >/dev/null; then echo "unsafe: valgrind skipped, not on this machine"; exit; fi; \
echo "unsafe: valgrind"; \
cargo --config 'target."cfg(all())".runner = "valgrind --quiet --error-exitcode=1"' $(KERNEL_TESTS) \
	--lib --test fast_kernels -- fast::masks beyond_a_text
endef

# Requirements of the machine. Each is empty, or ends the run with one line that names what to install.
NEED_CARGO = $(if $(shell command -v cargo 2>/dev/null),,$(error piecework needs Rust 1.89 or newer to build: install it (rustup, or the packages rustc and cargo) so that "cargo" is found))
NEED_PYTHON = $(if $(shell "$(PYTHON)" -c 'import sys; sys.version_info < (3, 11) or print("yes")' 2>/dev/null),,$(error piecework needs Python 3.11 or newer, and "$(PYTHON)" is not: install it, or name another with PYTHON=path))
NEED_PIP = $(if $(shell "$(PYTHON)" -c 'import ensurepip, venv; print("yes")' 2>/dev/null),,$(error piecework needs pip and venv, and "$(PYTHON)" has not both: install them (the packages python3-pip and python3-venv), or name another Python with PYTHON=path))

# Installs the Debian package of a program that is missing.
INSTALL = command -v $(1) >/dev/null || if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $(2) >/dev/null; \
	else echo "piecework: the program \"$(1)\" is missing: install it (the Debian package $(2))" >&2; exit 1; fi
# Ray and Spark listen on all addresses of a machine, so they run in a network that has loopback alone; and in a name space of
# file systems, where tests mount small ones.
LOOPBACK = unshare --map-root-user --net --mount sh -c 'ip link set lo up && exec "$$@"' sh
NEED_NAMESPACES = unshare --map-root-user --net --mount true || { \
	echo "piecework: make test-cluster needs name spaces for users and networks, which this system does not allow" >&2; exit 1; };

CARGO = $(NEED_CARGO)cargo

# The environment, in two steps: `make demo` needs no test tools.
$(VENV)/.run: requirements/run.txt
	@$(NEED_CARGO)$(NEED_PYTHON)$(NEED_PIP)
	"$(PYTHON)" -m venv --clear $(VENV)
	$(BIN)/python -m pip install --quiet --requirement requirements/run.txt
	@touch $@

$(VENV)/.test: requirements/test.txt $(VENV)/.run
	$(BIN)/python -m pip install --quiet --requirement requirements/test.txt
	@touch $@

$(VENV)/.bench: requirements/bench.txt $(VENV)/.run
	@$(BIN)/python -m pip install --quiet --requirement requirements/bench.txt || echo "The peers of requirements/bench.txt cannot be installed here; they are skipped."
	@touch $@

# The environment of the engines of clusters: the same sources and compiled core, and Java for Spark.
$(VENV)-cluster/.ready: requirements/cluster.txt
	@$(NEED_PYTHON)$(NEED_PIP)$(call INSTALL,java,openjdk-17-jre-headless)
	@$(call INSTALL,ip,iproute2)
	"$(PYTHON)" -m venv --clear $(VENV)-cluster
	$(VENV)-cluster/bin/python -m pip install --quiet --requirement requirements/cluster.txt
	echo "$(abspath python)" >"$$($(VENV)-cluster/bin/python -c 'import site; print(site.getsitepackages()[0])')/piecework.pth"
	@touch $@

$(VENV)-wheel/.ready: requirements/wheel.txt
	@$(NEED_CARGO)$(NEED_PYTHON)$(NEED_PIP)
	"$(PYTHON)" -m venv --clear $(VENV)-wheel
	$(VENV)-wheel/bin/python -m pip install --quiet --requirement requirements/wheel.txt
	@touch $@

# The compiled core, in release mode, next to its Python sources.
$(VENV)/.built: $(RUST_SOURCES) $(VENV)/.run
	@$(NEED_CARGO)echo "Building the compiled core; the first time takes a minute or two."
	VIRTUAL_ENV=$(abspath $(VENV)) PIP_QUIET=1 $(BIN)/maturin develop --release --locked --quiet
	@touch $@

# The compiled core for `make check`: the release build if it is current, else a development build, which compiles
# faster. It replaces the release build, so that the next target that needs that one makes it again.
$(VENV)/.importable: $(RUST_SOURCES) $(VENV)/.test
	@if [ ! -e $(VENV)/.built ] || [ -n "$$(find $(RUST_SOURCES) -maxdepth 0 -newer $(VENV)/.built -print -quit)" ]; then \
		echo "Building the compiled core in the development profile."; \
		rm -f $(VENV)/.built; \
		VIRTUAL_ENV=$(abspath $(VENV)) PIP_QUIET=1 $(BIN)/maturin develop --locked --quiet; fi
	@touch $@

# The fast tests of the core in the development profile, run again only when its sources or cases have changed.
$(VENV)/.checked: $(RUST_SOURCES) $(wildcard spec/cases/*.json) $(VENV)/.run
	$(CARGO) check --workspace --all-targets --locked --quiet
	$(CARGO) test --package piecework-core --lib --tests --locked --quiet -- $(SLOW_CORE_TESTS:%=--skip %)
	@touch $@

$(VENV)/.wheel: $(PYTHON_SOURCES) $(VENV)/.built
	rm -rf $(DIST)
	$(BIN)/maturin build --release --locked --quiet --out $(DIST)
	@touch $@

# The tests marked `smoke`, in an environment with the wheel for each Python of this machine.
FIND_PYTHON = for found in python$* "$$(pyenv root 2>/dev/null)"/versions/$*.*/bin/python; do \
	"$$found" -c 'import ensurepip, sys, venv; sys.exit("%d.%d" % sys.version_info[:2] != "$*")' 2>/dev/null && break; \
	found=; done

.PHONY: $(PYTHONS:%=smoke-%)
$(PYTHONS:%=smoke-%): smoke-%: $(VENV)/.wheel
	@$(FIND_PYTHON); \
	if [ -z "$$found" ]; then echo "smoke: Python $* skipped, not on this machine (with pip and venv)"; exit; fi; \
	echo "smoke: Python $*"; \
	"$$found" tools/test_wheel.py $(DIST) --environment $(VENV)-$* $(PARALLEL)
