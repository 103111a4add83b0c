/* The smooth step of the energy-consistent schemes; theory/consistent.md (9)-(20). */
#include "consistent_step.h"

#include "implicit_step.h"

#include <float.h>
#include <math.h>
#include <string.h>

static bool take_laws(tp_consistent_step *step, tp_arena *arena)
{
    const tp_system *system = step->stepper->system;
    const tp_model *model = step->stepper->model;
    size_t entries = 0, columns = (size_t)system->largest_columns;
    for (int i = 0; i < model->laws.count; i++)
        entries += (size_t)TP_LIST_AT(model->laws, tp_law, i)->row_count *
                   (size_t)tp_system_law_column_count(system, i);
    const tp_implicit_array all[] = {{&step->W_begin, entries},  {&step->W_middle, entries},
                                     {&step->W_end, entries},    {&step->rate_middle, entries},
                                     {&step->rate_end, entries}, {&step->H, columns * columns},
                                     {&step->change, columns}};
    step->laws = TP_ARENA_ARRAY(arena, tp_consistent_law, model->laws.count);
    return step->laws != NULL && tp_implicit_take(arena, all, sizeof all / sizeof all[0]) == TP_OK;
}

tp_status tp_consistent_step_create(tp_stepper *stepper, tp_arena *arena, tp_consistent_step **step_out)
{
    tp_system *system = stepper->system;
    tp_consistent_step *step = TP_ARENA_ARRAY(arena, tp_consistent_step, 1);
    *step_out = step;
    if (step == NULL) return TP_OUT_OF_MEMORY;
    step->stepper = stepper;
    TP_TRY(tp_consistent_problem_create(arena, system, &step->problem));
    TP_TRY(tp_potential_steps_create(arena, system, &step->potentials));
    if (!system->has_constant_mass) TP_TRY(tp_kinetic_steps_create(arena, system, &step->kinetic));
    size_t m = (size_t)system->u_count, rows = (size_t)step->problem->row_capacity,
           mass = (size_t)tp_sparse_count(&system->mass_pattern),
           forces = (size_t)tp_sparse_count(&system->jacobian_pattern),
           whole = (size_t)tp_sparse_count(&step->problem->pattern);
    const tp_implicit_array all[] = {{&step->M, mass},
                                     {&step->gyroscopic, forces},
                                     {&step->g_begin, rows},
                                     {&step->g_end, rows},
                                     {&step->gamma_end, rows},
                                     {&step->restitution, rows},
                                     {&step->x, 2 * m},
                                     {&step->d, m},
                                     {&step->q_end, m},
                                     {&step->u_end, m},
                                     {&step->q_middle, m},
                                     {&step->u_middle, m},
                                     {&step->force, m},
                                     {&step->correction, m},
                                     {&step->noise, m},
                                     {&step->by_position, forces},
                                     {&step->by_velocity, forces},
                                     {&step->by_a, whole},
                                     {&step->by_c, whole},
                                     {&step->size, m},
                                     {&step->F_scale, 2 * m},
                                     {&step->F_noise, 2 * m},
                                     {&step->xi_noise, rows}};
    TP_TRY(tp_implicit_take(arena, all, sizeof all / sizeof all[0]));
    return take_laws(step, arena) ? TP_OK : TP_OUT_OF_MEMORY;
}

static const tp_law *law_of(const tp_consistent_step *step, const tp_consistent_law *own)
{
    return TP_LIST_AT(step->stepper->model->laws, tp_law, own->law);
}

static int column_count(const tp_consistent_step *step, const tp_consistent_law *own)
{
    return tp_system_law_column_count(step->stepper->system, own->law);
}

static const int *columns_of(const tp_consistent_step *step, const tp_consistent_law *own)
{
    return tp_system_law_columns(step->stepper->system, own->law);
}

/* Rows whose direction is a discrete derivative: all of a joint, the gap of a contact. */
static int discrete_rows(const tp_consistent_step *step, const tp_consistent_law *own)
{
    if (!own->is_discrete) return 0;
    return own->is_joint ? law_of(step, own)->row_count : 1;
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
    tp_consistent_problem_clear(step->problem);
    tp_system_move(system, t, q, u);
    tp_system_mass(system, step->M);
    tp_system_force(system, step->force);
    tp_potential_steps_begin(step->potentials);
    memset(step->gyroscopic, 0, (size_t)tp_sparse_count(&system->jacobian_pattern) * sizeof(double));
    if (step->kinetic != NULL) tp_system_add_gyroscopic(system, step->gyroscopic);
    tp_implicit_velocity_sizes(system, u, step->force, step->M, dt, step->size);
    step->xi_scale = 0.0;
}

