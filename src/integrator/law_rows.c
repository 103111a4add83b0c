/* Laws in a step; theory/moreau.md (2)-(5). */
#include "law_rows.h"

#include "ball_laws.h"
#include "solver/workspace.h"
#include "static_friction.h"
#include "tolerances.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* What follows from W and chi. */
static void fill_rows(const tp_stepper *stepper, int index, const double *impulse, const double *u, double *W,
                      tp_law_rows *out)
{
    const tp_law *law = tp_system_law(stepper->system, index);
    const int *columns, count = tp_system_columns_of(stepper->system, index, &columns);
    out->law = law;
    out->index = index;
    out->count = count;
    out->columns = columns;
    out->W = W;
    for (int k = 0; k < law->row_count; k++) {
        out->gamma[k] = out->chi[k] + tp_row_velocity(count, columns, W + k * count, u);
        /* joints start from 0, so that redundant ones get the reactions of least norm */
        out->start[k] = law->set.kind != TP_SET_FREE ? impulse[index * TP_LAW_ROWS + k] : 0.0;
    }
}

void tp_law_rows_at(const tp_stepper *stepper, int index, const double *impulse, const double *u, double *W,
                    tp_law_rows *out)
{
    tp_system_law_rows(stepper->system, index, W, out->chi);
    fill_rows(stepper, index, impulse, u, W, out);
}

/* The same; rows of joints are those that the search for redundant ones found at this point. */
static void rows_of_step(const tp_stepper *stepper, int index, const tp_state *from, tp_law_rows *out)
{
    const double *chi;
    double *W = tp_redundancy_rows(stepper->redundancy, index, &chi);
    if (W == NULL) {
        tp_law_rows_at(stepper, index, from->impulse, from->u, stepper->problem->row, out);
        return;
    }
    memcpy(out->chi, chi, (size_t)tp_system_law(stepper->system, index)->row_count * sizeof(double));
    fill_rows(stepper, index, from->impulse, from->u, W, out);
}

double tp_law_kept_gap(const tp_stepper *stepper, const tp_law_rows *rows, const double *M,
                       const tp_state *from, double dt)
{
    double P = from->impulse[rows->index * TP_LAW_ROWS], mobility = 0.0, part = stepper->kept_part;
    if (part == 0.0 || rows->law->level != TP_LEVEL_GAP || !from->is_closed[rows->index] || !(P > 0.0))
        return 0.0;
    for (int j = 0; j < rows->count; j++) {
        int place = tp_pattern_place(&stepper->system->mass_pattern, rows->columns[j], rows->columns[j]);
        mobility += rows->W[j] * rows->W[j] / M[place];
    }
    if (rows->gamma[0] > stepper->kept_parting * mobility * P) return 0.0; /* it rebounds */
    return part * 0.5 * dt * mobility * P;
}

/* work: as the row of the step problem. */
static bool is_closed(const tp_stepper *stepper, int law, const double *M, const tp_state *from, double dt,
                      double *work)
{
    if (tp_law_takes_part(stepper, law)) return true;
    if (stepper->kept_part == 0.0 || !from->is_closed[law] ||
        !isfinite(tp_system_law_position(stepper->system, law)))
        return false;
    tp_law_rows rows;
    tp_law_rows_at(stepper, law, from->impulse, from->u, work, &rows);
    return tp_system_law_position(stepper->system, law) <=
           tp_stepper_closing_gap(stepper, law) + tp_law_kept_gap(stepper, &rows, M, from, dt);
}

bool tp_law_is_closed(tp_stepper *stepper, int law, const double *M, const tp_state *from, double dt)
{
    return is_closed(stepper, law, M, from, dt, stepper->problem->row);
}

double tp_law_rebound(const tp_stepper *stepper, const tp_law_rows *rows, int row, const double *M,
                      const double *h, double dt, const double *u)
{
    const double *W = rows->W + row * rows->count;
    double rebound = rows->law->restitution[row] * rows->gamma[row], size = fabs(rows->chi[row]),
           pressed = 0.0;
    if (rebound == 0.0) return 0.0;
    for (int k = 0; k < rows->count; k++) {
        int j = rows->columns[k];
        double change = dt * h[j] / M[tp_pattern_place(&stepper->system->mass_pattern, j, j)];
        size += fabs(W[k]) * (fabs(u[j]) + fabs(change));
        if (row == 0) pressed -= W[k] * change;
    }
    double least = fmax(tp_least_rebound * size, tp_pressed_rebound * pressed);
    return fabs(rebound) <= least ? 0.0 : rebound;
}

/* xi = W^T x + b with b = (1 + e) gamma, and the rounding of these rows of the problem; the largest of the
   terms. */
static double measure_rows(const tp_stepper *stepper, const tp_law_rows *rows, const double *u, int first,
                           double *b)
{
    double most = 0.0;
    for (int k = 0; k < rows->law->row_count; k++) {
        double size =
            fabs(rows->chi[k]) + tp_row_size(rows->count, rows->columns, rows->W + k * rows->count, u);
        most = fmax(most, size);
        stepper->row_noise[first + k] = DBL_EPSILON * size;
        b[k] = rows->gamma[k] + tp_law_rebound(stepper, rows, k, stepper->M, stepper->h, 1.0, u);
        stepper->chi[first + k] = rows->chi[k];
    }
    return most;
}

