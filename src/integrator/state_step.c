/* First-order states and relations in an implicit step; theory/theta-gamma.md (5)-(14). Unknowns of the step
   are the change dx of the states and P = dt lambda:
       F = M dx - dt (w_f f(a) + (1 - w_f) f(0)) - dt (w_r r(b) + (1 - w_r) r(0)),   xi = s y(b)
   where f(a) is f at time t + a dt and states x + a dx. Rows have a scale s, so that outputs in volts and
   velocities are judged alike. */
#include "state_step.h"
#include "solver/tolerances.h"
#include "system/state_problem.h"
#include "tolerances.h"

#include <float.h>
#include <math.h>
#include <string.h>

struct tp_state_step {
    tp_stepper *stepper;
    tp_system *system;
    tp_state_problem joint; /* problem of both */
    int n, m, u;
    bool reads_motion;
    double *F_scale, *F_noise, *xi_noise;  /* of the joint problem                                */
    double *f_start, *r_start, *f, *r, *y; /* at the start; at the present point                  */
    double *dx, *lambda, *x_at;            /* [n], [m], [n]                                       */
    double *x_size;                        /* [n] sizes of states */
    double *scale;                         /* [n + m] of rows: s of relations, of equations as rows */
    double *F_size;                        /* [n] sizes of equations                              */
    double *F_rounding, *y_rounding;       /* [n], [m] of right sides and outputs                 */
    double *q_at, *u_at;                   /* between start and end                               */
    tp_state_gradient gradient;
    double xi_scale, x_largest;
    /* of the present step */
    const tp_state *from;
    tp_state_host mechanics;
    const tp_state_host *host; /* that, while the step is solved and afterwards; NULL before */
    double dt;
    double f_share, f_weight, r_share, r_weight; /* a, w_f, b, w_r */
    int row;                                     /* equation whose derivatives are being put */
    double factor;                               /* of those by velocities                   */
};

static void put_all(tp_state_step *step);

tp_status tp_state_step_create(tp_stepper *stepper, tp_arena *arena, size_t matrix_entries,
                               tp_state_step **out)
{
    const tp_model *model = stepper->model;
    *out = NULL;
    if (model->states.count + model->relations.count == 0) return TP_OK;
    tp_state_step *step = TP_ARENA_ARRAY(arena, tp_state_step, 1);
    if (step == NULL) return TP_OUT_OF_MEMORY;
    step->stepper = stepper;
    step->system = stepper->system;
    step->n = model->states.count;
    step->m = model->outputs.count;
    step->u = stepper->system->u_count;
    step->reads_motion = tp_system_states_read_motion(stepper->system);
    size_t n = (size_t)step->n, m = (size_t)step->m, u = (size_t)step->u,
           rows = (size_t)stepper->problem->capacity_rows + n + m,
           widest = (size_t)tp_system_widest_gradient(stepper->system);
    TP_ARENA_DOUBLES(arena, u + n, &step->F_scale, &step->F_noise);
    TP_ARENA_DOUBLES(arena, rows, &step->xi_noise);
    TP_ARENA_DOUBLES(arena, n, &step->f_start, &step->r_start, &step->f, &step->r, &step->dx, &step->x_at,
                     &step->x_size, &step->F_size, &step->F_rounding);
    TP_ARENA_DOUBLES(arena, m, &step->y, &step->lambda, &step->y_rounding);
    TP_ARENA_DOUBLES(arena, n + m, &step->scale);
    TP_ARENA_DOUBLES(arena, u, &step->u_at);
    TP_ARENA_DOUBLES(arena, widest, &step->gradient.by_f, &step->gradient.by_r);
    TP_ARENA_DOUBLES(arena, stepper->system->q_count, &step->q_at);
    TP_TRY(tp_arena_status(arena));
    for (size_t k = 0; k < n + m; k++) step->scale[k] = 1.0;
    TP_TRY(tp_state_problem_open(arena, model, step->u, tp_unknown_states, &step->joint));
    step->dt = 1.0;
    put_all(step); /* recorded */
    TP_TRY(tp_state_problem_close(&step->joint, stepper->problem, matrix_entries));
    *out = step;
    return TP_OK;
}

/* ---- points ---- */

