/* The smooth step of the energy-consistent schemes; theory/consistent.md (9)-(20). */
#include "consistent_laws.h"
#include "implicit_step.h"
#include "math/sparse.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Newton's method needs about six in a smooth step. Where it needs more, what (19) leaves out may be the
   reason: then it is found by differences, at the cost of some more evaluations. */
static const int usual_linearisations = 8;

static bool take_laws(tp_consistent_step *step, tp_arena *arena)
{
    const tp_system *system = step->stepper->system;
    size_t entries = 0, columns = (size_t)system->largest_columns;
    for (int i = 0; i < system->law_count; i++)
        entries +=
            (size_t)tp_system_law(system, i)->row_count * (size_t)tp_system_law_column_count(system, i);
    TP_ARENA_DOUBLES(arena, entries, &step->W_begin, &step->W_middle, &step->W_end, &step->rate_middle,
                     &step->rate_end, &step->rate_kept, &step->W_last, &step->stretch_begin);
    TP_ARENA_DOUBLES(arena, columns * columns, &step->H);
    TP_ARENA_DOUBLES(arena, columns, &step->change, &step->row);
    step->laws = TP_ARENA_ARRAY(arena, tp_consistent_law, system->law_count);
    step->round = TP_ARENA_ARRAY(arena, int, system->u_count);
    step->rate_count = entries;
    return step->laws != NULL && step->round != NULL && tp_arena_status(arena) == TP_OK;
}

/* Joints and other constraints have two sets of rows. */
int tp_consistent_set_count(const tp_law *law)
{
    return law->set.kind == TP_SET_FREE ? 2 : 1;
}

tp_status tp_consistent_step_create(tp_stepper *stepper, tp_arena *arena, const tp_consistent_scheme *scheme,
                                    tp_consistent_step **step_out)
{
    tp_system *system = stepper->system;
    tp_consistent_step *step = TP_ARENA_ARRAY(arena, tp_consistent_step, 1);
    *step_out = step;
    if (step == NULL) return TP_OUT_OF_MEMORY;
    step->stepper = stepper;
    step->scheme = *scheme;
    step->patience = usual_linearisations;
    TP_TRY(tp_midpoint_create(arena, system, scheme->turning, &step->midpoint));
    const tp_step_form form = {2, tp_consistent_set_count};
    TP_TRY(tp_step_problem_create(arena, system, &form, &step->problem));
    TP_TRY(tp_potential_steps_create(arena, system, &step->potentials));
    if (!system->has_constant_mass) TP_TRY(tp_kinetic_steps_create(arena, system, &step->kinetic));
    size_t m = (size_t)system->u_count, rows = (size_t)step->problem->capacity_rows,
           mass = (size_t)tp_sparse_count(&system->mass_pattern),
           forces = (size_t)tp_sparse_count(&system->jacobian_pattern),
           whole = (size_t)tp_sparse_count(&step->problem->pattern);
    TP_ARENA_DOUBLES(arena, mass, &step->M);
    TP_ARENA_DOUBLES(arena, forces, &step->gyroscopic, &step->by_position, &step->by_velocity,
                     &step->kinetic_position);
    TP_ARENA_DOUBLES(arena, rows, &step->g_begin, &step->g_end, &step->gamma_end, &step->restitution,
                     &step->xi_noise);
    TP_ARENA_DOUBLES(arena, 2 * m, &step->x, &step->F_scale, &step->F_noise);
    TP_ARENA_DOUBLES(arena, m, &step->d, &step->Md, &step->change_middle, &step->u_end, &step->u_mean,
                     &step->position_size, &step->u_middle, &step->force, &step->correction, &step->noise,
                     &step->size);
    TP_ARENA_DOUBLES(arena, whole, &step->by_a, &step->by_c, &step->second_by_a, &step->second_by_c);
    TP_TRY(tp_arena_status(arena));
    step->metric = (tp_metric){&system->mass_pattern, step->M, step->Md};
    return take_laws(step, arena) ? TP_OK : TP_OUT_OF_MEMORY;
}

