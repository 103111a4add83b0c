/* Claim: as claims/alpha_scenes, but with so many steps that contacts open and close, stick and slip. */
#define _POSIX_C_SOURCE 200809L
#include "alpha_sweep.h"

TEST(every_example_is_stepped_at_three_step_sizes)
{
    CHECK_INT(alpha_sweep(1e5), 0);
}

TEST_MAIN(RUNS(every_example_is_stepped_at_three_step_sizes))
