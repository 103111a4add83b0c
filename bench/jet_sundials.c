/* SUNDIALS on the equations of a mechanism; see jet_sundials.h. States are x = (q, u) of CVODE and
   x = (q, u, lambda, mu) of IDA; rows that depend on others at the start are left out. */
#include "jet_sundials.h"

#include "math/dense.h"
#include "math/sparse.h"
#include "system/constraint_rows.h"
#include "system/discrete.h"
#include "system/saddle.h"
#include "system/second_level.h"
#include "tippe/euler_parameters.h"

#include <cvode/cvode.h>
#include <cvode/cvode_proj.h>
#include <ida/ida.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdlib.h>
#include <string.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunlinsol/sunlinsol_klu.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunmatrix/sunmatrix_sparse.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

enum { MOST_STEPS = 20000, DENSE_MOST = 40 }; /* unknowns above which IDA has sparse factors */

struct rival {
    tp_system *system;
    tp_jet *jet;
    tp_redundancy *redundancy;
    tp_saddle *saddle;
    tp_arena arena;
    tp_constraint_rows rows;
    int n, m, r; /* coordinates, velocities, rows that are kept */
    int *kept;   /* [rows] place among those that are kept, or -1 */
    int *q_of;   /* [m] the coordinate of a velocity, or the first of its Euler parameters ... */
    int *turn;   /* [m] ... and which rotation it is, 0 to 2; -1: it is none                   */
    double *M, *h, *a, *lambda, *z, *all, *drift[2], *hessian, *stiffness, *damping;
    double *Fs, *Fu, *As, *Au, *K, *right; /* derivatives of forces and rows, the saddle matrix */
    int *pivot;
    bool is_projected, is_marking;
    double *J; /* [size^2] of IDA */
    int size;
    SUNMatrix pattern; /* of sparse factors: SUNDIALS clears that of its matrix */
    double start_q[512], start_u[512];
};

static double *numbers(rival *r, size_t count)
{
    return TP_ARENA_ARRAY(&r->arena, double, count + 1);
}

static void map_velocities(rival *r)
{
    const tp_list *bodies = &r->system->model->bodies;
    for (int j = 0; j < r->m; j++) r->q_of[j] = j, r->turn[j] = -1;
    for (int b = 0; b < bodies->count; b++) {
        const tp_body *body = TP_LIST_AT(*bodies, tp_body, b);
        bool turns = body->kind == TP_BODY_RIGID;
        int moved = turns ? 3 : body->q_count;
        for (int k = 0; k < moved; k++) r->q_of[body->u_first + k] = body->q_first + k;
        for (int k = 0; k < 3 && turns; k++) {
            r->q_of[body->u_first + 3 + k] = body->q_first + 3;
            r->turn[body->u_first + 3 + k] = k;
        }
    }
}

rival *rival_create(tp_system *system, tp_jet *jet)
{
    rival *r = calloc(1, sizeof *r);
    if (r == NULL) return NULL;
    const tp_allocator *allocator = tp_allocator_default();
    tp_arena_init(&r->arena, allocator);
    r->system = system;
    r->jet = jet;
    r->n = system->q_count;
    r->m = system->u_count;
    size_t n = (size_t)r->n, m = (size_t)r->m, most = (size_t)system->largest_columns + 1;
    tp_constraint_rows_create(allocator, &r->arena, system, true, &r->rows);
    size_t rows = (size_t)r->rows.row_count, all = m + rows, size = n + m + 2 * rows;
    r->kept = TP_ARENA_ARRAY(&r->arena, int, rows + 1);
    r->q_of = TP_ARENA_ARRAY(&r->arena, int, m + 1);
    r->turn = TP_ARENA_ARRAY(&r->arena, int, m + 1);
    r->pivot = TP_ARENA_ARRAY(&r->arena, int, all + 1);
    size_t entries = (size_t)tp_sparse_count(&system->jacobian_pattern);
    r->M = numbers(r, entries), r->stiffness = numbers(r, entries), r->damping = numbers(r, entries);
    r->h = numbers(r, n + m), r->a = numbers(r, m), r->lambda = numbers(r, rows);
    r->z = numbers(r, (size_t)tp_jet_state_count(jet));
    r->all = numbers(r, (size_t)system->law_count * TP_LAW_ROWS);
    r->drift[0] = numbers(r, TP_LAW_ROWS * most), r->drift[1] = numbers(r, TP_LAW_ROWS * most);
    r->hessian = numbers(r, most * most);
    r->Fs = numbers(r, m * m), r->Fu = numbers(r, m * m);
    r->As = numbers(r, rows * m), r->Au = numbers(r, rows * m);
    r->K = numbers(r, all * all), r->right = numbers(r, all * 2 * m), r->J = numbers(r, size * size);
    bool is_good = tp_arena_status(&r->arena) == TP_OK &&
                   tp_redundancy_create(allocator, system, &r->redundancy) == TP_OK &&
                   tp_saddle_create(allocator, system, r->redundancy, &r->saddle) == TP_OK;
    if (!is_good) {
        rival_free(r);
        return NULL;
    }
    map_velocities(r);
    return r;
}