void tp_consistent_step_begin(tp_consistent_step *step, double t, double dt, const double *q, const double *u,
                              const double *u_before)
{
    tp_system *system = step->stepper->system;
    step->t = t;
    step->dt = dt;
    step->q = q;
    step->u = u;
    step->u_before = u_before;
    step->law_count = 0;
    step->is_placed = step->is_measured = false;
    step->limiting_body = -1;
    step->linearised = 0;
    tp_step_problem_clear(step->problem);
    tp_system_move(system, t, q, u);
    tp_system_position_sizes(system, step->position_size);
    tp_system_mass(system, step->M);
    tp_system_force(system, step->force);
    tp_potential_steps_begin(step->potentials);
    memset(step->gyroscopic, 0, (size_t)tp_sparse_count(&system->jacobian_pattern) * sizeof(double));
    if (step->kinetic != NULL) tp_system_add_gyroscopic(system, step->gyroscopic);
    tp_implicit_velocity_sizes(system, u, step->force, step->M, dt, step->size);
    step->xi_scale = 0.0;
}

/* ---- the point (a, c) ---- */

/* Positions and velocities of x: d = dt (u + a), or dt (u + c/2) on impulses. */
static void place_states(tp_consistent_step *step, const double *x)
{
    int m = step->stepper->system->u_count;
    bool on_impulses = step->scheme.laws_on == TP_CONSISTENT_IMPULSES;
    memcpy(step->x, x, 2 * (size_t)m * sizeof(double));
    for (int j = 0; j < m; j++) {
        step->u_end[j] = step->u[j] + x[m + j];
        step->u_mean[j] = step->u[j] + 0.5 * x[m + j];
        step->change_middle[j] = on_impulses ? 0.5 * x[m + j] : x[j];
        step->u_middle[j] = step->u[j] + step->change_middle[j];
        step->d[j] = step->dt * step->u_middle[j];
        step->correction[j] = step->noise[j] = 0.0;
    }
    tp_implicit_multiply(&step->stepper->system->mass_pattern, step->M, step->d, step->Md);
    tp_midpoint_move(step->midpoint, step->q, step->u_middle, step->dt);
}

static tp_step_velocities velocities_of(const tp_consistent_step *step)
{
    return (tp_step_velocities){step->u, step->u_end, step->x + step->stepper->system->u_count,
                                step->change_middle};
}

static void place(tp_consistent_step *step, const double *x)
{
    tp_system *system = step->stepper->system;
    const double *q_middle = step->midpoint->q_middle;
    double t_middle = step->t + 0.5 * step->dt;
    if (step->is_placed && memcmp(step->x, x, 2 * (size_t)system->u_count * sizeof(double)) == 0) return;
    place_states(step, x);
    if (step->kinetic != NULL) {
        tp_system_move(system, step->t, step->q, step->u_end);
        tp_kinetic_steps_begin(step->kinetic);
    }
    tp_system_move(system, step->t + step->dt, step->midpoint->q_end, step->u_end);
    tp_potential_steps_end(step->potentials);
    if (step->kinetic != NULL) tp_kinetic_steps_end(step->kinetic);
    tp_consistent_laws_end(step);

    tp_system_move(system, t_middle, q_middle, step->u_end);
    if (step->kinetic != NULL) tp_kinetic_steps_add(step->kinetic, step->d, step->correction, step->noise);
    tp_consistent_laws_middle(step);

    tp_system_move(system, t_middle, q_middle, step->u_middle);
    tp_potential_steps_add(step->potentials, &step->metric, step->d, step->correction, step->noise);
    tp_system_force(system, step->force);
    tp_step_velocities velocities = velocities_of(step);
    tp_midpoint_add_gyroscopic(step->midpoint, &velocities, step->force);
    step->is_placed = true;
}

/* ---- F and xi ---- */

