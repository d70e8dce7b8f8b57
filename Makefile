# `make demo` and `make test` do all their own set-up in a fresh clone; later runs start at once.
.DEFAULT_GOAL := help
.PHONY: help demo quick test slow lint format docs native libraries portable tfhe dist lock clean

UV_VERSION := $(shell sed -n 's/^uv==\([0-9.]*\).*/\1/p' requirements-uv.lock)
BIN := .venv/bin
# Files of tests are shared out among two processes: more would want more memory than a laptop has.
BOTH := --numprocesses 2 --dist loadfile

help: ## this list
	@sed -n 's/^\([a-z]*\):.*## /make \1	/p' Makefile

demo: native ## install the libraries, explore the standard deviation, then run the choice on real data
	@$(BIN)/fheasible demo

quick: native ## the tests for the inner loop: short ones that need no worker, with few examples; a minute or so
	$(BIN)/python -m pytest -m "not slow and not long and not worker" --hypothesis-profile brief $(BOTH)

test: libraries portable native ## the tests that take seconds each, about twenty minutes on two cores
	@if command -v cargo >/dev/null; then cd native && cargo test --release --locked --no-default-features --quiet; fi
	@if command -v go >/dev/null; then cd workers/lattigo && go vet ./... && go test ./...; \
	  else echo "make: no Go on the PATH: the Lattigo worker's own tests are left out"; fi
	$(BIN)/python -m pytest -m "not slow" $(BOTH)

slow: libraries native ## the tests that take minutes each: a trial of 400 applications, random programs, whole grids, secure sizes
	$(BIN)/python -m pytest -m slow $(BOTH)

lint: .venv/ready ## style and types
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	MYPYPATH=native $(BIN)/mypy # which has the types of the exact ring, whether it is built or not
	@if command -v cargo >/dev/null; then cd native && cargo fmt --check && \
	  cargo clippy --release --locked --no-default-features --quiet -- -D warnings && \
	  cd ../workers/tfhe_rs && cargo fmt --check; fi

format: .venv/ready ## put the code in form
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

docs: .venv/ready ## the reference of the command line and the manual page, from the help texts
	$(BIN)/python -m fheasible.cli.reference > docs/cli.md
	$(BIN)/python -m fheasible.cli.manual > docs/fheasible.1

native: .venv/native ## the exact polynomial ring, in Rust; left out where there is no cargo

libraries: .venv/ready ## the environments of the workers; a library that cannot be had is left out
	@$(BIN)/fheasible libraries install || echo "make: going on with the libraries that are there"

portable: .venv/ready ## SEAL as WebAssembly (node-seal), where there is Node with npm
	@if command -v node >/dev/null && command -v npm >/dev/null; then \
	  $(BIN)/fheasible libraries install node-seal || echo "make: going on without node-seal"; \
	  else echo "make: no Node on the PATH: SEAL as WebAssembly is left out"; fi

tfhe: .venv/ready ## TFHE-rs, built with cargo in some minutes; its tests are skipped until then
	$(BIN)/fheasible libraries install tfhe_rs

# Prints the first Python >= 3.11 that really runs (a pyenv shim may exist and fail).
FIND_PYTHON = for p in python3.11 python3.12 python3.13 python3.14 python3 python \
	"$$HOME"/.pyenv/versions/3.1[1-9]*/bin/python; do \
	"$$p" -c 'import sys, venv, ensurepip; sys.version_info >= (3, 11) or sys.exit(1); \
	print(getattr(sys, "_base_executable", sys.executable))' 2>/dev/null && break; done

.tools/python:
	@mkdir -p .tools
	@path=$$($(FIND_PYTHON)); test -n "$$path" || \
	  { echo "make: no Python 3.11 or later (with venv) found; install one, or put it on the PATH" >&2; exit 1; }; \
	  echo "make: using $$path"; echo "$$path" > $@

# The uv on the PATH where there is one, else one from the package index in an environment of its own.
.tools/uv: .tools/python
	@if uv --version >/dev/null 2>&1; then ln -sf "$$(command -v uv)" $@; else \
	  echo "make: fetching uv $(UV_VERSION) into .tools"; \
	  "$$(cat .tools/python)" -m venv .tools/uv-$(UV_VERSION) && \
	  .tools/uv-$(UV_VERSION)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes \
	    --only-binary :all: -r requirements-uv.lock && \
	  ln -sf uv-$(UV_VERSION)/bin/uv $@; fi

.venv/ready: requirements.lock pyproject.toml | .tools/uv
	@echo "make: installing the Python packages into .venv"
	@$(BIN)/python -c '' 2>/dev/null || { rm -rf .venv; .tools/uv venv --quiet --python "$$(cat .tools/python)" .venv; }
	@.tools/uv pip sync --quiet --compile-bytecode --python $(BIN)/python --require-hashes requirements.lock
	@.tools/uv pip install --quiet --python $(BIN)/python --no-deps --no-build-isolation --editable .
	@$(BIN)/python -m compileall -q src # as the packages are: some systems never write what they compile
	@touch $@

NATIVE := $(wildcard native/src/*.rs native/Cargo.* native/pyproject.toml native/*.pyi)

.venv/native: .venv/ready $(NATIVE)
	@if ! command -v cargo >/dev/null; then \
	  echo "make: no cargo on the PATH: the exact ring is left out (schemes are counted, not run)"; exit 0; fi; \
	  echo "make: building native/" && rm -rf native/target/wheels && \
	  (cd native && ../$(BIN)/maturin build --quiet --release --locked -i ../$(BIN)/python) && \
	  .tools/uv pip install --quiet --python $(BIN)/python --no-deps --reinstall native/target/wheels/*.whl && touch $@

dist: .venv/ready ## the files of a release, for docs/releasing.md; without cargo those of the native ring are left out
	@rm -rf dist && $(BIN)/python -m hatchling build -d dist >/dev/null
	@if command -v cargo >/dev/null; then (cd native && \
	  ../$(BIN)/maturin build --quiet --release --locked --sdist -i ../$(BIN)/python -o ../dist); fi
	@ls dist

COMPILE = .tools/uv pip compile --quiet --generate-hashes --no-emit-index-url --no-emit-find-links --no-annotate \
	--custom-compile-command "make lock"

lock: .tools/uv ## pin the newest versions of every dependency, with hashes
	echo uv | $(COMPILE) --upgrade -o requirements-uv.lock -
	$(COMPILE) --upgrade --universal --python-version 3.11 --extra dev --extra report --extra web --extra arrow --extra examples --extra postgres --extra onnx --extra distributed \
	  -o requirements.lock pyproject.toml
	$(COMPILE) --upgrade --universal --python-version 3.11 -o workers/seal/requirements.lock workers/seal/requirements.in
	$(COMPILE) --upgrade --python-version 3.10 -o workers/openfhe/requirements.lock workers/openfhe/requirements.in
	$(COMPILE) --upgrade --only-binary :all: --python-version 3.10 -o benchmarks/peers/tools/openfhe/requirements.lock benchmarks/peers/tools/openfhe/requirements.in
	for tool in heir heir_python tenseal desilo; do \
	  $(COMPILE) --upgrade --only-binary :all: --python-version 3.12 -o benchmarks/peers/tools/$$tool/requirements.lock benchmarks/peers/tools/$$tool/requirements.in; done

clean: ## remove everything that make has installed
	rm -rf .venv .tools dist workers/*/.venv workers/*/node_modules workers/lattigo/bin workers/tfhe_rs/target native/target