/* The system shows states and motion of a point between start and end. */
static void stand(tp_state_step *step, double share)
{
    const tp_state *from = step->from;
    for (int i = 0; i < step->n; i++) step->x_at[i] = from->x[i] + share * step->dx[i];
    tp_system_set_states(step->system, step->x_at, step->lambda);
    double t = from->t + share * step->dt;
    if (!step->reads_motion || step->host == NULL) {
        step->system->at.z[TP_SLOT_TIME] = t;
        return;
    }
    const tp_state_host *host = step->host;
    for (int i = 0; i < step->system->q_count; i++)
        step->q_at[i] = (1.0 - share) * from->q[i] + share * host->q_end[i];
    for (int j = 0; j < step->u; j++) step->u_at[j] = (1.0 - share) * from->u[j] + share * host->u_end[j];
    tp_system_move(step->system, t, step->q_at, step->u_at);
}

static void set_variant(tp_state_step *step, const tp_gamma_options *options)
{
    bool is_standard = options->variant == TP_GAMMA_STANDARD,
         is_midpoint = options->variant == TP_GAMMA_MIDPOINT;
    step->f_share = is_midpoint ? options->theta : 1.0;
    step->f_weight = is_midpoint ? 1.0 : options->theta;
    step->r_share = is_standard ? 1.0 : options->gamma;
    step->r_weight = is_standard ? options->gamma : 1.0;
}

/* 2^k next to x: scaling by it is exact. */
static double power_of_two(double x)
{
    int exponent;
    frexp(x, &exponent);
    return ldexp(1.0, exponent);
}

/* What the states may change by. One at rest is judged with a part of the largest, as velocities are. */
static void measure_sizes(tp_state_step *step)
{
    const tp_model *model = step->stepper->model;
    double largest = 0.0;
    for (int i = 0; i < step->n; i++) step->x_size[i] = fabs(step->from->x[i]);
    for (int k = 0; k < model->state_mass.count; k++) {
        const tp_state_mass *M = TP_LIST_AT(model->state_mass, tp_state_mass, k);
        if (M->i == M->j && M->value != 0.0)
            step->x_size[M->i] += step->dt * fabs((step->f_start[M->i] + step->r_start[M->i]) / M->value);
    }
    for (int i = 0; i < step->n; i++) largest = fmax(largest, step->x_size[i]);
    step->x_largest = largest > 0.0 ? largest : 1.0;
    for (int i = 0; i < step->n; i++)
        step->x_size[i] = fmax(step->x_size[i], tp_state_rest * step->x_largest);
}

void tp_state_step_begin(tp_state_step *step, const tp_gamma_options *options, const tp_state *from,
                         double dt)
{
    step->from = from;
    step->dt = dt;
    step->host = NULL;
    set_variant(step, options);
    memset(step->dx, 0, (size_t)step->n * sizeof(double));
    memcpy(step->lambda, from->multiplier, (size_t)step->m * sizeof(double));
    stand(step, 0.0);
    tp_system_state_rates(step->system, step->f_start, step->r_start);
    measure_sizes(step);
    tp_state_problem_scale_sets(&step->joint, step->stepper->model, dt);
}

/* ---- the inclusion ---- */

static int own_row(const tp_state_step *step)
{
    return step->stepper->problem->problem.row_count;
}

/* dx and lambda of a point of the inclusion. */
static void read_point(tp_state_step *step, const double *x, const double *P)
{
    const double *own = P + own_row(step), *relation = own + (step->joint.are_rows ? step->n : 0);
    for (int i = 0; i < step->n; i++) step->dx[i] = step->joint.are_rows ? own[i] : x[step->u + i];
    for (int k = 0; k < step->m; k++) step->lambda[k] = relation[k] / step->dt;
}

/* The mechanics at a point, with the states that its forces see. */
static void show_forces(tp_state_step *step)
{
    for (int i = 0; i < step->n; i++)
        step->x_at[i] = step->from->x[i] + step->host->force_share * step->dx[i];
    tp_system_set_states(step->system, step->x_at, step->lambda);
    step->host->forget(step->host->self);
}

void tp_state_step_show(tp_state_step *step, bool at_end)
{
    if (at_end)
        show_forces(step);
    else
        tp_system_set_states(step->system, step->from->x, step->from->multiplier);
}

