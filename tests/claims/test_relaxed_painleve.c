/* Painleve's rod under relaxed-dai: forces, number of solutions, jam and slip; docs/theory/relaxed-dai.md
   (12)-(15). */
#define _POSIX_C_SOURCE 200809L
#include "examples.h"
#include "io/scratch.h"
#include "relaxed_runs.h"

/* The rod of half length 1 and mass 1 stands on its lower end, which slides with -1 m/s and does not leave.
 */
static void rod(char *text, size_t room, double angle, double spin, double mu)
{
    double s = sin(angle), c = cos(angle);
    snprintf(text, room,
             "coordinates: [x, y, th]\nkinetic: \"1/2*(x'^2 + y'^2 + 1/3*th'^2)\"\npotential: \"9.81*y\"\n"
             "contacts: [{name: tip, gap: y - sin(th), slip: \"x' + sin(th)*th'\", friction: %.17g}]\n"
             "initial: {x: 0, y: %.17g, th: %.17g, x': %.17g, y': %.17g, th': %.17g}\n",
             mu, s, angle, -1.0 - s * spin, c * spin, spin);
}

typedef struct answer {
    double t, n; /* forces along slip and normal */
    int count;
} answer;

static answer solve_rod(double angle, double spin, double mu, double delta, const char *branch)
{
    char text[640], entries[160];
    double P[TP_IMPULSE_ROWS];
    rod(text, sizeof text, angle, spin, mu);
    snprintf(entries, sizeof entries,
             "relaxation_steps: linearly-implicit, relaxation_branch: %s, dt: %.17g, until: %.17g", branch,
             delta, delta);
    relaxed_run r = run_relaxed(text, entries);
    tp_simulation_last_impulse(r.simulation, 0, P);
    answer found = {P[1] / delta, P[0] / delta, tp_simulation_last_step(r.simulation)->solution_count};
    end_relaxed(&r);
    return found;
}

TEST(the_rod_has_the_forces_of_its_four_regions)
{
    const double angle = atan(2.0), g = 9.81, a_spin = g - 16.0 * sin(angle);
    CHECK_NEAR(a_spin, -4.50084, 5e-6);
    answer found = solve_rod(angle, 0.0, 1.0, 1e-3, "default"); /* slip */
    CHECK_INT(found.count, 1);
    CHECK_NEAR(found.n, 24.525, 1e-9);
    CHECK_NEAR(found.t, 24.525, 1e-9);
    found = solve_rod(angle, 4.0, 1.0, 1e-3, "default"); /* open */
    CHECK_INT(found.count, 1);
    CHECK(found.n == 0.0 && found.t == 0.0);
    found = solve_rod(angle, 0.0, 2.0, 1e-3, "default"); /* jam */
    CHECK_INT(found.count, 1);
    CHECK_NEAR(found.t, 402.943, 1e-8);
    CHECK_NEAR(found.n, 308.3385, 1e-8);
    found = solve_rod(angle, 4.0, 2.0, 1e-3, "default"); /* three: jam, slip, open */
    CHECK_INT(found.count, 3);
    CHECK_NEAR(found.t, 395.787582, 6e-7);
    CHECK_NEAR(found.n, 294.027665, 6e-7);
    found = solve_rod(angle, 4.0, 2.0, 1e-3, "nearest"); /* to no force */
    CHECK(found.count == 3 && found.n == 0.0);
    found = solve_rod(angle, 4.0, 2.0, 1e-3, "loaded");
    CHECK(found.count == 3 && found.n == 0.0);
    /* a large delta weakens the jam */
    CHECK_INT(solve_rod(angle, 4.0, 2.0, 0.0258657 * (1.0 - 1e-6), "default").count, 3);
    CHECK_INT(solve_rod(angle, 4.0, 2.0, 0.0258657 * (1.0 + 4e-6), "default").count, 1);
    found = solve_rod(angle, 0.0, 1.0, 0.1, "default"); /* stick */
    CHECK_NEAR(found.t, 6.943, 1e-10);
    CHECK_NEAR(found.n, 11.3385, 1e-10);
    found = solve_rod(angle, 0.0, 1.0, 0.01, "default");
    CHECK_NEAR(found.n, 24.525, 1e-9);
}

/* The table of theory (14) on a grid: small delta, and away from the borders of its regions. */
TEST(the_number_of_solutions_follows_from_two_signs)
{
    int points = 0;
    for (int i = 1; i < 12; i++) {
        for (int k = 0; k < 5; k++) {
            for (int m = 0; m < 4; m++) {
                double angle = i * acos(-1.0) / 24.0, spin = 1.7 * k, mu = 0.6 + 0.6 * m, s = sin(angle),
                       c = cos(angle);
                double press = 9.81 - s * spin * spin,
                       coupling = 0.25 * (1.0 + 3.0 * c * c - 3.0 * mu * s * c);
                if (fabs(press) < 0.05 || fabs(coupling) < 0.01) continue;
                int expected = press < 0.0 && coupling < 0.0 ? 3 : 1;
                answer found = solve_rod(angle, spin, mu, 1e-6, "default");
                if (found.count != expected)
                    fail_msg("angle %g, spin %g, mu %g: %d solutions", angle, spin, mu, found.count);
                if (coupling > 0.0) /* slip or open */
                    CHECK_NEAR(found.n, fmax(0.0, press / (4.0 * coupling)), 1e-9 * 1e6);
                else /* the jam: v/delta times the impulse per velocity */
                    CHECK_NEAR(found.n, 1e6 * 0.75 * s * c, 40.0);
                points++;
            }
        }
    }
    CHECK(points > 180);
}

