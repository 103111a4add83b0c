/* Bodies and contacts found in the data of a problem; theory/large-heaps.md (1)-(4). */
#include "body_problem.h"
#include "tolerances.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* Contacts that one task reads or fills, and unknowns of bodies. */
enum { CHUNK = 1024, UNKNOWNS = 6 * CHUNK };

/* One law, as it stands in A: its rows over the velocities and spins of both bodies. */
typedef struct law {
    double a[3][6], b[3][6];
    int body_a, body_b;
} law;

/* What is kept of it: bodies, and arms of balls; negative: of none. */
typedef struct pair {
    int body_a, body_b;
    double arm_a, arm_b;
} pair;

typedef struct chunk {
    double diagonal, square, inertia; /* of G: sums */
    bool is_wrong, no_ball;
} chunk;

typedef struct maker {
    const tp_problem *problem, *data; /* whose sets and b, whose M, A, f and D */
    const int *row;                   /* of the problem in the data; NULL: the same */
    tp_body_problem *out;
    pair *pairs;
    int *first_of;        /* [body_count] the first contact of a body */
    double (*largest)[6]; /* [body_count] entry in each row of M */
    chunk *chunks;
    double *c;
} maker;

static int chunk_count(int n)
{
    return (n + CHUNK - 1) / CHUNK;
}

static int chunk_end(int number, int n)
{
    return (number + 1) * CHUNK < n ? (number + 1) * CHUNK : n;
}

