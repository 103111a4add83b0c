/* The scheme of Schatzman and Paoli; theory/schatzman-paoli.md (1)-(8). Laws act on positions. A state is
   t, q, u and the velocity w of the interval that follows it; h is the time step, the same for all steps.
   With the change of velocity x between two intervals as unknown
       qc = q + h w,   q+ = qc + h (w + x),   F = M(qc) x - h f(t_theta, q_theta, w + x/2) - W P,
       joints   xi = g(t+, q+)/h,             W at qc
       contacts xi = (1 + e) g(t+, z)/h,      W at z = (q+ + e q)/(1 + e); of shapes with kinks about qc, (10)
   is one nonlinear inclusion. The next state has q = qc, u = w + x/2 (both belong to its time), w + x. */
#include "implicit_step.h"
#include "system/discrete.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MEMORY_INTERVAL_VELOCITY, MEMORY_WAITS };

/* One step: its data, and the point where the inclusion was evaluated last. */
typedef struct position_step {
    tp_stepper *stepper;
    double h, theta, t, t_next; /* times of qc and q+                                                       */
    double force_time;          /* h; half of it in the first step                                          */
    double velocity_share;      /* the forces see w + velocity_share x                                      */
    const double *q_before;     /* [m] in the middle of z                                                   */
    double *w;                  /* [m] velocity of the interval before qc                                   */
    double *q;                  /* [m] qc                                                                   */
    double *restitution;        /* [rows] of the contacts                                                   */
    double *x;                  /* [m] the present point ...                                                */
    double *q_next, *q_force, *z, *v; /* [m] q+, q_theta, z of the last contact, w + velocity_share x       */
    bool is_placed;
    double *force; /* [m] */
    tp_implicit_rows rows;
    double *g, *chi;               /* positions [rows], chi at qc [rows] */
    double *g_begin;               /* positions at qc [rows] */
    bool *is_linear;               /* [sets] the gap is linear about qc, (10) */
    tp_sparse Ct;                  /* dxi/dx by column: joints at q+ */
    tp_implicit_matrices matrices; /* M at qc, and the rest at q_force */
} position_step;

static const tp_memory_field memory_fields[] = {
    [MEMORY_INTERVAL_VELOCITY] = {"interval_velocity", TP_MEMORY_PER_VELOCITY},
    [MEMORY_WAITS] = {"waits_to_start", TP_MEMORY_ONE}, /* 1: no whole step goes on from here */
    {NULL, TP_MEMORY_ONE},
};

static tp_status prepare(tp_stepper *stepper, tp_arena *arena)
{
    size_t m = (size_t)stepper->system->u_count, rows = (size_t)stepper->problem->capacity_rows;
    position_step *step = TP_ARENA_ARRAY(arena, position_step, 1);
    if (step == NULL) return TP_OUT_OF_MEMORY;
    TP_ARENA_DOUBLES(arena, m, &step->w, &step->q, &step->x, &step->q_next, &step->q_force, &step->z,
                     &step->v, &step->force);
    TP_ARENA_DOUBLES(arena, rows, &step->restitution, &step->g, &step->chi, &step->g_begin);
    step->stepper = stepper;
    stepper->scratch = step;
    step->is_linear = TP_ARENA_ARRAY(arena, bool, stepper->problem->capacity_sets);
    /* room for the rows of all laws, as the matrix A of the problem has it */
    step->Ct = tp_problem_take_sparse(arena, rows, stepper->problem->capacity_entries);
    step->Ct.rows = stepper->system->u_count;
    TP_TRY(tp_implicit_take_rows(stepper, arena, &step->rows));
    TP_TRY(tp_implicit_take_matrices(stepper, arena, &step->matrices));
    return tp_arena_status(arena);
}

/* Rounding errors of positions through a row: u = q', so that velocities have the places of coordinates. */
static double position_noise(const position_step *step, int law, const double *W)
{
    const int *columns, count = tp_system_columns_of(step->stepper->system, law, &columns);
    return DBL_EPSILON * tp_row_size(count, columns, W, step->z);
}

