/* A global problem without G; theory/problems.md (24). */
#include "velocity_form.h"

#include "math/dense.h"
#include "part_factor.h"

#include <string.h>

enum { MOST_UNKNOWNS = 64 }; /* of one law: beyond them G is the smaller matrix */

static bool is_suitable(const tp_problem *problem)
{
    if (problem->x_count == 0 || problem->D.block_count != problem->set_count) return false;
    for (int i = 0; i < problem->set_count; i++) {
        if (problem->sets[i].size > TP_FORM_ROWS) return false;
    }
    return true;
}

/* Rows of a law side by side; loads need no alignment. */
typedef double quad __attribute__((vector_size(32), aligned(8), may_alias));

/* The loops, compiled once for each kind of processor, with the same bits. Two sums need not wait for each
   other. */
#define READ_LOOP                                                                                            \
    quad even = {0.0, 0.0, 0.0, 0.0}, odd = even;                                                            \
    int k = 0;                                                                                               \
    for (; k + 1 < count; k += 2) {                                                                          \
        even += *(const quad *)C[k] * x[index[k]];                                                           \
        odd += *(const quad *)C[k + 1] * x[index[k + 1]];                                                    \
    }                                                                                                        \
    if (k < count) even += *(const quad *)C[k] * x[index[k]];                                                \
    *(quad *)out = even + odd

#define PUSH_LOOP                                                                                            \
    const double *Y1 = Y + count, *Y2 = Y1 + count;                                                          \
    int k = 0;                                                                                               \
    for (; k + 3 < count; k += 4) {                                                                          \
        quad change = *(const quad *)(Y + k) * step[0] + *(const quad *)(Y1 + k) * step[1] +                 \
                      *(const quad *)(Y2 + k) * step[2];                                                     \
        for (int l = 0; l < 4; l++) x[index[k + l]] += change[l];                                            \
    }                                                                                                        \
    for (; k < count; k++) x[index[k]] += Y[k] * step[0] + Y1[k] * step[1] + Y2[k] * step[2]

/* Columns of C times three rows of M^-1 A. */
#define BLOCK_LOOP                                                                                           \
    const double *Y1 = Y + count, *Y2 = Y1 + count;                                                          \
    quad sum0 = *(const quad *)out[0], sum1 = *(const quad *)out[1], sum2 = *(const quad *)out[2];           \
    for (int k = 0; k < count; k++) {                                                                        \
        quad column = *(const quad *)C[k];                                                                   \
        sum0 += column * Y[k];                                                                               \
        sum1 += column * Y1[k];                                                                              \
        sum2 += column * Y2[k];                                                                              \
    }                                                                                                        \
    *(quad *)out[0] = sum0;                                                                                  \
    *(quad *)out[1] = sum1;                                                                                  \
    *(quad *)out[2] = sum2

static void read_plain(int count, const int *index, const double (*C)[TP_FORM_ROWS], const double *x,
                       double *out)
{
    READ_LOOP;
}

static void push_plain(int count, const int *index, const double *Y, const double *step, double *x)
{
    PUSH_LOOP;
}

static void multiply_plain(int count, const double (*C)[TP_FORM_ROWS], const double *Y,
                           double (*out)[TP_FORM_ROWS])
{
    BLOCK_LOOP;
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static void
read_avx2(int count, const int *index, const double (*C)[TP_FORM_ROWS], const double *x, double *out)
{
    READ_LOOP;
}

__attribute__((target("avx2"))) static void push_avx2(int count, const int *index, const double *Y,
                                                      const double *step, double *x)
{
    PUSH_LOOP;
}

__attribute__((target("avx2"))) static void multiply_avx2(int count, const double (*C)[TP_FORM_ROWS],
                                                          const double *Y, double (*out)[TP_FORM_ROWS])
{
    BLOCK_LOOP;
}
#endif

static void choose_loops(tp_velocity_form *form)
{
    form->read = read_plain;
    form->push = push_plain;
    form->multiply = multiply_plain;
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) {
        form->read = read_avx2;
        form->push = push_avx2;
        form->multiply = multiply_avx2;
    }
#endif
}

/* What is needed while a form is made. */
typedef struct maker {
    const tp_problem *problem;
    tp_stack *stack;
    tp_components parts;
    tp_part_factor *factor; /* [parts.count] n = 0: not yet factorised */
    int *mark, *list;       /* [parts.count] */
    int *slot;              /* [x_count] place of an unknown among those of the law */
    double *mass;           /* [x_count] where M is diagonal, without parts and factors; NULL: it is not */
    unsigned char *has_one_pattern; /* [set_count] of laws whose rows touch the same unknowns */
    double y[MOST_UNKNOWNS];
} maker;

