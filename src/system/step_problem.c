/* The one-step problem of a time step. */
#include "step_problem.h"

#include <string.h>

tp_status tp_problem_take(tp_arena *arena, const tp_problem_sizes *sizes, tp_problem *p)
{
    size_t sets = sizes->sets, rows = sizes->rows, m = (size_t)p->x_count;
    p->D_norm = -1.0;
    p->sets = TP_ARENA_RAW(arena, tp_set, sets);
    p->f = TP_ARENA_ARRAY(arena, double, m);
    p->b = TP_ARENA_RAW(arena, double, rows);
    p->M = tp_problem_take_sparse(arena, m, sizes->matrix);
    p->A = tp_problem_take_sparse(arena, rows, sizes->entries);
    p->Ct = p->A;
    p->D.first = TP_ARENA_ARRAY(arena, int, sets + 1);
    p->D.start = TP_ARENA_ARRAY(arena, int, sets + 1);
    p->D.column = TP_ARENA_ARRAY(arena, int, sets);
    p->D.diagonal = TP_ARENA_ARRAY(arena, int, sets);
    p->D.offset = TP_ARENA_ARRAY(arena, size_t, sets + 1);
    p->D.value = TP_ARENA_RAW(arena, double, sizes->blocks + 1);
    return tp_arena_status(arena);
}

tp_sparse tp_problem_take_sparse(tp_arena *arena, size_t cols, size_t entries)
{
    return (tp_sparse){.start = TP_ARENA_ARRAY(arena, int, cols + 1),
                       .index = TP_ARENA_RAW(arena, int, entries),
                       .value = TP_ARENA_RAW(arena, double, entries)};
}

void tp_problem_clear(tp_problem *p)
{
    p->row_count = p->set_count = p->contact_count = 0;
    p->A.rows = p->Ct.rows = p->x_count;
    p->A.cols = p->Ct.cols = 0;
    p->A.start[0] = p->Ct.start[0] = 0;
    p->D.block_rows = p->D.block_count = 0;
    p->D.uniform = 0;
    p->D.first[0] = p->D.start[0] = 0;
    p->D.offset[0] = 0;
}

