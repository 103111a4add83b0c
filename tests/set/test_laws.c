/* The laws -xi in N_C(P) and the exact contact law; theory/sets.md section 4. */
#include "check.h"
#include "set/friction_set.h"
#include "set/samples.h"

static double norm(int n, const double *x)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += x[i] * x[i];
    return sqrt(sum);
}

/* P and xi with -xi in N_C(P), from a point v = P - xi. */
static void random_law(check_random *random, const tp_set *set, double scale, double *P_out, double *xi_out)
{
    double v[6];
    random_vector(random, set->size, 2.0, v);
    tp_set_project(set, scale, v, P_out);
    for (int i = 0; i < set->size; i++) xi_out[i] = P_out[i] - v[i];
}

/* y in N_C(x) <=> x = prox_C(x + r y) for any r > 0. */
TEST(a_law_does_not_depend_on_the_factor_of_its_velocity)
{
    tp_set sets[SAMPLE_SET_COUNT];
    int count = sample_sets(sets);
    check_random random = {51};
    for (int s = 0; s < count; s++)
        for (int k = 0; k < 100; k++) {
            double P[6], xi[6], r = exp(check_uniform(&random, -4.0, 4.0));
            tp_set set = sets[s].kind == TP_SET_CONTACT ? tp_set_cone(sets[s]) : sets[s];
            random_law(&random, &set, 1.0, P, xi);
            for (int i = 0; i < set.size; i++) xi[i] *= r;
            double size = norm(set.size, P) + norm(set.size, xi);
            CHECK(tp_set_law_holds(&set, 1.0, P, xi, 1e-13 * (r + 1.0) * size));
        }
}

TEST(a_law_that_is_violated_does_not_hold)
{
    tp_set sets[SAMPLE_SET_COUNT];
    int count = sample_sets(sets);
    check_random random = {52};
    for (int s = 0; s < count; s++)
        for (int k = 0; k < 50; k++) {
            double P[6], xi[6];
            random_vector(&random, sets[s].size, 1.0, P);
            random_vector(&random, sets[s].size, 1.0, xi);
            CHECK(!tp_set_law_holds(&sets[s], 1.0, P, xi, 1e-9));
            P[0] = NAN;
            CHECK(!tp_set_law_holds(&sets[s], 1.0, P, xi, 1.0));
        }
}

/* y in N_C(x) means y.(x* - x) <= 0 for all x* in C, here y = -xi; none where x is outside, not even 0, and 0
   alone where x is inside. */
TEST(normal_cones_are_those_of_their_definition)
{
    check_random random = {59};
    for (int c = 0; c < (int)FRICTION_CASE_COUNT; c++) {
        tp_set body =
            tp_set_friction(friction_cases[c].kind, friction_cases[c].dimension, friction_cases[c].parameter);
        for (int k = 0; k < 100; k++) {
            double P[6], xi[6], other[6], none[6] = {0.0}, size;
            random_law(&random, &body, 1.0, P, xi);
            size = norm(body.size, xi);
            for (int i = 0; i < 20; i++) {
                double work = 0.0;
                random_member(&random, &body, other);
                for (int j = 0; j < body.size; j++) work += -xi[j] * (other[j] - P[j]);
                CHECK(work <= 1e-12 * (1.0 + size));
            }
            if (size < 1e-3) continue; /* P was inside */
            for (int j = 0; j < body.size; j++) other[j] = 0.5 * P[j];
            CHECK(tp_set_law_holds(&body, 1.0, other, none, 1e-14));
            CHECK(!tp_set_law_holds(&body, 1.0, other, xi, 1e-6 * size));
            for (int j = 0; j < body.size; j++) other[j] = 1.5 * P[j];
            CHECK(!tp_set_law_holds(&body, 1.0, other, none, 1e-6 * norm(body.size, P)));
            CHECK(!tp_set_law_holds(&body, 1.0, other, xi, 1e-6 * norm(body.size, P)));
            CHECK(tp_set_law_holds(&body, 0.0, none, xi, 1e-14)); /* of {0} all directions */
        }
    }
}

