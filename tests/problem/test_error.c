/* The error measure E: zero at solutions, equal to formulas written here apart from the library, invariant
   where it must be; theory/problems.md (5)-(9). */
#include "problem/local.h"
#include "problems.h"

/* --- the test's own projections: closed forms of the simple sets, minimisation for the others */

/* Coulomb-Contensou profile at slip ratio u >= 0: radius and height of the body for unit parameters. */
static void contensou_profile(double u, double *t, double *tau)
{
    const double pi = 3.14159265358979323846;
    double v = u * u;
    if (u <= 1.0) {
        *t = 3.0 * pi / 32.0 * u * (4.0 - v);
        *tau = (3.0 * v * v - 8.0 * v + 8.0) / 8.0;
    } else {
        double s = asin(1.0 / u), w = sqrt(v - 1.0);
        *t = 3.0 / 16.0 * (u * (4.0 - v) * s + (v + 2.0) * w / u);
        *tau = ((3.0 * v * v - 8.0 * v + 8.0) * s + (6.0 - 3.0 * v) * w) / (4.0 * pi);
    }
}

/* Boundary curve of an ellipse or of the Contensou profile in the first quadrant, angle 0 to pi/2. */
static void boundary_curve(const tp_set *set, double angle, double *x, double *y)
{
    if (set->friction_kind == TP_FRICTION_ELLIPSOID) {
        *x = set->parameter[0] * cos(angle);
        *y = set->parameter[1] * sin(angle);
        return;
    }
    /* the formula for large u cancels: beyond u = 30 the curve is its own limit point to 1e-4, and the tests
       keep away from it */
    contensou_profile(fmin(tan(angle), 30.0), x, y);
    *x *= set->parameter[0];
    *y *= set->parameter[1];
}

typedef struct curve_goal {
    const tp_set *set;
    double scale, x, y;
    bool is_support;
} curve_goal;

static double curve_value(const curve_goal *goal, double angle)
{
    double x, y;
    boundary_curve(goal->set, angle, &x, &y);
    if (goal->is_support) return -(x * goal->x + y * goal->y);
    return pow(goal->scale * x - goal->x, 2) + pow(goal->scale * y - goal->y, 2);
}

/* Smallest value over the curve: a scan, then golden sections. */
static double best_angle(const curve_goal *goal)
{
    enum { SCAN = 400 };
    const double end = 1.5707963267948966, golden = 0.6180339887498949;
    int best = 0;
    for (int k = 1; k <= SCAN; k++)
        if (curve_value(goal, end * k / SCAN) < curve_value(goal, end * best / SCAN)) best = k;
    double low = end * fmax(best - 1, 0) / SCAN, high = end * fmin(best + 1, SCAN) / SCAN;
    for (int k = 0; k < 80; k++) {
        double a = high - golden * (high - low), b = low + golden * (high - low);
        if (curve_value(goal, a) < curve_value(goal, b)) {
            high = b;
        } else {
            low = a;
        }
    }
    return 0.5 * (low + high);
}

/* Nearest point of scale D for a point of the first quadrant of an ellipse or a Contensou profile. */
static void project_profile(const tp_set *set, double scale, double x, double y, double *px, double *py)
{
    double low = 0.0, high = 1.5707963267948966, cx, cy;
    bool is_steep =
        set->friction_kind == TP_FRICTION_ELLIPSOID; /* its angle grows with y, that of the profile with t */
    for (int k = 0; k < 200; k++) {                  /* the boundary point in the same direction */
        double middle = 0.5 * (low + high);
        boundary_curve(set, middle, &cx, &cy);
        if ((cx * y > cy * x) == is_steep) {
            low = middle;
        } else {
            high = middle;
        }
    }
    *px = x, *py = y;
    boundary_curve(set, 0.5 * (low + high), &cx, &cy);
    if (hypot(x, y) <= scale * hypot(cx, cy)) return;
    curve_goal goal = {set, scale, x, y, false};
    boundary_curve(set, best_angle(&goal), px, py);
    *px *= scale, *py *= scale;
}

static double cut(int n, double radius, const double *z, double *p)
{
    double length = 0.0, off = 0.0;
    for (int k = 0; k < n; k++) length += z[k] * z[k];
    length = sqrt(length);
    for (int k = 0; k < n; k++) {
        p[k] = length > radius ? z[k] * radius / length : z[k];
        off += (z[k] - p[k]) * (z[k] - p[k]);
    }
    return off;
}