void rival_free(rival *r)
{
    if (r == NULL) return;
    tp_saddle_free(r->saddle);
    tp_redundancy_free(r->redundancy);
    tp_constraint_rows_free(&r->rows);
    tp_arena_clear(&r->arena);
    free(r);
}

/* ---- the mechanism at a point ---- */

/* Rows that are left out at the start stay so. */
static void find_kept(rival *r, const double *q, const double *u)
{
    tp_system_move(r->system, 0.0, q, u);
    tp_system_mass(r->system, r->M);
    tp_redundancy_find(r->redundancy, r->M);
    r->r = 0;
    for (int i = 0; i < r->rows.law_count; i++) {
        for (int k = r->rows.first[i]; k < r->rows.first[i + 1]; k++) {
            bool is_out = tp_redundancy_leaves_out(r->redundancy, r->rows.law[i], k - r->rows.first[i]);
            r->kept[k] = is_out ? -1 : r->r++;
        }
    }
}

/* u' into r->a, forces of rows that are kept into r->lambda. */
static bool accelerate(rival *r, double t, const double *q, const double *u)
{
    bool is_exact;
    tp_system_move(r->system, t, q, u);
    tp_system_mass(r->system, r->M);
    tp_system_force(r->system, r->h);
    if (tp_saddle_update(r->saddle, r->M, &is_exact) != TP_OK) return false;
    if (tp_saddle_solve(r->saddle, r->h, r->a, r->all) != TP_OK) return false;
    for (int i = 0; i < r->rows.law_count; i++) {
        for (int k = r->rows.first[i]; k < r->rows.first[i + 1]; k++) {
            if (r->kept[k] >= 0)
                r->lambda[r->kept[k]] = r->all[r->rows.law[i] * TP_LAW_ROWS + k - r->rows.first[i]];
        }
    }
    return true;
}

/* Fs = d(M a - h - W lambda)/ds along velocities, Fu = -dh/du; As = d(W^T v)/ds of rows for given v, plus
   the derivatives of their drift if asked for, Au those with respect to u. Where the system is. */
