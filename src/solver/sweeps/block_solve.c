/* One block, exactly; theory/solvers.md (3)-(8). Sets without a method of their own are block_newton.c's. */
#include "block_solve.h"

#include "math/dense.h"
#include "set/friction_set.h"
#include "set/row_bounds.h"
#include "solver/tolerances.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { SECULAR_STEPS = 60, RIM_STEPS = 200 };

tp_status tp_block_solver_init(tp_block_solver *solver, const tp_local *local, tp_stack *stack)
{
    int n = local->set_count;
    *solver = (tp_block_solver){.local = local};
    solver->is_ready = TP_STACK_ARRAY(stack, unsigned char, n);
    solver->slip = TP_STACK_ARRAY(stack, double, n);
    solver->disc = TP_STACK_ARRAY(stack, tp_disc_record, n);
    if (stack->failed) return TP_OUT_OF_MEMORY;
    memset(solver->is_ready, 0, (size_t)n);
    memset(solver->slip, 0, (size_t)n * sizeof(double));

    solver->all_discs = local->G->uniform == 3;
    for (int i = 0; i < n; i++) {
        const tp_set *set = &local->sets[i];
        if (set->kind != TP_SET_CONTACT || set->friction_kind != TP_FRICTION_BALL || set->size != 3)
            solver->all_discs = false;
    }
    return TP_OK;
}

/* Friction can press a contact together that nothing else does: a P_N + b.P_T = 0 for some P of its cone. */
static bool can_jam(const tp_set *set, const double *D)
{
    double b[TP_FRICTION_MAX] = {0.0};
    tp_friction_set friction = tp_friction_of(set);
    for (int k = 1; k < set->size; k++) b[k - 1] = D[k * set->size];
    return tp_friction_support(&friction, b) >= D[0];
}

bool tp_block_any_can_jam(const tp_local *local)
{
    for (int i = 0; i < local->set_count; i++) {
        const tp_set *set = &local->sets[i];
        if (set->kind == TP_SET_CONTACT && set->size > 1 && can_jam(set, tp_local_diagonal(local, i)))
            return true;
    }
    return false;
}

tp_status tp_block_solver_keep_loaded(tp_block_solver *solver, const double *P, tp_stack *stack)
{
    const tp_local *local = solver->local;
    for (int i = 0; i < local->set_count; i++) {
        const tp_set *set = &local->sets[i];
        if (set->kind != TP_SET_CONTACT || set->size == 1 || !(P[set->first] > 0.0)) continue;
        if (!can_jam(set, tp_local_diagonal(local, i))) continue;
        if (solver->may_stay == NULL) {
            solver->may_stay = TP_STACK_ARRAY(stack, unsigned char, local->set_count);
            if (solver->may_stay == NULL) return TP_OUT_OF_MEMORY;
            memset(solver->may_stay, 0, (size_t)local->set_count);
            solver->all_discs = false; /* its own loop opens contacts before it looks further */
        }
        solver->may_stay[i] = 1;
    }
    return TP_OK;
}

void tp_block_velocity(const tp_local *local, int i, const double *P, bool is_free, double *velocity)
{
    const tp_block_matrix *G = local->G;
    int n = local->sets[i].size;
    for (int k = 0; k < n; k++) velocity[k] = local->c[local->sets[i].first + k];
    for (int k = G->start[i]; k < G->start[i + 1]; k++) {
        if (is_free && k == G->diagonal[i]) continue;
        const tp_set *other = &local->sets[G->column[k]];
        tp_dense_multiply_add(n, other->size, G->value + G->offset[k], n, P + other->first, velocity);
    }
}

/* --- spatial contact with a disc */

void tp_disc_prepare(const double *block, double friction, double rho, tp_disc_record *record)
{
    double a = block[0];
    bool is_stiff = !(a > tp_smallest_diagonal * rho);
    if (is_stiff) a = tp_smallest_diagonal * rho;
    record->inverse_a = 1.0 / a;
    record->c1 = block[1] / a;
    record->c2 = block[2] / a;
    record->b1 = block[3] / a;
    record->b2 = block[6] / a;
    record->s11 = block[4] - block[1] * record->b1;
    record->s21 = block[5] - block[2] * record->b1;
    record->s12 = block[7] - block[1] * record->b2;
    record->s22 = block[8] - block[2] * record->b2;
    record->trace = record->s11 + record->s22;
    record->determinant = record->s11 * record->s22 - record->s12 * record->s21;
    record->friction = is_stiff ? 0.0 : friction;
}

