/* The manifold of positions and velocities: derivatives against differences, accelerations by three solvers,
   projections; docs/theory/jet.md. */
#define _POSIX_C_SOURCE 200809L
#include "jet/parts.h"
#include "jets.h"
#include "math/sparse.h"

enum { MOST = 128 };

/* A constraint and a mass that formulas give, beside a body in the plane and one in space. */
static const char mixed[] =
    "coordinates: [s, w]\nkinetic: \"(1 + s^2)*w'^2/2 + s'^2\"\npotential: \"cos(s) + s*w\"\n"
    "initial: {s: 0.3, w: 0.5}\ngravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  - {name: a, mass: 2, inertia: [0.2, 0.3, 0.4], position: [0.5, 0, 0]}\n"
    "  - {name: b, type: planar, mass: 1, inertia: 0.3, position: [2, 1], angle: 0.2}\n"
    "joints:\n"
    "  - {name: pin, type: spherical, bodies: [ground, a], point: [0, 0, 0]}\n"
    "  - {name: slot, type: revolute, bodies: [ground, b], point: [1.5, 1]}\n"
    "springs: [{name: coil, bodies: [a, b], points: [[0.5, 0, 0], [0, 0.2, 0]], stiffness: 5, rest_length: "
    "1}]\n"
    "constraints: [{name: curve, position: \"w - 0.5 + sin(s) - sin(0.3)\"}]\n"
    "sensors: {turn: \"a.omega.x*a.p2 + 2*s*w' + b.phi*b.omega\"}\n";

static tp_scene *scene_number(int k)
{
    static const char *const names[] = {"pendulum-3d", "quadrangle", "crank", "andrews",
                                        "spatial-slider-crank"};
    return k < 5 ? read_edited(names[k], NULL, 0) : scene_of(mixed);
}
enum { SCENES = 6 };

/* A point beside the manifold. */
static void shake(jet_subject *s, check_random *random, double size)
{
    int n = tp_jet_coordinate_count(s->jet);
    tp_jet_put(s->jet, s->q, s->u, s->z);
    for (int i = 0; i < 2 * n; i++) s->z[i] += (i < n ? size : 1.0) * check_normal(random);
}

/* Conditions with multipliers, as a function of (y, y1): sum of mu g + nu gamma. */
static void evaluate_at(jet_subject *s, const double *z, bool with_rates)
{
    tp_jet_move(s->jet, 0.0, z);
    tp_jet_rows_evaluate(s->jet, z, with_rates);
}

/* Differences by two points: h^2 and eps/h are 1e-10 of functions of order one with h = 1e-5; sizes here are
   up to a hundred. */
static const double h = 1e-5, difference = 1e-7;

TEST(rows_and_their_rates_have_the_derivatives_of_their_values)
{
    check_random random = {1};
    for (int k = 0; k < SCENES; k++) {
        tp_jet_options o = jet_options(TP_JET_ORTHOGONAL, 1e-9);
        tp_ode_options steps = jet_steps(1e-6);
        jet_subject s = jet_of(scene_number(k), &o, &steps);
        shake(&s, &random, 0.02);
        /* rows of formulas are those of unit length: stay on the sphere, and move along it */
        tp_jet_normalise(s.jet, s.z);
        int n = s.jet->n, rows = s.jet->D.cols;
        double along[MOST], z[2 * MOST], D[MOST] = {0.0}, E[MOST] = {0.0}, g[2][MOST], gamma[2][MOST];
        CHECK(2 * n <= MOST);
        for (int i = 0; i < n; i++) along[i] = check_normal(&random);
        for (int b = 0; b < s.jet->turn_count; b++) {
            tp_quat p = tp_quat_at(s.z + s.jet->turn[b].q), v = tp_quat_at(along + s.jet->turn[b].q);
            tp_quat_put(tp_quat_add(v, tp_quat_scale(-tp_quat_dot(p, v), p)), along + s.jet->turn[b].q);
        }
        evaluate_at(&s, s.z, true);
        tp_sparse_multiply_transposed_add(&s.jet->D, along, D);
        tp_sparse rate = s.jet->D;
        rate.value = s.jet->E;
        tp_sparse_multiply_transposed_add(&rate, along, E);
        for (int side = 0; side < 2; side++) {
            memcpy(z, s.z, 2 * (size_t)n * sizeof *z);
            for (int i = 0; i < n; i++) z[i] += (side ? h : -h) * along[i];
            evaluate_at(&s, z, false);
            memcpy(g[side], s.jet->g, (size_t)rows * sizeof(double));
            memcpy(gamma[side], s.jet->gamma, (size_t)rows * sizeof(double));
        }
        for (int r = 0; r < rows; r++) {
            CHECK_NEAR((g[1][r] - g[0][r]) / (2.0 * h), D[r], difference * 10.0);
            CHECK_NEAR((gamma[1][r] - gamma[0][r]) / (2.0 * h), E[r], difference * 100.0);
        }
        end_jet(&s);
    }
}

