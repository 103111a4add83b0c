/* Claim: the mechanisms of examples/quadrangle and examples/crank reach the states of their exact motion at
   10 s: first order with joints on velocity level, second order with an energy-consistent scheme. The exact
   figures follow from the one degree of freedom that is left (the READMEs of both), by quadrature. */
#define _POSIX_C_SOURCE 200809L
#include "examples.h"

enum { STEPS_MAX = 3 };

typedef struct mechanism {
    const char *name;
    double direction;    /* of turning                                            */
    int turns;           /* of the crank; the last one is complete shortly before 10 s */
    double turned_at;    /* [s]                                                   */
    double longest;      /* [s] first of the time steps, each half the one before */
    double angle, speed; /* at 10 s [rad] [rad/s]                              */
} mechanism;

/* Angles count from the start: the quadrangle's from 60 degrees on. */
static const mechanism quadrangle = {"quadrangle", -1.0, 10, 9.8630273169, 2e-4, -63.9094253892, -2.41359076};
static const mechanism crank = {"crank", 1.0, 50, 9.9607881721, 1e-4, 316.646009874, 63.9458155};

static tp_scene *scene_for(const mechanism *of, const char *integrator, double time_step, double end_time)
{
    tp_scene *scene = read_example(of->name, NULL);
    scene->options.integrator = integrator;
    scene->options.time_step = time_step;
    scene->options.end_time = end_time;
    return scene;
}

/* Where a cubic with these values and slopes at the ends of [0, length] passes zero. */
static double zero_of_cubic(double length, const double *value, const double *slope)
{
    double low = 0.0, high = 1.0;
    for (int i = 0; i < 60; i++) {
        double s = 0.5 * (low + high), r = 1.0 - s;
        double y = r * r * ((1.0 + 2.0 * s) * value[0] + s * length * slope[0]) +
                   s * s * ((3.0 - 2.0 * s) * value[1] - r * length * slope[1]);
        if (y < 0.0)
            low = s;
        else
            high = s;
    }
    return low * length;
}

/* When the last turn is complete; the sensors are `turned` and `speed`. */
static double time_of_last_turn(const mechanism *of, double time_step)
{
    tp_scene *scene = scene_for(of, "moreau-jean", time_step, 12.0);
    tp_simulation *simulation = simulate_scene(scene);
    double goal = 2.0 * acos(-1.0) * of->turns, value[2] = {0.0, -goal}, slope[2] = {0.0, 0.0};
    long k = 0;
    while (value[1] < 0.0) {
        value[0] = value[1];
        slope[0] = slope[1];
        if (tp_simulation_step(simulation, (double)++k * time_step, NULL) != TP_OK)
            fail_msg("%s", tp_simulation_report(simulation)->reason);
        value[1] = of->direction * tp_simulation_sensor(simulation, 0) - goal;
        slope[1] = of->direction * tp_simulation_sensor(simulation, 1);
        if ((double)k * time_step > 12.0) fail_msg("%s does not complete its turns", of->name);
    }
    tp_simulation_free(simulation);
    tp_scene_free(scene);
    return (double)(k - 1) * time_step + zero_of_cubic(time_step, value, slope);
}

/* Errors are c dt + c2 dt^2 + ...: each halving of the step removes a power (Richardson). What the last one
   changes bounds what is left. */
static void check_first_order(void **check_state_, const mechanism *of)
{
    double time[STEPS_MAX], step = of->longest;
    for (int k = 0; k < STEPS_MAX; k++, step *= 0.5) time[k] = time_of_last_turn(of, step);
    double order = log2((time[0] - of->turned_at) / (time[1] - of->turned_at)),
           last_order = log2((time[1] - of->turned_at) / (time[2] - of->turned_at));
    CHECK_NEAR(order, 1.0, 0.06);
    CHECK_NEAR(last_order, 1.0, 0.03);
    double once[2] = {2.0 * time[1] - time[0], 2.0 * time[2] - time[1]},
           twice = (4.0 * once[1] - once[0]) / 3.0;
    CHECK_NEAR(twice, of->turned_at, fabs(twice - once[1]));
    CHECK(fabs(twice - of->turned_at) < 1e-2 * (time[2] - of->turned_at));
}

TEST(the_quadrangle_turns_ten_times_with_an_error_of_first_order)
{
    check_first_order(check_state_, &quadrangle);
}

TEST(the_crank_turns_fifty_times_with_an_error_of_first_order)
{
    check_first_order(check_state_, &crank);
}

static void end_state(const mechanism *of, double time_step, double *state_out)
{
    tp_scene *scene = scene_for(of, "consistent-quaternion", time_step, 10.0);
    tp_simulation *simulation = simulate_scene(scene);
    if (tp_simulation_run(simulation, NULL, NULL, NULL) != TP_OK)
        fail_msg("%s", tp_simulation_report(simulation)->reason);
    for (int k = 0; k < 2; k++) state_out[k] = tp_simulation_sensor(simulation, k);
    tp_simulation_free(simulation);
    tp_scene_free(scene);
}

/* Second order: a third of the change is left behind the shorter step. What remains after removing it is of
   fourth order: 2 percent of it with steps of 1e-3 and 5e-4 s, a sixteenth of that and rounding with these.
 */
TEST(both_reach_their_end_states_with_an_error_of_second_order)
{
    const mechanism *all[] = {&quadrangle, &crank};
    for (int i = 0; i < 2; i++) {
        double coarse[2], fine[2], exact[2] = {all[i]->angle, all[i]->speed};
        end_state(all[i], 5e-4, coarse);
        end_state(all[i], 2.5e-4, fine);
        for (int k = 0; k < 2; k++) {
            double rest = (fine[k] - coarse[k]) / 3.0;
            CHECK_NEAR(log2((coarse[k] - exact[k]) / (fine[k] - exact[k])), 2.0, 0.02);
            CHECK_NEAR(fine[k] + rest, exact[k], 1e-2 * fabs(rest));
        }
    }
}

TEST_MAIN(RUNS(the_quadrangle_turns_ten_times_with_an_error_of_first_order),
          RUNS(the_crank_turns_fifty_times_with_an_error_of_first_order),
          RUNS(both_reach_their_end_states_with_an_error_of_second_order))
