/* Claim: as claims/consistent_scenes, but with so many steps that contacts open and close, stick and slip. */
#define _POSIX_C_SOURCE 200809L
#include "consistent_sweep.h"

enum { STEPS = 400 };

TEST(every_example_balances_energy_in_every_step)
{
    example_list examples = find_examples();
    int dissipating = 0;
    for (int i = 0; i < examples.count; i++) {
        for (int k = 0; k < SWEEP_COUNT; k++) dissipating += sweep_one(examples.name[i], k, STEPS);
    }
    CHECK(dissipating > 1000); /* else the balance would be that of free motions alone */
}

TEST_MAIN(RUNS(every_example_balances_energy_in_every_step))
