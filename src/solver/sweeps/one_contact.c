/* All solutions of one spatial contact by the quartic in the slip multiplier alpha, any epsilon in [0, 1];
   docs/theory/one-contact.md (3)-(12). */
#include "solver/sweeps/one_contact.h"

#include "math/dense.h"
#include "math/polynomial.h"
#include "solver/tolerances.h"

#include <math.h>
#include <string.h>

static const double eps = DBL_EPSILON;

static void set_velocity(const double *G, const double *c, tp_contact_solution *s)
{
    for (int i = 0; i < 3; i++) s->xi[i] = c[i] + G[i] * s->P[0] + G[i + 3] * s->P[1] + G[i + 6] * s->P[2];
}

static bool is_in_cone(const double *P, double mu)
{
    return P[0] >= 0.0 && hypot(P[1], P[2]) <= mu * P[0] * (1.0 + 4.0 * eps);
}

/* Polynomials of degree 2 in alpha as coefficient triples. */
typedef struct quadratic {
    double c[3];
} quadratic;

/* (a0 + a1 x)(b0 + b1 x) - (c0 + c1 x)(d0 + d1 x) */
static quadratic minor_of(const double a[2], const double b[2], const double c[2], const double d[2])
{
    return (quadratic){{a[0] * b[0] - c[0] * d[0], a[0] * b[1] + a[1] * b[0] - c[0] * d[1] - c[1] * d[0],
                        a[1] * b[1] - c[1] * d[1]}};
}

/* N(alpha) = adj(G + alpha D)(-c), D = diag(-epsilon mu^2, 1, 1): then P = N / det. one-contact.md (6) */
static void numerators(const double *G, const double *c, double mu, double epsilon, quadratic N[3])
{
    double m[3][3][2]; /* entries of G + alpha D */
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            m[i][j][0] = G[i + 3 * j];
            m[i][j][1] = i != j ? 0.0 : i == 0 ? -epsilon * mu * mu : 1.0;
        }
    for (int i = 0; i < 3; i++) {
        N[i] = (quadratic){{0.0, 0.0, 0.0}};
        for (int j = 0; j < 3; j++) {
            /* adj(i, j) = cofactor(j, i) with cyclic indices, which carry the sign. */
            int r1 = (j + 1) % 3, r2 = (j + 2) % 3, c1 = (i + 1) % 3, c2 = (i + 2) % 3;
            quadratic minor = minor_of(m[r1][c1], m[r2][c2], m[r1][c2], m[r2][c1]);
            for (int k = 0; k < 3; k++) N[i].c[k] -= minor.c[k] * c[j];
        }
    }
}

/* |N_T|^2 - mu^2 N_N^2, degree 4. */
static void cone_polynomial(const quadratic N[3], double mu, double p[5])
{
    for (int k = 0; k < 5; k++) p[k] = 0.0;
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++)
            p[a + b] += N[1].c[a] * N[1].c[b] + N[2].c[a] * N[2].c[b] - mu * mu * N[0].c[a] * N[0].c[b];
}

/* Size of the defect of the slip equations. */
static double slip_defect(const double *G, const double *c, double mu, double epsilon, const double x[4],
                          double F[4])
{
    const double *P = x, alpha = x[3];
    for (int i = 0; i < 3; i++) {
        double D = i == 0 ? -epsilon * mu * mu : 1.0;
        F[i] = c[i] + G[i] * P[0] + G[i + 3] * P[1] + G[i + 6] * P[2] + alpha * D * P[i];
    }
    F[3] = hypot(P[1], P[2]) - mu * P[0];
    double scale = tp_dense_largest(3, c) + tp_dense_largest(9, G) * tp_dense_largest(3, P);
    return tp_dense_largest(3, F) / scale + fabs(F[3]) / (tp_dense_largest(3, P) * (1.0 + mu));
}

/* Newton on (G + alpha D) P + c = 0, |P_T| = mu P_N in the four unknowns, kept while the defect falls. */
static double polish_slip(const double *G, const double *c, double mu, double epsilon, double x[4])
{
    double F[4], J[16], step[4], trial[4], best = slip_defect(G, c, mu, epsilon, x, F);
    for (int round = 0; round < 12; round++) {
        double length = hypot(x[1], x[2]);
        if (!(length > 0.0)) break;
        for (int i = 0; i < 3; i++) {
            double D = i == 0 ? -epsilon * mu * mu : 1.0;
            for (int j = 0; j < 3; j++) J[i + 4 * j] = G[i + 3 * j] + (i == j ? x[3] * D : 0.0);
            J[i + 12] = D * x[i];
        }
        J[3] = -mu;
        J[7] = x[1] / length;
        J[11] = x[2] / length;
        J[15] = 0.0;
        if (tp_dense_solve_small(4, J, F, step) != TP_OK) break;
        for (int i = 0; i < 4; i++) trial[i] = x[i] - step[i];
        double defect = slip_defect(G, c, mu, epsilon, trial, F);
        if (!(defect < best)) break;
        best = defect;
        memcpy(x, trial, sizeof trial);
        if (best <= eps) break;
    }
    return best;
}

