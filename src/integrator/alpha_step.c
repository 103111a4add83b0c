/* A step of the generalized-alpha scheme; theory/generalized-alpha.md (1)-(7), (11), (12). */
#include "alpha_step.h"

#include "implicit_step.h"
#include "system/second_level.h"
#include "tippe/rotation.h"
#include "tolerances.h"

#include <float.h>
#include <string.h>

tp_alpha_numbers tp_alpha_numbers_of(double rho)
{
    tp_alpha_numbers n = {.mass = (2.0 * rho - 1.0) / (rho + 1.0), .force = rho / (rho + 1.0)};
    n.gamma = 0.5 + n.force - n.mass;
    n.beta = 0.25 * (0.5 + n.gamma) * (0.5 + n.gamma);
    n.c0 = (1.0 - n.force) / (1.0 - n.mass);
    return n;
}

tp_status tp_alpha_step_create(tp_stepper *stepper, tp_arena *arena, tp_alpha_step **step_out)
{
    tp_system *system = stepper->system;
    tp_alpha_step *step = TP_ARENA_ARRAY(arena, tp_alpha_step, 1);
    *step_out = step;
    if (step == NULL) return TP_OUT_OF_MEMORY;
    const tp_step_form form = {TP_ALPHA_LEVELS, tp_alpha_set_count};
    TP_TRY(tp_step_problem_create(arena, system, &form, &step->problem));
    size_t n = (size_t)system->q_count, m = (size_t)system->u_count, laws = (size_t)system->law_count,
           rows = laws * TP_LAW_ROWS, all_rows = (size_t)step->problem->capacity_rows,
           widest = (size_t)system->largest_columns, entries = rows * widest,
           pattern = (size_t)tp_sparse_count(&step->problem->pattern),
           jacobian = (size_t)tp_sparse_count(&system->jacobian_pattern);
    TP_ARENA_DOUBLES(arena, m, &step->a, &step->a_bar, &step->way_answer, &step->u, &step->a_bar_next,
                     &step->way_fixed, &step->way, &step->h, &step->size, &step->lever);
    TP_ARENA_DOUBLES(arena, n, &step->q_fixed, &step->q_answer, &step->q);
    TP_ARENA_DOUBLES(arena, entries, &step->W_kept, &step->W, &step->W_by_position, &step->rate_by_position,
                     &step->rate_by_velocity);
    TP_ARENA_DOUBLES(arena, rows, &step->g_kept, &step->chi_kept, &step->g, &step->chi, &step->gamma,
                     &step->gamma_before, &step->gamma_rate, &step->force_mean, &step->position_mean);
    TP_ARENA_DOUBLES(arena, TP_ALPHA_LEVELS * m, &step->x_answer, &step->x, &step->work, &step->F_scale,
                     &step->F_noise);
    TP_ARENA_DOUBLES(arena, all_rows, &step->P_answer, &step->xi_noise);
    TP_ARENA_DOUBLES(arena, 9 * (size_t)system->model->bodies.count, &step->turn);
    TP_ARENA_DOUBLES(arena, tp_sparse_count(&system->mass_pattern), &step->M);
    TP_ARENA_DOUBLES(arena, jacobian, &step->stiffness, &step->damping, &step->by_mass);
    TP_ARENA_DOUBLES(arena, pattern, &step->by_q[0], &step->by_q[1], &step->by_q[2], &step->by_u,
                     &step->block[0], &step->block[1]);
    TP_ARENA_DOUBLES(arena, widest * widest, &step->H);
    TP_ARENA_DOUBLES(arena, widest, &step->row[0], &step->row[1], &step->row[2]);
    step->stepper = stepper;
    step->kink = -1;
    step->laws = TP_ARENA_ARRAY(arena, tp_alpha_law, laws);
    step->takes_part = TP_ARENA_ARRAY(arena, unsigned char, laws);
    step->is_missed = TP_ARENA_ARRAY(arena, unsigned char, laws);
    step->is_static = TP_ARENA_ARRAY(arena, unsigned char, laws);
    step->has_kink = TP_ARENA_ARRAY(arena, unsigned char, laws);
    return tp_arena_status(arena);
}