/* The set of a law in this step; one that follows another's rows finds them. */
static tp_set set_of(const tp_consistent_step *step, const tp_law *law)
{
    tp_set set = law->set;
    for (int k = 0; k < 6 && law->is_force_bound; k++) set.parameter[k] *= step->dt;
    for (int i = 0; i < step->law_count && law->master_count > 0; i++) {
        if (step->laws[i].law == law->master_law)
            set = tp_set_following(set, step->laws[i].first + law->master_first, law->master_count);
    }
    return set;
}

/* A contact of shapes has a gap that is not smooth everywhere: its direction stays that of the begin. */
static bool is_smooth(const tp_law *law)
{
    return law->level != TP_LEVEL_VELOCITY && law->source != TP_SOURCE_PAIR;
}

void tp_consistent_step_add_law(tp_consistent_step *step, int index, const double *P0)
{
    tp_system *system = step->stepper->system;
    const tp_law *law = TP_LIST_AT(step->stepper->model->laws, tp_law, index);
    tp_consistent_law *own = &step->laws[step->law_count];
    const tp_consistent_law *last = own - 1;
    size_t place = 0;
    if (step->law_count > 0)
        place = last->place + (size_t)law_of(step, last)->row_count * (size_t)column_count(step, last);
    *own = (tp_consistent_law){.law = index, .second = -1, .place = place};
    own->is_joint = law->level == TP_LEVEL_POSITION;
    own->is_discrete = own->is_joint || (step->laws_on == TP_CONSISTENT_DISPLACEMENTS && is_smooth(law) &&
                                         !step->directions_at_begin);
    tp_set set = set_of(step, law);
    own->first = tp_consistent_problem_add_set(step->problem, &set, P0);
    if (own->is_joint && step->has_velocity_level)
        own->second = tp_consistent_problem_add_set(step->problem, &set, NULL);
    step->law_count++;

    double chi[TP_LAW_ROWS], *W = step->W_begin + place;
    int count = column_count(step, own);
    tp_system_law_rows(system, index, W, chi);
    tp_system_law_positions(system, index, step->g_begin + own->first);
    memcpy(step->W_middle + place, W, (size_t)(law->row_count * count) * sizeof(double));
    memcpy(step->W_end + place, W, (size_t)(law->row_count * count) * sizeof(double));
    for (int k = 0; k < law->row_count; k++) {
        double row = 0.0;
        step->restitution[own->first + k] = law->restitution[k];
        for (int j = 0; j < count; j++) row += fabs(W[j + k * count]) * step->size[columns_of(step, own)[j]];
        step->xi_scale = fmax(step->xi_scale, row);
    }
}

/* ---- the point (a, c) ---- */

/* H u of row k at the present point: the derivative of its velocity with respect to positions. */
static void row_rate(tp_consistent_step *step, const tp_consistent_law *own, int k, double *rate)
{
    int count = column_count(step, own);
    const int *columns = columns_of(step, own);
    tp_system_law_hessian(step->stepper->system, own->law, k, step->H);
    for (int i = 0; i < count; i++) {
        rate[i] = 0.0;
        for (int j = 0; j < count; j++) rate[i] += step->H[i + j * count] * step->u_end[columns[j]];
    }
}

/* Positions, rows and rates of laws; the system is at the end, with u_end. */
static void end_laws(tp_consistent_step *step)
{
    for (int i = 0; i < step->law_count; i++) {
        const tp_consistent_law *own = &step->laws[i];
        int count = column_count(step, own), rows = discrete_rows(step, own);
        double chi[TP_LAW_ROWS], *W = step->W_end + own->place;
        if (rows == 0) continue;
        tp_system_law_positions(step->stepper->system, own->law, step->g_end + own->first);
        tp_system_law_rows(step->stepper->system, own->law, W, chi);
        if (!own->is_joint &&
            law_of(step, own)->row_count > 1) /* friction keeps the directions of the begin */
            memcpy(W + count, step->W_begin + own->place + count,
                   (size_t)((law_of(step, own)->row_count - 1) * count) * sizeof(double));
        for (int k = 0; k < rows && own->second >= 0; k++) {
            row_rate(step, own, k, step->rate_end + own->place + k * count);
            step->gamma_end[own->first + k] =
                tp_row_velocity(count, columns_of(step, own), W + k * count, step->u_end);
        }
    }
}

