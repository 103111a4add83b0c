/* The one-step problem of a time step. */
#include "step_problem.h"

#include <string.h>

tp_status tp_step_problem_create(tp_arena *arena, const tp_system *system, tp_step_problem **problem_out)
{
    const tp_model *model = system->model;
    int m = system->u_count, springs = model->springs.count, sets = model->laws.count + springs,
        rows = springs;
    size_t blocks = (size_t)springs;
    for (int i = 0; i < model->laws.count; i++) {
        int size = TP_LIST_AT(model->laws, tp_law, i)->row_count;
        rows += size;
        blocks += (size_t)size * (size_t)size;
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
    bool ok = (step->law = TP_ARENA_ARRAY(arena, int, sets)) != NULL;
    ok = ok && (step->P = TP_ARENA_ARRAY(arena, double, rows)) != NULL;
    ok = ok && (step->row = TP_ARENA_ARRAY(arena, double, TP_LAW_ROWS *m)) != NULL;
    ok = ok && (p->sets = TP_ARENA_ARRAY(arena, tp_set, sets)) != NULL;
    ok = ok && (p->f = TP_ARENA_ARRAY(arena, double, m)) != NULL;
    ok = ok && (p->b = TP_ARENA_ARRAY(arena, double, rows)) != NULL;
    ok = ok && (p->M.start = TP_ARENA_ARRAY(arena, int, m + 1)) != NULL;
    ok = ok && (p->M.index = TP_ARENA_ARRAY(arena, int, m *m)) != NULL;
    ok = ok && (p->M.value = TP_ARENA_ARRAY(arena, double, m *m)) != NULL;
    ok = ok && (p->A.start = TP_ARENA_ARRAY(arena, int, rows + 1)) != NULL;
    ok = ok && (p->A.index = TP_ARENA_ARRAY(arena, int, (size_t)rows *(size_t)m)) != NULL;
    ok = ok && (p->A.value = TP_ARENA_ARRAY(arena, double, (size_t)rows *(size_t)m)) != NULL;
    ok = ok && (p->D.first = TP_ARENA_ARRAY(arena, int, sets + 1)) != NULL;
    ok = ok && (p->D.start = TP_ARENA_ARRAY(arena, int, sets + 1)) != NULL;
    ok = ok && (p->D.column = TP_ARENA_ARRAY(arena, int, sets)) != NULL;
    ok = ok && (p->D.diagonal = TP_ARENA_ARRAY(arena, int, sets)) != NULL;
    ok = ok && (p->D.offset = TP_ARENA_ARRAY(arena, size_t, sets + 1)) != NULL;
    ok = ok && (p->D.value = TP_ARENA_ARRAY(arena, double, blocks + 1)) != NULL;
    return ok ? TP_OK : TP_OUT_OF_MEMORY;
}

void tp_step_problem_begin(tp_step_problem *step, const double *M, const double *f)
{
    tp_problem *p = &step->problem;
    int m = p->x_count, count = 0;
    p->M.rows = p->M.cols = m;
    for (int j = 0; j < m; j++) { /* zeros are left out: bodies without common inertia stay apart */
        p->M.start[j] = count;
        for (int i = 0; i < m; i++) {
            if (M[i + j * m] == 0.0) continue;
            p->M.index[count] = i;
            p->M.value[count++] = M[i + j * m];
        }
    }
    p->M.start[m] = count;
    for (int j = 0; j < m; j++) p->f[j] = f != NULL ? f[j] : 0.0;
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

/* Appends n rows of a set; their block of D is zero. Returns the set. */
static tp_set *append(tp_step_problem *step, const tp_set *law_set, int index, int n, const double *W,
                      const double *b, const double *P0)
{
    tp_problem *p = &step->problem;
    int i = p->set_count, m = p->x_count;
    tp_set *set = &p->sets[i];
    *set = *law_set;
    set->first = p->row_count;
    step->law[i] = index;
    for (int k = 0; k < n; k++) {
        int column = p->row_count + k, count = p->A.start[column];
        for (int j = 0; j < m; j++) {
            if (W[j + k * m] == 0.0) continue;
            p->A.index[count] = j;
            p->A.value[count++] = W[j + k * m];
        }
        p->A.start[column + 1] = count;
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
    return set;
}

void tp_step_problem_add(tp_step_problem *step, const tp_law *law, int index, const double *W,
                         const double *b, const double *P0, double dt)
{
    tp_set *set = append(step, &law->set, index, law->row_count, W, b, P0);
    if (law->is_force_bound) scale_bounds(set, dt);
}

void tp_step_problem_add_spring(tp_step_problem *step, int index, const double *W, double D, double b,
                                double P0)
{
    tp_set set = tp_set_orthant(1);
    append(step, &set, step->law_count + index, 1, W, &b, &P0);
    tp_block_matrix *blocks = &step->problem.D;
    blocks->value[blocks->offset[step->problem.set_count - 1]] = D;
}
