# Entry points; the work is done by CMake and the scripts in tools/.
#   make          builds build/tippe                       make test        builds and runs the tests
#   make demo     builds and shows what Tippe does         make test-long   runs all tests, the long ones too
#   make packages installs what is missing for the build (demo and test do it, too)
#   make bench    builds the benchmarks                    make install     PREFIX=, DESTDIR= as usual
#   make plots    draws docs/plots anew from the examples
#   make reproduction  runs the experiments of the literature again and writes docs/reproduction.md
#   make deb      a Debian package in build/packages
#   make site     the documentation as a site in build/site
#   make format   formats the C files                      make clean       removes all build folders
PREFIX ?= /usr/local
JOBS   ?= $(shell nproc)
CTEST   = OPENBLAS_NUM_THREADS=1 ctest --test-dir build --output-on-failure --no-tests=error -j$(JOBS)

all: build/tippe

# CMake knows what is out of date.
build/tippe: build
build:
	@command -v cmake >/dev/null || { echo "cmake is missing; \`make packages\` installs what the build needs" >&2; exit 4; }
	@tools/quietly build/configure.log cmake --preset release $(if $(WERROR),-DTIPPE_WERROR=$(WERROR))
	@tools/quietly build/compile.log cmake --build build -j$(JOBS)
	@echo "build/tippe is up to date"

packages:
	@tools/install-packages build

# The program alone: tests take most of the time of a build.
demo: packages
	@tools/quietly build/configure.log cmake --preset release
	@tools/quietly build/compile.log cmake --build build -j$(JOBS) --target tippe
	@tools/demo

test: packages
	@$(MAKE) --no-print-directory build
	@$(CTEST) -L 'unit|claims' -LE long

test-long: packages
	@$(MAKE) --no-print-directory build
	@$(CTEST)

bench: build
	@cmake --build build -j$(JOBS) --target bench

install: build
	@cmake --install build --prefix "$(PREFIX)"

deb: build
	@tools/quietly build/package.log cmake --build build --target package
	@ls build/packages/*.deb

plots: build
	@tools/plots

reproduction: build
	@build/tippe reproduce -o build/reproduction --page docs/reproduction.md

site: build
	@tools/site build/site

format:
	@git ls-files '*.c' '*.h' | xargs clang-format -i

tidy:
	@tools/quietly build/configure.log cmake --preset release
	@git ls-files 'src/*.c' 'cli/*.c' | xargs -n 4 -P $(JOBS) clang-tidy --quiet -p build

clean:
	@rm -rf build build-*

.PHONY: all build build/tippe packages demo test test-long bench deb plots reproduction site install format tidy clean
