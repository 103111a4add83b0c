/* Claim: what has come to rest stays, and does not sink, over 1e5 steps; with impacts before that are not
 * plastic. */
#include "contacts_3d.h"

static const char *const integrators[] = {"moreau", "moreau-jean"};

/* With restitution 0.3 a fall from 0.1 m ends after some 0.2 s of impacts, and the box, which falls on a
   corner, rocks for less than a second: 3 s are enough to come to rest. Then each step may be wrong by 1e-14
   of g dt^2: 1e-14 m in all of them. The largest penetration is that of an impact, and comes before. */
TEST(penetrations_at_rest_do_not_grow_in_a_hundred_thousand_steps_after_impacts)
{
    const double dt = 1e-3;
    for (int k = 0; k < 6; k++) {
        tp_model *model = dropped_body(k / 2, 0.3);
        tp_simulation *simulation = start(model, integrators[k % 2], dt, 1000.0);
        creep_from(simulation, dt, 0, 3000);
        double penetration = tp_simulation_report(simulation)->penetration;
        CHECK(penetration > 1e-6); /* there is something that could grow */
        CHECK(tp_simulation_report(simulation)->impacts >= 2);
        double moved = creep_from(simulation, dt, 3000, 100000);
        CHECK_NEAR(moved, 0.0, 1e-12);
        CHECK_NEAR(tp_simulation_report(simulation)->penetration, penetration, 1e-12);
        end(simulation, model);
    }
}

TEST_MAIN(RUNS(penetrations_at_rest_do_not_grow_in_a_hundred_thousand_steps_after_impacts))
