/* An island as a problem of its own; theory/problems.md (23). */
#include "islands.h"

#include <string.h>

/* ---- one of them as a problem ---- */

/* Numbers that lead the block: the arrays that follow are told apart by them. */
enum { HEAD = 8 };

/* Rows of a set whose rows are not copied, or those of balls. */
enum { SET_ROWS = 3 };

typedef struct sizes {
    size_t x, rows, sets, M, A, Ct, blocks, values;
} sizes;

/* Entries of all rows of a set of balls. */
static size_t ball_entries(const tp_ball_rows *balls, int set)
{
    int index[TP_BALL_ENTRIES], count = 0;
    double value[TP_BALL_ENTRIES];
    for (int k = 0; k < SET_ROWS; k++) count += tp_ball_row(balls, set, k, index, value);
    return (size_t)count;
}

static size_t row_entries(const tp_sparse *matrix, const tp_set *set)
{
    return (size_t)(matrix->start[set->first + set->size] - matrix->start[set->first]);
}

static sizes measure(const tp_problem *problem, const tp_islands *islands, int island)
{
    const tp_block_matrix *D = &problem->D;
    sizes s = {.x = (size_t)(islands->x_start[island + 1] - islands->x_start[island]),
               .sets = (size_t)(islands->set_start[island + 1] - islands->set_start[island])};
    for (int k = islands->set_start[island]; k < islands->set_start[island + 1]; k++) {
        int i = islands->set[k];
        const tp_set *set = &problem->sets[i];
        s.rows += (size_t)set->size;
        if (islands->balls != NULL) {
            s.A += ball_entries(islands->balls, i);
            s.blocks++;
            s.values += SET_ROWS * SET_ROWS;
            continue;
        }
        if (problem->x_count > 0) s.A += row_entries(&problem->A, set);
        if (problem->x_count > 0 && !problem->is_mechanical) s.Ct += row_entries(&problem->Ct, set);
        s.blocks += (size_t)(D->start[i + 1] - D->start[i]);
        s.values += D->offset[D->start[i + 1]] - D->offset[D->start[i]];
    }
    for (int k = islands->x_start[island]; k < islands->x_start[island + 1]; k++)
        s.M += (size_t)(problem->M.start[islands->x[k] + 1] - problem->M.start[islands->x[k]]);
    return s;
}

/* Takes memory from a block that is long enough, in portions of 8 bytes; what rounds a portion up is zero, as
   it counts in comparisons. */
static void *portion(unsigned char **at, size_t count, size_t item)
{
    static const double zero = 0.0;
    void *memory = *at;
    if (count * item % 8 != 0) memcpy(*at + count * item / 8 * 8, &zero, 8);
    *at += (count * item + 7) / 8 * 8;
    return memory;
}

#define PORTION(at, type, count) ((type *)portion(at, (size_t)(count), sizeof(type)))

/* More than the portions take, with what rounds them up. */
static size_t block_bytes(const sizes *s)
{
    size_t doubles = s->M + s->A + s->Ct + s->values + 1 + s->x + 2 * s->rows + s->blocks + 1 + TP_ISLAND_KEY,
           ints = HEAD + s->M + s->A + s->Ct + s->x + 1 + 2 * (s->rows + 1) + s->blocks + 3 * s->sets + 2;
    return 8 * doubles + sizeof(tp_set) * s->sets + 4 * ints + 8 * 24;
}

size_t tp_islands_bytes(const tp_problem *p)
{
    const sizes all = {.x = (size_t)p->x_count,
                       .rows = (size_t)p->row_count,
                       .sets = (size_t)p->set_count,
                       .M = p->x_count > 0 ? (size_t)p->M.start[p->x_count] : 0,
                       .A = p->x_count > 0 ? (size_t)p->A.start[p->row_count] : 0,
                       .Ct = p->x_count > 0 && !p->is_mechanical ? (size_t)p->Ct.start[p->row_count] : 0,
                       .blocks = (size_t)p->D.block_count,
                       .values = p->D.offset[p->D.block_count]};
    const sizes none = {0};
    return block_bytes(&all) + all.sets * block_bytes(&none); /* an island has one set at least */
}

static tp_sparse take_sparse(unsigned char **at, int rows, int cols, size_t entries)
{
    return (tp_sparse){.rows = rows,
                       .cols = cols,
                       .start = PORTION(at, int, cols + 1),
                       .index = PORTION(at, int, entries),
                       .value = PORTION(at, double, entries)};
}

