/* Rows of laws with exact derivatives, and the fields of directions that they admit; docs/theory/holonomy.md
   (3)-(7). */
#include "row_derivatives.h"

#include "math/analysis.h"
#include "math/dense.h"
#include "tolerances.h"

#include <math.h>
#include <string.h>

/* ---- creation ---- */

static tp_status take_memory(tp_distribution *d, tp_arena *arena)
{
    size_t rows = (size_t)d->row_count, width = (size_t)d->width, size = (size_t)d->size,
           columns = (size_t)d->system->largest_columns + TP_PAIR_COLUMNS;
    TP_ARENA_DOUBLES(arena, d->system->q_count, &d->q, &d->moved);
    TP_ARENA_DOUBLES(arena, rows * width, &d->A, &d->Q);
    TP_ARENA_DOUBLES(arena, rows * width * size, &d->D);
    TP_ARENA_DOUBLES(arena, size * width, &d->F);
    TP_ARENA_DOUBLES(arena, d->is_own ? size * width * size : 0, &d->dF);
    TP_ARENA_DOUBLES(arena, width * size, &d->inverse);
    TP_ARENA_DOUBLES(arena, rows * rows, &d->L);
    TP_ARENA_DOUBLES(arena, TP_LAW_ROWS * columns, &d->W);
    TP_ARENA_DOUBLES(arena, columns * columns, &d->H);
    TP_ARENA_DOUBLES(arena, (rows + size) * width, &d->near);
    TP_ARENA_DOUBLES(arena, size, &d->unit);
    TP_ARENA_DOUBLES(arena, d->system->u_count, &d->u);
    d->pick = TP_ARENA_ARRAY(arena, int, rows + 1);
    d->local = TP_ARENA_ARRAY(arena, int, d->system->u_count + 1);
    return tp_arena_status(arena);
}

tp_status tp_distribution_create(const tp_allocator *allocator, tp_arena *arena, tp_system *system,
                                 const tp_part_law *laws, int law_count, const int *velocities, int count,
                                 tp_distribution *out)
{
    bool is_own = system->own_velocities && count > 0 && velocities[0] < system->general_u;
    *out = (tp_distribution){.allocator = allocator,
                             .system = system,
                             .laws = laws,
                             .law_count = law_count,
                             .velocity = velocities,
                             .width = 1 + count,
                             .is_own = is_own,
                             .general = is_own ? system->general_q : 0,
                             .is_exact = !is_own || system->general_q == system->general_u};
    out->size = out->width + (is_own ? system->general_q - system->general_u : 0);
    for (int k = 0; k < law_count; k++) out->row_count += laws[k].row_count;
    TP_TRY(take_memory(out, arena));
    for (int k = 0; k < count; k++) out->local[velocities[k]] = 1 + k;
    for (int i = 0; i < out->size; i++) out->unit[i] = 1.0;
    for (int a = 1; a < out->width; a++) {
        int body_place = a + out->size - out->width;
        if (!is_own || velocities[a - 1] >= system->general_u)
            out->unit[body_place] = system->unit[velocities[a - 1]];
    }
    return TP_OK;
}

/* ---- rows at a point ---- */

void tp_rows_fill(tp_distribution *d, double *A, double *F)
{
    tp_system *system = d->system;
    int width = d->width, row = 0;
    memset(A, 0, (size_t)(d->row_count * width) * sizeof(double));
    for (int k = 0; k < d->law_count; k++) {
        double chi[TP_LAW_ROWS];
        int law = d->laws[k].law, count = tp_system_law_column_count(system, law);
        const int *columns = tp_system_law_columns(system, law);
        tp_system_law_rows(system, law, d->W, chi);
        for (int r = 0; r < d->laws[k].row_count; r++, row++) {
            A[row * width] = chi[r];
            for (int c = 0; c < count; c++) {
                int a = d->local[columns[c]];
                A[row * width + a] = d->W[r * count + c] * tp_column_unit(d, a);
            }
        }
    }
    memset(F, 0, (size_t)(d->size * width) * sizeof(double));
    F[0] = 1.0;
    int n = system->general_q, m = d->is_own ? system->general_u : 0;
    for (int i = 0; i < d->general; i++) {
        F[(1 + i) * width] = system->beta[i];
        for (int j = 0; j < m; j++) F[(1 + i) * width + 1 + j] = system->B[i + j * n];
    }
    for (int a = 1 + m; a < width; a++) F[(a + d->size - width) * width + a] = 1.0;
}

void tp_rows_stand(tp_distribution *d, double t, const double *q)
{
    memset(d->u, 0, (size_t)d->system->u_count * sizeof(double));
    tp_system_move(d->system, t, q, d->u);
}

