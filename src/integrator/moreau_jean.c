/* The theta-method of Moreau and Jean; theory/moreau-jean.md (1)-(10). With the change of velocity x as
   unknown q(x) = q + dt [(1 - theta) q' + theta q'(t+, q^, u + x)],   q^ = q + dt q', F = M(q~) x - dt [(1 -
   theta) h + theta h(t+, q(x), u + x)] - W P,   q~ = q + gamma dt q', xi = W^T (u + x) + chi + e gamma,   W,
   chi at (t+, q(x)),   gamma = W^T u + chi at the start, one nonlinear inclusion a step, solved by linearised
   inclusions. Compliant contacts are laws on positions with a force lambda, which is the memory of the
   scheme; (13)-(15). */
#include "static_friction.h"
#include "system/switches.h"
#include "theta_step.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MEMORY_COMPLIANT_FORCE };

enum { FIXED_POINT_STEPS = 50 };

const tp_memory_field tp_theta_memory[] = {
    [MEMORY_COMPLIANT_FORCE] = {"compliant_force", TP_MEMORY_PER_SPRING},
    {NULL, TP_MEMORY_ONE},
};

/* One step: what it knows at its start, and the point where the inclusion was evaluated last. */
typedef struct theta_step {
    tp_stepper *stepper;
    const tp_state *from;
    double dt, theta, t_end;
    double spring_time;           /* dt theta           */
    int spring_row, spring_count; /* rows of compliant contacts in the problem: the last ones */
    bool refresh_rows;
    bool is_curved; /* the linearisation knows how rows change; (6a) */
    tp_theta_variant variant;
    double *rate, *h;        /* at the start: q' [n], h [m]                                              */
    double *q_hat, *q_fixed; /* [n] q^; q(x) = q_fixed + dt theta q'(t+, q^, u + x)                      */
    double *x, *q, *u;       /* the present point: x [m], q(x) [n], u + x [m]                             */
    bool is_placed;          /* the system and the rows are at that point                                 */
    tp_implicit_rows rows;   /* rows there                                                                */
    double *chi;             /* [rows] */
    double *chi_begin;       /* [rows] chi at the start                                                   */
    double *e_gamma;         /* [rows] e gamma of the start                                               */
    double *force;           /* [m] h at the present point                                                */
    double *gap;             /* [rows] of compliant contacts at the present point                         */
    tp_implicit_matrices matrices; /* M(q~), and the rest there */
    tp_implicit_curvature curvature;
    unsigned char *frozen_sets; /* [capacity_sets] */
    tp_state_step *states;      /* NULL: the model has none */
    tp_switches switches;       /* in formulas, which velocities of supports may jump at; (3a) */
} theta_step;

tp_status tp_theta_prepare(tp_stepper *stepper, tp_arena *arena)
{
    size_t n = (size_t)stepper->system->q_count, m = (size_t)stepper->system->u_count,
           rows = (size_t)stepper->problem->capacity_rows;
    theta_step *step = TP_ARENA_ARRAY(arena, theta_step, 1);
    if (step == NULL) return TP_OUT_OF_MEMORY;
    TP_ARENA_DOUBLES(arena, n, &step->rate, &step->q_hat, &step->q_fixed, &step->q);
    TP_ARENA_DOUBLES(arena, m, &step->h, &step->x, &step->u, &step->force);
    TP_ARENA_DOUBLES(arena, rows, &step->chi, &step->chi_begin, &step->e_gamma, &step->gap);
    step->stepper = stepper;
    stepper->scratch = step;
    TP_TRY(tp_implicit_take_rows(stepper, arena, &step->rows));
    TP_TRY(tp_implicit_take_matrices(stepper, arena, &step->matrices));
    TP_TRY(tp_implicit_take_curvature(stepper, arena, &step->curvature));
    step->frozen_sets = TP_ARENA_ARRAY(arena, unsigned char, stepper->problem->capacity_sets);
    TP_TRY(tp_state_step_create(stepper, arena, (size_t)tp_sparse_count(&step->curvature.pattern),
                                &step->states));
    TP_TRY(tp_switches_take(stepper->model, arena, &step->switches));
    return tp_arena_status(arena);
}

