/* What theory/consistent.md (R1)-(R6) claims: loops with redundant joints and singular positions under the
   consistent integrators and moreau-jean. */
#define _POSIX_C_SOURCE 200809L
#include "examples.h"
#include "mechanisms.h"
#include "simulations.h"

#include <string.h>

static const char *const schemes[] = {
    "consistent",        "consistent-elastic",    "consistent-two-step",
    "consistent-hybrid", "consistent-quaternion", "consistent-quaternion-two-step"};
enum { SCHEMES = sizeof schemes / sizeof schemes[0] };

static tp_simulation *open_scene(const char *name, const char *const *edits, int edit_count,
                                 const char *integrator, double dt, tp_scene **scene_out)
{
    char path[EXAMPLE_PATH];
    tp_message why = {""};
    snprintf(path, sizeof path, TIPPE_SOURCE_DIR "/examples/%s/scene.yaml", name);
    if (tp_scene_read(NULL, path, edits, edit_count, scene_out, &why) != TP_OK) fail_msg("%s", why.text);
    tp_simulation_options options = (*scene_out)->options;
    options.integrator = integrator;
    options.time_step = dt;
    options.projection.kind = TP_PROJECTION_NONE;
    options.theta_method.refresh_rows = true;
    return simulate_options((*scene_out)->model, options);
}

/* One row of 30 is redundant, in every position. Large steps: rows in the middle are far from dependent. */
TEST(the_bricard_mechanism_moves_with_exact_energy_under_all_schemes)
{
    const double dt = 0.02;
    for (int i = 0; i < SCHEMES; i++) {
        tp_scene *scene;
        tp_simulation *simulation = open_scene("bricard", NULL, 0, schemes[i], dt, &scene);
        run_steps(simulation, 60, dt);
        const tp_run_report *report = tp_simulation_report(simulation);
        bool has_rates = i < 4, is_exact = i < 5;
        CHECK_NEAR(report->energy_initial, -29.43, 1e-12);
        CHECK(report->largest_energy_increase <= 1e-12 * 29.43);
        if (is_exact) CHECK_NEAR(report->energy_final, report->energy_initial, 1e-12 * 29.43);
        CHECK(report->position_drift <= 1e-11 && report->angle_drift <= 1e-11);
        if (has_rates) CHECK(rate_drift(report) <= 1e-11);
        tp_simulation_free(simulation);
        tp_scene_free(scene);
    }
}

/* Rows at the end of the step, no projection: first order, energy is lost and never gained. */
TEST(moreau_jean_moves_the_bricard_mechanism_with_refreshed_rows)
{
    const double dt = 0.01;
    tp_scene *scene;
    tp_simulation *simulation = open_scene("bricard", NULL, 0, "moreau-jean", dt, &scene);
    run_steps(simulation, 100, dt);
    const tp_run_report *report = tp_simulation_report(simulation);
    CHECK(report->largest_energy_increase <= 1e-12 * 29.43);
    CHECK(report->energy_final > report->energy_initial - 0.3); /* it moves: a locked one would lose all */
    CHECK(report->position_drift <= 1e-4);
    tp_simulation_free(simulation);
    tp_scene_free(scene);
}

/* Without projection positions are off the joints by a drift of first order, where no row depends on others
   any more: all of them together would lock the mechanism, or have no solution. Another method moves the same
   way, up to the first order of both. */
TEST(velocity_level_schemes_move_the_bricard_mechanism_although_its_joints_drift)
{
    static const char *const drifting[] = {"moreau", "moreau-jean"};
    const double dt = 5e-3;
    tp_scene *scene, *exact_scene;
    tp_simulation *exact = open_scene("bricard", NULL, 0, "consistent", dt, &exact_scene);
    run_steps(exact, 200, dt);
    for (int i = 0; i < 2; i++) {
        tp_simulation *simulation = open_scene("bricard", NULL, 0, drifting[i], dt, &scene);
        run_steps(simulation, 200, dt);
        const tp_run_report *report = tp_simulation_report(simulation);
        const double *q = tp_simulation_q(simulation), *q_exact = tp_simulation_q(exact),
                     moved = fabs(q_exact[15] - 1.0);
        CHECK(moved > 0.1); /* the third bar has left its place */
        for (int k = 14; k < 17; k++) CHECK_NEAR(q[k], q_exact[k], 0.1 * moved);
        CHECK_NEAR(report->energy_final, report->energy_initial, 0.3);
        CHECK(report->position_drift <= 0.02);
        tp_simulation_free(simulation);
        tp_scene_free(scene);
    }
    tp_simulation_free(exact);
    tp_scene_free(exact_scene);
}

/* Forces of a first short step: those of moreau, of least norm among all that hold the mechanism, up to the
   first order of both. */
