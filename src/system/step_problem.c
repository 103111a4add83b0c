/* The one-step problem of a time step. */
#include "step_problem.h"

#include <string.h>

/* The first entry is set; room for more contacts than there are stays untouched. */
static int *take_starts(tp_arena *arena, size_t count)
{
    int *starts = TP_ARENA_RAW(arena, int, count + 1);
    if (starts != NULL) starts[0] = 0;
    return starts;
}

tp_status tp_problem_take(tp_arena *arena, const tp_problem_sizes *sizes, tp_problem *p)
{
    size_t sets = sizes->sets, rows = sizes->rows, m = (size_t)p->x_count,
           pairs = sizes->pairs > 0 ? sizes->pairs : sets;
    p->D_norm = -1.0;
    p->sets = TP_ARENA_RAW(arena, tp_set, sets);
    p->f = TP_ARENA_ARRAY(arena, double, m);
    p->b = TP_ARENA_RAW(arena, double, rows);
    p->M = tp_problem_take_sparse(arena, m, sizes->matrix);
    p->A = tp_problem_take_sparse(arena, rows, sizes->entries);
    p->Ct = p->A;
    p->D.first = take_starts(arena, sets);
    p->D.start = take_starts(arena, sets);
    p->D.column = TP_ARENA_RAW(arena, int, pairs);
    p->D.diagonal = TP_ARENA_RAW(arena, int, sets);
    p->D.offset = TP_ARENA_RAW(arena, size_t, pairs + 1);
    p->D.value = TP_ARENA_RAW(arena, double, sizes->blocks + 1);
    TP_TRY(tp_arena_status(arena));
    p->D.offset[0] = 0;
    return TP_OK;
}

tp_sparse tp_problem_take_sparse(tp_arena *arena, size_t cols, size_t entries)
{
    return (tp_sparse){.start = take_starts(arena, cols),
                       .index = TP_ARENA_RAW(arena, int, entries),
                       .value = TP_ARENA_RAW(arena, double, entries)};
}

/* All laws at once; compliant contacts are laws of plain problems alone. */
static tp_problem_sizes measure(const tp_system *system, const tp_step_form *form)
{
    int laws = system->law_count, springs = form->block_count == 1 ? system->model->springs.count : 0;
    size_t blocks = (size_t)form->block_count;
    tp_problem_sizes sizes = {.matrix = (size_t)tp_sparse_count(system->options.has_no_derivatives
                                                                    ? &system->mass_pattern
                                                                    : &system->jacobian_pattern)};
    for (int i = 0; i < laws + springs; i++) {
        const tp_law *law = i < laws ? tp_system_law(system, i) : NULL;
        size_t size = law != NULL ? (size_t)law->row_count : 1,
               times = law != NULL && form->set_count != NULL ? (size_t)form->set_count(law) : 1;
        sizes.sets += times;
        sizes.rows += times * size;
        sizes.blocks += times * size * size;
        sizes.entries += times * size * blocks * (size_t)tp_system_law_column_count(system, i);
    }
    return sizes;
}

/* Room for more contacts; without contacts that change: the same. */
static void add_room(tp_problem_sizes *sizes, const tp_system *system)
{
    if (system->contacts == NULL) return;
    size_t more = sizes->sets / 2 + 16, rows = more * TP_LAW_ROWS;
    sizes->sets += more;
    sizes->rows += rows;
    sizes->blocks += rows * TP_LAW_ROWS;
    sizes->entries += rows * (size_t)system->largest_columns;
}

bool tp_step_problem_fits(const tp_step_problem *step, const tp_system *system)
{
    tp_problem_sizes needed = measure(system, &step->form);
    return needed.sets <= (size_t)step->capacity_sets && needed.rows <= (size_t)step->capacity_rows &&
           needed.entries <= step->capacity_entries && needed.blocks <= step->capacity_blocks;
}

/* What tp_step_problem_add fills. */
static tp_status take_plain(tp_arena *arena, const tp_system *system, tp_step_problem *step)
{
    step->problem.is_mechanical = true;
    step->first_row = TP_ARENA_ARRAY(arena, int, step->capacity_sets);
    step->is_static = TP_ARENA_ARRAY(arena, unsigned char, step->capacity_sets);
    step->law = TP_ARENA_ARRAY(arena, int, step->capacity_sets);
    step->row = TP_ARENA_ARRAY(arena, double, TP_LAW_ROWS * system->largest_columns);
    return tp_step_balls_take(arena, system, step);
}

/* Patterns of blocks; returns the number of entries of the matrix through `sizes`. */
static tp_status take_blocks(tp_arena *arena, tp_system *system, tp_step_problem *step,
                             tp_problem_sizes *sizes)
{
    TP_TRY(tp_system_find_step_pattern(arena, system, &step->pattern));
    sizes->matrix =
        (size_t)(step->form.block_count * step->form.block_count) * (size_t)tp_sparse_count(&step->pattern);
    step->force_place = tp_pattern_places(arena, &system->jacobian_pattern, &step->pattern);
    step->mass_place = tp_pattern_places(arena, &system->mass_pattern, &step->pattern);
    step->x = TP_ARENA_ARRAY(arena, double, step->problem.x_count);
    return tp_arena_status(arena);
}