/* Contact points of shapes may jump from corner to corner: their rows stay those of the step's start. */
static bool is_frozen(const theta_step *step, int law)
{
    return !step->refresh_rows || tp_system_pair(step->stepper->system, law) != NULL;
}

/* Rows of the laws in the problem at the system's present point, of frozen laws or of the others;
   theory/moreau-jean.md (4). */
static void compute_rows(theta_step *step, bool frozen)
{
    const tp_problem *problem = &step->stepper->problem->problem;
    tp_system *system = step->stepper->system;
    for (int i = 0; i < problem->set_count; i++) {
        int first = problem->sets[i].first, law = step->stepper->problem->law[i];
        double *W = step->rows.W + step->rows.start[i];
        if (is_frozen(step, law) != frozen) continue;
        if (first < step->spring_row) {
            tp_system_law_rows(system, law, W, step->chi + first);
            tp_implicit_hide_rows(step->stepper, &step->rows, i);
        } else {
            tp_system_spring_row(system, first - step->spring_row, W, step->chi + first);
        }
    }
}

/* Gaps of compliant contacts at the present point and what rounding makes of their rows. */
static void measure_springs(theta_step *step)
{
    tp_system *system = step->stepper->system;
    for (int i = 0; i < step->spring_count; i++) {
        int row = step->spring_row + i;
        step->gap[row] = tp_system_spring_gap(system, i);
        step->matrices.xi_noise[row] = DBL_EPSILON * tp_system_spring_size(system, i) / step->spring_time;
    }
}

/* Positions of the end for given velocities u of it; the system is left anywhere; (1), (16)-(19). */
static void predict_positions(theta_step *step)
{
    tp_system *system = step->stepper->system;
    const double *q = step->from->q, *rate = tp_system_rate(system);
    double dt = step->dt, theta = step->theta;
    int n = system->q_count, m = system->u_count;
    bool is_fixed_point = step->variant == TP_THETA_END || step->variant == TP_THETA_MIDPOINT;
    if (!is_fixed_point) { /* from q^ or the start, affine in u */
        tp_system_move(system, step->t_end, step->q_hat, step->u);
        for (int i = 0; i < n; i++) step->q[i] = step->q_fixed[i] + dt * theta * rate[i];
        return;
    }
    double share = step->variant == TP_THETA_MIDPOINT ? theta : 1.0;
    double *v = step->matrices.work, *at = step->stepper->q_middle;
    for (int j = 0; j < m; j++) v[j] = (1.0 - theta) * step->from->u[j] + theta * step->u[j];
    memcpy(step->q, step->q_hat, (size_t)n * sizeof(double));
    for (int k = 0; k < FIXED_POINT_STEPS; k++) { /* q = q_k + dt B((1 - share) q_k + share q) v */
        double change = 0.0, size = 0.0;
        for (int i = 0; i < n; i++) at[i] = (1.0 - share) * q[i] + share * step->q[i];
        if (step->variant == TP_THETA_END) tp_system_normalise(system, at); /* else as with B of the start */
        tp_system_move(system, step->from->t + share * dt, at, v);
        for (int i = 0; i < n; i++) {
            double next = q[i] + dt * rate[i];
            change = fmax(change, fabs(next - step->q[i]));
            size = fmax(size, fabs(next));
            step->q[i] = next;
        }
        if (!(change > DBL_EPSILON * size)) break;
    }
}