static void take_arrays(const tp_problem *problem, const sizes *s, tp_island *out)
{
    unsigned char *at = out->block;
    tp_problem *p = &out->problem;
    int x = (int)s->x, rows = (int)s->rows, sets = (int)s->sets, *head = PORTION(&at, int, HEAD);
    *p = (tp_problem){.x_count = x,
                      .row_count = rows,
                      .set_count = sets,
                      .is_mechanical = problem->is_mechanical,
                      .D_norm = -1.0};
    head[0] = x, head[1] = rows, head[2] = sets, head[3] = (int)s->M;
    head[4] = (int)s->A, head[5] = (int)s->Ct, head[6] = (int)s->blocks, head[7] = problem->is_mechanical;
    p->M = take_sparse(&at, x, x, s->M);
    p->A = take_sparse(&at, x, rows, s->A);
    p->Ct = problem->is_mechanical ? p->A : take_sparse(&at, x, rows, s->Ct);
    p->sets = PORTION(&at, tp_set, sets);
    p->f = PORTION(&at, double, x);
    p->b = PORTION(&at, double, rows);
    p->D = (tp_block_matrix){.block_rows = sets,
                             .block_count = (int)s->blocks,
                             .first = PORTION(&at, int, sets + 1),
                             .start = PORTION(&at, int, sets + 1),
                             .column = PORTION(&at, int, s->blocks),
                             .diagonal = PORTION(&at, int, sets),
                             .offset = PORTION(&at, size_t, s->blocks + 1),
                             .value = PORTION(&at, double, s->values + 1)};
    out->P = PORTION(&at, double, rows);
    out->key = PORTION(&at, double, TP_ISLAND_KEY);
    memset(out->key, 0, TP_ISLAND_KEY * sizeof(double));
    out->bytes = (size_t)(at - (unsigned char *)out->block);
}

/* Columns of A or Ct of the island's rows, with the unknowns renumbered. */
static void copy_rows(const tp_problem *problem, const tp_islands *islands, int island, const tp_sparse *from,
                      tp_sparse *to)
{
    int count = 0, column = 0;
    to->start[0] = 0;
    for (int k = islands->set_start[island]; k < islands->set_start[island + 1]; k++) {
        const tp_set *set = &problem->sets[islands->set[k]];
        for (int row = set->first; row < set->first + set->size; row++) {
            for (int e = from->start[row]; e < from->start[row + 1]; e++, count++) {
                to->index[count] = islands->x_place[from->index[e]];
                to->value[count] = from->value[e];
            }
            to->start[++column] = count;
        }
    }
}

/* The same from rows of balls. */
static void write_ball_rows(const tp_islands *islands, int island, tp_sparse *to)
{
    int count = 0, column = 0;
    to->start[0] = 0;
    for (int k = islands->set_start[island]; k < islands->set_start[island + 1]; k++) {
        for (int row = 0; row < SET_ROWS; row++) {
            int end = count +
                      tp_ball_row(islands->balls, islands->set[k], row, to->index + count, to->value + count);
            for (; count < end; count++) to->index[count] = islands->x_place[to->index[count]];
            to->start[++column] = count;
        }
    }
}

static void copy_inertia(const tp_problem *problem, const tp_islands *islands, int island, tp_problem *p)
{
    int count = 0;
    p->M.start[0] = 0;
    for (int c = 0; c < p->x_count; c++) {
        int j = islands->x[islands->x_start[island] + c];
        p->f[c] = problem->f[j];
        for (int k = problem->M.start[j]; k < problem->M.start[j + 1]; k++, count++) {
            p->M.index[count] = islands->x_place[problem->M.index[k]];
            p->M.value[count] = problem->M.value[k];
        }
        p->M.start[c + 1] = count;
    }
}

static void copy_blocks(const tp_problem *problem, const tp_islands *islands, int island, tp_problem *p)
{
    const tp_block_matrix *from = &problem->D;
    tp_block_matrix *to = &p->D;
    int count = 0;
    to->start[0] = 0;
    to->offset[0] = 0;
    for (int s = 0; s < p->set_count; s++) {
        to->diagonal[s] = 0;
        int i = islands->set[islands->set_start[island] + s];
        for (int k = from->start[i]; k < from->start[i + 1]; k++, count++) {
            size_t length = from->offset[k + 1] - from->offset[k];
            to->column[count] = islands->set_place[from->column[k]];
            if (to->column[count] == s) to->diagonal[s] = count;
            memcpy(to->value + to->offset[count], from->value + from->offset[k], length * sizeof(double));
            to->offset[count + 1] = to->offset[count] + length;
        }
        to->start[s + 1] = count;
    }
    to->value[to->offset[count]] = 0.0;
}

/* D = 0, a block for each set. */
static void write_zero_blocks(tp_problem *p)
{
    tp_block_matrix *D = &p->D;
    D->start[0] = 0;
    D->offset[0] = 0;
    for (int s = 0; s < p->set_count; s++) {
        D->diagonal[s] = D->column[s] = s;
        D->start[s + 1] = s + 1;
        D->offset[s + 1] = D->offset[s] + SET_ROWS * SET_ROWS;
    }
    memset(D->value, 0, (D->offset[p->set_count] + 1) * sizeof(double));
}