/* F2 without laws: M (c/2 - a), or M b on impulses; (12), (31). */
static void second_equation(const tp_consistent_step *step, double *F)
{
    const tp_system *system = step->stepper->system;
    int m = system->u_count;
    bool on_impulses = step->scheme.laws_on == TP_CONSISTENT_IMPULSES;
    memset(F, 0, (size_t)m * sizeof(double));
    for (int j = 0; j < m; j++) {
        double y = on_impulses ? step->x[j] : 0.5 * step->x[m + j] - step->x[j];
        for (int k = system->mass_pattern.start[j]; k < system->mass_pattern.start[j + 1]; k++)
            F[system->mass_pattern.index[k]] += step->M[k] * y;
    }
}

static tp_status residual(void *self, const double *x, const double *P, double *F, double *xi)
{
    tp_consistent_step *step = self;
    const tp_system *system = step->stepper->system;
    int m = system->u_count;
    place(step, x);
    tp_implicit_multiply(&system->mass_pattern, step->M, step->x + m, F);
    for (int j = 0; j < m; j++) F[j] += step->dt * (step->correction[j] - step->force[j]);
    if (step->kinetic != NULL)
        tp_pattern_multiply_add(&system->jacobian_pattern, step->gyroscopic, step->d, F);
    second_equation(step, F + m);
    tp_step_velocities velocities = velocities_of(step);
    tp_midpoint_add_second(step->midpoint, &velocities, F + m);
    tp_consistent_laws_apply(step, P, F, xi);
    return TP_OK;
}

/* ---- derivatives ---- */

/* Sizes of F from those of the velocities, and rounding errors of forces, energies and positions. */
static void measure(tp_consistent_step *step, const double *P)
{
    const tp_system *system = step->stepper->system;
    const tp_sparse *J = &step->problem->problem.M;
    int m = system->u_count;
    if (!step->is_measured) {
        memset(step->F_scale, 0, 2 * (size_t)m * sizeof(double));
        for (int j = 0; j < 2 * m; j++) {
            for (int k = J->start[j]; k < J->start[j + 1]; k++)
                step->F_scale[J->index[k]] += fabs(J->value[k]) * step->size[j % m];
        }
        step->is_measured = true;
    }
    tp_step_velocities velocities = velocities_of(step);
    tp_midpoint_gyroscopic_sizes(step->midpoint, &velocities, step->F_scale);
    for (int i = 0; i < m; i++)
        step->F_noise[i] = step->dt * (step->noise[i] + DBL_EPSILON * fabs(step->force[i]));
    for (int j = 0; j < m; j++) { /* forces of rounded positions */
        for (int k = system->jacobian_pattern.start[j]; k < system->jacobian_pattern.start[j + 1]; k++)
            step->F_noise[system->jacobian_pattern.index[k]] +=
                DBL_EPSILON * fabs(step->dt * step->by_position[k] * step->position_size[j]);
    }
    tp_consistent_laws_measure(step, P);
}

/* dF1 along a (or half of it along c, on impulses) but for laws: forces in the middle, corrections; (19). */
static void add_forces(tp_consistent_step *step)
{
    tp_system *system = step->stepper->system;
    const int *place_of = step->problem->force_place;
    double dt = step->dt;
    int forces = tp_sparse_count(&system->jacobian_pattern);
    size_t bytes = (size_t)forces * sizeof(double);
    tp_system_force_jacobian(system, step->by_position, step->by_velocity);
    tp_midpoint_middle_sparse(step->midpoint, &system->jacobian_pattern, step->by_position);
    for (int k = 0; k < forces; k++)
        step->by_a[place_of[k]] +=
            dt * (step->gyroscopic[k] - step->by_velocity[k] - 0.5 * dt * step->by_position[k]);
    double *corrections = step->by_velocity; /* its work is done */
    memset(corrections, 0, bytes);
    tp_potential_steps_add_jacobian(step->potentials, &step->metric, step->midpoint, step->d, 1.0,
                                    corrections);
    for (int k = 0; k < forces; k++) step->by_a[place_of[k]] += dt * dt * corrections[k];
}

