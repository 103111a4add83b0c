/* Sweeps over the contacts of bodies by processors: tasks of a phase share no moving body;
   theory/large-heaps.md. */
#include "backend.h"
#include "solver/sweeps/block_solve.h"

#include <math.h>
#include <string.h>

/* Bodies, and contacts whose errors are summed, of one task. */
enum { BODIES_OF_TASK = 2048, ERRORS_OF_TASK = 1024 };

typedef struct memory {
    tp_disc_record *disc; /* [contact_count] of general bodies */
    tp_sweep_sums *sums;  /* [task_count] */
    double *errors;       /* [chunks] */
    double *kept;         /* P of groups or contacts, in their places */
    double momentum;
    int first_task;
} memory;

static int chunks_of(int count, int size)
{
    return (count + size - 1) / size;
}

static int least(int a, int b)
{
    return a < b ? a : b;
}

/* ---- general bodies ---- */

static void push_body(double *motion, const double *inverse, const double *frame, const double *spin,
                      double sign, const double *step)
{
    double h[3];
    for (int d = 0; d < 3; d++) {
        motion[d] +=
            sign * motion[3] * (frame[d] * step[0] + frame[3 + d] * step[1] + frame[6 + d] * step[2]);
        h[d] = spin[d] * step[0] + spin[3 + d] * step[1] + spin[6 + d] * step[2];
    }
    motion[4] += inverse[0] * h[0] + inverse[1] * h[1] + inverse[2] * h[2];
    motion[5] += inverse[1] * h[0] + inverse[3] * h[1] + inverse[4] * h[2];
    motion[6] += inverse[2] * h[0] + inverse[4] * h[1] + inverse[5] * h[2];
}

static void push_contact(tp_body_problem *bodies, const tp_body_contact *c, const double *step)
{
    if (c->body_a != bodies->body_count)
        push_body(bodies->motion[c->body_a], bodies->inertia[c->body_a], c->frame, c->spin_a, -1.0, step);
    push_body(bodies->motion[c->body_b], bodies->inertia[c->body_b], c->frame, c->spin_b, 1.0, step);
}

static void velocity_of(const tp_body_problem *bodies, const tp_body_contact *c, double *u)
{
    const double *A = bodies->motion[c->body_a], *B = bodies->motion[c->body_b];
    double v[3] = {B[0] - A[0], B[1] - A[1], B[2] - A[2]};
    for (int k = 0; k < 3; k++) {
        const double *e = c->frame + 3 * k, *a = c->spin_a + 3 * k, *b = c->spin_b + 3 * k;
        u[k] = e[0] * v[0] + e[1] * v[1] + e[2] * v[2] + a[0] * A[4] + a[1] * A[5] + a[2] * A[6] +
               b[0] * B[4] + b[1] * B[5] + b[2] * B[6] + c->b[k];
    }
}

static void sweep_contact(tp_body_problem *bodies, const tp_disc_record *disc, tp_body_contact *c,
                          double momentum, tp_sweep_sums *sums)
{
    const double *D = c->D;
    double u[3], y[3], p[3], step[3];
    for (int k = 0; k < 3; k++) y[k] = c->P[k] + momentum * (c->P[k] - c->before[k]);
    velocity_of(bodies, c, u);
    double g[3] = {u[0] - D[0] * y[0] - D[1] * y[1] - D[2] * y[2],
                   u[1] - D[1] * y[0] - D[3] * y[1] - D[4] * y[2],
                   u[2] - D[2] * y[0] - D[4] * y[1] - D[5] * y[2]};
    tp_disc_solve(disc, g[0], g[1], g[2], &c->slip, p);
    for (int k = 0; k < 3; k++) {
        step[k] = p[k] - y[k];
        sums->moved += step[k] * step[k];
        sums->uphill -= step[k] * (p[k] - c->P[k]);
        c->before[k] = c->P[k];
        c->P[k] = p[k];
    }
    if (step[0] != 0.0 || step[1] != 0.0 || step[2] != 0.0) push_contact(bodies, c, step);
}

/* ---- tasks ---- */

