/* The theta-method of Moreau and Jean; theory/moreau-jean.md (1)-(10). With the change of velocity x as
   unknown q(x) = q + dt [(1 - theta) q' + theta q'(t+, q^, u + x)],   q^ = q + dt q', F = M(q~) x - dt [(1 -
   theta) h + theta h(t+, q(x), u + x)] - W P,   q~ = q + gamma dt q', xi = W^T (u + x) + chi + e gamma,   W,
   chi at (t+, q(x)),   gamma = W^T u + chi at the begin, one nonlinear inclusion a step, solved by linearised
   inclusions. */
#include "integrator.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* One step: what it knows at its begin, and the point where the inclusion was evaluated last. */
typedef struct theta_step {
    tp_stepper *stepper;
    const tp_state *from;
    double dt, theta, t_end;
    bool refresh_rows;
    double *rate, *h, *M; /* at the begin: q' [n], h [m]; M(q~), values in the mass pattern          */
    double *q_hat;        /* [n] q^: where B is taken                                                 */
    double *q_fixed;      /* [n] q(x) = q_fixed + dt theta q'(t+, q^, u + x)                          */
    double *x, *q, *u;    /* the present point: x [m], q(x) [n], u + x [m]                             */
    bool is_measured;     /* F_scale is known */
    bool is_placed;       /* the system and the rows are at that point                                 */
    double *W, *chi;      /* rows there: of the set i from W + W_start[i], [rows]                      */
    size_t *W_start;      /* [sets + 1]                                                                */
    double *chi_begin;    /* [rows] chi at the begin                                                   */
    double *e_gamma;      /* [rows] e gamma of the begin                                               */
    double *force;        /* [m] h at the present point                                                */
    double *stiffness, *damping; /* dh/dq B, dh/du there, values in the jacobian pattern                 */
    double *J;                   /* dF/dx, in the same pattern                                           */
    double *work;                /* [m] */
    double *zero;                /* [m] */
    double *size, *F_scale;  /* [m] sizes of velocities, of rows of F                                     */
    double *F_noise, *noise; /* [m] rounding errors of F */
    double xi_scale;
} theta_step;

/* A coordinate at rest is judged with this part of the largest velocity. */
static const double rest_factor = 1e-3;

/* y = A x, A values in a pattern. */
static void multiply(const tp_sparse *pattern, const double *A, const double *x, double *y_out)
{
    memset(y_out, 0, (size_t)pattern->rows * sizeof(double));
    for (int j = 0; j < pattern->cols; j++) {
        for (int k = pattern->start[j]; k < pattern->start[j + 1]; k++)
            y_out[pattern->index[k]] += A[k] * x[j];
    }
}

/* y_i = sum over j of |A_ij| x_j. */
static void multiply_sizes(const tp_sparse *pattern, const double *A, const double *x, double *y_out)
{
    memset(y_out, 0, (size_t)pattern->rows * sizeof(double));
    for (int j = 0; j < pattern->cols; j++) {
        for (int k = pattern->start[j]; k < pattern->start[j + 1]; k++)
            y_out[pattern->index[k]] += fabs(A[k]) * x[j];
    }
}

static tp_status prepare(tp_stepper *stepper, tp_arena *arena)
{
    const tp_system *system = stepper->system;
    size_t n = (size_t)system->q_count, m = (size_t)system->u_count,
           rows = (size_t)stepper->problem->capacity_rows, sets = (size_t)stepper->problem->capacity_sets,
           mass = (size_t)tp_sparse_count(&system->mass_pattern),
           jacobian = (size_t)tp_sparse_count(&system->jacobian_pattern), entries = 0;
    for (int i = 0; i < stepper->model->laws.count; i++)
        entries += (size_t)(TP_LIST_AT(stepper->model->laws, tp_law, i)->row_count *
                            tp_system_law_column_count(system, i));
    theta_step *step = TP_ARENA_ARRAY(arena, theta_step, 1);
    if (step == NULL) return TP_OUT_OF_MEMORY;
    struct {
        double **array;
        size_t count;
    } all[] = {{&step->rate, n},
               {&step->h, m},
               {&step->M, mass},
               {&step->q_hat, n},
               {&step->q_fixed, n},
               {&step->x, m},
               {&step->q, n},
               {&step->u, m},
               {&step->W, entries},
               {&step->chi, rows},
               {&step->chi_begin, rows},
               {&step->e_gamma, rows},
               {&step->force, m},
               {&step->stiffness, jacobian},
               {&step->damping, jacobian},
               {&step->J, jacobian},
               {&step->zero, m},
               {&step->size, m},
               {&step->F_scale, m},
               {&step->F_noise, m},
               {&step->noise, m},
               {&step->work, m}};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) {
        *all[k].array = TP_ARENA_ARRAY(arena, double, all[k].count);
        if (*all[k].array == NULL) return TP_OUT_OF_MEMORY;
    }
    step->W_start = TP_ARENA_ARRAY(arena, size_t, sets + 1);
    if (step->W_start == NULL) return TP_OUT_OF_MEMORY;
    step->stepper = stepper;
    stepper->scratch = step;
    return TP_OK;
}