/* The same of kinetic energies with M(q), which also change with the velocity at the end. */
static void add_kinetic(tp_consistent_step *step)
{
    tp_system *system = step->stepper->system;
    const int *place_of = step->problem->force_place;
    double dt = step->dt, t_middle = step->t + 0.5 * dt;
    int forces = tp_sparse_count(&system->jacobian_pattern);
    size_t bytes = (size_t)forces * sizeof(double);
    memset(step->kinetic_position, 0, bytes);
    memset(step->by_velocity, 0, bytes);
    tp_system_move(system, t_middle, step->midpoint->q_middle, step->u_end);
    tp_kinetic_steps_add_jacobian(step->kinetic, step->d, 1.0, step->kinetic_position, step->by_velocity);
    tp_system_move(system, t_middle, step->midpoint->q_middle, step->u_middle);
    for (int k = 0; k < forces; k++) {
        step->by_a[place_of[k]] += dt * dt * step->kinetic_position[k];
        step->by_c[place_of[k]] += dt * step->by_velocity[k];
    }
}

static tp_status linearise(void *self, const double *x, const double *P, tp_problem *linear)
{
    tp_consistent_step *step = self;
    const tp_system *system = step->stepper->system;
    tp_step_problem *problem = step->problem;
    int whole = tp_sparse_count(&problem->pattern);
    bool on_impulses = step->scheme.laws_on == TP_CONSISTENT_IMPULSES;
    (void)linear; /* it is the step's own */
    place(step, x);
    memset(step->by_a, 0, (size_t)whole * sizeof(double));
    memset(step->by_c, 0, (size_t)whole * sizeof(double));
    memset(step->second_by_c, 0, (size_t)whole * sizeof(double));
    if (step->scheme.has_velocity_level && step->linearised++ >= step->patience) {
        tp_consistent_laws_add_rate_changes(step, P);
        place(step, x);
    }
    add_forces(step);
    tp_consistent_laws_add_curvature(step, P);
    if (step->kinetic != NULL) add_kinetic(step);
    tp_step_velocities velocities = velocities_of(step);
    tp_midpoint_add_gyroscopic_jacobian(step->midpoint, &velocities, &problem->pattern, step->by_a,
                                        step->by_c);
    for (int k = 0; k < whole && on_impulses; k++) { /* the middle depends on c alone */
        step->by_c[k] += 0.5 * step->by_a[k];
        step->by_a[k] = 0.0;
    }
    for (int k = 0; k < tp_sparse_count(&system->mass_pattern); k++)
        step->by_c[problem->mass_place[k]] += step->M[k];
    double *second_by_a = NULL, mass_in_a = on_impulses ? 1.0 : -1.0;
    if (tp_midpoint_has_second(step->midpoint)) {
        second_by_a = step->second_by_a;
        memset(second_by_a, 0, (size_t)whole * sizeof(double));
        tp_midpoint_add_second_jacobian(step->midpoint, &velocities, &problem->pattern, second_by_a);
        for (int k = 0; k < tp_sparse_count(&system->mass_pattern); k++)
            second_by_a[problem->mass_place[k]] += mass_in_a * step->M[k];
    }
    const tp_sparse *mass = &system->mass_pattern;
    const tp_block blocks[] = {{0, 0, NULL, 1.0, step->by_a},
                               second_by_a != NULL ? (tp_block){1, 0, NULL, 1.0, second_by_a}
                                                   : (tp_block){1, 0, mass, mass_in_a, step->M},
                               {0, 1, NULL, 1.0, step->by_c},
                               on_impulses ? (tp_block){1, 1, NULL, 1.0, step->second_by_c}
                                           : (tp_block){1, 1, mass, 0.5, step->M}};
    tp_step_problem_set_matrix(problem, blocks, sizeof blocks / sizeof blocks[0]);
    tp_consistent_laws_put(step);
    measure(step, P);
    return TP_OK;
}

