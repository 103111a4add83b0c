/* Moreau's rule on nodes, symmetric in time; theory/symmetric-moreau.md (1)-(6). A state is t, q, u and the
   velocity w of the interval that follows it:
       q+ = q + dt q'(t, q, w),   M (w+ - w) = dt h^ + W P,   xi = W^T (w+ + e w) + (1 + e) chi,   -xi in
   N_C(P), all matrices at (t+, q+), h^ = (h(w) + h(w+))/2, or h(w) alone with `symmetric_force: end`. What is
   shown as u is (w + w+)/2. */
#include "implicit_step.h"
#include "static_friction.h"

#include <string.h>

enum { MEMORY_INTERVAL_VELOCITY };

static const tp_memory_field memory_fields[] = {
    [MEMORY_INTERVAL_VELOCITY] = {"interval_velocity", TP_MEMORY_PER_VELOCITY},
    {NULL, TP_MEMORY_ONE},
};

/* A node: what is known there, and the velocity where the inclusion was evaluated last. */
typedef struct node_step {
    tp_stepper *stepper;
    double t, force_time;         /* force_time: dt; half of it at the start                          */
    double end_weight;            /* of h(w+) in h^: 1/2; 0 at the start and with the forces of w alone */
    const double *q, *w;          /* the node, and the velocity before it                             */
    double *x, *v;                /* [m] w+ - w at the present point, and w+                          */
    double *force_before, *force; /* [m] h(w), h(w+)                                          */
    double *b;                    /* [rows] (1 + e) gamma                                     */
    bool is_placed;
    tp_implicit_rows rows;
    tp_implicit_matrices matrices;
} node_step;

static tp_status prepare(tp_stepper *stepper, tp_arena *arena)
{
    size_t m = (size_t)stepper->system->u_count;
    node_step *step = TP_ARENA_ARRAY(arena, node_step, 1);
    if (step == NULL) return TP_OUT_OF_MEMORY;
    TP_ARENA_DOUBLES(arena, m, &step->x, &step->v, &step->force_before, &step->force);
    TP_ARENA_DOUBLES(arena, stepper->problem->capacity_rows, &step->b);
    step->stepper = stepper;
    stepper->scratch = step;
    TP_TRY(tp_implicit_take_rows(stepper, arena, &step->rows));
    TP_TRY(tp_implicit_take_matrices(stepper, arena, &step->matrices));
    return tp_arena_status(arena);
}

/* The forces of w + x. */
static void place(node_step *step, const double *x)
{
    tp_system *system = step->stepper->system;
    int m = system->u_count;
    if (step->is_placed && memcmp(step->x, x, (size_t)m * sizeof(double)) == 0) return;
    memcpy(step->x, x, (size_t)m * sizeof(double));
    for (int j = 0; j < m; j++) step->v[j] = step->w[j] + x[j];
    tp_system_move(system, step->t, step->q, step->v);
    tp_system_force(system, step->force);
    step->is_placed = true;
}

/* F = M x - dt h^ - W P and xi = W^T x + (1 + e) gamma; (3), (4). */
static tp_status residual(void *self, const double *x, const double *P, double *F, double *xi)
{
    node_step *step = self;
    const tp_stepper *stepper = step->stepper;
    double end = step->end_weight;
    place(step, x);
    tp_implicit_multiply(&stepper->system->mass_pattern, step->matrices.M, x, F);
    for (int j = 0; j < stepper->system->u_count; j++)
        F[j] -= step->force_time * ((1.0 - end) * step->force_before[j] + end * step->force[j]);
    tp_implicit_apply_rows(stepper, &step->rows, P, x, F, xi);
    for (int k = 0; k < stepper->problem->problem.row_count; k++) {
        double left_out = step->rows.left_out[k];
        xi[k] = left_out > 0.0 ? left_out * P[k] : xi[k] + step->b[k];
    }
    return TP_OK;
}

/* dF/dx = M - (force_time end_weight) dh/du; the rows stay. */
static tp_status linearise(void *self, const double *x, const double *P, tp_problem *linear)
{
    node_step *step = self;
    tp_system *system = step->stepper->system;
    (void)linear;
    place(step, x);
    tp_system_force_jacobian(system, step->matrices.stiffness, step->matrices.damping);
    for (int k = 0; k < tp_sparse_count(&system->jacobian_pattern); k++) {
        step->matrices.stiffness[k] = 0.0; /* positions are given */
        step->matrices.J[k] = -step->force_time * step->end_weight * step->matrices.damping[k];
    }
    tp_implicit_finish_jacobian(step->stepper, &step->matrices, step->v, step->force_time);
    tp_implicit_refill(step->stepper, &system->jacobian_pattern, step->matrices.J, &step->rows, P,
                       step->force_time, 0.0);
    return TP_OK;
}

/* Laws that take part at the node, with their rows and velocities there. is_closed [laws], or NULL. */
static void collect_laws(node_step *step, const tp_state *from, unsigned char *is_closed,
                         tp_step_report *report)
{
    tp_stepper *stepper = step->stepper;
    tp_step_problem_begin(stepper->problem, &stepper->system->mass_pattern, step->matrices.M, NULL);
    step->rows.start[0] = 0;
    for (int i = 0; i < stepper->system->law_count; i++) {
        int first = stepper->problem->problem.row_count;
        tp_law_rows law;
        bool takes_part = tp_law_is_closed(stepper, i, step->matrices.M, from, step->force_time);
        if (is_closed != NULL) is_closed[i] = takes_part;
        if (!takes_part) continue;
        tp_law_rows_at(stepper, i, from->impulse, step->w, tp_implicit_next_rows(stepper, &step->rows), &law);
        for (int k = 0; k < law.law->row_count; k++) {
            step->b[first + k] = (1.0 + law.law->restitution[k]) * law.gamma[k];
            step->matrices.xi_noise[first + k] = 0.0; /* rows of velocities */
            stepper->chi[first + k] = law.chi[k];
        }
        tp_implicit_add_law(stepper, &step->rows, &law, step->b + first, step->force_time);
        report->contact_count += law.law->level == TP_LEVEL_GAP;
    }
}

