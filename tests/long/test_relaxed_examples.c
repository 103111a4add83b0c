/* The relaxed examples as they are, for 300 steps. */
#define RELAXED_STEPS 300
#define RELAXED_WHOLE
#include "claims/test_relaxed_examples.c"