/* The projections of the half-line, of a ball also with a radius below 0, of a point and of all space. */
TEST(simple_sets_are_projected_in_closed_form)
{
    tp_set half_line = tp_set_orthant(1), ball = tp_set_ball(2, 2.0), all = tp_set_free(2);
    double p[2], z[2] = {-0.7, 0.3}, far[2] = {3.0, -4.0};
    tp_set_project(&half_line, 1.0, z, p);
    CHECK_NEAR(p[0], 0.0, 0.0);
    tp_set_project(&half_line, 1.0, z + 1, p);
    CHECK_NEAR(p[0], 0.3, 0.0);
    tp_set_project(&ball, 1.0, z, p);
    CHECK(p[0] == z[0] && p[1] == z[1]);
    tp_set_project(&ball, 1.0, far, p);
    CHECK_NEAR(p[0], 1.2, 1e-15);
    CHECK_NEAR(p[1], -1.6, 1e-15);
    const double unit[] = {1.0};
    tp_set disc = tp_set_friction(TP_FRICTION_BALL, 2, unit);
    for (int k = 0; k < 2; k++) { /* the radius follows the normal force: none that pulls */
        tp_set_project(&disc, k == 0 ? 0.0 : -1.0, far, p);
        CHECK(p[0] == 0.0 && p[1] == 0.0);
    }
    tp_set_project(&all, 1.0, far, p);
    CHECK(p[0] == far[0] && p[1] == far[1]);
}

/* y in N_{aC}(x) <=> y in N_C(x/a). */
TEST(normal_cones_of_scaled_sets_are_those_of_the_set)
{
    check_random random = {53};
    for (int c = 0; c < (int)FRICTION_CASE_COUNT; c++) {
        tp_set body =
            tp_set_friction(friction_cases[c].kind, friction_cases[c].dimension, friction_cases[c].parameter);
        for (int k = 0; k < 100; k++) {
            double P[6], xi[6], alpha = exp(check_uniform(&random, -2.0, 2.0));
            random_law(&random, &body, alpha, P, xi);
            CHECK(tp_set_law_holds(&body, alpha, P, xi, 1e-13 * (norm(body.size, xi) + alpha)));
            for (int i = 0; i < body.size; i++) P[i] /= alpha;
            CHECK(tp_set_law_holds(&body, 1.0, P, xi, 1e-12 * (norm(body.size, xi) + 1.0)));
        }
    }
}

/* y in N_{C(a_j)}(x_j) for all j => y in N_{C(sum a_j)}(sum x_j): forces and impulses may be added. */
TEST(impulses_under_one_velocity_add_up)
{
    check_random random = {54};
    for (int c = 0; c < (int)FRICTION_CASE_COUNT; c++) {
        const friction_case *b = &friction_cases[c];
        tp_set body = tp_set_friction(b->kind, b->dimension, b->parameter);
        for (int k = 0; k < 100; k++) {
            double xi[6], opposite[6], P[6], sum[6] = {0.0}, size = 0.0;
            random_vector(&random, body.size, 1.0, xi);
            bool is_at_rest = k % 5 == 0;
            for (int i = 0; i < body.size; i++) {
                if (is_at_rest) xi[i] = 0.0;
                opposite[i] = -xi[i];
            }
            for (int j = 0; j < 3; j++) {
                double alpha = j == 2 && k % 2 ? 0.0 : check_uniform(&random, 0.1, 2.0);
                if (is_at_rest)
                    random_member(&random, &body, P);
                else
                    tp_friction_boundary(&(tp_friction_set){b->kind, b->dimension, b->parameter}, opposite,
                                         P);
                for (int i = 0; i < body.size; i++) {
                    P[i] *= alpha;
                    sum[i] += P[i];
                }
                CHECK(tp_set_law_holds(&body, alpha, P, xi, 1e-13 * (1.0 + norm(body.size, xi))));
                size += alpha;
            }
            CHECK(tp_set_law_holds(&body, size, sum, xi, 1e-12 * (1.0 + norm(body.size, xi))));
        }
    }
}

