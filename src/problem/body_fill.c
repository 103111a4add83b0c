/* Contacts of bodies in their places, and numbers to and fro; theory/large-heaps.md (2)-(4). */
#include "body_maker.h"

#include "base/expect.h"

#include <math.h>
#include <string.h>

/* ---- rows ---- */

static void add_to_block(const double *inverse, const double *spin, double *D)
{
    for (int r = 0, k = 0; r < 3; r++) {
        double y[3];
        tp_body_apply_inertia(inverse, spin + 3 * r, y);
        for (int s = r; s < 3; s++) D[k++] += tp_dot3(spin + 3 * s, y);
    }
}

static void fill_contact(const tp_body_maker *m, int i, tp_body_chunk *sums)
{
    tp_body_law one;
    const tp_body_law *l = &one;
    const tp_body_problem *out = m->out;
    (void)tp_body_read_law(m, i, &one); /* it could be read before */
    tp_body_contact *c = &out->contacts[out->place[i]];
    double mobility = out->rest[l->body_a][3] + out->rest[l->body_b][3];
    *c = (tp_body_contact){
        .body_a = l->body_a, .body_b = l->body_b, .friction = m->problem->sets[i].parameter[0]};
    for (int r = 0; r < 3; r++) {
        memcpy(c->frame + 3 * r, l->b[r], 3 * sizeof(double));
        memcpy(c->spin_a + 3 * r, l->a[r] + 3, 3 * sizeof(double));
        memcpy(c->spin_b + 3 * r, l->b[r] + 3, 3 * sizeof(double));
    }
    memcpy(c->b, m->problem->b + 3 * i, sizeof c->b);
    for (int r = 0, k = 0; r < 3; r++) {
        for (int s = r; s < 3; s++) c->D[k++] = mobility * tp_dot3(l->b[r], l->b[s]);
    }
    if (l->body_a < out->body_count) add_to_block(out->inertia[l->body_a], c->spin_a, c->D);
    add_to_block(out->inertia[l->body_b], c->spin_b, c->D);
    sums->diagonal += c->D[0] + c->D[3] + c->D[5];
    for (int k = 0; k < 6; k++) sums->square += (k == 0 || k == 3 || k == 5 ? 1.0 : 2.0) * c->D[k] * c->D[k];
}

static void fill_ball(const tp_body_maker *m, int i, tp_body_chunk *sums)
{
    const tp_body_pair *l = &m->pairs[i];
    const tp_body_problem *out = m->out;
    tp_ball_group *g = &out->groups[out->place[i] / TP_LANES];
    int lane = out->place[i] % TP_LANES;
    const double *b = m->problem->b + 3 * i, *frame = tp_body_frame(out, i);
    double arm_a = l->arm_a, arm_b = l->arm_b, normal = out->rest[l->body_a][3] + out->rest[l->body_b][3],
           tangential =
               normal + arm_a * arm_a * out->rest[l->body_a][7] + arm_b * arm_b * out->rest[l->body_b][7];
    for (int d = 0; d < 3; d++) {
        g->n[d][lane] = frame[d];
        g->b[d][lane] = frame[d] * b[0] + frame[3 + d] * b[1] + frame[6 + d] * b[2];
    }
    g->friction[lane] = m->problem->sets[i].parameter[0];
    g->arm_a[lane] = arm_a;
    g->arm_b[lane] = arm_b;
    g->inverse_n[lane] = 1.0 / normal;
    g->inverse_t[lane] = 1.0 / tangential;
    g->body_a[lane] = l->body_a;
    g->body_b[lane] = l->body_b;
    sums->diagonal += normal + 2.0 * tangential;
    sums->square += normal * normal + 2.0 * tangential * tangential;
}

TP_EXPECTS void expect_bodies(const tp_body_problem *out, int a, int b)
{
    const int body[] = {a, b};
    for (int s = 0; s < 2; s++) {
        tp_expect(out->rest[body[s]]);
        tp_expect(out->motion[body[s]]);
    }
}

/* The group of a contact of balls, by the first of its lanes. */
TP_EXPECTS void expect_group(const tp_body_problem *out, int i, int end)
{
    if (!out->are_balls || i >= end || out->place[i] % TP_LANES != 0) return;
    tp_expect_all(&out->groups[out->place[i] / TP_LANES], sizeof *out->groups);
}

static void fill_laws(void *context, int number, int worker)
{
    tp_body_maker *m = context;
    int end = tp_body_chunk_end(number, m->problem->set_count);
    (void)worker;
    for (int i = number * TP_BODY_CHUNK; i < end; i++) {
        int ahead = i + TP_EXPECT_AHEAD;
        if (ahead < end) expect_bodies(m->out, m->pairs[ahead].body_a, m->pairs[ahead].body_b);
        expect_group(m->out, ahead, end);
        if (m->out->are_balls)
            fill_ball(m, i, &m->chunks[number]);
        else
            fill_contact(m, i, &m->chunks[number]);
        double P[3];
        tp_body_contact_state(m->out, i, P, m->c + 3 * (size_t)i);
    }
}

