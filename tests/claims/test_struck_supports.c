/* Claims: theory/moreau-jean.md (3a). A support whose velocity jumps inside of a step strikes what lies on
 * it. */
#define _POSIX_C_SOURCE 200809L
#include "benches.h"

#include <math.h>

static const double mass = 2.0, weight = 9.81, speed = 2.0, dt = 1e-3;
enum { step_count = 30 };

/* A mass of 2 kg at rest on a support that starts to rise with 2 m/s at T: as a formula, and as bodies. */
static const char formula[] = "parameters: {T: %.17g, e: %g}\n"
                              "coordinates: [z]\nkinetic: \"1/2*2*z'^2\"\npotential: \"2*9.81*z\"\n"
                              "contacts: [{name: foot, gap: \"z - (%s)\", restitution: e}]\ninitial: {z: 0}\n"
                              "simulate: {until: 0.03}\n";
static const char bodies[] =
    "parameters: {T: %.17g, e: %g}\n"
    "gravity: [0, 0, -9.81]\nbodies:\n"
    "  - {name: ball, mass: 2, position: [0, 0, 0.1], shapes: [{type: sphere, radius: 0.1}]}\n"
    "  - {name: table, type: moving, motion: [0, 0, \"%s\"],\n"
    "     shapes: [{name: top, type: box, size: [1, 1, 0.2], position: [0, 0, -0.1]}]}\n"
    "contacts: [{name: foot, between: [top, ball], restitution: e}]\nsimulate: {until: 0.03}\n";

/* How its motion may be written: T belongs to the one side, to the other, or (abs) has half the velocity, so
   that a step that ends there strikes by halves: T is kept away from it. */
static const char *const motions[] = {"max(0, 2*(t - T))", "if(t >= T, 2*(t - T), 0)",
                                      "(t - T) + abs(t - T)"};

typedef struct strike {
    double velocity, energy, work; /* at the end [m/s]; gained, and given by the support [J] */
} strike;

static strike run_strike(const char *text, const char *integrator, int velocity)
{
    bench b = open_bench(text, integrator, dt);
    strike found = {0};
    for (int k = 1; k <= step_count; k++) {
        step_to(b.simulation, k * dt);
        found.work += tp_simulation_last_step(b.simulation)->applied_work;
    }
    const tp_run_report *report = tp_simulation_report(b.simulation);
    found.velocity = tp_simulation_u(b.simulation)[velocity];
    found.energy = report->energy_final - report->energy_initial;
    close_bench(&b);
    return found;
}

/* The mass leaves with (1 + e) v and falls from then on. Schemes strike at an end of the step with the jump,
   or in the middle of the next one: gravity acts up to one and a half steps longer or shorter, and within the
   step of the impact it may act on either side. moreau-jean had v, whatever e was. */
TEST(a_support_that_starts_inside_of_a_step_throws_its_load_as_high_as_restitution_says)
{
    static const char *const integrators[] = {"moreau", "moreau-jean", "symmetric-moreau",
                                              "generalized-alpha"};
    static const double restitutions[] = {0.5, 1.0};
    for (size_t i = 0; i < sizeof integrators / sizeof integrators[0]; i++) {
        for (int k = 0; k < 42; k++) {
            int way = k / 14;
            double start = 0.01 + 2e-4 * (k % 7) + (way == 2 ? 5e-5 : 0.0), e = restitutions[k / 7 % 2];
            double exact = (1.0 + e) * speed - weight * (step_count * dt - start);
            char text[1024];
            snprintf(text, sizeof text, formula, start, e, motions[way]);
            strike of_formula = run_strike(text, integrators[i], 0);
            snprintf(text, sizeof text, bodies, start, e, motions[way]);
            strike of_bodies = run_strike(text, integrators[i], 2);
            CHECK_NEAR(of_formula.velocity, exact, 2.0 * weight * dt);
            CHECK_NEAR(of_bodies.velocity, exact, 2.0 * weight * dt);
        }
    }
}

/* The support moves with v during the impact: its work is (1 + e) m v^2, and (1 - e^2) m v^2/2 of it is lost;
   until it leaves, gravity and the support may exchange m g v dt a step. */
TEST(the_work_of_a_support_that_strikes_is_booked)
{
    static const double restitutions[] = {0.5, 1.0};
    for (int k = 0; k < 14; k++) {
        double start = 0.01 + 2e-4 * (k % 7), e = restitutions[k / 7];
        char text[1024];
        snprintf(text, sizeof text, formula, start, e, motions[0]);
        strike found = run_strike(text, "moreau-jean", 0);
        double bound = 2.0 * mass * weight * speed * dt;
        CHECK_NEAR(found.work, (1.0 + e) * mass * speed * speed, bound);
        CHECK_NEAR(found.work - found.energy, 0.5 * (1.0 - e * e) * mass * speed * speed, bound);
    }
}

TEST_MAIN(RUNS(a_support_that_starts_inside_of_a_step_throws_its_load_as_high_as_restitution_says),
          RUNS(the_work_of_a_support_that_strikes_is_booked))
