/* A one-step problem with several unknowns for each velocity. */
#include "block_problem.h"

static tp_problem_sizes measure(const tp_system *system, int block_count, int (*set_count)(const tp_law *law))
{
    tp_problem_sizes all = {0};
    for (int i = 0; i < system->law_count; i++) {
        const tp_law *law = tp_system_law(system, i);
        size_t times = (size_t)set_count(law), size = (size_t)law->row_count;
        all.sets += times;
        all.rows += times * size;
        all.blocks += times * size * size;
        all.entries += times * size * (size_t)block_count * (size_t)tp_system_law_column_count(system, i);
    }
    return all;
}

tp_status tp_block_problem_create(tp_arena *arena, tp_system *system, int block_count,
                                  int (*set_count)(const tp_law *law), tp_block_problem **problem_out)
{
    tp_block_problem *own = TP_ARENA_ARRAY(arena, tp_block_problem, 1);
    *problem_out = own;
    if (own == NULL) return TP_OUT_OF_MEMORY;
    tp_problem_sizes all = measure(system, block_count, set_count);
    own->m = system->u_count;
    own->block_count = block_count;
    own->row_capacity = (int)all.rows;
    own->set_capacity = (int)all.sets;
    own->problem.x_count = block_count * own->m;
    TP_TRY(tp_system_find_step_pattern(arena, system, &own->pattern));
    all.matrix = (size_t)(block_count * block_count) * (size_t)tp_sparse_count(&own->pattern);
    own->force_place = tp_pattern_places(arena, &system->jacobian_pattern, &own->pattern);
    own->mass_place = tp_pattern_places(arena, &system->mass_pattern, &own->pattern);
    own->x = TP_ARENA_ARRAY(arena, double, own->problem.x_count);
    own->P = TP_ARENA_ARRAY(arena, double, all.rows);
    TP_TRY(tp_problem_take(arena, &all, &own->problem));
    own->problem.Ct = tp_problem_take_sparse(arena, all.rows, all.entries);
    return tp_arena_status(arena);
}

int tp_block_problem_add_set(tp_block_problem *own, const tp_set *set, const double *P0)
{
    tp_problem *p = &own->problem;
    int first = tp_problem_append(p, set);
    for (int k = first; k < p->row_count; k++) {
        own->P[k] = P0 != NULL ? P0[k - first] : 0.0;
        p->b[k] = 0.0;
        p->A.start[k + 1] = p->Ct.start[k + 1] = 0;
    }
    return first;
}

void tp_block_problem_switch(tp_block_problem *own, int i, const tp_set *set, bool is_on)
{
    tp_problem *p = &own->problem;
    int first = p->sets[i].first;
    p->contact_count -= p->sets[i].kind == TP_SET_CONTACT;
    p->sets[i] = is_on ? *set : tp_set_zero(set->size);
    p->sets[i].first = first;
    p->contact_count += p->sets[i].kind == TP_SET_CONTACT;
}

void tp_block_problem_leave_out(tp_block_problem *own, int first, int k, double value)
{
    const tp_problem *p = &own->problem;
    for (int i = p->set_count - 1; i >= 0; i--) { /* one of the last */
        if (p->sets[i].first != first) continue;
        p->D.value[p->D.offset[i] + (size_t)(k * (p->sets[i].size + 1))] = value;
        return;
    }
}

/* Appends a column of a block, zeros left out; returns the number of entries. */
static int append(const tp_block_problem *own, const tp_block *block, int j, tp_sparse *out, int count)
{
    const tp_sparse *pattern = block->pattern != NULL ? block->pattern : &own->pattern;
    for (int k = pattern->start[j]; k < pattern->start[j + 1]; k++) {
        if (block->values[k] == 0.0) continue;
        out->index[count] = block->row * own->m + pattern->index[k];
        out->value[count++] = block->factor * block->values[k];
    }
    return count;
}

void tp_block_problem_set_matrix(tp_block_problem *own, const tp_block *blocks, int count)
{
    tp_sparse *out = &own->problem.M;
    int entries = 0, n = own->problem.x_count;
    out->rows = out->cols = n;
    for (int column = 0; column < n; column++) {
        out->start[column] = entries;
        for (int k = 0; k < count; k++) {
            if (blocks[k].column == column / own->m && blocks[k].values != NULL)
                entries = append(own, &blocks[k], column % own->m, out, entries);
        }
    }
    out->start[n] = entries;
}

static void put_column(tp_sparse *matrix, int row, const tp_block_problem *own, const tp_block_column *column)
{
    int place = matrix->start[row];
    for (int part = 0; part < own->block_count; part++) {
        const double *value = column->in[part], factor = column->factor[part];
        for (int k = 0; k < column->count && value != NULL; k++) {
            if (value[k] == 0.0 || factor == 0.0) continue;
            matrix->index[place] = part * own->m + column->columns[k];
            matrix->value[place++] = factor * value[k];
        }
    }
    matrix->start[row + 1] = place;
}

void tp_block_problem_put_row(tp_block_problem *own, int row, const tp_block_column *A,
                              const tp_block_column *Ct)
{
    put_column(&own->problem.A, row, own, A);
    put_column(&own->problem.Ct, row, own, Ct);
}