/* d(sum of mu dg + nu (d2g y1))/d(y, y1) of joints, at any length of Euler parameters. */
TEST(curvature_of_joints_is_the_derivative_of_their_gradients)
{
    check_random random = {2};
    for (int k = 0; k < 5; k++) {
        tp_jet_options o = jet_options(TP_JET_ORTHOGONAL, 1e-9);
        tp_ode_options steps = jet_steps(1e-6);
        jet_subject s = jet_of(scene_number(k), &o, &steps);
        shake(&s, &random, 0.05);
        int n = s.jet->n, N = 2 * n, rows = s.jet->D.cols;
        double mu[2][MOST], along[MOST], z[2 * MOST], sum[2][MOST], product[MOST] = {0.0};
        static double K[MOST * MOST];
        memset(K, 0, sizeof K);
        for (int r = 0; r < rows; r++) {
            mu[0][r] = check_normal(&random);
            mu[1][r] = check_normal(&random);
        }
        for (int i = 0; i < N; i++) along[i] = check_normal(&random);
        tp_jet_move(s.jet, 0.0, s.z);
        tp_jet_rows_add_curvature(s.jet, s.z, mu[0], mu[1], K, N);
        for (int i = 0; i < N; i++) {
            for (int j = 0; j < N; j++) product[i] += K[i + N * j] * along[j];
        }
        for (int side = 0; side < 2; side++) {
            memcpy(z, s.z, (size_t)N * sizeof *z);
            for (int i = 0; i < N; i++) z[i] += (side ? h : -h) * along[i];
            evaluate_at(&s, z, true);
            tp_sparse rate = s.jet->D;
            rate.value = s.jet->E;
            memset(sum[side], 0, sizeof sum[side]);
            tp_sparse_multiply_add(&s.jet->D, mu[0], sum[side]);
            tp_sparse_multiply_add(&rate, mu[1], sum[side]);
            tp_sparse_multiply_add(&s.jet->D, mu[1], sum[side] + n);
        }
        for (int i = 0; i < N; i++)
            CHECK_NEAR((sum[1][i] - sum[0][i]) / (2.0 * h), product[i], 1000.0 * difference);
        end_jet(&s);
    }
}

TEST(invariants_have_the_gradients_of_their_values)
{
    check_random random = {3};
    for (int k = 0; k < SCENES; k++) {
        tp_jet_options o = jet_options(TP_JET_ORTHOGONAL, 1e-9);
        o.holds_energy = true;
        if (k == 5) o.invariants = "turn";
        tp_ode_options steps = jet_steps(1e-6);
        jet_subject s = jet_of(scene_number(k), &o, &steps);
        shake(&s, &random, 0.02);
        tp_jet_normalise(s.jet, s.z);
        int n = s.jet->n, count = s.jet->invariant_count;
        double along[2 * MOST], z[2 * MOST], value[2][TP_JET_INVARIANTS], size = 1.0;
        CHECK_INT(count, k == 5 ? 2 : 1);
        for (int i = 0; i < 2 * n; i++) along[i] = check_normal(&random);
        for (int b = 0; b < s.jet->turn_count; b++) { /* along both spheres */
            int q = s.jet->turn[b].q;
            tp_quat p = tp_quat_at(s.z + q), v = tp_quat_at(along + q);
            tp_quat_put(tp_quat_add(v, tp_quat_scale(-tp_quat_dot(p, v), p)), along + q);
        }
        memcpy(z, s.z, sizeof(double) * (size_t)tp_jet_state_count(s.jet));
        tp_jet_move(s.jet, 0.0, s.z);
        tp_jet_invariants_evaluate(s.jet, 0.0, s.z, true);
        for (int side = 0; side < 2; side++) {
            for (int i = 0; i < 2 * n; i++) z[i] = s.z[i] + (side ? h : -h) * along[i];
            tp_jet_move(s.jet, 0.0, z);
            tp_jet_invariants_evaluate(s.jet, 0.0, z, false);
            memcpy(value[side], s.jet->value, sizeof value[side]);
        }
        for (int v = 0; v < count; v++) {
            double sum = 0.0;
            for (int i = 0; i < 2 * n; i++) sum += s.jet->slope[i + 2 * n * v] * along[i];
            size = fmax(1.0, fabs(value[0][v]));
            CHECK_NEAR((value[1][v] - value[0][v]) / (2.0 * h), sum, 10.0 * difference * size);
        }
        end_jet(&s);
    }
}