/* Nearest point of scale D; returns the squared distance. */
static double project_body_reference(const tp_set *set, int n, double scale, const double *z, double *p)
{
    double x, y;
    scale = fmax(scale, 0.0);
    switch (set->friction_kind) {
    case TP_FRICTION_BALL: return cut(n, scale * set->parameter[0], z, p);
    case TP_FRICTION_CYLINDER:
        return cut(2, scale * set->parameter[0], z, p) + cut(n - 2, scale * set->parameter[1], z + 2, p + 2);
    case TP_FRICTION_ELLIPSOID:
        project_profile(set, scale, fabs(z[0]), fabs(z[1]), &x, &y);
        p[0] = copysign(x, z[0]), p[1] = copysign(y, z[1]);
        break;
    default: {
        double t = hypot(z[0], z[1]);
        project_profile(set, scale, t, fabs(z[2]), &x, &y);
        for (int k = 0; k < 2; k++) p[k] = t > 0.0 ? z[k] * x / t : 0.0;
        p[2] = copysign(y, z[2]);
    }
    }
    double off = 0.0;
    for (int k = 0; k < n; k++) off += (z[k] - p[k]) * (z[k] - p[k]);
    return off;
}

/* Nearest point of K = {P_T in P_N D}: convex in P_N once P_T is the best one for it. */
static void project_cone_reference(const tp_set *set, const double *z, double *p)
{
    const double golden = 0.6180339887498949;
    int n = set->size;
    double low = 0.0, high = 0.0;
    for (int k = 0; k < n; k++) high += fabs(z[k]); /* |P| <= |z| */
    for (int k = 0; k < 90; k++) {
        double a = high - golden * (high - low), b = low + golden * (high - low);
        double at_a = pow(a - z[0], 2) + project_body_reference(set, n - 1, a, z + 1, p + 1);
        double at_b = pow(b - z[0], 2) + project_body_reference(set, n - 1, b, z + 1, p + 1);
        if (at_a < at_b) {
            high = b;
        } else {
            low = a;
        }
    }
    p[0] = 0.5 * (low + high);
    project_body_reference(set, n - 1, p[0], z + 1, p + 1);
}

static double support_reference(const tp_set *set, int n, const double *y)
{
    switch (set->friction_kind) {
    case TP_FRICTION_BALL: {
        double length = 0.0;
        for (int k = 0; k < n; k++) length += y[k] * y[k];
        return set->parameter[0] * sqrt(length);
    }
    case TP_FRICTION_CYLINDER:
        return set->parameter[0] * hypot(y[0], y[1]) +
               set->parameter[1] * (n == 3 ? fabs(y[2]) : hypot(y[2], y[3]));
    case TP_FRICTION_ELLIPSOID: return hypot(set->parameter[0] * y[0], set->parameter[1] * y[1]);
    default: {
        curve_goal goal = {set, 1.0, hypot(y[0], y[1]), fabs(y[2]), true};
        return -curve_value(&goal, best_angle(&goal));
    }
    }
}

