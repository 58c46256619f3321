# The short way to everything; CMakePresets.json holds the long one.

DEMO_MODEL = models/right_angle_beam/model.yaml
JOBS ?= $(shell nproc)
SOURCES = $(wildcard $(addsuffix /*.[ch]pp,$(SOURCE_FOLDERS)))
SOURCE_FOLDERS = $(shell find src app python tests bench include examples -type d 2> /dev/null)

# Of `make mutants` and `make sanitize`: the folders or files that are looked at; empty: all.
ONLY ?=

.PHONY: build program install package packages configure demo test test-long test-faults bench figures manual fuzz coverage mutants sanitize format lint clean

build: configure
	cmake --build --preset release

configure:
	@command -v cmake > /dev/null || { echo "Tools are missing: run 'make packages' first."; exit 1; }
	@[ -f build/build.ninja ] || cmake --preset release

# Nothing but the program; the tests take longer to compile than it does.
program: configure
	cmake --build --preset release --target flexloop

packages:
	@scripts/install_packages.sh

demo: packages
	@$(MAKE) --no-print-directory program
	build/flexloop run $(DEMO_MODEL)

# The program, the library and its headers; PREFIX is where.
PREFIX ?= /usr/local
install: build
	cmake --install build --prefix $(PREFIX)

# A Debian package in build-portable/.
package: packages
	@[ -f build-portable/build.ninja ] || cmake --preset portable
	cmake --build --preset portable
	cd build-portable && cpack

test: packages
	@$(MAKE) --no-print-directory build
	@ctest --preset release --parallel $(JOBS)

test-long: packages
	@$(MAKE) --no-print-directory build
	@ctest --preset slow --parallel $(JOBS)

test-faults: packages
	@$(MAKE) --no-print-directory build
	@python3 -B tests/faults/faults.py --program build/flexloop --shim build/libflexloop_fault_shim.so

bench: packages
	@$(MAKE) --no-print-directory build
	build/flexloop_bench

figures: build
	/usr/bin/python3 scripts/figures.py

# Web pages of the manual, the theory and the models: build/manual/index.html.
manual: packages
	@/usr/bin/python3 -B scripts/make_manual.py build/manual

# Each reader of bytes from strangers for ten minutes; tests/fuzz/README.md.
SECONDS ?= 600
FUZZERS = model result checkpoint mesh part_mesh record request table lpv part_file controller tyre robot wrap \
  fmu fmu_description fmu_state
fuzz: packages
	@[ -f build-fuzz/build.ninja ] || cmake --preset fuzz
	cmake --build --preset fuzz
	@cd build-fuzz/tests && for name in $(FUZZERS); do \
	  ./flexloop_fuzz $$name --seconds $(SECONDS) --seed $$(date +%s) --keep found/$$name \
	    $$(ls -d $(CURDIR)/tests/fuzz/corpus/$$name found/$$name 2> /dev/null) || exit 1; \
	done

# Which lines of src no test reaches: build-coverage/coverage.txt, and pages by file beside it.
coverage: packages
	@[ -f build-coverage/build.ninja ] || cmake --preset coverage
	cmake --build --preset coverage
	@find build-coverage -name '*.gcda' -delete
	@ctest --preset coverage --parallel $(JOBS) --quiet || true
	@cd build-coverage && gcovr --root .. --filter ../src/ --exclude-throw-branches --gcov-ignore-parse-errors -j $(JOBS) \
	  --txt coverage.txt --html-details coverage.html --print-summary

# Turns signs round and drops terms, one at a time: a test must notice each. tests/mutants/README.md.
MUTANTS ?= 300
TRIED_BY ?=
mutants: packages
	@/usr/bin/python3 -B tests/mutants/mutants.py --count $(MUTANTS) --jobs $(JOBS) --only "$(ONLY)" --tests "$(TRIED_BY)"

# ONLY="mechanics/contacts fem": unit and conformance tests with checks in these folders of src alone, which compiles in minutes;
# TESTS is a pattern of names.
TESTS ?= *
sanitize: packages
ifeq ($(ONLY),)
	@[ -f build-sanitize/build.ninja ] || cmake --preset sanitize
	cmake --build --preset sanitize
	@ctest --preset sanitize --parallel $(JOBS)
else
	@cmake --preset release -B build-checked -DFLEXLOOP_CHECKED="$$(echo $(ONLY) | tr ' ' ';')"
	cmake --build build-checked --target flexloop_unit_tests flexloop_conformance_tests
	@cd build-checked/tests && for kind in unit conformance; do \
	  FLEXLOOP_CACHE=off ./flexloop_$${kind}_tests --gtest_brief=1 --gtest_filter='$(TESTS):-*Slow*' || exit 1; \
	done
endif

format:
	clang-format -i $(SOURCES)

lint:
	@[ -f build-lint/build.ninja ] || cmake --preset lint
	clang-format --dry-run -Werror $(SOURCES)
	printf '%s\n' $(filter-out examples/%,$(filter %.cpp,$(SOURCES))) | xargs -P $(JOBS) -n 1 clang-tidy -p build-lint --quiet

clean:
	rm -rf build build-portable build-debug build-sanitize build-checked build-fuzz build-coverage build-mutants build-lint
