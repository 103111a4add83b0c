/* The energy-consistent integrators on models with u = q'; theory/consistent.md. One step (9)-(16), or two:
   an impact at the start (17), then the smooth step. */
#include "consistent_laws.h"
#include "consistent_settle.h"
#include "consistent_watch.h"
#include "impact.h"
#include "law_rows.h"

#include <math.h>
#include <string.h>

typedef struct consistent {
    tp_consistent_step *smooth;
    tp_consistent_watch *watch;
    double *u_after;     /* [u_count] after impacts */
    bool chose_at_begin; /* rows that are left out depend on others there, so that impacts leave them out too
                          */
} consistent;

/* What distinguishes the integrators of this file. */
typedef struct consistent_variant {
    tp_consistent_scheme scheme; /* of the smooth step, and what comes before and after it: */
    bool has_impacts;
    bool projects; /* velocities onto joints: those of a scheme that holds them on positions alone */
    bool settles; /* velocities at the end, where the options ask for it; (57)                              */
} consistent_variant;

static tp_status prepare(tp_stepper *stepper, tp_arena *arena)
{
    const consistent_variant *variant = stepper->integrator->variant;
    const consistent *before = stepper->scratch;
    consistent *own = TP_ARENA_ARRAY(arena, consistent, 1);
    if (own == NULL) return TP_OUT_OF_MEMORY;
    own->u_after = TP_ARENA_ARRAY(arena, double, stepper->system->u_count);
    stepper->scratch = own;
    TP_TRY(tp_consistent_watch_create(arena, stepper->system, before != NULL ? before->watch : NULL,
                                      &own->watch));
    return tp_consistent_step_create(stepper, arena, &variant->scheme, &own->smooth);
}

const tp_consistent_step *tp_consistent_last_step(const tp_stepper *stepper)
{
    return ((const consistent *)stepper->scratch)->smooth;
}

/* A step has parts: their iterations and work add up, the largest residual counts. */
static void add_part(tp_step_report *report, const tp_step_report *part)
{
    report->iterations += part->iterations;
    report->work += part->work;
    report->residual = fmax(report->residual, part->residual);
    report->margin = fmax(report->margin, part->margin);
}

/* Laws that take part: contacts that are closed at the start, where the system is, and all others. Returns
   true if one of them can have an impact. */
static bool find_closed(tp_stepper *stepper, const tp_state *from, double dt, tp_state *to,
                        tp_step_report *report)
{
    bool has_impacts = false, keeps = stepper->correction == NULL && stepper->kept_part > 0.0;
    if (keeps) tp_system_mass(stepper->system, stepper->M);
    for (int i = 0; i < stepper->system->law_count; i++) {
        tp_level level = tp_system_law(stepper->system, i)->level;
        to->is_closed[i] =
            keeps ? tp_law_is_closed(stepper, i, stepper->M, from, dt) : tp_law_takes_part(stepper, i);
        if (!to->is_closed[i]) continue;
        has_impacts = has_impacts || level != TP_LEVEL_POSITION;
        report->contact_count += level == TP_LEVEL_GAP;
    }
    return has_impacts;
}

/* The impact problem at the start, where the system is; (17). */
static tp_status impact(tp_stepper *stepper, tp_state *to, bool joints_alone, double *u,
                        tp_step_report *report)
{
    const tp_impact laws = {to->is_closed, joints_alone,
                            ((const consistent *)stepper->scratch)->chose_at_begin};
    return tp_impact_solve(stepper, &laws, u, to->impulse, report);
}

/* Rows that depend on others where the velocities of the start lead in a part of the step; the system is left
   at the start. */
static tp_status find_rows(tp_stepper *stepper, const tp_state *from, double time)
{
    tp_system *system = stepper->system;
    memcpy(stepper->q_middle, from->q, (size_t)system->q_count * sizeof(double));
    tp_system_change(system, from->u, time, stepper->q_middle);
    tp_system_move(system, from->t + time, stepper->q_middle, from->u);
    tp_status status = tp_redundancy_find(stepper->redundancy, stepper->M);
    tp_system_move(system, from->t, from->q, from->u);
    return status;
}

/* Which rows of joints are left out: those that depend on others at the start, where the system is, or in the
   middle or at the end, wherever these are most; (R5). */
static tp_status choose_rows(tp_stepper *stepper, const tp_state *from, double dt)
{
    const double times[] = {0.0, 0.5 * dt, dt};
    int best = 0, last = 0, most = 0;
    tp_system_mass(stepper->system, stepper->M);
    TP_TRY(tp_redundancy_find(stepper->redundancy, stepper->M));
    most = tp_redundancy_count(stepper->redundancy);
    for (int k = 1; k < 3 && tp_redundancy_is_near(stepper->redundancy); k++) {
        TP_TRY(find_rows(stepper, from, times[k]));
        last = k;
        if (tp_redundancy_count(stepper->redundancy) <= most) continue;
        best = k;
        most = tp_redundancy_count(stepper->redundancy);
    }
    ((consistent *)stepper->scratch)->chose_at_begin = best == 0;
    return best == last ? TP_OK : find_rows(stepper, from, times[best]);
}

