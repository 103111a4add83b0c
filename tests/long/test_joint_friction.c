/* Claim: theory/solvers.md (28b). Friction in joints that follows their reactions, together with frictional
   contacts: every step is solved, or proven to have no solution. */
#include "dry_mechanisms.h"

TEST(two_hundred_mechanisms_with_dry_joints_and_feet_are_solved_in_every_step)
{
    static const char *const integrators[] = {"moreau", "moreau-jean", "consistent-two-step"};
    const char *first = getenv("DRY_FIRST"), *number = getenv("DRY_COUNT");
    int from = first ? atoi(first) : 0, n = number ? atoi(number) : 200;
    for (int i = 0; i < 3; i++) {
        dry_count count = {0};
        if (getenv("DRY_ONLY") && strcmp(getenv("DRY_ONLY"), integrators[i]) != 0) continue;
        for (int k = from; k < from + n; k++) dry_run(k, integrators[i], 1e-3, 800, &count);
        print_message(
            "%s: %lld runs, %lld steps, %lld proven to have no solution, %lld unsolved, slowest %.3f s\n",
            integrators[i], count.runs, count.steps, count.proven, count.unsolved, count.slowest);
        CHECK_INT(count.unsolved, 0);
    }
}

TEST_MAIN(RUNS(two_hundred_mechanisms_with_dry_joints_and_feet_are_solved_in_every_step))