/* Discrete derivatives of positions and velocities (5), (6); the system is in the middle. */
static void middle_laws(tp_consistent_step *step)
{
    for (int i = 0; i < step->law_count; i++) {
        tp_consistent_law *own = &step->laws[i];
        int count = column_count(step, own), rows = discrete_rows(step, own),
            all = law_of(step, own)->row_count;
        const int *columns = columns_of(step, own);
        double chi[TP_LAW_ROWS], *W = step->W_middle + own->place;
        if (rows == 0) continue;
        tp_system_law_rows(step->stepper->system, own->law, W, chi);
        if (all > rows)
            memcpy(W + count, step->W_begin + own->place + count,
                   (size_t)((all - rows) * count) * sizeof(double));
        tp_chord chord = tp_chord_make(count, columns, step->q_middle, step->d);
        for (int k = 0; k < rows; k++) {
            int row = own->first + k;
            double rise = step->g_end[row] - step->g_begin[row],
                   *rate = step->rate_middle + own->place + k * count;
            own->slope[k] = tp_chord_correct(&chord, rise, W + k * count);
            if (own->second < 0) continue;
            row_rate(step, own, k, rate);
            double before =
                tp_row_velocity(count, columns, step->W_begin + own->place + k * count, step->u_end);
            tp_chord_correct(&chord, step->gamma_end[row] - before, rate);
        }
    }
}

static void place(tp_consistent_step *step, const double *x)
{
    tp_system *system = step->stepper->system;
    int m = system->u_count;
    double t_middle = step->t + 0.5 * step->dt;
    if (step->is_placed && memcmp(step->x, x, 2 * (size_t)m * sizeof(double)) == 0) return;
    memcpy(step->x, x, 2 * (size_t)m * sizeof(double));
    for (int j = 0; j < m; j++) {
        step->u_middle[j] = step->u[j] + x[j];
        step->d[j] = step->dt * step->u_middle[j];
        step->q_middle[j] = step->q[j] + 0.5 * step->d[j];
        step->q_end[j] = step->q[j] + step->d[j];
        step->u_end[j] = step->u[j] + x[m + j];
        step->correction[j] = step->noise[j] = 0.0;
    }
    if (step->kinetic != NULL) {
        tp_system_move(system, step->t, step->q, step->u_end);
        tp_kinetic_steps_begin(step->kinetic);
    }
    tp_system_move(system, step->t + step->dt, step->q_end, step->u_end);
    tp_potential_steps_end(step->potentials);
    if (step->kinetic != NULL) tp_kinetic_steps_end(step->kinetic);
    end_laws(step);

    tp_system_move(system, t_middle, step->q_middle, step->u_end);
    if (step->kinetic != NULL) tp_kinetic_steps_add(step->kinetic, step->d, step->correction, step->noise);
    middle_laws(step);

    tp_system_move(system, t_middle, step->q_middle, step->u_middle);
    tp_potential_steps_add(step->potentials, step->d, step->correction, step->noise);
    tp_system_force(system, step->force);
    step->is_placed = true;
}

/* ---- F and xi ---- */

/* F -= factor times a row; nothing for P = 0. */
static void subtract_row(int count, const int *columns, const double *row, double factor, double *F)
{
    for (int j = 0; j < count; j++) F[columns[j]] -= factor * row[j];
}

/* Rows of one law: its share of F, and xi. */
static void apply_law(const tp_consistent_step *step, const tp_consistent_law *own, const double *P,
                      double *F, double *xi)
{
    int m = step->stepper->system->u_count, count = column_count(step, own);
    const int *columns = columns_of(step, own);
    for (int k = 0; k < law_of(step, own)->row_count; k++) {
        int row = own->first + k, second = own->second + k;
        size_t at = own->place + (size_t)(k * count);
        const double *W = step->W_middle + at;
        subtract_row(count, columns, W, P[row], F);
        if (own->second >= 0) { /* (13), (14) */
            subtract_row(count, columns, step->rate_middle + at, step->dt * P[second], F);
            subtract_row(count, columns, step->W_begin + at, P[second], F + m);
            xi[row] = step->gamma_end[row];
            xi[second] = -step->g_end[row] / step->dt;
        } else if (own->is_joint) {
            xi[row] = step->g_end[row] / step->dt;
        } else if (step->laws_on == TP_CONSISTENT_DISPLACEMENTS) {
            xi[row] = tp_row_velocity(count, columns, W, step->u_middle);
        } else {
            xi[row] = tp_row_velocity(count, columns, W, step->u_end) +
                      step->restitution[row] * tp_row_velocity(count, columns, W, step->u_before);
        }
    }
}