static double dot3(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross3(const double *a, const double *b, double *out)
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

/* ---- what a problem must be ---- */

static bool is_suitable(const tp_problem *problem, const tp_problem *data)
{
    return problem->x_count > 0 && data->is_mechanical && data->D.uniform == 3 &&
           data->D.block_count == data->set_count;
}

static int row_of(const maker *m, int row)
{
    return m->row != NULL ? m->row[row] : row;
}

/* A spatial contact with a disc, and D = 0. */
static bool is_suitable_set(const maker *m, int i)
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

static int number_of(const tp_body_problem *out, int j)
{
    return out->number != NULL ? out->number[j] : j;
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
        int number = (unknowns->number != NULL ? unknowns->number[j] : j) - offset, at = number_of(out, j);
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

static void apply_inertia(const double *inverse, const double *h, double *out)
{
    out[0] = inverse[0] * h[0] + inverse[1] * h[1] + inverse[2] * h[2];
    out[1] = inverse[1] * h[0] + inverse[3] * h[1] + inverse[4] * h[2];
    out[2] = inverse[2] * h[0] + inverse[4] * h[1] + inverse[5] * h[2];
}

/* Mass and inertia of the body whose unknowns are begin ... end - 1; false: M is not that of a rigid body. */
static bool read_body(const maker *m, int body, int begin, int end)
{
    tp_body_problem *out = m->out;
    const tp_sparse *M = &m->data->M;
    double mass = 0.0, J[9] = {0.0}, h[3] = {0.0}, ball = 0.0, *largest = m->largest[body];
    bool is_ball = true;
    memset(largest, 0, sizeof m->largest[body]);
    for (int k = begin; k < end; k++) {
        int j = number_of(out, k), p = out->part[j];
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
    apply_inertia(out->inertia[body], h, out->rest[body] + 4);
    out->rest[body][3] = 1.0 / mass;
    out->rest[body][7] = is_ball && ball > 0.0 ? 1.0 / ball : 0.0;
    return true;
}

/* Bodies whose first unknown is in a range of them. */
static void read_bodies(void *context, int number, int worker)
{
    const maker *m = context;
    const tp_body_problem *out = m->out;
    int n = out->problem->x_count, begin = number * UNKNOWNS,
        last = (number + 1) * UNKNOWNS < n ? (number + 1) * UNKNOWNS : n;
    (void)worker;
    while (begin > 0 && begin < last &&
           out->body_of[number_of(out, begin)] == out->body_of[number_of(out, begin - 1)])
        begin++;
    for (int end; begin < last; begin = end) {
        int body = out->body_of[number_of(out, begin)];
        for (end = begin + 1; end < n && out->body_of[number_of(out, end)] == body; end++) {
        }
        m->chunks[number].is_wrong = m->chunks[number].is_wrong || !read_body(m, body, begin, end);
    }
}

static tp_status take_bodies(maker *m, tp_stack *stack)
{
    tp_body_problem *out = m->out;
    size_t count = (size_t)out->body_count + 1;
    out->motion = tp_stack_take(stack, count, sizeof *out->motion);
    out->before = tp_stack_take(stack, count, sizeof *out->before);
    out->rest = tp_stack_take(stack, count, sizeof *out->rest);
    out->inertia = tp_stack_take(stack, count, sizeof *out->inertia);
    m->largest = tp_stack_take(stack, count, sizeof *m->largest);
    if (stack->failed) return TP_OUT_OF_MEMORY;
    memset(out->rest, 0, count * sizeof *out->rest);
    memset(out->inertia, 0, count * sizeof *out->inertia);
    return TP_OK;
}

/* ---- contacts ---- */

/* The first body that a law touches is b; false: it touches three, or not as a contact of two bodies does. */
static bool read_law(const maker *m, int i, law *out)
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
    double arm = sqrt(dot3(first, first)), allowed = tp_same_direction * arm;
    if (!(arm > 0.0) || sqrt(dot3(normal, normal)) > allowed) return -1.0;
    if (fabs(sqrt(dot3(second, second)) - arm) > allowed) return -1.0;
    for (int k = 0; k < 3; k++) { /* an orthonormal frame */
        if (fabs(dot3(frame[k], frame[k]) - 1.0) > tp_same_direction) return -1.0;
        if (fabs(dot3(frame[k], frame[(k + 1) % 3])) > tp_same_direction) return -1.0;
    }
    return arm;
}

/* The turn R that makes -arm n x e of the spins: R^T takes n x t1 to -S_1/arm, n x t2 to -S_2/arm; row by
   row. */
static void find_turn(double (*frame)[6], double (*of)[6], double arm, double *turn)
{
    double world[9], own[9];
    for (int k = 0; k < 2; k++) {
        cross3(frame[0], frame[k + 1], world + 3 * k);
        for (int d = 0; d < 3; d++) own[3 * k + d] = -of[k + 1][3 + d] / arm;
    }
    cross3(world, world + 3, world + 6);
    cross3(own, own + 3, own + 6);
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
        cross3(frame[0], frame[k], world);
        for (int d = 0; d < 3; d++) {
            double turned = turn[d] * world[0] + turn[3 + d] * world[1] + turn[6 + d] * world[2];
            if (fabs(of[k][3 + d] + arm * turned) > 8.0 * size) return false;
        }
    }
    return true;
}

/* A sum with what the rows of a law move, as tp_problem_inertia. */
static double add_inertia(const maker *m, int i, double sum)
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
    maker *m = context;
    chunk *own = &m->chunks[number];
    (void)worker;
    for (int i = number * CHUNK; i < chunk_end(number, m->problem->set_count); i++) {
        law one;
        if (!is_suitable_set(m, i) || !read_law(m, i, &one)) own->is_wrong = true;
        if (own->is_wrong) return;
        for (int r = 0; r < 3; r++) memcpy(m->out->geometry[i] + 3 * r, one.b[r], 3 * sizeof(double));
        m->pairs[i] = (pair){.body_a = one.body_a, .body_b = one.body_b};
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
    maker *m = context;
    tp_body_problem *out = m->out;
    (void)worker;
    for (int k = number * CHUNK; k < chunk_end(number, out->body_count); k++) {
        law one;
        memset(out->turn[k], 0, sizeof out->turn[k]);
        if (m->first_of[k] < 0 || !read_law(m, m->first_of[k], &one)) continue;
        const pair *of = &m->pairs[m->first_of[k]];
        bool is_b = one.body_b == k;
        find_turn(one.b, is_b ? one.b : one.a, is_b ? of->arm_b : of->arm_a, out->turn[k]);
    }
}

static void check_balls(void *context, int number, int worker)
{
    maker *m = context;
    const tp_body_problem *out = m->out;
    chunk *own = &m->chunks[number];
    (void)worker;
    for (int i = number * CHUNK; i < chunk_end(number, m->problem->set_count) && !own->no_ball; i++) {
        law one;
        const pair *of = &m->pairs[i];
        bool agree = read_law(m, i, &one) && agrees(one.b, one.b, of->arm_b, out->turn[one.body_b]);
        if (agree && one.body_a < out->body_count)
            agree = agrees(one.b, one.a, of->arm_a, out->turn[one.body_a]);
        own->no_ball = !agree;
    }
}

static bool has_no_ball(const maker *m)
{
    bool none = false;
    for (int k = 0; k < chunk_count(m->problem->set_count); k++) none = none || m->chunks[k].no_ball;
    return none;
}

/* The turns of all bodies from their first contacts, then all contacts against them. */
static tp_status find_balls(maker *m, tp_pool *pool, tp_stack *stack)
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
    tp_pool_run(pool, chunk_count(out->body_count), find_turns, m);
    tp_pool_run(pool, chunk_count(m->problem->set_count), check_balls, m);
    out->are_balls = !has_no_ball(m);
    return TP_OK;
}

