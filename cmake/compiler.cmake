# Warnings, determinism, sanitizers.
add_library(tippe_warnings INTERFACE)
target_compile_options(tippe_warnings INTERFACE
    -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith -Wwrite-strings
    -Wvla -Wundef -Wcast-qual $<$<BOOL:${TIPPE_WERROR}>:-Werror>)

# Same input, same bits: no contraction to fused operations, on any compiler.
add_compile_options(-ffp-contract=off)

if(TIPPE_SANITIZE)
    add_compile_options(-fsanitize=${TIPPE_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer -g)
    add_link_options(-fsanitize=${TIPPE_SANITIZE})
endif()
if(TIPPE_COVERAGE)
    add_compile_options(--coverage)
    add_link_options(--coverage)
endif()
