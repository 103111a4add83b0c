/* Bodies and contacts found in the data of a problem; theory/large-heaps.md (1)-(4). */
#include "body_maker.h"
#include "tolerances.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* ---- what a problem must be ---- */

static bool is_suitable(const tp_problem *problem, const tp_problem *data)
{
    return problem->x_count > 0 && data->is_mechanical && data->D.uniform == 3 &&
           data->D.block_count == data->set_count;
}

static int row_of(const tp_body_maker *m, int row)
{
    return m->row != NULL ? m->row[row] : row;
}

/* A spatial contact with a disc, and D = 0. */
static bool is_suitable_set(const tp_body_maker *m, int i)
{
    const tp_set *set = &m->problem->sets[i];
    if (set->kind != TP_SET_CONTACT || set->friction_kind != TP_FRICTION_BALL || set->size != 3) return false;
    const double *D =
        m->data->D.value + 3 * (size_t)row_of(m, set->first); /* blocks of nine, three rows each */
    for (int k = 0; k < 9; k++) {
        if (D[k] != 0.0) return false;
    }
    return true;
}

static tp_status number_bodies(const tp_unknowns *unknowns, int data_count, tp_stack *stack,
                               tp_body_problem *out)
{
    int n = out->problem->x_count, offset = unknowns->total % 6, last = -1;
    out->body_of = TP_STACK_ARRAY(stack, int, data_count);
    out->part = TP_STACK_ARRAY(stack, unsigned char, data_count);
    if (stack->failed) return TP_OUT_OF_MEMORY;
    out->body_count = 0;
    for (int j = 0; j < n; j++) {
        int number = (unknowns->number != NULL ? unknowns->number[j] : j) - offset,
            at = tp_body_number(out, j);
        if (number < 0) return TP_UNSUPPORTED;
        if (number / 6 != last) out->body_count++;
        last = number / 6;
        out->body_of[at] = out->body_count - 1;
        out->part[at] = (unsigned char)(number % 6);
    }
    return TP_OK;
}

/* ---- bodies ---- */

/* Inverse of a symmetric positive 3x3 matrix whose missing rows are zero; false: it is none. */
static bool invert(const double *J, double *out)
{
    double full[9];
    memcpy(full, J, sizeof full);
    for (int k = 0; k < 3; k++) {
        if (J[4 * k] == 0.0) full[4 * k] = 1.0; /* no contact moves it */
    }
    double a = full[0], b = full[1], c = full[2], d = full[4], e = full[5], f = full[8];
    double A = d * f - e * e, B = c * e - b * f, C = b * e - c * d, det = a * A + b * B + c * C;
    if (!(a > 0.0) || !(A > 0.0 || d * f > 0.0) || !(det > 0.0) || !isfinite(1.0 / det)) return false;
    double inverse[6] = {
        A / det, B / det, C / det, (a * f - c * c) / det, (b * c - a * e) / det, (a * d - b * b) / det};
    bool is_diagonal = b == 0.0 && c == 0.0 && e == 0.0;
    if (is_diagonal) {
        inverse[0] = 1.0 / a;
        inverse[3] = 1.0 / d;
        inverse[5] = 1.0 / f;
    }
    memcpy(out, inverse, sizeof inverse);
    return true;
}

/* Mass and inertia of the body whose unknowns are begin ... end - 1; false: M is not that of a rigid body. */
static bool read_body(const tp_body_maker *m, int body, int begin, int end)
{
    tp_body_problem *out = m->out;
    const tp_sparse *M = &m->data->M;
    double mass = 0.0, J[9] = {0.0}, h[3] = {0.0}, ball = 0.0, *largest = m->largest[body];
    bool is_ball = true;
    memset(largest, 0, sizeof m->largest[body]);
    for (int k = begin; k < end; k++) {
        int j = tp_body_number(out, k), p = out->part[j];
        if (p >= 3) h[p - 3] = m->data->f[j];
        for (int e = M->start[j]; e < M->start[j + 1]; e++) {
            int i = M->index[e], q = out->part[i];
            double value = M->value[e];
            if (value == 0.0) continue;
            if (out->body_of[i] != body || (p < 3) != (q < 3) || (p < 3 && p != q)) return false;
            largest[q] = fmax(largest[q], fabs(value));
            if (p < 3) {
                if (mass != 0.0 && value != mass) return false;
                mass = value;
                out->rest[body][p] = m->data->f[j] / value;
                continue;
            }
            J[3 * (q - 3) + p - 3] = value;
            is_ball = is_ball && p == q && (ball == 0.0 || ball == value);
            ball = value;
        }
    }
    if (!(mass > 0.0) || J[1] != J[3] || J[2] != J[6] || J[5] != J[7]) return false;
    if (!invert(J, out->inertia[body])) return false;
    tp_body_apply_inertia(out->inertia[body], h, out->rest[body] + 4);
    out->rest[body][3] = 1.0 / mass;
    out->rest[body][7] = is_ball && ball > 0.0 ? 1.0 / ball : 0.0;
    return true;
}