/* e_i^2 by the table of the measure. */
static double block_reference(const tp_set *set, double rho, const double *P, const double *xi)
{
    int n = set->size;
    const double *own = P + set->first;
    double sum = 0.0, recession = 0.0, z[6], p[6], x[6], scale = 1.0;
    switch (set->kind) {
    case TP_SET_FREE:
        for (int k = 0; k < n; k++) sum += xi[k] * xi[k];
        return sum;
    case TP_SET_ZERO:
        for (int k = 0; k < n; k++) sum += rho * own[k] * rho * own[k];
        return sum;
    case TP_SET_ORTHANT:
        for (int k = 0; k < n; k++) sum += pow(fmax(fabs(fmin(rho * own[k], xi[k])), -xi[k]), 2);
        return sum;
    case TP_SET_BOX:
        for (int k = 0; k < n; k++) {
            double l = set->parameter[2 * k], u = set->parameter[2 * k + 1], t = own[k] - xi[k] / rho;
            double natural = rho * fabs(own[k] - (t < l ? l : t > u ? u : t));
            if (isinf(u) && !isinf(l)) natural = fmax(natural, -xi[k]);
            if (isinf(l) && !isinf(u)) natural = fmax(natural, xi[k]);
            sum += natural * natural;
        }
        return sum;
    case TP_SET_FRICTION:
        if (set->master_count > 0) {
            scale = 0.0;
            for (int k = 0; k < set->master_count; k++) scale += pow(P[set->master + k], 2);
            scale = sqrt(scale);
        }
        for (int k = 0; k < n; k++) z[k] = own[k] - xi[k] / rho;
        project_body_reference(set, n, scale, z, p);
        for (int k = 0; k < n; k++) sum += pow(rho * (own[k] - p[k]), 2);
        return sum;
    default:
        memcpy(x, xi, (size_t)n * sizeof(double));
        if (set->kind == TP_SET_CONTACT) x[0] += support_reference(set, n - 1, xi + 1);
        for (int k = 0; k < n; k++) z[k] = own[k] - x[k] / rho;
        project_cone_reference(set, z, p);
        for (int k = 0; k < n; k++) sum += pow(rho * (own[k] - p[k]), 2);
        for (int k = 0; k < n; k++) z[k] = -x[k];
        project_cone_reference(set, z, p);
        for (int k = 0; k < n; k++) recession += p[k] * p[k];
        return fmax(sum, recession);
    }
}

/* --- one problem with every kind of law */

enum { SETS = 14, MOST = 48 };

static int all_laws(tp_set *sets)
{
    const double ellipse[] = {0.5, 0.2}, drill[] = {0.4, 0.1}, contensou[] = {0.4, 0.4};
    int count = 0;
    sets[count++] = tp_set_free(3);
    sets[count++] = tp_set_orthant(4);
    sets[count++] = tp_set_interval(-0.4, 0.7);
    sets[count++] = tp_set_interval(0.2, INFINITY);
    sets[count++] = tp_set_interval(-INFINITY, 0.3);
    sets[count++] = tp_set_zero(2);
    sets[count++] = tp_set_coulomb(2, 0.6);
    sets[count++] = tp_set_coulomb(3, 0.3);
    sets[count++] = tp_set_contact(TP_FRICTION_ELLIPSOID, 3, ellipse);
    sets[count++] = tp_set_rolling(0.5, 0.1);
    sets[count++] = tp_set_contact(TP_FRICTION_CYLINDER, 4, drill);
    sets[count++] = tp_set_contact(TP_FRICTION_CONTENSOU, 4, contensou);
    sets[count++] = tp_set_cone(tp_set_coulomb(3, 0.4));
    sets[count++] = tp_set_following(tp_set_ball(2, 0.5), 0, 2); /* follows two joint rows */
    int first = 0;
    for (int i = 0; i < count; i++) {
        sets[i].first = first;
        first += sets[i].size;
    }
    return first;
}

/* The sliding friction of unit size for the slip velocity y: -argmax y.p over D. */
static void friction_reference(const tp_set *set, int n, const double *y, double *p)
{
    const double *mu = set->parameter;
    double size = support_reference(set, n, y), x, h;
    switch (set->friction_kind) {
    case TP_FRICTION_BALL:
        for (int k = 0; k < n; k++) p[k] = -mu[0] * mu[0] * y[k] / size;
        return;
    case TP_FRICTION_ELLIPSOID:
        for (int k = 0; k < n; k++) p[k] = -mu[k] * mu[k] * y[k] / size;
        return;
    case TP_FRICTION_CYLINDER: {
        double a = hypot(y[0], y[1]), b = n == 3 ? fabs(y[2]) : hypot(y[2], y[3]);
        for (int k = 0; k < n; k++) p[k] = k < 2 ? -mu[0] * y[k] / a : -mu[1] * y[k] / b;
        return;
    }
    default: {
        double t = hypot(y[0], y[1]);
        curve_goal goal = {set, 1.0, t, fabs(y[2]), true};
        boundary_curve(set, best_angle(&goal), &x, &h);
        for (int k = 0; k < 2; k++) p[k] = -x * y[k] / t;
        p[2] = -copysign(h, y[2]);
    }
    }
}