/* The diagonal of M; false: there is more, or 0. */
static bool take_diagonal(const tp_sparse *M, double *mass)
{
    for (int j = 0; j < M->cols; j++) {
        int k = M->start[j];
        if (M->start[j + 1] != k + 1 || M->index[k] != j || !(M->value[k] != 0.0)) return false;
        mass[j] = M->value[k];
    }
    return true;
}

/* Unknowns are parts of their own then. */
static tp_status begin_diagonal(maker *m)
{
    const tp_problem *problem = m->problem;
    m->mass = TP_STACK_ARRAY(m->stack, double, problem->x_count);
    TP_STACK_INTS(m->stack, problem->x_count, &m->mark, &m->slot);
    m->has_one_pattern = TP_STACK_ARRAY(m->stack, unsigned char, problem->set_count);
    if (m->stack->failed) return TP_OUT_OF_MEMORY;
    memset(m->mark, 0, (size_t)problem->x_count * sizeof(int));
    if (!take_diagonal(&problem->M, m->mass)) m->mass = NULL;
    return TP_OK;
}

static tp_status begin(maker *m)
{
    TP_TRY(tp_components_find(&m->problem->M, m->stack, &m->parts));
    size_t count = (size_t)m->parts.count;
    m->factor = TP_STACK_ARRAY(m->stack, tp_part_factor, count);
    TP_STACK_INTS(m->stack, count, &m->mark, &m->list);
    m->slot = TP_STACK_ARRAY(m->stack, int, m->problem->x_count);
    if (m->stack->failed) return TP_OUT_OF_MEMORY;
    memset(m->factor, 0, count * sizeof *m->factor);
    memset(m->mark, 0, count * sizeof(int));
    return TP_OK;
}

static tp_status factorise(maker *m, int part)
{
    if (m->factor[part].n > 0) return TP_OK;
    m->factor[part].n = m->parts.start[part + 1] - m->parts.start[part];
    return tp_part_factorise(m->problem, &m->parts, part, NULL, m->stack, &m->factor[part]);
}

/* Most unknowns of spheres are components of their own. */
static void solve_part(const tp_part_factor *factor, double *y)
{
    if (factor->n == 1 && factor->dense != NULL) {
        y[0] = factor->row_factor[0] * y[0] / factor->dense[0];
    } else {
        tp_part_solve(factor, y);
    }
}

/* Members of the components that the law touches. */
static tp_status list_unknowns(maker *m, tp_velocity_form *form)
{
    const tp_problem *problem = m->problem;
    form->start = TP_STACK_ARRAY(m->stack, int, problem->set_count + 1);
    if (form->start == NULL) return TP_OUT_OF_MEMORY;
    form->start[0] = 0;
    for (int i = 0; i < problem->set_count; i++) {
        int touched = tp_components_touched(problem, &m->parts, i, m->mark, m->list), count = 0;
        for (int k = 0; k < touched; k++)
            count += m->parts.start[m->list[k] + 1] - m->parts.start[m->list[k]];
        if (count > MOST_UNKNOWNS) return TP_UNSUPPORTED;
        form->start[i + 1] = form->start[i] + count;
    }
    memset(m->mark, 0, (size_t)m->parts.count * sizeof(int));
    return TP_OK;
}

/* Do all rows of law i touch the same unknowns, in A and in C? So do those of contacts. */
static bool has_one_pattern(const tp_problem *problem, int i)
{
    const tp_set *set = &problem->sets[i];
    const int *start = problem->A.start + set->first, *index = problem->A.index + start[0];
    if (!problem->is_mechanical) return false;
    for (int r = 1; r < set->size; r++) {
        if (start[r + 1] - start[r] != start[1] - start[0]) return false;
        if (memcmp(index, problem->A.index + start[r], (size_t)(start[1] - start[0]) * sizeof(int)) != 0)
            return false;
    }
    return true;
}