/* Positions of the rows of a set at the system's point, and W of contacts. A pair of shapes may have no
   contact point there: then they stay what they were. */
static void measure_law(position_step *step, int set_index)
{
    tp_stepper *stepper = step->stepper;
    const tp_set *set = &stepper->problem->problem.sets[set_index];
    int law = stepper->problem->law[set_index];
    double g[TP_LAW_ROWS], chi[TP_LAW_ROWS];
    tp_system_law_positions(stepper->system, law, g);
    if (!isfinite(g[0])) return;
    memcpy(step->g + set->first, g, (size_t)set->size * sizeof(double));
    if (tp_system_law(stepper->system, law)->level == TP_LEVEL_GAP)
        tp_system_law_rows(stepper->system, law, step->rows.W + step->rows.start[set_index], chi);
}

/* The gap about qc with the features that meet there: g + W^T (z - qc); (10). */
static void measure_linear(position_step *step, int set_index, double e)
{
    const tp_stepper *stepper = step->stepper;
    int row = stepper->problem->problem.sets[set_index].first, law = stepper->problem->law[set_index];
    const int *columns, count = tp_system_columns_of(stepper->system, law, &columns);
    const double *W = step->rows.W + step->rows.start[set_index];
    double change = 0.0;
    for (int j = 0; j < count; j++) {
        double ahead = step->q_next[columns[j]] - step->q[columns[j]],
               back = step->q[columns[j]] - step->q_before[columns[j]];
        change += W[j] * (ahead - e * back);
    }
    step->g[row] = step->g_begin[row] + change / (1.0 + e);
}

/* g and its rounding errors of all laws in the problem at q+ or z, W of contacts there; (4), (5). */
static void place_laws(position_step *step)
{
    tp_stepper *stepper = step->stepper;
    tp_system *system = stepper->system;
    double e_here = -1.0; /* a move costs as much as the whole system: none where z is the last law's */
    for (int i = 0; i < stepper->problem->problem.set_count; i++) {
        const tp_set *set = &stepper->problem->problem.sets[i];
        int law = stepper->problem->law[i], count = tp_system_law_column_count(system, law);
        double *W = step->rows.W + step->rows.start[i], e = step->restitution[set->first];
        for (int j = 0; j < system->u_count && e != e_here; j++)
            step->z[j] = e > 0.0 ? (step->q_next[j] + e * step->q_before[j]) / (1.0 + e) : step->q_next[j];
        if (e != e_here) tp_system_move(system, step->t_next, step->z, step->v);
        e_here = e;
        if (step->is_linear[i])
            measure_linear(step, i, e);
        else
            measure_law(step, i);
        for (int k = 0; k < set->size; k++)
            step->matrices.xi_noise[set->first + k] =
                (1.0 + e) * position_noise(step, law, W + k * count) / step->h;
    }
}

/* The point of x: positions (2), laws, and forces (3); the system stays where the forces are. */
static void place(position_step *step, const double *x)
{
    tp_system *system = step->stepper->system;
    int m = system->u_count;
    if (step->is_placed && memcmp(step->x, x, (size_t)m * sizeof(double)) == 0) return;
    memcpy(step->x, x, (size_t)m * sizeof(double));
    for (int j = 0; j < m; j++) {
        double move = step->h * (step->w[j] + x[j]);
        step->q_next[j] = step->q[j] + move;
        step->q_force[j] = step->q[j] + step->theta * move;
        step->v[j] = step->w[j] + step->velocity_share * x[j];
    }
    place_laws(step);
    tp_system_move(system, step->t + step->theta * step->h, step->q_force, step->v);
    tp_system_force(system, step->force);
    step->is_placed = true;
}

/* F (3) and xi (4), (5). */
static tp_status residual(void *self, const double *x, const double *P, double *F, double *xi)
{
    position_step *step = self;
    int m = step->stepper->system->u_count, rows = step->stepper->problem->problem.row_count;
    place(step, x);
    tp_implicit_multiply(&step->stepper->system->mass_pattern, step->matrices.M, x, F);
    for (int j = 0; j < m; j++) F[j] -= step->force_time * step->force[j];
    tp_implicit_apply_rows(step->stepper, &step->rows, P, NULL, F, NULL);
    for (int k = 0; k < rows; k++) {
        double left_out = step->rows.left_out[k];
        xi[k] = left_out > 0.0 ? left_out * P[k] : (1.0 + step->restitution[k]) * step->g[k] / step->h;
    }
    return TP_OK;
}