/* ---- the domain ---- */

/* The mean velocities u + a of both points decide; those of bodies without a limit, as in all quaternion
   schemes, do not matter. */
static double reach(void *self, const double *x, const double *x_new)
{
    tp_consistent_step *step = self;
    int m = step->stepper->system->u_count;
    for (int j = 0; j < m; j++) {
        step->u_middle[j] = step->u[j] + x[j];
        step->u_mean[j] = step->u[j] + x_new[j];
    }
    step->is_placed = false; /* they are placed anew */
    tp_reach found = tp_midpoint_reach(step->midpoint, step->q, step->dt, step->u_middle, step->u_mean);
    if (found.body >= 0) step->limiting_body = found.body;
    return found.part;
}

/* The iteration begins with a = c = 0, but for bodies that turn too fast already: their mean velocity is
   shortened. */
static void start_inside(tp_consistent_step *step, double *x)
{
    int m = step->stepper->system->u_count;
    memset(x, 0, 2 * (size_t)m * sizeof(double));
    if (step->scheme.laws_on == TP_CONSISTENT_IMPULSES)
        return; /* x is no mean velocity, and there is no limit */
    memcpy(step->u_middle, step->u, (size_t)m * sizeof(double));
    step->limiting_body = tp_midpoint_bring_inside(step->midpoint, step->q, step->dt, step->u_middle);
    for (int j = 0; j < m && step->limiting_body >= 0; j++) x[j] = step->u_middle[j] - step->u[j];
}

tp_inclusion tp_consistent_step_inclusion(tp_consistent_step *step)
{
    return (tp_inclusion){.self = step,
                          .linear = &step->problem->problem,
                          .residual = residual,
                          .linearise = linearise,
                          .F_scale = step->F_scale,
                          .xi_scale = step->xi_scale,
                          .F_noise = step->F_noise,
                          .xi_noise = step->xi_noise,
                          .reach = reach};
}

/* What a step without an answer met on its way. Iterates may meet the limit although the motion does not come
   near it: then no body has half of it at the start, and parts of the step may have an answer. */
static void explain(const tp_consistent_step *step)
{
    tp_stepper *stepper = step->stepper;
    if (step->limiting_body < 0) return;
    memcpy(step->u_middle, step->u, (size_t)stepper->system->u_count * sizeof(double));
    if (tp_midpoint_bring_inside(step->midpoint, step->q, 2.0 * step->dt, step->u_middle) < 0) return;
    snprintf(stepper->cause, sizeof stepper->cause,
             "body '%.60s' met the limit |w| dt <= 2 of a turn in one step: a smaller time step helps, or an "
             "integrator without that limit (consistent-quaternion, consistent-quaternion-two-step, moreau)",
             TP_LIST_AT(stepper->system->model->bodies, tp_body, step->limiting_body)->name);
}

tp_status tp_consistent_step_solve(tp_consistent_step *step, tp_step_report *report)
{
    tp_step_problem *problem = step->problem;
    tp_inclusion inclusion = tp_consistent_step_inclusion(step);
    start_inside(step, problem->x);
    tp_status status = tp_stepper_polish_inclusion(step->stepper, &inclusion, problem->x, problem->P, report);
    if (status == TP_NOT_CONVERGED) explain(step);
    if (tp_stepper_accepts(step->stepper, status)) place(step, problem->x); /* may be an earlier point */
    return status;
}

void tp_consistent_step_book(const tp_consistent_step *step, tp_account *account)
{
    const tp_sparse *pattern = &step->stepper->system->jacobian_pattern;
    tp_consistent_laws_book(step, account);
    tp_account_add_forces(account, step->dt, step->force);
    tp_account_add_forces(account, -step->dt, step->correction);
    for (int j = 0; j < pattern->cols && step->kinetic != NULL; j++) {
        for (int k = pattern->start[j]; k < pattern->start[j + 1]; k++)
            account->forces[pattern->index[k]] -= step->gyroscopic[k] * step->d[j];
    }
}