/* Bodies whose first unknown is in a range of them. */
static void read_bodies(void *context, int number, int worker)
{
    const tp_body_maker *m = context;
    const tp_body_problem *out = m->out;
    int n = out->problem->x_count, begin = number * TP_BODY_UNKNOWNS,
        last = (number + 1) * TP_BODY_UNKNOWNS < n ? (number + 1) * TP_BODY_UNKNOWNS : n;
    (void)worker;
    while (begin > 0 && begin < last &&
           out->body_of[tp_body_number(out, begin)] == out->body_of[tp_body_number(out, begin - 1)])
        begin++;
    for (int end; begin < last; begin = end) {
        int body = out->body_of[tp_body_number(out, begin)];
        for (end = begin + 1; end < n && out->body_of[tp_body_number(out, end)] == body; end++) {
        }
        m->chunks[number].is_wrong = m->chunks[number].is_wrong || !read_body(m, body, begin, end);
    }
}

tp_status tp_body_take(tp_body_maker *m, int chunks, tp_stack *stack)
{
    tp_body_problem *out = m->out;
    size_t count = (size_t)out->body_count + 1;
    m->pairs = TP_STACK_ARRAY(stack, tp_body_pair, m->problem->set_count);
    m->chunks = TP_STACK_ARRAY(stack, tp_body_chunk, chunks);
    out->motion = tp_stack_take(stack, count, sizeof *out->motion);
    out->before = tp_stack_take(stack, count, sizeof *out->before);
    out->rest = tp_stack_take(stack, count, sizeof *out->rest);
    if (stack->failed) return TP_OUT_OF_MEMORY;
    memset(m->chunks, 0, (size_t)chunks * sizeof *m->chunks);
    memset(out->rest[count - 1], 0, sizeof *out->rest); /* the ground */
    return TP_OK;
}

/* What is needed besides where the data prove what they are. */
static tp_status take_proof(tp_body_maker *m, tp_stack *stack)
{
    tp_body_problem *out = m->out;
    size_t count = (size_t)out->body_count + 1;
    out->geometry = tp_stack_take(stack, (size_t)m->problem->set_count, sizeof *out->geometry);
    out->inertia = tp_stack_take(stack, count, sizeof *out->inertia);
    m->largest = tp_stack_take(stack, count, sizeof *m->largest);
    if (stack->failed) return TP_OUT_OF_MEMORY;
    memset(out->rest, 0, count * sizeof *out->rest);
    memset(out->inertia, 0, count * sizeof *out->inertia);
    return TP_OK;
}

/* ---- contacts ---- */

/* The first body that a law touches is b; false: it touches three, or not as a contact of two bodies does. */
bool tp_body_read_law(const tp_body_maker *m, int i, tp_body_law *out)
{
    const tp_sparse *A = &m->data->A;
    const int *body_of = m->out->body_of, ground = m->out->body_count;
    const unsigned char *part_of = m->out->part;
    int body_a = ground, body_b = -1;
    memset(out, 0, sizeof *out);
    for (int r = 0; r < 3; r++) {
        int row = row_of(m, m->problem->sets[i].first + r);
        for (int e = A->start[row]; e < A->start[row + 1]; e++) {
            int body = body_of[A->index[e]], part = part_of[A->index[e]];
            double value = A->value[e];
            if (body == body_b) {
                out->b[r][part] = value;
            } else if (body == body_a) {
                out->a[r][part] = value;
            } else if (value == 0.0) {
                continue;
            } else if (body_b < 0) {
                body_b = body;
                out->b[r][part] = value;
            } else if (body_a == ground) {
                body_a = body;
                out->a[r][part] = value;
            } else {
                return false;
            }
        }
    }
    out->body_a = body_a;
    out->body_b = body_b;
    for (int r = 0; r < 3 && body_a < ground; r++) {
        for (int k = 0; k < 3; k++) {
            if (out->a[r][k] != -out->b[r][k]) return false;
        }
    }
    return body_b >= 0;
}

/* Spin of a ball at a contact: -arm n x E. The arm; negative: it is not that of a ball. */
static double ball_arm(double (*frame)[6], double (*of)[6])
{
    const double *normal = of[0] + 3, *first = of[1] + 3, *second = of[2] + 3;
    double arm = sqrt(tp_dot3(first, first)), allowed = tp_same_direction * arm;
    if (!(arm > 0.0) || sqrt(tp_dot3(normal, normal)) > allowed) return -1.0;
    if (fabs(sqrt(tp_dot3(second, second)) - arm) > allowed) return -1.0;
    for (int k = 0; k < 3; k++) { /* an orthonormal frame */
        if (fabs(tp_dot3(frame[k], frame[k]) - 1.0) > tp_same_direction) return -1.0;
        if (fabs(tp_dot3(frame[k], frame[(k + 1) % 3])) > tp_same_direction) return -1.0;
    }
    return arm;
}

