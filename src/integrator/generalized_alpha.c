/* The nonsmooth generalized-alpha scheme; theory/generalized-alpha.md. Joints and contacts hold on positions,
   velocities and accelerations, friction on the last two. A state is t, q, u, accelerations and forces of
   laws, and their means a-bar, lambda-bar, from which the next step goes on. */
#include "alpha_step.h"
#include "implicit_step.h"
#include "system/discrete.h"
#include "tolerances.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MEMORY_ACCELERATION, MEMORY_MEAN_ACCELERATION, MEMORY_FORCE };

static const tp_memory_field memory_fields[] = {
    [MEMORY_ACCELERATION] = {"acceleration", TP_MEMORY_PER_VELOCITY},
    [MEMORY_MEAN_ACCELERATION] = {"mean_acceleration", TP_MEMORY_PER_VELOCITY},
    [MEMORY_FORCE] = {"force", TP_MEMORY_PER_VELOCITY},
    {NULL, TP_MEMORY_ONE},
};

static tp_status prepare(tp_stepper *stepper, tp_arena *arena)
{
    tp_alpha_step *step;
    TP_TRY(tp_alpha_step_create(stepper, arena, &step));
    stepper->scratch = step;
    return TP_OK;
}

/* How a step is tried. */
typedef enum alpha_manner {
    LAWS_AS_THEY_STAND,
    ROWS_OF_THE_START,
    ALL_CASES,
    LOOSE_LAWS,
    LATCHED_LAWS,
    MANNERS
} alpha_manner;

/* Cases that are tried at most: four contacts with friction. */
enum { MOST_CASES = 256 };

/* Nothing is known of the laws of a step. */
static tp_status begin(tp_alpha_step *step, const tp_state *from, double dt, double t)
{
    size_t laws = (size_t)step->stepper->system->law_count;
    memset(step->has_kink, 0, laws);
    memset(step->is_missed, 0, laws);
    step->has_answer = false;
    tp_alpha_step_begin(step, from, dt, t);
    tp_alpha_laws_bind(step);
    return tp_redundancy_find(step->stepper->redundancy, step->M);
}

/* Accelerations of a try: those of the last step. What is rounding of those that laws act on is left out:
   kept as the answer of step after step, it would add up to velocities at which friction slips. */
static void start_accelerations(tp_alpha_step *step)
{
    double none = tp_alpha_rest * step->xi_scale;
    for (int j = 0; j < step->stepper->system->u_count; j++) {
        double along_rows = step->lever[j] * fabs(step->a[j]);
        bool is_rounding = along_rows > 0.0 && along_rows <= none;
        step->problem->x[j] = is_rounding ? 0.0 : step->a[j];
    }
}

/* The problem of a step at its start. */
static void begin_try(tp_alpha_step *step, const tp_state *from, double dt, double t, alpha_manner manner)
{
    int m = step->stepper->system->u_count;
    tp_alpha_step_begin(step, from, dt, t);
    step->is_latched = manner == LATCHED_LAWS;
    step->loosens = manner == LOOSE_LAWS;
    step->keeps_rows = manner >= ROWS_OF_THE_START;
    tp_alpha_laws_collect(step);
    memset(step->problem->x, 0, (size_t)(TP_ALPHA_LEVELS * m) * sizeof(double));
    if (!step->is_start) start_accelerations(step);
}

/* Linearised inclusions of a step at most. Iterations that converge need five; others go round in a circle of
   open and closed contacts. From the answer of a case that is right one is enough, and one more shows it. */
enum { MOST_LINEARISED = 15, MOST_FROM_AN_ANSWER = 2 };

/* Solves from the present point, and from its answer once more where gaps are solved less than others: of
   faces with dependent directions the largest rows decide. Adds to the figures of the step. */
static tp_status solve_try(tp_alpha_step *step, int most, tp_step_report *report)
{
    tp_step_report before = *report;
    tp_status status = tp_alpha_step_solve(step, most, report);
    report->iterations += before.iterations;
    report->work += before.work;
    if (!tp_stepper_accepts(step->stepper, status) || step->is_start || !tp_alpha_laws_overlap(step))
        return status;
    before = *report;
    tp_alpha_step_solve_again(step, MOST_FROM_AN_ANSWER, report);
    report->iterations += before.iterations;
    report->work += before.work;
    return status;
}