/* The rows of a law as derivatives of xi, into the columns of Ct. */
static void put_derivatives(position_step *step, int set_index)
{
    const tp_stepper *stepper = step->stepper;
    const tp_set *set = &stepper->problem->problem.sets[set_index];
    int law = stepper->problem->law[set_index], count = tp_system_law_column_count(stepper->system, law);
    const int *columns = tp_system_law_columns(stepper->system, law);
    const double *W = step->rows.W + step->rows.start[set_index];
    if (tp_system_law(stepper->system, law)->level == TP_LEVEL_POSITION) {
        double chi[TP_LAW_ROWS];
        tp_system_law_rows(stepper->system, law, stepper->problem->row, chi);
        W = stepper->problem->row;
    }
    for (int k = 0; k < set->size; k++) {
        int row = set->first + k, place = step->Ct.start[row];
        for (int j = 0; j < count && !(step->rows.left_out[row] > 0.0); j++) {
            step->Ct.index[place] = columns[j];
            step->Ct.value[place++] = W[j + k * count];
        }
        step->Ct.start[row + 1] = place;
    }
}

/* dxi/dx of the problem, which is the stepper's: rows of joints at q+, of contacts as they are; (6). */
static void differentiate_laws(position_step *step, tp_problem *problem)
{
    tp_system_move(step->stepper->system, step->t_next, step->q_next, step->v);
    step->Ct.start[0] = 0;
    step->Ct.cols = problem->row_count;
    for (int i = 0; i < problem->set_count; i++) put_derivatives(step, i);
    problem->Ct = step->Ct;
    problem->is_mechanical = false;
    step->is_placed = false; /* the system has left the point of the forces */
}

/* dF/dx = M - force_time (theta h dh/dq + velocity_share dh/du), dxi/dx = W^T; (6). */
static tp_status linearise(void *self, const double *x, const double *P, tp_problem *linear)
{
    position_step *step = self;
    tp_system *system = step->stepper->system;
    place(step, x);
    tp_system_force_jacobian(system, step->matrices.stiffness, step->matrices.damping);
    for (int k = 0; k < tp_sparse_count(&system->jacobian_pattern); k++) {
        step->matrices.stiffness[k] *= step->theta;
        step->matrices.J[k] = -step->force_time * (step->h * step->matrices.stiffness[k] +
                                                   step->velocity_share * step->matrices.damping[k]);
    }
    tp_implicit_finish_jacobian(step->stepper, &step->matrices, step->v, step->force_time);
    tp_implicit_refill(step->stepper, &step->stepper->system->jacobian_pattern, step->matrices.J, &step->rows,
                       P, step->h, 0.0);
    differentiate_laws(step, linear);
    return TP_OK;
}

/* A contact at rest: in the first step it has no past to be thrown back from; (7). */
static bool is_resting(const position_step *step, int law, double gap, double gap_rate)
{
    double tolerance = tp_stepper_closing_gap(step->stepper, law);
    return gap <= tolerance && fabs(gap_rate) * step->h <= tolerance;
}

/* All laws, whether they are near or not (pairs of shapes where they have a contact point); the system is at
   qc with the velocity w. */