/* A law that takes part. */
static void add_law(tp_stepper *stepper, const tp_law_rows *rows, const double *u, double dt)
{
    double b[TP_LAW_ROWS], size = measure_rows(stepper, rows, u, stepper->problem->problem.row_count, b);
    stepper->row_size = fmax(stepper->row_size, size);
    tp_step_problem_add(stepper->problem, stepper->system, rows->index, rows->W, b, rows->start, dt);
    tp_step_problem_leave_out_redundant(stepper->problem, stepper->redundancy);
}

/* ---- many contacts ---- */

/* Contacts of one task, and how many are worth sharing. */
enum { CONTACTS_OF_TASK = 128, SHARED_CONTACTS = 4 * CONTACTS_OF_TASK };

typedef struct contact_rows {
    tp_stepper *stepper;
    const tp_state *from;
    double dt;
    int first_set; /* of them in the problem */
    size_t stride;
    double *W;    /* [sets from there on * stride] */
    double *size; /* [tasks] largest of their rows */
} contact_rows;

static int end_of_task(const contact_rows *all, int number)
{
    int end = all->first_set + (number + 1) * CONTACTS_OF_TASK,
        count = all->stepper->problem->problem.set_count;
    return end < count ? end : count;
}

static void find_rows(void *context, int number, int worker)
{
    contact_rows *all = context;
    tp_step_problem *step = all->stepper->problem;
    (void)worker;
    all->size[number] = 0.0;
    for (int set = all->first_set + number * CONTACTS_OF_TASK; set < end_of_task(all, number); set++) {
        int first = step->problem.sets[set].first;
        tp_step_problem_fill(step, all->stepper->system, set, all->dt);
        double *W = all->W + (size_t)(set - all->first_set) * all->stride;
        tp_law_rows rows;
        tp_law_rows_at(all->stepper, step->law[set], all->from->impulse, all->from->u, W, &rows);
        double size = measure_rows(all->stepper, &rows, all->from->u, first, step->problem.b + first);
        all->size[number] = fmax(all->size[number], size);
        memcpy(step->P + first, rows.start, (size_t)rows.law->row_count * sizeof(double));
        tp_step_problem_count(step, all->stepper->system, set, W);
    }
}

static void write_some(void *context, int number, int worker)
{
    const contact_rows *all = context;
    (void)worker;
    for (int set = all->first_set + number * CONTACTS_OF_TASK; set < end_of_task(all, number); set++)
        tp_step_problem_write(all->stepper->problem, all->stepper->system, set,
                              all->W + (size_t)(set - all->first_set) * all->stride);
}

/* Closed contacts, all at once; the same problem as one by one. */
static tp_status share_contacts(tp_stepper *stepper, const tp_state *from, double dt, const tp_state *to)
{
    tp_system *system = stepper->system;
    tp_stack *stack = &stepper->solver_memory->stack;
    const tp_problem *problem = &stepper->problem->problem;
    contact_rows all = {.stepper = stepper, .from = from, .dt = dt, .first_set = problem->set_count};
    for (int i = system->fixed_count; i < system->law_count; i++) {
        if (!to->is_closed[i]) continue;
        size_t entries =
            (size_t)(tp_system_law(system, i)->row_count * tp_system_law_column_count(system, i));
        all.stride = entries > all.stride ? entries : all.stride;
        tp_step_problem_place(stepper->problem, system, i);
    }
    int count = problem->set_count - all.first_set, tasks = (count + CONTACTS_OF_TASK - 1) / CONTACTS_OF_TASK;
    tp_stack_mark mark = tp_stack_mark_now(stack);
    all.W = tp_stack_take(stack, (size_t)count, all.stride * sizeof(double));
    all.size = TP_STACK_ARRAY(stack, double, tasks);
    if (!stack->failed) {
        tp_pool_run(system->pool, tasks, find_rows, &all);
        tp_step_problem_sum(stepper->problem, all.first_set);
        tp_pool_run(system->pool, tasks, write_some, &all);
        for (int k = 0; k < tasks; k++) stepper->row_size = fmax(stepper->row_size, all.size[k]);
    }
    bool is_done = !stack->failed;
    tp_stack_release(stack, mark);
    return is_done ? TP_OK : TP_OUT_OF_MEMORY;
}

static void collect_law(tp_stepper *stepper, const tp_state *from, double dt, int index)
{
    tp_law_rows rows;
    rows_of_step(stepper, index, from, &rows);
    add_law(stepper, &rows, from->u, dt);
}

/* Which contacts take part in the step. */
typedef struct closing {
    tp_stepper *stepper;
    const tp_state *from;
    tp_state *to;
    double dt;
} closing;

static void find_closed(void *context, int begin, int end)
{
    const closing *all = context;
    double work[TP_LAW_ROWS * TP_PAIR_COLUMNS];
    int first = all->stepper->system->fixed_count;
    for (int i = first + begin; i < first + end; i++)
        all->to->is_closed[i] = is_closed(all->stepper, i, all->stepper->M, all->from, all->dt, work);
}