static tp_status solve(void *self, tp_step_report *report)
{
    node_step *step = self;
    return tp_implicit_solve(step->stepper, &step->matrices, step, residual, linearise, false, report);
}

/* The new velocity at a node, whose q, w, t and times are known: stepper->x is its change; (2)-(4). */
static tp_status pass_node(node_step *step, const tp_state *from, unsigned char *is_closed,
                           tp_step_report *report)
{
    tp_stepper *stepper = step->stepper;
    tp_system *system = stepper->system;
    step->is_placed = step->matrices.is_measured = false;
    tp_system_move(system, step->t, step->q, step->w);
    tp_system_mass(system, step->matrices.M);
    tp_system_force(system, step->force_before);
    TP_TRY(tp_redundancy_find(stepper->redundancy, step->matrices.M));
    collect_laws(step, from, is_closed, report);
    tp_implicit_velocity_sizes(system, step->w, step->force_before, step->matrices.M, step->force_time,
                               step->matrices.size);
    step->matrices.xi_scale = tp_implicit_row_size(stepper, &step->rows, stepper->chi, step->matrices.size);
    tp_status status = tp_static_solve(
        stepper, &(tp_static_step){from, step->force_time, step->w, step->matrices.M, solve, step}, report);
    if (tp_stepper_accepts(stepper, status)) place(step, stepper->x); /* the answer may be an earlier point */
    return status;
}

/* The velocity of the first interval: half the forces of the start and what laws make of them; (5). With the
   forces of the interval's end it is the initial one. */
static tp_status start(tp_stepper *stepper, tp_state *state)
{
    node_step *step = stepper->scratch;
    double *w = state->memory[MEMORY_INTERVAL_VELOCITY];
    int m = stepper->system->u_count;
    tp_step_report report = {0};
    if (stepper->options->symmetric.force == TP_SYMMETRIC_END) {
        memcpy(w, state->u, (size_t)m * sizeof(double));
        return TP_OK;
    }
    step->t = state->t;
    step->q = state->q;
    step->w = state->u;
    step->force_time = 0.5 * stepper->options->time_step;
    step->end_weight = 0.0;
    tp_status status = pass_node(step, state, NULL, &report);
    if (!tp_stepper_accepts(stepper, status)) return status;
    memcpy(w, step->v, (size_t)m * sizeof(double));
    return TP_OK;
}

static tp_status step_symmetric_moreau(tp_stepper *stepper, const tp_state *from, double dt, tp_state *to,
                                       tp_step_report *report)
{
    node_step *step = stepper->scratch;
    tp_system *system = stepper->system;
    const double *rate = tp_system_rate(system);
    double end = stepper->options->symmetric.force == TP_SYMMETRIC_END ? 0.0 : 0.5;
    step->t = from->t + dt;
    step->q = to->q;
    step->w = from->memory[MEMORY_INTERVAL_VELOCITY];
    step->force_time = stepper->options->time_step; /* the step but for the rounding of the times */
    step->end_weight = end;

    tp_system_move(system, from->t, from->q, step->w); /* the node (1) */
    for (int i = 0; i < system->q_count; i++) to->q[i] = from->q[i] + step->force_time * rate[i];
    tp_system_normalise(system, to->q);

    tp_status status = pass_node(step, from, to->is_closed, report);
    if (!tp_stepper_accepts(stepper, status)) return status;
    memcpy(to->memory[MEMORY_INTERVAL_VELOCITY], step->v, (size_t)system->u_count * sizeof(double));
    for (int j = 0; j < system->u_count; j++) to->u[j] = 0.5 * (step->w[j] + step->v[j]);

    tp_account_add_forces(&stepper->account, (1.0 - end) * step->force_time, step->force_before);
    tp_account_add_forces(&stepper->account, end * step->force_time, step->force);
    tp_implicit_book_at_states(stepper, &step->rows, from, to, step->force_time, report);
    tp_redundancy_share(stepper->redundancy, to->impulse);
    return status;
}

/* A contact may lie beyond what was searched: the search goes by the shown velocity, which an impact makes
   small, and the node by that of the interval. */
static const double *moved_to(const tp_stepper *stepper, const tp_state *to)
{
    (void)stepper;
    return to->q;
}

const tp_integrator tp_integrator_symmetric_moreau = {
    .info = {.name = "symmetric-moreau",
             .text = "Moreau's rule on nodes, symmetric in time: all laws on velocity level, fixed "
                     "step, order 2 without laws"},
    .refuse = tp_system_check_force_jacobian,
    .step = step_symmetric_moreau,
    .levels = {0, 1, 1, 1},
    .memory = memory_fields,
    .start = start,
    .prepare = prepare,
    .leaves_out_rows = TP_LEAVES_OUT_UNLESS_FOLLOWED,
    .stability_limit = tp_integrator_leapfrog_limit,
    .reach = 2.0, /* laws are seen at the end of a step */
    .moved_to = moved_to,
    .takes_static = true,
    .has_fixed_step = true,
    .has_impulses_at_states = true,
};