/* 0 <= P_N _|_ xi_N >= 0 with -xi_T in N_{P_N D}(P_T): open, sticking and sliding for every friction set. */
TEST(the_exact_contact_law_knows_open_stick_and_slip)
{
    check_random random = {55};
    for (int c = 0; c < (int)FRICTION_CASE_COUNT; c++) {
        const friction_case *b = &friction_cases[c];
        tp_set contact = tp_set_contact(b->kind, b->dimension + 1, b->parameter);
        for (int k = 0; k < 100; k++) {
            double P[6] = {0.0}, xi[6], opposite[5];
            int n = b->dimension;
            random_vector(&random, n + 1, 1.0, xi);
            xi[0] = fabs(xi[0]);
            CHECK(tp_set_law_holds(&contact, 1.0, P, xi, 1e-14)); /* open: any sliding velocity */
            xi[0] = 0.0;
            for (int i = 0; i < n; i++) opposite[i] = -xi[1 + i];
            P[0] = check_uniform(&random, 0.1, 2.0);
            tp_friction_boundary(&(tp_friction_set){b->kind, n, b->parameter}, opposite, P + 1);
            for (int i = 0; i < n; i++) P[1 + i] *= P[0];
            CHECK(tp_set_law_holds(&contact, 1.0, P, xi, 1e-13 * (1.0 + norm(n + 1, P)))); /* slip */
            tp_set relaxed = tp_set_cone(contact);
            CHECK(!tp_set_law_holds(&relaxed, 1.0, P, xi, 1e-6)); /* the associated law would separate */
            for (int i = 0; i < n; i++) xi[1 + i] = -xi[1 + i];
            CHECK(!tp_set_law_holds(&contact, 1.0, P, xi, 1e-6)); /* friction that drives */
            for (int i = 0; i <= n; i++) xi[i] = 0.0;
            random_member(&random, &contact, P);
            CHECK(tp_set_law_holds(&contact, 1.0, P, xi, 1e-13 * norm(n + 1, P))); /* stick */
        }
    }
}

/* One contact with a full matrix, solved by fixed-point iteration on the natural map: the cone form with the
   s_D term has residual 0 there, without it not. */
TEST(the_cone_form_needs_the_support_term)
{
    check_random random = {56};
    double worst_with = 0.0, worst_without = 0.0;
    for (int k = 0; k < 300; k++) {
        double mu = check_uniform(&random, 0.1, 0.8), P[3] = {0.0}, xi[3], G[9], B[9], c[3];
        tp_set contact = tp_set_coulomb(3, mu), cone = tp_set_cone(contact);
        random_vector(&random, 9, 0.3, B);
        for (int i = 0; i < 9; i++) B[i] += i % 4 == 0 ? 1.0 : 0.0;
        random_vector(&random, 3, 1.0, c);
        double largest = 0.0;
        for (int j = 0; j < 3; j++)
            for (int i = 0; i < 3; i++) {
                G[i + 3 * j] = 0.0;
                for (int m = 0; m < 3; m++) G[i + 3 * j] += B[m + 3 * i] * B[m + 3 * j];
                if (i == j) largest += G[4 * i];
            }
        for (int sweep = 0; sweep < 3000; sweep++) {
            double step = 1.0 / largest, normal;
            for (int i = 0; i < 3; i++) xi[i] = c[i] + G[i] * P[0] + G[i + 3] * P[1] + G[i + 6] * P[2];
            normal = fmax(0.0, P[0] - step * xi[0]);
            double z[2] = {P[1] - step * xi[1], P[2] - step * xi[2]};
            tp_friction_project(&(tp_friction_set){TP_FRICTION_BALL, 2, &mu}, normal, z, P + 1);
            P[0] = normal;
        }
        for (int i = 0; i < 3; i++) xi[i] = c[i] + G[i] * P[0] + G[i + 3] * P[1] + G[i + 6] * P[2];
        double z[3], p[3];
        for (int with = 0; with < 2; with++) {
            for (int i = 0; i < 3; i++) z[i] = P[i] - xi[i];
            if (with) z[0] -= mu * hypot(xi[1], xi[2]);
            tp_set_project(&cone, 1.0, z, p);
            for (int i = 0; i < 3; i++) p[i] -= P[i];
            double *worst = with ? &worst_with : &worst_without;
            *worst = fmax(*worst, norm(3, p));
        }
        CHECK(tp_set_law_holds(&contact, 1.0, P, xi, 1e-12));
    }
    CHECK(worst_with < 1e-12);
    CHECK(worst_without > 0.1);
}