/* Where the forces of the end are taken: at the end itself, or between; (20). */
static void move_to_forces(theta_step *step)
{
    tp_stepper *stepper = step->stepper;
    tp_system *system = stepper->system;
    if (step->variant != TP_THETA_MIDPOINT) return;
    for (int i = 0; i < system->q_count; i++)
        stepper->q_middle[i] = (1.0 - step->theta) * step->from->q[i] + step->theta * step->q[i];
    for (int j = 0; j < system->u_count; j++)
        stepper->u_middle[j] = (1.0 - step->theta) * step->from->u[j] + step->theta * step->u[j];
    tp_system_move(system, step->from->t + step->theta * step->dt, stepper->q_middle, stepper->u_middle);
}

/* The point (t+, q(x), u + x): positions, rows there and forces; the system stays where the forces are. */
static void place(theta_step *step, const double *x)
{
    tp_system *system = step->stepper->system;
    int m = system->u_count;
    if (step->is_placed && memcmp(step->x, x, (size_t)m * sizeof(double)) == 0) return;
    memcpy(step->x, x, (size_t)m * sizeof(double));
    for (int j = 0; j < m; j++) step->u[j] = step->from->u[j] + x[j];
    predict_positions(step);
    tp_system_normalise(system, step->q);
    tp_system_move(system, step->t_end, step->q, step->u);
    compute_rows(step, false);
    measure_springs(step);
    if (step->variant != TP_THETA_SEMI_EXPLICIT) {
        move_to_forces(step);
        tp_system_force(system, step->force);
    }
    step->is_placed = true;
}

/* The weight of the forces that depend on x. */
static double force_weight(const theta_step *step)
{
    if (step->variant == TP_THETA_SEMI_EXPLICIT) return 0.0;
    return step->variant == TP_THETA_MIDPOINT ? 1.0 : step->theta;
}

/* F (2) and xi (4), (14). */
static tp_status residual(void *self, const double *x, const double *P, double *F, double *xi)
{
    theta_step *step = self;
    int m = step->stepper->system->u_count, rows = step->stepper->problem->problem.row_count;
    place(step, x);
    tp_implicit_multiply(&step->stepper->system->mass_pattern, step->matrices.M, x, F);
    double weight = force_weight(step);
    for (int j = 0; j < m; j++) F[j] -= step->dt * ((1.0 - weight) * step->h[j] + weight * step->force[j]);
    tp_implicit_apply_rows(step->stepper, &step->rows, P, step->u, F, xi);
    for (int k = 0; k < rows; k++) {
        double left_out = step->rows.left_out[k];
        xi[k] = left_out > 0.0 ? left_out * P[k] : xi[k] + step->chi[k] + step->e_gamma[k];
    }
    for (int i = 0; i < step->spring_count; i++) {
        double D = TP_LIST_AT(step->stepper->model->springs, tp_spring_contact, i)->compliance;
        int row = step->spring_row + i;
        xi[row] = (step->gap[row] + D * P[row] / step->spring_time) / step->spring_time;
    }
    return TP_OK;
}

/* The linear problem with the change of rows; (6a). */
static void refill_curved(theta_step *step, const double *P)
{
    const tp_step_problem *problem = step->stepper->problem;
    tp_implicit_place place = {step->dt * step->theta, step->u, step->frozen_sets};
    for (int i = 0; i < problem->problem.set_count; i++)
        step->frozen_sets[i] = is_frozen(step, problem->law[i]);
    if (step->variant == TP_THETA_MIDPOINT)
        tp_system_move(step->stepper->system, step->t_end, step->q, step->u);
    tp_implicit_refill_curved(step->stepper, &step->curvature, step->matrices.J, &step->rows, P, step->dt,
                              step->spring_time, &place);
}