static void differentiate(rival *r, const double *a, const double *lambda, const double *v, bool with_drift)
{
    tp_system *system = r->system;
    const tp_sparse *P = &system->jacobian_pattern;
    size_t m = (size_t)r->m, rows = (size_t)r->r;
    tp_system_force_jacobian(system, r->stiffness, r->damping);
    for (int k = 0; k < tp_sparse_count(P); k++) r->stiffness[k] = -r->stiffness[k];
    tp_system_add_mass_jacobian(system, a, r->stiffness);
    memset(r->Fs, 0, m * m * sizeof(double));
    memset(r->Fu, 0, m * m * sizeof(double));
    memset(r->As, 0, rows * m * sizeof(double));
    memset(r->Au, 0, rows * m * sizeof(double));
    for (int j = 0; j < P->cols; j++) {
        for (int k = P->start[j]; k < P->start[j + 1]; k++) {
            r->Fs[(size_t)P->index[k] + m * (size_t)j] = r->stiffness[k];
            r->Fu[(size_t)P->index[k] + m * (size_t)j] = -r->damping[k];
        }
    }
    for (int i = 0; i < r->rows.law_count; i++) {
        int law = r->rows.law[i], count = tp_system_law_column_count(system, law);
        const int *columns = tp_system_law_columns(system, law);
        if (with_drift) tp_system_law_drift_jacobian(system, law, r->drift[0], r->drift[1]);
        for (int k = r->rows.first[i]; k < r->rows.first[i + 1]; k++) {
            int row = r->kept[k], part = k - r->rows.first[i];
            if (row < 0) continue;
            tp_system_law_hessian(system, law, part, r->hessian);
            for (int j = 0; j < count; j++) {
                double *As = &r->As[(size_t)row + rows * (size_t)columns[j]];
                for (int l = 0; l < count; l++) {
                    r->Fs[(size_t)columns[l] + m * (size_t)columns[j]] -=
                        lambda[row] * r->hessian[l + count * j];
                    *As += v[columns[l]] * r->hessian[l + count * j];
                }
                if (!with_drift) continue;
                *As += r->drift[0][part * count + j];
                r->Au[(size_t)row + rows * (size_t)columns[j]] += r->drift[1][part * count + j];
            }
        }
    }
}

/* ---- entries of a Jacobian over (q, u, ...) ---- */

typedef struct entries {
    rival *r;
    double *J;
    int size;
    const double *q;
} entries;

static void add(const entries *e, int i, int j, double value)
{
    if (e->r->is_marking)
        e->J[i + (size_t)e->size * (size_t)j] = 1.0;
    else
        e->J[i + (size_t)e->size * (size_t)j] += value;
}

static tp_quat theta_at(const double *p)
{
    return tp_quat_make(p[0], p[1], p[2], p[3]);
}

static tp_quat unit_quat(int c)
{
    return tp_quat_make(c == 0, c == 1, c == 2, c == 3);
}

/* A derivative along velocity j as one along coordinates: 2 H of rotations. */
static void add_along(const entries *e, int i, int j, double value)
{
    const rival *r = e->r;
    int q = r->q_of[j];
    if (r->turn[j] < 0) {
        add(e, i, q, value);
        return;
    }
    for (int c = 0; c < 4; c++) {
        double s[3];
        tp_vec3_to_array(tp_euler_velocity(theta_at(e->q + q), unit_quat(c)), s);
        add(e, i, q + c, value * s[r->turn[j]]);
    }
}

/* Entry (i of q', j of u) of B, for a row over coordinates. */
static double rate_of(const rival *r, const double *q, int j, int c)
{
    double s[3] = {r->turn[j] == 0, r->turn[j] == 1, r->turn[j] == 2};
    tp_quat rate = tp_euler_rate(theta_at(q + r->q_of[j]), tp_vec3_from_array(s));
    return c == 0 ? rate.w : c == 1 ? rate.x : c == 2 ? rate.y : rate.z;
}

/* factor B at columns first + j, and factor d(B u)/dq. */
static void add_rates(const entries *e, double factor, const double *u)
{
    const rival *r = e->r;
    for (int j = 0; j < r->m; j++) {
        int q = r->q_of[j];
        if (r->turn[j] < 0) add(e, q, r->n + j, factor);
        for (int c = 0; c < 4 && r->turn[j] >= 0; c++)
            add(e, q + c, r->n + j, factor * rate_of(r, e->q, j, c));
        if (r->turn[j] != 0) continue;
        for (int c = 0; c < 4; c++) {
            tp_quat rate = tp_euler_rate(unit_quat(c), tp_vec3_from_array(u + j));
            add(e, q, q + c, factor * rate.w);
            add(e, q + 1, q + c, factor * rate.x);
            add(e, q + 2, q + c, factor * rate.y);
            add(e, q + 3, q + c, factor * rate.z);
        }
    }
}

/* ---- CVODE ---- */