/* w of balls in world axes. */
static void turn_rest(void *context, int begin, int end)
{
    const maker *m = context;
    tp_body_problem *out = m->out;
    for (int k = begin; k < end; k++) {
        double w[3], *to = out->rest[k] + 4;
        memcpy(w, to, sizeof w);
        for (int d = 0; d < 3; d++) to[d] = dot3(out->turn[k] + 3 * d, w);
    }
}

/* ---- order ---- */

enum { COLOURS = 64, GROUPS_OF_TASK = 32, CONTACTS_OF_TASK = 64 };

/* Lowest colour that neither body has; COLOURS: none is left. */
static int choose_colour(uint64_t *used, int ground, int a, int b)
{
    uint64_t mask = used[b] | (a != ground ? used[a] : 0);
    if (~mask == 0) return COLOURS;
    int colour = __builtin_ctzll(~mask);
    used[b] |= 1ull << colour;
    if (a != ground) used[a] |= 1ull << colour;
    return colour;
}

static bool same_pair(const pair *k, const pair *l)
{
    return k->body_a == l->body_a && k->body_b == l->body_b;
}

/* Contacts of a colour share no moving body. Those of one pair stay together, except for balls, whose
   contacts are visited side by side. */
static void colour_laws(const maker *m, uint64_t *used, unsigned char *colour)
{
    int ground = m->out->body_count;
    memset(used, 0, (size_t)ground * sizeof *used);
    for (int i = 0; i < m->problem->set_count; i++) {
        const pair *l = &m->pairs[i];
        bool follows = !m->out->are_balls && i > 0 && same_pair(l, l - 1);
        colour[i] =
            follows ? colour[i - 1] : (unsigned char)choose_colour(used, ground, l->body_a, l->body_b);
    }
}

/* Groups of a phase of balls: the last phase, whose contacts may share bodies, has one contact in each. */
static int groups_of(int colour, int contacts)
{
    return colour == COLOURS ? contacts : (contacts + TP_LANES - 1) / TP_LANES;
}

/* Tasks of one phase; item: groups, or contacts, which end where a pair ends. */
static void cut_tasks(tp_body_problem *out, const maker *m, const int *order, int begin, int end, bool serial)
{
    int step = out->are_balls ? GROUPS_OF_TASK : CONTACTS_OF_TASK;
    out->phase[++out->phase_count] = out->task_count;
    for (int at = begin; at < end;) {
        int next = serial || at + step > end ? end : at + step;
        while (!out->are_balls && next < end && same_pair(&m->pairs[order[next]], &m->pairs[order[next - 1]]))
            next++;
        out->task[++out->task_count] = next;
        at = next;
    }
    out->phase[out->phase_count] = out->task_count;
}

static tp_status order_contacts(maker *m, tp_stack *stack)
{
    tp_body_problem *out = m->out;
    int n = m->problem->set_count, start[COLOURS + 2] = {0}, fill[COLOURS + 1];
    size_t tasks = (size_t)n / (out->are_balls ? GROUPS_OF_TASK : CONTACTS_OF_TASK) + COLOURS + 2;
    out->place = TP_STACK_ARRAY(stack, int, n);
    out->phase = TP_STACK_ARRAY(stack, int, COLOURS + 2);
    out->task = TP_STACK_ARRAY(stack, int, tasks);
    tp_stack_mark mark = tp_stack_mark_now(stack);
    uint64_t *used = TP_STACK_ARRAY(stack, uint64_t, out->body_count);
    unsigned char *colour = TP_STACK_ARRAY(stack, unsigned char, n);
    int *order = TP_STACK_ARRAY(stack, int, n);
    if (stack->failed) return TP_OUT_OF_MEMORY;
    colour_laws(m, used, colour);
    for (int i = 0; i < n; i++) start[colour[i] + 1]++;
    for (int k = 0; k <= COLOURS; k++) {
        start[k + 1] += start[k];
        fill[k] = start[k];
    }
    for (int i = 0; i < n; i++) order[fill[colour[i]]++] = i;
    out->phase[0] = out->task[0] = out->phase_count = out->task_count = out->group_count = 0;
    for (int k = 0; k <= COLOURS; k++) {
        int count = start[k + 1] - start[k], first = out->group_count;
        if (count == 0) continue;
        for (int c = 0; c < count; c++) {
            int item = out->are_balls ? TP_LANES * first + (k == COLOURS ? TP_LANES * c : c) : start[k] + c;
            out->place[order[start[k] + c]] = item;
        }
        out->group_count += groups_of(k, count);
        if (out->are_balls)
            cut_tasks(out, m, order, first, out->group_count, k == COLOURS);
        else
            cut_tasks(out, m, order, start[k], start[k + 1], k == COLOURS);
    }
    tp_stack_release(stack, mark);
    return TP_OK;
}

