/* Contacts between balls in a step; theory/large-heaps.md (3). */
#include "ball_laws.h"

#include "base/expect.h"
#include "law_rows.h"
#include "solver/tolerances.h"
#include "solver/workspace.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { ROWS = 3, CONTACTS_OF_TASK = 128 };

bool tp_ball_laws_are_due(const tp_stepper *stepper)
{
    const tp_simulation_options *options = stepper->options;
    bool is_auto = options->solver == NULL || strcmp(options->solver, "auto") == 0;
    bool is_moved = stepper->correction != NULL || stepper->projection != NULL;
    return stepper->problem->may_be_balls && is_auto && !is_moved && options->tolerance >= tp_form_tolerance;
}

/* ---- rows ---- */

typedef struct collecting {
    tp_stepper *stepper;
    const tp_state *from;
    double *size;          /* [tasks] largest of their rows */
    unsigned char *failed; /* [tasks] */
} collecting;

static void take_motion(const tp_system *system, int body, double *v, double *w)
{
    if (body < 0) return;
    const tp_body_state *state = &system->body[body];
    const double all_v[] = {state->v.x, state->v.y, state->v.z},
                 all_w[] = {state->w.x, state->w.y, state->w.z};
    memcpy(v, all_v, sizeof all_v);
    memcpy(w, all_w, sizeof all_w);
}

/* u of the rows with the velocities of the start, and the sums of the sizes of their terms. */
static void find_velocity(const tp_system *system, const tp_ball_contact *c, double *u, double *size)
{
    double v_a[3] = {0.0}, w_a[3] = {0.0}, v_b[3], w_b[3];
    take_motion(system, c->body_a, v_a, w_a);
    take_motion(system, c->body_b, v_b, w_b);
    tp_ball_velocity(c, v_a, w_a, v_b, w_b, u);
    memset(size, 0, ROWS * sizeof *size);
    for (int d = 0; d < 3; d++) {
        const double *n = c->frame + d, v = fabs(v_a[d]) + fabs(v_b[d]),
                     s = c->arm_a * fabs(w_a[d]) + c->arm_b * fabs(w_b[d]);
        size[0] += fabs(n[0]) * v;
        size[1] += fabs(n[3]) * v + fabs(n[6]) * s; /* |n x T1| is |T2| */
        size[2] += fabs(n[6]) * v + fabs(n[3]) * s;
    }
}

static bool has_restitution(const tp_law *law)
{
    return law->restitution[0] != 0.0 || law->restitution[1] != 0.0 || law->restitution[2] != 0.0;
}

/* b = (1 + e) u: what rebounds is judged by the rows over velocities. */
static void add_rebound(const collecting *all, int index, double *b)
{
    const tp_stepper *stepper = all->stepper;
    double W[TP_LAW_ROWS * TP_PAIR_COLUMNS];
    tp_law_rows rows;
    if (!has_restitution(tp_system_law(stepper->system, index))) return;
    tp_law_rows_at(stepper, index, all->from->impulse, all->from->u, W, &rows);
    for (int k = 0; k < ROWS; k++)
        b[k] += tp_law_rebound(stepper, &rows, k, stepper->M, stepper->h, 1.0, all->from->u);
}

/* What is kept of the bodies of a contact; of those with the ground one is not there. */
TP_EXPECTS void expect_contact(const tp_step_problem *step, const tp_system *system, int set)
{
    const tp_touch *touch = &tp_system_pair(system, step->law[set])->touch;
    const int shapes[] = {touch->shape_a, touch->shape_b};
    for (int s = 0; s < 2; s++) {
        int body = step->body_of_shape[shapes[s]];
        if (body != TP_GROUND) tp_expect_all(&system->body[body], sizeof(tp_body_state));
    }
}

static void fill_some(void *context, int number, int worker)
{
    const collecting *all = context;
    const tp_stepper *stepper = all->stepper;
    tp_step_problem *step = stepper->problem;
    int count = step->problem.set_count, end = (number + 1) * CONTACTS_OF_TASK;
    double most = 0.0;
    (void)worker;
    for (int set = number * CONTACTS_OF_TASK; set < (end < count ? end : count); set++) {
        int index = step->law[set], first = ROWS * set;
        double size[ROWS], *b = step->problem.b + first;
        if (set + TP_EXPECT_AHEAD < count) expect_contact(step, stepper->system, set + TP_EXPECT_AHEAD);
        all->failed[number] = !tp_step_balls_fill(step, stepper->system, set);
        if (all->failed[number]) return;
        find_velocity(stepper->system, &step->contact[set], b, size);
        add_rebound(all, index, b);
        for (int k = 0; k < ROWS; k++) {
            most = fmax(most, size[k]);
            stepper->row_noise[first + k] = DBL_EPSILON * size[k];
            stepper->chi[first + k] = 0.0;
            step->P[first + k] = all->from->impulse[index * TP_LAW_ROWS + k];
        }
    }
    all->size[number] = most;
}

/* What the tasks found; false: a contact is none of balls. */
static bool finish(const collecting *all, int tasks)
{
    tp_stepper *stepper = all->stepper;
    for (int k = 0; k < tasks; k++) {
        if (all->failed[k]) return false;
        stepper->row_size = fmax(stepper->row_size, all->size[k]);
    }
    tp_step_balls_end(stepper->problem);
    return true;
}