static void find_all_closed(tp_stepper *stepper, const tp_state *from, double dt, tp_state *to)
{
    tp_system *system = stepper->system;
    int contacts = system->law_count - system->fixed_count;
    closing all = {stepper, from, to, dt};
    for (int i = 0; i < system->fixed_count; i++)
        to->is_closed[i] = tp_law_is_closed(stepper, i, stepper->M, from, dt);
    if (contacts > 0) (void)tp_system_contact_point(system, system->fixed_count); /* tasks read them */
    tp_pool_share(system->pool, contacts, CONTACTS_OF_TASK, find_closed, &all);
}

static tp_status collect_laws(tp_stepper *stepper, const tp_state *from, double dt, tp_state *to,
                              tp_step_report *report)
{
    const tp_system *system = stepper->system;
    int contacts = 0;
    stepper->row_size = 0.0;
    stepper->has_row_noise = true;
    find_all_closed(stepper, from, dt, to);
    for (int i = 0; i < system->law_count; i++) {
        if (!to->is_closed[i]) continue;
        report->contact_count += tp_system_law(system, i)->level == TP_LEVEL_GAP;
        contacts += i >= system->fixed_count;
        if (i < system->fixed_count) collect_law(stepper, from, dt, i);
    }
    bool are_balls = false;
    if (contacts >= SHARED_CONTACTS && tp_ball_laws_are_due(stepper))
        TP_TRY(tp_ball_laws_collect(stepper, from, to, &are_balls));
    if (are_balls) return TP_OK;
    if (contacts >= SHARED_CONTACTS) return share_contacts(stepper, from, dt, to);
    for (int i = system->fixed_count; i < system->law_count; i++) {
        if (to->is_closed[i]) collect_law(stepper, from, dt, i);
    }
    return TP_OK;
}

static tp_status solve(void *self, tp_step_report *report)
{
    return tp_stepper_solve(self, report);
}

static tp_status write_rows(void *problem)
{
    tp_step_problem_write_rows(problem);
    return TP_OK;
}

/* Balls have no static friction, and their rows are written where the solver asks for them. */
static tp_status solve_balls(tp_stepper *stepper, tp_step_report *report)
{
    const tp_known_rows rows = {&stepper->problem->balls, write_rows, stepper->problem};
    tp_workspace_offer_rows(stepper->solver_memory, &rows);
    tp_status status = tp_stepper_solve(stepper, report);
    tp_workspace_offer_rows(stepper->solver_memory, NULL);
    return status;
}

/* Laws of any kind; joints by the factors that the search for redundant rows has made. */
static tp_status solve_laws(tp_stepper *stepper, const tp_state *from, double dt, tp_step_report *report)
{
    const tp_joint_inverse joints = {tp_redundancy_solve, tp_redundancy_push, tp_redundancy_see,
                                     stepper->redundancy};
    bool has_factors = tp_redundancy_can_solve(stepper->redundancy, stepper->problem->law,
                                               stepper->problem->problem.set_count);
    stepper->has_joint_factors = has_factors;
    tp_workspace_offer_joints(stepper->solver_memory, has_factors ? &joints : NULL);
    tp_status status =
        tp_static_solve(stepper, &(tp_static_step){from, dt, from->u, stepper->M, solve, stepper}, report);
    tp_workspace_offer_joints(stepper->solver_memory, NULL);
    return status;
}

tp_status tp_stepper_change_velocities(tp_stepper *stepper, const tp_state *from, double dt, tp_state *to,
                                       tp_step_report *report)
{
    tp_system *system = stepper->system;
    tp_system_mass(system, stepper->M);
    tp_system_force(system, stepper->h);
    for (int j = 0; j < system->u_count; j++) stepper->h[j] *= dt;
    tp_step_problem_begin(stepper->problem, &system->mass_pattern, stepper->M, stepper->h);
    TP_TRY(tp_redundancy_find(stepper->redundancy, stepper->M)); /* they contradict each other by the drift */
    TP_TRY(collect_laws(stepper, from, dt, to, report));

    tp_status status =
        stepper->problem->are_balls ? solve_balls(stepper, report) : solve_laws(stepper, from, dt, report);
    if (!tp_stepper_accepts(stepper, status)) return status;
    tp_system_combine(system, system->u_count, from->u, 1.0, stepper->x, to->u);
    tp_stepper_keep_impulses(stepper, to, report);
    tp_account_add_forces(&stepper->account, 1.0, stepper->h); /* dt is in h already */
    tp_stepper_book(stepper, stepper->chi, from->u, to->u);
    tp_redundancy_share(stepper->redundancy, to->impulse);
    return status;
}

void tp_stepper_add_work(tp_stepper *stepper, double t, const double *q, const double *u, double time,
                         tp_step_report *report)
{
    if (!tp_system_has_applied_power(stepper->system)) return;
    tp_system_move(stepper->system, t, q, u);
    report->applied_work += time * tp_system_applied_power(stepper->system);
}
