/* Claim: theory/solvers.md (28b). Friction in joints that follows their reactions, together with frictional
   contacts: steps are solved, or proven to have no solution. */
#include "dry_mechanisms.h"

/* Loops of one degree of freedom that an impact jams, with friction of feet against the sense in which they
   must bounce, may have no solution; their joints' friction is beyond the proofs of theory/solvers.md. */
static const double unproven_most = 0.01;

TEST(two_hundred_mechanisms_with_dry_joints_and_feet_are_solved)
{
    dry_count count = dry_battery(0, 200, 1, 800);
    CHECK((double)count.unsolved <= unproven_most * (double)count.runs);
}

TEST_MAIN(RUNS(two_hundred_mechanisms_with_dry_joints_and_feet_are_solved))
