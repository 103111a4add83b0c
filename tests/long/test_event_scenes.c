/* Claim: of 100 random scenes in the plane and in space at least 95 move as with tiny steps of moreau, and
   the others stop with a reason. */
#include "event_scenes.h"

TEST(random_scenes_move_as_with_tiny_steps_of_moreau_or_stop_with_a_reason)
{
    int stopped, agreeing = count_agreeing(0, 100, 4e-5, &stopped);
    print_message("%d agree, %d stop\n", agreeing, stopped);
    CHECK(agreeing >= 95);
    CHECK_INT(agreeing + stopped, 100);
}

TEST_MAIN(RUNS(random_scenes_move_as_with_tiny_steps_of_moreau_or_stop_with_a_reason))
