/* The relaxed examples for 300 steps. */
#define RELAXED_STEPS 300
#include "claims/test_relaxed_examples.c"
