/* The one-step problem of a time step. */
#include "step_problem.h"

#include <string.h>

tp_status tp_step_problem_create(tp_arena *arena, const tp_system *system, tp_step_problem **problem_out)
{
    const tp_model *model = system->model;
    int m = system->u_count, springs = model->springs.count, sets = model->laws.count + springs,
        rows = springs;
    size_t blocks = (size_t)springs, entries = 0, matrix = (size_t)tp_sparse_count(&system->jacobian_pattern);
    for (int i = 0; i < springs; i++)
        entries += (size_t)tp_system_law_column_count(system, model->laws.count + i);
    for (int i = 0; i < model->laws.count; i++) {
        int size = TP_LIST_AT(model->laws, tp_law, i)->row_count;
        rows += size;
        blocks += (size_t)size * (size_t)size;
        entries += (size_t)size * (size_t)tp_system_law_column_count(system, i);
    }
    tp_step_problem *step = TP_ARENA_ARRAY(arena, tp_step_problem, 1);
    *problem_out = step;
    if (step == NULL) return TP_OUT_OF_MEMORY;
    tp_problem *p = &step->problem;
    step->capacity_rows = rows;
    step->capacity_sets = sets;
    p->x_count = m;
    p->is_mechanical = true;
    p->D_norm = -1.0;
    step->law_count = model->laws.count;
    bool ok = (step->first_row = TP_ARENA_ARRAY(arena, int, sets)) != NULL;
    ok = ok && (step->law = TP_ARENA_ARRAY(arena, int, sets)) != NULL;
    ok = ok && (step->P = TP_ARENA_ARRAY(arena, double, rows)) != NULL;
    ok = ok && (step->row = TP_ARENA_ARRAY(arena, double, TP_LAW_ROWS * system->largest_columns)) != NULL;
    ok = ok && (p->sets = TP_ARENA_ARRAY(arena, tp_set, sets)) != NULL;
    ok = ok && (p->f = TP_ARENA_ARRAY(arena, double, m)) != NULL;
    ok = ok && (p->b = TP_ARENA_ARRAY(arena, double, rows)) != NULL;
    ok = ok && (p->M.start = TP_ARENA_ARRAY(arena, int, m + 1)) != NULL;
    ok = ok && (p->M.index = TP_ARENA_ARRAY(arena, int, matrix)) != NULL;
    ok = ok && (p->M.value = TP_ARENA_ARRAY(arena, double, matrix)) != NULL;
    ok = ok && (p->A.start = TP_ARENA_ARRAY(arena, int, rows + 1)) != NULL;
    ok = ok && (p->A.index = TP_ARENA_ARRAY(arena, int, entries)) != NULL;
    ok = ok && (p->A.value = TP_ARENA_ARRAY(arena, double, entries)) != NULL;
    ok = ok && (p->D.first = TP_ARENA_ARRAY(arena, int, sets + 1)) != NULL;
    ok = ok && (p->D.start = TP_ARENA_ARRAY(arena, int, sets + 1)) != NULL;
    ok = ok && (p->D.column = TP_ARENA_ARRAY(arena, int, sets)) != NULL;
    ok = ok && (p->D.diagonal = TP_ARENA_ARRAY(arena, int, sets)) != NULL;
    ok = ok && (p->D.offset = TP_ARENA_ARRAY(arena, size_t, sets + 1)) != NULL;
    ok = ok && (p->D.value = TP_ARENA_ARRAY(arena, double, blocks + 1)) != NULL;
    return ok ? TP_OK : TP_OUT_OF_MEMORY;
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
    p->row_count = p->set_count = p->contact_count = 0;
    p->A.rows = m;
    p->A.cols = 0;
    p->A.start[0] = 0;
    p->Ct = p->A;
    p->D.block_rows = p->D.block_count = 0;
    p->D.uniform = 0;
    p->D.first[0] = p->D.start[0] = 0;
    p->D.offset[0] = 0;
}

static void scale_bounds(tp_set *set, double dt)
{
    for (int k = 0; k < 6; k++) set->parameter[k] *= dt;
}

void tp_step_problem_add_rows(tp_step_problem *step, const tp_system *system, int index, const tp_set *set,
                              const double *W, const double *b, const double *P0)
{
    int count = tp_system_law_column_count(system, index);
    const int *columns = tp_system_law_columns(system, index);
    tp_problem *p = &step->problem;
    int i = p->set_count, n = set->size;
    p->sets[i] = *set;
    p->sets[i].first = p->row_count;
    step->law[i] = index;
    step->first_row[index] = p->row_count;
    for (int k = 0; k < n; k++) {
        int column = p->row_count + k, place = p->A.start[column];
        for (int j = 0; j < count; j++) {
            if (W[j + k * count] == 0.0) continue;
            p->A.index[place] = columns[j];
            p->A.value[place++] = W[j + k * count];
        }
        p->A.start[column + 1] = place;
        p->b[column] = b[k];
        step->P[column] = P0[k];
    }
    p->D.diagonal[i] = p->D.column[i] = i;
    p->D.offset[i + 1] = p->D.offset[i] + (size_t)n * (size_t)n;
    memset(p->D.value + p->D.offset[i], 0, (size_t)n * (size_t)n * sizeof(double));
    p->row_count += n;
    p->set_count++;
    p->contact_count += set->kind == TP_SET_CONTACT;
    p->A.cols = p->row_count;
    p->Ct = p->A;
    p->D.block_rows = p->D.block_count = p->set_count;
    p->D.first[p->set_count] = p->row_count;
    p->D.start[p->set_count] = p->set_count;
    p->D.uniform = i == 0 || p->D.uniform == n ? n : 0;
}

void tp_step_problem_add(tp_step_problem *step, const tp_system *system, int index, const double *W,
                         const double *b, const double *P0, double dt)
{
    const tp_law *law = TP_LIST_AT(system->model->laws, tp_law, index);
    tp_set set = law->set;
    if (law->is_force_bound) scale_bounds(&set, dt);
    if (law->master_count > 0)
        set = tp_set_following(set, step->first_row[law->master_law] + law->master_first, law->master_count);
    tp_step_problem_add_rows(step, system, index, &set, W, b, P0);
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

void tp_step_problem_add_spring(tp_step_problem *step, const tp_system *system, int index, const double *W,
                                double D, double b, double P0)
{
    tp_set set = tp_set_orthant(1);
    tp_step_problem_add_rows(step, system, step->law_count + index, &set, W, &b, &P0);
    tp_block_matrix *blocks = &step->problem.D;
    blocks->value[blocks->offset[step->problem.set_count - 1]] = D;
}