static int cvode_rate(realtype t, N_Vector x, N_Vector out, void *context)
{
    rival *r = context;
    const double *q = N_VGetArrayPointer(x), *u = q + r->n;
    double *rate = N_VGetArrayPointer(out);
    if (r->is_projected) {
        tp_jet_put(r->jet, q, u, r->z);
        if (tp_jet_project(r->jet, t, false, r->z) != TP_OK) return 1;
        tp_jet_get(r->jet, r->z, r->start_q, r->start_u);
        q = r->start_q, u = r->start_u;
    }
    if (!accelerate(r, t, q, u)) return 1;
    memset(rate, 0, (size_t)r->n * sizeof(double));
    tp_system_add_change(r->system, u, 1.0, rate);
    memcpy(rate + r->n, r->a, (size_t)r->m * sizeof(double));
    return 0;
}

static int cvode_project(realtype t, N_Vector x, N_Vector correction, realtype epsilon, N_Vector error,
                         void *context)
{
    rival *r = context;
    double *change = N_VGetArrayPointer(correction);
    const double *from = N_VGetArrayPointer(x);
    (void)epsilon, (void)error;
    tp_jet_put(r->jet, from, from + r->n, r->z);
    if (tp_jet_project(r->jet, t, false, r->z) != TP_OK) return 1;
    tp_jet_get(r->jet, r->z, change, change + r->n);
    for (int i = 0; i < r->n + r->m; i++) change[i] -= from[i];
    return 0;
}

/* [M -W; W^T 0] (da, dlambda) = -(Fs ds + Fu du, As ds + Au du). */
static bool solve_saddle(rival *r)
{
    int m = r->m, rows = r->r, all = m + rows;
    const tp_sparse *P = &r->system->mass_pattern, *A = &r->rows.A;
    memset(r->K, 0, (size_t)all * (size_t)all * sizeof(double));
    for (int j = 0; j < m; j++) {
        for (int k = P->start[j]; k < P->start[j + 1]; k++) r->K[P->index[k] + all * j] = r->M[k];
    }
    tp_constraint_rows_evaluate(&r->rows);
    for (int k = 0; k < A->cols; k++) {
        int row = m + r->kept[k];
        for (int l = A->start[k]; l < A->start[k + 1] && row >= m; l++) {
            r->K[A->index[l] + all * row] = -A->value[l];
            r->K[row + all * A->index[l]] = A->value[l];
        }
    }
    if (tp_dense_lu(all, r->K, all, r->pivot, 0.0) != TP_OK) return false;
    for (int j = 0; j < 2 * m; j++) {
        double *right = r->right + (size_t)all * (size_t)j;
        const double *F = (j < m ? r->Fs : r->Fu) + m * (j % m),
                     *W = (j < m ? r->As : r->Au) + rows * (j % m);
        for (int i = 0; i < m; i++) right[i] = -F[i];
        for (int i = 0; i < rows; i++) right[m + i] = -W[i];
        tp_dense_lu_solve(all, r->K, all, r->pivot, right);
    }
    return true;
}

static int cvode_jacobian(realtype t, N_Vector x, N_Vector f, SUNMatrix out, void *context, N_Vector w1,
                          N_Vector w2, N_Vector w3)
{
    rival *r = context;
    const double *q = N_VGetArrayPointer(x), *u = q + r->n;
    int all = r->m + r->r;
    (void)f, (void)w1, (void)w2, (void)w3;
    entries e = {r, SM_DATA_D(out), r->n + r->m, q};
    SUNMatZero(out);
    if (!accelerate(r, t, q, u)) return 1;
    differentiate(r, r->a, r->lambda, r->a, true);
    if (!solve_saddle(r)) return 1;
    add_rates(&e, 1.0, u);
    for (int j = 0; j < r->m; j++) {
        for (int i = 0; i < r->m; i++) {
            add_along(&e, r->n + i, j, r->right[i + all * j]);
            add(&e, r->n + i, r->n + j, r->right[i + all * (r->m + j)]);
        }
    }
    return 0;
}

static void cvode_silent(int code, const char *module, const char *function, char *text, void *context)
{
    (void)code, (void)module, (void)function, (void)text, (void)context;
}