tp_status tp_step_problem_create(tp_arena *arena, tp_system *system, const tp_step_form *form,
                                 tp_step_problem **problem_out)
{
    static const tp_step_form plain = {.block_count = 1};
    tp_step_problem *step = TP_ARENA_ARRAY(arena, tp_step_problem, 1);
    *problem_out = step;
    if (step == NULL) return TP_OUT_OF_MEMORY;
    step->form = form != NULL ? *form : plain;
    tp_problem_sizes sizes = measure(system, &step->form);
    if (form == NULL) add_room(&sizes, system);
    step->m = system->u_count;
    step->capacity_rows = (int)sizes.rows;
    step->capacity_sets = (int)sizes.sets;
    step->capacity_entries = sizes.entries;
    step->capacity_blocks = sizes.blocks;
    step->problem.x_count = step->form.block_count * step->m;
    if (form == NULL) take_plain(arena, system, step);
    if (form == NULL)
        TP_TRY(tp_step_balls_take(arena, system, step));
    else
        TP_TRY(take_blocks(arena, system, step, &sizes));
    step->P = TP_ARENA_RAW(arena, double, sizes.rows);
    TP_TRY(tp_problem_take(arena, &sizes, &step->problem));
    if (form != NULL) step->problem.Ct = tp_problem_take_sparse(arena, sizes.rows, sizes.entries);
    return tp_arena_status(arena);
}

/* ---- any form ---- */

void tp_step_problem_clear(tp_step_problem *step)
{
    tp_problem *p = &step->problem;
    p->row_count = p->set_count = p->contact_count = 0;
    p->A.rows = p->Ct.rows = p->x_count;
    p->A.cols = p->Ct.cols = 0;
    p->A.start[0] = p->Ct.start[0] = 0;
    p->D.block_rows = p->D.block_count = 0;
    p->D.uniform = 0;
    p->D.first[0] = p->D.start[0] = 0;
    p->D.offset[0] = 0;
}

int tp_step_problem_add_set(tp_step_problem *step, const tp_set *set, const double *P0)
{
    tp_problem *p = &step->problem;
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
    for (int k = 0; k < n; k++) {
        step->P[first + k] = P0 != NULL ? P0[k] : 0.0;
        p->b[first + k] = 0.0;
        p->A.start[first + k + 1] = p->Ct.start[first + k + 1] = p->A.start[first]; /* no entries yet */
    }
    return first;
}

void tp_step_problem_switch(tp_step_problem *step, int i, const tp_set *own, bool is_on)
{
    tp_problem *p = &step->problem;
    int first = p->sets[i].first;
    p->contact_count -= p->sets[i].kind == TP_SET_CONTACT;
    p->sets[i] = is_on ? *own : tp_set_zero(own->size);
    p->sets[i].first = first;
    p->contact_count += p->sets[i].kind == TP_SET_CONTACT;
}

void tp_step_problem_leave_out(tp_step_problem *step, int i, int k, double value)
{
    tp_problem *p = &step->problem;
    int row = p->sets[i].first + k;
    for (int e = p->A.start[row]; e < p->A.start[row + 1]; e++) p->A.value[e] = 0.0;
    p->b[row] = step->P[row] = 0.0;
    p->D.value[p->D.offset[i] + (size_t)(k * (p->sets[i].size + 1))] = value;
}

/* Appends factor times values at rows from `first` on, zeros left out; returns the number of entries. */
static int append(tp_sparse *out, int entries, int first, int count, const int *rows, double factor,
                  const double *values)
{
    int *index = out->index;
    double *value = out->value;
    for (int k = 0; k < count; k++) {
        if (values[k] == 0.0) continue;
        index[entries] = first + rows[k];
        value[entries++] = factor * values[k];
    }
    return entries;
}

void tp_step_problem_set_matrix(tp_step_problem *step, const tp_block *blocks, int count)
{
    tp_sparse *out = &step->problem.M;
    int entries = 0, n = step->problem.x_count;
    out->rows = out->cols = n;
    for (int column = 0; column < n; column++) {
        out->start[column] = entries;
        for (int i = 0; i < count; i++) {
            const tp_block *block = &blocks[i];
            const tp_sparse *pattern = block->pattern != NULL ? block->pattern : &step->pattern;
            int j = column - block->column * step->m;
            if (j < 0 || j >= step->m || block->values == NULL) continue;
            int start = pattern->start[j];
            entries = append(out, entries, block->row * step->m, pattern->start[j + 1] - start,
                             pattern->index + start, block->factor, block->values + start);
        }
    }
    out->start[n] = entries;
}

