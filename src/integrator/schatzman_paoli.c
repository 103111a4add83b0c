/* The scheme of Schatzman and Paoli; theory/schatzman-paoli.md (1)-(8). Laws act on positions. A state is
   t, q, u and the velocity w of the interval that follows it; h is the time step, the same for all steps.
   With the change of velocity x between two intervals as unknown
       qc = q + h w,   q+ = qc + h (w + x),   F = M(qc) x - h f(t_theta, q_theta, w + x/2) - W P,
       joints   xi = g(t+, q+)/h,             W at qc
       contacts xi = (1 + e) g(t+, z)/h,      W at z = (q+ + e q)/(1 + e)
   is one nonlinear inclusion. The next state has q = qc, u = w + x/2 (both belong to its time), w + x. */
#include "implicit_step.h"

#include <math.h>
#include <string.h>

enum { MEMORY_INTERVAL_VELOCITY };

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
    bool is_placed, is_measured;
    double *M, *force;     /* [m*m] at qc; [m] */
    double *W, *g, *chi;   /* rows: [rows*m], positions [rows], chi at qc [rows] */
    double *dh_dq, *dh_du; /* [m*m] */
    double *J;             /* [m*m] dF/dx */
    double *size, *F_scale, *F_noise, *xi_noise;
    double xi_scale;
} position_step;

static const tp_memory_field memory_fields[] = {
    [MEMORY_INTERVAL_VELOCITY] = {"interval_velocity", TP_MEMORY_PER_VELOCITY},
    {NULL, TP_MEMORY_ONE},
};

static tp_status prepare(tp_stepper *stepper, tp_arena *arena)
{
    size_t m = (size_t)stepper->system->u_count, rows = (size_t)stepper->problem->capacity_rows;
    position_step *step = TP_ARENA_ARRAY(arena, position_step, 1);
    if (step == NULL) return TP_OUT_OF_MEMORY;
    const tp_implicit_array all[] = {{&step->w, m},       {&step->q, m},          {&step->restitution, rows},
                                     {&step->x, m},       {&step->q_next, m},     {&step->q_force, m},
                                     {&step->z, m},       {&step->v, m},          {&step->M, m * m},
                                     {&step->force, m},   {&step->W, rows * m},   {&step->g, rows},
                                     {&step->chi, rows},  {&step->dh_dq, m * m},  {&step->dh_du, m * m},
                                     {&step->J, m * m},   {&step->size, m},       {&step->F_scale, m},
                                     {&step->F_noise, m}, {&step->xi_noise, rows}};
    step->stepper = stepper;
    stepper->scratch = step;
    return tp_implicit_take(arena, all, sizeof all / sizeof all[0]);
}