static bool run_cvode(rival *r, rival_method method, double tolerance, double until, N_Vector x,
                      SUNContext context)
{
    bool is_bdf = method == RIVAL_BDF;
    void *memory = CVodeCreate(is_bdf ? CV_BDF : CV_ADAMS, context);
    r->is_projected = method == RIVAL_ADAMS_PROJECTED;
    CVodeInit(memory, cvode_rate, 0.0, x);
    CVodeSStolerances(memory, tolerance, tolerance);
    CVodeSetUserData(memory, r);
    CVodeSetMaxNumSteps(memory, MOST_STEPS);
    CVodeSetErrHandlerFn(memory, cvode_silent, NULL);
    CVodeSetStopTime(memory, until);
    SUNMatrix matrix = NULL;
    SUNLinearSolver linear = NULL;
    SUNNonlinearSolver fixed = NULL;
    if (is_bdf) {
        matrix = SUNDenseMatrix(r->n + r->m, r->n + r->m, context);
        linear = SUNLinSol_Dense(x, matrix, context);
        CVodeSetLinearSolver(memory, linear, matrix);
        CVodeSetJacFn(memory, cvode_jacobian);
        CVodeSetProjFn(memory, cvode_project);
    } else {
        fixed = SUNNonlinSol_FixedPoint(x, 0, context);
        CVodeSetNonlinearSolver(memory, fixed);
    }
    realtype t = 0.0;
    int flag = CVode(memory, until, x, &t, CV_NORMAL);
    CVodeFree(&memory);
    if (fixed != NULL) SUNNonlinSolFree(fixed);
    if (linear != NULL) SUNLinSolFree(linear);
    if (matrix != NULL) SUNMatDestroy(matrix);
    return flag >= 0;
}

/* ---- IDA ---- */

/* W x of rows that are kept, added to out [m]. */
static void spread(const rival *r, const double *x, double factor, double *out)
{
    const tp_sparse *A = &r->rows.A;
    for (int k = 0; k < A->cols; k++) {
        if (r->kept[k] < 0) continue;
        for (int l = A->start[k]; l < A->start[k + 1]; l++)
            out[A->index[l]] += factor * A->value[l] * x[r->kept[k]];
    }
}

static int ida_residual(realtype t, N_Vector x, N_Vector x1, N_Vector out, void *context)
{
    rival *r = context;
    const double *q = N_VGetArrayPointer(x), *u = q + r->n, *lambda = u + r->m, *mu = lambda + r->r,
                 *q1 = N_VGetArrayPointer(x1), *u1 = q1 + r->n;
    double *F = N_VGetArrayPointer(out), *Fu = F + r->n, *Fg = Fu + r->m, *Fv = Fg + r->r;
    const tp_sparse *P = &r->system->mass_pattern, *A = &r->rows.A;
    tp_system_move(r->system, t, q, u);
    tp_system_mass(r->system, r->M);
    tp_system_force(r->system, r->h);
    tp_constraint_rows_evaluate(&r->rows);
    memcpy(r->a, u, (size_t)r->m * sizeof(double));
    spread(r, mu, 1.0, r->a);
    memcpy(F, q1, (size_t)r->n * sizeof(double));
    tp_system_add_change(r->system, r->a, -1.0, F);
    for (int j = 0; j < r->m; j++) Fu[j] = -r->h[j];
    for (int j = 0; j < r->m; j++) {
        for (int k = P->start[j]; k < P->start[j + 1]; k++) Fu[P->index[k]] += r->M[k] * u1[j];
    }
    spread(r, lambda, -1.0, Fu);
    for (int i = 0; i < r->rows.law_count; i++) {
        double g[TP_LAW_ROWS];
        tp_system_law_positions(r->system, r->rows.law[i], g);
        for (int k = r->rows.first[i]; k < r->rows.first[i + 1]; k++) {
            if (r->kept[k] < 0) continue;
            Fg[r->kept[k]] = g[k - r->rows.first[i]];
            Fv[r->kept[k]] =
                r->rows.chi[k] + tp_row_velocity(A->start[k + 1] - A->start[k], A->index + A->start[k],
                                                 A->value + A->start[k], u);
        }
    }
    return 0;
}