/* Sliding: the root x > 0 of mu r_N(x) - |t(x)|, t(x) = (n + x h)/(x^2 + tr S x + det S); theory/solvers.md
 * (5). */
static void slide(const tp_disc_record *r, double beta, double h1, double h2, double n1, double n2,
                  double *slip, double *p)
{
    const double mu = r->friction;
    double x = *slip > 0.0 ? *slip : sqrt(h1 * h1 + h2 * h2) / (mu * beta);
    double low = 0.0, high = INFINITY, t1 = 0.0, t2 = 0.0, normal = beta, length = 0.0;
    if (!(x > 0.0) || !isfinite(x)) x = r->trace > 0.0 ? r->trace : 1.0;
    for (int step = 0; step < SECULAR_STEPS; step++) {
        double q = x * x + r->trace * x + r->determinant, inverse_q = 1.0 / q;
        t1 = (n1 + x * h1) * inverse_q;
        t2 = (n2 + x * h2) * inverse_q;
        length = sqrt(t1 * t1 + t2 * t2);
        normal = beta - r->b1 * t1 - r->b2 * t2;
        double phi = mu * normal - length;
        if (fabs(phi) <= tp_block_rounding * (length + mu * fabs(normal))) break;
        if (phi < 0.0) {
            low = x;
        } else {
            high = x;
        }
        double d1 = (h1 - (2.0 * x + r->trace) * t1) * inverse_q,
               d2 = (h2 - (2.0 * x + r->trace) * t2) * inverse_q;
        double d_length = (t1 * d1 + t2 * d2) / length, d_normal = -r->b1 * d1 - r->b2 * d2;
        double next = x - phi * length / (mu * (d_normal * length - normal * d_length));
        if (!(next > low && next < high)) next = isinf(high) ? 2.0 * x + fabs(r->trace) : 0.5 * (low + high);
        if (fabs(next - x) <= 1e-16 * x) break;
        x = next;
    }
    normal = fmax(normal, 0.0);
    double shrink = length > 0.0 ? mu * normal / length : 0.0; /* the cone holds to rounding */
    *slip = x;
    p[0] = normal;
    p[1] = shrink * t1;
    p[2] = shrink * t2;
}

void tp_disc_solve(const tp_disc_record *r, double g_n, double g_1, double g_2, double *slip, double *p)
{
    if (g_n >= 0.0) { /* opens */
        p[0] = p[1] = p[2] = 0.0;
        return;
    }
    double beta = -g_n * r->inverse_a;
    if (r->friction == 0.0) {
        p[0] = beta;
        p[1] = p[2] = 0.0;
        return;
    }
    double h1 = -g_1 + r->c1 * g_n, h2 = -g_2 + r->c2 * g_n;
    double n1 = r->s22 * h1 - r->s12 * h2, n2 = r->s11 * h2 - r->s21 * h1;
    if (r->determinant > tp_smallest_determinant * r->trace * r->trace) { /* sticks? */
        double t1 = n1 / r->determinant, t2 = n2 / r->determinant;
        double normal = beta - r->b1 * t1 - r->b2 * t2;
        if (normal > 0.0 && t1 * t1 + t2 * t2 <= r->friction * r->friction * normal * normal) {
            p[0] = normal;
            p[1] = t1;
            p[2] = t2;
            return;
        }
    }
    if (h1 == 0.0 && h2 == 0.0) { /* nothing drives it sideways */
        p[0] = beta;
        p[1] = p[2] = 0.0;
        return;
    }
    slide(r, beta, h1, h2, n1, n2, slip, p);
}

/* --- contact with a ball in any tangential dimension: planar (1), with drilling (3) */

/* t(x) = (S + x I)^-1 h; returns false if that matrix is singular. */
static bool tangential(int k, const double *S, double x, const double *h, double *t)
{
    double shifted[TP_FRICTION_MAX * TP_FRICTION_MAX];
    memcpy(shifted, S, (size_t)(k * k) * sizeof(double));
    for (int i = 0; i < k; i++) shifted[i + i * k] += x;
    return tp_dense_solve_small(k, shifted, h, t) == TP_OK;
}