/* Point of a root alpha; det and N by the polynomials would cancel, so the system is solved afresh. */
static bool slip_point(const double *G, const double *c, double mu, double epsilon, double alpha, double x[4])
{
    double A[9], right[3];
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) A[i + 3 * j] = G[i + 3 * j];
        A[i + 3 * i] += alpha * (i == 0 ? -epsilon * mu * mu : 1.0);
        right[i] = -c[i];
    }
    if (tp_dense_solve_small(3, A, right, x) != TP_OK) return false;
    x[3] = alpha;
    return x[0] > 0.0;
}

static bool is_known(const tp_contact_solution *s, int count, const double *P)
{
    for (int k = 0; k < count; k++) {
        double size = tp_dense_largest(3, P), distance = 0.0;
        for (int i = 0; i < 3; i++) distance = fmax(distance, fabs(s[k].P[i] - P[i]));
        if (distance <= tp_contact_same * size) return true;
    }
    return false;
}

/* Adds the solution at a root if it is one: positive alpha and P_N, small defect, not yet known. */
static int add_slip(const double *G, const double *c, double mu, double epsilon, double alpha,
                    tp_contact_solution *out, int count)
{
    double x[4];
    if (!(alpha > 0.0) || !slip_point(G, c, mu, epsilon, alpha, x)) return count;
    double defect = polish_slip(G, c, mu, epsilon, x);
    bool is_solution = defect <= tp_contact_defect && x[0] > 0.0 && x[3] > 0.0;
    if (!is_solution || is_known(out, count, x)) return count;
    double length = hypot(x[1], x[2]);
    tp_contact_solution s = {.mode = TP_CONTACT_SLIP, .alpha = x[3]};
    s.P[0] = x[0];
    s.P[1] = x[1] * (mu * x[0] / length);
    s.P[2] = x[2] * (mu * x[0] / length);
    set_velocity(G, c, &s);
    out[count] = s;
    return count + 1;
}

int tp_contact_slip_solutions(const double *G, const double c[3], double mu, double epsilon,
                              tp_contact_solution out[TP_CONTACT_MAX_SOLUTIONS])
{
    const double unit = tp_dense_largest(9, G), size = tp_dense_largest(3, c);
    int count = 0;
    if (!(mu > 0.0) || !(unit > 0.0) || !(size > 0.0)) return 0;

    /* Scaled to entries near 1; alpha in units of the largest entry of G. */
    double g[9], b[3], p[5], roots[8];
    quadratic N[3];
    for (int i = 0; i < 9; i++) g[i] = G[i] / unit;
    for (int i = 0; i < 3; i++) b[i] = c[i] / size;
    numerators(g, b, mu, epsilon, N);
    cone_polynomial(N, mu, p);
    int root_count = tp_polynomial_real_roots(4, p, roots);
    for (int k = 0; k < root_count && count < TP_CONTACT_MAX_SOLUTIONS - 2; k++)
        count = add_slip(G, c, mu, epsilon, roots[k] * unit, out, count);

    /* Roots far out (c_N nearly 0) are better conditioned as 1/alpha. */
    double reversed[5] = {p[4], p[3], p[2], p[1], p[0]};
    root_count = tp_polynomial_real_roots(4, reversed, roots);
    for (int k = 0; k < root_count && count < TP_CONTACT_MAX_SOLUTIONS - 2; k++)
        if (roots[k] > 0.0 && roots[k] < 1.0)
            count = add_slip(G, c, mu, epsilon, unit / roots[k], out, count);

    for (int k = 1; k < count; k++) /* by growing P_N */
        for (int l = k; l > 0 && out[l - 1].P[0] > out[l].P[0]; l--) {
            tp_contact_solution swap = out[l];
            out[l] = out[l - 1];
            out[l - 1] = swap;
        }
    return count;
}

/* Gaussian elimination with full pivoting: a solution of G P = -c (free unknowns zero), the rank, and for
   rank 2 a direction of the null space. False when the equations contradict each other. */
static bool solve_singular(const double *G, const double *c, double P[3], double null_out[3], int *rank_out)
{
    double a[3][4];
    int order[3] = {0, 1, 2}, rank = 0;
    const double tiny = 64.0 * eps * tp_dense_largest(9, G);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 4; j++) a[i][j] = j < 3 ? G[i + 3 * j] : -c[i];
    for (; rank < 3; rank++) {
        int pi = rank, pj = rank;
        for (int i = rank; i < 3; i++)
            for (int j = rank; j < 3; j++)
                if (fabs(a[i][j]) > fabs(a[pi][pj])) pi = i, pj = j;
        if (!(fabs(a[pi][pj]) > tiny)) break;
        for (int j = 0; j < 4; j++) {
            double swap = a[rank][j];
            a[rank][j] = a[pi][j];
            a[pi][j] = swap;
        }
        for (int i = 0; i < 3; i++) {
            double swap = a[i][rank];
            a[i][rank] = a[i][pj];
            a[i][pj] = swap;
        }
        int swap = order[rank];
        order[rank] = order[pj];
        order[pj] = swap;
        for (int i = 0; i < 3; i++) {
            if (i == rank) continue;
            double factor = a[i][rank] / a[rank][rank];
            for (int j = rank; j < 4; j++) a[i][j] -= factor * a[rank][j];
        }
    }
    *rank_out = rank;
    for (int i = rank; i < 3; i++)
        if (fabs(a[i][3]) > tp_contact_contradiction * tp_dense_largest(3, c)) return false;
    for (int i = 0; i < 3; i++) P[order[i]] = i < rank ? a[i][3] / a[i][i] : 0.0;
    for (int i = 0; i < 3; i++) null_out[order[i]] = rank != 2 ? 0.0 : i < 2 ? -a[i][2] / a[i][i] : 1.0;
    return true;
}

