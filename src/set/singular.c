/* Normal cones in a metric that becomes singular, U_eps = diag(1/eps on the normal row, 1 elsewhere) with
   eps -> +0: what turns the associated law of a friction cone into Coulomb's; theory/sets.md section 6. */
#include "tippe/set.h"

#include "math/dense.h"
#include "set/friction_set.h"
#include "set/small.h"
#include "tolerances.h"

/* ---- planar cones ----------------------------------------------------------------------------------------
 */

static tp_side side_of(double x)
{
    return x > 0.0 ? TP_SIDE_POSITIVE : x < 0.0 ? TP_SIDE_NEGATIVE : TP_SIDE_ZERO;
}

/* (39). A cone that holds a vertical direction inside is stretched over a half-plane, one that holds it as
   an edge over a quadrant, one that holds none collapses on a horizontal half-line. */
tp_status tp_limit_cone_of_planar(const double *g1, const double *g2, tp_limit_cone *limit_out)
{
    tp_side x1 = side_of(g1[0]), x2 = side_of(g2[0]);
    double cross = g1[0] * g2[1] - g1[1] * g2[0];
    bool is_ray = cross == 0.0;
    if ((g1[0] == 0.0 && g1[1] == 0.0) || (g2[0] == 0.0 && g2[1] == 0.0)) return TP_INVALID_ARGUMENT;
    if (is_ray && g1[0] * g2[0] + g1[1] * g2[1] < 0.0) return TP_INVALID_ARGUMENT; /* a line: not pointed */
    tp_limit_cone limit = {x1, TP_SIDE_ZERO};
    if (x1 == TP_SIDE_ZERO || x2 == TP_SIDE_ZERO) { /* a vertical edge, or a vertical ray */
        limit.x = x1 == TP_SIDE_ZERO ? x2 : x1;
        limit.y = side_of(x1 == TP_SIDE_ZERO ? g1[1] : g2[1]);
    } else if (x1 != x2) { /* the combination |g2x| g1 + |g1x| g2 is vertical */
        limit.x = TP_SIDE_ANY;
        limit.y = side_of(fabs(g2[0]) * g1[1] + fabs(g1[0]) * g2[1]);
    }
    *limit_out = limit;
    return TP_OK;
}

static bool is_on_side(tp_side side, double x, double tolerance)
{
    switch (side) {
    case TP_SIDE_ZERO: return fabs(x) <= tolerance;
    case TP_SIDE_NEGATIVE: return x <= tolerance;
    case TP_SIDE_POSITIVE: return x >= -tolerance;
    case TP_SIDE_ANY: break;
    }
    return !isnan(x);
}

bool tp_limit_cone_contains(const tp_limit_cone *cone, const double *v, double tolerance)
{
    return is_on_side(cone->x, v[0], tolerance) && is_on_side(cone->y, v[1], tolerance);
}

/* ---- the friction cone -----------------------------------------------------------------------------------
 */

/* v lies along a normal of D at the boundary point p: v.p = s_D(v) |up to tolerance|. */
static bool is_tangential_normal(const tp_set *contact, const double *v, double P_N, const double *P_T,
                                 double tolerance)
{
    tp_friction_set D = tp_friction_of(contact);
    int n = D.dimension;
    double support = P_N * tp_friction_support(&D, v);
    return support - tp_small_dot(n, v, P_T) <= tolerance * P_N;
}

/* The three cases of (38). */
bool tp_contact_limit_normal_contains(const tp_set *contact, const double *P, const double *v,
                                      double tolerance)
{
    int n = contact->size - 1;
    if (!tp_set_contains(contact, 1.0, P, tolerance)) return false;     /* empty outside K */
    if (tp_small_norm(n + 1, P) <= tolerance) return v[0] <= tolerance; /* the apex: a half-space */
    if (!(fabs(v[0]) <= tolerance)) return false;
    return is_tangential_normal(contact, v + 1, P[0], P + 1, tolerance);
}

/* (40) */
void tp_contact_natural_residual(const tp_set *contact, double rho, const double *P, const double *xi,
                                 double *R_out)
{
    double z[TP_SET_MAX] = {0.0}, p[TP_SET_MAX];
    for (int i = 0; i < contact->size; i++) z[i] = P[i] - rho * xi[i];
    tp_contact_project_limit(contact, z, p);
    for (int i = 0; i < contact->size; i++) R_out[i] = P[i] - p[i];
}

/* The natural map of (37), the third form. */
void tp_contact_cone_residual(const tp_set *contact, double rho, double eps, const double *P,
                              const double *xi, double *R_out)
{
    tp_friction_set D = tp_friction_of(contact);
    int n = D.dimension;
    double z[TP_SET_MAX], p[TP_SET_MAX];
    for (int i = 0; i <= n; i++) z[i] = P[i] - rho * xi[i];
    z[0] -= rho * (1.0 - eps) * tp_friction_support(&D, xi + 1);
    tp_set_project(contact, 1.0, z, p);
    for (int i = 0; i <= n; i++) R_out[i] = P[i] - p[i];
}

/* ---- projections in the limit metric ---------------------------------------------------------------------
 */