/* Each case with its sets held, and from its answer the laws as they stand, until these are solved. */
static tp_status solve_cases(tp_alpha_step *step, const tp_state *from, double dt, double t,
                             tp_step_report *report)
{
    tp_status status = TP_NOT_CONVERGED;
    if (tp_alpha_laws_hold(step, MOST_CASES)) return status; /* there are more */
    for (int number = 0; status != TP_OK && tp_alpha_laws_hold(step, number); number++) {
        begin_try(step, from, dt, t, ALL_CASES);
        tp_alpha_laws_hold(step, number);
        status = solve_try(step, MOST_LINEARISED, report);
        tp_alpha_laws_hold(step, -1);
        if (status == TP_OK) status = solve_try(step, MOST_FROM_AN_ANSWER, report);
    }
    return status;
}

/* Have contacts kinks in this step? The iteration may have jumped over some. */
static bool find_kinks(tp_alpha_step *step)
{
    const tp_system *system = step->stepper->system;
    bool has_kinks = false;
    for (int i = 0; i < step->law_count; i++) {
        int law = step->laws[i].law;
        if (tp_system_pair(system, law) != NULL && !tp_law_has_smooth_gap(system, law))
            step->has_kink[law] = 1;
        has_kinks = has_kinks || step->has_kink[law];
    }
    return has_kinks;
}

/* What is tried next where there is no solution. */
static alpha_manner next_manner(tp_alpha_step *step, alpha_manner manner)
{
    bool has_kinks = find_kinks(step);
    switch (manner) {
    case LAWS_AS_THEY_STAND: return has_kinks ? ROWS_OF_THE_START : ALL_CASES;
    case ROWS_OF_THE_START: return ALL_CASES;
    case ALL_CASES: return has_kinks ? LOOSE_LAWS : LATCHED_LAWS;
    case LOOSE_LAWS:
    case LATCHED_LAWS:
    case MANNERS: break;
    }
    return MANNERS;
}

/* Answers of one manner that miss laws, at most: each adds those that it missed. The last of them are late:
   the points of a contact go round in a circle. */
enum { MOST_MISSES = 8, LATE_MISSES = 3 };

/* The inclusion with the laws that are near, and once more with those that its answer missed; where it is not
   solved, with contacts that have kinks as they were at the start, and in all cases; where there is no
   solution, with contacts that stay closed once they were, or that act on velocities by their start; (13).
   Friction that breaks loose makes it another problem; (10b). */
static tp_status solve(tp_alpha_step *step, const tp_state *from, double dt, double t, tp_step_report *report)
{
    tp_stepper *stepper = step->stepper;
    tp_status status = TP_OK;
    int misses = 0;
    TP_TRY(begin(step, from, dt, t));
    for (alpha_manner manner = LAWS_AS_THEY_STAND; manner < MANNERS;) {
        begin_try(step, from, dt, t, manner);
        status = manner == ALL_CASES ? solve_cases(step, from, dt, t, report)
                                     : solve_try(step, MOST_LINEARISED, report);
        bool is_solved = tp_stepper_accepts(stepper, status);
        if (!is_solved && status != TP_NOT_CONVERGED && status != TP_INFEASIBLE) break;
        if (!is_solved) {
            manner = next_manner(step, manner);
            step->has_answer = false;
            misses = 0;
        } else if (!step->is_start && misses < MOST_MISSES &&
                   tp_alpha_laws_miss(step, misses >= MOST_MISSES - LATE_MISSES)) {
            misses++;
        } else if (tp_alpha_laws_release(step)) {
            manner = LAWS_AS_THEY_STAND;
        } else {
            break;
        }
    }
    return status;
}

/* Where friction jams the contacts of a start, no finite force solves their laws: the first step has an
   impact, and the accelerations before it are those without contacts; (14). */
static tp_status start_before_impact(tp_alpha_step *step, const tp_state *from, double dt,
                                     tp_step_report *report)
{
    TP_TRY(begin(step, from, dt, from->t));
    begin_try(step, from, dt, from->t, LAWS_AS_THEY_STAND);
    tp_alpha_laws_hold(step, 0); /* all of them open */
    return solve_try(step, MOST_LINEARISED, report);
}

