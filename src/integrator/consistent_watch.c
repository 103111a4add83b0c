/* What the energy-consistent schemes do to laws that stick, said when it happens and when a scene is checked;
   theory/consistent.md (51)-(56). */
#include "consistent_watch.h"
#include "consistent_settle.h"
#include "tolerances.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Sinking, creeping and swinging go on: an impact alone displaces a law that sticks, once. */
enum { STEPS_IN_A_ROW = 8 };

typedef enum fault_kind {
    SINKS,  /* a contact that pushes closes further                     */
    CREEPS, /* friction that sticks lets its contact move               */
    SWINGS, /* its velocity changes sign in every step                  */
    JOLTS,  /* friction has an impact without a collision, and reverses */
    FAULT_COUNT
} fault_kind;

typedef struct fault_text {
    int steps;                  /* in a row, before it is said */
    const char *before, *after; /* the speed                 */
} fault_text;

static const fault_text fault_texts[FAULT_COUNT] = {
    [SINKS] = {STEPS_IN_A_ROW, "sinks with", "as contacts with restitution below 1 do in this scheme"},
    [CREEPS] = {STEPS_IN_A_ROW, "creeps with", "although friction holds it, as this scheme does"},
    [SWINGS] = {STEPS_IN_A_ROW, "sticks with a velocity of",
                "that changes sign in every step, as this scheme does"},
    [JOLTS] = {1, "comes from an impact of friction without a collision with",
               "twice the impulse of the impact law, as this scheme does"}};

typedef struct fault {
    bool is_met, is_angle;
    char name[TP_CONTACT_NAME]; /* of the first law that was met */
    double speed;               /* [m/s], [rad/s]                   */
    double time;                /* [s]                              */
    bool is_said;
} fault;

struct tp_consistent_watch {
    fault faults[FAULT_COUNT];
    int (*count)[FAULT_COUNT]; /* [laws] steps in a row */
};

tp_status tp_consistent_watch_create(tp_arena *arena, const tp_system *system,
                                     const tp_consistent_watch *before, tp_consistent_watch **watch_out)
{
    typedef int counts[FAULT_COUNT];
    tp_consistent_watch *watch = TP_ARENA_ARRAY(arena, tp_consistent_watch, 1);
    *watch_out = watch;
    if (watch == NULL) return TP_OUT_OF_MEMORY;
    watch->count = TP_ARENA_ARRAY(arena, counts, system->law_count);
    if (before == NULL || watch->count == NULL) return tp_arena_status(arena);
    memcpy(watch->faults, before->faults, sizeof watch->faults);
    for (int i = 0; i < system->law_count; i++) {
        int old = tp_system_old_law(system, i);
        if (old >= 0) memcpy(watch->count[i], before->count[old], sizeof watch->count[i]);
    }
    return TP_OK;
}

/* Norm of W^T u over rows, 0 if it is small beside the velocities that make it. */
static double slip(const tp_consistent_step *step, const tp_consistent_law *own, tp_row_range rows,
                   const double *W, const double *u)
{
    const int *columns, count = tp_consistent_columns_of(step, own, &columns);
    double squared = 0.0, parts = 0.0;
    for (int k = rows.first; k < rows.end; k++) {
        const double *row = W + own->place + (size_t)(k * count);
        double velocity = tp_row_velocity(count, columns, row, u);
        squared += velocity * velocity;
        parts += tp_row_size(count, columns, row, u);
    }
    double size = sqrt(squared);
    return size > fmax(tp_creep_part * parts, tp_consistent_rest * step->xi_scale) ? size : 0.0;
}

/* Does its friction, or the law on velocities, hold what it acts on, with an impulse? */
static bool sticks(const tp_consistent_step *step, const tp_consistent_law *own, tp_row_range rows)
{
    double squared = 0.0, impulse = 0.0;
    for (int k = rows.first; k < rows.end; k++) {
        double xi = tp_consistent_contact_velocity(step, own, k);
        squared += xi * xi;
        impulse += fabs(step->problem->P[own->first + k]);
    }
    return impulse > 0.0 && sqrt(squared) <= tp_consistent_rest * step->xi_scale;
}

/* How fast the gap of a contact that pushes shrinks in the step. */
static double sinking(const tp_consistent_step *step, const tp_consistent_law *own)
{
    const int *columns, count = tp_consistent_columns_of(step, own, &columns);
    const double *W = step->W_middle + own->place;
    double velocity = tp_row_velocity(count, columns, W, step->u_middle),
           parts = tp_row_size(count, columns, W, step->u_middle);
    bool sinks = step->problem->P[own->first] > 0.0 &&
                 -velocity > fmax(tp_creep_part * parts, tp_consistent_rest * step->xi_scale);
    return sinks ? -velocity : 0.0;
}

/* Velocity that an impulse of 1 gives to row k of a law, and that forces give to it in the step. */
static double row_mobility(const tp_consistent_step *step, const tp_consistent_law *own, int k,
                           double *by_forces_out)
{
    const tp_system *system = step->stepper->system;
    const int *columns, count = tp_consistent_columns_of(step, own, &columns);
    const double *W = step->W_begin + own->place + (size_t)(k * count);
    *by_forces_out = step->dt * tp_row_change(system, step->M, count, columns, W, step->force);
    return tp_row_mobility(system, step->M, count, columns, W);
}

/* Is the impulse of a contact far above what forces do in the step, and did in the step before? */
static bool is_jolt(const tp_consistent_step *step, const tp_consistent_law *own, const tp_state *from)
{
    double by_forces, mobility = row_mobility(step, own, 0, &by_forces);
    double before = mobility * fabs(from->impulse[own->law * TP_LAW_ROWS]);
    return mobility * step->problem->P[own->first] > tp_jolt_ratio * fmax(by_forces, before);
}

