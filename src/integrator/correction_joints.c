/* Correction of a mechanism of joints alone, by the factors that its step has made; theory/correction.md
   (14). With S = W^T M^-1 W of the middle of the step, positions    q <- q - B M^-1 W S^-1 g again and again,
   W of the middle of the step velocities   u <- u - M^-1 W S^-1 (W^T u + chi) again and again, W of the end
   Errors fall by a factor of the size of dt with every pass or two: that of a long chain may grow in the
   first one, where links far from each other answer. Very long ones, and those whose errors do not fall, have
   S of the end. */
#include "correction_joints.h"
#include "correction_rows.h"

#include <math.h>
#include <string.h>

/* Passes over positions, and over velocities. */
enum { PASSES = 6 };

typedef struct passes {
    tp_stepper *stepper;
    tp_correction *memory;
    const tp_constraint_rows *rows;
    tp_state *to;
    double *r; /* [rows] errors, then what takes them back */
} passes;

/* The masses are the metric of positions: none is too light for it. */
static bool is_suitable(const tp_stepper *stepper)
{
    const tp_correction *c = stepper->correction;
    const tp_step_problem *step = stepper->problem;
    size_t bytes = (size_t)tp_sparse_count(&stepper->system->mass_pattern) * sizeof(double);
    return stepper->has_joint_factors && stepper->system->law_count == step->problem.set_count &&
           stepper->options->correction.share == 1.0 && tp_correction_is_mass_diagonal(stepper) &&
           memcmp(c->M, c->metric, bytes) == 0;
}

static double largest(const double *values, int count)
{
    double most = 0.0;
    for (int k = 0; k < count; k++) most = fabs(values[k]) > most ? fabs(values[k]) : most;
    return most;
}

/* Errors of positions at the system's point; the largest. */
static double find_positions(const passes *p)
{
    memcpy(p->r, tp_redundancy_positions(p->stepper->redundancy),
           (size_t)p->rows->row_count * sizeof(double));
    return largest(p->r, p->rows->row_count);
}

/* Those of the velocities u. */
static double find_velocities(const passes *p)
{
    memcpy(p->r, p->rows->chi, (size_t)p->rows->row_count * sizeof(double));
    tp_constraint_rows_see(p->rows, p->to->u, p->r);
    return largest(p->r, p->rows->row_count);
}

/* x = -M^-1 W S^-1 r, and r becomes -S^-1 r. */
static void find_change(const passes *p)
{
    tp_redundancy_solve(p->stepper->redundancy, p->r);
    for (int k = 0; k < p->rows->row_count; k++) p->r[k] = -p->r[k];
    tp_redundancy_push(p->stepper->redundancy, p->r, p->memory->x);
}

/* Do errors fall, from one pass to the next but one? worst [0] is the latest. */
static bool falls(const double *worst, int pass)
{
    return worst[0] <=
           (pass == 0 ? 1.0 / tp_correction_much_left : tp_correction_much_left) * worst[pass == 0 ? 1 : 2];
}

static void note(double *worst, double now)
{
    worst[2] = worst[1];
    worst[1] = worst[0];
    worst[0] = now;
}

/* S at the system's point. */
static bool factorise(const passes *p)
{
    return tp_redundancy_factorise(p->stepper->redundancy) == TP_OK;
}

/* The system goes with the positions. False: they are as they were. */
static bool move_positions(const passes *p, double first, double enough)
{
    tp_system *system = p->stepper->system;
    tp_state *to = p->to;
    size_t bytes = (size_t)system->q_count * sizeof(double);
    double size = p->stepper->model->summary.size, worst[3] = {first, INFINITY, INFINITY};
    bool is_well = true;
    memcpy(p->memory->q, to->q, bytes);
    for (int k = 0; k < PASSES && worst[0] > enough && is_well; k++) {
        find_change(p);
        double most = largest(p->memory->x, system->u_count);
        is_well = most * most <= worst[0] * size / tp_correction_damping;
        if (!is_well) break;
        tp_system_change(system, p->memory->x, 1.0, to->q);
        tp_system_move(system, to->t, to->q, to->u);
        note(worst, find_positions(p));
        is_well = worst[0] <= enough || falls(worst, k);
    }
    if (is_well) return true;
    memcpy(to->q, p->memory->q, bytes);
    tp_system_move(system, to->t, to->q, to->u);
    return false;
}

/* The impulses of all passes are in the account and in the state. */
static void book(const passes *p, tp_step_report *report)
{
    const tp_constraint_rows *rows = p->rows;
    const double *P = p->memory->impulse;
    for (int i = 0; i < rows->law_count; i++) {
        double *impulse = p->to->impulse + (size_t)rows->law[i] * TP_LAW_ROWS;
        for (int k = rows->first[i]; k < rows->first[i + 1]; k++) {
            int start = rows->A.start[k];
            tp_account_row row = {.law = rows->law[i],
                                  .count = rows->A.start[k + 1] - start,
                                  .columns = rows->A.index + start,
                                  .W = rows->A.value + start,
                                  .chi = rows->chi[k]};
            tp_account_add(&p->stepper->account, &row, P[k], p->stepper->u_middle, p->to->u);
            report->applied_work -= P[k] * rows->chi[k];
            impulse[k - rows->first[i]] += P[k];
        }
    }
}

/* At the corrected positions. False: they are as they were. */
static bool move_velocities(const passes *p, double enough, tp_step_report *report)
{
    tp_system *system = p->stepper->system;
    double *P = p->memory->impulse, *u = p->to->u;
    size_t bytes = (size_t)system->u_count * sizeof(double);
    memcpy(p->stepper->u_middle, u, bytes);
    memset(P, 0, (size_t)p->rows->row_count * sizeof(double));
    tp_redundancy_evaluate(p->stepper->redundancy);
    double worst[3] = {find_velocities(p), INFINITY, INFINITY};
    bool is_well = true;
    for (int k = 0; k < PASSES && worst[0] > enough && is_well; k++) {
        find_change(p);
        for (int j = 0; j < system->u_count; j++) u[j] += p->memory->x[j];
        for (int row = 0; row < p->rows->row_count; row++) P[row] += p->r[row];
        note(worst, find_velocities(p));
        is_well = worst[0] <= enough || falls(worst, k);
    }
    if (is_well)
        book(p, report);
    else
        memcpy(u, p->stepper->u_middle, bytes);
    return is_well;
}

bool tp_correct_joints(tp_stepper *stepper, double dt, tp_state *to, tp_step_report *report)
{
    if (!is_suitable(stepper)) return false;
    double size = stepper->model->summary.size,
           rounding = fmax(stepper->options->contact_tolerance, tp_correction_rounding) * size;
    passes p = {.stepper = stepper,
                .memory = stepper->correction,
                .rows = tp_redundancy_all_rows(stepper->redundancy),
                .to = to,
                .r = stepper->correction->chi};
    double worst = find_positions(&p);
    if (!(worst <= stepper->options->correction.limit * size)) return false;
    bool is_long = p.rows->row_count > TP_CORRECTION_ROWS,
         is_moved = !is_long && move_positions(&p, worst, rounding);
    if (!is_moved && factorise(&p)) {
        (void)find_positions(&p);
        is_moved = move_positions(&p, worst, rounding);
    }
    if (!is_moved) return false;
    report->correction = worst;
    double least =
        fmax(tp_correction_negligible * stepper->options->contact_tolerance, tp_correction_rounding) * size;
    return stepper->integrator->may_separate || move_velocities(&p, least / dt, report);
}