/* Accelerations and forces at a state that no step led to; (14). */
static tp_status start(tp_stepper *stepper, tp_state *state)
{
    tp_alpha_step *step = stepper->scratch;
    size_t bytes = (size_t)stepper->system->u_count * sizeof(double);
    tp_step_report report = {0};
    tp_state as_it_was = *state;
    step->numbers = tp_alpha_numbers_of(stepper->options->alpha.rho);
    step->is_start = true;
    for (int part = 0; part < TP_FORCE_PARTS; part++)
        memset(state->force[part], 0, (size_t)stepper->system->law_count * TP_LAW_ROWS * sizeof(double));
    double dt = stepper->options->time_step;
    tp_status status = solve(step, &as_it_was, dt, state->t, &report);
    if (status == TP_NOT_CONVERGED || status == TP_INFEASIBLE)
        status = start_before_impact(step, &as_it_was, dt, &report);
    if (tp_stepper_accepts(stepper, status)) {
        memcpy(state->memory[MEMORY_ACCELERATION], step->problem->x, bytes);
        memcpy(state->memory[MEMORY_MEAN_ACCELERATION], step->problem->x, bytes);
        tp_alpha_laws_keep_forces(step, state);
        memcpy(state->memory[MEMORY_FORCE], step->h, bytes);
        status = TP_OK;
    }
    step->is_start = false;
    return status;
}

/* Impulses of laws are W P at the end of the step; those of forces are what else changed the momentum; (13).
 */
static void account(tp_alpha_step *step, const tp_state *from, const tp_state *to, tp_step_report *report)
{
    tp_stepper *stepper = step->stepper;
    const tp_system *system = stepper->system;
    double *change = step->work, *momentum = step->work + system->u_count;
    for (int i = 0; i < step->law_count; i++) {
        const tp_alpha_law *own = &step->laws[i];
        for (int k = 0; k < tp_system_law(system, own->law)->row_count; k++) {
            double P = to->impulse[own->law * TP_LAW_ROWS + k], chi = step->chi[own->row + k];
            tp_account_row row = tp_account_law_row(system, own->law, k, step->W + own->place, chi);
            tp_account_add(&stepper->account, &row, P, from->u, to->u);
            report->applied_work -= P * chi;
        }
    }
    for (int j = 0; j < system->u_count; j++) change[j] = to->u[j] - from->u[j];
    tp_implicit_multiply(&system->mass_pattern, step->M, change, momentum);
    tp_account_add_forces(&stepper->account, 1.0, momentum);
    tp_account_add_forces(&stepper->account, -1.0, stepper->account.laws);
    tp_stepper_add_work(stepper, from->t, from->q, from->u, 0.5 * step->dt, report);
    tp_stepper_add_work(stepper, step->t, to->q, to->u, 0.5 * step->dt, report);
}

/* Forces that jump between two steps, because an input or an applied wrench did, change accelerations and
   their means at once; (22). */
static tp_status take_jump(tp_alpha_step *step, const tp_state *from, tp_step_report *report)
{
    tp_stepper *stepper = step->stepper;
    tp_system *system = stepper->system;
    int m = system->u_count;
    bool jumps = false;
    memcpy(step->a, from->memory[MEMORY_ACCELERATION], (size_t)m * sizeof(double));
    memcpy(step->a_bar, from->memory[MEMORY_MEAN_ACCELERATION], (size_t)m * sizeof(double));
    tp_system_move(system, from->t, from->q, from->u);
    tp_system_force(system, stepper->h);
    for (int j = 0; j < m; j++) {
        stepper->h[j] -= from->memory[MEMORY_FORCE][j];
        jumps = jumps || stepper->h[j] != 0.0;
    }
    if (!jumps) return TP_OK;
    tp_system_mass(system, stepper->M);
    tp_step_problem_begin(stepper->problem, &system->mass_pattern, stepper->M, stepper->h);
    TP_TRY(tp_stepper_solve(stepper, report));
    for (int j = 0; j < m; j++) {
        step->a[j] += stepper->x[j];
        step->a_bar[j] += stepper->x[j];
    }
    return TP_OK;
}