static void collect_laws(position_step *step, const tp_state *from, bool is_first)
{
    tp_stepper *stepper = step->stepper;
    tp_system *system = stepper->system;
    static const double no_b[TP_LAW_ROWS] = {0.0};
    tp_step_problem_begin(stepper->problem, &system->mass_pattern, step->matrices.M, NULL);
    step->rows.start[0] = 0;
    for (int i = 0; i < stepper->system->law_count; i++) {
        const tp_law *law = tp_system_law(stepper->system, i);
        int set = stepper->problem->problem.set_count, first = stepper->problem->problem.row_count;
        double position = tp_system_law_position(system, i);
        if (!isfinite(position)) continue;
        tp_law_rows rows;
        tp_law_rows_at(stepper, i, from->impulse, step->w, tp_implicit_next_rows(stepper, &step->rows),
                       &rows);
        memcpy(step->chi + first, rows.chi, (size_t)law->row_count * sizeof(double));
        memcpy(step->restitution + first, law->restitution, (size_t)law->row_count * sizeof(double));
        if (is_first && law->row_count == 1 && is_resting(step, i, position, rows.gamma[0]))
            step->restitution[first] = 0.0;
        tp_implicit_add_law(stepper, &step->rows, &rows, no_b, step->h);
        measure_law(step, set);
        step->is_linear[set] = law->level == TP_LEVEL_GAP && !tp_law_has_smooth_gap(system, i);
        step->g_begin[first] = step->g[first];
    }
}

/* Laws at qc, and sizes; mass matrix and rows that are left out are known. */
static void begin_step(position_step *step, const tp_state *from, bool is_first)
{
    tp_stepper *stepper = step->stepper;
    step->is_placed = step->matrices.is_measured = false;
    tp_system_move(stepper->system, step->t, step->q, step->w);
    tp_system_force(stepper->system, step->force);
    collect_laws(step, from, is_first);
    tp_implicit_velocity_sizes(stepper->system, step->w, step->force, step->matrices.M, step->h,
                               step->matrices.size);
    step->matrices.xi_scale = tp_implicit_row_size(stepper, &step->rows, step->chi, step->matrices.size);
}

/* Takes back rows that are left out but do not hold at the answer: the rank was lower for an instant. */
static bool keep_needed(position_step *step)
{
    tp_stepper *stepper = step->stepper;
    bool is_needed = false;
    place(step, stepper->x);
    for (int i = 0; i < stepper->problem->problem.set_count; i++) {
        const tp_set *set = &stepper->problem->problem.sets[i];
        for (int k = 0; k < set->size; k++) {
            int row = set->first + k;
            if (!(step->rows.left_out[row] > 0.0) || fabs(step->g[row]) <= tp_left_out_error) continue;
            tp_redundancy_keep(stepper->redundancy, stepper->problem->law[i], k);
            is_needed = true;
        }
    }
    return is_needed;
}

/* The inclusion with the rows that are left out now. Those hold by the others, as well as these are solved.
 */
static tp_status solve_once(position_step *step, const tp_state *from, bool is_first, tp_step_report *report)
{
    tp_stepper *stepper = step->stepper;
    tp_step_report before = *report;
    begin_step(step, from, is_first);
    bool polish = tp_redundancy_count(stepper->redundancy) > 0;
    tp_status status = tp_implicit_solve(stepper, &step->matrices, step, residual, linearise, polish, report);
    report->iterations += before.iterations;
    report->work += before.work;
    return status;
}

/* The inclusion; w, q, q_before and the times are known. Rows of joints that depend on others at qc are left
   out if they hold at q+ by themselves, or if there is no solution with them. */
static tp_status solve_rows(position_step *step, const tp_state *from, bool is_first, tp_step_report *report)
{
    tp_stepper *stepper = step->stepper;
    step->theta = stepper->options->paoli.theta;
    step->t_next = step->t + step->h;
    tp_system_move(stepper->system, step->t, step->q, step->w);
    tp_system_mass(stepper->system, step->matrices.M);
    TP_TRY(tp_redundancy_find(stepper->redundancy, step->matrices.M));
    bool took_back = false;
    tp_status status = solve_once(step, from, is_first, report);
    for (; tp_stepper_accepts(stepper, status) && keep_needed(step); took_back = true)
        status = solve_once(step, from, is_first, report);
    if (tp_stepper_accepts(stepper, status) || !took_back) return status;
    tp_system_move(stepper->system, step->t, step->q, step->w);
    TP_TRY(tp_redundancy_find(stepper->redundancy, step->matrices.M));
    return solve_once(step, from, is_first, report);
}

/* The first planar body whose way differs from that of the interval before by more than half a turn: joints
   hold a turn farther as well, and Newton's method may end there; theory/schatzman-paoli.md (11). */
