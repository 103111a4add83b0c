/* Claim: theory/solvers.md (31b). A light body that friction wedges between heavy ones does not stop a run:
   of the jammed and the slipping solution of each linearisation the nearest one is taken. */
#include "benches.h"

#include <float.h>
#include <math.h>

/* The heavy box comes down on an edge of the light one, which tilts and is pressed aside. */
static const char tumbling[] =
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  - {name: light, mass: 1, position: [-0.0026, 0.0093, 0.2053], velocity: [-0.6803, -0.1503, -0.8177],\n"
    "     orientation: [0.46535187, 0.48358733, 0.67656613, 0.30306633],\n"
    "     shapes: [{type: box, size: [0.1617, 0.1903, 0.1932]}]}\n"
    "  - {name: heavy, mass: 1e4, position: [-0.0233, 0.0242, 0.5686],\n"
    "     angular_velocity: [-2.3905, -1.9182, 0.5577],\n"
    "     orientation: [-0.16261883, -0.15764637, 0.24199607, 0.94347265],\n"
    "     shapes: [{type: box, size: [0.1467, 0.1601, 0.2382]}]}\n"
    "ground: {shapes: [{name: floor, type: plane}]}\n"
    "contacts: [{name: all, among: [ground, light, heavy], restitution: 0, friction: 0.8}]\n"
    "simulate: {until: 0.6}\n";

/* Newton's method went to and fro between both solutions, and the search for a smaller error stalled. Energy
   never grows with equal restitutions, (45), (46): a step may add the rounding of two energies, each a sum of
   potential energy and squares of six velocities for two bodies. */
TEST(a_light_box_under_a_heavy_one_is_wedged_and_comes_free)
{
    static const struct {
        const char *scheme;
        double step;
    } runs[] = {{"consistent-two-step", 1e-3},
                {"consistent-two-step", 2e-3},
                {"consistent-quaternion", 2e-3},
                {"consistent-quaternion", 4e-3}};
    for (int k = 0; k < 4; k++) {
        bench b = open_bench(tumbling, runs[k].scheme, runs[k].step);
        run_steps(b.simulation, (int)lround(0.6 / runs[k].step), runs[k].step);
        const tp_run_report *report = tp_simulation_report(b.simulation);
        CHECK(report->largest_energy_increase <= 16.0 * DBL_EPSILON * report->energy_initial);
        CHECK(report->margin_max <= 1.0);
        close_bench(&b);
    }
}

TEST_MAIN(RUNS(a_light_box_under_a_heavy_one_is_wedged_and_comes_free))