/* ---- the point ---- */

/* Rows of unit length. */
static bool normalise(tp_distribution *d)
{
    for (int r = 0; r < d->row_count; r++) {
        double *row = d->A + r * d->width, length = tp_dense_norm(d->width, row);
        if (!isfinite(length)) return false;
        if (length == 0.0) continue;
        for (int a = 0; a < d->width; a++) row[a] /= length;
        for (int e = 0; e < d->width * d->size; e++) d->D[r * d->width * d->size + e] /= length;
    }
    for (int e = 0; e < d->row_count * d->width * d->size; e++) {
        if (!isfinite(d->D[e])) return false;
    }
    return true;
}

/* A row minus its parts along the first `rank` of Q, over columns [from, width); returns its length. */
static double subtract_parts(const tp_distribution *d, int r, int from, int rank, double *own)
{
    int width = d->width;
    for (int a = 0; a < width; a++) own[a] = a < from ? 0.0 : d->A[r * width + a];
    tp_dense_take_out(width - from, rank, d->Q + from, width, own + from);
    return tp_dense_norm(width - from, own + from);
}

static void keep_row(tp_distribution *d, int r, int from, int rank)
{
    double *own = d->Q + rank * d->width, length = subtract_parts(d, r, from, rank, own);
    for (int a = from; a < d->width; a++) own[a] /= length;
}

/* Q and L of the rows of pick, and both ranks. */
static void orthonormalise(tp_distribution *d)
{
    for (int from = 1; from >= 0; from--) {
        d->rank = 0;
        for (int i = 0; i < d->picked; i++) {
            double rest = subtract_parts(d, d->pick[i], from, d->rank, d->Q + d->rank * d->width);
            if (!(rest > tp_dependent_row)) continue;
            keep_row(d, d->pick[i], from, d->rank++);
        }
        if (from == 1) d->space_rank = d->rank;
    }
    for (int i = 0; i < d->rank; i++) {
        for (int k = 0; k <= i; k++)
            d->L[i * d->row_count + k] =
                tp_dense_dot(d->width, d->Q + k * d->width, d->A + d->pick[i] * d->width);
    }
}

int tp_distribution_pick(tp_distribution *d)
{
    for (d->picked = 0; d->picked < d->row_count; d->picked++) {
        int best = -1;
        double farthest = tp_dependent_row;
        for (int r = 0; r < d->row_count; r++) {
            double rest = subtract_parts(d, r, 0, d->picked, d->Q + d->picked * d->width);
            if (!(rest > farthest)) continue;
            farthest = rest;
            best = r;
        }
        if (best < 0) break;
        d->pick[d->picked] = best;
        keep_row(d, best, 0, d->picked);
    }
    orthonormalise(d);
    return d->picked;
}

static bool invert_lift(tp_distribution *d)
{
    int n = d->width;
    if (!d->is_own || d->size != n) return true;
    tp_arena arena = tp_arena_make(d->allocator);
    double *lu = TP_ARENA_ARRAY(&arena, double, n *n), *column = TP_ARENA_ARRAY(&arena, double, n);
    int *pivot = TP_ARENA_ARRAY(&arena, int, n);
    bool is_regular = tp_arena_status(&arena) == TP_OK;
    for (int e = 0; e < n * n && is_regular; e++) lu[e] = d->F[e % n * n + e / n];
    is_regular = is_regular && tp_dense_lu(n, lu, n, pivot, 0.0) == TP_OK;
    for (int j = 0; j < n && is_regular; j++) {
        memset(column, 0, (size_t)n * sizeof(double));
        column[j] = 1.0;
        tp_dense_lu_solve(n, lu, n, pivot, column);
        for (int b = 0; b < n; b++) d->inverse[b * n + j] = column[b];
    }
    tp_arena_clear(&arena);
    return is_regular;
}

bool tp_distribution_move(tp_distribution *d, double t, const double *q)
{
    size_t derivatives = (size_t)(d->width * d->size) * sizeof(double);
    d->t = t;
    if (q != d->q) memcpy(d->q, q, (size_t)d->system->q_count * sizeof(double));
    tp_rows_stand(d, t, d->q);
    tp_rows_fill(d, d->A, d->F);
    if (!invert_lift(d)) return false;
    for (int attempt = 0; attempt < 2; attempt++) {
        memset(d->D, 0, (size_t)d->row_count * derivatives);
        if (d->is_own) memset(d->dF, 0, (size_t)d->size * derivatives);
        if (!d->is_exact) tp_rows_difference(d);
        if (!d->is_exact || tp_rows_differentiate(d)) break;
    }
    if (!normalise(d)) return false;
    orthonormalise(d);
    return d->rank == d->picked;
}