/* T as a polynomial of (y, y1), Euler parameters of any length: half the angular velocity is the vector part
   of conj(theta) theta1; theory/jet.md (26), (28). */
static double kinetic_polynomial(const jet_subject *s, const double *z)
{
    const tp_list *bodies = &s->scene->model->bodies;
    double sum = 0.0;
    for (int b = 0; b < bodies->count; b++) {
        const tp_body *body = TP_LIST_AT(*bodies, tp_body, b);
        const double *y = z + body->q_first, *y1 = y + s->jet->n;
        bool is_planar = body->kind == TP_BODY_PLANAR;
        for (int k = 0; k < (is_planar ? 2 : 3); k++) sum += 0.5 * body->mass * y1[k] * y1[k];
        if (is_planar) {
            sum += 0.5 * body->inertia.cz.z * y1[2] * y1[2];
            continue;
        }
        tp_quat half = tp_quat_multiply(tp_quat_conjugate(tp_quat_at(y + 3)), tp_quat_at(y1 + 3));
        tp_vec3 w = tp_vec3_make(2.0 * half.x, 2.0 * half.y, 2.0 * half.z);
        sum += 0.5 * tp_vec3_dot(w, tp_mat3_apply(body->inertia, w));
    }
    return sum;
}

/* Quasi-orthogonal projections pass points whose Euler parameters have other lengths: the energy there is the
   polynomial. Gravity acts at centres of mass, so that the potential does not depend on lengths. */
TEST(energy_beside_the_unit_sphere_is_the_polynomial_of_euler_parameters)
{
    check_random random = {6};
    for (int k = 0; k < 3; k++) {
        tp_jet_options o = jet_options(TP_JET_QUASI, 1e-9);
        o.holds_energy = true;
        tp_ode_options steps = jet_steps(1e-6);
        jet_subject s = jet_of(scene_number(k), &o, &steps);
        shake(&s, &random, 0.1);
        int n = s.jet->n;
        double along[2 * MOST], z[2 * MOST] = {0.0}, value[2], sum = 0.0;
        for (int i = 0; i < 2 * n; i++) along[i] = check_normal(&random);
        tp_jet_move(s.jet, 0.0, s.z);
        tp_jet_invariants_evaluate(s.jet, 0.0, s.z, false);
        double T = kinetic_polynomial(&s, s.z), V = tp_system_potential_energy(s.system);
        CHECK(s.jet->turn_count > 0); /* else this tests nothing */
        CHECK_NEAR(s.jet->value[0], T + V, 1e-13 * (T + fabs(V)));
        tp_jet_normalise(s.jet, s.z);
        tp_jet_move(s.jet, 0.0, s.z);
        tp_jet_invariants_evaluate(s.jet, 0.0, s.z, true);
        for (int i = 0; i < 2 * n; i++) sum += s.jet->slope[i] * along[i];
        for (int side = 0; side < 2; side++) {
            for (int i = 0; i < 2 * n; i++) z[i] = s.z[i] + (side ? h : -h) * along[i];
            tp_jet_move(s.jet, 0.0, z);
            value[side] = kinetic_polynomial(&s, z) + tp_system_potential_energy(s.system);
        }
        CHECK_NEAR((value[1] - value[0]) / (2.0 * h), sum, 10.0 * difference * fmax(1.0, fabs(value[0])));
        end_jet(&s);
    }
}

/* Along a line the polynomial has degree four, of which differences of five points find the second derivative
   exactly: rounding of T over (0.1)^2 is left, and sums of some hundred terms. */