/* d(B W mu)/dq is left out: mu is of the size of the error. */
static void fill_ida(rival *r, const entries *e, double cj, const double *u, const double *lambda,
                     const double *u1)
{
    const tp_sparse *P = &r->system->mass_pattern, *J = &r->system->jacobian_pattern, *A = &r->rows.A;
    int n = r->n, m = r->m, at_lambda = n + m, at_mu = n + m + r->r;
    differentiate(r, u1, lambda, u, false);
    for (int i = 0; i < n; i++) add(e, i, i, cj);
    add_rates(e, -1.0, u);
    for (int j = 0; j < m; j++) {
        for (int k = P->start[j]; k < P->start[j + 1]; k++) add(e, n + P->index[k], n + j, cj * r->M[k]);
        for (int k = J->start[j]; k < J->start[j + 1]; k++)
            add(e, n + J->index[k], n + j, r->Fu[J->index[k] + m * j]);
        for (int i = 0; i < m; i++) {
            if (r->is_marking || r->Fs[i + m * j] != 0.0) add_along(e, n + i, j, r->Fs[i + m * j]);
        }
    }
    for (int k = 0; k < A->cols; k++) {
        int row = r->kept[k];
        for (int l = A->start[k]; l < A->start[k + 1] && row >= 0; l++) {
            int j = A->index[l];
            double W = A->value[l];
            add(e, n + j, at_lambda + row, -W);
            if (r->turn[j] < 0) add(e, r->q_of[j], at_mu + row, -W);
            for (int c = 0; c < 4 && r->turn[j] >= 0; c++)
                add(e, r->q_of[j] + c, at_mu + row, -W * rate_of(r, e->q, j, c));
            add_along(e, at_lambda + row, j, W);
            add_along(e, at_mu + row, j, r->As[row + r->r * j]);
            add(e, at_mu + row, n + j, W);
        }
    }
}

static int ida_jacobian(realtype t, realtype cj, N_Vector x, N_Vector x1, N_Vector F, SUNMatrix out,
                        void *context, N_Vector w1, N_Vector w2, N_Vector w3)
{
    rival *r = context;
    const double *q = N_VGetArrayPointer(x), *u = q + r->n;
    bool is_dense = SUNMatGetID(out) == SUNMATRIX_DENSE;
    (void)F, (void)w1, (void)w2, (void)w3;
    entries e = {r, is_dense ? SM_DATA_D(out) : r->J, r->size, q};
    if (is_dense) SUNMatZero(out);
    tp_system_move(r->system, t, q, u);
    tp_system_mass(r->system, r->M);
    tp_constraint_rows_evaluate(&r->rows);
    fill_ida(r, &e, cj, u, u + r->m, N_VGetArrayPointer(x1) + r->n);
    if (!is_dense) SUNMatCopy(r->pattern, out);
    for (int j = 0; j < r->size && !is_dense; j++) {
        for (long k = SM_INDEXPTRS_S(out)[j]; k < SM_INDEXPTRS_S(out)[j + 1]; k++) {
            size_t at = (size_t)SM_INDEXVALS_S(out)[k] + (size_t)r->size * (size_t)j;
            SM_DATA_S(out)[k] = r->J[at];
            r->J[at] = 0.0;
        }
    }
    return 0;
}

/* The pattern of the matrix: entries that a filling touches. */
static SUNMatrix make_pattern(rival *r, N_Vector x, SUNContext context)
{
    size_t size = (size_t)r->size, count = 0;
    const double *q = N_VGetArrayPointer(x);
    entries e = {r, r->J, r->size, q};
    memset(r->J, 0, size * size * sizeof(double));
    tp_system_move(r->system, 0.0, q, q + r->n);
    tp_system_mass(r->system, r->M);
    tp_constraint_rows_evaluate(&r->rows);
    r->is_marking = true;
    fill_ida(r, &e, 1.0, q + r->n, q + r->n + r->m, r->a);
    r->is_marking = false;
    for (size_t i = 0; i < size * size; i++) count += r->J[i] != 0.0;
    SUNMatrix out = SUNSparseMatrix(r->size, r->size, (long)count, CSC_MAT, context);
    count = 0;
    for (size_t j = 0; j < size; j++) {
        SM_INDEXPTRS_S(out)[j] = (long)count;
        for (size_t i = 0; i < size; i++) {
            if (r->J[i + size * j] != 0.0) SM_INDEXVALS_S(out)[count++] = (long)i;
        }
    }
    SM_INDEXPTRS_S(out)[size] = (long)count;
    memset(r->J, 0, size * size * sizeof(double));
    return out;
}

