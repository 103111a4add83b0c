/* Claims: theory/contacts-geometry.md (31). Bodies without thickness, and thin ones, on a mesh, which is felt
   from its front alone. Points and flat discs fell through every mesh, at rest and without a warning, since
   the rounding of a contact put their middle behind it; so did small balls and plates that stopped with their
   middle behind it. */
#include "benches.h"

static const char ground[] =
    "ground:\n  shapes:\n"
    "    - type: mesh\n"
    "      mesh:\n"
    "        vertices: [[-1, -1, 0], [0.1, -1, 0], [1, -1, 0], [-1, 1, 0], [-0.1, 1, 0], [1, 1, 0]]\n"
    "        triangles: [[0, 1, 4], [0, 4, 3], [1, 2, 5], [1, 5, 4]]\n"
    "contacts: [{name: c, among: all, friction: 0.1}]\n"
    "simulate: {until: 100}\n";

/* A body over the mesh, with its velocities along x and downwards. */
static bench throw_over_mesh(const char *shape, double height, double along, double down,
                             const char *integrator, double dt)
{
    char text[1024];
    snprintf(text, sizeof text,
             "gravity: [0, 0, -9.81]\nbodies:\n"
             "  - {name: b, mass: 1, inertia: [1e-3, 1e-3, 2e-3], position: [-0.3, 0.1, %g],\n"
             "     velocity: [%g, 0, %g], shapes: [%s]}\n%s",
             height, along, -down, shape, ground);
    return open_bench(text, integrator, dt);
}

static bool has_warning(const tp_simulation *simulation, tp_warning_kind kind)
{
    const tp_run_report *report = tp_simulation_report(simulation);
    for (int i = 0; i < report->warning_count; i++) {
        if (report->warnings[i].kind == kind) return true;
    }
    return false;
}

/* It overlaps by the way of a step with sqrt(2 g h) and slides v^2/(2 mu g) = 0.51 m, over the edges between
   triangles; the impact takes mu sqrt(2 g h) of the speed 1 first. */
TEST(points_and_flat_discs_slide_and_rest_on_a_mesh)
{
    static const char *const shapes[] = {"{type: point}", "{type: cylinder, radius: 0.05, length: 0}"};
    static const char *const names[] = {"moreau", "moreau-jean", "symmetric-moreau", "consistent-two-step"};
    static const double heights[] = {0.0, 0.1};
    const double dt = 1e-3, g = 9.81, mu = 0.1;
    for (int k = 0; k < 16; k++) {
        double h = heights[k / 2 % 2], impact = sqrt(2.0 * g * h), left = 1.0 - mu * impact;
        bench b = throw_over_mesh(shapes[k % 2], h, 1.0, 0.0, names[k / 4], dt);
        for (int step = 1; step <= 1500; step++) step_to(b.simulation, step * dt);
        const double *q = tp_simulation_q(b.simulation);
        CHECK(q[2] >= -impact * dt - 1e-12 && q[2] <= impact * dt + 1e-12);
        CHECK_NEAR(q[0], -0.3 + impact / g + left * left / (2.0 * mu * g), 3.0 * dt);
        close_bench(&b);
    }
}

/* A body that comes to lie with its middle behind the mesh has passed it: this is said. */
TEST(what_comes_behind_a_mesh_is_warned_of)
{
    static const char *const shapes[] = {"{type: sphere, radius: 1e-3}",
                                         "{type: box, size: [0.1, 0.1, 2e-3]}", "{type: point}",
                                         "{type: cylinder, radius: 0.05, length: 0}"};
    static const double speeds[] = {3.0, 3.0, 30.0, 30.0};
    for (int k = 0; k < 4; k++) {
        int passed = 0;
        for (int shift = 0; shift < 8; shift++) {
            bench b = throw_over_mesh(shapes[k], 0.03 + 7e-4 * shift, 1.0, speeds[k], "moreau", 1e-3);
            for (int step = 1; step <= 100; step++) step_to(b.simulation, step * 1e-3);
            bool is_below = tp_simulation_q(b.simulation)[2] < -2e-2;
            passed += is_below;
            CHECK(has_warning(b.simulation, TP_WARNING_PASSED_THROUGH) == is_below);
            close_bench(&b);
        }
        CHECK(passed > 0);
    }
}

/* Over the edges of a mesh and off its end: no warning. */
TEST(what_leaves_a_mesh_at_its_border_is_not_warned_of)
{
    static const char *const shapes[] = {"{type: sphere, radius: 1e-3}", "{type: point}",
                                         "{type: box, size: [0.1, 0.1, 2e-3]}"};
    static const double heights[] = {1e-3, 0.0, 1e-3};
    for (int k = 0; k < 3; k++) {
        bench b = throw_over_mesh(shapes[k], heights[k], 4.0, 0.0, "moreau", 1e-3);
        for (int step = 1; step <= 1500; step++) step_to(b.simulation, step * 1e-3);
        CHECK(tp_simulation_q(b.simulation)[2] < -1.0);
        CHECK(!has_warning(b.simulation, TP_WARNING_PASSED_THROUGH));
        close_bench(&b);
    }
}

TEST_MAIN(RUNS(points_and_flat_discs_slide_and_rest_on_a_mesh), RUNS(what_comes_behind_a_mesh_is_warned_of),
          RUNS(what_leaves_a_mesh_at_its_border_is_not_warned_of))