TEST(curvature_of_the_energy_is_the_second_derivative_of_the_polynomial)
{
    static const double weight[] = {-1.0, 16.0, -30.0, 16.0, -1.0};
    const double step = 0.1;
    check_random random = {7};
    for (int k = 0; k < SCENES; k++) {
        tp_jet_options o = jet_options(TP_JET_ORTHOGONAL, 1e-9);
        o.holds_energy = true;
        tp_ode_options steps = jet_steps(1e-6);
        jet_subject s = jet_of(scene_number(k), &o, &steps);
        shake(&s, &random, 0.1);
        int N = 2 * s.jet->n;
        static double K[4 * MOST * MOST];
        double along[2 * MOST], z[2 * MOST], second = 0.0, expected = 0.0, size = 1.0;
        memset(K, 0, sizeof K);
        for (int i = 0; i < N; i++) along[i] = check_normal(&random);
        tp_jet_invariants_add_curvature(s.jet, s.z, 0.7, K, N);
        for (int i = 0; i < N; i++) {
            for (int j = 0; j < N; j++) {
                second += along[i] * K[i + N * j] * along[j];
                CHECK_NEAR(K[i + N * j], K[j + N * i], 1e-12 * (1.0 + fabs(K[i + N * j])));
            }
        }
        for (int at = 0; at < 5; at++) {
            for (int i = 0; i < N; i++) z[i] = s.z[i] + (at - 2) * step * along[i];
            double T = kinetic_polynomial(&s, z);
            expected += weight[at] * T / (12.0 * step * step);
            size = fmax(size, T);
        }
        CHECK_NEAR(second, 0.7 * expected, 1e-11 * size);
        end_jet(&s);
    }
}

/* What is counted, and what is not: each figure of the report of a run is one of these. */
TEST(work_is_counted_where_it_is_done)
{
    check_random random = {8};
    tp_jet_options o = jet_options(TP_JET_ORTHOGONAL, 1e-9);
    o.holds_energy = true;
    tp_ode_options steps = jet_steps(1e-6);
    jet_subject s = jet_of(scene_number(2), &o, &steps);
    const tp_jet_counts *counts = tp_jet_counts_of(s.jet);
    int rows = s.jet->along.rows.row_count;
    double rate[256], mu[MOST] = {0.0};
    static double K[4 * MOST * MOST];
    tp_jet_put(s.jet, s.q, s.u, s.z);
    tp_jet_set_invariants(s.jet, 0.0, s.z);

    tp_jet_counts before = *counts;
    CHECK_INT(tp_jet_rate(s.jet, 0.0, s.z, rate), TP_OK);
    CHECK(counts->distributions == before.distributions + 1 && counts->rows == before.rows + 1);
    CHECK(counts->second == before.second + rows && counts->projections == before.projections);
    before = *counts;
    tp_jet_rows_evaluate(s.jet, s.z, false);
    CHECK(counts->rows == before.rows + 1 && counts->second == before.second);
    tp_jet_rows_evaluate(s.jet, s.z, true);
    CHECK(counts->rows == before.rows + 2 && counts->second == before.second + rows);
    before = *counts;
    tp_jet_rows_add_curvature(s.jet, s.z, mu, mu, K, 2 * s.jet->n);
    CHECK(counts->second == before.second + rows && counts->third == before.third + rows);
    tp_jet_invariants_add_curvature(s.jet, s.z, 1.0, K, 2 * s.jet->n);
    tp_jet_invariants_evaluate(s.jet, 0.0, s.z, false);
    CHECK(counts->curvatures == before.curvatures + 1 && counts->gradients == before.gradients);
    tp_jet_invariants_evaluate(s.jet, 0.0, s.z, true);
    CHECK(counts->gradients == before.gradients + 1);

    before = *counts;
    CHECK_INT(tp_jet_project(s.jet, 0.0, true, s.z), TP_OK); /* it is there already */
    CHECK(counts->projections == before.projections && counts->iterations == before.iterations);
    shake(&s, &random, 1e-3);
    CHECK_INT(tp_jet_project(s.jet, 0.0, true, s.z), TP_OK);
    CHECK(counts->projections == before.projections + 1 && counts->iterations > before.iterations);
    CHECK(counts->most_iterations == counts->iterations - before.iterations);
    before = *counts;
    shake(&s, &random, 1e-3);
    CHECK_INT(tp_jet_show(s.jet, 0.0, s.z), TP_OK); /* output alone */
    CHECK(memcmp(counts, &before, sizeof before) == 0);
    end_jet(&s);
}

