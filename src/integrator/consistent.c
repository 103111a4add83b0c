/* The energy-consistent integrators on models with u = q'; theory/consistent.md. One step (9)-(16), or two:
   an impact at the begin (17), then the smooth step. */
#include "consistent_step.h"

#include <math.h>
#include <string.h>

/* What distinguishes the schemes. */
typedef struct scheme {
    tp_consistent_laws laws_on;
    bool has_velocity_level; /* joints also on velocity level */
    bool has_impact_step;
} scheme;

typedef struct consistent {
    tp_consistent_step *smooth;
    double *u_after; /* [u_count] after impacts */
} consistent;

static tp_status prepare(tp_stepper *stepper, tp_arena *arena)
{
    consistent *own = TP_ARENA_ARRAY(arena, consistent, 1);
    if (own == NULL) return TP_OUT_OF_MEMORY;
    own->u_after = TP_ARENA_ARRAY(arena, double, stepper->system->u_count);
    if (own->u_after == NULL) return TP_OUT_OF_MEMORY;
    stepper->scratch = own;
    stepper->system->has_own_inertia = true;
    return tp_consistent_step_create(stepper, arena, &own->smooth);
}

static const tp_law *law_at(const tp_stepper *stepper, int index)
{
    return TP_LIST_AT(stepper->model->laws, tp_law, index);
}

/* Laws that take part: contacts that are closed at the begin, where the system is, and all others. Returns
   true if one of them can have an impact. */
static bool find_closed(tp_stepper *stepper, const tp_state *from, tp_state *to, tp_step_report *report)
{
    bool has_impacts = false;
    for (int i = 0; i < stepper->model->laws.count; i++) {
        bool is_contact = law_at(stepper, i)->level == TP_LEVEL_GAP;
        to->is_closed[i] =
            !is_contact || tp_system_law_position(stepper->system, i) <= stepper->options->contact_tolerance;
        if (!to->is_closed[i]) continue;
        has_impacts = has_impacts || law_at(stepper, i)->level != TP_LEVEL_POSITION;
        if (!is_contact) continue;
        report->contact_count++;
        double chi[TP_LAW_ROWS], *W = stepper->problem->row;
        tp_system_law_rows(stepper->system, i, W, chi);
        double approach = tp_row_velocity(tp_system_law_column_count(stepper->system, i),
                                          tp_system_law_columns(stepper->system, i), W, from->u);
        if (!from->is_closed[i] && approach < 0.0) report->impact_count++;
    }
    return has_impacts;
}

/* M (u_after - u) = W P, -W^T (u_after + e u) in N(P), all at the begin; (17). */
static tp_status impact(tp_stepper *stepper, const tp_state *from, const tp_state *to, double *u_after,
                        tp_step_report *report)
{
    tp_system *system = stepper->system;
    const double no_time = 0.0; /* sets bounded by a force vanish in an impact */
    static const double no_start[TP_LAW_ROWS] = {0.0};
    tp_system_mass(system, stepper->M);
    tp_step_problem_begin(stepper->problem, &system->mass_pattern, stepper->M, NULL);
    for (int i = 0; i < stepper->model->laws.count; i++) {
        const tp_law *law = law_at(stepper, i);
        int count = tp_system_law_column_count(system, i);
        double *W = stepper->problem->row, chi[TP_LAW_ROWS], b[TP_LAW_ROWS];
        if (!to->is_closed[i]) continue;
        tp_system_law_rows(system, i, W, chi);
        for (int k = 0; k < law->row_count; k++) {
            double gamma = tp_row_velocity(count, tp_system_law_columns(system, i), W + k * count, from->u);
            b[k] = (1.0 + law->restitution[k]) * gamma;
        }
        tp_step_problem_add(stepper->problem, system, i, W, b, no_start, no_time);
    }
    tp_status status = tp_stepper_solve(stepper, report);
    for (int j = 0; j < system->u_count; j++) u_after[j] = from->u[j] + stepper->x[j];
    return status;
}