TEST(reactions_of_a_redundant_loop_are_those_of_least_norm)
{
    enum { LAWS = 6 };
    const double dt = 1e-6;
    double forces[2][LAWS * TP_IMPULSE_ROWS], largest = 0.0;
    for (int i = 0; i <= SCHEMES; i++) {
        tp_scene *scene;
        tp_simulation *simulation =
            open_scene("bricard", NULL, 0, i == 0 ? "moreau" : schemes[i - 1], dt, &scene);
        tp_restart state;
        run_steps(simulation, 1, dt);
        tp_simulation_checkpoint(simulation, &state);
        CHECK_INT(state.law_count, LAWS);
        for (int k = 0; k < LAWS * TP_IMPULSE_ROWS; k++) {
            forces[i > 0][k] = state.impulse[k] / dt;
            if (i == 0) largest = fmax(largest, fabs(forces[0][k]));
            CHECK_NEAR(forces[i > 0][k], forces[0][k], 1e-4 * largest);
        }
        tp_simulation_free(simulation);
        tp_scene_free(scene);
    }
    CHECK(largest > 5.0); /* N: bars of 1 kg hang on it */
}

enum { POSTS = 3, BEAMS = 2 };

/* The posts of n-four-bar at an angle phi from level with the angular velocity w, no gravity: the exact
   motion is phi + w t. */
static void write_edits(double phi, double w, char edits[32][128], const char *pointers[32], int *count_out)
{
    int n = 0;
    double c = cos(phi), s = sin(phi);
    snprintf(edits[n++], 128, "gravity=[0, 0]");
    for (int k = 0; k < POSTS; k++) {
        snprintf(edits[n++], 128, "bodies.post%d.position=[%.17g, %.17g]", k, k + 0.5 * c, 0.5 * s);
        snprintf(edits[n++], 128, "bodies.post%d.angle=%.17g", k, phi);
        snprintf(edits[n++], 128, "bodies.post%d.velocity=[%.17g, %.17g]", k, -0.5 * w * s, 0.5 * w * c);
        snprintf(edits[n++], 128, "bodies.post%d.angular_velocity=%.17g", k, w);
    }
    for (int k = 1; k <= BEAMS; k++) {
        snprintf(edits[n++], 128, "bodies.beam%d.position=[%.17g, %.17g]", k, k - 0.5 + c, s);
        snprintf(edits[n++], 128, "bodies.beam%d.velocity=[%.17g, %.17g]", k, -w * s, w * c);
        snprintf(edits[n++], 128, "joints.B%d.point=[%.17g, %.17g]", k, k + c, s);
        snprintf(edits[n++], 128, "joints.C%d.point=[%.17g, %.17g]", k, k - 1 + c, s);
    }
    for (int k = 0; k < n; k++) pointers[k] = edits[k];
    *count_out = n;
}

/* Steps that begin in the singular position, have it in the middle or at the end, exactly or nearly. What
   is left out there is off by (w dt)^4 at most and is held again by the next steps. */
TEST(singular_positions_are_passed_wherever_they_fall_in_a_step)
{
    static const double parts[] = {0.0,  1e-6,     1e-4,     1e-2,  0.49, 0.5,  0.5001,
                                   0.51, 0.999999, 1.000001, 0.999, 1.0,  1.01, -1e-3};
    const double dt = 1e-3, w = -6.0, error = pow(w * dt, 4.0);
    char edits[32][128];
    const char *pointers[32];
    for (size_t k = 0; k < sizeof parts / sizeof parts[0]; k++) {
        int edit_count;
        write_edits(-w * dt * parts[k], w, edits, pointers, &edit_count);
        for (int i = 0; i < SCHEMES; i += i == 0 ? 4 : 1) { /* without contacts the first four are one */
            tp_scene *scene;
            tp_simulation *simulation =
                open_scene("n-four-bar", pointers, edit_count, schemes[i], dt, &scene);
            run_steps(simulation, 20, dt);
            const tp_run_report *report = tp_simulation_report(simulation);
            const double *q = tp_simulation_q(simulation), phi = -w * dt * parts[k] + w * 20 * dt;
            CHECK(report->position_drift <= 4.0 * error);
            CHECK_NEAR(report->energy_final, report->energy_initial, 1e-8 * report->energy_initial);
            for (int post = 0; post < POSTS; post++) CHECK_NEAR(q[3 * post + 2], phi, 1e-5);
            CHECK_NEAR(q[2], q[5], 4.0 * error);
            CHECK_NEAR(q[2], q[8], 4.0 * error);
            tp_simulation_free(simulation);
            tp_scene_free(scene);
        }
    }
}

TEST_MAIN(RUNS(the_bricard_mechanism_moves_with_exact_energy_under_all_schemes),
          RUNS(velocity_level_schemes_move_the_bricard_mechanism_although_its_joints_drift),
          RUNS(moreau_jean_moves_the_bricard_mechanism_with_refreshed_rows),
          RUNS(reactions_of_a_redundant_loop_are_those_of_least_norm),
          RUNS(singular_positions_are_passed_wherever_they_fall_in_a_step))