/* dF/dx = M - dt theta dh/du - dt^2 theta^2 dh/dq B (6); rows as they are, or as they change. */
static tp_status linearise(void *self, const double *x, const double *P, tp_problem *linear)
{
    theta_step *step = self;
    tp_system *system = step->stepper->system;
    double weight = step->dt * step->theta;
    (void)linear; /* it is the stepper's */
    place(step, x);
    tp_system_force_jacobian(system, step->matrices.stiffness, step->matrices.damping);
    if (step->variant == TP_THETA_SEMI_EXPLICIT) weight = 0.0;
    for (int k = 0; k < tp_sparse_count(&system->jacobian_pattern); k++)
        step->matrices.J[k] = -weight * (step->matrices.damping[k] + weight * step->matrices.stiffness[k]);
    tp_implicit_finish_jacobian(step->stepper, &step->matrices, step->u, step->dt);
    if (step->is_curved)
        refill_curved(step, P);
    else
        tp_implicit_refill(step->stepper, &system->jacobian_pattern, step->matrices.J, &step->rows, P,
                           step->dt, step->spring_time);
    return TP_OK;
}

/* A law at the start: its rows, e gamma (3), and whether it takes part (7). */
static void add_law(theta_step *step, int index, tp_state *to, tp_step_report *report)
{
    tp_stepper *stepper = step->stepper;
    int first = stepper->problem->problem.row_count;
    tp_law_rows rows;
    tp_law_rows_at(stepper, index, step->from->impulse, step->from->u,
                   tp_implicit_next_rows(stepper, &step->rows), &rows);
    for (int k = 0; k < rows.law->row_count; k++) {
        step->chi_begin[first + k] = rows.chi[k];
        step->e_gamma[first + k] =
            tp_law_rebound(stepper, &rows, k, step->matrices.M, step->h, step->dt, step->from->u);
    }
    to->is_closed[index] = 1;
    if (rows.law->level == TP_LEVEL_GAP) {
        double forecast = tp_system_law_position(stepper->system, index) +
                          stepper->options->theta_method.forecast * step->dt * rows.gamma[0];
        to->is_closed[index] =
            forecast <= tp_stepper_closing_gap(stepper, index) +
                            tp_law_kept_gap(stepper, &rows, stepper->M, step->from, step->dt);
    }
    if (!to->is_closed[index]) return;
    tp_implicit_add_law(stepper, &step->rows, &rows, step->e_gamma + first, step->dt);
    report->contact_count += rows.law->level == TP_LEVEL_GAP;
}

/* Compliant contacts: their force at the start belongs to h (13), their rows follow those of the laws.
   Without an implicit part they are not rows. */
static void add_springs(theta_step *step)
{
    tp_stepper *stepper = step->stepper;
    const tp_model *model = stepper->model;
    const double *force = step->from->memory[MEMORY_COMPLIANT_FORCE];
    step->spring_row = stepper->problem->problem.row_count;
    step->spring_count = step->spring_time > 0.0 ? model->springs.count : 0;
    for (int k = 0; k < step->spring_row; k++) step->matrices.xi_noise[k] = 0.0; /* rows of velocities */
    for (int i = 0; i < model->springs.count; i++) {
        int row = step->spring_row + (step->spring_count > 0 ? i : 0), index = stepper->system->law_count + i;
        const int *columns, count = tp_system_columns_of(stepper->system, index, &columns);
        double D = TP_LIST_AT(model->springs, tp_spring_contact, i)->compliance;
        double *W = tp_implicit_next_rows(stepper, &step->rows);
        tp_system_spring_row(stepper->system, i, W, &step->chi_begin[row]);
        for (int j = 0; j < count; j++) step->h[columns[j]] += W[j] * force[i];
        step->e_gamma[row] = 0.0;
        if (step->spring_count == 0) continue;
        tp_step_problem_add_spring(stepper->problem, stepper->system, i, W,
                                   D / (step->spring_time * step->spring_time), 0.0,
                                   step->spring_time * force[i]);
        tp_implicit_keep_rows(stepper, &step->rows);
    }
}

/* lambda of (13) where a gap alone decides: LCP(D, g). */
static double compliant_force(tp_system *system, int spring)
{
    double D = TP_LIST_AT(system->model->springs, tp_spring_contact, spring)->compliance;
    return fmax(0.0, -tp_system_spring_gap(system, spring) / D);
}