/* Both, where they are needed; counts what they cost in the report. */
static tp_status first_step(tp_stepper *stepper, tp_state *to, bool projects, bool has_impact, double *u,
                            tp_step_report *report)
{
    tp_step_report one = {0};
    tp_status status = TP_OK;
    if (projects && stepper->model->constraint_count > 0) {
        status = impact(stepper, to, true, u, &one);
        add_part(report, &one);
    }
    if (!has_impact || !tp_stepper_accepts(stepper, status)) return status;
    tp_status hit = impact(stepper, to, false, u, &one);
    add_part(report, &one);
    return hit == TP_OK ? status : hit;
}

/* Those of the smooth step follow. */
static void add_smooth_impulses(const tp_stepper *stepper, const tp_consistent_step *smooth, tp_state *to)
{
    for (int i = 0; i < smooth->law_count; i++) {
        const tp_consistent_law *law = &smooth->laws[i];
        for (int k = 0; k < tp_system_law(stepper->system, law->law)->row_count; k++)
            to->impulse[law->law * TP_LAW_ROWS + k] += smooth->problem->P[law->first + k];
    }
}

/* The smooth step from u_after, with the laws that take part and the rows of joints that are chosen. */
static tp_status solve_smooth_step(tp_stepper *stepper, const tp_state *from, double dt, const tp_state *to,
                                   tp_step_report *report)
{
    consistent *own = stepper->scratch;
    static const double no_start[TP_LAW_ROWS] = {0.0};
    tp_consistent_step_begin(own->smooth, from->t, dt, from->q, own->u_after, from->u);
    for (int i = 0; i < stepper->system->law_count; i++) {
        /* joints start from 0, so that redundant ones get the reactions of least norm, and friction that
           follows them with them */
        const tp_law *law = tp_system_law(stepper->system, i);
        bool starts_from_0 = law->set.kind == TP_SET_FREE || law->master_count > 0;
        if (to->is_closed[i])
            tp_consistent_step_add_law(own->smooth, i,
                                       starts_from_0 ? no_start : from->impulse + (size_t)i * TP_LAW_ROWS);
        if (to->is_closed[i]) tp_consistent_step_leave_out(own->smooth, stepper->redundancy);
    }
    return tp_consistent_step_solve(own->smooth, report);
}

/* The same with rows that depend on others left out, if those hold at the end by themselves: a rank that is
   lower for an instant does not make them redundant. */
static tp_status smooth_step(tp_stepper *stepper, const tp_state *from, double dt, const tp_state *to,
                             tp_step_report *report)
{
    consistent *own = stepper->scratch;
    int iterations = 0;
    double work = 0.0;
    for (;;) {
        tp_status status = solve_smooth_step(stepper, from, dt, to, report);
        report->iterations = iterations += report->iterations;
        report->work = work += report->work;
        if (!tp_stepper_accepts(stepper, status)) return status;
        if (!tp_consistent_step_keep_needed(own->smooth, stepper->redundancy)) return status;
    }
}

/* The velocities at the end of laws that stick; (57). */
static tp_status settle(tp_stepper *stepper, tp_state *to, tp_step_report *report)
{
    const consistent *own = stepper->scratch;
    tp_step_report one = {0};
    tp_status status = tp_consistent_settle(own->smooth, own->chose_at_begin, to, &one);
    add_part(report, &one);
    return status;
}

static tp_status take_step(tp_stepper *stepper, const tp_state *from, double dt, tp_state *to,
                           tp_step_report *report)
{
    const consistent_variant *variant = stepper->integrator->variant;
    tp_system *system = stepper->system;
    consistent *own = stepper->scratch;
    tp_consistent_step *smooth = own->smooth;
    size_t bytes = (size_t)system->u_count * sizeof(double);
    smooth->directions_at_start = stepper->options->consistent.directions_at_start;
    smooth->midpoint->is_at_begin = stepper->options->consistent.rotation_at_start;
    smooth->settles = variant->settles && stepper->options->consistent.settles;

    tp_system_move(system, from->t, from->q, from->u);
    bool has_impact = find_closed(stepper, from, dt, to, report) && variant->has_impacts;
    memcpy(own->u_after, from->u, bytes);
    memset(to->impulse, 0, (size_t)stepper->system->law_count * TP_LAW_ROWS * sizeof(double));
    TP_TRY(choose_rows(stepper, from, dt));
    tp_status hit = first_step(stepper, to, variant->projects, has_impact, own->u_after, report);
    if (!tp_stepper_accepts(stepper, hit)) return hit;
    tp_step_report before = *report;
    tp_status status = smooth_step(stepper, from, dt, to, report);
    add_part(report, &before);
    if (!tp_stepper_accepts(stepper, status)) return status;

    memcpy(to->q, smooth->midpoint->q_end, (size_t)system->q_count * sizeof(double));
    memcpy(to->u, smooth->u_end, bytes);
    add_smooth_impulses(stepper, smooth, to);
    tp_consistent_step_book(smooth, &stepper->account);
    tp_status end = smooth->settles ? settle(stepper, to, report) : TP_OK;
    if (!tp_stepper_accepts(stepper, end)) return end;
    tp_consistent_watch_step(own->watch, smooth, from, to);
    tp_redundancy_share(stepper->redundancy, to->impulse);
    tp_stepper_add_work(stepper, from->t + 0.5 * dt, smooth->midpoint->q_middle, smooth->u_middle, dt,
                        report);
    if (status == TP_OK) status = hit;
    return status == TP_OK ? end : status;
}