static const tp_body *find_skipped_turn(const position_step *step)
{
    const double half_turn = acos(-1.0); /* [rad] */
    const tp_model *model = step->stepper->system->model;
    for (int i = 0; i < model->bodies.count; i++) {
        const tp_body *body = TP_LIST_AT(model->bodies, tp_body, i);
        if (body->kind == TP_BODY_PLANAR && step->h * fabs(step->stepper->x[body->u_first + 2]) > half_turn)
            return body;
    }
    return NULL;
}

/* The inclusion, by a solution that goes on from the interval before. */
static tp_status solve(position_step *step, const tp_state *from, bool is_first, tp_step_report *report)
{
    tp_status status = solve_rows(step, from, is_first, report);
    const tp_body *body = status == TP_OK ? find_skipped_turn(step) : NULL;
    if (body == NULL) return status;
    snprintf(step->stepper->cause, sizeof step->stepper->cause,
             "the solution found turns body '%s' by more than half a turn beyond the step before: a smaller "
             "time step helps",
             body->name);
    return TP_NOT_CONVERGED;
}

/* The velocity of the first interval from q and u: half the forces, or none; theory/schatzman-paoli.md (7).
 */
static tp_status start(tp_stepper *stepper, tp_state *state)
{
    position_step *step = stepper->scratch;
    int m = stepper->system->u_count;
    tp_step_report report = {0};
    step->h = stepper->options->time_step;
    step->t = state->t;
    step->force_time = stepper->options->paoli.first_order_start ? 0.0 : 0.5 * step->h;
    step->velocity_share = 0.0;
    memcpy(step->w, state->u, (size_t)m * sizeof(double));
    memcpy(step->q, state->q, (size_t)m * sizeof(double));
    for (int j = 0; j < m; j++) stepper->q_middle[j] = state->q[j] - step->h * state->u[j];
    step->q_before = stepper->q_middle;
    tp_status status = solve(step, state, true, &report);
    if (!tp_stepper_accepts(stepper, status)) return status;
    for (int j = 0; j < m; j++) state->memory[MEMORY_INTERVAL_VELOCITY][j] = step->w[j] + stepper->x[j];
    state->memory[MEMORY_WAITS][0] = 0.0;
    return TP_OK;
}

/* A step looks one interval ahead, which may be too long for the motion: then the velocity of the next
   interval is that of a part, and no whole step goes on from it. */
static void wait_to_start(tp_state *state)
{
    state->memory[MEMORY_WAITS][0] = 1.0;
}

/* Which laws push. */
static void count_contacts(const position_step *step, tp_state *to, tp_step_report *report)
{
    const tp_stepper *stepper = step->stepper;
    memset(to->is_closed, 0, (size_t)stepper->system->law_count);
    for (int i = 0; i < stepper->problem->problem.set_count; i++) {
        int law = stepper->problem->law[i], row = stepper->problem->problem.sets[i].first;
        bool is_contact = tp_system_law(stepper->system, law)->level == TP_LEVEL_GAP;
        to->is_closed[law] = !is_contact || stepper->problem->P[row] > 0.0;
        report->contact_count += is_contact && to->is_closed[law];
    }
}

/* Work by the trapezoidal rule: forces and impulses belong to the times of the states; (8). */
static void account(position_step *step, const tp_state *from, tp_state *to, tp_step_report *report)
{
    tp_stepper *stepper = step->stepper;
    memcpy(stepper->chi, step->chi, (size_t)stepper->problem->problem.row_count * sizeof(double));
    tp_account_add_forces(&stepper->account, step->force_time, step->force);
    tp_implicit_book_at_states(stepper, &step->rows, from, to, step->h, report);
}

/* theory/schatzman-paoli.md: quadratic equations without real roots. */
static void explain(tp_stepper *stepper)
{
    if (stepper->system->has_constant_mass || stepper->cause[0] != '\0') return;
    snprintf(stepper->cause, sizeof stepper->cause,
             "where the mass matrix depends on positions, a step that is too long for the motion may have no "
             "solution: a smaller time step helps, or moreau-jean, or consistent");
}