/* The turn R that makes -arm n x e of the spins: R^T takes n x t1 to -S_1/arm, n x t2 to -S_2/arm; row by
   row. */
static void find_turn(double (*frame)[6], double (*of)[6], double arm, double *turn)
{
    double world[9], own[9];
    for (int k = 0; k < 2; k++) {
        tp_cross3(frame[0], frame[k + 1], world + 3 * k);
        for (int d = 0; d < 3; d++) own[3 * k + d] = -of[k + 1][3 + d] / arm;
    }
    tp_cross3(world, world + 3, world + 6);
    tp_cross3(own, own + 3, own + 6);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++)
            turn[3 * i + j] = world[i] * own[j] + world[3 + i] * own[3 + j] + world[6 + i] * own[6 + j];
    }
}

/* Do the spins of a contact follow from its arm and the turn of the body? */
static bool agrees(double (*frame)[6], double (*of)[6], double arm, const double *turn)
{
    for (int k = 1; k < 3; k++) {
        double world[3], size = tp_same_direction * arm;
        tp_cross3(frame[0], frame[k], world);
        for (int d = 0; d < 3; d++) {
            double turned = turn[d] * world[0] + turn[3 + d] * world[1] + turn[6 + d] * world[2];
            if (fabs(of[k][3 + d] + arm * turned) > 8.0 * size) return false;
        }
    }
    return true;
}

/* A sum with what the rows of a law move, as tp_problem_inertia. */
static double add_inertia(const tp_body_maker *m, int i, double sum)
{
    const tp_sparse *A = &m->data->A;
    for (int r = 0; r < 3; r++) {
        int row = row_of(m, m->problem->sets[i].first + r);
        double moved = 0.0, length = 0.0;
        for (int e = A->start[row]; e < A->start[row + 1]; e++) {
            double square = A->value[e] * A->value[e];
            moved += square * m->largest[m->out->body_of[A->index[e]]][m->out->part[A->index[e]]];
            length += square;
        }
        if (length > 0.0) sum += moved / (length * length);
    }
    return sum;
}

/* The arm of a ball at a contact; 0: the ground, negative: not of a ball. */
static double arm_of(const tp_body_problem *out, int body, double (*frame)[6], double (*of)[6])
{
    if (body == out->body_count) return 0.0;
    return out->rest[body][7] > 0.0 ? ball_arm(frame, of) : -1.0;
}

static void read_laws(void *context, int number, int worker)
{
    tp_body_maker *m = context;
    tp_body_chunk *own = &m->chunks[number];
    (void)worker;
    for (int i = number * TP_BODY_CHUNK; i < tp_body_chunk_end(number, m->problem->set_count); i++) {
        tp_body_law one;
        if (!is_suitable_set(m, i) || !tp_body_read_law(m, i, &one)) own->is_wrong = true;
        if (own->is_wrong) return;
        for (int r = 0; r < 3; r++) memcpy(m->out->geometry[i] + 3 * r, one.b[r], 3 * sizeof(double));
        m->pairs[i] = (tp_body_pair){.body_a = one.body_a, .body_b = one.body_b};
        if (!own->no_ball) {
            m->pairs[i].arm_a = arm_of(m->out, one.body_a, one.b, one.a);
            m->pairs[i].arm_b = arm_of(m->out, one.body_b, one.b, one.b);
            own->no_ball = m->pairs[i].arm_a < 0.0 || m->pairs[i].arm_b < 0.0;
        }
        own->inertia = add_inertia(m, i, own->inertia);
    }
}

/* Turns from the first contacts of bodies. */
static void find_turns(void *context, int number, int worker)
{
    tp_body_maker *m = context;
    tp_body_problem *out = m->out;
    (void)worker;
    for (int k = number * TP_BODY_CHUNK; k < tp_body_chunk_end(number, out->body_count); k++) {
        tp_body_law one;
        memset(out->turn[k], 0, sizeof out->turn[k]);
        if (m->first_of[k] < 0 || !tp_body_read_law(m, m->first_of[k], &one)) continue;
        const tp_body_pair *of = &m->pairs[m->first_of[k]];
        bool is_b = one.body_b == k;
        find_turn(one.b, is_b ? one.b : one.a, is_b ? of->arm_b : of->arm_a, out->turn[k]);
    }
}