/* A joint may have two sets: its first rows tell which it is. */
static int law_of_set(const tp_stepper *stepper, int set)
{
    const tp_consistent_step *smooth = tp_consistent_last_step(stepper);
    int first = smooth->problem->problem.sets[set].first;
    for (int i = 0; i < smooth->law_count; i++) {
        if (smooth->laws[i].first == first || smooth->laws[i].second == first) return smooth->laws[i].law;
    }
    return -1;
}

static bool notice(const tp_stepper *stepper, tp_warning *warning)
{
    const consistent *own = stepper->scratch;
    return tp_consistent_watch_notice(own->watch, warning);
}

static const char own_velocities[] = "takes differences of coordinates, so that velocities must be rates",
                  flat_body[] = "makes affine bodies of rigid ones, whose mass matrix would be singular",
                  moving_law[] = "balances energies between laws that do not move by themselves",
                  moving_energy[] = "balances energies that depend on positions and velocities alone",
                  no_contact[] = "has joints alone (consistent-two-step has contacts)",
                  no_velocity_law[] =
                      "holds joints on positions (consistent-two-step has laws on velocities)",
                  constant_mass[] = "needs a constant mass matrix",
                  static_friction[] = "has friction of the mean velocity of a step, which does not say what "
                                      "sticks at its end";

/* What all of them refuse, and what they share. */
#define REFUSES                                                                                              \
    [TP_FEATURE_OWN_VELOCITIES] = own_velocities, [TP_FEATURE_MOVING_LAW] = moving_law,                      \
    [TP_FEATURE_MOVING_ENERGY] = moving_energy, [TP_FEATURE_STATIC_FRICTION] = static_friction
static const double *moved_to(const tp_stepper *stepper, const tp_state *to)
{
    (void)stepper;
    return to->q;
}

#define COMMON                                                                                               \
    .leaves_out_rows = TP_LEAVES_OUT_ALWAYS, .may_divide = true, .follows_contacts = true, .reach = 1.0,     \
    .balances_energy = true, .moved_to = moved_to, .law_of_set = law_of_set,                                 \
    .refuse = tp_system_check_discrete, .prepare = prepare, .step = take_step,                               \
    .stability_limit = tp_integrator_no_limit, .system = {.has_own_inertia = true}

/* Restitution acts on the displacements or impulses of contacts, so that they creep unless they are settled.
 */
#define SETTLES                                                                                              \
    .notice = {TP_WARNING_CONTACT_AT_REST, notice},                                                          \
    .warn = {{TP_WARNING_KINKED_GAP, tp_consistent_warn_of_kinks},                                           \
             {TP_WARNING_RESTITUTIONS_DIFFER, tp_consistent_warn_of_restitutions}}

const tp_integrator tp_integrator_consistent_position = {
    .info =
        {.name = "consistent-position",
         .text =
             "energy-consistent, joints on position level, rigid bodies as affine ones: energy and positions "
             "exact, velocities of joints oscillate, order 2"},
    .realisation = TP_REALISE_AFFINE,
    .refuses = {REFUSES, [TP_FEATURE_SCALABLE] = "needs coordinates whose rates are velocities",
                [TP_FEATURE_FLAT_BODY] = flat_body, [TP_FEATURE_VARIABLE_MASS] = constant_mass,
                [TP_FEATURE_CONTACT] = no_contact, [TP_FEATURE_VELOCITY_LAW] = no_velocity_law},
    .variant = &(
        const consistent_variant){{TP_CONSISTENT_JOINTS_ONLY, false, TP_TURN_SCALABLE}, false, false, false},
    .levels = {0, 0, 0, 0},
    COMMON,
};