int tp_problem_append(tp_problem *p, const tp_set *set)
{
    int i = p->set_count, n = set->size, first = p->row_count;
    p->sets[i] = *set;
    p->sets[i].first = first;
    p->D.diagonal[i] = p->D.column[i] = i;
    p->D.offset[i + 1] = p->D.offset[i] + (size_t)n * (size_t)n;
    memset(p->D.value + p->D.offset[i], 0, (size_t)n * (size_t)n * sizeof(double));
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

/* All laws at once. */
static tp_problem_sizes measure(const tp_system *system)
{
    int laws = system->law_count, springs = system->model->springs.count;
    tp_problem_sizes sizes = {.sets = (size_t)(laws + springs),
                              .matrix = (size_t)tp_sparse_count(&system->jacobian_pattern)};
    for (int i = 0; i < laws + springs; i++) {
        size_t size = i < laws ? (size_t)tp_system_law(system, i)->row_count : 1;
        sizes.rows += size;
        sizes.blocks += size * size;
        sizes.entries += size * (size_t)tp_system_law_column_count(system, i);
    }
    return sizes;
}

tp_problem_sizes tp_problem_sizes_more(const tp_problem_sizes *least, const tp_system *system)
{
    if (system->contacts == NULL) return *least;
    size_t more = least->sets / 2 + 16, rows = more * TP_LAW_ROWS;
    tp_problem_sizes sizes = *least;
    sizes.sets += more;
    sizes.rows += rows;
    sizes.blocks += rows * TP_LAW_ROWS;
    sizes.entries += rows * (size_t)system->largest_columns;
    return sizes;
}

bool tp_step_problem_fits(const tp_step_problem *step, const tp_system *system)
{
    tp_problem_sizes needed = measure(system);
    return needed.sets <= (size_t)step->capacity_sets && needed.rows <= (size_t)step->capacity_rows &&
           needed.entries <= step->capacity_entries && needed.blocks <= step->capacity_blocks;
}

tp_status tp_step_problem_create(tp_arena *arena, const tp_system *system, tp_step_problem **problem_out)
{
    tp_problem_sizes least = measure(system), sizes = tp_problem_sizes_more(&least, system);
    tp_step_problem *step = TP_ARENA_ARRAY(arena, tp_step_problem, 1);
    *problem_out = step;
    if (step == NULL) return TP_OUT_OF_MEMORY;
    step->capacity_rows = (int)sizes.rows;
    step->capacity_sets = (int)sizes.sets;
    step->capacity_entries = sizes.entries;
    step->capacity_blocks = sizes.blocks;
    step->problem.x_count = system->u_count;
    step->problem.is_mechanical = true;
    step->first_row = TP_ARENA_ARRAY(arena, int, sizes.sets);
    step->is_static = TP_ARENA_ARRAY(arena, unsigned char, sizes.sets);
    step->law = TP_ARENA_ARRAY(arena, int, sizes.sets);
    step->P = TP_ARENA_RAW(arena, double, sizes.rows);
    step->row = TP_ARENA_ARRAY(arena, double, TP_LAW_ROWS * system->largest_columns);
    return tp_problem_take(arena, &sizes, &step->problem);
}

void tp_step_problem_begin(tp_step_problem *step, const tp_sparse *pattern, const double *M, const double *f)
{
    tp_problem *p = &step->problem;
    int m = p->x_count, count = 0;
    p->M.rows = p->M.cols = m;
    for (int j = 0; j < m; j++) { /* zeros are left out: bodies without common inertia stay apart */
        p->M.start[j] = count;
        for (int k = pattern->start[j]; k < pattern->start[j + 1]; k++) {
            if (M[k] == 0.0) continue;
            p->M.index[count] = pattern->index[k];
            p->M.value[count++] = M[k];
        }
    }
    p->M.start[m] = count;
    for (int j = 0; j < m; j++) p->f[j] = f != NULL ? f[j] : 0.0;
    for (int i = 0; i < step->capacity_sets; i++) step->first_row[i] = -1;
    p->Ct = p->A;
    tp_problem_clear(p);
}

void tp_set_scale_friction(tp_set *set, double factor)
{
    for (int k = 0; k < 6; k++) set->parameter[k] *= factor;
}

/* Entries of a row that are not zero, from `place` on; returns where they end. */
static int write_row(const tp_system *system, int index, const double *W, int place, tp_problem *p)
{
    int count = tp_system_law_column_count(system, index);
    const int *columns = tp_system_law_columns(system, index);
    for (int j = 0; j < count; j++) {
        if (W[j] == 0.0) continue;
        p->A.index[place] = columns[j];
        p->A.value[place++] = W[j];
    }
    return place;
}

void tp_step_problem_add_rows(tp_step_problem *step, const tp_system *system, int index, const tp_set *set,
                              const double *W, const double *b, const double *P0)
{
    int count = tp_system_law_column_count(system, index);
    tp_problem *p = &step->problem;
    step->law[p->set_count] = index;
    int first = step->first_row[index] = tp_problem_append(p, set);
    for (int k = 0; k < set->size; k++) {
        int column = first + k;
        p->A.start[column + 1] = write_row(system, index, W + k * count, p->A.start[column], p);
        p->b[column] = b[k];
        step->P[column] = P0[k];
    }
    p->Ct = p->A;
}

/* The set of a law, with the bounds of a step. */
static tp_set set_of(const tp_step_problem *step, const tp_law *law, int index, double dt)
{
    tp_set set = law->set;
    if (law->is_force_bound) tp_set_scale_friction(&set, dt);
    if (step->is_static[index]) tp_set_scale_friction(&set, law->static_ratio);
    return set;
}

/* The same; the set of a law that follows another one's impulse knows its rows. */
static tp_set placed_set_of(const tp_step_problem *step, const tp_law *law, int index, double dt)
{
    tp_set set = set_of(step, law, index, dt);
    if (law->master_count > 0)
        set = tp_set_following(set, step->first_row[law->master_law] + law->master_first, law->master_count);
    return set;
}

void tp_step_problem_add(tp_step_problem *step, const tp_system *system, int index, const double *W,
                         const double *b, const double *P0, double dt)
{
    tp_set set = placed_set_of(step, tp_system_law(system, index), index, dt);
    tp_step_problem_add_rows(step, system, index, &set, W, b, P0);
}

void tp_step_problem_place(tp_step_problem *step, const tp_system *system, int index, double dt)
{
    tp_set set = placed_set_of(step, tp_system_law(system, index), index, dt);
    step->law[step->problem.set_count] = index;
    step->first_row[index] = tp_problem_append(&step->problem, &set);
}

void tp_step_problem_count(tp_step_problem *step, const tp_system *system, int set, const double *W)
{
    tp_problem *p = &step->problem;
    int count = tp_system_law_column_count(system, step->law[set]), first = p->sets[set].first;
    for (int k = 0; k < p->sets[set].size; k++) {
        int entries = 0;
        for (int j = 0; j < count; j++) entries += W[j + k * count] != 0.0;
        p->A.start[first + k + 1] = entries;
    }
}

void tp_step_problem_sum(tp_step_problem *step, int first_set)
{
    tp_problem *p = &step->problem;
    for (int row = p->sets[first_set].first; row < p->row_count; row++)
        p->A.start[row + 1] += p->A.start[row];
    p->Ct = p->A;
}

void tp_step_problem_write(tp_step_problem *step, const tp_system *system, int set, const double *W)
{
    tp_problem *p = &step->problem;
    int count = tp_system_law_column_count(system, step->law[set]), first = p->sets[set].first;
    for (int k = 0; k < p->sets[set].size; k++)
        write_row(system, step->law[set], W + k * count, p->A.start[first + k], p);
}

void tp_step_problem_leave_out(tp_step_problem *step, int k, double value)
{
    tp_problem *p = &step->problem;
    const tp_set *set = &p->sets[p->set_count - 1];
    int row = set->first + k;
    for (int e = p->A.start[row]; e < p->A.start[row + 1]; e++) p->A.value[e] = 0.0;
    p->b[row] = step->P[row] = 0.0;
    p->D.value[p->D.offset[p->set_count - 1] + (size_t)(k * (set->size + 1))] = value;
}

void tp_step_problem_bound(tp_step_problem *step, const tp_system *system, int set, bool is_static, double dt)
{
    const tp_law *law = tp_system_law(system, step->law[set]);
    step->is_static[step->law[set]] = is_static;
    tp_set bounded = set_of(step, law, step->law[set], dt);
    memcpy(step->problem.sets[set].parameter, bounded.parameter, sizeof bounded.parameter);
}

void tp_step_problem_add_spring(tp_step_problem *step, const tp_system *system, int index, const double *W,
                                double D, double b, double P0)
{
    tp_set set = tp_set_orthant(1);
    tp_step_problem_add_rows(step, system, system->law_count + index, &set, W, &b, &P0);
    tp_block_matrix *blocks = &step->problem.D;
    blocks->value[blocks->offset[step->problem.set_count - 1]] = D;
}
