/* The linearised problem of a consistent step; theory/consistent.md (20). */
#include "consistent_problem.h"

#include <string.h>

/* Largest numbers of sets, rows and entries: joints and other constraints count twice. */
typedef struct sizes {
    size_t sets, rows, blocks, entries;
} sizes;

static sizes measure(const tp_system *system)
{
    sizes all = {0};
    for (int i = 0; i < system->model->laws.count; i++) {
        const tp_law *law = TP_LIST_AT(system->model->laws, tp_law, i);
        size_t times = law->set.kind == TP_SET_FREE ? 2 : 1, size = (size_t)law->row_count;
        all.sets += times;
        all.rows += times * size;
        all.blocks += times * size * size;
        all.entries += times * size * 2 * (size_t)tp_system_law_column_count(system, i);
    }
    return all;
}

static int *places(tp_arena *arena, const tp_sparse *part, const tp_sparse *whole)
{
    int *place = TP_ARENA_ARRAY(arena, int, tp_sparse_count(part));
    if (place == NULL) return NULL;
    for (int j = 0; j < part->cols; j++) {
        for (int k = part->start[j]; k < part->start[j + 1]; k++)
            place[k] = tp_pattern_place(whole, part->index[k], j);
    }
    return place;
}

static bool take_sparse(tp_arena *arena, size_t cols, size_t entries, tp_sparse *out)
{
    out->start = TP_ARENA_ARRAY(arena, int, cols + 1);
    out->index = TP_ARENA_ARRAY(arena, int, entries);
    out->value = TP_ARENA_ARRAY(arena, double, entries);
    return out->start != NULL && out->index != NULL && out->value != NULL;
}

static bool take_arrays(tp_arena *arena, const sizes *all, size_t x, tp_consistent_problem *own)
{
    tp_problem *p = &own->problem;
    size_t matrix = 4 * (size_t)tp_sparse_count(&own->pattern);
    bool ok = take_sparse(arena, x, matrix, &p->M) && take_sparse(arena, all->rows, all->entries, &p->A) &&
              take_sparse(arena, all->rows, all->entries, &p->Ct);
    ok = ok && (own->x = TP_ARENA_ARRAY(arena, double, x)) != NULL;
    ok = ok && (own->P = TP_ARENA_ARRAY(arena, double, all->rows)) != NULL;
    ok = ok && (p->sets = TP_ARENA_ARRAY(arena, tp_set, all->sets)) != NULL;
    ok = ok && (p->f = TP_ARENA_ARRAY(arena, double, x)) != NULL;
    ok = ok && (p->b = TP_ARENA_ARRAY(arena, double, all->rows)) != NULL;
    ok = ok && (p->D.first = TP_ARENA_ARRAY(arena, int, all->sets + 1)) != NULL;
    ok = ok && (p->D.start = TP_ARENA_ARRAY(arena, int, all->sets + 1)) != NULL;
    ok = ok && (p->D.column = TP_ARENA_ARRAY(arena, int, all->sets)) != NULL;
    ok = ok && (p->D.diagonal = TP_ARENA_ARRAY(arena, int, all->sets)) != NULL;
    ok = ok && (p->D.offset = TP_ARENA_ARRAY(arena, size_t, all->sets + 1)) != NULL;
    ok = ok && (p->D.value = TP_ARENA_ARRAY(arena, double, all->blocks + 1)) != NULL;
    return ok;
}

tp_status tp_consistent_problem_create(tp_arena *arena, const tp_system *system,
                                       tp_consistent_problem **problem_out)
{
    tp_consistent_problem *own = TP_ARENA_ARRAY(arena, tp_consistent_problem, 1);
    *problem_out = own;
    if (own == NULL) return TP_OUT_OF_MEMORY;
    sizes all = measure(system);
    own->m = system->u_count;
    own->row_capacity = (int)all.rows;
    own->problem.x_count = 2 * own->m;
    own->problem.D_norm = -1.0;
    TP_TRY(tp_system_find_step_pattern(arena, system, &own->pattern));
    own->force_place = places(arena, &system->jacobian_pattern, &own->pattern);
    own->mass_place = places(arena, &system->mass_pattern, &own->pattern);
    bool ok = own->force_place != NULL && own->mass_place != NULL;
    return ok && take_arrays(arena, &all, 2 * (size_t)own->m, own) ? TP_OK : TP_OUT_OF_MEMORY;
}

void tp_consistent_problem_clear(tp_consistent_problem *own)
{
    tp_problem *p = &own->problem;
    p->row_count = p->set_count = p->contact_count = 0;
    p->A.rows = p->Ct.rows = 2 * own->m;
    p->A.cols = p->Ct.cols = 0;
    p->A.start[0] = p->Ct.start[0] = 0;
    p->D.block_rows = p->D.block_count = 0;
    p->D.uniform = 0;
    p->D.first[0] = p->D.start[0] = 0;
    p->D.offset[0] = 0;
}

int tp_consistent_problem_add_set(tp_consistent_problem *own, const tp_set *set, const double *P0)
{
    tp_problem *p = &own->problem;
    int i = p->set_count, n = set->size, first = p->row_count;
    p->sets[i] = *set;
    p->sets[i].first = first;
    p->D.diagonal[i] = p->D.column[i] = i;
    p->D.offset[i + 1] = p->D.offset[i] + (size_t)n * (size_t)n;
    memset(p->D.value + p->D.offset[i], 0, (size_t)n * (size_t)n * sizeof(double));
    for (int k = 0; k < n; k++) {
        own->P[first + k] = P0 != NULL ? P0[k] : 0.0;
        p->b[first + k] = 0.0;
        p->A.start[first + k + 1] = p->Ct.start[first + k + 1] = 0;
    }
    p->row_count += n;
    p->set_count++;
    p->contact_count += set->kind == TP_SET_CONTACT;
    p->A.cols = p->Ct.cols = p->row_count;
    p->D.block_rows = p->D.block_count = p->set_count;
    p->D.first[p->set_count] = p->row_count;
    p->D.start[p->set_count] = p->set_count;
    p->D.uniform = i == 0 || p->D.uniform == n ? n : 0;
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