/* The velocity up to which a swing is none. */
static double least_swing(const tp_consistent_step *step, const tp_consistent_law *own, tp_row_range rows)
{
    double most = 0.0, by_forces;
    for (int k = 0; k < rows.end; k++) {
        row_mobility(step, own, k, &by_forces);
        most = fmax(most, by_forces);
    }
    return tp_swing_part * most;
}

static void see(tp_consistent_watch *watch, const tp_system *system, fault_kind kind, int law, double speed,
                double time)
{
    fault *seen = &watch->faults[kind];
    int *count = &watch->count[law][kind];
    *count = speed > 0.0 ? *count + 1 : 0;
    if (*count < fault_texts[kind].steps || seen->is_met) return;
    *seen = (fault){.is_met = true,
                    .is_angle = tp_law_is_angle(tp_system_law(system, law), 0),
                    .speed = speed,
                    .time = time};
    tp_system_law_name(system, law, seen->name, sizeof seen->name);
}

void tp_consistent_watch_step(tp_consistent_watch *watch, const tp_consistent_step *step,
                              const tp_state *from, const tp_state *to)
{
    if (step->scheme.laws_on != TP_CONSISTENT_DISPLACEMENTS && step->scheme.laws_on != TP_CONSISTENT_IMPULSES)
        return;
    const tp_system *system = step->stepper->system;
    bool on_impulses = step->scheme.laws_on == TP_CONSISTENT_IMPULSES;
    for (int i = 0; i < step->law_count; i++) {
        const tp_consistent_law *own = &step->laws[i];
        const tp_law *law = tp_consistent_law_of(step, own);
        bool is_contact = law->level == TP_LEVEL_GAP;
        tp_row_range rows = tp_consistent_friction_rows(step, own);
        if (law->set.kind == TP_SET_FREE) continue;
        bool is_held = sticks(step, own, rows),
             swings = is_held && tp_consistent_swing(step, own, rows, to->u) > 0.0;
        double moved = is_held ? slip(step, own, rows, step->W_middle, step->u_middle) : 0.0,
               left = swings ? slip(step, own, rows, step->W_begin, to->u) : 0.0;
        see(watch, system, SINKS, own->law, on_impulses && is_contact ? sinking(step, own) : 0.0, to->t);
        see(watch, system, CREEPS, own->law, on_impulses ? moved : 0.0, to->t);
        double least = least_swing(step, own, rows);
        see(watch, system, SWINGS, own->law, moved > 0.0 || left <= least ? 0.0 : left, to->t);
        see(watch, system, JOLTS, own->law,
            !on_impulses && is_contact && left > 0.0 && is_jolt(step, own, from) ? left : 0.0, to->t);
    }
}

bool tp_consistent_watch_notice(tp_consistent_watch *watch, tp_warning *warning)
{
    for (int k = 0; k < FAULT_COUNT; k++) {
        fault *seen = &watch->faults[k];
        if (!seen->is_met || seen->is_said) continue;
        warning->figure = seen->speed;
        warning->unit = seen->is_angle ? "rad/s" : "m/s";
        warning->time = seen->time;
        snprintf(warning->subject, sizeof warning->subject, "%.150s", seen->name);
        snprintf(warning->text, sizeof warning->text,
                 "'%.60s' %s %.3g %s, %s; at t = %.4g s; consistent_sticking: settled avoids it", seen->name,
                 fault_texts[k].before, seen->speed, warning->unit, fault_texts[k].after, seen->time);
        return seen->is_said = true;
    }
    return false;
}

/* ---- what is known of a model beforehand ---- */

static bool has_law(const tp_model *model, bool (*is_such)(const tp_law *law))
{
    for (int i = 0; i < tp_model_stated_count(model); i++) {
        const tp_law *law = tp_model_stated_law(model, i);
        if (law != NULL && is_such(law)) return true;
    }
    return false;
}

static bool takes_part_of_impacts(const tp_law *law)
{
    bool is_partial = false;
    for (int k = 0; k < law->row_count; k++) is_partial = is_partial || law->restitution[k] < 1.0;
    return law->set.kind != TP_SET_FREE && is_partial;
}

/* Friction of contacts, and laws whose bound is a force: both vanish in an impact without a collision. */
static bool has_friction(const tp_law *law)
{
    bool is_rough = law->level == TP_LEVEL_GAP && law->row_count > 1;
    return (is_rough || law->is_force_bound || law->master_count > 0) && takes_part_of_impacts(law);
}

const char *tp_consistent_caveat_of_one_step(const tp_model *model, const tp_simulation_options *options)
{
    if (options->consistent.settles || !has_law(model, takes_part_of_impacts)) return NULL;
    return has_law(model, has_friction)
               ? "contacts at rest sink and friction that holds lets them creep, by half of what forces do "
                 "in "
                 "a step (restitution 0); consistent_sticking: settled avoids both"
               : "contacts at rest sink, by half of what forces do in a step (restitution 0); "
                 "consistent_sticking: settled avoids it";
}

const char *tp_consistent_caveat_of_two_steps(const tp_model *model, const tp_simulation_options *options)
{
    if (options->consistent.settles || !has_law(model, has_friction)) return NULL;
    return "velocities that friction holds change sign in every step, and an impulse that friction needs "
           "without a collision is twice that of the impact law; consistent_sticking: settled avoids both";
}