/* P and xi that satisfy the law, made from its words: open, sticking, sliding; at a bound, between bounds. */
static void exact_pair(const tp_set *set, int mode, check_random *random, const double *P_all, double *P,
                       double *xi)
{
    int n = set->size;
    for (int k = 0; k < n; k++) P[k] = xi[k] = 0.0;
    switch (set->kind) {
    case TP_SET_FREE:
        for (int k = 0; k < n; k++) P[k] = check_normal(random);
        return;
    case TP_SET_ZERO:
        for (int k = 0; k < n; k++) xi[k] = check_normal(random);
        return;
    case TP_SET_ORTHANT:
        for (int k = 0; k < n; k++) *((k + mode) % 2 ? &P[k] : &xi[k]) = check_uniform(random, 0.1, 2.0);
        return;
    case TP_SET_BOX: {
        double l = set->parameter[0], u = set->parameter[1];
        if (mode == 0 && isinf(l)) mode = 1;
        if (mode == 1 && isinf(u)) mode = 0;
        P[0] = mode == 0 ? l : mode == 1 ? u : isinf(l) ? u - 1.0 : isinf(u) ? l + 1.0 : 0.3 * l + 0.7 * u;
        xi[0] = mode == 0 ? 0.7 : mode == 1 ? -0.4 : 0.0;
        return;
    }
    case TP_SET_FRICTION: {
        double s = hypot(P_all[set->master], P_all[set->master + 1]);
        if (mode == 1) {
            P[0] = 0.3 * s, P[1] = -0.1 * s;
            return;
        }
        for (int k = 0; k < n; k++) xi[k] = check_normal(random);
        friction_reference(set, n, xi, P);
        for (int k = 0; k < n; k++) P[k] *= s;
        return;
    }
    default: break;
    }
    double y[6], slide[6];
    for (int k = 0; k < n - 1; k++) y[k] = check_normal(random);
    friction_reference(set, n - 1, y, slide);
    bool is_associated = set->kind == TP_SET_CONE;
    double lift = is_associated ? support_reference(set, n - 1, y) : 0.0;
    if (mode == 0) { /* open */
        xi[0] = check_uniform(random, 0.1, 1.0) + lift;
        for (int k = 1; k < n; k++) xi[k] = y[k - 1];
        return;
    }
    P[0] = check_uniform(random, 0.1, 2.0);
    for (int k = 1; k < n; k++) {
        P[k] = P[0] * (mode == 1 ? 0.5 : 1.0) * slide[k - 1];
        xi[k] = mode == 1 ? 0.0 : y[k - 1];
    }
    xi[0] = mode == 1 ? 0.0 : lift; /* the associated law lifts off while it slides */
}

/* A random G with positive diagonal, unsymmetric. */
static void random_matrix(check_random *random, int n, double *G)
{
    for (int k = 0; k < n * n; k++) G[k] = 0.3 * check_normal(random) + (k % (n + 1) == 0 ? 2.0 : 0.0);
}

static void velocity_reference(int n, const double *G, const double *P, const double *c, double *xi)
{
    for (int i = 0; i < n; i++) {
        xi[i] = c != NULL ? c[i] : 0.0;
        for (int j = 0; j < n; j++) xi[i] += G[i + j * n] * P[j];
    }
}

TEST(E_vanishes_at_exact_solutions_of_every_kind)
{
    check_random random = {11};
    tp_set sets[SETS];
    int n = all_laws(sets);
    CHECK(n <= MOST);
    for (int trial = 0; trial < 30; trial++) {
        double G[MOST * MOST], P[MOST] = {0}, xi[MOST], c[MOST], moved[MOST];
        random_matrix(&random, n, G);
        for (int i = 0; i < SETS; i++)
            exact_pair(&sets[i], (trial + i) % 3, &random, P, P + sets[i].first, xi + sets[i].first);
        velocity_reference(n, G, P, NULL, moved);
        for (int k = 0; k < n; k++) c[k] = xi[k] - moved[k];
        tp_problem *problem = make_local(n, G, c, sets, SETS);
        tp_residual residual;
        CHECK_INT(tp_problem_error(problem, P, &residual), TP_OK);
        /* the point on Contensou's body comes from a minimisation, good to the root of rounding */
        CHECK_NEAR(residual.error, 0.0, 1e-7);
        for (int i = 0; i < SETS; i++) {
            double e = tp_local_block_error(&sets[i], residual.rho, P, xi + sets[i].first);
            CHECK_NEAR(e, 0.0, sets[i].friction_kind == TP_FRICTION_CONTENSOU ? 1e-7 : 1e-14);
        }
        CHECK_NEAR(residual.worst_equality, 0.0, 1e-14);
        CHECK_NEAR(residual.worst_gap_velocity, 0.0, 1e-14);
        CHECK_NEAR(residual.worst_product, 0.0, 1e-14);
        tp_problem_free(problem);
    }
}

