# Everything happens in .venv; the system's Python is only used to create it. `make demo` and `make test` say what they
# do, and do only what is missing.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
export PIP_DISABLE_PIP_VERSION_CHECK := 1

SOURCES := $(shell find cpp bindings -name '*.[chi]pp' -o -name '*.inl') CMakeLists.txt pyproject.toml
TEST_TOOLS := pytest pytest-xdist hypothesis pandas polars pyarrow matplotlib nanobind
LINT_TOOLS := ruff mypy scipy-stubs
CPP_TOOLS := cmake ninja

.PHONY: demo test lint format cpp-test sanitize bench stubs gallery clean

demo: $(VENV)/installed
	@echo "== comparing the learners on the Palmer penguins"
	@$(BIN)/python examples/compare_learners.py

test: $(VENV)/test-tools cpp-test
	@echo "== running the tests"
	@$(BIN)/python -m pytest -n 2 --dist loadfile

lint: $(VENV)/lint-tools
	@echo "== ruff"
	@$(BIN)/ruff check .
	@echo "== mypy"
	@$(BIN)/mypy

cpp-test: $(VENV)/cpp-tools
	@echo "== building and running the tests of the kernels, without Python"
	@$(BIN)/cmake -S . -B build/cpp -G Ninja -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN))/ninja -DDISCRIMINANT_TESTS=ON > build/cpp.log 2>&1 || (cat build/cpp.log; exit 1)
	@$(BIN)/cmake --build build/cpp >> build/cpp.log 2>&1 || (cat build/cpp.log; exit 1)
	@$(BIN)/ctest --test-dir build/cpp --output-on-failure

sanitize: $(VENV)/cpp-tools
	@echo "== the same under the address and undefined-behaviour sanitizers"
	@$(BIN)/cmake -S . -B build/sanitize -G Ninja -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN))/ninja -DDISCRIMINANT_TESTS=ON -DDISCRIMINANT_SANITIZE=address,undefined -DCMAKE_BUILD_TYPE=RelWithDebInfo
	@$(BIN)/cmake --build build/sanitize
	@$(BIN)/ctest --test-dir build/sanitize --output-on-failure

stubs: $(VENV)/test-tools
	@echo "== writing the types of the compiled core"
	@$(BIN)/python -m nanobind.stubgen -q -m discriminant._core -o src/discriminant/_core.pyi

bench:
	@$(MAKE) --no-print-directory -f benchmarks/Makefile PYTHON=$(PYTHON)

gallery: $(VENV)/test-tools
	@echo "== drawing the pictures of docs/gallery"
	@for script in docs/gallery/*.py; do $(BIN)/python $$script; done

clean:
	rm -rf $(VENV) .venv-peers build .pytest_cache .mypy_cache .ruff_cache .hypothesis

$(BIN)/python:
	@echo "== creating $(VENV)"
	@$(PYTHON) -m venv $(VENV)
	@mkdir -p build

$(VENV)/installed: $(SOURCES) | $(BIN)/python
	@echo "== compiling and installing discriminant into $(VENV)"
	@$(BIN)/pip install --quiet -e .
	@touch $@

$(VENV)/test-tools: $(VENV)/installed
	@echo "== installing the tools of the tests into $(VENV)"
	@$(BIN)/pip install --quiet $(TEST_TOOLS)
	@touch $@

# mypy reads the types of what the extras install.
$(VENV)/lint-tools: $(VENV)/test-tools
	@echo "== installing the linters into $(VENV)"
	@$(BIN)/pip install --quiet $(LINT_TOOLS)
	@touch $@

$(VENV)/cpp-tools: | $(BIN)/python
	@echo "== installing cmake and ninja into $(VENV)"
	@mkdir -p build
	@$(BIN)/pip install --quiet $(CPP_TOOLS)
	@touch $@