/* ---- fields ---- */

void tp_distribution_project(const tp_distribution *d, const double *v, double *out)
{
    if (out != v) memcpy(out, v, (size_t)d->width * sizeof(double));
    tp_dense_take_out(d->width, d->rank, d->Q, d->width, out);
}

/* Change of row r along X, applied to v. */
static double row_change(const tp_distribution *d, int r, const double *v, const double *X)
{
    double sum = 0.0;
    const double *D = d->D + (size_t)(r * d->width * d->size);
    for (int a = 0; a < d->width; a++) {
        if (v[a] != 0.0) sum += v[a] * tp_dense_dot(d->size, D + a * d->size, X);
    }
    return sum;
}

/* out -= A^+ y for y over the independent rows: A = L Q. */
static void subtract_inverse(const tp_distribution *d, double *y, double *out)
{
    for (int i = 0; i < d->rank; i++) {
        for (int k = 0; k < i; k++) y[i] -= d->L[i * d->row_count + k] * y[k];
        y[i] /= d->L[i * d->row_count + i];
        for (int a = 0; a < d->width; a++) out[a] -= y[i] * d->Q[i * d->width + a];
    }
}

/* P' = -A^+ A' P - (A^+ A' P)^T; (7). The second part is P A'^T A^+T v. */
void tp_distribution_change(const tp_distribution *d, const double *v, const double *X, double *out)
{
    double *y = d->near, *admitted = d->near + d->row_count, *dual = admitted + d->width;
    memset(out, 0, (size_t)d->width * sizeof(double));
    for (int i = d->rank - 1; i >= 0; i--) { /* dual = L^-T Q v */
        y[i] = tp_dense_dot(d->width, d->Q + i * d->width, v);
        for (int k = i + 1; k < d->rank; k++) y[i] -= d->L[k * d->row_count + i] * y[k];
        y[i] /= d->L[i * d->row_count + i];
    }
    memset(dual, 0, (size_t)d->width * sizeof(double));
    for (int i = 0; i < d->rank; i++) {
        const double *D = d->D + (size_t)(d->pick[i] * d->width * d->size);
        for (int a = 0; a < d->width; a++) dual[a] -= y[i] * tp_dense_dot(d->size, D + a * d->size, X);
    }
    tp_distribution_project(d, dual, dual);
    tp_distribution_project(d, v, admitted);
    for (int i = 0; i < d->rank; i++) y[i] = row_change(d, d->pick[i], admitted, X);
    subtract_inverse(d, y, out);
    for (int a = 0; a < d->width; a++) out[a] += dual[a];
}

void tp_distribution_lift(const tp_distribution *d, const double *v, double *out)
{
    for (int i = 0; i < d->size; i++) out[i] = tp_dense_dot(d->width, d->F + i * d->width, v);
}

void tp_distribution_lift_change(const tp_distribution *d, const double *v, const double *X, double *out)
{
    memset(out, 0, (size_t)d->size * sizeof(double));
    for (int i = 1; i <= d->general; i++) {
        for (int a = 0; a < d->width; a++)
            out[i] += v[a] * tp_dense_dot(d->size, d->dF + (i * d->width + a) * d->size, X);
    }
}

void tp_distribution_frame_bracket(const tp_distribution *d, const double *X, const double *Y, double *out)
{
    const tp_model *model = d->system->model;
    memset(out, 0, (size_t)d->size * sizeof(double));
    for (int b = 0; b < model->bodies.count; b++) {
        const tp_body *body = TP_LIST_AT(model->bodies, tp_body, b);
        bool is_scalable = body->kind == TP_BODY_SCALABLE;
        if (body->kind != TP_BODY_RIGID && !is_scalable) continue;
        int column = d->local[body->u_first];
        if (column == 0) continue;
        int at = column + d->size - d->width + 3 + is_scalable;
        tp_vec3 x = tp_vec3_from_array(X + at), y = tp_vec3_from_array(Y + at), z = tp_vec3_cross(x, y);
        if (is_scalable) { /* [nu, omega_i] = -omega_i/s, [omega_i, omega_j] = omega_k/s */
            const double *p = d->q + body->q_first + 3;
            double s = tp_dense_dot(4, p, p);
            z = tp_vec3_add_scaled(tp_vec3_add_scaled(z, -X[at - 1], y), Y[at - 1], x);
            z = tp_vec3_scale(1.0 / s, z);
        }
        out[at] = z.x;
        out[at + 1] = z.y;
        out[at + 2] = z.z;
    }
}