static tp_status residual(void *self, const double *x, const double *P, double *F, double *xi)
{
    tp_consistent_step *step = self;
    const tp_system *system = step->stepper->system;
    int m = system->u_count;
    place(step, x);
    double *c = step->x + m;
    tp_implicit_multiply(&system->mass_pattern, step->M, c, F);
    for (int j = 0; j < m; j++) F[j] += step->dt * (step->correction[j] - step->force[j]);
    if (step->kinetic != NULL) {
        for (int j = 0; j < m; j++) {
            for (int k = system->jacobian_pattern.start[j]; k < system->jacobian_pattern.start[j + 1]; k++)
                F[system->jacobian_pattern.index[k]] += step->gyroscopic[k] * step->d[j];
        }
    }
    tp_implicit_multiply(&system->mass_pattern, step->M, c, F + m);
    for (int j = 0; j < m; j++) F[m + j] *= 0.5;
    for (int j = 0; j < m; j++) {
        for (int k = system->mass_pattern.start[j]; k < system->mass_pattern.start[j + 1]; k++)
            F[m + system->mass_pattern.index[k]] -= step->M[k] * step->x[j];
    }
    for (int i = 0; i < step->law_count; i++) apply_law(step, &step->laws[i], P, F, xi);
    return TP_OK;
}

/* ---- derivatives ---- */

/* -dt d[(Dg/Dq)^T P]/dq+ of one law; (19). */
static void add_law_curvature(tp_consistent_step *step, const tp_consistent_law *own, const double *P)
{
    int count = column_count(step, own), rows = discrete_rows(step, own);
    const int *columns = columns_of(step, own);
    const tp_sparse *pattern = &step->problem->pattern;
    tp_chord chord = tp_chord_make(count, columns, step->q_middle, step->d);
    for (int k = 0; k < rows; k++) {
        size_t at = own->place + (size_t)(k * count);
        double factor = -step->dt * P[own->first + k];
        if (factor == 0.0) continue;
        tp_system_law_hessian(step->stepper->system, own->law, k, step->H);
        for (int j = 0; j < count; j++) { /* Dg/Dq = gradient in the middle + slope d */
            double middle = step->W_middle[at + (size_t)j] - own->slope[k] * step->d[columns[j]];
            step->change[j] = step->W_end[at + (size_t)j] - middle;
            for (int i = 0; i < count; i++) {
                double h = 0.5 * step->H[i + j * count];
                step->change[j] -= h * step->d[columns[i]];
                if (h != 0.0) step->by_a[tp_pattern_place(pattern, columns[i], columns[j])] += factor * h;
            }
        }
        tp_chord_add_jacobian(&chord, own->slope[k], step->change, factor, pattern, step->by_a);
    }
}

static void put_rows(tp_consistent_step *step, const tp_consistent_law *own)
{
    int count = column_count(step, own), rows = law_of(step, own)->row_count;
    for (int k = 0; k < rows; k++) {
        size_t at = own->place + (size_t)(k * count);
        tp_consistent_column A = {count, columns_of(step, own), 1.0, 0.0, step->W_middle + at, NULL},
                             Ct = {count, columns_of(step, own), 1.0, 1.0, step->W_end + at, NULL};
        if (own->second >= 0) {
            Ct.factor_a = step->dt;
            Ct.in_a = step->rate_end + at;
            Ct.in_c = step->W_end + at;
        } else if (!own->is_joint && step->laws_on == TP_CONSISTENT_VELOCITIES) {
            Ct.in_a = NULL;
            Ct.in_c = step->W_end + at;
        }
        tp_consistent_problem_put_row(step->problem, own->first + k, &A, &Ct);
    }
    for (int k = 0; k < rows && own->second >= 0; k++) {
        size_t at = own->place + (size_t)(k * count);
        tp_consistent_column A = {count, columns_of(step, own),  step->dt,
                                  1.0,   step->rate_middle + at, step->W_begin + at},
                             Ct = {count, columns_of(step, own), -1.0, 0.0, step->W_end + at, NULL};
        tp_consistent_problem_put_row(step->problem, own->second + k, &A, &Ct);
    }
}