/* Multipliers follow from the rest: in the norm of Newton's method they would only fail it, since their
   errors are those of the rest over the step. The first step, as a share of the run and of sqrt(tolerance).
 */
static const double free_multiplier = 1e20, first_share = 0.01;

static bool run_ida(rival *r, double tolerance, double until, N_Vector x, SUNContext context)
{
    double *q = N_VGetArrayPointer(x), *u = q + r->n;
    N_Vector x1 = N_VClone(x), id = N_VClone(x), atol = N_VClone(x);
    N_VConst(0.0, x1);
    N_VConst(0.0, id);
    accelerate(r, 0.0, q, u);
    memcpy(u + r->m, r->lambda, (size_t)r->r * sizeof(double));
    tp_system_add_change(r->system, u, 1.0, N_VGetArrayPointer(x1));
    memcpy(N_VGetArrayPointer(x1) + r->n, r->a, (size_t)r->m * sizeof(double));
    for (int i = 0; i < r->n + r->m; i++) N_VGetArrayPointer(id)[i] = 1.0;
    void *memory = IDACreate(context);
    bool is_dense = r->size <= DENSE_MOST;
    IDAInit(memory, ida_residual, 0.0, x, x1);
    for (int i = 0; i < r->size; i++)
        N_VGetArrayPointer(atol)[i] = i < r->n + r->m ? tolerance : free_multiplier;
    IDASVtolerances(memory, tolerance, atol);
    IDASetInitStep(memory, first_share * sqrt(tolerance) * until);
    IDASetUserData(memory, r);
    IDASetId(memory, id);
    IDASetSuppressAlg(memory, SUNTRUE);
    IDASetMaxNumSteps(memory, MOST_STEPS);
    IDASetErrHandlerFn(memory, cvode_silent, NULL);
    IDASetStopTime(memory, until);
    r->pattern = is_dense ? NULL : make_pattern(r, x, context);
    SUNMatrix matrix = is_dense ? SUNDenseMatrix(r->size, r->size, context) : SUNMatClone(r->pattern);
    if (!is_dense) SUNMatCopy(r->pattern, matrix);
    SUNLinearSolver linear =
        is_dense ? SUNLinSol_Dense(x, matrix, context) : SUNLinSol_KLU(x, matrix, context);
    IDASetLinearSolver(memory, linear, matrix);
    IDASetJacFn(memory, ida_jacobian);
    realtype t = 0.0;
    int flag = IDASolve(memory, until, &t, x, x1, IDA_NORMAL);
    IDAFree(&memory);
    SUNLinSolFree(linear);
    SUNMatDestroy(matrix);
    if (!is_dense) SUNMatDestroy(r->pattern);
    N_VDestroy(x1);
    N_VDestroy(id);
    N_VDestroy(atol);
    return flag >= 0;
}

bool rival_run(rival *r, rival_method method, double tolerance, double until, const double *q,
               const double *u, double *q_out)
{
    SUNContext context = NULL;
    if (SUNContext_Create(NULL, &context) != 0) return false;
    find_kept(r, q, u);
    r->size = r->n + r->m + (method == RIVAL_IDA ? 2 * r->r : 0);
    N_Vector x = N_VNew_Serial(r->size, context);
    N_VConst(0.0, x);
    memcpy(N_VGetArrayPointer(x), q, (size_t)r->n * sizeof(double));
    memcpy(N_VGetArrayPointer(x) + r->n, u, (size_t)r->m * sizeof(double));
    bool is_good = method == RIVAL_IDA ? run_ida(r, tolerance, until, x, context)
                                       : run_cvode(r, method, tolerance, until, x, context);
    memcpy(q_out, N_VGetArrayPointer(x), (size_t)r->n * sizeof(double));
    N_VDestroy(x);
    SUNContext_Free(&context);
    return is_good;
}