/* Rows of all laws in the problem at the system's present point; theory/moreau-jean.md (4). */
static void compute_rows(theta_step *step)
{
    const tp_problem *problem = &step->stepper->problem->problem;
    for (int i = 0; i < problem->set_count; i++) {
        tp_system_law_rows(step->stepper->system, step->stepper->problem->law[i], step->W + step->W_start[i],
                           step->chi + problem->sets[i].first);
    }
}

/* The point (t+, q(x), u + x): positions (1), forces and rows there. */
static void place(theta_step *step, const double *x)
{
    tp_system *system = step->stepper->system;
    int n = system->q_count, m = system->u_count;
    if (step->is_placed && memcmp(step->x, x, (size_t)m * sizeof(double)) == 0) return;
    memcpy(step->x, x, (size_t)m * sizeof(double));
    for (int j = 0; j < m; j++) step->u[j] = step->from->u[j] + x[j];
    tp_system_move(system, step->t_end, step->q_hat, step->u); /* q' = B(q^) (u + x) + beta */
    const double *rate = tp_system_rate(system);
    for (int i = 0; i < n; i++) step->q[i] = step->q_fixed[i] + step->dt * step->theta * rate[i];
    tp_system_normalise(system, step->q);
    tp_system_move(system, step->t_end, step->q, step->u);
    tp_system_force(system, step->force);
    if (step->refresh_rows) compute_rows(step);
    step->is_placed = true;
}

/* F (2) and xi (4). */
static tp_status residual(void *self, const double *x, const double *P, double *F, double *xi)
{
    theta_step *step = self;
    const tp_system *system = step->stepper->system;
    const tp_step_problem *problem = step->stepper->problem;
    place(step, x);
    multiply(&system->mass_pattern, step->M, x, F);
    for (int j = 0; j < system->u_count; j++)
        F[j] -= step->dt * ((1.0 - step->theta) * step->h[j] + step->theta * step->force[j]);
    for (int i = 0; i < problem->problem.set_count; i++) {
        int count = tp_system_law_column_count(system, problem->law[i]);
        const int *columns = tp_system_law_columns(system, problem->law[i]);
        const tp_set *set = &problem->problem.sets[i];
        const double *W = step->W + step->W_start[i];
        for (int k = set->first; k < set->first + set->size; k++, W += count) {
            for (int j = 0; j < count; j++) F[columns[j]] -= W[j] * P[k];
            xi[k] = tp_row_velocity(count, columns, W, step->u) + step->chi[k] + step->e_gamma[k];
        }
    }
    return TP_OK;
}

/* The step problem with the matrix of x and the rows at hand; its laws stay the same. */
static void fill_problem(theta_step *step, const double *P)
{
    const tp_system *system = step->stepper->system;
    tp_step_problem *problem = step->stepper->problem;
    static const double no_b[TP_LAW_ROWS] = {0.0};
    int sets = problem->problem.set_count;
    tp_step_problem_begin(problem, &system->jacobian_pattern, step->J, step->zero);
    for (int i = 0; i < sets; i++) {
        int first = problem->problem.row_count;
        tp_step_problem_add(problem, system, problem->law[i], step->W + step->W_start[i], no_b, P + first,
                            step->dt);
    }
}

/* Sizes of the rows of F: what changes of the size of the velocities make of them; theory/moreau-jean.md (9).
 */
static void measure_momenta(theta_step *step)
{
    const tp_system *system = step->stepper->system;
    multiply_sizes(&system->mass_pattern, step->M, step->size, step->F_scale);
    multiply_sizes(&system->jacobian_pattern, step->J, step->size, step->work);
    for (int i = 0; i < system->u_count; i++) step->F_scale[i] = fmax(step->F_scale[i], step->work[i]);
    step->is_measured = true;
}

/* Positions and velocities are known to rounding: what stiff forces make of that. */
static void measure_noise(theta_step *step)
{
    const tp_system *system = step->stepper->system;
    tp_system_position_sizes(system, step->work);
    multiply_sizes(&system->jacobian_pattern, step->stiffness, step->work, step->F_noise);
    for (int j = 0; j < system->u_count; j++) step->work[j] = fabs(step->u[j]);
    multiply_sizes(&system->jacobian_pattern, step->damping, step->work, step->noise);
    for (int i = 0; i < system->u_count; i++)
        step->F_noise[i] = DBL_EPSILON * step->dt * (step->F_noise[i] + step->noise[i]);
}