/* (41) */
void tp_contact_project_limit(const tp_set *contact, const double *r, double *P_out)
{
    tp_friction_set D = tp_friction_of(contact);
    double normal = r[0] < 0.0 ? 0.0 : r[0];
    tp_friction_project(&D, normal, r + 1, P_out + 1);
    P_out[0] = normal;
}

/* The tangential rows alone of a contact that begins at row `first` of A: the answer without friction's
   bound, nearest to it in the metric of these rows. */
static tp_status solve_friction(const tp_set *contact, double normal, int first, int rows, const double *A,
                                const double *load, double *P_out)
{
    int n = contact->size - 1;
    double A_tt[TP_FRICTION_MAX * TP_FRICTION_MAX], free_point[TP_FRICTION_MAX];
    tp_set friction = tp_set_friction(contact->friction_kind, n, contact->parameter);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) A_tt[i + j * n] = A[first + 1 + i + (first + 1 + j) * rows];
    TP_TRY(tp_dense_solve_small(n, A_tt, load, free_point));
    return tp_set_project_metric(&friction, normal, A_tt, free_point, P_out);
}

/* (42) */
tp_status tp_contact_solve_decoupled(const tp_set *contact, const double *A, const double *b, double *P_out)
{
    int n = contact->size - 1, lead = contact->size;
    for (int i = 1; i <= n; i++)
        if (A[i] != 0.0 || A[i * lead] != 0.0) return TP_UNSUPPORTED;
    if (!(A[0] > 0.0)) return TP_SINGULAR;
    P_out[0] = b[0] > 0.0 ? b[0] / A[0] : 0.0;
    return solve_friction(contact, P_out[0], 0, lead, A, b + 1, P_out + 1);
}

/* ---- several contacts, (43) ------------------------------------------------------------------------------
 */

static int row_count(int count, const tp_set *contacts)
{
    int rows = 0;
    for (int i = 0; i < count; i++) rows += contacts[i].size;
    return rows;
}

/* Does A couple normal and tangential rows? */
static bool is_coupled(int count, const tp_set *contacts, int rows, const double *A)
{
    for (int i = 0, a = 0; i < count; a += contacts[i++].size) {
        for (int k = 0, b = 0; k < count; b += contacts[k++].size) {
            for (int r = 1; r < contacts[k].size; r++)
                if (A[a + (b + r) * rows] != 0.0 || A[b + r + a * rows] != 0.0) return true;
        }
    }
    return false;
}

/* b - A P of a row, without the rows [first, first + size). */
static double load_on(int rows, const double *A, const double *b, const double *P, int row, int first,
                      int size)
{
    double load = b[row];
    for (int j = 0; j < rows; j++)
        if (j < first || j >= first + size) load -= A[row + j * rows] * P[j];
    return load;
}

/* The tangential rows of one contact with all others held; returns by how much they changed. */
static double solve_tangents(const tp_set *contact, int first, int rows, const double *A, const double *b,
                             double *P)
{
    int n = contact->size - 1;
    double load[TP_FRICTION_MAX], p[TP_FRICTION_MAX], change = 0.0;
    for (int i = 0; i < n; i++) load[i] = load_on(rows, A, b, P, first + 1 + i, first + 1, n);
    if (solve_friction(contact, P[first], first, rows, A, load, p) != TP_OK) return INFINITY;
    for (int i = 0; i < n; i++) {
        change = fmax(change, fabs(p[i] - P[first + 1 + i]));
        P[first + 1 + i] = p[i];
    }
    return change;
}

/* The normal row of one contact with all others held. */
static double solve_normal(int first, int rows, const double *A, const double *b, double *P)
{
    double next = fmax(0.0, load_on(rows, A, b, P, first, first, 1) / A[first * (rows + 1)]),
           change = fabs(next - P[first]);
    P[first] = next;
    return change;
}

/* Row after row converges: first the normal rows, a convex problem of their own, then with their bounds the
   tangential ones, which is another. */
tp_status tp_contacts_solve_decoupled(int count, const tp_set *contacts, const double *A, const double *b,
                                      double *P_out)
{
    enum { MAX_SWEEPS = 100000 };
    int rows = row_count(count, contacts);
    double left = 0.0, size = 0.0;
    if (is_coupled(count, contacts, rows, A)) return TP_UNSUPPORTED;
    for (int i = 0; i < rows; i++)
        if (!(A[i * (rows + 1)] > 0.0)) return TP_SINGULAR;
    tp_small_zero(rows, P_out);
    for (int tangents = 0; tangents < 2; tangents++) {
        for (int sweep = 0; sweep < MAX_SWEEPS; sweep++) {
            left = 0.0;
            for (int i = 0, first = 0; i < count; first += contacts[i++].size)
                left = fmax(left, tangents ? solve_tangents(&contacts[i], first, rows, A, b, P_out)
                                           : solve_normal(first, rows, A, b, P_out));
            size = tp_small_norm(rows, P_out);
            if (!(left > tp_map_goal * size) || isinf(left)) break;
        }
    }
    return left <= tp_map_floor * size ? TP_OK : TP_NOT_CONVERGED;
}

int tp_lex_sign(int count, const double *x, double tolerance)
{
    for (int i = 0; i < count; i++) {
        if (fabs(x[i]) > tolerance) return x[i] > 0.0 ? 1 : -1;
    }
    return 0;
}