tp_status tp_theta_start(tp_stepper *stepper, tp_state *state)
{
    theta_step *step = stepper->scratch;
    tp_system_move(stepper->system, state->t, state->q, state->u);
    if (step->states != NULL) TP_TRY(tp_state_step_start(step->states, state));
    for (int i = 0; i < stepper->model->springs.count; i++)
        state->memory[MEMORY_COMPLIANT_FORCE][i] = compliant_force(stepper->system, i);
    return TP_OK;
}

/* The forces of the step's end; the system is there. */
static void keep_compliant_forces(theta_step *step, tp_state *to)
{
    const tp_stepper *stepper = step->stepper;
    for (int i = 0; i < stepper->model->springs.count; i++) {
        to->memory[MEMORY_COMPLIANT_FORCE][i] =
            step->spring_count > 0 ? stepper->problem->P[step->spring_row + i] / step->spring_time
                                   : compliant_force(stepper->system, i);
    }
}

static void collect_laws(theta_step *step, tp_state *to, tp_step_report *report)
{
    tp_stepper *stepper = step->stepper;
    tp_step_problem_begin(stepper->problem, &stepper->system->mass_pattern, step->matrices.M, NULL);
    step->rows.start[0] = 0;
    if (stepper->correction != NULL) tp_system_mass(stepper->system, stepper->M);
    for (int i = 0; i < stepper->system->law_count; i++) add_law(step, i, to, report);
}

static bool throws_back(const tp_law *law)
{
    for (int k = 0; k < law->row_count; k++) {
        if (law->restitution[k] > 0.0) return true;
    }
    return false;
}

/* Whether a switch may change how the support of a law moves that takes part and throws back. */
static bool may_be_struck(const theta_step *step)
{
    const tp_step_problem *problem = step->stepper->problem;
    for (int i = 0; i < problem->problem.set_count && step->switches.count > 0; i++) {
        if (problem->problem.sets[i].first >= step->spring_row) return false;
        if (throws_back(tp_system_law(step->stepper->system, problem->law[i]))) return true;
    }
    return false;
}

/* Supports have their velocity of the end in the whole step, as a switch passed in it; the system is at
   (t+, q); (3a). */
static void strike(theta_step *step)
{
    tp_stepper *stepper = step->stepper;
    const tp_problem *problem = &stepper->problem->problem;
    for (int i = 0; i < problem->set_count && problem->sets[i].first < step->spring_row; i++) {
        int law = stepper->problem->law[i], first = problem->sets[i].first;
        if (!throws_back(tp_system_law(stepper->system, law))) continue;
        tp_law_rows rows;
        tp_law_rows_at(stepper, law, step->from->impulse, step->from->u, stepper->problem->row, &rows);
        for (int k = 0; k < rows.law->row_count; k++) {
            step->chi_begin[first + k] = rows.chi[k];
            step->e_gamma[first + k] =
                tp_law_rebound(stepper, &rows, k, step->matrices.M, step->h, step->dt, step->from->u);
        }
    }
}