static tp_status step_schatzman_paoli(tp_stepper *stepper, const tp_state *from, double dt, tp_state *to,
                                      tp_step_report *report)
{
    position_step *step = stepper->scratch;
    const double *w = from->memory[MEMORY_INTERVAL_VELOCITY];
    int m = stepper->system->u_count;
    if (from->memory[MEMORY_WAITS][0] != 0.0) return TP_NOT_CONVERGED;
    step->h = step->force_time = stepper->options->time_step;
    step->t = from->t + dt; /* the step is h but for the rounding of the times */
    step->velocity_share = 0.5;
    for (int j = 0; j < m; j++) {
        step->w[j] = w[j];
        step->q[j] = from->q[j] + step->h * w[j];
    }
    step->q_before = from->q;
    tp_status status = solve(step, from, false, report);
    if (!tp_stepper_accepts(stepper, status)) {
        explain(stepper);
        return status;
    }

    place(step, stepper->x); /* the answer may be an earlier point than the last */
    for (int j = 0; j < m; j++) {
        to->q[j] = step->q[j];
        to->u[j] = step->v[j];
        to->memory[MEMORY_INTERVAL_VELOCITY][j] = step->w[j] + stepper->x[j];
    }
    to->memory[MEMORY_WAITS][0] = 0.0;
    count_contacts(step, to, report);
    account(step, from, to, report);
    tp_redundancy_share(stepper->redundancy, to->impulse);
    return status;
}

/* (1 + theta a) z^2 - (2 - (1 - theta) a) z + 1 = 0 with a = (omega h)^2 has |z| <= 1 if and only if
   a (1 - 2 theta) <= 4; theory/schatzman-paoli.md (9). */
static double stability_limit(const tp_simulation_options *options)
{
    double theta = options->paoli.theta;
    return theta < 0.5 ? 2.0 / sqrt(1.0 - 2.0 * theta) : INFINITY;
}

static bool damps_vibrations(const tp_simulation_options *options)
{
    return options->paoli.theta > 0.0;
}

static const double *moved_to(const tp_stepper *stepper, const tp_state *to)
{
    (void)to;
    return ((const position_step *)stepper->scratch)->q_next; /* one interval after the state */
}

const tp_integrator tp_integrator_schatzman_paoli = {
    .info = {.name = "schatzman-paoli",
             .text = "scheme of Schatzman and Paoli: laws on position level, rigid bodies as "
                     "affine ones, fixed step, order 2 "
                     "without impacts"},
    .realisation = TP_REALISE_AFFINE,
    .refuses =
        {[TP_FEATURE_SCALABLE] = "takes second differences of coordinates, which quaternions do not have",
         [TP_FEATURE_FLAT_BODY] = "makes affine bodies of rigid ones, whose mass matrix would be singular",
         [TP_FEATURE_OWN_VELOCITIES] =
             "takes second differences of coordinates, so that velocities must be rates",
         [TP_FEATURE_TANGENTIAL_RESTITUTION] =
             "has its laws on positions, where there is no tangential velocity",
         [TP_FEATURE_FRICTION] = "has its laws on positions, where friction is not defined",
         [TP_FEATURE_STATIC_FRICTION] = "has its laws on positions, where friction is not defined",
         [TP_FEATURE_VELOCITY_LAW] = "has its laws on positions and none on velocities",
         [TP_FEATURE_MOVING_RESTITUTION] = "looks at the gap between two times, so that it must not depend "
                                           "on time unless its restitution is 0"},
    .refuse = tp_system_check_force_jacobian,
    .step = step_schatzman_paoli,
    .levels = {0, 0, 0, 0},
    .memory = memory_fields,
    .start = start,
    .wait_to_start = wait_to_start,
    .prepare = prepare,
    .stability_limit = stability_limit,
    .reach = 2.0, /* laws hold one interval after the state that follows */
    .moved_to = moved_to,
    .damps_vibrations = damps_vibrations,
    .leaves_out_rows = TP_LEAVES_OUT_ALWAYS,
    .has_fixed_step = true,
    .has_impulses_at_states = true,
};