/* mu = (0.2, 0.5), gamma = (1, 1), P_N = 1 slides with (-0.0742781, -0.4642383). */
TEST(anisotropic_sliding_has_the_published_figure)
{
    const double axes[2] = {0.2, 0.5}, gamma[2] = {1.0, 1.0};
    double p[2];
    tp_friction_boundary(&(tp_friction_set){TP_FRICTION_ELLIPSOID, 2, axes}, gamma, p);
    CHECK_NEAR(-p[0], -0.0742781, 0.5e-7);
    CHECK_NEAR(-p[1], -0.4642383, 0.5e-7);
    tp_set contact = tp_set_contact(TP_FRICTION_ELLIPSOID, 3, axes);
    const double P[3] = {1.0, -p[0], -p[1]}, xi[3] = {0.0, 1.0, 1.0};
    CHECK(tp_set_law_holds(&contact, 1.0, P, xi, 1e-15 * 8));
}

/* -lambda = mu P_N A^2 gamma/|A gamma|, A = diag(1, 1, Rbar): in rows scaled by Rbar the ball of mu P_N. */
TEST(the_ellipsoid_of_drilling_friction_slides_explicitly_and_is_a_ball_in_scaled_rows)
{
    const double mu = 0.3, Rbar = 0.1, gamma[3] = {0.5, -0.2, 7.0};
    const double axes[3] = {mu, mu, mu * Rbar};
    double A_gamma[3] = {gamma[0], gamma[1], Rbar * gamma[2]}, length = norm(3, A_gamma), p[3];
    tp_friction_boundary(&(tp_friction_set){TP_FRICTION_ELLIPSOID, 3, axes}, gamma, p);
    for (int i = 0; i < 3; i++) CHECK_NEAR(p[i], mu * (i == 2 ? Rbar : 1.0) * A_gamma[i] / length, 1e-16);
    tp_set contact = tp_set_contact(TP_FRICTION_ELLIPSOID, 4, axes), scaled;
    CHECK_INT(tp_set_transform(&contact, (double[]){1.0, 1.0, 1.0, Rbar}, &scaled), TP_OK);
    tp_set expected = tp_set_coulomb(4, mu);
    CHECK_NEAR(scaled.parameter[0], expected.parameter[0], 1e-16);
}

/* (A.8), (A.10): the residual in active-set form vanishes exactly where the law holds, for any r > 0. Written
   for y in N_C(-z), so z = P and y = xi with the set -C = C; unilateral: C = R-. */
static double active_set_residual_half_line(double y, double z, double r)
{
    return r * y - z <= 0.0 ? y : z;
}

static double active_set_residual_ball(const double *y, const double *z, double r, double radius)
{
    double switched[2] = {r * y[0] - z[0], r * y[1] - z[1]};
    if (norm(2, switched) <= radius) return norm(2, y);
    double length = norm(2, y);
    const double *direction = length < 1e-14 ? switched : y;
    double size = norm(2, direction), R[2];
    for (int i = 0; i < 2; i++) R[i] = z[i] + radius * direction[i] / size;
    return norm(2, R);
}

