/* Claim: theory/solvers.md (28b). Friction in joints that follows their reactions, together with frictional
   contacts: nearly all runs are solved. */
#include "dry_mechanisms.h"

/* Of `moreau` two of 200 runs end unsolved (79 and 148): loops of one degree of freedom that an impact jams.
   Whether those steps have solutions is not known: friction of joints is beyond the proofs of
   theory/solvers.md. This bounds what is known to be missing, and is to become 0. */
static const double unproven_most = 0.01;

TEST(two_hundred_mechanisms_with_dry_joints_and_feet_are_solved)
{
    dry_count count = dry_battery(0, 200, 1, 800);
    CHECK((double)count.unsolved <= unproven_most * (double)count.runs);
}

TEST_MAIN(RUNS(two_hundred_mechanisms_with_dry_joints_and_feet_are_solved))