/* ---- rows ---- */

static void add_to_block(const double *inverse, const double *spin, double *D)
{
    for (int r = 0, k = 0; r < 3; r++) {
        double y[3];
        apply_inertia(inverse, spin + 3 * r, y);
        for (int s = r; s < 3; s++) D[k++] += dot3(spin + 3 * s, y);
    }
}

static void fill_contact(const maker *m, int i, chunk *sums)
{
    law one;
    const law *l = &one;
    const tp_body_problem *out = m->out;
    (void)read_law(m, i, &one); /* it could be read before */
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
        for (int s = r; s < 3; s++) c->D[k++] = mobility * dot3(l->b[r], l->b[s]);
    }
    if (l->body_a < out->body_count) add_to_block(out->inertia[l->body_a], c->spin_a, c->D);
    add_to_block(out->inertia[l->body_b], c->spin_b, c->D);
    sums->diagonal += c->D[0] + c->D[3] + c->D[5];
    for (int k = 0; k < 6; k++) sums->square += (k == 0 || k == 3 || k == 5 ? 1.0 : 2.0) * c->D[k] * c->D[k];
}

static void fill_ball(const maker *m, int i, chunk *sums)
{
    const pair *l = &m->pairs[i];
    const tp_body_problem *out = m->out;
    tp_ball_group *g = &out->groups[out->place[i] / TP_LANES];
    int lane = out->place[i] % TP_LANES;
    const double *b = m->problem->b + 3 * i, *frame = out->geometry[i];
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

static void fill_laws(void *context, int number, int worker)
{
    maker *m = context;
    (void)worker;
    for (int i = number * CHUNK; i < chunk_end(number, m->problem->set_count); i++) {
        if (m->out->are_balls)
            fill_ball(m, i, &m->chunks[number]);
        else
            fill_contact(m, i, &m->chunks[number]);
        double P[3];
        tp_body_contact_state(m->out, i, P, m->c + 3 * (size_t)i);
    }
}

static tp_status fill(maker *m, tp_pool *pool, tp_stack *stack)
{
    tp_body_problem *out = m->out;
    int n = m->problem->set_count, chunks = chunk_count(n), ground = out->body_count;
    m->c = TP_STACK_ARRAY(stack, double, m->problem->row_count);
    if (out->are_balls)
        out->groups = TP_STACK_ARRAY(stack, tp_ball_group, out->group_count);
    else
        out->contacts = TP_STACK_ARRAY(stack, tp_body_contact, n);
    if (stack->failed) return TP_OUT_OF_MEMORY;
    for (int k = 0; k < out->group_count && out->are_balls; k++) {
        out->groups[k] = (tp_ball_group){0};
        for (int lane = 0; lane < TP_LANES; lane++)
            out->groups[k].body_a[lane] = out->groups[k].body_b[lane] = ground;
    }
    memcpy(out->motion, out->rest, (size_t)(ground + 1) * sizeof *out->motion);
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

static bool is_any_wrong(const maker *m, int chunks)
{
    bool is_wrong = false;
    for (int k = 0; k < chunks; k++) is_wrong = is_wrong || m->chunks[k].is_wrong;
    return is_wrong;
}

tp_status tp_body_problem_make(const tp_problem *problem, const tp_unknowns *unknowns, tp_pool *pool,
                               tp_stack *stack, tp_body_problem *out)
{
    const tp_problem *data = unknowns->whole != NULL ? unknowns->whole : problem;
    *out = (tp_body_problem){.problem = problem, .contact_count = problem->set_count};
    if (!is_suitable(problem, data)) return TP_UNSUPPORTED;
    if (unknowns->whole != NULL) out->number = unknowns->number;
    TP_TRY(number_bodies(unknowns, data->x_count, stack, out));
    int n = problem->set_count, chunks = chunk_count(n),
        body_chunks = (problem->x_count + UNKNOWNS - 1) / UNKNOWNS,
        most = chunks > body_chunks ? chunks : body_chunks;
    maker m = {.problem = problem,
               .data = data,
               .row = unknowns->row,
               .out = out,
               .pairs = TP_STACK_ARRAY(stack, pair, n),
               .chunks = TP_STACK_ARRAY(stack, chunk, most)};
    out->geometry = tp_stack_take(stack, (size_t)n, sizeof *out->geometry);
    TP_TRY(take_bodies(&m, stack));
    memset(m.chunks, 0, (size_t)most * sizeof *m.chunks);
    tp_pool_run(pool, body_chunks, read_bodies, &m);
    if (is_any_wrong(&m, body_chunks)) return TP_UNSUPPORTED;
    tp_pool_run(pool, chunks, read_laws, &m);
    if (is_any_wrong(&m, chunks)) return TP_UNSUPPORTED;
    TP_TRY(find_balls(&m, pool, stack));
    if (out->are_balls) {
        tp_pool_share(pool, out->body_count, CHUNK, turn_rest, &m);
        out->inertia = NULL;
    }
    TP_TRY(order_contacts(&m, stack));
    return fill(&m, pool, stack);
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
    (void)worker;
    for (int i = number * CHUNK; i < chunk_end(number, bodies->contact_count); i++) {
        const double *P = t->from + 3 * (size_t)i, *E = bodies->geometry[i];
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
    tp_pool_run(pool, chunk_count(bodies->contact_count), load_chunk, &t);
}

static void ball_state(const tp_body_problem *bodies, int set, double *P_out, double *xi_out)
{
    int place = bodies->place[set], l = place % TP_LANES;
    const tp_ball_group *g = &bodies->groups[place / TP_LANES];
    const double *A = bodies->motion[g->body_a[l]], *B = bodies->motion[g->body_b[l]],
                 *E = bodies->geometry[set];
    double s[3], n[3] = {g->n[0][l], g->n[1][l], g->n[2][l]}, turned[3], u[3], P[3];
    for (int d = 0; d < 3; d++) s[d] = g->arm_b[l] * B[4 + d] + g->arm_a[l] * A[4 + d];
    cross3(s, n, turned);
    for (int d = 0; d < 3; d++) {
        u[d] = B[d] - A[d] - turned[d] + g->b[d][l];
        P[d] = g->P[d][l];
    }
    for (int k = 0; k < 3; k++) {
        P_out[k] = dot3(E + 3 * k, P);
        xi_out[k] = dot3(E + 3 * k, u);
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
        xi_out[k] = dot3(c->frame + 3 * k, v) + dot3(c->spin_a + 3 * k, A + 4) +
                    dot3(c->spin_b + 3 * k, B + 4) + c->b[k];
    }
}

static void fetch_chunk(void *context, int number, int worker)
{
    const transfer *t = context;
    (void)worker;
    for (int i = number * CHUNK; i < chunk_end(number, t->bodies->contact_count); i++) {
        double P[3], xi[3];
        tp_body_contact_state(t->bodies, i, P, xi);
        if (t->P != NULL) memcpy(t->P + 3 * (size_t)i, P, sizeof P);
        if (t->xi != NULL) memcpy(t->xi + 3 * (size_t)i, xi, sizeof xi);
    }
}

static void fetch_unknowns(void *context, int begin, int end)
{
    const transfer *t = context;
    const tp_body_problem *bodies = t->bodies;
    for (int j = begin; j < end; j++) {
        int at = number_of(bodies, j), part = bodies->part[at];
        const double *motion = bodies->motion[bodies->body_of[at]];
        if (part < 3 || !bodies->are_balls) {
            t->x[j] = motion[part < 3 ? part : part + 1];
        } else {
            const double *turn = bodies->turn[bodies->body_of[at]];
            t->x[j] = turn[part - 3] * motion[4] + turn[part] * motion[5] + turn[part + 3] * motion[6];
        }
    }
}

void tp_body_problem_fetch(const tp_body_problem *bodies, tp_pool *pool, double *P, double *xi, double *x)
{
    transfer t = {.bodies = bodies, .P = P, .xi = xi, .x = x};
    if (P != NULL || xi != NULL) tp_pool_run(pool, chunk_count(bodies->contact_count), fetch_chunk, &t);
    if (x != NULL) tp_pool_share(pool, bodies->problem->x_count, UNKNOWNS, fetch_unknowns, &t);
}