static void sweep_task(void *context, int number, int worker)
{
    tp_backend_call *call = context;
    tp_body_problem *bodies = call->bodies;
    memory *own = call->own;
    int task = own->first_task + number, begin = bodies->task[task], end = bodies->task[task + 1];
    (void)worker;
    if (bodies->are_balls) {
        own->sums[task] = tp_sweep_balls(bodies, begin, end, own->momentum);
        return;
    }
    tp_sweep_sums sums = {0.0, 0.0};
    for (int k = begin; k < end; k++)
        sweep_contact(bodies, &own->disc[k], &bodies->contacts[k], own->momentum, &sums);
    own->sums[task] = sums;
}

static void push_task(void *context, int number, int worker)
{
    tp_backend_call *call = context;
    tp_body_problem *bodies = call->bodies;
    const memory *own = call->own;
    int task = own->first_task + number, begin = bodies->task[task], end = bodies->task[task + 1];
    (void)worker;
    if (bodies->are_balls) {
        tp_push_balls(bodies, begin, end);
        return;
    }
    for (int k = begin; k < end; k++) push_contact(bodies, &bodies->contacts[k], bodies->contacts[k].P);
}

/* Phase by phase. */
static void run_phases(tp_backend_call *call, tp_pool_task *task)
{
    const tp_body_problem *bodies = call->bodies;
    memory *own = call->own;
    for (int p = 0; p < bodies->phase_count; p++) {
        own->first_task = bodies->phase[p];
        tp_pool_run(call->pool, bodies->phase[p + 1] - bodies->phase[p], task, call);
    }
}

/* Velocities follow P as a linear function: v + beta (v - v_before). */
static void lead_task(void *context, int number, int worker)
{
    tp_backend_call *call = context;
    tp_body_problem *bodies = call->bodies;
    double beta = ((memory *)call->own)->momentum;
    int end = least((number + 1) * BODIES_OF_TASK, bodies->body_count);
    (void)worker;
    if (beta == 0.0) { /* there may be no sweep before */
        int begin = number * BODIES_OF_TASK;
        memcpy(bodies->before + begin, bodies->motion + begin,
               (size_t)(end - begin) * sizeof *bodies->motion);
        return;
    }
    for (int k = number * BODIES_OF_TASK; k < end; k++) {
        double *now = bodies->motion[k], *before = bodies->before[k];
        for (int d = 0; d < 8; d++) {
            double last = before[d];
            before[d] = now[d];
            now[d] += beta * (now[d] - last); /* masses do not change */
        }
    }
}

static void rest_task(void *context, int number, int worker)
{
    tp_backend_call *call = context;
    tp_body_problem *bodies = call->bodies;
    int begin = number * BODIES_OF_TASK, end = least(begin + BODIES_OF_TASK, bodies->body_count);
    (void)worker;
    memcpy(bodies->motion + begin, bodies->rest + begin, (size_t)(end - begin) * sizeof *bodies->rest);
}

static void error_task(void *context, int number, int worker)
{
    tp_backend_call *call = context;
    const tp_body_problem *bodies = call->bodies;
    (void)worker;
    if (bodies->are_balls) { /* the tasks of sweeps, in any order: nothing moves */
        ((memory *)call->own)->errors[number] =
            tp_error_balls(bodies, bodies->task[number], bodies->task[number + 1]);
        return;
    }
    int end = least((number + 1) * ERRORS_OF_TASK, bodies->contact_count);
    double sum = 0.0;
    for (int i = number * ERRORS_OF_TASK; i < end; i++) {
        double P[3], xi[3];
        tp_body_contact_state(bodies, i, P, xi);
        sum += tp_disc_error_squared(bodies->problem->sets[i].parameter[0], bodies->local.rho, P, xi);
    }
    ((memory *)call->own)->errors[number] = sum;
}

enum { GROUP_NUMBERS = 3 * TP_LANES, PLACES_OF_TASK = 2048 };

static void keep_some(void *context, int begin, int end)
{
    const tp_backend_call *call = context;
    const tp_body_problem *bodies = call->bodies;
    double *kept = ((memory *)call->own)->kept;
    for (int k = begin; k < end && bodies->are_balls; k++)
        memcpy(kept + (size_t)k * GROUP_NUMBERS, bodies->groups[k].P, GROUP_NUMBERS * sizeof *kept);
    for (int k = begin; k < end && !bodies->are_balls; k++)
        memcpy(kept + 3 * (size_t)k, bodies->contacts[k].P, 3 * sizeof *kept);
}