/* The same for M diagonal; also in form->index, in the order in which a law meets them. */
static tp_status list_diagonal(maker *m, tp_velocity_form *form)
{
    const tp_problem *problem = m->problem;
    const tp_sparse *both[2] = {&problem->A, &problem->Ct};
    int kinds = problem->is_mechanical ? 1 : 2, place = 0, rows = problem->row_count;
    size_t most = (size_t)problem->A.start[rows] + (kinds > 1 ? (size_t)problem->Ct.start[rows] : 0);
    form->start = TP_STACK_ARRAY(m->stack, int, problem->set_count + 1);
    form->index = TP_STACK_ARRAY(m->stack, int, most);
    if (m->stack->failed) return TP_OUT_OF_MEMORY;
    for (int i = 0; i < problem->set_count; i++) {
        const tp_set *set = &problem->sets[i];
        m->has_one_pattern[i] = has_one_pattern(problem, i);
        int last = set->first + (m->has_one_pattern[i] ? 1 : set->size);
        form->start[i] = place;
        for (int s = 0; s < kinds; s++) {
            for (int k = both[s]->start[set->first]; k < both[s]->start[last]; k++) {
                int j = both[s]->index[k];
                if (m->mark[j] == i + 1) continue;
                m->mark[j] = i + 1;
                form->index[place++] = j;
            }
        }
        if (place - form->start[i] > MOST_UNKNOWNS) return TP_UNSUPPORTED;
    }
    form->start[problem->set_count] = place;
    return TP_OK;
}

/* Columns of C and rows of A of law i, whose unknowns have their slots. */
static void copy_law(const maker *m, int i, tp_velocity_form *form)
{
    const tp_problem *problem = m->problem;
    const tp_set *set = &problem->sets[i];
    int begin = form->start[i], count = form->start[i + 1] - begin;
    double *Y = form->Y + (size_t)TP_FORM_ROWS * (size_t)begin;
    memset(form->C + begin, 0, (size_t)count * sizeof *form->C);
    memset(Y, 0, (size_t)(set->size * count) * sizeof(double));
    for (int r = 0; r < set->size; r++, Y += count) {
        int row = set->first + r;
        for (int e = problem->Ct.start[row]; e < problem->Ct.start[row + 1]; e++)
            form->C[begin + m->slot[problem->Ct.index[e]]][r] = problem->Ct.value[e];
        for (int e = problem->A.start[row]; e < problem->A.start[row + 1]; e++)
            Y[m->slot[problem->A.index[e]]] = problem->A.value[e];
    }
}

/* a / mass of the unknowns of one row. */
static void divide(int count, const double *restrict a, const double *restrict mass, double *restrict y)
{
    for (int k = 0; k < count; k++) y[k] = a[k] / mass[k];
}

/* Columns of C and rows of M^-1 A of law i, whose unknowns stand in form->index in the order of its rows;
   mass [count] of them. */
static void copy_pattern(const tp_problem *problem, int i, const double *mass, tp_velocity_form *form)
{
    const tp_set *set = &problem->sets[i];
    int begin = form->start[i], count = form->start[i + 1] - begin, at = problem->A.start[set->first];
    const double *row[TP_FORM_ROWS];
    double *Y = form->Y + (size_t)TP_FORM_ROWS * (size_t)begin;
    for (int r = 0; r < set->size; r++) {
        row[r] = problem->Ct.value + at + r * count;
        divide(count, problem->A.value + at + r * count, mass, Y + r * count);
    }
    for (int k = 0; k < count; k++) {
        double *column = form->C[begin + k];
        for (int r = 0; r < TP_FORM_ROWS; r++) column[r] = r < set->size ? row[r][k] : 0.0;
    }
}

static void fill_diagonal(maker *m, int i, tp_velocity_form *form)
{
    int begin = form->start[i], count = form->start[i + 1] - begin;
    const int *index = form->index + begin;
    double *Y = form->Y + (size_t)TP_FORM_ROWS * (size_t)begin, mass[MOST_UNKNOWNS];
    for (int k = 0; k < count; k++) mass[k] = m->mass[index[k]];
    if (m->has_one_pattern[i]) {
        copy_pattern(m->problem, i, mass, form);
        return;
    }
    for (int k = 0; k < count; k++) m->slot[index[k]] = k;
    copy_law(m, i, form);
    for (int r = 0; r < m->problem->sets[i].size; r++, Y += count) {
        for (int k = 0; k < count; k++) Y[k] /= mass[k];
    }
}