/* Lanes without a contact have the ground on both sides. */
static void clear_groups(void *context, int begin, int end)
{
    tp_body_problem *out = context;
    for (int k = begin; k < end; k++) {
        out->groups[k] = (tp_ball_group){0};
        for (int lane = 0; lane < TP_LANES; lane++)
            out->groups[k].body_a[lane] = out->groups[k].body_b[lane] = out->body_count;
    }
}

tp_status tp_body_fill(tp_body_maker *m, tp_pool *pool, tp_stack *stack)
{
    tp_body_problem *out = m->out;
    int n = m->problem->set_count, chunks = tp_body_chunks(n), ground = out->body_count;
    m->c = TP_STACK_ARRAY(stack, double, m->problem->row_count);
    if (out->are_balls)
        out->groups = TP_STACK_ARRAY(stack, tp_ball_group, out->group_count);
    else
        out->contacts = TP_STACK_ARRAY(stack, tp_body_contact, n);
    if (stack->failed) return TP_OUT_OF_MEMORY;
    if (out->are_balls) tp_pool_share(pool, out->group_count, TP_BODY_CHUNK / TP_LANES, clear_groups, out);
    tp_pool_copy(pool, out->motion, out->rest, (size_t)(ground + 1) * sizeof *out->motion);
    tp_pool_run(pool, chunks, fill_laws, m);
    tp_local_sums sums = {0.0, 0.0, 0.0};
    for (int k = 0; k < chunks; k++) {
        sums.diagonal += m->chunks[k].diagonal;
        sums.norm += m->chunks[k].square;
        sums.inertia += m->chunks[k].inertia;
    }
    sums.norm = sqrt(sums.norm);
    tp_local_measure_sums(m->problem, m->c, &sums, &out->local);
    return TP_OK;
}

/* ---- to and fro ---- */

typedef struct transfer {
    const tp_body_problem *bodies;
    const double *from;
    double *P, *xi, *x;
} transfer;

static void load_chunk(void *context, int number, int worker)
{
    const transfer *t = context;
    const tp_body_problem *bodies = t->bodies;
    int end = tp_body_chunk_end(number, bodies->contact_count);
    (void)worker;
    for (int i = number * TP_BODY_CHUNK; i < end; i++) {
        expect_group(bodies, i + TP_EXPECT_AHEAD, end);
        const double *P = t->from + 3 * (size_t)i, *E = tp_body_frame(bodies, i);
        int place = bodies->place[i];
        for (int d = 0; d < 3; d++) {
            if (bodies->are_balls) {
                tp_ball_group *g = &bodies->groups[place / TP_LANES];
                double value = E[d] * P[0] + E[3 + d] * P[1] + E[6 + d] * P[2];
                g->P[d][place % TP_LANES] = g->before[d][place % TP_LANES] = value;
            } else {
                bodies->contacts[place].P[d] = bodies->contacts[place].before[d] = P[d];
            }
        }
    }
}

void tp_body_problem_load(tp_body_problem *bodies, tp_pool *pool, const double *P)
{
    transfer t = {.bodies = bodies, .from = P};
    tp_pool_run(pool, tp_body_chunks(bodies->contact_count), load_chunk, &t);
}

static void ball_state(const tp_body_problem *bodies, int set, double *P_out, double *xi_out)
{
    int place = bodies->place[set], l = place % TP_LANES;
    const tp_ball_group *g = &bodies->groups[place / TP_LANES];
    const double *A = bodies->motion[g->body_a[l]], *B = bodies->motion[g->body_b[l]],
                 *E = tp_body_frame(bodies, set);
    double s[3], n[3] = {g->n[0][l], g->n[1][l], g->n[2][l]}, turned[3], u[3], P[3];
    for (int d = 0; d < 3; d++) s[d] = g->arm_b[l] * B[4 + d] + g->arm_a[l] * A[4 + d];
    tp_cross3(s, n, turned);
    for (int d = 0; d < 3; d++) {
        u[d] = B[d] - A[d] - turned[d] + g->b[d][l];
        P[d] = g->P[d][l];
    }
    for (int k = 0; k < 3; k++) {
        P_out[k] = tp_dot3(E + 3 * k, P);
        xi_out[k] = tp_dot3(E + 3 * k, u);
    }
}

