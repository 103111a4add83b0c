/* The linearised problem of a consistent step; theory/consistent.md (20). */
#include "consistent_problem.h"

#include <string.h>

/* Joints and other constraints count twice. */
static tp_problem_sizes measure(const tp_system *system)
{
    tp_problem_sizes all = {0};
    for (int i = 0; i < system->law_count; i++) {
        const tp_law *law = tp_system_law(system, i);
        size_t times = law->set.kind == TP_SET_FREE ? 2 : 1, size = (size_t)law->row_count;
        all.sets += times;
        all.rows += times * size;
        all.blocks += times * size * size;
        all.entries += times * size * 2 * (size_t)tp_system_law_column_count(system, i);
    }
    return all;
}

tp_status tp_consistent_problem_create(tp_arena *arena, tp_system *system,
                                       tp_consistent_problem **problem_out)
{
    tp_consistent_problem *own = TP_ARENA_ARRAY(arena, tp_consistent_problem, 1);
    *problem_out = own;
    if (own == NULL) return TP_OUT_OF_MEMORY;
    tp_problem_sizes all = measure(system);
    own->m = system->u_count;
    own->row_capacity = (int)all.rows;
    own->problem.x_count = 2 * own->m;
    TP_TRY(tp_system_find_step_pattern(arena, system, &own->pattern));
    all.matrix = 4 * (size_t)tp_sparse_count(&own->pattern);
    own->force_place = tp_pattern_places(arena, &system->jacobian_pattern, &own->pattern);
    own->mass_place = tp_pattern_places(arena, &system->mass_pattern, &own->pattern);
    own->x = TP_ARENA_ARRAY(arena, double, 2 * own->m);
    own->P = TP_ARENA_ARRAY(arena, double, all.rows);
    TP_TRY(tp_problem_take(arena, &all, &own->problem));
    own->problem.Ct = tp_problem_take_sparse(arena, all.rows, all.entries);
    return tp_arena_status(arena);
}

int tp_consistent_problem_add_set(tp_consistent_problem *own, const tp_set *set, const double *P0)
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

void tp_consistent_problem_leave_out(tp_consistent_problem *own, int first, int k, double value)
{
    const tp_problem *p = &own->problem;
    for (int i = p->set_count - 1; i >= 0; i--) { /* one of the last two */
        if (p->sets[i].first != first) continue;
        p->D.value[p->D.offset[i] + (size_t)(k * (p->sets[i].size + 1))] = value;
        return;
    }
}

/* Appends a column of a block that is values in a pattern, zeros left out; returns the number of entries. */
static int append(const tp_sparse *pattern, int j, int first_row, double factor, const double *value,
                  tp_sparse *out, int count)
{
    for (int k = pattern->start[j]; k < pattern->start[j + 1]; k++) {
        if (value[k] == 0.0) continue;
        out->index[count] = first_row + pattern->index[k];
        out->value[count++] = factor * value[k];
    }
    return count;
}

void tp_consistent_problem_set_matrix(tp_consistent_problem *own, const tp_system *system,
                                      const tp_consistent_blocks *blocks)
{
    tp_sparse *out = &own->problem.M;
    const tp_sparse *mass = &system->mass_pattern;
    int m = own->m, count = 0;
    out->rows = out->cols = 2 * m;
    for (int k = 0; k < tp_sparse_count(mass) && blocks->second_by_a != NULL; k++)
        blocks->second_by_a[own->mass_place[k]] += blocks->second_a * blocks->M[k];
    for (int j = 0; j < m; j++) {
        out->start[j] = count;
        count = append(&own->pattern, j, 0, 1.0, blocks->by_a, out, count);
        if (blocks->second_by_a != NULL)
            count = append(&own->pattern, j, m, 1.0, blocks->second_by_a, out, count);
        else
            count = append(mass, j, m, blocks->second_a, blocks->M, out, count);
    }
    for (int j = 0; j < m; j++) {
        out->start[m + j] = count;
        count = append(&own->pattern, j, 0, 1.0, blocks->by_c, out, count);
        if (blocks->second_by_c != NULL)
            count = append(&own->pattern, j, m, 1.0, blocks->second_by_c, out, count);
        else if (blocks->second_c != 0.0)
            count = append(mass, j, m, blocks->second_c, blocks->M, out, count);
    }
    out->start[2 * m] = count;
}

static void put_column(tp_sparse *matrix, int row, int m, const tp_consistent_column *column)
{
    int place = matrix->start[row];
    for (int part = 0; part < 2; part++) {
        const double *value = part == 0 ? column->in_a : column->in_c;
        double factor = part == 0 ? column->factor_a : column->factor_c;
        for (int k = 0; k < column->count && value != NULL; k++) {
            if (value[k] == 0.0 || factor == 0.0) continue;
            matrix->index[place] = part * m + column->columns[k];
            matrix->value[place++] = factor * value[k];
        }
    }
    matrix->start[row + 1] = place;
}

void tp_consistent_problem_put_row(tp_consistent_problem *own, int row, const tp_consistent_column *A,
                                   const tp_consistent_column *Ct)
{
    put_column(&own->problem.A, row, own->m, A);
    put_column(&own->problem.Ct, row, own->m, Ct);
}