/* Columns of C and rows of M^-1 A of law i; its components are in m->list. */
static tp_status fill_law(maker *m, int i, int touched, tp_velocity_form *form)
{
    const tp_problem *problem = m->problem;
    const tp_set *set = &problem->sets[i];
    int begin = form->start[i], count = form->start[i + 1] - begin, place = 0;
    double *Y = form->Y + (size_t)TP_FORM_ROWS * (size_t)begin;
    for (int k = 0; k < touched; k++) {
        TP_TRY(factorise(m, m->list[k]));
        for (int e = m->parts.start[m->list[k]]; e < m->parts.start[m->list[k] + 1]; e++) {
            form->index[begin + place] = m->parts.member[e];
            m->slot[m->parts.member[e]] = place++;
        }
    }
    copy_law(m, i, form);
    for (int r = 0; r < set->size; r++, Y += count) {
        for (int k = 0, at = 0; k < touched; at += m->factor[m->list[k++]].n)
            solve_part(&m->factor[m->list[k]], Y + at);
    }
    return TP_OK;
}

/* x_free = M^-1 f of the components that laws touch; of the others nothing is asked. */
static void set_free_motion(maker *m, tp_velocity_form *form)
{
    memset(form->x_free, 0, (size_t)m->problem->x_count * sizeof(double));
    for (int j = 0; j < m->problem->x_count && m->mass != NULL; j++)
        form->x_free[j] = m->mark[j] > 0 ? m->problem->f[j] / m->mass[j] : 0.0;
    for (int part = 0; part < m->parts.count; part++) {
        int n = m->factor[part].n, begin = m->parts.start[part];
        for (int k = 0; k < n; k++) m->y[k] = m->problem->f[m->parts.member[begin + k]];
        if (n > 0) solve_part(&m->factor[part], m->y);
        for (int k = 0; k < n; k++) form->x_free[m->parts.member[begin + k]] = m->y[k];
    }
}

/* G_ii = C_i M^-1 A_i + D_ii. */
static void set_block(const tp_velocity_form *form, int i, double *block)
{
    const tp_block_matrix *D = &form->problem->D;
    int size = form->problem->sets[i].size, begin = form->start[i], count = form->start[i + 1] - begin;
    const double *Y = form->Y + (size_t)TP_FORM_ROWS * (size_t)begin;
    const double *own = D->value + D->offset[D->diagonal[i]];
    if (size == 3) {
        double columns[3][TP_FORM_ROWS] = {{0.0}};
        for (int b = 0; b < 3; b++) memcpy(columns[b], own + b * 3, 3 * sizeof(double));
        form->multiply(count, (const double(*)[TP_FORM_ROWS])(form->C + begin), Y, columns);
        for (int b = 0; b < 3; b++) memcpy(block + b * 3, columns[b], 3 * sizeof(double));
        return;
    }
    for (int b = 0; b < size; b++) {
        double column[TP_FORM_ROWS] = {0.0};
        const double *y = Y + (size_t)b * (size_t)count;
        memcpy(column, own + b * size, (size_t)size * sizeof(double));
        quad sum = *(const quad *)column;
        for (int k = 0; k < count; k++) sum += *(const quad *)form->C[begin + k] * y[k];
        *(quad *)column = sum;
        memcpy(block + b * size, column, (size_t)size * sizeof(double));
    }
}

static tp_status make_blocks(tp_stack *stack, tp_velocity_form *form)
{
    const tp_problem *problem = form->problem;
    int rows = problem->set_count;
    tp_block_matrix *G = &form->blocks;
    *G = (tp_block_matrix){
        .block_rows = rows, .block_count = rows, .first = problem->D.first, .uniform = problem->D.uniform};
    G->start = TP_STACK_ARRAY(stack, int, rows + 1);
    TP_STACK_INTS(stack, rows, &G->column, &G->diagonal);
    G->offset = TP_STACK_ARRAY(stack, size_t, rows + 1);
    if (stack->failed) return TP_OUT_OF_MEMORY;
    size_t offset = 0;
    for (int i = 0; i < rows; i++) {
        G->start[i] = G->column[i] = G->diagonal[i] = i;
        G->offset[i] = offset;
        offset += (size_t)problem->sets[i].size * (size_t)problem->sets[i].size;
    }
    G->start[rows] = rows;
    G->offset[rows] = offset;
    G->value = TP_STACK_ARRAY(stack, double, offset + 1);
    if (G->value == NULL) return TP_OUT_OF_MEMORY;
    for (int i = 0; i < rows; i++) set_block(form, i, G->value + G->offset[i]);
    return TP_OK;
}