static void put_column(tp_sparse *matrix, int row, const tp_step_problem *step, const tp_block_column *column)
{
    int entries = matrix->start[row];
    for (int part = 0; part < step->form.block_count; part++) {
        if (column->in[part] == NULL || column->factor[part] == 0.0) continue;
        entries = append(matrix, entries, part * step->m, column->count, column->columns,
                         column->factor[part], column->in[part]);
    }
    matrix->start[row + 1] = entries;
}

void tp_step_problem_put_row(tp_step_problem *step, int row, const tp_block_column *A,
                             const tp_block_column *Ct)
{
    put_column(&step->problem.A, row, step, A);
    if (Ct != NULL) put_column(&step->problem.Ct, row, step, Ct);
}

/* ---- plain ---- */

void tp_step_problem_begin(tp_step_problem *step, const tp_sparse *pattern, const double *M, const double *f)
{
    tp_problem *p = &step->problem;
    const tp_block whole = {0, 0, pattern, 1.0, M};
    if (!step->has_matrix) tp_step_problem_set_matrix(step, &whole, 1);
    step->has_matrix = step->may_be_balls; /* theirs never changes */
    size_t bytes = (size_t)step->m * sizeof(double);
    if (f != NULL)
        memcpy(p->f, f, bytes);
    else
        memset(p->f, 0, bytes);
    memset(step->first_row, 0xff, (size_t)step->capacity_sets * sizeof(int)); /* -1: none */
    step->are_balls = false;
    p->Ct = p->A; /* a step may have put its own in its place */
    tp_step_problem_clear(step);
}

void tp_set_scale_friction(tp_set *set, double factor)
{
    for (int k = 0; k < 6; k++) set->parameter[k] *= factor;
}

void tp_step_problem_add_rows(tp_step_problem *step, const tp_system *system, int index, const tp_set *set,
                              const double *W, const double *b, const double *P0)
{
    tp_problem *p = &step->problem;
    tp_block_column row = {.count = tp_system_law_column_count(system, index),
                           .columns = tp_system_law_columns(system, index),
                           .factor = {1.0},
                           .in = {W}};
    step->law[p->set_count] = index;
    int first = step->first_row[index] = tp_step_problem_add_set(step, set, P0);
    for (int k = 0; k < set->size; k++, row.in[0] += row.count) {
        tp_step_problem_put_row(step, first + k, &row, NULL);
        p->b[first + k] = b[k];
    }
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

void tp_step_problem_place(tp_step_problem *step, const tp_system *system, int index)
{
    tp_problem *p = &step->problem;
    const tp_law *law = tp_system_law(system, index);
    int i = p->set_count++, n = law->set.size;
    step->law[i] = index;
    step->first_row[index] = p->sets[i].first = p->row_count;
    p->row_count += n;
    p->contact_count += law->set.kind == TP_SET_CONTACT;
    p->D.offset[i + 1] = p->D.offset[i] + (size_t)n * (size_t)n;
    p->D.uniform = i == 0 || p->D.uniform == n ? n : 0;
}

void tp_step_problem_fill(tp_step_problem *step, const tp_system *system, int i, double dt)
{
    tp_problem *p = &step->problem;
    int first = p->sets[i].first;
    p->sets[i] = placed_set_of(step, tp_system_law(system, step->law[i]), step->law[i], dt);
    p->sets[i].first = first;
    p->D.diagonal[i] = p->D.column[i] = i;
    p->D.first[i + 1] = first + p->sets[i].size;
    p->D.start[i + 1] = i + 1;
    memset(p->D.value + p->D.offset[i], 0, (p->D.offset[i + 1] - p->D.offset[i]) * sizeof(double));
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
    p->A.cols = p->Ct.cols = p->row_count;
    p->D.block_rows = p->D.block_count = p->set_count;
    for (int row = p->sets[first_set].first; row < p->row_count; row++)
        p->A.start[row + 1] += p->A.start[row];
}

void tp_step_problem_write(tp_step_problem *step, const tp_system *system, int set, const double *W)
{
    tp_problem *p = &step->problem;
    int law = step->law[set], count = tp_system_law_column_count(system, law), first = p->sets[set].first;
    const int *columns = tp_system_law_columns(system, law);
    for (int k = 0; k < p->sets[set].size; k++)
        append(&p->A, p->A.start[first + k], 0, count, columns, 1.0, W + k * count);
}

void tp_step_problem_leave_out_redundant(tp_step_problem *step, const tp_redundancy *redundancy)
{
    int i = step->problem.set_count - 1, law = step->law[i];
    const tp_set *set = &step->problem.sets[i];
    for (int k = 0; k < set->size && set->kind == TP_SET_FREE; k++) {
        if (tp_redundancy_leaves_out(redundancy, law, k))
            tp_step_problem_leave_out(step, i, k, tp_redundancy_diagonal(redundancy, law, k));
    }
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
