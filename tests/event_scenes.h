/* Random scenes of few contacts, and whether event-driven moves them as moreau with tiny steps does. */
#ifndef TESTS_EVENT_SCENES_H
#define TESTS_EVENT_SCENES_H

#include "simulations.h"

#include <math.h>

typedef struct scene_dice {
    unsigned long long state;
} scene_dice;

static inline double dice_between(scene_dice *dice, double low, double high)
{
    dice->state = dice->state * 6364136223846793005ULL + 1442695040888963407ULL;
    return low + (high - low) * ((double)(dice->state >> 11) / 9007199254740992.0);
}

/* Balls that fall on a plane and on each other (up to 3: 6 contacts), or a thrown box (8 corners, of which 4
   may touch), in space; or a block with two corners in the plane. */
static inline void random_scene_text(scene_dice *dice, int number, char *text, size_t capacity)
{
    double mu = dice_between(dice, 0.1, 0.8), e = dice_between(dice, 0.0, 0.6);
    size_t length = 0;
    if (number % 3 == 0) {
        snprintf(text, capacity,
                 "name: block\nparameters: {b: %.6f, h: %.6f, mu: %.6f, e: %.6f}\n"
                 "coordinates: [x, y, theta]\n"
                 "kinetic: \"1/2*(x'^2 + y'^2 + theta'^2*(b^2 + h^2)/3)\"\n"
                 "potential: \"9.81*y\"\n"
                 "contacts:\n"
                 "  - {name: left, gap: \"y - b*sin(theta) - h*cos(theta)\", slip: \"x' + (b*sin(theta) + "
                 "h*cos(theta))*theta'\", friction: mu, restitution: e}\n"
                 "  - {name: right, gap: \"y + b*sin(theta) - h*cos(theta)\", slip: \"x' + (h*cos(theta) - "
                 "b*sin(theta))*theta'\", friction: mu, restitution: e}\n"
                 "initial: {y: \"h + b + %.6f\", theta: %.6f, x': %.6f, y': %.6f, theta': %.6f}\n"
                 "simulate: {dt: 1e-2, until: 0.4}\n",
                 dice_between(dice, 0.1, 0.3), dice_between(dice, 0.1, 0.3), mu, e,
                 dice_between(dice, 0.0, 0.1), dice_between(dice, -0.4, 0.4), dice_between(dice, -1.0, 1.0),
                 dice_between(dice, -1.0, 0.0), dice_between(dice, -2.0, 2.0));
        return;
    }
    length +=
        (size_t)snprintf(text + length, capacity - length, "name: bodies\ngravity: [0, 0, -9.81]\nbodies:\n");
    int count = number % 3 == 1 ? 1 + number % 3 + number % 2 : 1;
    for (int k = 0; k < count; k++) {
        length += (size_t)snprintf(
            text + length, capacity - length,
            "  - {name: b%d, mass: %.6f, position: [%.6f, %.6f, %.6f], velocity: [%.6f, %.6f, %.6f],\n"
            "     angular_velocity: [%.6f, %.6f, %.6f], orientation: {axis: [1, %.6f, 0], angle: %.6f},\n",
            k, dice_between(dice, 0.5, 2.0), dice_between(dice, -0.05, 0.05), dice_between(dice, -0.05, 0.05),
            0.35 + 0.35 * k, dice_between(dice, -1.0, 1.0), dice_between(dice, -1.0, 1.0),
            dice_between(dice, -1.0, 0.0), dice_between(dice, -2.0, 2.0), dice_between(dice, -2.0, 2.0),
            dice_between(dice, -2.0, 2.0), dice_between(dice, -1.0, 1.0), dice_between(dice, 0.1, 0.4));
        length += (size_t)snprintf(text + length, capacity - length,
                                   number % 3 == 1
                                       ? "     shapes: [{name: s%d, type: sphere, radius: 0.15}]}\n"
                                       : "     shapes: [{name: s%d, type: box, size: [0.2, 0.25, 0.3]}]}\n",
                                   k);
    }
    length += (size_t)snprintf(text + length, capacity - length,
                               "ground: {shapes: [{name: floor, type: plane}]}\ncontacts:\n");
    for (int k = 0; k < count; k++)
        length += (size_t)snprintf(
            text + length, capacity - length,
            "  - {name: c%d, between: [floor, s%d], friction: %.6f, restitution: %.6f}\n", k, k, mu, e);
    for (int k = 1; k < count; k++)
        length += (size_t)snprintf(
            text + length, capacity - length,
            "  - {name: p%d, between: [s%d, s%d], friction: %.6f, restitution: %.6f}\n", k, k - 1, k, mu, e);
    snprintf(text + length, capacity - length, "simulate: {dt: 1e-2, until: 0.4}\n");
}