/* ---- the Jacobians against differences ---- */

enum { CHECKED_MOST = 512 };

/* Directions in which a step moves x: unit vectors, of Euler parameters along their sphere. */
static bool direct(const rival *r, const double *q, int k, double *v)
{
    memset(v, 0, (size_t)r->size * sizeof(double));
    if (k >= r->m) {
        v[r->n + k - r->m] = 1.0;
        return r->n + k - r->m < r->size;
    }
    if (r->turn[k] < 0) v[r->q_of[k]] = 1.0;
    for (int c = 0; c < 4 && r->turn[k] >= 0; c++) v[r->q_of[k] + c] = rate_of(r, q, k, c);
    return true;
}

/* Largest error of J v against a difference of the function, over all directions. */
static double check_matrix(rival *r, bool is_ida, SUNMatrix J, N_Vector x, N_Vector x1, double cj)
{
    const double d = 1e-6;
    double worst = 0.0, v[CHECKED_MOST], *values = N_VGetArrayPointer(x), *rates = N_VGetArrayPointer(x1);
    N_Vector f[2] = {N_VClone(x), N_VClone(x)};
    for (int k = 0; direct(r, values, k, v); k++) {
        for (int side = 0; side < 2; side++) {
            double change = side == 0 ? d : -d;
            for (int i = 0; i < r->size; i++) values[i] += change * v[i], rates[i] += cj * change * v[i];
            if (is_ida)
                ida_residual(0.0, x, x1, f[side], r);
            else
                cvode_rate(0.0, x, f[side], r);
            for (int i = 0; i < r->size; i++) values[i] -= change * v[i], rates[i] -= cj * change * v[i];
        }
        for (int i = 0; i < r->size; i++) {
            double product = 0.0;
            for (int j = 0; j < r->size; j++) product += SM_ELEMENT_D(J, i, j) * v[j];
            double slope = N_VGetArrayPointer(f[0])[i] - N_VGetArrayPointer(f[1])[i];
            worst = fmax(worst, fabs(product - slope / (2.0 * d)));
        }
    }
    N_VDestroy(f[0]);
    N_VDestroy(f[1]);
    return worst;
}

double rival_check(rival *r, const double *q, const double *u)
{
    SUNContext context = NULL;
    if (SUNContext_Create(NULL, &context) != 0) return INFINITY;
    double worst = 0.0;
    r->is_projected = false;
    find_kept(r, q, u);
    for (int is_ida = 0; is_ida < 2; is_ida++) {
        const double cj = is_ida ? 3.0 : 0.0;
        double largest = 0.0;
        r->size = r->n + r->m + (is_ida ? 2 * r->r : 0);
        N_Vector x = N_VNew_Serial(r->size, context), x1 = N_VClone(x);
        double *values = N_VGetArrayPointer(x);
        SUNMatrix J = SUNDenseMatrix(r->size, r->size, context);
        N_VConst(0.0, x);
        N_VConst(0.0, x1);
        memcpy(values, q, (size_t)r->n * sizeof(double));
        for (int k = 0; k < r->m; k++) values[r->n + k] = u[k] + 0.2 * (k % 3);
        for (int k = r->n + r->m; k < r->size - r->r; k++) values[k] = 0.1 * (k % 7);
        for (int k = r->n; k < r->n + r->m; k++) N_VGetArrayPointer(x1)[k] = 0.3 * (k % 5);
        if (is_ida)
            ida_jacobian(0.0, cj, x, x1, x1, J, r, NULL, NULL, NULL);
        else
            cvode_jacobian(0.0, x, x1, J, r, NULL, NULL, NULL);
        for (int i = 0; i < r->size * r->size; i++) largest = fmax(largest, fabs(SM_DATA_D(J)[i]));
        worst = fmax(worst, check_matrix(r, is_ida, J, x, x1, cj) / largest);
        SUNMatDestroy(J);
        N_VDestroy(x);
        N_VDestroy(x1);
    }
    SUNContext_Free(&context);
    return worst;
}