/* Everything at the start: rates and forces, the frozen mass matrix, the laws that take part, their rows. */
static tp_status begin_step(theta_step *step, const tp_state *from, double dt, tp_state *to,
                            tp_step_report *report)
{
    tp_stepper *stepper = step->stepper;
    tp_system *system = stepper->system;
    const tp_theta_options *options = &stepper->options->theta_method;
    int n = system->q_count;
    step->from = from;
    step->dt = dt;
    step->theta = stepper->options->theta_method.theta;
    step->spring_time = dt * step->theta;
    step->t_end = from->t + dt;
    step->variant = options->variant;
    step->is_placed = step->matrices.is_measured = false;

    tp_system_move(system, from->t, from->q, from->u);
    memcpy(step->rate, tp_system_rate(system), (size_t)n * sizeof(double));
    for (int i = 0; i < n; i++)
        stepper->q_middle[i] = from->q[i] + options->mass_prediction * dt * step->rate[i];
    tp_system_move(system, from->t + options->mass_prediction * dt, stepper->q_middle, from->u);
    tp_system_mass(system, step->matrices.M);

    bool is_at_begin = step->variant == TP_THETA_START || step->variant == TP_THETA_SEMI_EXPLICIT;
    for (int i = 0; i < n; i++) {
        step->q_hat[i] = is_at_begin ? from->q[i] : from->q[i] + dt * step->rate[i];
        step->q_fixed[i] = from->q[i] + dt * (1.0 - step->theta) * step->rate[i];
    }

    tp_system_move(system, from->t, from->q, from->u);
    if (step->states != NULL) tp_state_step_begin(step->states, &stepper->options->gamma_method, from, dt);
    tp_system_force(system, step->h);
    TP_TRY(tp_redundancy_find(stepper->redundancy, step->matrices.M));
    collect_laws(step, to, report);
    add_springs(step);
    tp_implicit_velocity_sizes(system, from->u, step->h, step->matrices.M, dt, step->matrices.size);
    step->matrices.xi_scale =
        tp_implicit_row_size(stepper, &step->rows, step->chi_begin, step->matrices.size);
    bool may_jump = may_be_struck(step);
    if (may_jump) tp_switches_start(&step->switches, system);
    tp_system_move(system, step->t_end, from->q, from->u);
    compute_rows(step, true);
    if (may_jump && tp_switches_pass(&step->switches, system)) strike(step);
    return TP_OK;
}

/* Work of given forces and of prescribed motion with the weights of the scheme; theory/moreau-jean.md (8). */
static void account(theta_step *step, tp_state *to, tp_step_report *report)
{
    tp_stepper *stepper = step->stepper;
    const tp_state *from = step->from;
    double theta = step->theta;
    for (int k = 0; k < stepper->problem->problem.row_count; k++)
        stepper->chi[k] = (1.0 - theta) * step->chi_begin[k] + theta * step->chi[k];
    tp_stepper_keep_impulses(stepper, to, report);
    double weight = force_weight(step);
    tp_implicit_book(stepper, &step->rows, stepper->problem->P, from->u, to->u);
    tp_account_add_forces(&stepper->account, (1.0 - weight) * step->dt, step->h);
    tp_account_add_forces(&stepper->account, weight * step->dt, step->force);
    if (!tp_system_has_applied_power(stepper->system)) return;
    for (int j = 0; j < stepper->system->u_count; j++)
        stepper->u_middle[j] = (1.0 - theta) * from->u[j] + theta * to->u[j];
    if (step->states != NULL) tp_state_step_show(step->states, false);
    tp_stepper_add_work(stepper, from->t, from->q, stepper->u_middle, (1.0 - weight) * step->dt, report);
    if (step->states != NULL) tp_state_step_show(step->states, true);
    tp_system_move(stepper->system, step->t_end, to->q, stepper->u_middle);
    move_to_forces(step);
    report->applied_work += weight * step->dt * tp_system_applied_power(stepper->system);
}

static void forget(void *self)
{
    theta_step *step = self;
    step->is_placed = false;
}

/* First-order states belong to the same inclusion; theory/theta-gamma.md (12). */
static tp_status solve_with_states(theta_step *step, tp_step_report *report)
{
    tp_state_host host = {.self = step,
                          .residual = residual,
                          .linearise = linearise,
                          .forget = forget,
                          .matrices = &step->matrices,
                          .q_end = step->q,
                          .u_end = step->u,
                          .position_time = step->dt * step->theta,
                          .force_weight = force_weight(step),
                          .force_share = step->variant == TP_THETA_MIDPOINT ? step->theta : 1.0};
    return tp_state_step_solve(step->states, &host, report);
}

static tp_status solve_laws(void *self, tp_step_report *report)
{
    theta_step *step = self;
    if (step->states != NULL) return solve_with_states(step, report);
    return tp_implicit_solve(step->stepper, &step->matrices, step, residual, linearise, false, report);
}