/* Sets with their rows and masters renumbered, b and the guess. */
static void copy_sets(const tp_problem *problem, const tp_islands *islands, int island, const double *P,
                      tp_island *out)
{
    tp_problem *p = &out->problem;
    int next = 0;
    p->D.uniform = p->set_count > 0 ? problem->sets[islands->set[islands->set_start[island]]].size : 0;
    for (int s = 0; s < p->set_count; s++) {
        const tp_set *set = &problem->sets[islands->set[islands->set_start[island] + s]];
        p->sets[s] = *set;
        p->sets[s].first = p->D.first[s] = next;
        if (set->size != p->D.uniform) p->D.uniform = 0;
        p->contact_count += set->kind == TP_SET_CONTACT || set->kind == TP_SET_CONE;
        for (int k = 0; k < set->size; k++, next++) {
            out->row[next] = set->first + k;
            p->b[next] = problem->b[set->first + k];
            out->P[next] = P[set->first + k];
        }
    }
    p->D.first[p->set_count] = next;
    for (int s = 0; s < p->set_count; s++) {
        tp_set *set = &p->sets[s];
        if (set->master_count == 0) continue;
        int owner = tp_set_of_row(problem, set->master);
        set->master += p->sets[islands->set_place[owner]].first - problem->sets[owner].first;
    }
}

tp_status tp_island_take(const tp_problem *problem, const tp_islands *islands, int island, const double *P,
                         tp_stack *stack, tp_island *out)
{
    sizes s = measure(problem, islands, island);
    *out = (tp_island){.row = TP_STACK_ARRAY(stack, int, s.rows),
                       .bytes = block_bytes(&s),
                       .block = tp_stack_take(stack, block_bytes(&s), 1)};
    if (stack->failed) return TP_OUT_OF_MEMORY;
    take_arrays(problem, &s, out);
    copy_inertia(problem, islands, island, &out->problem);
    copy_sets(problem, islands, island, P, out);
    if (islands->balls != NULL) {
        write_ball_rows(islands, island, &out->problem.A);
        write_zero_blocks(&out->problem);
        return TP_OK;
    }
    if (problem->x_count > 0) copy_rows(problem, islands, island, &problem->A, &out->problem.A);
    if (problem->x_count > 0 && !problem->is_mechanical)
        copy_rows(problem, islands, island, &problem->Ct, &out->problem.Ct);
    copy_blocks(problem, islands, island, &out->problem);
    return TP_OK;
}

/* ---- its sets alone ---- */

enum { SETS_OF_TASK = 1024 };

typedef struct set_copy {
    const tp_problem *problem;
    const int *set; /* of the island */
    const double *P;
    tp_island *out;
} set_copy;

static void copy_some_sets(void *context, int number, int worker)
{
    const set_copy *copy = context;
    tp_problem *p = &copy->out->problem;
    int end = (number + 1) * SETS_OF_TASK < p->set_count ? (number + 1) * SETS_OF_TASK : p->set_count;
    (void)worker;
    for (int s = number * SETS_OF_TASK; s < end; s++) {
        const tp_set *set = &copy->problem->sets[copy->set[s]];
        p->sets[s] = *set;
        p->sets[s].first = SET_ROWS * s;
        for (int k = 0; k < SET_ROWS; k++) {
            copy->out->row[SET_ROWS * s + k] = set->first + k;
            p->b[SET_ROWS * s + k] = copy->problem->b[set->first + k];
            copy->out->P[SET_ROWS * s + k] = copy->P[set->first + k];
        }
    }
}

tp_status tp_island_take_sets(const tp_problem *problem, const tp_islands *islands, int island,
                              const double *P, tp_pool *pool, tp_stack *stack, tp_island *out)
{
    int sets = islands->set_start[island + 1] - islands->set_start[island], rows = SET_ROWS * sets;
    *out = (tp_island){.P = TP_STACK_ARRAY(stack, double, rows), .row = TP_STACK_ARRAY(stack, int, rows)};
    out->problem = (tp_problem){.x_count = islands->x_start[island + 1] - islands->x_start[island],
                                .row_count = rows,
                                .set_count = sets,
                                .contact_count = sets,
                                .is_mechanical = problem->is_mechanical,
                                .D_norm = -1.0,
                                .sets = TP_STACK_ARRAY(stack, tp_set, sets),
                                .b = TP_STACK_ARRAY(stack, double, rows)};
    if (stack->failed) return TP_OUT_OF_MEMORY;
    set_copy copy = {problem, islands->set + islands->set_start[island], P, out};
    tp_pool_run(pool, (sets + SETS_OF_TASK - 1) / SETS_OF_TASK, copy_some_sets, &copy);
    return TP_OK;
}
