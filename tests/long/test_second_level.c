/* The test of the second level on 1,008 random scenes. */
#define SECOND_LEVEL_SCENES  1008
#define SECOND_LEVEL_LARGEST 200
#include "system/test_second_level.c"