void tp_alpha_step_begin(tp_alpha_step *step, const tp_state *from, double dt, double t)
{
    tp_system *system = step->stepper->system;
    const tp_alpha_numbers *c = &step->numbers;
    const double *rate = tp_system_rate(system);
    int m = system->u_count;
    step->from = from;
    step->dt = dt;
    step->t = t;
    step->is_placed = step->is_measured = false;
    step->position_share = step->is_start ? 0.0 : dt * dt * c->beta * c->c0;
    step->velocity_share = step->is_start ? 0.0 : dt * c->gamma * c->c0;
    memset(step->way, 0, (size_t)m * sizeof(double));
    memcpy(step->q_fixed, from->q, (size_t)system->q_count * sizeof(double));
    tp_system_move(system, from->t, from->q, from->u);
    if (!step->is_start) { /* (4), the part without unknowns */
        for (int j = 0; j < m; j++) {
            double rest = (c->force * step->a[j] - c->mass * step->a_bar[j]) / (1.0 - c->mass);
            step->work[j] = 0.5 * dt * dt * ((1.0 - 2.0 * c->beta) * step->a_bar[j] + 2.0 * c->beta * rest);
            step->way_fixed[j] = dt * from->u[j] + step->work[j];
        }
        for (int i = 0; i < system->q_count; i++) step->q_fixed[i] += dt * rate[i];
        tp_system_add_rate_drift(system, 0.5 * dt * dt, step->q_fixed);
        tp_system_add_change(system, step->work, 1.0, step->q_fixed);
    }
    tp_system_mass(system, step->M);
    tp_system_force(system, step->h);
    tp_implicit_velocity_sizes(system, from->u, step->h, step->M, dt, step->size);
    for (int j = 0; j < m; j++) {
        step->size[j] = fmax(step->size[j] / dt, tp_alpha_least_acceleration);
        if (!step->is_start)
            step->size[j] = fmax(step->size[j], fmax(fabs(step->a[j]), fabs(step->a_bar[j])));
    }
}

/* How the turn of each rigid body follows from that of the start: psi = Psi(p)^T Psi(p_0) phi/|p|^2 with the
   p of (4) before it is brought to unit length; (11). */
static void find_turns(tp_alpha_step *step)
{
    const tp_list *bodies = &step->stepper->system->model->bodies;
    for (int b = 0; b < bodies->count; b++) {
        const tp_body *body = TP_LIST_AT(*bodies, tp_body, b);
        double *T = step->turn + 9 * b, from[12], to[12];
        if (body->kind != TP_BODY_RIGID) continue;
        tp_quat p = tp_quat_at(step->q + body->q_first + 3);
        tp_quat_rate_matrix(tp_quat_at(step->from->q + body->q_first + 3), from);
        tp_quat_rate_matrix(p, to);
        double square = tp_quat_dot(p, p);
        for (int j = 0; j < 3; j++) {
            for (int i = 0; i < 3; i++) {
                double sum = 0.0;
                for (int k = 0; k < 4; k++) sum += to[k + 4 * i] * from[k + 4 * j];
                T[i + 3 * j] = sum / square;
            }
        }
    }
}

/* The point of x: (2)-(4), forces and rows there. */
static void place(tp_alpha_step *step, const double *x)
{
    tp_system *system = step->stepper->system;
    const tp_alpha_numbers *c = &step->numbers;
    int m = system->u_count;
    size_t bytes = (size_t)(TP_ALPHA_LEVELS * m) * sizeof(double);
    if (step->is_placed && memcmp(step->x, x, bytes) == 0) return;
    memcpy(step->x, x, bytes);
    const double *a = x, *v = x + m, *w = x + 2 * m, dt = step->dt;
    memcpy(step->q, step->q_fixed, (size_t)system->q_count * sizeof(double));
    memcpy(step->u, step->from->u, (size_t)m * sizeof(double));
    for (int j = 0; j < m && !step->is_start; j++) {
        step->a_bar_next[j] =
            (c->force * step->a[j] + (1.0 - c->force) * a[j] - c->mass * step->a_bar[j]) / (1.0 - c->mass);
        step->u[j] += dt * ((1.0 - c->gamma) * step->a_bar[j] + c->gamma * step->a_bar_next[j] + v[j]);
        step->work[j] = step->position_share * a[j] + dt * dt * w[j];
        step->way[j] = step->way_fixed[j] + step->work[j];
    }
    if (!step->is_start) { /* B is that of the start */
        tp_system_move(system, step->from->t, step->from->q, step->from->u);
        tp_system_add_change(system, step->work, 1.0, step->q);
    }
    find_turns(step);
    tp_system_normalise(system, step->q);
    tp_system_move(system, step->t, step->q, step->u);
    tp_system_mass(system, step->M);
    tp_system_force(system, step->h);
    tp_alpha_laws_place(step);
    step->is_placed = true;
}

/* (5)-(10). */
static tp_status residual(void *self, const double *x, const double *P, double *F, double *xi)
{
    tp_alpha_step *step = self;
    const tp_sparse *mass = &step->stepper->system->mass_pattern;
    int m = step->stepper->system->u_count;
    place(step, x);
    tp_alpha_laws_choose(step, P);
    for (int k = 0; k < TP_ALPHA_LEVELS; k++) tp_implicit_multiply(mass, step->M, x + k * m, F + k * m);
    for (int j = 0; j < m; j++) F[j] -= step->h[j];
    tp_alpha_laws_residual(step, P, F, xi);
    return TP_OK;
}