/* Points t(x) = (S + x I)^-1 h with r_N(x) = beta - b.t, and the rim |t| = mu r_N of the cone; (5). */
typedef struct rim {
    int k;
    double mu, beta;
    const double *S, *b, *h;
} rim;

/* mu r_N/|t| - 1 at x, nearly linear in x, and its slope; p = (r_N, t). NaN where undefined. */
static double rim_value(const rim *r, double x, double *p, double *slope_out)
{
    double change[TP_FRICTION_MAX], *t = p + 1;
    *slope_out = NAN;
    if (!tangential(r->k, r->S, x, r->h, t) || !tangential(r->k, r->S, x, t, change)) return NAN;
    p[0] = r->beta - tp_dense_dot(r->k, r->b, t);
    double length = tp_dense_norm(r->k, t); /* t' = -change */
    *slope_out =
        r->mu *
        (tp_dense_dot(r->k, r->b, change) + p[0] * tp_dense_dot(r->k, t, change) / (length * length)) /
        length;
    return r->mu * p[0] / length - 1.0;
}

/* The root x > 0, from a point at which the value is negative or undefined: Newton's method inside a bracket.
 */
static void find_rim(const rim *r, double *p)
{
    double low = 0.0, high = INFINITY, slope, x = 0.0, value = rim_value(r, x, p, &slope);
    double far = tp_dense_norm(r->k, r->h) / (r->mu * r->beta);
    for (int i = 0; i < RIM_STEPS; i++) {
        double next = x - value / slope;
        if (!(next > low && next < high)) {
            if (isinf(high))
                next = fmax(4.0 * low, far);
            else
                next = low > 0.0 && high > 4.0 * low ? sqrt(low * high) : 0.5 * (low + high);
        }
        if (next == x || next <= low || next >= high) break;
        bool is_last = fabs(next - x) <= 2.0 * DBL_EPSILON * next;
        x = next;
        value = rim_value(r, x, p, &slope);
        if (is_last) break;
        if (value >= 0.0) {
            high = x;
        } else {
            low = x;
        }
    }
}

/* A planar contact: open, stick, or slide to the side it is driven to; theory/solvers.md (6). */
static void planar_contact(double mu, const double *D, double rho, const double *g, double *p)
{
    p[0] = p[1] = 0.0;
    if (g[0] >= 0.0) return;
    double a = fmax(D[0], tp_smallest_diagonal * rho), beta = -g[0] / a;
    p[0] = beta;
    if (mu == 0.0 || D[0] < a) return;
    double b = D[2] / a, S = D[3] - D[1] * b, h = -g[1] + D[1] / a * g[0];
    if (S > tp_smallest_determinant * fabs(D[3])) {
        double t = h / S, normal = beta - b * t;
        if (normal > 0.0 && fabs(t) <= mu * normal) {
            p[0] = normal;
            p[1] = t;
            return;
        }
    }
    double side = h > 0.0 ? mu : -mu;
    if (h == 0.0 || !(1.0 + side * b > 0.0))
        side = h == 0.0 ? 0.0 : -side; /* wedged: only the other side is left */
    if (!(1.0 + side * b > 0.0)) return;
    p[0] = beta / (1.0 + side * b);
    p[1] = side * p[0];
}

/* As tp_disc_solve for k tangential rows, D [(1+k)^2]. */
static void ball_contact(int k, double mu, const double *D, double rho, const double *g, double *p)
{
    int n = k + 1;
    double b[TP_FRICTION_MAX] = {0}, S[TP_FRICTION_MAX * TP_FRICTION_MAX] = {0}, h[TP_FRICTION_MAX] = {0},
           trial[TP_SET_MAX] = {0};
    double a = fmax(D[0], tp_smallest_diagonal * rho);
    memset(p, 0, (size_t)n * sizeof(double));
    if (g[0] >= 0.0) return;
    double beta = -g[0] / a;
    p[0] = beta;
    if (mu == 0.0 || D[0] < a) return;
    for (int j = 0; j < k; j++) {
        b[j] = D[(j + 1) * n] / a;
        h[j] = -g[j + 1] + D[j + 1] / a * g[0];
        for (int i = 0; i < k; i++) S[i + j * k] = D[i + 1 + (j + 1) * n] - D[i + 1] * b[j];
    }
    if (tp_dense_norm(k, h) == 0.0) return;
    if (tangential(k, S, 0.0, h, trial + 1)) { /* sticks? */
        trial[0] = beta - tp_dense_dot(k, b, trial + 1);
        if (trial[0] > 0.0 && tp_dense_norm(k, trial + 1) <= mu * trial[0]) {
            memcpy(p, trial, (size_t)n * sizeof(double));
            return;
        }
    }
    find_rim(&(rim){k, mu, beta, S, b, h}, trial);
    double length = tp_dense_norm(k, trial + 1);
    p[0] = fmax(trial[0], 0.0);
    for (int i = 0; i < k; i++) p[i + 1] = length > 0.0 ? mu * p[0] * trial[i + 1] / length : 0.0;
}