TEST(E_is_the_value_of_the_formula_at_any_P)
{
    check_random random = {12};
    tp_set sets[SETS];
    int n = all_laws(sets);
    for (int trial = 0; trial < 25; trial++) {
        double G[MOST * MOST], P[MOST], xi[MOST], c[MOST], sum = 0.0, norm = 0.0, rho = 0.0;
        random_matrix(&random, n, G);
        for (int k = 0; k < n; k++) P[k] = check_normal(&random), c[k] = check_normal(&random);
        velocity_reference(n, G, P, c, xi);
        for (int k = 3; k < n; k++) rho += G[k * (n + 1)] / (n - 3); /* the first three rows are a joint */
        for (int k = 0; k < n; k++) norm += c[k] * c[k];
        tp_problem *problem = make_local(n, G, c, sets, SETS);
        tp_residual residual;
        CHECK_INT(tp_problem_error(problem, P, &residual), TP_OK);
        CHECK_NEAR(residual.rho, rho, 1e-14 * rho);
        CHECK_NEAR(residual.scale, sqrt(norm), 1e-14 * sqrt(norm));
        for (int i = 0; i < SETS; i++) {
            double e2 = block_reference(&sets[i], rho, P, xi + sets[i].first);
            double e = tp_local_block_error(&sets[i], rho, P, xi + sets[i].first);
            if (fabs(e - sqrt(e2)) > 1e-6)
                print_error("law %d (%s, %s)\n", i, tp_set_kind_name(sets[i].kind),
                            tp_friction_kind_name(sets[i].friction_kind));
            CHECK_NEAR(e, sqrt(e2),
                       1e-6); /* minimisation: root of rounding times the condition of the body */
            sum += e2;
        }
        CHECK_NEAR(residual.error, sqrt(sum / norm), 1e-6);
        tp_problem_free(problem);
    }
}

TEST(E_does_not_depend_on_the_unit_of_velocity)
{
    check_random random = {13};
    tp_set sets[SETS];
    int n = all_laws(sets);
    double G[MOST * MOST], P[MOST], c[MOST];
    random_matrix(&random, n, G);
    for (int k = 0; k < n; k++) P[k] = check_normal(&random), c[k] = check_normal(&random);
    tp_residual before, after;
    tp_problem *problem = make_local(n, G, c, sets, SETS);
    tp_problem_error(problem, P, &before);
    tp_problem_free(problem);
    for (int k = 0; k < n * n; k++) G[k] *= 1e-5;
    for (int k = 0; k < n; k++) c[k] *= 1e-5;
    problem = make_local(n, G, c, sets, SETS);
    tp_problem_error(problem, P, &after);
    tp_problem_free(problem);
    CHECK(before.error > 0.1);
    CHECK_NEAR(after.error, before.error, 1e-12 * before.error);
    CHECK_NEAR(after.rho, 1e-5 * before.rho, 1e-18);
}

/* Cones know no size: larger impulses with larger c are the same error. */
TEST(E_of_contacts_does_not_depend_on_the_unit_of_impulse)
{
    check_random random = {14};
    double G[81], c[9], P[9];
    tp_set sets[3] = {tp_set_coulomb(3, 0.3), tp_set_coulomb(3, 0.0), tp_set_coulomb(3, 1.2)};
    random_matrix(&random, 9, G);
    for (int k = 0; k < 9; k++) P[k] = check_normal(&random), c[k] = check_normal(&random);
    tp_residual before, after;
    tp_problem *problem = make_local(9, G, c, sets, 3);
    tp_problem_error(problem, P, &before);
    tp_problem_free(problem);
    for (int k = 0; k < 81; k++) G[k] *= 1e3;
    for (int k = 0; k < 9; k++) P[k] *= 1e-3;
    problem = make_local(9, G, c, sets, 3);
    tp_problem_error(problem, P, &after);
    tp_problem_free(problem);
    CHECK_NEAR(after.error, before.error, 1e-12 * before.error);
}