/* q at the end; false: the run stopped, with the reason. */
static inline bool run_random(const tp_scene *scene, const char *integrator, double dt, double *q_out,
                              int *n_out, char *reason)
{
    tp_simulation_options options = scene->options;
    options.integrator = integrator;
    options.time_step = dt;
    options.rtol = 1e-9;
    options.atol = 1e-10;
    tp_simulation *simulation = simulate_options(scene->model, options);
    bool is_done = tp_simulation_run(simulation, NULL, NULL, NULL) == TP_OK;
    tp_restart state;
    tp_simulation_checkpoint(simulation, &state);
    *n_out = state.q_count < 32 ? state.q_count : 32;
    for (int i = 0; i < *n_out; i++) q_out[i] = state.q[i];
    snprintf(reason, 1024, "%s", tp_simulation_report(simulation)->reason);
    tp_simulation_free(simulation);
    return is_done;
}

static inline double largest_difference(int n, const double *a, const double *b)
{
    double largest = 0.0;
    for (int i = 0; i < n; i++) largest = fmax(largest, fabs(a[i] - b[i]));
    return largest;
}

typedef enum scene_verdict { SCENE_AGREES, SCENE_DIFFERS, SCENE_STOPS } scene_verdict;

/* moreau tends to the motion, irregularly, as its step falls: they agree where the difference is at most four
   times what the last division of the step by four has changed, or what a delay of each impact by ten steps
   makes of speeds of 5 m/s. */
static inline scene_verdict judge_random(int number, double dt, char *reason)
{
    scene_dice dice = {(unsigned long long)number * 7919ULL + 12345ULL};
    char text[4096];
    double q[3][32];
    int n;
    for (int k = 0; k < 8; k++) dice_between(&dice, 0.0, 1.0);
    random_scene_text(&dice, number, text, sizeof text);
    tp_scene *scene = scene_of(text);
    bool is_done = run_random(scene, "event-driven", 1e-2, q[0], &n, reason);
    if (is_done) {
        char ignored[1024];
        if (!run_random(scene, "moreau", dt, q[1], &n, ignored) ||
            !run_random(scene, "moreau", dt / 4.0, q[2], &n, ignored))
            fail_msg("moreau: %s", ignored);
    }
    tp_scene_free(scene);
    if (!is_done) return SCENE_STOPS;
    double change = largest_difference(n, q[1], q[2]), off = largest_difference(n, q[0], q[2]);
    snprintf(reason, 1024, "off by %.3g where moreau changes by %.3g", off, change);
    return off <= fmax(4.0 * change, 50.0 * dt / 4.0) ? SCENE_AGREES : SCENE_DIFFERS;
}

/* Scenes [first, first + count): how many agree; those that stop say why, the others are printed. */
static inline int count_agreeing(int first, int count, double dt, int *stopped_out)
{
    int agreeing = 0;
    *stopped_out = 0;
    for (int i = first; i < first + count; i++) {
        char reason[1024] = "";
        scene_verdict verdict = judge_random(i, dt, reason);
        agreeing += verdict == SCENE_AGREES;
        *stopped_out += verdict == SCENE_STOPS && strlen(reason) > 20;
        if (verdict != SCENE_AGREES) print_message("scene %d: %s\n", i, reason);
    }
    return agreeing;
}

#endif