/* Published for a bar on a ball joint; the other ways of solving agree to the rounding of their factors. */
TEST(accelerations_are_the_published_ones_with_every_solver)
{
    for (int d = 0; d < 3; d++) {
        tp_jet_options o = jet_options(TP_JET_TANGENTIAL, 1e-9);
        o.distribution = (tp_jet_distribution)d;
        tp_ode_options steps = jet_steps(1e-6);
        jet_subject s = jet_of(scene_number(0), &o, &steps);
        const double u[] = {0.0, 0.3825, -1.53, 1.0, 2.0, 0.5},
                     y2[] = {-3.25125,      -8.59344419978, 0.00250892859, -1.3125,
                             0.07142857143, 0.24836017739,  -6.61663019594};
        double rate[64];
        tp_jet_put(s.jet, s.q, u, s.z);
        CHECK_INT(tp_jet_rate(s.jet, 0.0, s.z, rate), TP_OK);
        for (int i = 0; i < 7; i++) CHECK_NEAR(rate[7 + i], y2[i], 6e-11);
        const double lambda[] = {124.652925, -46.6427493803, -0.0961923221};
        for (int i = 0; i < 3; i++) CHECK_NEAR(fabs(tp_jet_forces(s.jet)[i]), fabs(lambda[i]), 6e-9);
        end_jet(&s);
    }
    for (int k = 0; k < SCENES; k++) {
        double all[3][MOST];
        for (int d = 0; d < 3; d++) {
            tp_jet_options o = jet_options(TP_JET_TANGENTIAL, 1e-9);
            o.distribution = (tp_jet_distribution)d;
            tp_ode_options steps = jet_steps(1e-6);
            jet_subject s = jet_of(scene_number(k), &o, &steps);
            double rate[256];
            tp_jet_put(s.jet, s.q, s.u, s.z);
            CHECK_INT(tp_jet_rate(s.jet, 0.0, s.z, rate), TP_OK);
            memcpy(all[d], rate + s.jet->n, (size_t)s.jet->n * sizeof(double));
            double size = 1.0 + tp_dense_largest(s.jet->n, all[d]);
            for (int i = 0; i < s.jet->n; i++) CHECK_NEAR(all[d][i], all[0][i], 1e-8 * size);
            end_jet(&s);
        }
    }
}

static double distance(int n, const double *a, const double *b)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sqrt(sum);
}

/* Largest component of a - p that no combination of the gradients of all conditions at p makes: 0 at the
   nearest point. */
static double outside(jet_subject *s, const double *a, const double *p)
{
    tp_jet *jet = s->jet;
    static double rest[2 * MOST], mu[2 * MOST];
    int N = 2 * jet->n;
    memcpy(rest, p, (size_t)tp_jet_state_count(jet) * sizeof(double));
    jet->options.tolerance = 1e-30; /* one iteration fills the gradients */
    tp_jet_project_orthogonally(jet, 0.0, true, rest);
    const tp_sparse *A = &jet->full.rows.A;
    for (int i = 0; i < N; i++) rest[i] = a[i] - p[i];
    double right[2 * MOST] = {0.0}, made[2 * MOST] = {0.0};
    tp_sparse_multiply_transposed_add(A, rest, right);
    tp_jet_gram_update(&jet->full);
    tp_jet_gram_solve(jet, &jet->full, right, mu);
    tp_sparse_multiply_add(A, mu, made);
    return distance(N, rest, made);
}