/* An ellipse becomes a disc of friction 1 by scaling the tangential rows; theory/solvers.md (7). */
static void ellipsoid_contact(const tp_set *set, const double *D, double rho, const double *g, double *p)
{
    int n = set->size;
    double factor[TP_SET_MAX] = {1.0}, D_hat[TP_SET_MAX * TP_SET_MAX] = {0}, g_hat[TP_SET_MAX] = {0};
    for (int k = 1; k < n; k++) factor[k] = set->parameter[k - 1];
    for (int j = 0; j < n; j++) {
        g_hat[j] = factor[j] * g[j];
        for (int i = 0; i < n; i++) D_hat[i + j * n] = factor[i] * D[i + j * n] * factor[j];
    }
    ball_contact(n - 1, 1.0, D_hat, rho, g_hat, p);
    for (int k = 1; k < n; k++) p[k] *= factor[k];
}

/* --- friction of given size, rows, joints */

/* D p = -g with some rows that impulses cannot move, as joints that are held leave them: p of least norm, but
   for a small shift, which is taken back once. */
static bool singular_stick(int n, const double *D, const double *minus_g, double *p)
{
    double largest = 0.0, rest[TP_SET_MAX], step[TP_SET_MAX], left[TP_SET_MAX] = {0};
    for (int k = 0; k < n; k++) largest = fmax(largest, fabs(D[k + k * n]));
    double shift = tp_joint_shift * largest;
    if (!(largest > 0.0) || !tangential(n, D, shift, minus_g, p)) return false;
    tp_dense_multiply_add(n, n, D, n, p, left);
    for (int k = 0; k < n; k++) rest[k] = minus_g[k] - left[k];
    if (!tangential(n, D, shift, rest, step)) return false;
    for (int k = 0; k < n; k++) p[k] += step[k];
    return true;
}

/* A ball of fixed radius: p = -(D + x I)^-1 g with x = 0 inside, else |p| = radius; theory/solvers.md (8). */
static void fixed_ball(int n, double radius, const double *D, const double *g, double *p)
{
    double minus_g[TP_SET_MAX] = {0};
    for (int k = 0; k < n; k++) minus_g[k] = -g[k];
    if (!(radius > 0.0) || tp_dense_norm(n, g) == 0.0) { /* nothing transmitted, or nothing to stop */
        memset(p, 0, (size_t)n * sizeof(double));
        return;
    }
    bool is_stuck = tangential(n, D, 0.0, minus_g, p) || singular_stick(n, D, minus_g, p);
    if (is_stuck && tp_dense_norm(n, p) <= radius) return;
    static const double no_coupling[TP_FRICTION_MAX] = {0.0};
    double on_rim[TP_SET_MAX + 1] = {0.0};
    find_rim(&(rim){n, 1.0, radius, D, no_coupling, minus_g}, on_rim);
    memcpy(p, on_rim + 1, (size_t)n * sizeof(double));
}

/* Rows with bounds of their own, one after the other. */
static void interval_rows(const tp_set *set, const double *D, double rho, const double *g, double *p)
{
    int n = set->size;
    for (int k = 0; k < n; k++) {
        tp_row_bounds bounds = tp_set_row_bounds(set, k);
        double xi = g[k], a = D[k + (size_t)k * (size_t)n];
        for (int j = 0; j < n; j++) xi += D[k + (size_t)j * (size_t)n] * p[j];
        if (!(a > tp_smallest_diagonal * rho))
            a = rho; /* impulses of this row do not move it: a damped step */
        p[k] = fmin(fmax(p[k] - xi / a, bounds.lower), bounds.upper);
    }
}

