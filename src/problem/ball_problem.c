/* Bodies and contacts of balls whose rows are known: nothing is to be proven; theory/large-heaps.md (3), (4).
 */
#include "body_maker.h"

#include <math.h>
#include <string.h>

typedef struct reading {
    tp_body_maker *maker;
    const tp_ball_rows *rows;
} reading;

/* Masses of a range of bodies, and their motion where no contact acts. */
static void read_bodies(void *context, int begin, int end)
{
    const reading *all = context;
    const tp_problem *data = all->maker->data;
    tp_body_problem *out = all->maker->out;
    for (int k = begin; k < end; k++) {
        int body = tp_body_number(out, 6 * k) / 6, first = 6 * body;
        double *rest = out->rest[k], spin[3], mass = data->M.value[data->M.start[first]],
               inverse = 1.0 / data->M.value[data->M.start[first + 3]];
        for (int d = 0; d < 3; d++) {
            rest[d] = data->f[first + d] / mass;
            spin[d] = inverse * data->f[first + 3 + d];
        }
        rest[3] = 1.0 / mass;
        rest[7] = inverse;
        tp_ball_to_world(all->rows->turn[body], spin, rest + 4);
        all->maker->local[body] = k;
    }
}

/* What the three rows of a contact move, as tp_problem_inertia. */
static double inertia_of(const tp_body_problem *out, const tp_body_pair *pair)
{
    int bodies[2] = {pair->body_a, pair->body_b};
    double arms[2] = {pair->arm_a, pair->arm_b}, mass = 0.0, turning = 0.0, count = 0.0, length = 0.0;
    for (int s = 0; s < 2; s++) {
        if (bodies[s] == out->body_count) continue;
        mass += 1.0 / out->rest[bodies[s]][3];
        turning += arms[s] * arms[s] / out->rest[bodies[s]][7];
        length += arms[s] * arms[s];
        count += 1.0;
    }
    return mass / (count * count) + 2.0 * (mass + turning) / ((count + length) * (count + length));
}

static void read_contacts(void *context, int number, int worker)
{
    const reading *all = context;
    const tp_body_maker *m = all->maker;
    const int *set = m->out->set;
    (void)worker;
    for (int i = number * TP_BODY_CHUNK; i < tp_body_chunk_end(number, m->problem->set_count); i++) {
        const tp_ball_contact *c = &all->rows->contact[set != NULL ? set[i] : i];
        m->pairs[i] = (tp_body_pair){.body_a = c->body_a < 0 ? m->out->body_count : m->local[c->body_a],
                                     .body_b = m->local[c->body_b],
                                     .arm_a = c->arm_a,
                                     .arm_b = c->arm_b};
        m->chunks[number].inertia += inertia_of(m->out, &m->pairs[i]);
    }
}

tp_status tp_body_read_balls(tp_body_maker *m, const tp_unknowns *unknowns, tp_pool *pool, tp_stack *stack)
{
    tp_body_problem *out = m->out;
    int chunks = tp_body_chunks(m->problem->set_count);
    reading all = {m, unknowns->balls};
    out->balls = unknowns->balls;
    out->set = unknowns->set;
    out->are_balls = true;
    out->body_count = m->problem->x_count / 6;
    TP_TRY(tp_body_take(m, chunks, stack));
    m->local = TP_STACK_ARRAY(stack, int, unknowns->balls->body_count);
    if (stack->failed) return TP_OUT_OF_MEMORY;
    tp_pool_share(pool, out->body_count, TP_BODY_CHUNK, read_bodies, &all);
    tp_pool_run(pool, chunks, read_contacts, &all);
    return TP_OK;
}
