/* After some steps no example allocates with any integrator. */
#define EVERY_PAIR
#include "system/test_warm_step.c"
