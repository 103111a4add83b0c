/* Two hundred bodies of all kinds of shapes come to rest in a bowl: examples/bowl. */
#define _POSIX_C_SOURCE 200809L
#include "benches.h"
#include "examples.h"

/* Corrected, bodies overlap by less than 1e-4 of their size (0.1 m) once they lie, here after 2.5 s; none
   leaves the bowl, whose middle is the origin and whose radius is 1 m. */
TEST(two_hundred_bodies_of_all_kinds_come_to_rest_in_a_bowl)
{
    static const char *const edits[] = {"parameters.n=200", "parameters.w=5"}, *const integrators[] = {
                                                                                   "moreau", "moreau-jean"};
    for (int scheme = 0; scheme < 2; scheme++) {
        tp_scene *scene = read_edited("bowl", edits, 2);
        scene->options.integrator = integrators[scheme];
        tp_simulation *simulation = simulate_scene(scene);
        for (int k = 1; k <= 3000; k++) {
            step_to(simulation, 1e-3 * k);
            if (k > 2500) CHECK(tp_simulation_last_step(simulation)->penetration <= 1e-5);
        }
        const double *q = tp_simulation_q(simulation);
        for (int i = 0; i < 200; i++) CHECK(hypot(hypot(q[7 * i], q[7 * i + 1]), q[7 * i + 2]) < 1.0);
        CHECK_INT(tp_simulation_report(simulation)->not_converged, 0);
        tp_simulation_free(simulation);
        tp_scene_free(scene);
    }
}

TEST_MAIN(RUNS(two_hundred_bodies_of_all_kinds_come_to_rest_in_a_bowl))
