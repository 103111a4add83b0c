/* The stacks of boxes as affine bodies: pivots of their factorisations wander from step to step, and once in
   eighty steps the memory of the solver did not suffice. */
#define _POSIX_C_SOURCE 200809L
#include "warm_steps.h"

#if defined(CAN_COUNT_ALLOCATIONS)

TEST(a_hundred_steps_of_affine_stacks_allocate_in_the_first_thirty_alone)
{
    static const char *const names[] = {"box-stack", "card-house"};
    for (int i = 0; i < 2; i++) {
        tp_scene *scene = read_short_example(names[i]);
        for (int k = 2; k < AFFINE_INTEGRATORS; k++) { /* those with contacts */
            long long warm;
            warm_run run = {affine_integrators[k], TP_CONSISTENT_AFFINE, 30, 100};
            CHECK_INT(count_in_warm_steps(scene, &run, &warm), 0);
            CHECK(warm >= 20);
        }
        tp_scene_free(scene);
    }
}

#endif

COUNTING_TEST_MAIN(RUNS(a_hundred_steps_of_affine_stacks_allocate_in_the_first_thirty_alone))