/* M dx - dt (...) of (6); f, r and y are known. */
static void equations(tp_state_step *step, double *F)
{
    const tp_model *model = step->stepper->model;
    double dt = step->dt;
    for (int i = 0; i < step->n; i++)
        F[i] = -dt * (step->f_weight * step->f[i] + (1.0 - step->f_weight) * step->f_start[i]) -
               dt * (step->r_weight * step->r[i] + (1.0 - step->r_weight) * step->r_start[i]);
    for (int k = 0; k < model->state_mass.count; k++) {
        const tp_state_mass *M = TP_LIST_AT(model->state_mass, tp_state_mass, k);
        F[M->i] += M->value * step->dx[M->j];
    }
}

/* f, r and y at their points; the system is left at the last of them. */
static void evaluate(tp_state_step *step)
{
    stand(step, step->f_share);
    tp_system_state_rates(step->system, step->f, step->r);
    if (step->r_share != step->f_share) {
        stand(step, step->r_share);
        tp_system_state_rates(step->system, step->x_at, step->r); /* f of this point is not used */
    }
    tp_system_outputs(step->system, step->y);
}

static tp_status residual(void *self, const double *x, const double *P, double *F, double *xi)
{
    tp_state_step *step = self;
    const tp_state_host *host = step->host;
    read_point(step, x, P);
    show_forces(step);
    TP_TRY(host->residual(host->self, x, P, F, xi));
    evaluate(step);
    double *own = xi + own_row(step), *equation = step->joint.are_rows ? own : F + step->u;
    equations(step, equation);
    for (int i = 0; i < step->n; i++) equation[i] *= step->scale[i];
    if (step->joint.are_rows) own += step->n;
    for (int k = 0; k < step->m; k++) own[k] = step->scale[step->n + k] * step->y[k];
    host->forget(host->self);
    return TP_OK;
}

/* ---- derivatives, always in the same order ---- */

static void put(tp_state_step *step, int col, double value)
{
    tp_state_problem_put(&step->joint, step->row, col, value);
}

static void put_velocity(void *self, int velocity, double factor)
{
    tp_state_step *step = self;
    put(step, velocity, step->factor * factor);
}

/* Derivatives of a function at `share`, times `factor`, into the present row. */
static void put_gradient(tp_state_step *step, double share, double factor, const double *gradient)
{
    double position_time = step->host != NULL ? step->host->position_time : 0.0;
    for (int k = 0; k < step->gradient.count; k++) {
        int slot = step->gradient.slots[k], i = tp_slot_index(slot);
        tp_slot_kind kind = tp_slot_kind_of(slot);
        double d = factor * gradient[k];
        if (kind == TP_SLOT_IS_STATE) put(step, step->u + i, share * d);
        if (kind == TP_SLOT_IS_MULTIPLIER) put(step, step->u + step->n + i, d / step->dt);
        if (!tp_slot_is_of_motion(slot)) continue;
        step->factor = share * d;
        tp_system_slot_by_velocities(step->system, slot, position_time, put_velocity, step);
    }
}

static void put_force(void *self, int velocity, int slot, double value)
{
    tp_state_step *step = self;
    int i = tp_slot_index(slot);
    double factor = step->host != NULL ? -step->dt * step->host->force_weight : 0.0;
    step->row = velocity;
    if (tp_slot_kind_of(slot) == TP_SLOT_IS_MULTIPLIER)
        put(step, step->u + step->n + i, factor * value / step->dt);
    else
        put(step, step->u + i, factor * value * (step->host != NULL ? step->host->force_share : 1.0));
}

/* Sizes of the terms of a function, over the states and multipliers. */
static double size_of_terms(const tp_state_step *step, const double *gradient)
{
    double size = 0.0;
    for (int k = 0; k < step->gradient.count; k++) {
        int slot = step->gradient.slots[k], i = tp_slot_index(slot);
        tp_slot_kind kind = tp_slot_kind_of(slot);
        if (kind == TP_SLOT_IS_STATE) size += fabs(gradient[k]) * step->x_size[i];
        if (kind == TP_SLOT_IS_MULTIPLIER) size += fabs(gradient[k] * step->lambda[i]);
    }
    return size;
}