TEST(below_rounding_the_error_is_absolute)
{
    const double G[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, P[3] = {0};
    tp_set set = tp_set_coulomb(3, 0.5);
    for (int power = -11; power >= -14; power--) {
        double c[3] = {-pow(10.0, power), 0, 0};
        tp_problem *problem = make_local(3, G, c, &set, 1);
        tp_residual residual;
        tp_problem_error(problem, P, &residual);
        bool is_noise = power <= -13 || !(fabs(c[0]) > 1e-12);
        CHECK(residual.at_rounding == is_noise);
        CHECK_NEAR(residual.scale, is_noise ? 1.0 : fabs(c[0]), 1e-20);
        CHECK_NEAR(residual.error, is_noise ? fabs(c[0]) : 1.0, 1e-14);
        tp_problem_free(problem);
    }
}

TEST(rho_is_guarded_where_the_diagonal_says_nothing)
{
    const double zero_diagonal[4] = {0, 3, 4, 0}, c[2] = {1, -1}, P[2] = {0.1, 0.2}, nothing[4] = {0};
    tp_set lcp = tp_set_orthant(2), joint = tp_set_free(2);
    tp_residual residual;
    tp_problem *problem = make_local(2, zero_diagonal, c, &lcp, 1);
    tp_problem_error(problem, P, &residual);
    CHECK_NEAR(residual.rho, 5.0 / sqrt(2.0), 1e-14); /* |G|_F / sqrt(rows) */
    tp_problem_free(problem);
    problem = make_local(2, nothing, c, &lcp, 1);
    tp_problem_error(problem, P, &residual);
    CHECK_NEAR(residual.rho, 1.0, 0.0);
    tp_problem_free(problem);
    problem = make_local(2, zero_diagonal, c, &joint, 1);
    tp_problem_error(problem, P, &residual);
    CHECK_NEAR(residual.error, hypot(0.8 + 1.0, 0.3 - 1.0) / sqrt(2.0), 1e-14); /* |xi|/|c|, any rho */
    tp_problem_free(problem);
}

/* fmax and fmin prefer numbers: a NaN once made every part of the formula 0, and E with it. */
TEST(a_P_that_is_not_finite_has_the_largest_error)
{
    check_random random = {15};
    tp_set sets[SETS];
    int n = all_laws(sets);
    double G[MOST * MOST], P[MOST], c[MOST];
    random_matrix(&random, n, G);
    for (int k = 0; k < n; k++) P[k] = check_normal(&random), c[k] = check_normal(&random);
    const double bad[3] = {NAN, INFINITY, -INFINITY};
    tp_problem *problem = make_local(n, G, c, sets, SETS);
    for (int k = 0; k < n; k++) {
        for (int b = 0; b < 3; b++) {
            double keep = P[k];
            tp_residual residual;
            P[k] = bad[b];
            CHECK_INT(tp_problem_error(problem, P, &residual), TP_OK);
            CHECK_NEAR(residual.error, 1e300, 0.0);
            P[k] = keep;
        }
    }
    tp_problem_free(problem);
    double everywhere[MOST];
    for (int i = 0; i < SETS; i++) { /* each law alone, all of its rows */
        tp_set set = sets[i];
        set.master_count = 0;
        for (int k = 0; k < set.size; k++) everywhere[k] = NAN;
        double block[36] = {0};
        for (int k = 0; k < set.size; k++) block[k * (set.size + 1)] = 1.0;
        problem = make_local(set.size, block, c, &set, 1);
        tp_residual residual;
        tp_problem_error(problem, everywhere, &residual);
        CHECK_NEAR(residual.error, 1e300, 0.0);
        double e = tp_local_block_error(&problem->sets[0], 1.0, everywhere, everywhere);
        CHECK(!(e < 1e300));
        tp_problem_free(problem);
    }
}

TEST(the_residual_names_what_is_wrong)
{
    const double G[25] = {1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1};
    tp_set sets[3] = {tp_set_free(1), tp_set_orthant(1), tp_set_coulomb(3, 0.5)};
    double c[5] = {0, 0, 0, 0, 0};
    c[0] = 2.0; /* scale 2, rho 1 */
    tp_problem *problem = make_local(5, G, c, sets, 3);
    tp_residual residual;
    double P[5] = {-1.5, -0.4, 2.0, 1.6, 0.0};
    tp_problem_error(problem, P, &residual);
    CHECK_NEAR(residual.worst_equality, 0.5 / 2.0, 1e-15);
    CHECK_NEAR(residual.worst_gap_velocity, 0.4 / 2.0, 1e-15);
    /* nearest point of |t| <= n/2 to (2, 1.6): distance (1.6 - 1)/sqrt(1.25) */
    CHECK_NEAR(residual.worst_cone_violation, 0.6 / sqrt(1.25) / 2.0, 1e-15);
    CHECK_NEAR(residual.worst_product, 4.0 / 4.0, 1e-15);
    CHECK_NEAR(residual.worst_dissipation, (1.6 * 1.6 + 2.0 * 0.5 * 1.6) / 4.0, 1e-15);
    CHECK_NEAR(residual.P_norm, sqrt(1.5 * 1.5 + 0.16 + 4.0 + 2.56), 1e-15);
    tp_problem_free(problem);
}

/* Beside an impulse of 1e20 the velocity -1 is lost in P - xi/rho, and the law seems to hold: bodies that
   come together with speed 1 have the error 1 all the same, by the second term of (6). */
TEST(impulses_that_hide_velocities_in_rounding_do_not_hide_errors)
{
    const double axes[3] = {0.3, 0.5, 0.4};
    for (int kind = TP_FRICTION_BALL; kind < TP_FRICTION_KINDS; kind++) {
        for (int size = 2; size <= TP_SET_MAX; size++) {
            tp_set set = tp_set_contact((tp_friction_kind)kind, size, axes);
            if (tp_set_check(&set, NULL) != TP_OK) continue;
            double P[TP_SET_MAX] = {1e20}, xi[TP_SET_MAX] = {-1.0};
            CHECK_NEAR(tp_local_block_error(&set, 1.0, P, xi), 1.0, 1e-14);
            xi[0] = 1.0; /* they part: nothing but the impulse is wrong, and that is seen */
            P[0] = 1e15;
            CHECK_NEAR(tp_local_block_error(&set, 1.0, P, xi), 1.0, 1e-14);
        }
    }
}

/* (20): a row a x of one mass m moves m/a^2, the mass that its own velocity sees; two rows add up. */
TEST(the_inertia_of_rows_is_the_mass_that_their_velocity_sees)
{
    const double m[2] = {3.0, 5.0}, a[2] = {2.0, 0.25}, zero[2] = {0.0};
    const int at[2] = {0, 1};
    tp_set sets[2] = {tp_set_orthant(1), tp_set_orthant(1)};
    tp_problem_def def = tp_problem_def_default();
    tp_problem *problem = NULL;
    tp_message why;
    def.x_count = def.row_count = def.set_count = 2;
    def.sets = sets, def.f = zero, def.b = zero;
    def.M = (tp_entries){2, 2, 2, at, at, m};
    def.A = (tp_entries){2, 2, 2, at, at, a};
    CHECK_INT(tp_problem_create(NULL, &def, &problem, &why), TP_OK);
    tp_stack stack;
    double inertia = 0.0;
    tp_stack_init(&stack, NULL);
    CHECK_INT(tp_problem_inertia(problem, &stack, &inertia), TP_OK);
    CHECK_NEAR(inertia, m[0] / (a[0] * a[0]) + m[1] / (a[1] * a[1]), 1e-12);
    tp_stack_clear(&stack);
    tp_problem_free(problem);
}

TEST_MAIN(RUNS(E_vanishes_at_exact_solutions_of_every_kind), RUNS(E_is_the_value_of_the_formula_at_any_P),
          RUNS(E_does_not_depend_on_the_unit_of_velocity),
          RUNS(E_of_contacts_does_not_depend_on_the_unit_of_impulse),
          RUNS(below_rounding_the_error_is_absolute), RUNS(rho_is_guarded_where_the_diagonal_says_nothing),
          RUNS(a_P_that_is_not_finite_has_the_largest_error), RUNS(the_residual_names_what_is_wrong),
          RUNS(impulses_that_hide_velocities_in_rounding_do_not_hide_errors),
          RUNS(the_inertia_of_rows_is_the_mass_that_their_velocity_sees))