/* A point of the line P + t d in the cone, if there is one: mu^2 N(t)^2 - |T(t)|^2 >= 0 is quadratic in t,
   its extremum and its roots are the candidates. */
static bool reach_cone(double P[3], const double d[3], double mu)
{
    double a = mu * mu * d[0] * d[0] - d[1] * d[1] - d[2] * d[2];
    double b = mu * mu * P[0] * d[0] - P[1] * d[1] - P[2] * d[2];
    double c = mu * mu * P[0] * P[0] - P[1] * P[1] - P[2] * P[2];
    double disc = b * b - a * c, candidate[5];
    int count = 0;
    if (a != 0.0) candidate[count++] = -b / a;
    if (disc >= 0.0) {
        double q = -(b + copysign(sqrt(disc), b));
        double size = fabs(q) + fabs(c) + 1e-300, inside = tp_contact_contradiction;
        if (a != 0.0) {
            candidate[count++] = q / a * (1.0 - inside);
            candidate[count++] = q / a * (1.0 + inside) + inside;
        }
        if (fabs(q) > tp_contact_edge * size) {
            candidate[count++] = c / q * (1.0 - inside);
            candidate[count++] = c / q * (1.0 + inside) + inside;
        }
    }
    for (int k = 0; k < count; k++) {
        double x[3];
        for (int i = 0; i < 3; i++) x[i] = P[i] + candidate[k] * d[i];
        if (!isfinite(x[0]) || !is_in_cone(x, mu)) continue;
        memcpy(P, x, sizeof x);
        return true;
    }
    return false;
}

/* Sticking: G P = -c in the cone. */
static int add_stick(const double *G, const double *c, double mu, tp_contact_solution *out, int count)
{
    tp_contact_solution s = {.mode = TP_CONTACT_STICK};
    double null[3], correction[3], right[3];
    int rank;
    if (!solve_singular(G, c, s.P, null, &rank)) return count;
    if (rank == 3) { /* one refinement */
        set_velocity(G, c, &s);
        for (int i = 0; i < 3; i++) right[i] = -s.xi[i];
        if (tp_dense_solve_small(3, G, right, correction) == TP_OK)
            for (int i = 0; i < 3; i++) s.P[i] += correction[i];
    }
    if (!is_in_cone(s.P, mu) && !(rank == 2 && reach_cone(s.P, null, mu))) return count;
    if (tp_dense_largest(3, s.P) == 0.0 && tp_dense_largest(3, c) > 0.0) return count;
    set_velocity(G, c, &s);
    out[count] = s;
    return count + 1;
}

/* Without friction: 0 <= P_N _|_ a P_N + c_N >= 0, tangential rows idle. */
static int add_frictionless(const double *G, const double *c, tp_contact_solution *out, int count)
{
    tp_contact_solution s = {.mode = TP_CONTACT_SLIP};
    s.P[0] = G[0] != 0.0 ? -c[0] / G[0] : 0.0;
    if (!(s.P[0] > 0.0)) return count;
    set_velocity(G, c, &s);
    s.xi[0] = 0.0;
    out[count] = s;
    return count + 1;
}

int tp_contact_all_solutions(const double *G, const double c[3], double mu, double epsilon,
                             tp_contact_solution out[TP_CONTACT_MAX_SOLUTIONS])
{
    int count = 0;
    if (mu > 0.0) {
        count = add_stick(G, c, mu, out, 0);
        tp_contact_solution slip[TP_CONTACT_MAX_SOLUTIONS];
        int slip_count = tp_contact_slip_solutions(G, c, mu, epsilon, slip);
        for (int k = 0; k < slip_count; k++)
            if (!is_known(out, count, slip[k].P)) out[count++] = slip[k];
    } else {
        count = add_frictionless(G, c, out, 0);
    }
    bool is_open = c[0] >= epsilon * mu * hypot(c[1], c[2]);
    if (is_open && !is_known(out, count, (double[3]){0.0, 0.0, 0.0}))
        out[count++] = (tp_contact_solution){.mode = TP_CONTACT_OPEN, .xi = {c[0], c[1], c[2]}};
    return count;
}