/* Rounding of a function: its own, and that of the states in it. */
static double noise_of(const tp_state_step *step, const double *gradient)
{
    return step->gradient.rounding + DBL_EPSILON * size_of_terms(step, gradient);
}

static void put_mass(tp_state_step *step)
{
    const tp_model *model = step->stepper->model;
    for (int k = 0; k < model->state_mass.count; k++) {
        const tp_state_mass *M = TP_LIST_AT(model->state_mass, tp_state_mass, k);
        step->row = step->u + M->i;
        put(step, step->u + M->j, M->value * step->scale[M->i]);
    }
}

/* f of all states, where the system stands. */
static void put_rates(tp_state_step *step)
{
    for (int i = 0; i < step->n; i++) {
        step->row = step->u + i;
        tp_system_state_gradient(step->system, i, &step->gradient);
        put_gradient(step, step->f_share, -step->dt * step->f_weight * step->scale[i], step->gradient.by_f);
        step->F_rounding[i] = step->dt * noise_of(step, step->gradient.by_f);
    }
}

/* r of the states that have one. */
static void put_inputs(tp_state_step *step)
{
    for (int i = 0; i < step->n; i++) {
        if (!tp_system_state_has_input(step->system, i)) continue;
        step->row = step->u + i;
        tp_system_state_gradient(step->system, i, &step->gradient);
        put_gradient(step, step->r_share, -step->dt * step->r_weight * step->scale[i], step->gradient.by_r);
        step->F_rounding[i] += step->dt * noise_of(step, step->gradient.by_r);
    }
}

static void put_outputs(tp_state_step *step)
{
    for (int k = 0; k < step->m; k++) {
        step->row = step->u + step->n + k;
        tp_system_output_gradient(step->system, k, &step->gradient);
        put_gradient(step, step->r_share, step->scale[step->n + k], step->gradient.by_f);
        step->y_rounding[k] = noise_of(step, step->gradient.by_f);
    }
}

/* The system is where the forces are; it is left where the outputs are. */
static void put_all(tp_state_step *step)
{
    bool is_recording = step->joint.entries.is_recording;
    if (step->u > 0) tp_system_force_by_states(step->system, put_force, step);
    put_mass(step);
    if (!is_recording) stand(step, step->f_share);
    put_rates(step);
    if (!is_recording && step->r_share != step->f_share) stand(step, step->r_share);
    put_inputs(step);
    put_outputs(step);
}

/* ---- sizes ---- */

/* Sum of the derivatives of an equation over the states, and their sizes. */
static double measure_equation(tp_state_step *step, int i)
{
    double sum = 0.0;
    tp_system_state_gradient(step->system, i, &step->gradient);
    for (int k = 0; k < step->gradient.count; k++) {
        if (tp_slot_kind_of(step->gradient.slots[k]) == TP_SLOT_IS_STATE)
            sum += step->dt * fabs(step->gradient.by_f[k]);
    }
    double size = fabs(step->gradient.f) + size_of_terms(step, step->gradient.by_f);
    step->F_size[i] = fmax(step->F_size[i], step->dt * size);
    if (!(step->F_size[i] > 0.0)) step->F_size[i] = 1.0;
    return sum;
}

/* Sizes of equations and outputs at the start. Equations that are rows get the size of their states. */
static void measure_rows(tp_state_step *step, double mechanics)
{
    const tp_model *model = step->stepper->model;
    double largest = step->joint.are_rows ? step->x_largest : 0.0;
    memset(step->F_size, 0, (size_t)step->n * sizeof(double));
    memset(step->scale, 0, (size_t)step->n * sizeof(double));
    for (int k = 0; k < model->state_mass.count; k++) {
        const tp_state_mass *M = TP_LIST_AT(model->state_mass, tp_state_mass, k);
        step->F_size[M->i] += fabs(M->value) * step->x_size[M->j];
        step->scale[M->i] += fabs(M->value);
    }
    for (int i = 0; i < step->n; i++) step->scale[i] += measure_equation(step, i);
    for (int k = 0; k < step->m; k++) {
        tp_system_output_gradient(step->system, k, &step->gradient);
        largest = fmax(largest, fabs(step->gradient.f) + size_of_terms(step, step->gradient.by_f));
    }
    double common = mechanics > 0.0 && largest > 0.0 ? power_of_two(mechanics) / power_of_two(largest) : 1.0;
    step->xi_scale = mechanics > 0.0 ? mechanics : largest;
    for (int i = 0; i < step->n; i++) {
        bool is_row = step->joint.are_rows && step->scale[i] > 0.0;
        step->scale[i] = is_row ? common / power_of_two(step->scale[i]) : 1.0;
    }
    for (int k = 0; k < step->m; k++) step->scale[step->n + k] = common;
}