const tp_integrator tp_integrator_consistent = {
    .info = {.name = "consistent",
             .text = "energy-consistent, joints on position and velocity level, all exact; order 2 with "
                     "constant mass, else 1"},
    .realisation = TP_REALISE_EITHER,
    .refuses = {REFUSES, [TP_FEATURE_CONTACT] = no_contact, [TP_FEATURE_VELOCITY_LAW] = no_velocity_law},
    .variant =
        &(const consistent_variant){{TP_CONSISTENT_JOINTS_ONLY, true, TP_TURN_SCALABLE}, false, false, false},
    .levels = {0, 1, 0, 1},
    COMMON,
};

const tp_integrator tp_integrator_consistent_elastic = {
    .info =
        {.name = "consistent-elastic",
         .text =
             "energy-consistent with elastic contacts in one step: energy exact, a closed gap never shrinks"},
    .realisation = TP_REALISE_EITHER,
    .refuses = {REFUSES, [TP_FEATURE_VARIABLE_MASS] = constant_mass,
                [TP_FEATURE_FRICTION] =
                    "has contacts without friction alone (consistent-two-step has friction)",
                [TP_FEATURE_PARTIAL_RESTITUTION] = "has elastic contacts alone: restitution must be 1",
                [TP_FEATURE_VELOCITY_LAW] = no_velocity_law},
    .variant = &(
        const consistent_variant){{TP_CONSISTENT_DISPLACEMENTS, true, TP_TURN_SCALABLE}, false, false, false},
    .warn = {{TP_WARNING_KINKED_GAP, tp_consistent_warn_of_kinks}},
    .levels = {0, 1, 0, 1},
    COMMON,
};

const tp_integrator tp_integrator_consistent_two_step = {
    .info = {.name = "consistent-two-step",
             .text =
                 "energy-consistent: impact, then smooth step; friction and restitution, closed gaps never "
                 "shrink, energy never grows where contacts that are closed together have one restitution; "
                 "velocities that friction holds change sign in every step unless they are settled "
                 "(consistent_sticking)"},
    .realisation = TP_REALISE_EITHER,
    .refuses = {REFUSES},
    SETTLES,
    .caveat = tp_consistent_caveat_of_two_steps,
    .variant =
        &(const consistent_variant){{TP_CONSISTENT_DISPLACEMENTS, true, TP_TURN_SCALABLE}, true, false, true},
    .levels = {0, 1, 0, 1},
    .may_separate = true,
    COMMON,
};

const tp_integrator tp_integrator_consistent_hybrid = {
    .info = {.name = "consistent-hybrid",
             .text = "energy-consistent smooth motion with Moreau's laws on velocities: energy "
                     "exact without contact, no oscillation in stick"},
    .realisation = TP_REALISE_EITHER,
    .refuses = {REFUSES},
    .variant =
        &(const consistent_variant){{TP_CONSISTENT_VELOCITIES, true, TP_TURN_SCALABLE}, false, false, false},
    .levels = {0, 1, 0, 1},
    .may_separate = true,
    COMMON,
};

const tp_integrator tp_integrator_consistent_quaternion = {
    .info =
        {.name = "consistent-quaternion",
         .text =
             "energy-consistent in one step, rigid bodies with unit quaternions: energy never grows where "
             "contacts that are closed together have one restitution; contacts with restitution below 1 "
             "sink, and creep although friction holds them, unless they are settled (consistent_sticking)"},
    .realisation = TP_REALISE_QUATERNION,
    .refuses = {REFUSES, [TP_FEATURE_SCALABLE] = "moves quaternions of unit length",
                [TP_FEATURE_VARIABLE_MASS] = constant_mass},
    SETTLES,
    .caveat = tp_consistent_caveat_of_one_step,
    .variant =
        &(const consistent_variant){{TP_CONSISTENT_IMPULSES, false, TP_TURN_CAYLEY}, false, false, true},
    .levels = {0, 1, 0, 1},
    COMMON,
};

const tp_integrator tp_integrator_consistent_quaternion_two_step = {
    .info = {.name = "consistent-quaternion-two-step",
             .text =
                 "energy-consistent: impact, then smooth step, rigid bodies with unit quaternions: closed "
                 "gaps never "
                 "shrink, energy never grows where contacts that are closed together have one restitution; "
                 "velocities that friction holds change sign in every step unless they are settled "
                 "(consistent_sticking)"},
    .realisation = TP_REALISE_QUATERNION,
    .refuses = {REFUSES, [TP_FEATURE_SCALABLE] = "moves quaternions of unit length",
                [TP_FEATURE_VARIABLE_MASS] = constant_mass},
    SETTLES,
    .caveat = tp_consistent_caveat_of_two_steps,
    .variant =
        &(const consistent_variant){{TP_CONSISTENT_DISPLACEMENTS, false, TP_TURN_CAYLEY}, true, true, true},
    .levels = {0, 1, 0, 1},
    .may_separate = true,
    COMMON,
};