/* Columns of a block of derivatives by positions: seen from the start; (11). */
static void turn_columns(const tp_alpha_step *step, double *block)
{
    const tp_list *bodies = &step->stepper->system->model->bodies;
    const tp_sparse *pattern = &step->problem->pattern;
    for (int b = 0; b < bodies->count; b++) {
        const tp_body *body = TP_LIST_AT(*bodies, tp_body, b);
        const double *T = step->turn + 9 * b;
        if (body->kind != TP_BODY_RIGID) continue;
        const int *start = pattern->start + body->u_first + 3;
        int count = start[1] - start[0];
        bool is_same = start[2] - start[1] == count && start[3] - start[2] == count;
        for (int k = 0; k < count && is_same; k++)
            is_same = pattern->index[start[0] + k] == pattern->index[start[1] + k] &&
                      pattern->index[start[0] + k] == pattern->index[start[2] + k];
        for (int k = 0; k < count && is_same; k++) {
            double *at[3] = {block + start[0] + k, block + start[1] + k, block + start[2] + k},
                   old[3] = {*at[0], *at[1], *at[2]};
            for (int j = 0; j < 3; j++)
                *at[j] = old[0] * T[3 * j] + old[1] * T[1 + 3 * j] + old[2] * T[2 + 3 * j];
        }
    }
}

/* by_q and by_u; the system is at the point. */
static void find_blocks(tp_alpha_step *step, const double *P)
{
    tp_system *system = step->stepper->system;
    const tp_step_problem *problem = step->problem;
    int m = system->u_count, jacobian = tp_sparse_count(&system->jacobian_pattern);
    size_t bytes = (size_t)tp_sparse_count(&problem->pattern) * sizeof(double);
    tp_system_force_jacobian(system, step->stiffness, step->damping);
    memset(step->by_u, 0, bytes);
    for (int k = 0; k < jacobian; k++) step->by_u[problem->force_place[k]] -= step->damping[k];
    for (int level = 0; level < TP_ALPHA_LEVELS; level++) {
        double *by_q = step->by_q[level], *inertia = step->by_mass;
        memset(by_q, 0, bytes);
        for (int k = 0; k < jacobian && level == 0; k++) by_q[problem->force_place[k]] -= step->stiffness[k];
        if (system->has_constant_mass) continue;
        memset(inertia, 0, (size_t)jacobian * sizeof(double));
        tp_system_add_mass_jacobian(system, step->x + level * m, inertia);
        for (int k = 0; k < jacobian; k++) by_q[problem->force_place[k]] += inertia[k];
    }
    tp_alpha_laws_add_curvature(step, P);
    for (int level = 0; level < TP_ALPHA_LEVELS; level++) turn_columns(step, step->by_q[level]);
}

/* Sizes of rows of F, once a step; and what rounding makes of positions and velocities. */
static void measure(tp_alpha_step *step)
{
    const tp_system *system = step->stepper->system;
    const tp_sparse *mass = &system->mass_pattern, *jacobian = &system->jacobian_pattern,
                    *pattern = &step->problem->pattern;
    int m = system->u_count;
    double *position = step->work, *noise = step->F_noise;
    if (!step->is_measured) {
        double *scale = step->F_scale, *whole = step->work;
        tp_implicit_multiply_sizes(mass, step->M, step->size, scale);
        tp_implicit_multiply_sizes(pattern, step->block[0], step->size, whole);
        for (int level = 1; level < TP_ALPHA_LEVELS; level++)
            memcpy(scale + level * m, scale, (size_t)m * sizeof(double));
        for (int i = 0; i < m; i++) scale[i] = fmax(scale[i], whole[i]);
    }
    tp_system_position_sizes(system, position);
    for (int j = 0; j < m; j++) /* positions are sums of these terms, (4) */
        position[j] += step->dt * step->dt * fmax(step->size[j], fabs(step->x[j]));
    memset(noise, 0, (size_t)(TP_ALPHA_LEVELS * m) * sizeof(double));
    for (int j = 0; j < m; j++) {
        for (int k = jacobian->start[j]; k < jacobian->start[j + 1]; k++)
            noise[jacobian->index[k]] += DBL_EPSILON * fabs(step->damping[k] * step->u[j]);
        for (int k = pattern->start[j]; k < pattern->start[j + 1]; k++) { /* directions of forces, too */
            for (int level = 0; level < TP_ALPHA_LEVELS; level++)
                noise[level * m + pattern->index[k]] +=
                    DBL_EPSILON * fabs(step->by_q[level][k]) * position[j];
        }
    }
    tp_alpha_laws_measure(step);
    step->is_measured = true;
}

