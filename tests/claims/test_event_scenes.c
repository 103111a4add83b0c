/* Claim: event-driven moves random scenes as moreau with small steps does. */
#include "event_scenes.h"

TEST(ten_random_scenes_move_as_with_small_steps_of_moreau)
{
    int stopped, split;
    CHECK_INT(count_agreeing(0, 10, 5e-4, &stopped, &split), 10);
}

/* Scenes that once stopped: a step of the stiff method that could not be shortened to its root (1025);
   tangents that turn during a slip (1086); slips that jumped over their end (1228, 1251); a chain whose
   joints and contacts share forces (1259). */
TEST(scenes_that_once_stopped_move_as_with_small_steps_of_moreau)
{
    static const int scenes[] = {1025, 1086, 1228, 1251, 1259};
    for (size_t k = 0; k < sizeof scenes / sizeof scenes[0]; k++) {
        int stopped, split;
        CHECK_INT(count_agreeing(scenes[k], 1, 5e-4, &stopped, &split), 1);
    }
}

TEST_MAIN(RUNS(ten_random_scenes_move_as_with_small_steps_of_moreau),
          RUNS(scenes_that_once_stopped_move_as_with_small_steps_of_moreau))