/* dF/dx = M - dt theta dh/du - dt^2 theta^2 dh/dq B (6); rows as they are. */
static tp_status linearise(void *self, const double *x, const double *P, tp_problem *linear)
{
    theta_step *step = self;
    tp_system *system = step->stepper->system;
    double weight = step->dt * step->theta;
    (void)linear; /* it is the stepper's */
    place(step, x);
    tp_system_force_jacobian(system, step->stiffness, step->damping);
    for (int k = 0; k < tp_sparse_count(&system->jacobian_pattern); k++)
        step->J[k] = -weight * (step->damping[k] + weight * step->stiffness[k]);
    for (int k = 0; k < tp_sparse_count(&system->mass_pattern); k++)
        step->J[system->mass_place[k]] += step->M[k];
    if (!step->is_measured) measure_momenta(step);
    measure_noise(step);
    fill_problem(step, P);
    return TP_OK;
}

/* A law at the begin: its rows, e gamma (3), and whether it takes part (7). Returns gamma of its first row.
 */
static double add_law(theta_step *step, int index, tp_state *to)
{
    tp_stepper *stepper = step->stepper;
    const tp_law *law = TP_LIST_AT(stepper->model->laws, tp_law, index);
    int set = stepper->problem->problem.set_count, first = stepper->problem->problem.row_count,
        count = tp_system_law_column_count(stepper->system, index);
    const int *columns = tp_system_law_columns(stepper->system, index);
    double *W = step->W + step->W_start[set], *chi = step->chi_begin + first, gamma[TP_LAW_ROWS],
           start[TP_LAW_ROWS] = {0.0};
    tp_system_law_rows(stepper->system, index, W, chi);
    for (int k = 0; k < law->row_count; k++) {
        gamma[k] = tp_row_velocity(count, columns, W + k * count, step->from->u) + chi[k];
        step->e_gamma[first + k] = law->restitution[k] * gamma[k];
        /* joints start from 0, so that redundant ones get the reactions of least norm */
        if (law->set.kind != TP_SET_FREE) start[k] = step->from->percussion[index * TP_LAW_ROWS + k];
    }
    to->is_closed[index] = 1;
    if (law->level == TP_LEVEL_GAP) {
        double forecast = tp_system_law_position(stepper->system, index) +
                          stepper->options->theta_method.forecast * step->dt * gamma[0];
        to->is_closed[index] = forecast <= stepper->options->contact_tolerance;
    }
    if (to->is_closed[index]) {
        tp_step_problem_add(stepper->problem, stepper->system, index, W, step->e_gamma + first, start,
                            step->dt);
        step->W_start[set + 1] = step->W_start[set] + (size_t)(law->row_count * count);
    }
    return gamma[0];
}

static void collect_laws(theta_step *step, tp_state *to, tp_step_report *report)
{
    const tp_model *model = step->stepper->model;
    step->W_start[0] = 0;
    tp_step_problem_begin(step->stepper->problem, &step->stepper->system->mass_pattern, step->M, step->zero);
    for (int i = 0; i < model->laws.count; i++) {
        bool is_contact = TP_LIST_AT(model->laws, tp_law, i)->level == TP_LEVEL_GAP;
        double approach = add_law(step, i, to);
        if (!is_contact || !to->is_closed[i]) continue;
        report->contact_count++;
        if (!step->from->is_closed[i] && approach < 0.0) report->impact_count++;
    }
}

/* Sizes against which residuals are judged: velocities |u_j| + dt |h_j| / M_jj, momenta and row velocities
 * with them; theory/moreau-jean.md (9). */
static void measure(theta_step *step)
{
    const tp_system *system = step->stepper->system;
    const tp_step_problem *problem = step->stepper->problem;
    int m = system->u_count;
    double largest = 0.0;
    for (int j = 0; j < m; j++) {
        double inertia = step->M[tp_pattern_place(&system->mass_pattern, j, j)];
        step->size[j] = fabs(step->from->u[j]) + step->dt * fabs(step->h[j]) / inertia;
        largest = fmax(largest, step->size[j]);
    }
    if (!(largest > 0.0)) largest = 1.0;
    for (int j = 0; j < m; j++) step->size[j] = fmax(step->size[j], rest_factor * largest);
    step->xi_scale = 0.0;
    for (int i = 0; i < problem->problem.set_count; i++) {
        int count = tp_system_law_column_count(system, problem->law[i]);
        const int *columns = tp_system_law_columns(system, problem->law[i]);
        const tp_set *set = &problem->problem.sets[i];
        const double *W = step->W + step->W_start[i];
        for (int k = set->first; k < set->first + set->size; k++, W += count) {
            double size = fabs(step->chi_begin[k]);
            for (int j = 0; j < count; j++) size += fabs(W[j]) * step->size[columns[j]];
            step->xi_scale = fmax(step->xi_scale, size);
        }
    }
}