/* ---- the table ---- */

static void prepare_discs(const tp_body_problem *bodies, tp_disc_record *disc)
{
    for (int k = 0; k < bodies->contact_count; k++) {
        const double *D = bodies->contacts[k].D;
        const double block[9] = {D[0], D[1], D[2], D[1], D[3], D[4], D[2], D[4], D[5]};
        tp_disc_prepare(block, bodies->contacts[k].friction, bodies->local.rho, &disc[k]);
    }
}

static int error_tasks(const tp_body_problem *bodies)
{
    return bodies->are_balls ? bodies->task_count : chunks_of(bodies->contact_count, ERRORS_OF_TASK);
}

static tp_status open(tp_backend_call *call)
{
    const tp_body_problem *bodies = call->bodies;
    memory *own = TP_STACK_ARRAY(call->stack, memory, 1);
    if (own == NULL) return TP_OUT_OF_MEMORY;
    *own = (memory){.sums = TP_STACK_ARRAY(call->stack, tp_sweep_sums, bodies->task_count),
                    .errors = TP_STACK_ARRAY(call->stack, double, error_tasks(bodies))};
    size_t kept =
        bodies->are_balls ? (size_t)bodies->group_count * GROUP_NUMBERS : 3 * (size_t)bodies->contact_count;
    own->kept = TP_STACK_ARRAY(call->stack, double, kept);
    if (!bodies->are_balls) own->disc = TP_STACK_ARRAY(call->stack, tp_disc_record, bodies->contact_count);
    if (call->stack->failed) return TP_OUT_OF_MEMORY;
    if (!bodies->are_balls) prepare_discs(bodies, own->disc);
    call->own = own;
    return TP_OK;
}

static tp_status open_serial(tp_backend_call *call)
{
    call->pool = NULL;
    return open(call);
}

static void load(tp_backend_call *call, const double *P)
{
    tp_body_problem_load(call->bodies, call->pool, P);
}

static void move(tp_backend_call *call)
{
    tp_pool_run(call->pool, chunks_of(call->bodies->body_count, BODIES_OF_TASK), rest_task, call);
    run_phases(call, push_task);
}

static tp_sweep_sums sweep(tp_backend_call *call, double momentum)
{
    memory *own = call->own;
    tp_sweep_sums all = {0.0, 0.0};
    own->momentum = momentum;
    tp_pool_run(call->pool, chunks_of(call->bodies->body_count, BODIES_OF_TASK), lead_task, call);
    run_phases(call, sweep_task);
    for (int k = 0; k < call->bodies->task_count; k++) {
        all.moved += own->sums[k].moved;
        all.uphill += own->sums[k].uphill;
    }
    return all;
}

static double error(tp_backend_call *call)
{
    const memory *own = call->own;
    int chunks = error_tasks(call->bodies);
    double sum = 0.0;
    tp_pool_run(call->pool, chunks, error_task, call);
    for (int k = 0; k < chunks; k++) sum += own->errors[k];
    double E = sqrt(sum) / call->bodies->local.scale;
    return E < 1e300 ? E : 1e300;
}

static void keep(tp_backend_call *call)
{
    const tp_body_problem *bodies = call->bodies;
    int places = bodies->are_balls ? bodies->group_count : bodies->contact_count;
    tp_pool_share(call->pool, places, PLACES_OF_TASK, keep_some, call);
}

static void fetch_kept(tp_backend_call *call, double *P)
{
    tp_body_problem_fetch_places(call->bodies, call->pool, ((memory *)call->own)->kept, P);
}

static void fetch(tp_backend_call *call, double *P, double *xi, double *x)
{
    tp_body_problem_fetch(call->bodies, call->pool, P, xi, x);
}

static void close(tp_backend_call *call)
{
    call->own = NULL;
}

#define PROCESSORS                                                                                           \
    .load = load, .move = move, .sweep = sweep, .error = error, .keep = keep, .fetch_kept = fetch_kept,      \
    .fetch = fetch, .close = close

const tp_backend tp_backend_serial = {
    .name = "serial", .text = "one thread", .open = open_serial, PROCESSORS};

const tp_backend tp_backend_threads = {
    .name = "threads", .text = "the threads of a pool; the bits are those of one", .open = open, PROCESSORS};
