/* Random scenes with up to 10 contacts, and whether event-driven moves them as moreau with tiny steps does.
 */
#ifndef TESTS_EVENT_SCENES_H
#define TESTS_EVENT_SCENES_H

#include "simulations.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

typedef struct scene_dice {
    unsigned long long state;
    char *text; /* [capacity] of the scene */
    size_t capacity, length;
} scene_dice;

static inline double dice_between(scene_dice *dice, double low, double high)
{
    dice->state = dice->state * 6364136223846793005ULL + 1442695040888963407ULL;
    return low + (high - low) * ((double)(dice->state >> 11) / 9007199254740992.0);
}

static inline int dice_count(scene_dice *dice, int least, int most)
{
    return least + (int)dice_between(dice, 0.0, most - least + 1 - 1e-9);
}

static inline void scene_add(scene_dice *dice, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    dice->length += (size_t)vsnprintf(dice->text + dice->length, dice->capacity - dice->length, format, list);
    va_end(list);
}

/* ", friction: mu, restitution: e": without friction in a fifth of the scenes, e = 0 in another. */
static inline void scene_laws(scene_dice *dice, char *out, size_t capacity)
{
    double mu = dice_between(dice, 0.1, 0.8), e = dice_between(dice, 0.1, 0.6),
           kind = dice_between(dice, 0, 1);
    snprintf(out, capacity, "friction: %.6f, restitution: %.6f", kind < 0.2 ? 0.0 : mu, kind > 0.8 ? 0.0 : e);
}

/* A rectangle with its four corners on a floor and, if it has one, at a wall: 4 or 8 contacts in the plane.
 */