tp_status tp_ball_laws_collect(tp_stepper *stepper, const tp_state *from, const tp_state *to, bool *are_taken)
{
    tp_system *system = stepper->system;
    tp_step_problem *step = stepper->problem;
    tp_stack *stack = &stepper->solver_memory->stack;
    collecting all = {.stepper = stepper, .from = from};
    tp_step_balls_begin(step, system);
    for (int i = 0; i < system->law_count; i++) {
        if (to->is_closed[i]) tp_step_balls_place(step, i);
    }
    int tasks = (step->problem.set_count + CONTACTS_OF_TASK - 1) / CONTACTS_OF_TASK;
    tp_stack_mark mark = tp_stack_mark_now(stack);
    all.size = TP_STACK_ARRAY(stack, double, tasks);
    all.failed = TP_STACK_ARRAY(stack, unsigned char, tasks);
    bool has_memory = !stack->failed;
    *are_taken = false;
    if (has_memory) {
        memset(all.failed, 0, (size_t)tasks);
        tp_pool_run(system->pool, tasks, fill_some, &all);
        *are_taken = finish(&all, tasks);
    }
    tp_stack_release(stack, mark);
    if (!*are_taken) tp_step_problem_begin(step, &system->mass_pattern, stepper->M, stepper->h);
    return has_memory ? TP_OK : TP_OUT_OF_MEMORY;
}

/* ---- the account ---- */

/* Contacts of one task, at least. */
enum { BOOKED_OF_TASK = 256 };

typedef struct booking {
    tp_stepper *stepper;
    const double *u_from, *u_to;
} booking;

/* Turns and velocities of the bodies of a contact; u_from may be NULL. */
TP_EXPECTS void expect_bodies(const tp_step_problem *step, int set, const double *u_from, const double *u_to)
{
    if (set >= step->problem.set_count) return;
    const int body[] = {step->contact[set].body_a, step->contact[set].body_b};
    for (int s = 0; s < 2; s++) {
        if (body[s] < 0) continue;
        tp_expect_all(step->turn[body[s]], sizeof *step->turn);
        if (u_from != NULL) tp_expect_all(u_from + 6 * (size_t)body[s], 6 * sizeof *u_from);
        tp_expect_all(u_to + 6 * (size_t)body[s], 6 * sizeof *u_to);
    }
}

static bool is_zero(const double *P)
{
    return P[0] == 0.0 && P[1] == 0.0 && P[2] == 0.0;
}

/* What contacts take at the mean velocity: each has its own place. */
static void book_losses(void *context, int begin, int end)
{
    const booking *of = context;
    const tp_step_problem *step = of->stepper->problem;
    for (int i = begin; i < end; i++) {
        const double *P = step->P + ROWS * (size_t)i;
        double before[ROWS], after[ROWS];
        expect_bodies(step, i + TP_EXPECT_AHEAD, of->u_from, of->u_to);
        if (is_zero(P)) continue;
        tp_step_balls_velocity(step, i, of->u_from, before);
        tp_step_balls_velocity(step, i, of->u_to, after);
        for (int k = 0; k < ROWS; k++)
            of->stepper->account.dissipation[step->law[i]] -= P[k] * 0.5 * (before[k] + after[k]);
    }
}

/* The moment of F at the arm of a ball, and F itself. */
static void push_body(const tp_step_problem *step, int body, double sign, double arm, const double *F,
                      const double *moment, double *laws)
{
    double own[3], *to = laws + 6 * (size_t)body;
    tp_ball_to_own(step->turn[body], moment, own);
    for (int d = 0; d < 3; d++) {
        to[d] += sign * F[d];
        to[3 + d] -= arm * own[d];
    }
}

/* Impulses add up on bodies. */
static void push_all(const tp_step_problem *step, double *laws)
{
    for (int i = 0; i < step->problem.set_count; i++) {
        const double *P = step->P + ROWS * (size_t)i, *E = step->contact[i].frame;
        const tp_ball_contact *c = &step->contact[i];
        double F[3], moment[3];
        expect_bodies(step, i + TP_EXPECT_AHEAD, NULL, laws);
        if (is_zero(P)) continue; /* most contacts of a heap that flows */
        for (int d = 0; d < 3; d++) F[d] = E[d] * P[0] + E[3 + d] * P[1] + E[6 + d] * P[2];
        for (int d = 0; d < 3; d++)
            moment[d] = E[(d + 1) % 3] * F[(d + 2) % 3] - E[(d + 2) % 3] * F[(d + 1) % 3];
        push_body(step, c->body_b, 1.0, c->arm_b, F, moment, laws);
        if (c->body_a >= 0) push_body(step, c->body_a, -1.0, c->arm_a, F, moment, laws);
    }
}

void tp_ball_laws_book(tp_stepper *stepper, const double *u_from, const double *u_to)
{
    booking of = {stepper, u_from, u_to};
    tp_pool_share(stepper->system->pool, stepper->problem->problem.set_count, BOOKED_OF_TASK, book_losses,
                  &of);
    push_all(stepper->problem, stepper->account.laws);
}