static tp_status step_generalized_alpha(tp_stepper *stepper, const tp_state *from, double dt, tp_state *to,
                                        tp_step_report *report)
{
    tp_alpha_step *step = stepper->scratch;
    size_t m = (size_t)stepper->system->u_count, n = (size_t)stepper->system->q_count;
    step->numbers = tp_alpha_numbers_of(stepper->options->alpha.rho);
    TP_TRY(take_jump(step, from, report));
    tp_status status = solve(step, from, dt, to->t, report);
    if (!tp_stepper_accepts(stepper, status)) return status;

    memcpy(to->q, step->q, n * sizeof(double));
    memcpy(to->u, step->u, m * sizeof(double));
    memcpy(to->memory[MEMORY_ACCELERATION], step->problem->x, m * sizeof(double));
    memcpy(to->memory[MEMORY_MEAN_ACCELERATION], step->a_bar_next, m * sizeof(double));
    memcpy(to->memory[MEMORY_FORCE], step->h, m * sizeof(double));
    tp_alpha_laws_keep(step, to, report);
    step->kink = tp_alpha_laws_find_kink(step);
    account(step, from, to, report);
    tp_redundancy_share(stepper->redundancy, to->impulse);
    return status;
}

/* Rows given by C functions need second derivatives, and so do forces. */
static tp_status refuse(const tp_model *model, tp_message *why_out)
{
    for (tp_scalar_walk at = {.model = model}; tp_scalar_next(&at);) {
        if (at.role != TP_SCALAR_LAW_ROW || !tp_scalar_lacks_second(at.scalar)) continue;
        return tp_fail(
            why_out, TP_UNSUPPORTED,
            "a row of law '%s' is given by C functions without second derivatives (hessian_vector), "
            "which laws on accelerations need",
            TP_LIST_AT(model->laws, tp_law, at.index)->name);
    }
    return tp_system_check_force_jacobian(model, why_out);
}

/* Points of contacts jump from one feature of a shape to another: no law on accelerations in such a step. */
static bool notice_kink(const tp_stepper *stepper, tp_warning *warning)
{
    tp_alpha_step *step = stepper->scratch;
    if (step->kink < 0) return false;
    const char *name = tp_system_law(stepper->system, step->kink)->name;
    step->kink = -1; /* it is said */
    snprintf(warning->subject, sizeof warning->subject, "%s", name);
    snprintf(warning->text, sizeof warning->text,
             "points of contact '%.60s' jump between features of its shapes: it has no law on accelerations "
             "in such a step, and its force is an impulse",
             name);
    return true;
}

/* Said by `tippe check`; a run warns where it happens. */
static const char *caveat(const tp_model *model, const tp_simulation_options *options)
{
    (void)options;
    return tp_model_find_kinked_rule(model) != NULL ? "in steps in which contacts jump between edges, rims "
                                                      "or triangles of their shapes these have no "
                                                      "law on accelerations"
                                                    : NULL;
}

/* Stable at any step. */
static double stability_limit(const tp_simulation_options *options)
{
    (void)options;
    return INFINITY;
}

static bool damps_vibrations(const tp_simulation_options *options)
{
    return options->alpha.rho < 1.0;
}

const tp_integrator tp_integrator_generalized_alpha = {
    .info = {.name = "generalized-alpha",
             .text = "nonsmooth generalized-alpha scheme: joints and contacts on positions, "
                     "velocities and accelerations, fixed step, order 2 between impacts",
             .keeps_forces = true},
    .refuses = {[TP_FEATURE_SCALABLE] = "has second derivatives of unit quaternions, not of scalable bodies"},
    .refuse = refuse,
    .notice = {TP_WARNING_KINKED_GAP, notice_kink},
    .caveat = caveat,
    .step = step_generalized_alpha,
    .levels = {0, 2, 0, 2},
    .memory = memory_fields,
    .start = start,
    .prepare = prepare,
    .stability_limit = stability_limit,
    .damps_vibrations = damps_vibrations,
    .reach = 4.0, /* contacts are seen at the end of a step */
    .follows_contacts = true,
    .takes_static = true,
    .leaves_out_rows = TP_LEAVES_OUT_UNLESS_FOLLOWED,
    .has_fixed_step = true,
};