/* Percussions of the impact and of the smooth step together. */
static void keep_percussions(const tp_stepper *stepper, const tp_consistent_step *smooth, bool had_impact,
                             tp_state *to)
{
    const tp_step_problem *first = stepper->problem;
    memset(to->percussion, 0, (size_t)stepper->model->laws.count * TP_LAW_ROWS * sizeof(double));
    for (int i = 0; i < first->problem.set_count && had_impact; i++) {
        const tp_set *set = &first->problem.sets[i];
        for (int k = 0; k < set->size; k++)
            to->percussion[first->law[i] * TP_LAW_ROWS + k] = first->P[set->first + k];
    }
    for (int i = 0; i < smooth->law_count; i++) {
        const tp_consistent_law *law = &smooth->laws[i];
        for (int k = 0; k < law_at(stepper, law->law)->row_count; k++)
            to->percussion[law->law * TP_LAW_ROWS + k] += smooth->problem->P[law->first + k];
    }
}

/* The smooth step from u_after, with the laws that take part. */
static tp_status smooth_step(tp_stepper *stepper, const tp_state *from, double dt, const tp_state *to,
                             tp_step_report *report)
{
    consistent *own = stepper->scratch;
    static const double no_start[TP_LAW_ROWS] = {0.0};
    tp_consistent_step_begin(own->smooth, from->t, dt, from->q, own->u_after, from->u);
    for (int i = 0; i < stepper->model->laws.count; i++) {
        /* joints start from 0, so that redundant ones get the reactions of least norm */
        bool is_free = law_at(stepper, i)->set.kind == TP_SET_FREE;
        if (to->is_closed[i])
            tp_consistent_step_add_law(own->smooth, i,
                                       is_free ? no_start : from->percussion + (size_t)i * TP_LAW_ROWS);
    }
    return tp_consistent_step_solve(own->smooth, report);
}

static tp_status take_step(tp_stepper *stepper, const scheme *kind, const tp_state *from, double dt,
                           tp_state *to, tp_step_report *report)
{
    tp_system *system = stepper->system;
    consistent *own = stepper->scratch;
    tp_consistent_step *smooth = own->smooth;
    size_t bytes = (size_t)system->u_count * sizeof(double);
    smooth->laws_on = kind->laws_on;
    smooth->has_velocity_level = kind->has_velocity_level;
    smooth->directions_at_begin = stepper->options->consistent.directions_at_begin;

    tp_system_move(system, from->t, from->q, from->u);
    bool has_impact = find_closed(stepper, from, to, report) && kind->has_impact_step;
    memcpy(own->u_after, from->u, bytes);
    tp_status hit = has_impact ? impact(stepper, from, to, own->u_after, report) : TP_OK;
    if (!tp_stepper_accepts(stepper, hit)) return hit;
    tp_step_report first = *report;
    tp_status status = smooth_step(stepper, from, dt, to, report);
    if (has_impact) {
        report->iterations += first.iterations;
        report->residual = fmax(report->residual, first.residual);
    }
    if (!tp_stepper_accepts(stepper, status)) return status;

    memcpy(to->q, smooth->q_end, bytes);
    memcpy(to->u, smooth->u_end, bytes);
    to->t = from->t + dt;
    keep_percussions(stepper, smooth, has_impact, to);
    if (stepper->model->has_applied_power) {
        tp_system_move(system, from->t + 0.5 * dt, smooth->q_middle, smooth->u_middle);
        report->applied_work += dt * tp_system_applied_power(system);
    }
    return status == TP_OK ? hit : status;
}

static tp_status refuse(const tp_model *model, tp_message *why_out)
{
    return tp_system_check_discrete(model, why_out);
}

/* Energy is bounded, whatever the step. */
static double stability_limit(const tp_simulation_options *options)
{
    (void)options;
    return INFINITY;
}

#define OWN_VELOCITIES                                                                                       \
    {                                                                                                        \
        TP_FEATURE_OWN_VELOCITIES, "takes differences of coordinates, so that velocities must be rates"      \
    }
#define RIGID_BODY                                                                                           \
    {                                                                                                        \
        TP_FEATURE_QUATERNION, "needs coordinates whose rates are velocities"                                \
    }
#define MOVING_LAW                                                                                           \
    {                                                                                                        \
        TP_FEATURE_MOVING_LAW, "balances energies between laws that do not move by themselves"               \
    }
#define MOVING_ENERGY                                                                                        \
    {                                                                                                        \
        TP_FEATURE_MOVING_ENERGY, "balances energies that depend on positions and velocities alone"          \
    }
#define NO_CONTACT                                                                                           \
    {                                                                                                        \
        TP_FEATURE_CONTACT, "has joints alone (consistent-two-step has contacts)"                            \
    }