TEST(projections_reach_the_manifold_stay_there_and_the_orthogonal_one_is_the_nearest)
{
    check_random random = {4};
    for (int k = 0; k < 3; k++) {
        double start[2 * MOST], end[4][2 * MOST], moved[4];
        for (int p = 0; p < 4; p++) {
            tp_jet_options o = jet_options((tp_jet_projection)(p % 3), 1e-10);
            o.holds_energy = k == 0;
            o.has_curvature = p == 3;
            o.max_sweeps = 20000; /* projections in turns converge linearly: by 0.98 in a round */
            tp_ode_options steps = jet_steps(1e-6);
            jet_subject s = jet_of(scene_number(k), &o, &steps);
            int n = s.jet->n;
            if (k == 0) { /* energy needs a velocity */
                const double u[] = {0.0, 0.3825, -1.53, 1.0, 2.0, 0.5};
                memcpy(s.u, u, sizeof u);
            }
            tp_jet_put(s.jet, s.q, s.u, s.z);
            tp_jet_set_invariants(s.jet, 0.0, s.z);
            if (p == 0) {
                memcpy(start, s.z, sizeof(double) * (size_t)tp_jet_state_count(s.jet));
                for (int i = 0; i < 2 * n; i++) start[i] += 1e-3 * check_normal(&random);
            }
            memcpy(s.z, start, sizeof(double) * (size_t)tp_jet_state_count(s.jet));
            CHECK_INT(tp_jet_project(s.jet, 0.0, true, s.z), TP_OK);
            jet_errors errors = jet_errors_at(s.jet, 0.0, s.z);
            CHECK(errors.position <= 1e-10 && errors.velocity <= 1e-10);
            CHECK(errors.length <= 1e-10 && errors.invariant <= 1e-10);
            memcpy(end[p], s.z, sizeof end[p]);
            CHECK_INT(tp_jet_project(s.jet, 0.0, true, s.z), TP_OK);
            CHECK(p == TP_JET_TANGENTIAL || memcmp(end[p], s.z, 2 * (size_t)n * sizeof(double)) == 0);
            CHECK_NEAR(distance(2 * n, end[p], s.z), 0.0, 1e-10);
            moved[p] = distance(2 * n, start, end[p]);
            CHECK(moved[0] <= moved[p] + 1e-9); /* the nearest point, up to ten tolerances */
            /* the tangential one takes errors of the energy from velocities alone */
            CHECK(moved[p] <= (p == TP_JET_TANGENTIAL && k == 0 ? 3.0 : 1.5) * moved[0]);
            /* gradients of the last iterate but one: its distance of 1e-5 or so times what was moved */
            if (p == 0) CHECK_NEAR(outside(&s, start, end[p]), 0.0, 1e-7);
            if (p == 3) CHECK_NEAR(distance(2 * n, end[0], end[3]), 0.0, 1e-7); /* the same limit */
            end_jet(&s);
        }
    }
}

/* Iterations with a forcing term need more of them, and end at the same tolerance. */
TEST(inexact_newton_steps_reach_the_tolerance)
{
    check_random random = {5};
    for (int p = 0; p < 2; p++) {
        int iterations[2];
        for (int inexact = 0; inexact < 2; inexact++) {
            tp_jet_options o = jet_options((tp_jet_projection)p, 1e-9);
            o.forcing = inexact ? 0.1 : 0.0;
            tp_ode_options steps = jet_steps(1e-6);
            jet_subject s = jet_of(scene_number(2), &o, &steps);
            shake(&s, &random, 1e-3);
            CHECK_INT(tp_jet_project(s.jet, 0.0, false, s.z), TP_OK);
            jet_errors errors = jet_errors_at(s.jet, 0.0, s.z);
            CHECK(errors.position <= 1e-9 && errors.length <= 1e-9);
            if (p == 0) CHECK(errors.velocity <= 1e-9);
            iterations[inexact] = tp_jet_counts_of(s.jet)->most_iterations;
            end_jet(&s);
        }
        CHECK(iterations[1] > iterations[0]);
    }
}

TEST(unsound_options_are_refused_with_their_reason)
{
    tp_scene *scene = scene_of(mixed);
    const tp_jet_options good = jet_options(TP_JET_ORTHOGONAL, 1e-9);
    tp_jet_options bad[] = {good, good, good, good};
    const char *const texts[] = {"jet_tolerance", "jet_forcing", "jet_sweeps", "no sensor 'spin'"};
    bad[0].tolerance = 0.0;
    bad[1].forcing = 1.0;
    bad[2].max_sweeps = 0;
    bad[3].invariants = "turn, spin";
    for (int k = 0; k < 4; k++) {
        tp_message why = {""};
        CHECK_INT(tp_jet_check(scene->model, &bad[k], &why), TP_INVALID_DATA);
        CHECK(strstr(why.text, texts[k]) != NULL);
    }
    tp_scene_free(scene);
}

TEST_MAIN(RUNS(rows_and_their_rates_have_the_derivatives_of_their_values),
          RUNS(curvature_of_joints_is_the_derivative_of_their_gradients),
          RUNS(invariants_have_the_gradients_of_their_values),
          RUNS(energy_beside_the_unit_sphere_is_the_polynomial_of_euler_parameters),
          RUNS(curvature_of_the_energy_is_the_second_derivative_of_the_polynomial),
          RUNS(work_is_counted_where_it_is_done),
          RUNS(accelerations_are_the_published_ones_with_every_solver),
          RUNS(projections_reach_the_manifold_stay_there_and_the_orthogonal_one_is_the_nearest),
          RUNS(inexact_newton_steps_reach_the_tolerance), RUNS(unsound_options_are_refused_with_their_reason))
