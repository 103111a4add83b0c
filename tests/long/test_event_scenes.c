/* Claim: of 100 random scenes with up to 10 contacts event-driven moves at least 95 as moreau with tiny steps
   does, and the others stop with a reason. The scenes of TIPPE_FIRST_SCENE (0) and after. */
#include "event_scenes.h"

TEST(of_a_hundred_random_scenes_nearly_all_move_as_with_tiny_steps_of_moreau)
{
    const char *first = getenv("TIPPE_FIRST_SCENE"), *count = getenv("TIPPE_SCENES");
    int stopped, split,
        scenes = count != NULL ? atoi(count) : 100,
        agreeing = count_agreeing(first != NULL ? atoi(first) : 0, scenes, 2e-4, &stopped, &split);
    print_message("%d of %d agree, %d stop, %d strike in turn\n", agreeing, scenes, stopped, split);
    CHECK(agreeing >= 0.95 * scenes);
    CHECK_INT(agreeing + stopped + split, scenes);
}

TEST_MAIN(RUNS(of_a_hundred_random_scenes_nearly_all_move_as_with_tiny_steps_of_moreau))