TEST(the_active_set_form_of_a_law_has_the_same_zeros)
{
    check_random random = {57};
    tp_set half_line = tp_set_orthant(1);
    for (int k = 0; k < 2000; k++) {
        double P[2], xi[2], r = exp(check_uniform(&random, -2.0, 2.0)),
                            radius = check_uniform(&random, 0.1, 2.0);
        random_law(&random, &half_line, 1.0, P, xi);
        CHECK_NEAR(active_set_residual_half_line(xi[0], P[0], r), 0.0, 1e-15);
        tp_set ball = tp_set_ball(2, radius);
        random_law(&random, &ball, 1.0, P, xi);
        CHECK_NEAR(active_set_residual_ball(xi, P, r, radius), 0.0, 1e-14 * (1.0 + radius + norm(2, xi)));
        /* and where the law does not hold it does not vanish */
        random_vector(&random, 2, 1.0, P);
        random_vector(&random, 2, 1.0, xi);
        if (!tp_set_law_holds(&half_line, 1.0, P, xi, 1e-6))
            CHECK(fabs(active_set_residual_half_line(xi[0], P[0], r)) > 1e-9);
        if (!tp_set_law_holds(&ball, 1.0, P, xi, 1e-6))
            CHECK(active_set_residual_ball(xi, P, r, radius) > 1e-9);
    }
}

/* The closed form of the rolling cone against the definition of its five cases. */
TEST(the_rolling_cone_is_projected_in_closed_form)
{
    check_random random = {58};
    tp_set rolling = tp_set_rolling(0.7, 0.2);
    int cases[5] = {0};
    for (int k = 0; k < 20000; k++) {
        double z[5], p[5];
        random_vector(&random, 5, 1.0, z);
        double t_spread = exp(check_uniform(&random, -4.0, 1.0)),
               m_spread = exp(check_uniform(&random, -5.0, 1.0));
        for (int i = 1; i < 5; i++) z[i] *= i < 3 ? t_spread : m_spread;
        tp_set_project(&rolling, 1.0, z, p);
        double a = hypot(p[1], p[2]), b = hypot(p[3], p[4]);
        bool on_t = a >= 0.7 * p[0] * (1.0 - 1e-14), on_m = b >= 0.2 * p[0] * (1.0 - 1e-14);
        cases[p[0] == 0.0 ? 0 : 1 + on_t + 2 * on_m]++;
        double rest = 0.0, product = 0.0;
        for (int i = 0; i < 5; i++) product += (z[i] - p[i]) * p[i];
        rest = p[0] - z[0]; /* -(z - p) in K*: n >= mu |t| + mu_r |m| */
        CHECK(rest >= 0.7 * hypot(z[1] - p[1], z[2] - p[2]) + 0.2 * hypot(z[3] - p[3], z[4] - p[4]) - 1e-14);
        CHECK_NEAR(product, 0.0, 1e-14 * norm(5, z) * norm(5, z));
    }
    for (int i = 0; i < 5; i++) CHECK(cases[i] > 100);
}

TEST_MAIN(RUNS(a_law_does_not_depend_on_the_factor_of_its_velocity),
          RUNS(a_law_that_is_violated_does_not_hold), RUNS(normal_cones_are_those_of_their_definition),
          RUNS(simple_sets_are_projected_in_closed_form),
          RUNS(normal_cones_of_scaled_sets_are_those_of_the_set), RUNS(impulses_under_one_velocity_add_up),
          RUNS(the_exact_contact_law_knows_open_stick_and_slip), RUNS(the_cone_form_needs_the_support_term),
          RUNS(anisotropic_sliding_has_the_published_figure),
          RUNS(the_ellipsoid_of_drilling_friction_slides_explicitly_and_is_a_ball_in_scaled_rows),
          RUNS(the_active_set_form_of_a_law_has_the_same_zeros),
          RUNS(the_rolling_cone_is_projected_in_closed_form))
