/* Times of events with Moreau's rule against exact piecewise solutions; the rule sees an event at most two
 * steps late. */
#include "models.h"

/* The oscillator: impact at 0.0451524283 s, common motion until the spring has its natural length at
   0.0619642005 s with v = 0.4429003533 m/s and a force of at most 989.272 N, then free flight until the
   second landing at 0.15221005 s and a second hit at 0.15233038 s. */
typedef struct oscillator_events {
    double landing[4], separation, separation_speed, largest_force;
    int landing_count;
    bool was_touching;
} oscillator_events;

static bool watch_oscillator(void *context, const tp_simulation *simulation)
{
    oscillator_events *seen = context;
    double P[TP_IMPULSE_ROWS], t = tp_simulation_time(simulation);
    tp_simulation_last_impulse(simulation, 0, P);
    bool is_touching = P[0] > 0.0;
    if (is_touching && !seen->was_touching && seen->landing_count < 4)
        seen->landing[seen->landing_count++] = t;
    if (!is_touching && seen->was_touching && seen->landing_count >= 1 && t < 0.1) {
        seen->separation = t;
        seen->separation_speed = tp_simulation_u(simulation)[0];
    }
    bool is_common_motion = t > 0.047 && t < 0.0619; /* the impact itself is over */
    if (is_common_motion)
        seen->largest_force = fmax(seen->largest_force, P[0] / tp_simulation_step_size(simulation));
    seen->was_touching = is_touching;
    return true;
}

TEST(the_oscillator_separates_and_lands_again_when_the_exact_solution_does)
{
    const double dt = 1e-6;
    tp_model *model = oscillator_model();
    tp_simulation *simulation = simulate(model, dt, 0.16);
    oscillator_events seen = {.landing_count = 0};
    CHECK_INT(tp_simulation_run(simulation, watch_oscillator, &seen), TP_OK);
    CHECK_NEAR(seen.landing[0], 0.0451524283, 2.0 * dt);
    CHECK_NEAR(seen.separation, 0.0619642005, 2.0 * dt);
    CHECK_NEAR(seen.separation_speed, 0.4429003533, 2.0 * 9.81 * dt); /* seen up to two steps late */
    CHECK_NEAR(seen.largest_force, 989.272, 200.0 * dt * 989.272);    /* first order, omega = 200 rad/s */
    CHECK_INT(seen.landing_count, 3);
    CHECK_NEAR(seen.landing[1], 0.15221005, 2.0 * dt);
    CHECK_NEAR(seen.landing[2], 0.15233038, 2.0 * dt);
    tp_simulation_free(simulation);
    tp_model_free(model);
}

/* The woodpecker's sleeve: slip to stick at 0.02164927 s, stick to slip at 0.06122869 s, opening at
 * 0.06703855 s, stick again at 0.1674056 s. */
typedef struct sleeve_events {
    double stick, slip, opening, stick_again;
} sleeve_events;

static bool watch_sleeve(void *context, const tp_simulation *simulation)
{
    sleeve_events *seen = context;
    const double *u = tp_simulation_u(simulation), t = tp_simulation_time(simulation);
    double slip = fabs(u[0] + 0.0031 * u[1]), P[TP_IMPULSE_ROWS];
    tp_simulation_last_impulse(simulation, 1, P);
    bool is_stuck = slip < 1e-12 && P[0] > 0.0;
    if (is_stuck && seen->stick == 0.0) seen->stick = t;
    if (!is_stuck && seen->stick > 0.0 && seen->slip == 0.0) seen->slip = t;
    if (seen->slip > 0.0 && seen->opening == 0.0 && P[0] == 0.0) seen->opening = t;
    if (is_stuck && t > 0.13 && seen->stick_again == 0.0) seen->stick_again = t;
    return seen->stick_again == 0.0;
}

TEST(the_woodpeckers_sleeve_sticks_and_slips_when_the_reference_does)
{
    const double dt = 1e-5;
    tp_model *model = woodpecker_model();
    tp_simulation *simulation = simulate(model, dt, 0.2);
    sleeve_events seen = {0.0, 0.0, 0.0, 0.0};
    tp_simulation_run(simulation, watch_sleeve, &seen);
    CHECK_NEAR(seen.stick, 0.02164927, 2.0 * dt);
    CHECK_NEAR(seen.slip, 0.06122869, 2.0 * dt);
    CHECK_NEAR(seen.opening, 0.06703855, 3.0 * dt); /* one step more: the error of the slipping before it */
    CHECK_NEAR(seen.stick_again, 0.1674056, 1e-4);  /* after five impacts, each of first order */
    tp_simulation_free(simulation);
    tp_model_free(model);
}

TEST_MAIN(RUNS(the_oscillator_separates_and_lands_again_when_the_exact_solution_does),
          RUNS(the_woodpeckers_sleeve_sticks_and_slips_when_the_reference_does))