/* Everything at the begin: rates and forces, the frozen mass matrix, the laws that take part, their rows. */
static void begin_step(theta_step *step, const tp_state *from, double dt, tp_state *to,
                       tp_step_report *report)
{
    tp_stepper *stepper = step->stepper;
    tp_system *system = stepper->system;
    const tp_theta_options *options = &stepper->options->theta_method;
    int n = system->q_count;
    step->from = from;
    step->dt = dt;
    step->theta = options->theta;
    step->t_end = from->t + dt;
    step->refresh_rows = options->refresh_rows;
    step->is_placed = step->is_measured = false;

    tp_system_move(system, from->t, from->q, from->u);
    memcpy(step->rate, tp_system_rate(system), (size_t)n * sizeof(double));
    for (int i = 0; i < n; i++)
        stepper->q_middle[i] = from->q[i] + options->mass_prediction * dt * step->rate[i];
    tp_system_move(system, from->t + options->mass_prediction * dt, stepper->q_middle, from->u);
    tp_system_mass(system, step->M);

    for (int i = 0; i < n; i++) {
        step->q_hat[i] = from->q[i] + dt * step->rate[i];
        step->q_fixed[i] = from->q[i] + dt * (1.0 - step->theta) * step->rate[i];
    }

    tp_system_move(system, from->t, from->q, from->u);
    tp_system_force(system, step->h);
    collect_laws(step, to, report);
    measure(step);
    if (step->refresh_rows) return;
    tp_system_move(system, step->t_end, from->q, from->u);
    compute_rows(step);
}

/* Work of given forces and of prescribed motion with the weights of the scheme; theory/moreau-jean.md (8). */
static void account(theta_step *step, tp_state *to, tp_step_report *report)
{
    tp_stepper *stepper = step->stepper;
    const tp_state *from = step->from;
    double theta = step->theta;
    for (int k = 0; k < stepper->problem->problem.row_count; k++)
        stepper->chi[k] = (1.0 - theta) * step->chi_begin[k] + theta * step->chi[k];
    tp_stepper_keep_percussions(stepper, to, report);
    if (!stepper->model->has_applied_power) return;
    for (int j = 0; j < stepper->system->u_count; j++)
        stepper->u_middle[j] = (1.0 - theta) * from->u[j] + theta * to->u[j];
    tp_system_move(stepper->system, from->t, from->q, stepper->u_middle);
    report->applied_work += (1.0 - theta) * step->dt * tp_system_applied_power(stepper->system);
    tp_system_move(stepper->system, step->t_end, to->q, stepper->u_middle);
    report->applied_work += theta * step->dt * tp_system_applied_power(stepper->system);
}

static tp_status step_moreau_jean(tp_stepper *stepper, const tp_state *from, double dt, tp_state *to,
                                  tp_step_report *report)
{
    theta_step *step = stepper->scratch;
    begin_step(step, from, dt, to, report);
    tp_inclusion inclusion = {.self = step,
                              .linear = &stepper->problem->problem,
                              .residual = residual,
                              .linearise = linearise,
                              .F_scale = step->F_scale,
                              .xi_scale = step->xi_scale,
                              .F_noise = step->F_noise};
    tp_status status = tp_stepper_solve_inclusion(stepper, &inclusion, report);
    if (!tp_stepper_accepts(stepper, status)) return status;

    place(step, stepper->x); /* the answer may be an earlier point than the last */
    memcpy(to->q, step->q, (size_t)stepper->system->q_count * sizeof(double));
    memcpy(to->u, step->u, (size_t)stepper->system->u_count * sizeof(double));
    to->t = step->t_end;
    account(step, to, report);
    return status;
}

static tp_status refuse(const tp_model *model, tp_message *why_out)
{
    return tp_system_check_force_jacobian(model, why_out);
}

/* |(1 + (1 - theta) i w dt)/(1 - theta i w dt)| <= 1 if and only if theta >= 1/2; theory/moreau-jean.md (10).
 */
static double stability_limit(const tp_simulation_options *options)
{
    return options->theta_method.theta >= 0.5 ? INFINITY : 0.0;
}

const tp_integrator tp_integrator_moreau_jean = {
    .info =
        {"moreau-jean",
         "theta-method of Moreau and Jean: implicit forces, laws on velocity level, order 2 without laws"},
    .refuse = refuse,
    .step = step_moreau_jean,
    .prepare = prepare,
    .stability_limit = stability_limit,
};