#define NO_VELOCITY_LAW                                                                                      \
    {                                                                                                        \
        TP_FEATURE_VELOCITY_LAW, "holds joints on positions (consistent-two-step has laws on velocities)"    \
    }
#define CONSTANT_MASS                                                                                        \
    {                                                                                                        \
        TP_FEATURE_VARIABLE_MASS, "needs a constant mass matrix"                                             \
    }
#define END                                                                                                  \
    {                                                                                                        \
        TP_FEATURE_COUNT, NULL                                                                               \
    }

#define DEFINE_STEP(name, ...)                                                                               \
    static tp_status name(tp_stepper *stepper, const tp_state *from, double dt, tp_state *to,                \
                          tp_step_report *report)                                                            \
    {                                                                                                        \
        static const scheme kind = {__VA_ARGS__};                                                            \
        return take_step(stepper, &kind, from, dt, to, report);                                              \
    }

DEFINE_STEP(step_position, TP_CONSISTENT_JOINTS_ONLY, false, false)
DEFINE_STEP(step_consistent, TP_CONSISTENT_JOINTS_ONLY, true, false)
DEFINE_STEP(step_elastic, TP_CONSISTENT_DISPLACEMENTS, true, false)
DEFINE_STEP(step_two, TP_CONSISTENT_DISPLACEMENTS, true, true)
DEFINE_STEP(step_hybrid, TP_CONSISTENT_VELOCITIES, true, false)

static const tp_refusal position_refusals[] = {OWN_VELOCITIES,  RIGID_BODY, CONSTANT_MASS, NO_CONTACT,
                                               NO_VELOCITY_LAW, MOVING_LAW, MOVING_ENERGY, END};
static const tp_refusal consistent_refusals[] = {OWN_VELOCITIES, RIGID_BODY,    NO_CONTACT, NO_VELOCITY_LAW,
                                                 MOVING_LAW,     MOVING_ENERGY, END};
static const tp_refusal elastic_refusals[] = {
    OWN_VELOCITIES,
    RIGID_BODY,
    CONSTANT_MASS,
    {TP_FEATURE_FRICTION, "has contacts without friction alone (consistent-two-step has friction)"},
    {TP_FEATURE_PARTIAL_RESTITUTION, "has elastic contacts alone: restitution must be 1"},
    NO_VELOCITY_LAW,
    MOVING_LAW,
    MOVING_ENERGY,
    END};
static const tp_refusal two_step_refusals[] = {OWN_VELOCITIES, RIGID_BODY, MOVING_LAW, MOVING_ENERGY, END};

#define COMMON .refuse = refuse, .prepare = prepare, .stability_limit = stability_limit

const tp_integrator tp_integrator_consistent_position = {
    .info = {"consistent-position",
             "energy-consistent, joints on position level: energy and positions exact, "
             "velocities of joints oscillate, order 2"},
    .refusals = position_refusals,
    .step = step_position,
    .levels = {0, 0, 0, 0},
    COMMON,
};

const tp_integrator tp_integrator_consistent = {
    .info = {"consistent",
             "energy-consistent, joints on position and velocity level, all exact; order 2 with "
             "constant mass, else 1"},
    .refusals = consistent_refusals,
    .step = step_consistent,
    .levels = {0, 1, 0, 1},
    COMMON,
};

const tp_integrator tp_integrator_consistent_elastic = {
    .info = {"consistent-elastic",
             "energy-consistent with elastic contacts in one step: energy exact, a closed gap never shrinks"},
    .refusals = elastic_refusals,
    .step = step_elastic,
    .levels = {0, 1, 0, 1},
    COMMON,
};

const tp_integrator tp_integrator_consistent_two_step = {
    .info = {"consistent-two-step", "energy-consistent: impact, then smooth step; friction and restitution, "
                                    "energy never grows, closed gaps never shrink"},
    .refusals = two_step_refusals,
    .step = step_two,
    .levels = {0, 1, 0, 1},
    COMMON,
};

const tp_integrator tp_integrator_consistent_hybrid = {
    .info = {"consistent-hybrid", "energy-consistent smooth motion with Moreau's laws on velocities: energy "
                                  "exact without contact, no oscillation in stick"},
    .refusals = two_step_refusals,
    .step = step_hybrid,
    .levels = {0, 1, 0, 1},
    COMMON,
};