/* ---- both conditions ---- */

/* The bracket of F x and F y at constant x, y, in the frame. */
static void lifted_bracket(const tp_distribution *d, const double *x, const double *y, const double *X,
                           const double *Y, double *out, double *work)
{
    tp_distribution_frame_bracket(d, X, Y, out);
    tp_distribution_lift_change(d, y, X, work);
    for (int i = 0; i < d->size; i++) out[i] += work[i];
    tp_distribution_lift_change(d, x, Y, work);
    for (int i = 0; i < d->size; i++) out[i] -= work[i];
}

/* A bracket of the frame over the columns; returns what is left of it. */
static double over_columns(const tp_distribution *d, const double *bracket, double *out)
{
    if (!d->is_own) {
        memcpy(out, bracket, (size_t)d->width * sizeof(double));
        return 0.0;
    }
    if (d->size == d->width) {
        for (int b = 0; b < d->width; b++) out[b] = tp_dense_dot(d->size, d->inverse + b * d->size, bracket);
        return 0.0;
    }
    tp_arena arena = tp_arena_make(d->allocator);
    double *columns = TP_ARENA_ARRAY(&arena, double, d->size * d->width), rest = 0.0;
    int rank;
    for (int e = 0; columns != NULL && e < d->size * d->width; e++)
        columns[e / d->width + d->size * (e % d->width)] = d->F[e];
    if (columns == NULL || tp_analysis_least_squares(d->allocator, d->size, d->width, columns, bracket,
                                                     tp_bracket_rank, out, &rank) != TP_OK)
        memset(out, 0, (size_t)d->width * sizeof(double));
    for (int i = 0; i < d->size; i++)
        rest = fmax(rest, fabs(bracket[i] - tp_dense_dot(d->width, d->F + i * d->width, out)));
    tp_arena_clear(&arena);
    return rest;
}

double tp_distribution_curvature(const tp_distribution *d, const double *x, const double *y)
{
    tp_arena arena = tp_arena_make(d->allocator);
    double *X = TP_ARENA_ARRAY(&arena, double, 4 * d->size + d->width), *Y = X + d->size,
           *bracket = Y + d->size, *work = bracket + d->size, *seen = work + d->size, worst = NAN;
    if (X != NULL) {
        tp_distribution_lift(d, x, X);
        tp_distribution_lift(d, y, Y);
        lifted_bracket(d, x, y, X, Y, bracket, work);
        double rest = over_columns(d, bracket, seen),
               lengths = tp_dense_norm(d->width, x) * tp_dense_norm(d->width, y);
        worst = rest / lengths;
        for (int i = 0; i < d->rank; i++) {
            int r = d->pick[i];
            double turning = tp_dense_dot(d->width, d->A + r * d->width, seen),
                   change = tp_dense_norm(d->width * d->size, d->D + r * d->width * d->size);
            double defect = row_change(d, r, y, X) - row_change(d, r, x, Y) - turning,
                   terms = lengths * fmax(change + tp_dense_norm(d->width, seen) / lengths, tp_constant_row);
            worst = fmax(worst, fabs(defect) / terms);
        }
    }
    tp_arena_clear(&arena);
    return worst;
}

void tp_distribution_bracket(const tp_distribution *d, const double *x, const double *y, double *bracket_out,
                             double *across_out)
{
    tp_arena arena = tp_arena_make(d->allocator);
    double *X = TP_ARENA_ARRAY(&arena, double, 3 * d->size + 3 * d->width), *Y = X + d->size,
           *work = Y + d->size, *change = work + d->size, *seen = change + d->width,
           *admitted = seen + d->width;
    memset(bracket_out, 0, (size_t)d->size * sizeof(double));
    if (X != NULL) {
        tp_distribution_lift(d, x, X);
        tp_distribution_lift(d, y, Y);
        lifted_bracket(d, x, y, X, Y, bracket_out, work);
        tp_distribution_change(d, y, X, change);
        tp_distribution_lift(d, change, work);
        for (int i = 0; i < d->size; i++) bracket_out[i] += work[i];
        tp_distribution_change(d, x, Y, change);
        tp_distribution_lift(d, change, work);
        for (int i = 0; i < d->size; i++) bracket_out[i] -= work[i];
        over_columns(d, bracket_out, seen);
        tp_distribution_project(d, seen, admitted);
        tp_distribution_lift(d, admitted, work);
        for (int i = 0; i < d->size; i++) across_out[i] = bracket_out[i] - work[i];
    }
    tp_arena_clear(&arena);
}
