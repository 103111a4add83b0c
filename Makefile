# Entry points; the work is done by CMake and the scripts in tools/.
all: build
build:
	cmake -S . -B build -DCMAKE_BUILD_TYPE=Release >/dev/null && cmake --build build -j$$(nproc)
.PHONY: all build
