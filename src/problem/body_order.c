/* Colours of the contacts of bodies, and the tasks of a sweep; theory/large-heaps.md, "Order and threads". */
#include "body_maker.h"

#include <stdint.h>
#include <string.h>

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

static bool same_pair(const tp_body_pair *k, const tp_body_pair *l)
{
    return k->body_a == l->body_a && k->body_b == l->body_b;
}

/* Contacts of a colour share no moving body. Those of one pair stay together, except for balls, whose
   contacts are visited side by side. */
static void colour_laws(const tp_body_maker *m, uint64_t *used, unsigned char *colour)
{
    int ground = m->out->body_count;
    memset(used, 0, (size_t)ground * sizeof *used);
    for (int i = 0; i < m->problem->set_count; i++) {
        const tp_body_pair *l = &m->pairs[i];
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
static void cut_tasks(tp_body_problem *out, const tp_body_maker *m, const int *order, int begin, int end,
                      bool serial)
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

tp_status tp_body_order(tp_body_maker *m, tp_stack *stack)
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