/* g and its rounding errors of all laws in the problem at q+ or z, W of contacts there; (4), (5). */
static void place_laws(position_step *step)
{
    tp_stepper *stepper = step->stepper;
    tp_system *system = stepper->system;
    int m = system->u_count;
    for (int k = 0; k < stepper->problem->problem.set_count; k++) { /* one row each */
        int law = stepper->problem->law[k];
        double *W = step->W + (size_t)k * (size_t)m, e = step->restitution[k], chi;
        bool is_contact = TP_LIST_AT(stepper->model->laws, tp_law, law)->level == TP_LEVEL_GAP;
        for (int j = 0; j < m; j++)
            step->z[j] = e > 0.0 ? (step->q_next[j] + e * step->q_before[j]) / (1.0 + e) : step->q_next[j];
        tp_system_move(system, step->t_next, step->z, step->v);
        step->g[k] = tp_system_law_position(system, law);
        if (is_contact) tp_system_law_rows(system, law, W, &chi);
        step->xi_noise[k] = (1.0 + e) * tp_implicit_position_noise(m, W, step->z) / step->h;
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
    tp_implicit_multiply(m, m, step->M, x, F);
    for (int j = 0; j < m; j++) F[j] -= step->force_time * step->force[j];
    for (int k = 0; k < rows; k++) {
        const double *W = step->W + (size_t)k * (size_t)m;
        for (int j = 0; j < m; j++) F[j] -= W[j] * P[k];
        xi[k] = (1.0 + step->restitution[k]) * step->g[k] / step->h;
    }
    return TP_OK;
}

/* dF/dx = M - force_time (theta h dh/dq + velocity_share dh/du), dxi/dx = W^T; (6). */
static tp_status linearise(void *self, const double *x, const double *P, tp_problem *linear)
{
    position_step *step = self;
    int m = step->stepper->system->u_count;
    (void)linear; /* it is the stepper's */
    place(step, x);
    tp_system_force_jacobian(step->stepper->system, step->dh_dq, step->dh_du);
    for (int k = 0; k < m * m; k++) {
        step->dh_dq[k] *= step->theta;
        step->J[k] = step->M[k] -
                     step->force_time * (step->h * step->dh_dq[k] + step->velocity_share * step->dh_du[k]);
    }
    if (!step->is_measured) tp_implicit_momentum_sizes(m, step->M, step->J, step->size, step->F_scale);
    step->is_measured = true;
    tp_implicit_noise(m, m, step->dh_dq, step->q_force, step->dh_du, step->v, step->force_time,
                      step->F_noise);
    tp_implicit_refill(step->stepper, step->J, step->W, P, step->h, 0.0);
    return TP_OK;
}

/* A contact at rest: in the first step it has no past to be thrown back from; (7). */
static bool is_resting(const position_step *step, double gap, double gap_rate)
{
    double tolerance = step->stepper->options->contact_tolerance;
    return gap <= tolerance && fabs(gap_rate) * step->h <= tolerance;
}

/* All laws, whether they are near or not; the system is at qc with the velocity w. */
static void collect_laws(position_step *step, const tp_state *from, bool is_first)
{
    tp_stepper *stepper = step->stepper;
    int m = stepper->system->u_count;
    const double no_b = 0.0;
    tp_step_problem_begin(stepper->problem, step->M, NULL);
    for (int i = 0; i < stepper->model->laws.count; i++) {
        const tp_law *law = TP_LIST_AT(stepper->model->laws, tp_law, i);
        int row = stepper->problem->problem.row_count;
        double *W = step->W + (size_t)row * (size_t)m;
        tp_system_law_rows(stepper->system, i, W, &step->chi[row]);
        step->restitution[row] = law->restitution[0];
        double rate = tp_implicit_dot(m, W, step->w) + step->chi[row];
        if (is_first && is_resting(step, tp_system_law_position(stepper->system, i), rate))
            step->restitution[row] = 0.0;
        /* joints start from 0, so that redundant ones get the reactions of least norm */
        double start = law->set.kind != TP_SET_FREE ? from->percussion[i * TP_LAW_ROWS] : 0.0;
        tp_step_problem_add(stepper->problem, law, i, W, &no_b, &start, step->h);
    }
}

/* Mass matrix and laws at qc, and sizes; w, q, q_before and the times are known. */
static void begin_step(position_step *step, const tp_state *from, bool is_first)
{
    tp_stepper *stepper = step->stepper;
    int m = stepper->system->u_count;
    step->theta = stepper->options->paoli.theta;
    step->t_next = step->t + step->h;
    step->is_placed = step->is_measured = false;
    tp_system_move(stepper->system, step->t, step->q, step->w);
    tp_system_mass(stepper->system, step->M);
    tp_system_force(stepper->system, step->force);
    collect_laws(step, from, is_first);
    tp_implicit_velocity_sizes(m, step->w, step->force, step->M, step->h, step->size);
    step->xi_scale =
        tp_implicit_row_size(m, stepper->problem->problem.row_count, step->W, step->chi, step->size);
}

static tp_status solve(position_step *step, tp_step_report *report)
{
    tp_stepper *stepper = step->stepper;
    tp_inclusion inclusion = {.self = step,
                              .linear = &stepper->problem->problem,
                              .residual = residual,
                              .linearise = linearise,
                              .F_scale = step->F_scale,
                              .xi_scale = step->xi_scale,
                              .F_noise = step->F_noise,
                              .xi_noise = step->xi_noise};
    return tp_stepper_solve_inclusion(stepper, &inclusion, report);
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
    begin_step(step, state, true);
    tp_status status = solve(step, &report);
    if (!tp_stepper_accepts(stepper, status)) return status;
    for (int j = 0; j < m; j++) state->memory[MEMORY_INTERVAL_VELOCITY][j] = step->w[j] + stepper->x[j];
    return TP_OK;
}

/* Which laws push, and which contacts met with approach velocity. */
static void count_contacts(position_step *step, const tp_state *from, tp_state *to, tp_step_report *report)
{
    tp_stepper *stepper = step->stepper;
    int m = stepper->system->u_count;
    for (int k = 0; k < stepper->problem->problem.set_count; k++) {
        int law = stepper->problem->law[k];
        bool is_contact = TP_LIST_AT(stepper->model->laws, tp_law, law)->level == TP_LEVEL_GAP;
        to->is_closed[law] = !is_contact || stepper->problem->P[k] > 0.0;
        if (!is_contact || !to->is_closed[law]) continue;
        double rate = tp_implicit_dot(m, step->W + (size_t)k * (size_t)m, step->w) + step->chi[k];
        report->contact_count++;
        if (!from->is_closed[law] && rate < 0.0) report->impact_count++;
    }
}

/* Work by the trapezoidal rule: forces and percussions belong to the times of the states; (8). */
static void account(position_step *step, const tp_state *from, tp_state *to, tp_step_report *report)
{
    tp_stepper *stepper = step->stepper;
    tp_system *system = stepper->system;
    for (int k = 0; k < stepper->problem->problem.row_count; k++) stepper->chi[k] = 0.5 * step->chi[k];
    tp_stepper_keep_percussions(stepper, to, report);
    if (stepper->model->forces.count == 0 && stepper->model->is_autonomous) return;
    tp_system_move(system, from->t, from->q, from->u);
    report->applied_work += 0.5 * step->h * tp_system_applied_power(system);
    for (int i = 0; i < stepper->model->laws.count; i++) {
        double chi;
        tp_system_law_rows(system, i, step->W, &chi);
        report->applied_work -= 0.5 * from->percussion[i * TP_LAW_ROWS] * chi;
    }
    tp_system_move(system, step->t, to->q, to->u);
    report->applied_work += 0.5 * step->h * tp_system_applied_power(system);
}

static tp_status step_schatzman_paoli(tp_stepper *stepper, const tp_state *from, double dt, tp_state *to,
                                      tp_step_report *report)
{
    position_step *step = stepper->scratch;
    const double *w = from->memory[MEMORY_INTERVAL_VELOCITY];
    int m = stepper->system->u_count;
    step->h = step->force_time = stepper->options->time_step;
    step->t = from->t + dt; /* the step is h but for the rounding of the times */
    step->velocity_share = 0.5;
    for (int j = 0; j < m; j++) {
        step->w[j] = w[j];
        step->q[j] = from->q[j] + step->h * w[j];
    }
    step->q_before = from->q;
    begin_step(step, from, false);
    tp_status status = solve(step, report);
    if (!tp_stepper_accepts(stepper, status)) return status;

    place(step, stepper->x); /* the answer may be an earlier point than the last */
    for (int j = 0; j < m; j++) {
        to->q[j] = step->q[j];
        to->u[j] = step->v[j];
        to->memory[MEMORY_INTERVAL_VELOCITY][j] = step->w[j] + stepper->x[j];
    }
    to->t = step->t;
    count_contacts(step, from, to, report);
    account(step, from, to, report);
    return status;
}

static tp_status refuse(const tp_model *model, tp_message *why_out)
{
    return tp_system_check_force_jacobian(model, why_out);
}

/* (1 + theta a) z^2 - (2 - (1 - theta) a) z + 1 = 0 with a = (omega h)^2 has |z| <= 1 if and only if
   a (1 - 2 theta) <= 4; theory/schatzman-paoli.md (9). */
static double stability_limit(const tp_simulation_options *options)
{
    double theta = options->paoli.theta;
    return theta < 0.5 ? 2.0 / sqrt(1.0 - 2.0 * theta) : INFINITY;
}

static const tp_refusal refusals[] = {
    {TP_FEATURE_OWN_VELOCITIES, "takes second differences of coordinates, so that velocities must be rates"},
    {TP_FEATURE_TANGENTIAL_RESTITUTION, "has its laws on positions, where there is no tangential velocity"},
    {TP_FEATURE_FRICTION, "has its laws on positions, where friction is not defined"},
    {TP_FEATURE_VELOCITY_LAW, "has its laws on positions and none on velocities"},
    {TP_FEATURE_MOVING_RESTITUTION, "looks at the gap between two times, so that it must not depend on time "
                                    "unless its restitution is 0"},
    {TP_FEATURE_COUNT, NULL},
};

const tp_integrator tp_integrator_schatzman_paoli = {
    .info = {"schatzman-paoli",
             "scheme of Schatzman and Paoli: laws on position level, fixed step, order 2 without impacts"},
    .refusals = refusals,
    .refuse = refuse,
    .step = step_schatzman_paoli,
    .levels = {0, 0, 0, 0},
    .memory = memory_fields,
    .start = start,
    .prepare = prepare,
    .stability_limit = stability_limit,
    .has_fixed_step = true,
};