/* Theory (15): the jam is an impact along both rows; the error falls like delta. */
TEST(the_jam_is_a_tangential_impact)
{
    const double angle = atan(2.0);
    double off[2];
    for (int k = 0; k < 2; k++) {
        char text[640], entries[128];
        double delta = k == 0 ? 1e-3 : 5e-4, before, after;
        rod(text, sizeof text, angle, 0.0, 2.0);
        snprintf(entries, sizeof entries,
                 "dt: %g, until: %.17g, relaxation_time: %g, relaxation_damping: 0.5", 0.05 * delta,
                 20.0 * delta, delta);
        relaxed_run r = begin_relaxed(text, entries);
        before = tp_simulation_last_step(r.simulation)->energy;
        run(r.simulation);
        after = tp_simulation_last_step(r.simulation)->energy;
        double bound = 60.0 * 9.81 * delta; /* forces of the size of gravity in 20 delta, with arms of 3 */
        CHECK_NEAR(u_of(&r, 0), -0.6, bound);
        CHECK_NEAR(u_of(&r, 1), 0.3, bound);
        CHECK_NEAR(u_of(&r, 2), 0.670820, bound);
        CHECK_NEAR(before - after, 0.2, bound);
        CHECK_NEAR(u_of(&r, 0) + sin(q_of(&r, 2)) * u_of(&r, 2), 0.0, exp(-19.0));
        CHECK_NEAR(q_of(&r, 1) - sin(q_of(&r, 2)), 0.0, 1e-9);
        off[k] = hypot(u_of(&r, 0) + 0.6, u_of(&r, 1) - 0.3);
        end_relaxed(&r);
    }
    CHECK(off[0] / off[1] > 1.9 && off[0] / off[1] < 2.1);
}

/* Rigid theory: the rod sticks at t = 0.148211 with spin 2.745359 at 1.204793 rad. Until then the relaxed
   motion is the rigid one, whatever delta. */
TEST(a_planar_slip_is_the_rigid_one_and_its_end_misses_by_delta_squared)
{
    static const char text[] =
        "coordinates: [x, y, th]\nkinetic: \"1/2*(x'^2 + y'^2 + 1/3*th'^2)\"\npotential: \"9.81*y\"\n"
        "contacts: [{name: tip, gap: y - sin(th), slip: \"x' + sin(th)*th'\", friction: 1}]\n"
        "initial: {y: sin(1), th: 1, x': -5}\n";
    double angle[2][2], spin[2];
    for (int k = 0; k < 2; k++) {
        relaxed_run r = begin_relaxed(text, k == 0 ? "dt: 1e-4, until: 0.3, relaxation_time: 8e-3"
                                                   : "dt: 1e-4, until: 0.3, relaxation_time: 4e-3");
        run_steps(r.simulation, 1200, 1e-4); /* still sliding */
        angle[k][0] = q_of(&r, 2);
        run_steps(r.simulation, 0, 1e-4);
        for (int n = 1201; n <= 2500; n++) step_to(r.simulation, n * 1e-4);
        angle[k][1] = q_of(&r, 2);
        spin[k] = u_of(&r, 2);
        end_relaxed(&r);
    }
    CHECK_NEAR(angle[0][0], angle[1][0], 1e-12);
    CHECK(fabs(spin[0] - spin[1]) < 1e-3 && fabs(angle[0][1] - angle[1][1]) < 5e-4);
    /* it sticks where rigid theory says: run to that time with a delta that is small */
    relaxed_run r = run_relaxed(text, "dt: 1e-5, until: 0.148211, relaxation_time: 2e-4");
    CHECK_NEAR(u_of(&r, 2), 2.745359, 2e-2);
    CHECK_NEAR(q_of(&r, 2), 1.204793, 2e-5);
    end_relaxed(&r);
}

/* The output tells how many solutions there were. */
TEST(the_number_of_solutions_is_a_column_of_the_output)
{
    const char *const edits[] = {"parameters.spin=4", "simulate.relaxation_branch=default",
                                 "simulate.until=5e-3"};
    scratch_folder folder;
    CHECK(scratch_open(&folder));
    tp_scene *scene = read_edited("relaxed-rod", edits, 3);
    tp_simulation *simulation = simulate_options(scene->model, scene->options);
    tp_output_options output = tp_output_options_default();
    output.hdf5_path = scratch_file(&folder, "rod.h5");
    tp_output *writer = NULL;
    tp_trajectory *motion = NULL;
    CHECK_INT(tp_output_create(NULL, simulation, &output, &writer, NULL), TP_OK);
    CHECK_INT(tp_simulation_run(simulation, tp_output_observe, writer, NULL), TP_OK);
    CHECK_INT(tp_output_close(writer, NULL), TP_OK);
    CHECK_INT(tp_trajectory_read(NULL, output.hdf5_path, &motion, NULL), TP_OK);
    const double *count = motion->values[tp_trajectory_find(motion, "step/solutions")];
    CHECK(count[1] == 3.0 && count[motion->row_count - 1] == 1.0); /* and one when the end has stopped */
    tp_trajectory_free(motion);
    tp_simulation_free(simulation);
    tp_scene_free(scene);
    scratch_close(&folder);
}

TEST_MAIN(RUNS(the_number_of_solutions_is_a_column_of_the_output),
          RUNS(the_rod_has_the_forces_of_its_four_regions),
          RUNS(the_number_of_solutions_follows_from_two_signs), RUNS(the_jam_is_a_tangential_impact),
          RUNS(a_planar_slip_is_the_rigid_one_and_its_end_misses_by_delta_squared))