static tp_status take_arrays(tp_stack *stack, tp_velocity_form *form)
{
    const tp_problem *problem = form->problem;
    size_t count = (size_t)form->start[problem->set_count];
    if (form->index == NULL) form->index = TP_STACK_ARRAY(stack, int, count);
    form->C = tp_stack_take(stack, count, sizeof *form->C);
    form->Y = TP_STACK_ARRAY(stack, double, TP_FORM_ROWS *count);
    TP_STACK_DOUBLES(stack, problem->x_count, &form->x_free, &form->x);
    form->work = 2.0 / 3.0 * (double)count; /* C and Y have three numbers a row and unknown, a block nine */
    return stack->failed ? TP_OUT_OF_MEMORY : TP_OK;
}

tp_status tp_velocity_form_make(const tp_problem *problem, tp_stack *stack, tp_velocity_form *form)
{
    if (!is_suitable(problem)) return TP_UNSUPPORTED;
    *form = (tp_velocity_form){.problem = problem};
    choose_loops(form);
    for (size_t k = 0; k < problem->D.offset[problem->D.block_count]; k++)
        form->has_own = form->has_own || problem->D.value[k] != 0.0;
    maker m = {.problem = problem, .stack = stack};
    TP_TRY(begin_diagonal(&m));
    if (m.mass == NULL) TP_TRY(begin(&m));
    TP_TRY(m.mass != NULL ? list_diagonal(&m, form) : list_unknowns(&m, form));
    TP_TRY(take_arrays(stack, form));
    for (int i = 0; i < problem->set_count; i++) {
        if (m.mass != NULL) {
            fill_diagonal(&m, i, form);
            continue;
        }
        int touched = tp_components_touched(problem, &m.parts, i, m.mark, m.list);
        TP_TRY(fill_law(&m, i, touched, form));
    }
    set_free_motion(&m, form);
    TP_TRY(make_blocks(stack, form));
    double *c = TP_STACK_ARRAY(stack, double, problem->row_count);
    if (c == NULL) return TP_OUT_OF_MEMORY;
    memcpy(form->x, form->x_free, (size_t)problem->x_count * sizeof(double));
    tp_velocity_form_velocities(form, NULL, c);
    return tp_local_measure_blocks(problem, &form->blocks, c, stack, &form->local);
}

void tp_velocity_form_move(tp_velocity_form *form, const double *P)
{
    memcpy(form->x, form->x_free, (size_t)form->problem->x_count * sizeof(double));
    for (int i = 0; i < form->problem->set_count; i++) {
        const tp_set *set = &form->problem->sets[i];
        bool is_moved = false;
        for (int k = 0; k < set->size; k++) is_moved = is_moved || P[set->first + k] != 0.0;
        if (is_moved) tp_velocity_form_push(form, i, P + set->first);
    }
}

void tp_velocity_form_read(const tp_velocity_form *form, int i, double *velocity)
{
    const double(*C)[TP_FORM_ROWS] = (const double(*)[TP_FORM_ROWS])(form->C + form->start[i]);
    form->read(form->start[i + 1] - form->start[i], form->index + form->start[i], C, form->x, velocity);
    const tp_set *set = &form->problem->sets[i];
    for (int r = 0; r < set->size; r++) velocity[r] += form->problem->b[set->first + r];
}

void tp_velocity_form_push(tp_velocity_form *form, int i, const double *step)
{
    int size = form->problem->sets[i].size, count = form->start[i + 1] - form->start[i];
    const int *index = form->index + form->start[i];
    const double *Y = form->Y + (size_t)TP_FORM_ROWS * (size_t)form->start[i];
    if (size == 3) {
        form->push(count, index, Y, step, form->x);
        return;
    }
    for (int r = 0; r < size; r++, Y += count) {
        for (int k = 0; k < count; k++) form->x[index[k]] += Y[k] * step[r];
    }
}

/* xi_i += D_ii P_i. */
static void add_own(const tp_velocity_form *form, int i, const double *P, double *xi)
{
    const tp_block_matrix *D = &form->problem->D;
    const tp_set *set = &form->problem->sets[i];
    tp_dense_multiply_add(set->size, set->size, D->value + D->offset[D->diagonal[i]], set->size,
                          P + set->first, xi);
}

void tp_velocity_form_velocities(const tp_velocity_form *form, const double *P, double *xi_out)
{
    for (int i = 0; i < form->problem->set_count; i++) {
        const tp_set *set = &form->problem->sets[i];
        double *xi = xi_out + set->first, velocity[TP_FORM_ROWS];
        tp_velocity_form_read(form, i, velocity);
        for (int r = 0; r < set->size; r++) xi[r] = velocity[r];
        if (P != NULL && form->has_own) add_own(form, i, P, xi);
    }
}
