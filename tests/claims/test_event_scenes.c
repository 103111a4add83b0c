/* Claim: event-driven moves random scenes as moreau with small steps does. */
#include "event_scenes.h"

TEST(ten_random_scenes_move_as_with_small_steps_of_moreau)
{
    int stopped, split;
    CHECK_INT(count_agreeing(0, 10, 5e-4, &stopped, &split), 10);
}

TEST_MAIN(RUNS(ten_random_scenes_move_as_with_small_steps_of_moreau))
