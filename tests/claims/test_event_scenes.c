/* Claim: event-driven moves random scenes as moreau with small steps does. */
#include "event_scenes.h"

TEST(some_random_scenes_move_as_with_small_steps_of_moreau)
{
    int stopped;
    CHECK_INT(count_agreeing(200, 6, 4e-4, &stopped), 6);
}

TEST_MAIN(RUNS(some_random_scenes_move_as_with_small_steps_of_moreau))
