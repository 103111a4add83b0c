/* Claim: theory/solvers.md (28b), (28d), (28e). Friction in joints that follows their reactions, together
   with frictional contacts: every step is solved, or proven to have no solution. */
#include "dry_mechanisms.h"

/* Loops of one degree of freedom whose foot is to bounce back: scenes 79 and 148 with every integrator, where
   friction at the foot and in the joints is more than any impulse of the foot brings. */
static const long long proven_runs = 6;

TEST(two_hundred_mechanisms_with_dry_joints_and_feet_are_solved)
{
    dry_count count = dry_battery(0, 200, 1, 800);
    CHECK_INT(count.unsolved, 0);
    CHECK(count.proven >= proven_runs);
}

TEST_MAIN(RUNS(two_hundred_mechanisms_with_dry_joints_and_feet_are_solved))
