/* Projection equations of the laws and their linearisation; theory/solvers.md (10)-(14). */
#include "linearise.h"

#include "math/dense.h"
#include "set/friction_set.h"
#include "set/row_bounds.h"
#include "solver/tolerances.h"

#include <math.h>
#include <string.h>

tp_step_lengths tp_law_step_lengths(const tp_set *set, const double *D, double shift)
{
    int n = set->size;
    double largest = 0.0;
    for (int k = 0; k < n; k++) largest = fmax(largest, fabs(D[k + (size_t)k * (size_t)n]));
    if (!(largest > 0.0)) largest = 1.0;
    bool has_normal = set->kind == TP_SET_CONTACT;
    int skip = has_normal ? 1 : 0;
    bool is_free = set->kind == TP_SET_FREE || n == skip; /* any length will do */
    double tangent = is_free ? largest : tp_dense_largest_eigenvalue(n - skip, D + skip + skip * n, n);
    double normal = has_normal ? D[0] : tangent;
    double smallest = tp_smallest_length * largest;
    return (tp_step_lengths){1.0 / (fmax(normal, smallest) + shift), 1.0 / (fmax(tangent, smallest) + shift)};
}

void tp_law_project(const tp_set *set, double scale, tp_step_lengths r, const double *p, const double *xi,
                    double *projected)
{
    int n = set->size;
    if (set->kind == TP_SET_CONTACT) {
        double z[TP_SET_MAX];
        tp_friction_set friction = tp_friction_of(set);
        double normal = fmax(0.0, p[0] - r.normal * xi[0]);
        for (int k = 1; k < n; k++) z[k] = p[k] - r.tangent * xi[k];
        projected[0] = normal;
        tp_friction_project(&friction, normal, z + 1, projected + 1);
        return;
    }
    for (int k = 0; k < n; k++) projected[k] = p[k] - r.tangent * xi[k];
    tp_set_project(set, scale, projected, projected);
}

double tp_law_merit(const tp_local *local, const tp_step_lengths *lengths, const double *P, const double *xi)
{
    double sum = 0.0;
    for (int i = 0; i < local->set_count; i++) {
        const tp_set *set = &local->sets[i];
        const double *p = P + set->first;
        double projected[TP_SET_MAX];
        tp_step_lengths r =
            lengths != NULL ? lengths[i] : tp_law_step_lengths(set, tp_local_diagonal(local, i), 0.0);
        tp_law_project(set, tp_set_scale(set, P), r, p, xi + set->first, projected);
        for (int k = 0; k < set->size; k++) {
            double step = set->kind == TP_SET_CONTACT && k == 0 ? r.normal : r.tangent;
            double residual = (p[k] - projected[k]) / step;
            sum += residual * residual;
        }
    }
    return 0.5 * sum;
}

static void set_column(tp_linear_block *out, int j, int row, double value)
{
    out->C[row + j * out->size] = value;
}

/* Row i moves freely: unknown of its own, its velocity must vanish. */
static void add_free_row(tp_linear_block *out, int row)
{
    set_column(out, out->dim++, row, 1.0);
}

/* For blocks whose equations are C^T xi = 0. */
static void rows_from_columns(tp_linear_block *out)
{
    for (int j = 0; j < out->dim; j++) {
        for (int k = 0; k < out->size; k++) out->R[j + k * out->dim] = out->C[k + j * out->size];
    }
}

static void free_rows(const tp_set *set, double r, const double *p, const double *xi, tp_linear_block *out)
{
    for (int k = 0; k < set->size; k++) {
        tp_row_bounds bounds = tp_set_row_bounds(set, k);
        double z = p[k] - r * xi[k];
        if (z <= bounds.lower) {
            out->base[k] = bounds.lower;
        } else if (z >= bounds.upper) {
            out->base[k] = bounds.upper;
        } else {
            out->base[k] = p[k];
            add_free_row(out, k);
        }
    }
    rows_from_columns(out);
}

