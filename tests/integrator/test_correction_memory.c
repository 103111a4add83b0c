/* A corrected step allocates nothing once warm; theory/correction.md. */
#define _POSIX_C_SOURCE 200809L
#include "warm_steps.h"

#if defined(CAN_COUNT_ALLOCATIONS)

TEST(warm_steps_with_correction_allocate_nothing)
{
    static const char *const names[] = {"box-stack", "bricard", "newtons-cradle-3d"};
    for (int k = 0; k < 3; k++) {
        for (int scheme = 0; scheme < 2; scheme++) {
            tp_scene *scene = read_edited(names[k], NULL, 0);
            scene->options.projection.kind = TP_PROJECTION_NONE;
            scene->options.correction.is_on = true;
            scene->options.tolerance = 1e-6;
            long long warm;
            const warm_run run = {scheme == 0 ? "moreau" : "moreau-jean", TP_CONSISTENT_SCALABLE, 20, 60};
            CHECK_INT(count_in_warm_steps(scene, &run, &warm), 0);
            CHECK(warm > 0);
            tp_scene_free(scene);
        }
    }
}

#endif

COUNTING_TEST_MAIN(RUNS(warm_steps_with_correction_allocate_nothing))