/* A joint: p <- p - (D + delta I)^-1 (D p + g); the small delta makes redundant rows harmless and vanishes at
 * the solution. */
static void joint(int n, const double *D, double rho, const double *g, double *p)
{
    double xi[TP_SET_MAX], step[TP_SET_MAX], shifted[TP_SET_MAX * TP_SET_MAX], largest = 0.0;
    memcpy(xi, g, (size_t)n * sizeof(double));
    tp_dense_multiply_add(n, n, D, n, p, xi);
    memcpy(shifted, D, (size_t)(n * n) * sizeof(double));
    for (int k = 0; k < n; k++) largest = fmax(largest, fabs(D[k + k * n]));
    for (int k = 0; k < n; k++) shifted[k + k * n] += tp_joint_shift * (largest > 0.0 ? largest : rho);
    if (tp_dense_solve_small(n, shifted, xi, step) != TP_OK) return; /* other blocks must move these rows */
    for (int k = 0; k < n; k++) p[k] -= step[k];
}

/* Does the contact stick with D p = -g? */
static bool sticks(const tp_set *set, const double *D, const double *g, double *p)
{
    double minus_g[TP_SET_MAX], trial[TP_SET_MAX];
    tp_friction_set friction = tp_friction_of(set);
    for (int k = 0; k < set->size; k++) minus_g[k] = -g[k];
    if (tp_dense_solve_small(set->size, D, minus_g, trial) != TP_OK) return false;
    if (!(trial[0] > 0.0) || !tp_friction_contains(&friction, trial[0], trial + 1)) return false;
    memcpy(p, trial, (size_t)set->size * sizeof(double));
    return true;
}

static void contact(tp_block_solver *solver, int i, const double *D, const double *g, double *p)
{
    const tp_set *set = &solver->local->sets[i];
    double rho = solver->local->rho;
    bool may_stay = solver->may_stay != NULL && solver->may_stay[i];
    if (may_stay && g[0] >= 0.0 && sticks(set, D, g, p)) return;
    if (set->friction_kind == TP_FRICTION_ELLIPSOID) {
        ellipsoid_contact(set, D, rho, g, p);
    } else if (set->friction_kind != TP_FRICTION_BALL) {
        if (g[0] >= 0.0) {
            memset(p, 0, (size_t)set->size * sizeof(double));
        } else {
            tp_block_newton(set, 1.0, D, g, p);
        }
    } else if (set->size == 2) {
        planar_contact(set->parameter[0], D, rho, g, p);
    } else if (set->size == 3) {
        if (!solver->is_ready[i]) tp_disc_prepare(D, set->parameter[0], rho, &solver->disc[i]);
        solver->is_ready[i] = 1;
        tp_disc_solve(&solver->disc[i], g[0], g[1], g[2], &solver->slip[i], p);
    } else {
        ball_contact(set->size - 1, set->parameter[0], D, rho, g, p);
    }
}

void tp_block_solve(tp_block_solver *solver, int i, const double *g, double *P)
{
    const tp_local *local = solver->local;
    const tp_set *set = &local->sets[i];
    const double *D = tp_local_diagonal(local, i);
    double *p = P + set->first;
    switch (set->kind) {
    case TP_SET_FREE: joint(set->size, D, local->rho, g, p); return;
    case TP_SET_ZERO: memset(p, 0, (size_t)set->size * sizeof(double)); return;
    case TP_SET_ORTHANT:
    case TP_SET_BOX: interval_rows(set, D, local->rho, g, p); return;
    case TP_SET_CONTACT: contact(solver, i, D, g, p); return;
    case TP_SET_FRICTION:
        if (set->friction_kind == TP_FRICTION_BALL) {
            fixed_ball(set->size, set->parameter[0] * tp_set_scale(set, P), D, g, p);
            return;
        }
        tp_block_newton(set, tp_set_scale(set, P), D, g, p);
        return;
    case TP_SET_CONE:
    case TP_SET_DUAL_CONE: tp_block_newton(set, 1.0, D, g, p); return;
    }
}