/* Orthonormal directions normal to the unit vector s in R^k: columns 1..k-1 of the Householder reflection
 * that maps s to e0. */
static void tangent_basis(int k, const double *s, double *basis)
{
    double v[TP_FRICTION_MAX], sign = s[0] >= 0.0 ? 1.0 : -1.0;
    memcpy(v, s, (size_t)k * sizeof(double));
    v[0] += sign;
    double factor = 2.0 / tp_dense_dot(k, v, v);
    for (int j = 1; j < k; j++) {
        for (int i = 0; i < k; i++) basis[i + (j - 1) * k] = (i == j ? 1.0 : 0.0) - factor * v[i] * v[j];
    }
}

static void all_rows_free(const double *p, tp_linear_block *out)
{
    for (int k = 0; k < out->size; k++) {
        out->base[k] = p[k];
        add_free_row(out, k);
    }
    rows_from_columns(out);
}

/* A ball of given radius: inside, or on the rim with the tangent directions free. Where the radius follows a
   master, the radial part is an unknown, too: d = slope times the change of the master's norm; (13a). */
static void ball(double radius, double slope, double r, const double *p, const double *xi,
                 tp_linear_block *out)
{
    int n = out->size;
    double z[TP_SET_MAX] = {0}, basis[TP_FRICTION_MAX * TP_FRICTION_MAX];
    for (int k = 0; k < n; k++) z[k] = p[k] - r * xi[k];
    double length = tp_dense_norm(n, z);
    if (length <= radius) {
        if (radius > 0.0) all_rows_free(p, out);
        return;
    }
    for (int k = 0; k < n; k++) {
        z[k] /= length;
        out->base[k] = radius * z[k];
    }
    if (!(radius > 0.0)) return;
    if (n > 1) tangent_basis(n, z, basis);
    out->dim = slope > 0.0 ? n : n - 1;
    for (int j = 0; j < n - 1; j++) {
        for (int k = 0; k < n; k++) set_column(out, j, k, basis[k + j * n]);
        out->K[j + j * out->dim] = (length - radius) / (r * radius);
    }
    rows_from_columns(out);
    if (!(slope > 0.0)) return;
    for (int k = 0; k < n; k++) set_column(out, n - 1, k, z[k]);
    out->K[n * n - 1] = 1.0 / r;
    out->by_size[n - 1] = -slope / r;
}

/* Contact with an ellipsoid of semi-axes axis[] (a ball: all equal): open, sticking, or sliding in the
   direction of z. In sliding P = P_N (1, A s) + tangent moves, A = diag(axis); theory/solvers.md (12). */
static void round_contact(const double *axis, tp_step_lengths r, const double *p, const double *xi,
                          tp_linear_block *out)
{
    int n = out->size, k_count = n - 1;
    double normal = p[0] - r.normal * xi[0];
    if (normal <= 0.0) return; /* open: base 0, no unknowns */

    double largest = 0.0, s[TP_FRICTION_MAX], basis[TP_FRICTION_MAX * TP_FRICTION_MAX];
    for (int k = 0; k < k_count; k++) largest = fmax(largest, axis[k]);
    if (largest == 0.0) { /* frictionless */
        out->base[0] = p[0];
        add_free_row(out, 0);
        rows_from_columns(out);
        return;
    }
    /* In the scaled rows the set is the ball of radius P_N: z^ = A^-1 p_T - r^ A xi_T with r^ = r /
     * largest^2. */
    double r_hat = r.tangent / (largest * largest);
    for (int k = 0; k < k_count; k++)
        s[k] = (axis[k] > 0.0 ? p[k + 1] / axis[k] : 0.0) - r_hat * axis[k] * xi[k + 1];
    double length = tp_dense_norm(k_count, s);
    if (length <= normal) { /* sticks; directions without friction have no unknown */
        for (int k = 0; k < n; k++) {
            if (k > 0 && axis[k - 1] == 0.0) continue;
            out->base[k] = p[k];
            add_free_row(out, k);
        }
        rows_from_columns(out);
        return;
    }
    for (int k = 0; k < k_count; k++) s[k] /= length;
    double base = fmax(p[0], 0.0);
    out->dim = n - 1;
    out->base[0] = base;
    out->C[0] = 1.0;
    out->R[0] = 1.0; /* the equation of the normal row is xi_N = 0 alone: Coulomb's law is not associated */
    for (int k = 0; k < k_count; k++) {
        out->base[k + 1] = base * axis[k] * s[k];
        set_column(out, 0, k + 1, axis[k] * s[k]);
    }
    if (k_count == 1) return;
    tangent_basis(k_count, s, basis);
    for (int j = 1; j < out->dim; j++) {
        for (int k = 0; k < k_count; k++) {
            double value = axis[k] * basis[k + (j - 1) * k_count];
            set_column(out, j, k + 1, value);
            out->R[j + (k + 1) * out->dim] = value;
        }
        out->K[j + j * out->dim] = (length - normal) / (r_hat * normal);
    }
}

