# The short way to everything; CMakePresets.json holds the long one.

DEMO_MODEL = models/right_angle_beam/model.yaml
JOBS ?= $(shell nproc)
SOURCES = $(wildcard $(addsuffix /*.[ch]pp,$(SOURCE_FOLDERS)))
SOURCE_FOLDERS = $(shell find src app tests bench -type d 2> /dev/null)

.PHONY: build packages configure demo test test-long test-faults bench figures sanitize format lint clean

build: configure
	cmake --build --preset release

configure:
	@command -v cmake > /dev/null || { echo "Tools are missing: run 'make packages' first."; exit 1; }
	@[ -f build/build.ninja ] || cmake --preset release

packages:
	@scripts/install_packages.sh

demo: packages
	@$(MAKE) --no-print-directory build
	build/flexloop run $(DEMO_MODEL)

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

sanitize: packages
	@[ -f build-sanitize/build.ninja ] || cmake --preset sanitize
	cmake --build --preset sanitize
	@ctest --preset sanitize --parallel $(JOBS)

format:
	clang-format -i $(SOURCES)

lint: configure
	clang-format --dry-run -Werror $(SOURCES)
	printf '%s\n' $(filter %.cpp,$(SOURCES)) | xargs -P $(JOBS) -n 1 clang-tidy -p build --quiet

clean:
	rm -rf build build-debug build-sanitize