/* Sizes and rounding errors of the joint problem, after its matrices. */
static void take_sizes(tp_state_step *step)
{
    const tp_implicit_matrices *mechanics = step->host->matrices;
    int rows = own_row(step), first = rows + (step->joint.are_rows ? step->n : 0);
    for (int j = 0; j < step->u; j++) {
        step->F_scale[j] = mechanics->F_scale[j];
        step->F_noise[j] = mechanics->F_noise[j];
    }
    for (int k = 0; k < rows; k++) step->xi_noise[k] = mechanics->xi_noise[k];
    for (int i = 0; i < step->n; i++) {
        if (step->joint.are_rows) {
            step->xi_noise[rows + i] = step->scale[i] * step->F_rounding[i];
        } else {
            step->F_scale[step->u + i] = step->F_size[i];
            step->F_noise[step->u + i] = step->F_rounding[i];
        }
    }
    for (int k = 0; k < step->m; k++)
        step->xi_noise[first + k] = step->scale[step->n + k] * step->y_rounding[k];
}

static tp_status linearise(void *self, const double *x, const double *P, tp_problem *linear)
{
    tp_state_step *step = self;
    (void)linear; /* it is the joint one */
    read_point(step, x, P);
    show_forces(step);
    TP_TRY(step->host->linearise(step->host->self, x, P, &step->stepper->problem->problem));
    tp_state_problem_clear(&step->joint);
    put_all(step);
    take_sizes(step);
    tp_state_problem_join(&step->joint, &step->stepper->problem->problem);
    step->host->forget(step->host->self);
    return TP_OK;
}

/* ---- the step ---- */

tp_inclusion tp_state_step_inclusion(tp_state_step *step)
{
    return (tp_inclusion){.self = step,
                          .linear = &step->joint.problem,
                          .residual = residual,
                          .linearise = linearise,
                          .F_scale = step->F_scale,
                          .xi_scale = step->xi_scale,
                          .F_noise = step->F_noise,
                          .xi_noise = step->xi_noise};
}

tp_status tp_state_step_solve(tp_state_step *step, const tp_state_host *host, tp_step_report *report)
{
    tp_stepper *stepper = step->stepper;
    tp_state_problem *joint = &step->joint;
    int rows = own_row(step), first = rows + (joint->are_rows ? step->n : 0);
    step->host = NULL; /* sizes are those of the start */
    stand(step, 0.0);
    measure_rows(step, rows > 0 ? host->matrices->xi_scale : 0.0);
    step->mechanics = *host;
    step->host = &step->mechanics;
    tp_state_problem_join(joint, &stepper->problem->problem); /* its counts */
    memset(joint->x, 0, (size_t)joint->problem.x_count * sizeof(double));
    memset(joint->P, 0, (size_t)joint->problem.row_count * sizeof(double));
    memcpy(joint->P, stepper->problem->P, (size_t)rows * sizeof(double));
    for (int k = 0; k < step->m; k++) joint->P[first + k] = step->dt * step->from->multiplier[k];
    tp_inclusion inclusion = tp_state_step_inclusion(step);
    tp_status status =
        tp_stepper_solve_blocks(stepper, &inclusion, &(tp_block_manner){0}, joint->x, joint->P, report);
    memcpy(stepper->x, joint->x, (size_t)step->u * sizeof(double));
    memcpy(stepper->problem->P, joint->P, (size_t)rows * sizeof(double));
    read_point(step, joint->x, joint->P);
    show_forces(step);
    return status;
}

void tp_state_step_end(tp_state_step *step, tp_state *to, tp_step_report *report)
{
    evaluate(step);
    for (int k = 0; k < step->m; k++) report->supply += step->dt * step->lambda[k] * step->y[k];
    for (int i = 0; i < step->n; i++) to->x[i] = step->from->x[i] + step->dx[i];
    memcpy(to->multiplier, step->lambda, (size_t)step->m * sizeof(double));
    tp_system_set_states(step->system, to->x, to->multiplier);
}