static inline void scene_rectangle(scene_dice *dice)
{
    static const int side[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
    char laws[128];
    bool has_wall = dice_between(dice, 0, 1) < 0.5;
    scene_laws(dice, laws, sizeof laws);
    scene_add(dice,
              "name: rectangle\nparameters: {b: %.6f, h: %.6f}\ncoordinates: [x, y, th]\n"
              "kinetic: \"1/2*(x'^2 + y'^2 + th'^2*(b^2 + h^2)/3)\"\npotential: \"9.81*y\"\ncontacts:\n",
              dice_between(dice, 0.1, 0.3), dice_between(dice, 0.1, 0.3));
    for (int k = 0; k < 4; k++) {
        scene_add(dice,
                  "  - {name: floor%d, gap: \"y + (%d)*b*sin(th) + (%d)*h*cos(th)\", "
                  "slip: \"x' - ((%d)*b*sin(th) + (%d)*h*cos(th))*th'\", %s}\n",
                  k, side[k][0], side[k][1], side[k][0], side[k][1], laws);
        if (has_wall)
            scene_add(dice,
                      "  - {name: wall%d, gap: \"0.6 - x - (%d)*b*cos(th) + (%d)*h*sin(th)\", "
                      "slip: \"y' + ((%d)*b*cos(th) - (%d)*h*sin(th))*th'\", %s}\n",
                      k, side[k][0], side[k][1], side[k][0], side[k][1], laws);
    }
    scene_add(dice, "initial: {y: %.6f, th: %.6f, x': %.6f, y': %.6f, th': %.6f}\n",
              0.45 + dice_between(dice, 0.0, 0.1), dice_between(dice, -1.5, 1.5),
              dice_between(dice, -1.0, has_wall ? 3.0 : 1.0), dice_between(dice, -1.0, 0.0),
              dice_between(dice, -3.0, 3.0));
}

/* Masses on a rough floor in a row with springs between them, stops at both ends, pushed by a force that
   swings: up to 4 + 5 contacts in the plane. */
static inline void scene_train(scene_dice *dice)
{
    int count = dice_count(dice, 2, 4);
    char laws[128];
    scene_laws(dice, laws, sizeof laws);
    scene_add(dice, "name: train\nparameters: {k: %.6f, f: %.6f, w: %.6f}\ncoordinates: [",
              dice_between(dice, 50, 400), dice_between(dice, 2, 15), dice_between(dice, 4, 20));
    for (int i = 0; i < count; i++) scene_add(dice, "%sx%d, z%d", i ? ", " : "", i, i);
    scene_add(dice, "]\nkinetic: \"");
    for (int i = 0; i < count; i++)
        scene_add(dice, "%s1/2*%.6f*(x%d'^2 + z%d'^2)", i ? " + " : "", dice_between(dice, 0.5, 2), i, i);
    scene_add(dice, "\"\npotential: \"");
    for (int i = 0; i < count; i++) scene_add(dice, "%s9.81*z%d", i ? " + " : "", i);
    for (int i = 1; i < count; i++) scene_add(dice, " + 1/2*k*(x%d - x%d)^2", i, i - 1);
    scene_add(dice, "\"\nforces: {x0: \"f*sin(w*t)\"}\ncontacts:\n");
    for (int i = 0; i < count; i++)
        scene_add(dice, "  - {name: floor%d, gap: z%d, slip: \"x%d'\", %s}\n", i, i, i, laws);
    scene_add(dice, "  - {name: left, gap: \"x0 + 0.08\", restitution: 0.5}\n");
    scene_add(dice, "  - {name: right, gap: \"0.08 - x%d\", restitution: 0.3}\ninitial: {", count - 1);
    for (int i = 0; i < count; i++)
        scene_add(dice, "%sx%d': %.6f", i ? ", " : "", i, dice_between(dice, -1.5, 1.5));
    scene_add(dice, "}\n");
}

/* Heads of bodies in space. */
static inline void scene_body(scene_dice *dice, const char *name, double x, double y, double z, double spin)
{
    scene_add(
        dice,
        "  - {name: %s, mass: %.6f, position: [%.6f, %.6f, %.6f], velocity: [%.6f, %.6f, %.6f],\n"
        "     angular_velocity: [%.6f, %.6f, %.6f], orientation: {axis: [1, %.6f, 0.2], angle: %.6f},\n",
        name, dice_between(dice, 0.5, 2.0), x, y, z, dice_between(dice, -1, 1), dice_between(dice, -1, 1),
        dice_between(dice, -1, 0), dice_between(dice, -spin, spin), dice_between(dice, -spin, spin),
        dice_between(dice, -spin, spin), dice_between(dice, -1, 1), dice_between(dice, 0.1, 1.2));
}

/* One to three rods on ball joints, with balls at their ends, above a floor and beside a wall: up to 6
 * contacts. */
static inline void scene_chain(scene_dice *dice)
{
    int count = dice_count(dice, 1, 3);
    char laws[128];
    scene_laws(dice, laws, sizeof laws);
    scene_add(dice, "name: chain\ngravity: [0, %.6f, -9.81]\nbodies:\n", dice_between(dice, -2, 2));
    for (int i = 0; i < count; i++) {
        double inertia = dice_between(dice, 0.01, 0.03);
        scene_add(dice,
                  "  - {name: rod%d, mass: %.6f, inertia: [0.005, %.6f, %.6f], position: [%.6f, 0, 0],\n"
                  "     shapes: [{name: s%d, type: sphere, radius: 0.05, position: [0.15, 0, 0]}]}\n",
                  i, dice_between(dice, 0.5, 2), inertia, inertia, 0.15 + 0.3 * i, i);
    }
    scene_add(dice,
              "ground:\n  shapes:\n    - {name: floor, type: plane, position: [0, 0, %.6f]}\n"
              "    - {name: wall, type: plane, position: [%.6f, 0, 0], orientation: {axis: [0, 1, 0], angle: "
              "pi/2}}\njoints:\n",
              dice_between(dice, -0.35, -0.2), dice_between(dice, -0.1, 0.1));
    for (int i = 0; i < count; i++) {
        char before[16] = "ground";
        if (i > 0) snprintf(before, sizeof before, "rod%d", i - 1);
        scene_add(dice, "  - {name: j%d, type: spherical, bodies: [%s, rod%d], point: [%.6f, 0, 0]}\n", i,
                  before, i, 0.3 * i);
    }
    scene_add(dice, "contacts:\n");
    for (int i = 0; i < count; i++)
        scene_add(dice,
                  "  - {name: f%d, between: [floor, s%d], %s}\n  - {name: w%d, between: [wall, s%d], %s}\n",
                  i, i, laws, i, i, laws);
}

/* One to four balls that fall on a plane and on each other: up to 10 contacts. */
static inline void scene_balls(scene_dice *dice)
{
    int count = dice_count(dice, 1, 4);
    char laws[128], name[8];
    scene_laws(dice, laws, sizeof laws);
    scene_add(dice, "name: balls\ngravity: [0, 0, -9.81]\nbodies:\n");
    for (int k = 0; k < count; k++) {
        snprintf(name, sizeof name, "b%d", k);
        scene_body(dice, name, 0.16 * (k % 2) + dice_between(dice, -0.05, 0.05),
                   dice_between(dice, -0.05, 0.05), 0.3 + 0.35 * k, 2.0);
        scene_add(dice, "     shapes: [{name: s%d, type: sphere, radius: 0.15}]}\n", k);
    }
    scene_add(dice, "ground: {shapes: [{name: floor, type: plane}]}\ncontacts:\n");
    for (int k = 0; k < count; k++)
        scene_add(dice, "  - {name: c%d, between: [floor, s%d], %s}\n", k, k, laws);
    for (int k = 1; k < count; k++)
        for (int i = 0; i < k; i++)
            scene_add(dice, "  - {name: p%d%d, between: [s%d, s%d], %s}\n", i, k, i, k, laws);
}

/* A thrown box: 8 corners, of which 4 may rest. */
static inline void scene_box(scene_dice *dice)
{
    char laws[128];
    scene_laws(dice, laws, sizeof laws);
    scene_add(dice, "name: box\ngravity: [0, 0, -9.81]\nbodies:\n");
    scene_body(dice, "b", 0, 0, 0.35, 3.0);
    scene_add(dice, "     shapes: [{name: s, type: box, size: [%.6f, %.6f, %.6f]}]}\n",
              dice_between(dice, 0.1, 0.4), dice_between(dice, 0.1, 0.4), dice_between(dice, 0.1, 0.4));
    scene_add(
        dice,
        "ground: {shapes: [{name: floor, type: plane}]}\ncontacts:\n  - {name: c, between: [floor, s], %s}\n",
        laws);
}

/* A body with three or four feet (spheres) on a floor and at a wall: up to 8 contacts. */
static inline void scene_feet(scene_dice *dice)
{
    int feet = dice_count(dice, 3, 4);
    char laws[128];
    bool has_wall = dice_between(dice, 0, 1) < 0.5;
    scene_laws(dice, laws, sizeof laws);
    scene_add(dice, "name: feet\ngravity: [0, 0, -9.81]\nbodies:\n");
    scene_body(dice, "b", 0, 0, 0.4, 2.0);
    scene_add(dice, "     inertia: [%.6f, %.6f, %.6f],\n     shapes: [", dice_between(dice, 0.01, 0.02),
              dice_between(dice, 0.01, 0.02), dice_between(dice, 0.01, 0.02));
    for (int k = 0; k < feet; k++) {
        double angle = 6.283185307179586 * k / feet;
        scene_add(dice, "%s{name: f%d, type: sphere, radius: 0.05, position: [%.6f, %.6f, %.6f]}%s",
                  k > 0 ? ", " : "", k, 0.2 * cos(angle), 0.2 * sin(angle),
                  -0.05 - dice_between(dice, 0, 0.1), k + 1 == feet ? "]}\n" : "");
    }
    scene_add(dice, "ground:\n  shapes:\n    - {name: floor, type: plane}\n");
    if (has_wall)
        scene_add(dice, "    - {name: wall, type: plane, position: [0.35, 0, 0], orientation: {axis: [0, 1, "
                        "0], angle: -pi/2}}\n");
    scene_add(dice, "contacts:\n");
    for (int k = 0; k < feet; k++) {
        scene_add(dice, "  - {name: c%d, between: [floor, f%d], %s}\n", k, k, laws);
        if (has_wall) scene_add(dice, "  - {name: w%d, between: [wall, f%d], %s}\n", k, k, laws);
    }
}

/* Balls that run down a groove of two planes: up to 3 (2 planes) + 3 contacts. */
static inline void scene_groove(scene_dice *dice)
{
    int count = dice_count(dice, 1, 3);
    char laws[128], name[8];
    scene_laws(dice, laws, sizeof laws);
    scene_add(dice, "name: groove\ngravity: [2, 0, -9.81]\nbodies:\n");
    for (int k = 0; k < count; k++) {
        snprintf(name, sizeof name, "b%d", k);
        scene_body(dice, name, 0.32 * k, dice_between(dice, -0.02, 0.02), 0.25 + dice_between(dice, 0, 0.1),
                   2.0);
        scene_add(dice, "     shapes: [{name: s%d, type: sphere, radius: 0.15}]}\n", k);
    }
    scene_add(dice,
              "ground:\n  shapes:\n"
              "    - {name: left, type: plane, orientation: {axis: [1, 0, 0], angle: 0.7}}\n"
              "    - {name: right, type: plane, orientation: {axis: [1, 0, 0], angle: -0.7}}\ncontacts:\n");
    for (int k = 0; k < count; k++)
        scene_add(dice,
                  "  - {name: l%d, between: [left, s%d], %s}\n  - {name: r%d, between: [right, s%d], %s}\n",
                  k, k, laws, k, k, laws);
    for (int k = 1; k < count; k++)
        for (int i = 0; i < k; i++)
            scene_add(dice, "  - {name: p%d%d, between: [s%d, s%d], %s}\n", i, k, i, k, laws);
}

static inline void random_scene_text(scene_dice *dice, int number)
{
    static void (*const families[])(scene_dice *) = {scene_rectangle, scene_balls,  scene_train, scene_box,
                                                     scene_feet,      scene_groove, scene_chain};
    families[number % 7](dice);
    scene_add(dice, "simulate: {dt: 5e-3, until: 0.6}\n");
}

enum { SCENE_ROWS = 128, SCENE_COORDINATES = 32, SCENE_IMPACTS = 2048 };
static const double scene_row = 5e-3; /* [s] between rows */

typedef struct scene_motion {
    int n, rows;
    double q[SCENE_ROWS][SCENE_COORDINATES];
    double jumps[SCENE_ROWS]; /* sum of changes of velocities in impacts until the row [m/s] */
    double jump;
    int impacts;
    double impact_time[SCENE_IMPACTS];
    bool is_done;
    char reason[1024];
} scene_motion;

static inline bool scene_watch(void *context, const tp_simulation *simulation)
{
    scene_motion *to = context;
    int count;
    const tp_event *events = tp_simulation_events(simulation, &count);
    for (int i = 0; i < count; i++) {
        double change = 0.0;
        if (events[i].kind != TP_EVENT_IMPACT) continue;
        for (int k = 0; k < 3; k++)
            if (isfinite(events[i].velocity_after[k]))
                change = hypot(change, events[i].velocity_after[k] - events[i].velocity_before[k]);
        to->jump += change;
        if (to->impacts < SCENE_IMPACTS) to->impact_time[to->impacts++] = events[i].time;
    }
    double t = tp_simulation_time(simulation), row = t / scene_row;
    if (fabs(row - (to->rows + 1)) < 1e-6 && to->rows < SCENE_ROWS) {
        for (int i = 0; i < to->n; i++) to->q[to->rows][i] = tp_simulation_q(simulation)[i];
        to->jumps[to->rows++] = to->jump;
    }
    return true;
}

static inline scene_motion *run_random(const tp_scene *scene, const char *integrator, double dt)
{
    scene_motion *to = calloc(1, sizeof *to);
    tp_simulation_options options = scene->options;
    tp_simulation *simulation = NULL;
    tp_message why = {""};
    options.integrator = integrator;
    options.time_step = dt;
    options.rtol = 1e-9;
    options.atol = 1e-10;
    if (tp_simulation_create(NULL, scene->model, &options, &simulation, &why) != TP_OK) {
        snprintf(to->reason, sizeof to->reason, "%s", why.text);
        return to;
    }
    tp_restart state;
    tp_simulation_checkpoint(simulation, &state);
    to->n = state.q_count < SCENE_COORDINATES ? state.q_count : SCENE_COORDINATES;
    to->is_done = tp_simulation_run(simulation, scene_watch, to, NULL) == TP_OK;
    snprintf(to->reason, sizeof to->reason, "%s", tp_simulation_report(simulation)->reason);
    tp_simulation_free(simulation);
    return to;
}

typedef enum scene_verdict { SCENE_AGREES, SCENE_STOPS, SCENE_SPLIT, SCENE_DIFFERS } scene_verdict;

typedef struct scene_judgement {
    scene_verdict verdict;
    int rows, impacts;  /* compared, and impacts before their end    */
    double until;       /* [s] to where two steps of moreau agree    */
    double off, change; /* [m], [1]: largest difference until there  */
    char reason[1024];
} scene_judgement;

/* Before chaos: moreau with steps dt and dt/4 differ by no more than this [m, or 1 of quaternions]. */
static const double scene_chaos = 5e-3;

static inline double row_difference(const scene_motion *a, const scene_motion *b, int row)
{
    double largest = 0.0;
    for (int i = 0; i < a->n; i++) largest = fmax(largest, fabs(a->q[row][i] - b->q[row][i]));
    return largest;
}

/* Before a time: several contacts strike at one instant, and moreau strikes them in different steps, because
   its gaps at the start of a step are not exact. Newton's law is not continuous there: in turn and together
   are different impacts, however small the step. */
static inline bool strikes_in_turn(const scene_motion *event, const scene_motion *fine, double step,
                                   double until)
{
    for (int i = 1; i < event->impacts; i++) {
        double t = event->impact_time[i], first = INFINITY, last = -INFINITY;
        if (t > until || t != event->impact_time[i - 1]) continue;
        for (int k = 0; k < fine->impacts; k++) {
            if (fabs(fine->impact_time[k] - t) > 10.0 * step) continue;
            first = fmin(first, fine->impact_time[k]);
            last = fmax(last, fine->impact_time[k]);
        }
        if (last > first) return true;
    }
    return false;
}

/* moreau tends to the motion, irregularly, as its step falls. Its step sees an impact up to a step late,
   which moves a body by its change of velocity times the step, so that the sum of these changes times the
   fine step bounds what impacts do directly; what the motion makes of it later shows in what the last
   division of the step by four has changed. They agree where the difference is at most four times the latter
   and twice the former, at all rows before two steps of moreau disagree. */
static inline void judge_motions(const scene_motion *event, const scene_motion *coarse,
                                 const scene_motion *fine, double dt, scene_judgement *out)
{
    out->verdict = SCENE_AGREES;
    if (fine->rows < 20 || coarse->rows < 20) {
        out->verdict = SCENE_DIFFERS; /* steps of moreau must end at rows */
        snprintf(out->reason, sizeof out->reason, "only %d rows to compare with", fine->rows);
    }
    for (int row = 0; row < event->rows && row < fine->rows && row < coarse->rows; row++) {
        double change = row_difference(coarse, fine, row), off = row_difference(event, fine, row);
        if (change > scene_chaos) break;
        out->change = fmax(out->change, change);
        out->off = fmax(out->off, off);
        out->rows = row + 1;
        out->until = (row + 1) * scene_row;
        double bound =
            4.0 * out->change + 2.0 * (0.25 * dt) * (fmax(event->jumps[row], fine->jumps[row]) + 1.0);
        if (off <= bound) continue;
        out->verdict = strikes_in_turn(event, fine, 0.25 * dt, out->until) ? SCENE_SPLIT : SCENE_DIFFERS;
        snprintf(out->reason, sizeof out->reason, "off by %.3g at %.3f s, where %.3g is allowed", off,
                 out->until, bound);
        return;
    }
}

static inline tp_scene *random_scene(int number)
{
    char text[8192];
    scene_dice dice = {(unsigned long long)number * 7919ULL + 12345ULL, text, sizeof text, 0};
    for (int k = 0; k < 8; k++) dice_between(&dice, 0.0, 1.0);
    random_scene_text(&dice, number);
    return scene_of(text);
}

/* With steps dt and dt/4 of moreau. */
static inline scene_judgement judge_random_at(int number, double dt)
{
    scene_judgement out = {0};
    tp_scene *scene = random_scene(number);
    scene_motion *event = run_random(scene, "event-driven", scene_row),
                 *coarse = run_random(scene, "moreau", dt), *fine = run_random(scene, "moreau", dt / 4.0);
    if (!fine->is_done || !coarse->is_done) /* then the rows before are compared */
        print_message("scene %d: moreau stops: %s\n", number, fine->is_done ? coarse->reason : fine->reason);
    judge_motions(event, coarse, fine, dt, &out);
    out.impacts = event->impacts;
    if (!event->is_done && out.verdict == SCENE_AGREES) {
        out.verdict = SCENE_STOPS;
        snprintf(out.reason, sizeof out.reason, "%s", event->reason);
    }
    free(event);
    free(coarse);
    free(fine);
    tp_scene_free(scene);
    return out;
}

/* Where they differ, moreau may still be on its way: then once more with a quarter of its steps, within the
   smaller bounds that belong to these. */
static inline scene_judgement judge_random(int number, double dt)
{
    scene_judgement out = judge_random_at(number, dt);
    return out.verdict == SCENE_DIFFERS ? judge_random_at(number, dt / 4.0) : out;
}

/* Scenes [first, first + count): how many agree; those that stop say why, those that moreau strikes in turn.
 */
static inline int count_agreeing(int first, int count, double dt, int *stopped_out, int *split_out)
{
    static const char *const words[] = {"agrees", "STOPS", "SPLIT", "DIFFERS"};
    int agreeing = 0;
    *stopped_out = *split_out = 0;
    for (int i = first; i < first + count; i++) {
        scene_judgement of = judge_random(i, dt);
        agreeing += of.verdict == SCENE_AGREES;
        *stopped_out += of.verdict == SCENE_STOPS && strlen(of.reason) > 20;
        *split_out += of.verdict == SCENE_SPLIT;
        print_message("scene %3d %-8s %3d impacts, until %.3f s, off %.2g, moreau changes %.2g %s\n", i,
                      words[of.verdict], of.impacts, of.until, of.off, of.change, of.reason);
    }
    return agreeing;
}

#endif