/* The blocks of (12), row by row of blocks the same in each column. */
static tp_status linearise(void *self, const double *x, const double *P, tp_problem *linear)
{
    tp_alpha_step *step = self;
    const tp_system *system = step->stepper->system;
    tp_step_problem *problem = step->problem;
    int pattern = tp_sparse_count(&problem->pattern), mass = tp_sparse_count(&system->mass_pattern);
    double cu = step->velocity_share, cq = step->position_share, dt = step->is_start ? 0.0 : step->dt;
    (void)linear; /* it is the step's own */
    place(step, x);
    tp_alpha_laws_choose(step, P);
    find_blocks(step, P);
    for (int k = 0; k < pattern; k++) {
        step->block[0][k] = cu * step->by_u[k] + cq * step->by_q[0][k];
        step->block[1][k] = dt * dt * step->by_q[2][k];
    }
    for (int k = 0; k < mass; k++) {
        step->block[0][problem->mass_place[k]] += step->M[k];
        step->block[1][problem->mass_place[k]] += step->M[k];
    }
    const tp_block blocks[] = {{0, 0, NULL, 1.0, step->block[0]},
                               {1, 0, NULL, cq, step->by_q[1]},
                               {2, 0, NULL, cq, step->by_q[2]},
                               {0, 1, NULL, dt, step->by_u},
                               {1, 1, &system->mass_pattern, 1.0, step->M},
                               {0, 2, NULL, dt * dt, step->by_q[0]},
                               {1, 2, NULL, dt * dt, step->by_q[1]},
                               {2, 2, NULL, 1.0, step->block[1]}};
    tp_step_problem_set_matrix(problem, blocks, sizeof blocks / sizeof blocks[0]);
    tp_alpha_laws_put(step);
    measure(step);
    return TP_OK;
}

/* Steps that lead nowhere may be shortened; F is defined everywhere. */
static double whole_way(void *self, const double *x, const double *x_new)
{
    (void)self, (void)x, (void)x_new;
    return 1.0;
}

tp_inclusion tp_alpha_step_inclusion(tp_alpha_step *step)
{
    return (tp_inclusion){.self = step,
                          .linear = &step->problem->problem,
                          .residual = residual,
                          .linearise = linearise,
                          .F_scale = step->F_scale,
                          .xi_scale = step->xi_scale,
                          .F_noise = step->F_noise,
                          .xi_noise = step->xi_noise,
                          .reach = whole_way};
}

/* Block products of one linearised inclusion. Friction that follows joints has limits of its own. */
static double work_limit(const tp_alpha_step *step)
{
    double rows = step->problem->problem.row_count;
    for (int i = 0; i < step->law_count; i++) {
        if (tp_alpha_law_of(step, &step->laws[i])->master_count > 0) return 0.0;
    }
    return fmax(tp_alpha_least_work, tp_alpha_work * rows * rows);
}

tp_status tp_alpha_step_solve(tp_alpha_step *step, int most_linearised, tp_step_report *report)
{
    tp_step_problem *problem = step->problem;
    tp_inclusion inclusion = tp_alpha_step_inclusion(step);
    const tp_block_manner manner = {.by_projections = step->stepper->options->alpha.fixed_point,
                                    .max_linearised = most_linearised,
                                    .patience = TP_ALPHA_PATIENCE,
                                    .work_limit = work_limit(step),
                                    .polish = step->stepper->model->constraint_count > 0};
    tp_status status =
        tp_stepper_solve_blocks(step->stepper, &inclusion, &manner, problem->x, problem->P, report);
    if (tp_stepper_accepts(step->stepper, status)) { /* the answer may be an earlier point than the last */
        place(step, problem->x);
        tp_alpha_laws_choose(step, problem->P);
    }
    return status;
}

void tp_alpha_step_solve_again(tp_alpha_step *step, int most_linearised, tp_step_report *report)
{
    tp_step_problem *problem = step->problem;
    size_t x_bytes = (size_t)(TP_ALPHA_LEVELS * step->stepper->system->u_count) * sizeof(double),
           P_bytes = (size_t)problem->problem.row_count * sizeof(double);
    tp_step_report before = *report;
    memcpy(step->x_answer, problem->x, x_bytes);
    memcpy(step->P_answer, problem->P, P_bytes);
    tp_status status = tp_alpha_step_solve(step, most_linearised, report);
    if (status != TP_OK) {
        before.work = report->work; /* of this solve; the caller adds what was before */
        before.iterations = report->iterations;
        *report = before;
        memcpy(problem->x, step->x_answer, x_bytes);
        memcpy(problem->P, step->P_answer, P_bytes);
        place(step, problem->x);
        tp_alpha_laws_choose(step, problem->P);
    }
}