void tp_body_contact_state(const tp_body_problem *bodies, int set, double *P_out, double *xi_out)
{
    if (bodies->are_balls) {
        ball_state(bodies, set, P_out, xi_out);
        return;
    }
    const tp_body_contact *c = &bodies->contacts[bodies->place[set]];
    const double *A = bodies->motion[c->body_a], *B = bodies->motion[c->body_b];
    double v[3] = {B[0] - A[0], B[1] - A[1], B[2] - A[2]};
    for (int k = 0; k < 3; k++) {
        P_out[k] = c->P[k];
        xi_out[k] = tp_dot3(c->frame + 3 * k, v) + tp_dot3(c->spin_a + 3 * k, A + 4) +
                    tp_dot3(c->spin_b + 3 * k, B + 4) + c->b[k];
    }
}

/* The bodies of a contact of balls; its group before them. */
TP_EXPECTS void expect_contact(const tp_body_problem *bodies, int i, int end)
{
    int near = i + TP_EXPECT_AHEAD;
    expect_group(bodies, near + TP_EXPECT_AHEAD, end);
    if (!bodies->are_balls || near >= end) return;
    const tp_ball_group *next = &bodies->groups[bodies->place[near] / TP_LANES];
    int lane = bodies->place[near] % TP_LANES;
    tp_expect(bodies->motion[next->body_a[lane]]);
    tp_expect(bodies->motion[next->body_b[lane]]);
}

static void fetch_chunk(void *context, int number, int worker)
{
    const transfer *t = context;
    int end = tp_body_chunk_end(number, t->bodies->contact_count);
    (void)worker;
    for (int i = number * TP_BODY_CHUNK; i < end; i++) {
        expect_contact(t->bodies, i, end);
        double P[3], xi[3];
        tp_body_contact_state(t->bodies, i, P, xi);
        if (t->P != NULL) memcpy(t->P + 3 * (size_t)i, P, sizeof P);
        if (t->xi != NULL) memcpy(t->xi + 3 * (size_t)i, xi, sizeof xi);
    }
}

/* P alone, in the axes N, T1, T2. */
static void fetch_places(void *context, int begin, int end)
{
    const transfer *t = context;
    for (int i = begin; i < end; i++) {
        int place = t->bodies->place[i];
        double *P = t->P + 3 * (size_t)i;
        if (!t->bodies->are_balls) {
            memcpy(P, t->from + 3 * (size_t)place, 3 * sizeof *P);
            continue;
        }
        const double *lane = t->from + 3 * (size_t)(place - place % TP_LANES) + place % TP_LANES,
                     all[3] = {lane[0], lane[TP_LANES], lane[2 * TP_LANES]}, *E = tp_body_frame(t->bodies, i);
        for (int k = 0; k < 3; k++) P[k] = tp_dot3(E + 3 * k, all);
    }
}

void tp_body_problem_fetch_places(const tp_body_problem *bodies, tp_pool *pool, const double *places,
                                  double *P)
{
    transfer t = {.bodies = bodies, .from = places, .P = P};
    tp_pool_share(pool, bodies->contact_count, TP_BODY_CHUNK, fetch_places, &t);
}

static void fetch_unknowns(void *context, int begin, int end)
{
    const transfer *t = context;
    const tp_body_problem *bodies = t->bodies;
    for (int j = begin; j < end; j++) {
        int at = tp_body_number(bodies, j), part = bodies->part[at];
        const double *motion = bodies->motion[bodies->body_of[at]];
        if (part < 3 || !bodies->are_balls) {
            t->x[j] = motion[part < 3 ? part : part + 1];
        } else {
            const double *turn = bodies->turn[bodies->body_of[at]];
            t->x[j] = turn[part - 3] * motion[4] + turn[part] * motion[5] + turn[part + 3] * motion[6];
        }
    }
}

static void fetch_balls(void *context, int begin, int end)
{
    const transfer *t = context;
    const tp_body_problem *bodies = t->bodies;
    for (int k = begin; k < end; k++) {
        double *x = t->x + 6 * (size_t)k;
        memcpy(x, bodies->motion[k], 3 * sizeof *x);
        tp_ball_to_own(bodies->balls->turn[tp_body_number(bodies, 6 * k) / 6], bodies->motion[k] + 4, x + 3);
    }
}

void tp_body_problem_fetch(const tp_body_problem *bodies, tp_pool *pool, double *P, double *xi, double *x)
{
    transfer t = {.bodies = bodies, .P = P, .xi = xi, .x = x};
    if (P != NULL || xi != NULL) tp_pool_run(pool, tp_body_chunks(bodies->contact_count), fetch_chunk, &t);
    if (x != NULL && bodies->balls != NULL)
        tp_pool_share(pool, bodies->body_count, TP_BODY_CHUNK, fetch_balls, &t);
    else if (x != NULL)
        tp_pool_share(pool, bodies->problem->x_count, TP_BODY_UNKNOWNS, fetch_unknowns, &t);
}
