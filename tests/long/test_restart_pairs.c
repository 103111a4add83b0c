/* Every example is continued with the same bits by every integrator that accepts it. */
#define EVERY_PAIR
#include "claims/test_restart_examples.c"
