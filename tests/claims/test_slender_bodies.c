/* Claims: bodies with a tiny moment of inertia about one axis are treated as well as others. What has no
   moment about that axis in the exact motion has none in a step, not even rounding, and factorisations do not
   mind masses of very different size; theory/consistent.md (6a), problems.md, rotations.md (19a). */
#include "benches.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

/* A rod of 1 m on a ball joint at its end, 2 s of motion in space with |w| below 6 rad/s. */
static bench open_rod(const char *integrator, double inertia, double dt)
{
    char text[400];
    snprintf(text, sizeof text,
             "gravity: [0, 0, -9.81]\n"
             "bodies: [{name: rod, mass: 1, inertia: [%g, 0.1, 0.1], angular_velocity: [0.5, 2, 0.8],\n"
             "          position: [0.5, 0, 0]}]\n"
             "joints: [{name: pin, type: spherical, bodies: [ground, rod], point: [0, 0, 0]}]\n"
             "simulate: {until: 2, project_initial_state: true}\n",
             inertia);
    return open_bench(text, integrator, dt);
}

static const double inertias[] = {1e-6, 1e-8, 1e-10, 1e-12};
enum { INERTIAS = sizeof inertias / sizeof inertias[0] };

/* The exact spin is constant. Schemes with both levels add w times a part of third order in w dt, with
   |w| dt <= 0.06 (the sum of 200 steps of either sign is not above one of them by much); rounding is divided
   by the moment of inertia: 1e-17 N m s a step. Before, the spin was 0.49 at 1e-3 s with 1e-8 kg m^2, and
   with 1e-2 s the rod turned ever faster until no step had an end. */
TEST(a_slender_rod_keeps_its_spin_its_energy_and_its_joint_with_large_steps)
{
    static const char *const schemes[] = {
        "consistent",        "consistent-elastic",    "consistent-two-step",
        "consistent-hybrid", "consistent-quaternion", "consistent-quaternion-two-step"};
    for (size_t k = 0; k < sizeof schemes / sizeof schemes[0]; k++) {
        for (int i = 0; i < INERTIAS - 1; i++) {
            bench b = open_rod(schemes[k], inertias[i], 1e-2);
            run(b.simulation);
            const tp_run_report *report = tp_simulation_report(b.simulation);
            double spin_error = 0.5 * 0.06 * 0.06 * 0.06 + 200.0 * 1e-17 / inertias[i];
            CHECK_NEAR(tp_simulation_u(b.simulation)[3], 0.5, spin_error);
            CHECK(report->position_drift < 1e-13);
            CHECK(report->largest_energy_increase < 1e-12);
            if (strcmp(schemes[k], "consistent-quaternion-two-step") != 0) /* its projections take some */
                CHECK_NEAR(report->energy_final, report->energy_initial, 1e-12 * report->energy_initial);
            close_bench(&b);
        }
    }
}

/* Springs that pull at the ends of a rod, on its axis, do not spin it. Corrections of their energies change
   the spin relative to itself, in third order of omega dt, omega = sqrt(500 N/m / 1 kg). With lengths in
   metres and radians alike the spin was 0.82 with 1e-3 kg m^2 beside 0.08, and with 1e-8 no step was solved.
 */
TEST(springs_on_the_axis_of_a_rod_leave_its_spin_as_it_is)
{
    static const char *const schemes[] = {"consistent", "consistent-quaternion-two-step"};
    static const double moments[] = {1e-3, 1e-8, 1e-10}, dt = 1e-2;
    for (int k = 0; k < 6; k++) {
        char text[500];
        snprintf(text, sizeof text,
                 "gravity: [0, 0, -9.81]\n"
                 "bodies: [{name: a, mass: 1, inertia: [%g, 0.08, 0.08], position: [0.5, 0, 0],\n"
                 "          angular_velocity: [0.5, 1, 2]}]\n"
                 "springs:\n"
                 "  - {name: s, bodies: [ground, a], points: [[0, 0, 0.5], [-0.5, 0, 0]], stiffness: 300,\n"
                 "     rest_length: 0.2}\n"
                 "  - {name: t, bodies: [ground, a], points: [[1, 0.3, 0.5], [0.5, 0, 0]], stiffness: 200}\n",
                 moments[k % 3]);
        bench b = open_bench(text, schemes[k / 3], dt);
        run_steps(b.simulation, 200, dt);
        const tp_run_report *report = tp_simulation_report(b.simulation);
        CHECK_NEAR(tp_simulation_u(b.simulation)[3], 0.5, 0.5 * pow(sqrt(500.0) * dt, 3.0));
        CHECK_NEAR(report->energy_final, report->energy_initial, 1e-12 * report->energy_initial);
        close_bench(&b);
    }
}

/* Every step is solved with its rows of the end: no step falls back on those of the start, as rounding made
   it do (1.3e-3 m of drift with 1e-8 kg m^2, then none at all). The motion does not depend on a moment of
   inertia about an axis that carries 1e-6 of the momentum. */
TEST(moreau_jean_solves_the_steps_of_a_slender_rod_to_rounding)
{
    double reference[3] = {0.0};
    for (int i = 0; i < INERTIAS; i++) {
        bench b = open_rod("moreau-jean", inertias[i], 1e-3);
        run(b.simulation);
        const tp_run_report *report = tp_simulation_report(b.simulation);
        CHECK(report->position_drift < 1e-5); /* (w dt)^2 dt l/12 a step, of either sign */
        CHECK(rate_drift(report) < 1e-13);
        CHECK(report->residual_max < 1e-13);
        for (int c = 0; c < 3; c++) {
            double x = tp_simulation_q(b.simulation)[c];
            if (i == 0) reference[c] = x;
            CHECK_NEAR(x, reference[c], 1e-4);
        }
        close_bench(&b);
    }
}

/* 1e-14 beside 1: the matrix was called singular. */
TEST(a_mass_matrix_of_very_different_entries_is_regular)
{
    bench b = open_rod("moreau", 1e-14, 1e-3);
    run_steps(b.simulation, 100, 1e-3);
    CHECK(tp_simulation_report(b.simulation)->position_drift < 1e-3);
    close_bench(&b);
    static const char light[] = "coordinates: [x, y]\n"
                                "kinetic: \"1/2*(10*x'^2 + 1e-16*y'^2)\"\n"
                                "initial: {x': 1, y': 1}\n";
    b = open_bench(light, "moreau", 1e-2);
    run_steps(b.simulation, 10, 1e-2);
    CHECK_NEAR(tp_simulation_q(b.simulation)[1], 0.1, 1e-15);
    close_bench(&b);
}

TEST_MAIN(RUNS(a_slender_rod_keeps_its_spin_its_energy_and_its_joint_with_large_steps),
          RUNS(springs_on_the_axis_of_a_rod_leave_its_spin_as_it_is),
          RUNS(moreau_jean_solves_the_steps_of_a_slender_rod_to_rounding),
          RUNS(a_mass_matrix_of_very_different_entries_is_regular))