/* (I - J) dp / r + J dxi = (y - p) / r, with xi the velocity at the linearisation point. */
static void smooth_rows(const double *J, const double *y, double r, const double *p, const double *xi,
                        tp_linear_block *out)
{
    int n = out->size;
    double size = 0.0;
    for (int k = 0; k < n * n; k++) size = fmax(size, fabs(J[k]));
    if (size == 0.0) { /* a vertex: the projection does not move */
        memcpy(out->base, y, (size_t)n * sizeof(double));
        return;
    }
    out->dim = n;
    memcpy(out->base, p, (size_t)n * sizeof(double));
    for (int j = 0; j < n; j++) {
        set_column(out, j, j, 1.0);
        for (int i = 0; i < n; i++) {
            out->R[i + j * n] = J[i + j * n];
            out->K[i + j * n] = ((i == j ? 1.0 : 0.0) - J[i + j * n]) / r;
        }
    }
    for (int i = 0; i < n; i++) {
        out->offset[i] = (p[i] - y[i]) / r;
        for (int k = 0; k < n; k++) out->offset[i] -= out->R[i + k * n] * xi[k];
    }
}

static void any_set(const tp_set *set, double scale, double r, const double *p, const double *xi,
                    tp_linear_block *out)
{
    double z[TP_SET_MAX] = {0}, y[TP_SET_MAX], J[TP_SET_MAX * TP_SET_MAX], by_size[TP_SET_MAX];
    for (int k = 0; k < set->size; k++) z[k] = p[k] - r * xi[k];
    tp_set_project(set, scale, z, y);
    tp_set_project_derivative(set, scale, z, J);
    smooth_rows(J, y, r, p, xi, out);
    if (set->kind != TP_SET_FRICTION || set->master_count == 0) return;
    tp_friction_set friction = tp_friction_of(set);
    tp_friction_project_derivative(&friction, scale, z, J, by_size);
    if (out->dim == 0 && tp_dense_norm(set->size, by_size) > 0.0) { /* a vertex moves along with the size */
        out->dim = set->size;
        for (int k = 0; k < set->size; k++) {
            set_column(out, k, k, 1.0);
            out->K[k + k * set->size] = 1.0 / r;
        }
    }
    for (int k = 0; k < out->dim; k++) out->by_size[k] = -by_size[k] / r;
}

/* Contact with any friction set: N as always, T by the derivative of the projection with respect to the point
 * and to the size. */
