/* Claims of theory/consistent.md (49): constraints on velocities do no work in consistent-quaternion. It
   holds them in the mean of both ends, so that their velocities swing about 0. */
#include "benches.h"

#include <math.h>

static const char *const scheme = "consistent-quaternion";

#define ARMS(motor, rest)                                                                                    \
    "gravity: [0, 0, -9.81]\n"                                                                               \
    "bodies:\n"                                                                                              \
    "  - {name: a, mass: 2, inertia: [0.05, 0.08, 0.09], position: [0.4, 0, 0]}\n"                           \
    "  - {name: b, mass: 1, inertia: [0.03, 0.04, 0.05], position: [1.2, 0, 0]}\n"                           \
    "joints:\n"                                                                                              \
    "  - {name: h1, type: revolute, bodies: [ground, a], point: [0, 0, 0], axis: [0, 1, 0]" motor "}\n"      \
    "  - {name: h2, type: revolute, bodies: [a, b], point: [0.8, 0, 0], axis: [0, 1, 0]}\n" rest

static const char geared[] = ARMS("", "constraints: [{name: gear, velocity: \"b.omega.y - 2*a.omega.y\"}]\n");
static const char locked[] = ARMS(", motor: {speed: 0}", "");

/* Energy at the end and error of velocities in 2 s; potential energies are up to 20 J, and a step rounds them
   to some 1e-15 J. */
static double swing(void **check_state_, const char *text, double dt, double *rate_out)
{
    bench b = open_bench(text, scheme, dt);
    run_steps(b.simulation, (int)lround(2.0 / dt), dt);
    const tp_run_report *report = tp_simulation_report(b.simulation);
    CHECK_NEAR(report->energy_final, report->energy_initial, 2.0 / dt * 20.0 * 2.2e-16);
    CHECK(report->largest_energy_increase < 1e-13);
    double error = rate_drift(report);
    *rate_out = tp_simulation_u(b.simulation)[10]; /* b.omega.y */
    close_bench(&b);
    return error;
}

/* With a restitution of 0 the gear lost 2.83, 1.61 and 0.85 J, the motor 3.35 J at 10 ms. Directions of these
   rows do not change, so that all is of second order. */
TEST(gears_and_locked_motors_keep_the_energy_and_are_of_second_order)
{
    static const char *const scenes[] = {geared, locked};
    for (int k = 0; k < 2; k++) {
        double error[3], rate[3];
        for (int i = 0; i < 3; i++) error[i] = swing(check_state_, scenes[k], 1e-2 / (1 << i), &rate[i]);
        CHECK_NEAR(log2(error[0] / error[1]), 2.0, 0.05);
        CHECK_NEAR(log2(error[1] / error[2]), 2.0, 0.05);
        CHECK_NEAR(log2((rate[0] - rate[1]) / (rate[1] - rate[2])), 2.0, 0.05);
    }
}

/* A skate on a slope turns: its direction is that of the middle of a step. */
static const char skate[] = "coordinates: [x, y, phi]\n"
                            "kinetic: \"1/2*(2*x'^2 + 2*y'^2 + 0.5*phi'^2)\"\n"
                            "potential: \"4*y\"\n"
                            "constraints: [{name: edge, velocity: \"sin(phi)*x' - cos(phi)*y'\"}]\n"
                            "initial: {x': 1, phi': 2}\n";

static double slip(const double *q, const double *u)
{
    return sin(q[2]) * u[0] - cos(q[2]) * u[1];
}

TEST(a_skate_keeps_the_energy_and_holds_its_direction_in_the_mean)
{
    double error[2];
    for (int fine = 0; fine < 2; fine++) {
        double dt = 1e-2 / (1 << fine), q[3], u[3];
        bench b = open_bench(skate, scheme, dt);
        for (int k = 1; k <= 200 << fine; k++) {
            memcpy(q, tp_simulation_q(b.simulation), sizeof q);
            memcpy(u, tp_simulation_u(b.simulation), sizeof u);
            step_to(b.simulation, k * dt);
            const double *u_end = tp_simulation_u(b.simulation);
            for (int j = 0; j < 3; j++) {
                u[j] = 0.5 * (u[j] + u_end[j]);
                q[j] = 0.5 * (q[j] + tp_simulation_q(b.simulation)[j]);
            }
            CHECK_NEAR(slip(q, u), 0.0, 1e-14);
        }
        const tp_run_report *report = tp_simulation_report(b.simulation);
        CHECK_NEAR(report->energy_final, report->energy_initial, 200 * (1 << fine) * 4.0 * 2.2e-16);
        error[fine] = rate_drift(report);
        /* it turns by phi' dt in a step: the square of that, of a velocity up to 1 m/s, is left across it */
        CHECK(error[fine] <= 4.0 * dt * dt);
        close_bench(&b);
    }
    CHECK_NEAR(log2(error[0] / error[1]), 2.0, 0.02);
}

/* Impacts at the start of steps take what is left of the velocity across the skate, (2 rad/s dt)^2 of 1 m/s,
   1 J of 2 J: of fourth order in a step, of third in all. With directions of the start it was 0.045 J, of
   first order. */
TEST(two_steps_of_a_skate_lose_energy_of_third_order_alone)
{
    static const char *const schemes[] = {"consistent-two-step", "consistent-quaternion-two-step"};
    for (int k = 0; k < 2; k++) {
        double loss[2];
        for (int fine = 0; fine < 2; fine++) {
            double dt = 1e-2 / (1 << fine);
            bench b = open_bench(skate, schemes[k], dt);
            run_steps(b.simulation, 200 << fine, dt);
            const tp_run_report *report = tp_simulation_report(b.simulation);
            loss[fine] = report->energy_initial - report->energy_final;
            CHECK(report->largest_energy_increase < 1e-15);
            CHECK(loss[fine] < 2.0 / dt * pow(2.0 * dt, 4.0));
            close_bench(&b);
        }
        CHECK_NEAR(log2(loss[0] / loss[1]), 3.0, 0.02);
    }
}

/* Impulses of an elastic wall do not pass the gear: nothing is lost, in any of the impacts. */
TEST(elastic_impacts_beside_a_velocity_constraint_keep_the_energy)
{
    static const char text[] = "coordinates: [x, y]\n"
                               "kinetic: \"1/2*(x'^2 + 3*y'^2)\"\n"
                               "potential: \"9.81*x\"\n"
                               "constraints: [{name: gear, velocity: \"x' - 2*y'\"}]\n"
                               "contacts: [{name: floor, gap: x, restitution: 1},\n"
                               "           {name: roof, gap: \"0.5 - y\", restitution: 1}]\n"
                               "initial: {x: 1, x': 4, y': 2}\n";
    bench b = open_bench(text, scheme, 1e-3);
    run_steps(b.simulation, 4000, 1e-3);
    const tp_run_report *report = tp_simulation_report(b.simulation);
    CHECK(report->impacts >= 4);
    CHECK_NEAR(report->energy_final, report->energy_initial, 4000 * 24.0 * 2.2e-16);
    CHECK(rate_drift(report) < 1e-12);
    close_bench(&b);
}

TEST_MAIN(RUNS(gears_and_locked_motors_keep_the_energy_and_are_of_second_order),
          RUNS(a_skate_keeps_the_energy_and_holds_its_direction_in_the_mean),
          RUNS(two_steps_of_a_skate_lose_energy_of_third_order_alone),
          RUNS(elastic_impacts_beside_a_velocity_constraint_keep_the_energy))