/* Rounding errors of the positions of a law: in xi, and in F through its discrete derivatives. */
static void measure_law(tp_consistent_step *step, const tp_consistent_law *own, const double *P)
{
    int count = column_count(step, own), rows = discrete_rows(step, own);
    const int *columns = columns_of(step, own);
    tp_chord chord = tp_chord_make(count, columns, step->q_middle, step->d);
    for (int k = 0; k < law_of(step, own)->row_count; k++) {
        double error = 0.0;
        for (int j = 0; j < count && k < rows; j++)
            error += DBL_EPSILON *
                     fabs(step->W_begin[own->place + (size_t)(j + k * count)] * step->q_end[columns[j]]);
        step->xi_noise[own->first + k] = own->second < 0 ? error / step->dt : 0.0;
        if (own->second >= 0) step->xi_noise[own->second + k] = error / step->dt;
        for (int j = 0; j < count && k < rows && !chord.is_short; j++)
            step->F_noise[columns[j]] +=
                fabs(P[own->first + k]) * error * fabs(step->d[columns[j]]) / chord.squared_length;
    }
}

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
    for (int i = 0; i < m; i++)
        step->F_noise[i] = step->dt * (step->noise[i] + DBL_EPSILON * fabs(step->force[i]));
    for (int j = 0; j < m; j++) { /* forces of rounded positions */
        for (int k = system->jacobian_pattern.start[j]; k < system->jacobian_pattern.start[j + 1]; k++)
            step->F_noise[system->jacobian_pattern.index[k]] +=
                DBL_EPSILON * fabs(step->dt * step->by_position[k] * step->q[j]);
    }
    for (int i = 0; i < step->law_count; i++) measure_law(step, &step->laws[i], P);
}

static tp_status linearise(void *self, const double *x, const double *P, tp_problem *linear)
{
    tp_consistent_step *step = self;
    tp_system *system = step->stepper->system;
    tp_consistent_problem *problem = step->problem;
    double dt = step->dt;
    int forces = tp_sparse_count(&system->jacobian_pattern), whole = tp_sparse_count(&problem->pattern);
    (void)linear; /* it is the step's own */
    place(step, x);
    memset(step->by_a, 0, (size_t)whole * sizeof(double));
    memset(step->by_c, 0, (size_t)whole * sizeof(double));
    tp_system_force_jacobian(system, step->by_position, step->by_velocity);
    for (int k = 0; k < forces; k++) { /* forces in the middle, at the velocity d/dt */
        step->by_a[problem->force_place[k]] +=
            dt * (step->gyroscopic[k] - step->by_velocity[k] - 0.5 * dt * step->by_position[k]);
    }
    memset(step->by_velocity, 0, (size_t)forces * sizeof(double));
    double *corrections = step->by_velocity; /* its work is done */
    tp_potential_steps_add_jacobian(step->potentials, step->d, 1.0, corrections);
    for (int k = 0; k < forces; k++) {
        step->by_a[problem->force_place[k]] += dt * dt * corrections[k];
        corrections[k] = 0.0;
    }
    for (int i = 0; i < step->law_count; i++) add_law_curvature(step, &step->laws[i], P);
    for (int k = 0; k < tp_sparse_count(&system->mass_pattern); k++)
        step->by_c[problem->mass_place[k]] += step->M[k];
    if (step->kinetic != NULL) {
        double *by_position = step->by_position;
        memset(by_position, 0, (size_t)forces * sizeof(double));
        tp_system_move(system, step->t + 0.5 * dt, step->q_middle, step->u_end);
        tp_kinetic_steps_add_jacobian(step->kinetic, step->d, 1.0, by_position, step->by_velocity);
        tp_system_move(system, step->t + 0.5 * dt, step->q_middle, step->u_middle);
        for (int k = 0; k < forces; k++) {
            step->by_a[problem->force_place[k]] += dt * dt * by_position[k];
            step->by_c[problem->force_place[k]] += dt * step->by_velocity[k];
        }
    }
    tp_consistent_problem_set_matrix(problem, system, step->by_a, step->by_c, step->M);
    problem->problem.A.start[0] = problem->problem.Ct.start[0] = 0;
    for (int i = 0; i < step->law_count; i++) put_rows(step, &step->laws[i]);
    measure(step, P);
    return TP_OK;
}

tp_status tp_consistent_step_solve(tp_consistent_step *step, tp_step_report *report)
{
    tp_consistent_problem *problem = step->problem;
    tp_inclusion inclusion = {.self = step,
                              .linear = &problem->problem,
                              .residual = residual,
                              .linearise = linearise,
                              .F_scale = step->F_scale,
                              .xi_scale = step->xi_scale,
                              .F_noise = step->F_noise,
                              .xi_noise = step->xi_noise};
    tp_status status = tp_stepper_polish_inclusion(step->stepper, &inclusion, problem->x, problem->P, report);
    if (tp_stepper_accepts(step->stepper, status)) place(step, problem->x); /* may be an earlier point */
    return status;
}
