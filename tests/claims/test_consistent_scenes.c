/* Claim: the consistent integrators take every example, or refuse it where their table says; every step
   balances the energy; docs/theory/consistent.md (17), (18). The first steps of each; long/consistent_scenes
   goes on. */
#define _POSIX_C_SOURCE 200809L
#include "consistent_sweep.h"

enum { STEPS = 8 };

TEST(every_example_is_refused_for_the_stated_reason_or_balances_energy)
{
    UNUSED_STATE;
    example_list examples = find_examples();
    for (int i = 0; i < examples.count; i++) {
        for (int k = 0; k < SWEEP_COUNT; k++) sweep_one(examples.name[i], k, STEPS);
    }
}

TEST_MAIN(RUNS(every_example_is_refused_for_the_stated_reason_or_balances_energy))