static void any_contact(const tp_set *set, tp_step_lengths r, const double *p, const double *xi,
                        tp_linear_block *out)
{
    int n = set->size, m = n - 1;
    double normal = p[0] - r.normal * xi[0], z[TP_FRICTION_MAX] = {0}, y[TP_FRICTION_MAX],
           J[TP_FRICTION_MAX * TP_FRICTION_MAX], by_size[TP_FRICTION_MAX];
    if (normal <= 0.0) return;
    tp_friction_set friction = tp_friction_of(set);
    for (int k = 0; k < m; k++) z[k] = p[k + 1] - r.tangent * xi[k + 1];
    tp_friction_project(&friction, normal, z, y);
    tp_friction_project_derivative(&friction, normal, z, J, by_size);

    out->dim = n;
    memcpy(out->base, p, (size_t)n * sizeof(double));
    for (int j = 0; j < n; j++) set_column(out, j, j, 1.0);
    out->R[0] = 1.0;
    for (int i = 0; i < m; i++) {
        out->R[i + 1] = by_size[i] * r.normal / r.tangent;
        out->K[i + 1] = -by_size[i] / r.tangent;
        for (int j = 0; j < m; j++) {
            out->R[i + 1 + (j + 1) * n] = J[i + j * m];
            out->K[i + 1 + (j + 1) * n] = ((i == j ? 1.0 : 0.0) - J[i + j * m]) / r.tangent;
        }
        out->offset[i + 1] = (p[i + 1] - y[i]) / r.tangent;
        for (int k = 0; k < n; k++) out->offset[i + 1] -= out->R[i + 1 + k * n] * xi[k];
    }
}

void tp_law_linearise(const tp_set *set, double scale, tp_step_lengths r, const double *p, const double *xi,
                      tp_linear_block *out)
{
    memset(out, 0, sizeof *out);
    out->size = set->size;
    double axis[TP_FRICTION_MAX];
    tp_friction_set friction = tp_friction_of(set);
    switch (set->kind) {
    case TP_SET_ZERO: return;
    case TP_SET_FREE:
    case TP_SET_ORTHANT:
    case TP_SET_BOX:
        free_rows(set, r.tangent, p, xi, out);
        out->is_whole = set->kind == TP_SET_FREE;
        return;
    case TP_SET_CONTACT:
        tp_friction_semi_axes(&friction, axis);
        if (friction.kind == TP_FRICTION_BALL || friction.kind == TP_FRICTION_ELLIPSOID)
            round_contact(axis, r, p, xi, out);
        else
            any_contact(set, r, p, xi, out);
        return;
    case TP_SET_FRICTION:
        if (set->friction_kind == TP_FRICTION_BALL) {
            double slope = set->master_count > 0 ? set->parameter[0] : 0.0;
            ball(scale * set->parameter[0], slope, r.tangent, p, xi, out);
            return;
        }
        any_set(set, scale, r.tangent, p, xi, out);
        return;
    case TP_SET_CONE:
    case TP_SET_DUAL_CONE: any_set(set, scale, r.tangent, p, xi, out); return;
    }
}

/* Sizes that are known when this is compiled leave no loops over rows of G. */
static inline void product(int rows, int columns, const tp_linear_block *row, const tp_linear_block *column,
                           const double *G, double *out)
{
    double by_columns[TP_SET_MAX * TP_SET_MAX];
    const double *GC = column->is_whole ? G : by_columns;
    for (int j = 0; j < column->dim && !column->is_whole; j++) {
        for (int i = 0; i < rows; i++) {
            double sum = 0.0;
            for (int k = 0; k < columns; k++) sum += G[i + k * rows] * column->C[k + j * columns];
            by_columns[i + j * rows] = sum;
        }
    }
    if (row->is_whole) {
        for (int k = 0; k < rows * column->dim; k++) out[k] = GC[k];
        return;
    }
    for (int j = 0; j < column->dim; j++) {
        for (int i = 0; i < row->dim; i++) {
            double sum = 0.0;
            for (int k = 0; k < rows; k++) sum += row->R[i + k * row->dim] * GC[k + j * rows];
            out[i + j * row->dim] = sum;
        }
    }
}

void tp_linear_block_product(const tp_linear_block *row, const tp_linear_block *column, const double *G,
                             double *out)
{
    if (row->size == 3 && column->size == 3)
        product(3, 3, row, column, G, out);
    else
        product(row->size, column->size, row, column, G, out);
}