static void check_balls(void *context, int number, int worker)
{
    tp_body_maker *m = context;
    const tp_body_problem *out = m->out;
    tp_body_chunk *own = &m->chunks[number];
    (void)worker;
    for (int i = number * TP_BODY_CHUNK;
         i < tp_body_chunk_end(number, m->problem->set_count) && !own->no_ball; i++) {
        tp_body_law one;
        const tp_body_pair *of = &m->pairs[i];
        bool agree = tp_body_read_law(m, i, &one) && agrees(one.b, one.b, of->arm_b, out->turn[one.body_b]);
        if (agree && one.body_a < out->body_count)
            agree = agrees(one.b, one.a, of->arm_a, out->turn[one.body_a]);
        own->no_ball = !agree;
    }
}

static bool has_no_ball(const tp_body_maker *m)
{
    bool none = false;
    for (int k = 0; k < tp_body_chunks(m->problem->set_count); k++) none = none || m->chunks[k].no_ball;
    return none;
}

/* The turns of all bodies from their first contacts, then all contacts against them. */
static tp_status find_balls(tp_body_maker *m, tp_pool *pool, tp_stack *stack)
{
    tp_body_problem *out = m->out;
    if (has_no_ball(m)) return TP_OK;
    out->turn = tp_stack_take(stack, (size_t)out->body_count, sizeof *out->turn);
    m->first_of = TP_STACK_ARRAY(stack, int, out->body_count + 1);
    if (stack->failed) return TP_OUT_OF_MEMORY;
    memset(m->first_of, 0xff, (size_t)out->body_count * sizeof *m->first_of); /* -1: none */
    for (int i = m->problem->set_count - 1; i >= 0; i--) {
        m->first_of[m->pairs[i].body_b] = i;
        m->first_of[m->pairs[i].body_a] = i; /* the ground has a place, too */
    }
    tp_pool_run(pool, tp_body_chunks(out->body_count), find_turns, m);
    tp_pool_run(pool, tp_body_chunks(m->problem->set_count), check_balls, m);
    out->are_balls = !has_no_ball(m);
    return TP_OK;
}

/* w of balls in world axes. */
static void turn_rest(void *context, int begin, int end)
{
    const tp_body_maker *m = context;
    tp_body_problem *out = m->out;
    for (int k = begin; k < end; k++) {
        double w[3], *to = out->rest[k] + 4;
        memcpy(w, to, sizeof w);
        for (int d = 0; d < 3; d++) to[d] = tp_dot3(out->turn[k] + 3 * d, w);
    }
}

static bool is_any_wrong(const tp_body_maker *m, int chunks)
{
    bool is_wrong = false;
    for (int k = 0; k < chunks; k++) is_wrong = is_wrong || m->chunks[k].is_wrong;
    return is_wrong;
}

/* Bodies and contacts are those of M and A. */
static tp_status prove(tp_body_maker *m, const tp_unknowns *unknowns, tp_pool *pool, tp_stack *stack)
{
    tp_body_problem *out = m->out;
    int chunks = tp_body_chunks(m->problem->set_count),
        body_chunks = (m->problem->x_count + TP_BODY_UNKNOWNS - 1) / TP_BODY_UNKNOWNS;
    TP_TRY(number_bodies(unknowns, m->data->x_count, stack, out));
    TP_TRY(tp_body_take(m, chunks > body_chunks ? chunks : body_chunks, stack));
    TP_TRY(take_proof(m, stack));
    tp_pool_run(pool, body_chunks, read_bodies, m);
    if (is_any_wrong(m, body_chunks)) return TP_UNSUPPORTED;
    tp_pool_run(pool, chunks, read_laws, m);
    if (is_any_wrong(m, chunks)) return TP_UNSUPPORTED;
    TP_TRY(find_balls(m, pool, stack));
    if (out->are_balls) {
        tp_pool_share(pool, out->body_count, TP_BODY_CHUNK, turn_rest, m);
        out->inertia = NULL;
    }
    return TP_OK;
}

tp_status tp_body_problem_make(const tp_problem *problem, const tp_unknowns *unknowns, tp_pool *pool,
                               tp_stack *stack, tp_body_problem *out)
{
    const tp_problem *data = unknowns->whole != NULL ? unknowns->whole : problem;
    bool are_known = unknowns->balls != NULL;
    *out = (tp_body_problem){.problem = problem, .contact_count = problem->set_count};
    if (!are_known && !is_suitable(problem, data)) return TP_UNSUPPORTED;
    if (unknowns->whole != NULL) out->number = unknowns->number;
    tp_body_maker m = {.problem = problem, .data = data, .row = unknowns->row, .out = out};
    TP_TRY(are_known ? tp_body_read_balls(&m, unknowns, pool, stack) : prove(&m, unknowns, pool, stack));
    TP_TRY(tp_body_order(&m, stack));
    return tp_body_fill(&m, pool, stack);
}