const char *tp_state_step_set_name(const tp_state_step *step, int set)
{
    int own = set - step->stepper->problem->problem.set_count;
    if (own < 0 || own >= step->joint.own_sets) return NULL;
    int row = step->joint.own_set[own].first - (step->joint.are_rows ? step->n : 0);
    return row < 0 ? tp_model_state_name(step->stepper->model, row + step->n)
                   : tp_model_multiplier_name(step->stepper->model, row);
}

/* ---- multipliers of a start ---- */

enum { START_STEPS = 20 };

/* The law y(lambda), x held, linearised at the multipliers that the system shows. */
static tp_status make_start_problem(tp_state_step *step, tp_arena *arena, tp_problem **out)
{
    const tp_state_problem *joint = &step->joint;
    int first = joint->are_rows ? step->n : 0, count = 0, m = step->m;
    size_t most = 0;
    for (int k = 0; k < m; k++) {
        tp_system_output_gradient(step->system, k, &step->gradient);
        most += (size_t)step->gradient.count;
    }
    int *row = TP_ARENA_ARRAY(arena, int, most), *col = TP_ARENA_ARRAY(arena, int, most);
    double *value = TP_ARENA_ARRAY(arena, double, most), *b = TP_ARENA_ARRAY(arena, double, m);
    TP_TRY(tp_arena_status(arena));
    for (int k = 0; k < m; k++) {
        tp_system_output_gradient(step->system, k, &step->gradient);
        b[k] = step->gradient.f;
        for (int e = 0; e < step->gradient.count; e++) {
            if (tp_slot_kind_of(step->gradient.slots[e]) != TP_SLOT_IS_MULTIPLIER) continue;
            row[count] = k;
            col[count] = tp_slot_index(step->gradient.slots[e]);
            value[count] = step->gradient.by_f[e];
            b[k] -= value[count] * step->lambda[col[count]];
            count++;
        }
    }
    tp_problem_def def = tp_problem_def_default();
    def.row_count = m;
    def.set_count = joint->own_sets - first;
    def.sets = joint->own_set + first;
    def.D = (tp_entries){.rows = m, .cols = m, .count = count, .row = row, .col = col, .value = value};
    def.b = b;
    return tp_problem_create(arena->allocator, &def, out, NULL);
}

tp_status tp_state_step_start(tp_state_step *step, tp_state *state)
{
    size_t bytes = (size_t)step->m * sizeof(double);
    memset(state->multiplier, 0, bytes);
    memset(step->lambda, 0, bytes);
    if (step->m == 0) return TP_OK;
    tp_state_problem_scale_sets(&step->joint, step->stepper->model, 1.0);
    tp_solver_options options = tp_solver_options_default();
    options.tolerance = tp_start_tolerance;
    options.floor_factor = tp_goal_roundings;
    tp_status status = TP_OK;
    double change = INFINITY, size = 0.0;
    for (int k = 0; k < START_STEPS && status == TP_OK && change > DBL_EPSILON * size; k++) {
        tp_problem *problem = NULL;
        tp_report report;
        tp_system_set_states(step->system, state->x, step->lambda);
        tp_arena arena = tp_arena_make(step->stepper->system->arena.allocator);
        status = make_start_problem(step, &arena, &problem);
        memcpy(step->y, step->lambda, bytes);
        if (status == TP_OK)
            status = tp_solve(problem, NULL, &options, step->stepper->solver_memory, step->y, NULL, &report);
        tp_problem_free(problem);
        tp_arena_clear(&arena);
        change = size = 0.0;
        for (int i = 0; i < step->m && status == TP_OK; i++) {
            change = fmax(change, fabs(step->y[i] - step->lambda[i]));
            size = fmax(size, fabs(step->y[i]));
            step->lambda[i] = step->y[i];
        }
    }
    if (status == TP_OK) memcpy(state->multiplier, step->lambda, bytes);
    tp_system_set_states(step->system, state->x, state->multiplier);
    return status == TP_OUT_OF_MEMORY ? status : TP_OK; /* outputs that determine nothing: multipliers 0 */
}