/* How a step is tried: rows at its end, with Newton's method on them or without their change, or rows at its
   start, where those change more than they differ, near singular positions of joints. */
typedef enum theta_manner { ROWS_AT_END, ROWS_WITH_CHANGE, ROWS_AT_START } theta_manner;

static tp_status solve_step(theta_step *step, theta_manner manner, const tp_state *from, double dt,
                            tp_state *to, tp_step_report *report)
{
    tp_stepper *stepper = step->stepper;
    step->refresh_rows = manner != ROWS_AT_START;
    step->is_curved = manner == ROWS_WITH_CHANGE;
    TP_TRY(begin_step(step, from, dt, to, report));
    return tp_static_solve(stepper, &(tp_static_step){from, dt, from->u, step->matrices.M, solve_laws, step},
                           report);
}

tp_status tp_theta_step(tp_stepper *stepper, const tp_state *from, double dt, tp_state *to,
                        tp_step_report *report)
{
    theta_step *step = stepper->scratch;
    const tp_theta_options *options = &stepper->options->theta_method;
    bool refresh_rows = options->refresh_rows && options->variant != TP_THETA_SEMI_EXPLICIT;
    theta_manner last = stepper->model->constraint_count > 0 ? ROWS_AT_START : ROWS_WITH_CHANGE;
    tp_step_report before = *report;
    tp_status status = solve_step(step, refresh_rows ? ROWS_AT_END : ROWS_AT_START, from, dt, to, report);
    for (theta_manner next = ROWS_WITH_CHANGE; status != TP_OK && refresh_rows && next <= last; next++) {
        *report = before;
        status = solve_step(step, next, from, dt, to, report);
    }
    if (!tp_stepper_accepts(stepper, status)) return status;

    place(step, stepper->x); /* the answer may be an earlier point than the last */
    memcpy(to->q, step->q, (size_t)stepper->system->q_count * sizeof(double));
    memcpy(to->u, step->u, (size_t)stepper->system->u_count * sizeof(double));
    keep_compliant_forces(step, to);
    account(step, to, report);
    if (step->states != NULL) tp_state_step_end(step->states, to, report);
    stepper->chi_end = step->chi;
    stepper->end_weight = step->theta;
    tp_redundancy_share(stepper->redundancy, to->impulse);
    return status;
}

tp_state_step *tp_theta_states(const tp_stepper *stepper)
{
    const theta_step *step = stepper->scratch;
    return step->states;
}

const char *tp_theta_name_of_set(const tp_stepper *stepper, int set)
{
    const theta_step *step = stepper->scratch;
    return step->states != NULL ? tp_state_step_set_name(step->states, set) : NULL;
}

int tp_theta_law_of_set(const tp_stepper *stepper, int set)
{
    return set < stepper->problem->problem.set_count ? stepper->problem->law[set] : -1;
}

/* |(1 + (1 - theta) i w dt)/(1 - theta i w dt)| <= 1 if and only if theta >= 1/2; theory/moreau-jean.md (10).
 */
double tp_theta_stability_limit(const tp_simulation_options *options)
{
    return options->theta_method.theta >= 0.5 ? INFINITY : 0.0;
}

bool tp_theta_damps_vibrations(const tp_simulation_options *options)
{
    return options->theta_method.theta > 0.5;
}

/* A contact that is forecast to close takes part; (7). */
static double reach_of(const tp_simulation_options *options)
{
    return fmax(1.0, options->theta_method.forecast);
}

const tp_integrator tp_integrator_moreau_jean = {
    .info = {.name = "moreau-jean",
             .text = "theta-method of Moreau and Jean: implicit forces, laws on velocity level, order 2 "
                     "without laws"},
    .levels = {0, 1, 1, 1},
    .reach_of = reach_of,
    .may_project = true,
    TP_THETA_METHOD,
};
