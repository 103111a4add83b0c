/* Have the forces of a model a potential? docs/theory/holonomy.md (15), (16). In the frame of velocities,
   whose brackets are those of turning bodies. */
#include "tippe/analysis.h"

#include "distribution.h"
#include "draw.h"
#include "math/analysis.h"
#include "math/dense.h"
#include "math/differences.h"
#include "math/sparse.h"
#include "tippe/rotation.h"
#include "tolerances.h"

#include <math.h>
#include <string.h>

/* Matrices are dense, and their derivatives have as many entries as there are triples of velocities. */
enum { VELOCITIES_MOST = 200 };

typedef struct field {
    const tp_model *model;
    tp_system *system;
    tp_arena arena;
    tp_distribution frame; /* of all velocities, without laws: for shifts and brackets */
    int m;
    double t, *q, *u, *moved;
    double *E, *f, *pattern_K, *pattern_B, *K, *B; /* [m] twice, values, [m*m] dense column-major */
    double *B_rate;                                /* [(1 + m) * m*m] of B along time and each velocity */
} field;

static tp_status create(const tp_allocator *allocator, const tp_model *model, field *out, tp_message *why)
{
    *out = (field){.model = model};
    tp_arena_init(&out->arena, allocator);
    if (tp_model_has_own_velocities(model))
        return tp_fail(why, TP_UNSUPPORTED,
                       "the model has velocities of its own; forces are examined where velocities are rates "
                       "of coordinates or of bodies");
    if (tp_model_velocity_count(model) > VELOCITIES_MOST)
        return tp_fail(why, TP_UNSUPPORTED, "the model has %d velocities; forces are examined up to %d",
                       tp_model_velocity_count(model), VELOCITIES_MOST);
    TP_TRY(tp_system_check_force_jacobian(model, why));
    tp_system_options options = {.has_own_inertia = true};
    TP_TRY(tp_system_create_with(allocator, model, &options, &out->system));
    size_t m = (size_t)out->system->u_count, n = (size_t)out->system->q_count,
           values = (size_t)tp_sparse_count(&out->system->jacobian_pattern);
    int *all = TP_ARENA_ARRAY(&out->arena, int, m);
    out->m = (int)m;
    TP_ARENA_DOUBLES(&out->arena, n, &out->q, &out->moved);
    TP_ARENA_DOUBLES(&out->arena, m, &out->u, &out->E, &out->f);
    TP_ARENA_DOUBLES(&out->arena, m * m, &out->K, &out->B);
    TP_ARENA_DOUBLES(&out->arena, values, &out->pattern_K, &out->pattern_B);
    TP_ARENA_DOUBLES(&out->arena, (1 + m) * m * m, &out->B_rate);
    TP_TRY(tp_arena_status(&out->arena));
    for (int j = 0; j < out->m; j++) all[j] = j;
    return tp_distribution_create(allocator, &out->arena, out->system, NULL, 0, all, out->m, &out->frame);
}

static void release(field *f)
{
    tp_system_free(f->system);
    tp_arena_clear(&f->arena);
}

/* E, B and the derivatives K of E along the velocities, at u = 0. */
static void evaluate(field *f, double t, const double *q)
{
    memset(f->u, 0, (size_t)f->m * sizeof(double));
    tp_system_move(f->system, t, q, f->u);
    tp_system_force(f->system, f->E);
    tp_system_force_jacobian(f->system, f->pattern_K, f->pattern_B);
    tp_pattern_to_dense(&f->system->jacobian_pattern, f->pattern_K, f->K);
    tp_pattern_to_dense(&f->system->jacobian_pattern, f->pattern_B, f->B);
}

/* Closedness is asked of the skew part of B: the rest is a defect of its own. */
static double skew_part(const field *f, int i, int j)
{
    return 0.5 * (f->B[i + f->m * j] - f->B[j + f->m * i]);
}

/* B_rate by differences of the exact B; then E, B and K at the point again. */
static void differentiate(field *f, double t, const double *q)
{
    int m = f->m, n = f->system->q_count;
    memset(f->B_rate, 0, (size_t)((1 + m) * m * m) * sizeof(double));
    for (int a = 0; a <= m; a++) {
        double unit = a > 0 ? f->system->unit[a - 1] : 1.0;
        for (int e = 0; e < TP_DIFFERENCE_POINTS; e++) {
            double by = tp_difference_offset[e] * tp_difference_step,
                   factor = tp_difference_weight[e] / (12.0 * tp_difference_step * unit);
            memcpy(f->moved, q, (size_t)n * sizeof(double));
            memset(f->u, 0, (size_t)m * sizeof(double));
            tp_system_move(f->system, t, q, f->u);
            if (a > 0) f->u[a - 1] = unit;
            tp_system_change(f->system, f->u, by, f->moved);
            evaluate(f, a == 0 ? t + by : t, f->moved);
            for (int k = 0; k < m * m; k++) f->B_rate[a * m * m + k] += factor * skew_part(f, k % m, k / m);
        }
    }
    evaluate(f, t, q);
}

/* [E_a, E_b] over the velocities, out of units. */
static void frame_bracket(const field *f, int a, int b, double *work, double *out)
{
    int size = f->frame.size;
    double *X = work, *Y = work + size, *Z = Y + size;
    memset(X, 0, 2 * (size_t)size * sizeof(double));
    X[1 + a] = Y[1 + b] = 1.0; /* brackets involve turns alone, whose units are 1 */
    tp_distribution_frame_bracket(&f->frame, X, Y, Z);
    memcpy(out, Z + 1, (size_t)f->m * sizeof(double));
}

/* ---- the four conditions ---- */

static double relative(double value, double size)
{
    return size > 0.0 ? fabs(value) / size : 0.0;
}

static void test_affine(field *f, const double *u, tp_force_test *test)
{
    int m = f->m;
    tp_system_move(f->system, f->t, f->q, u);
    tp_system_force(f->system, f->f);
    for (int i = 0; i < m; i++) {
        double linear = f->E[i], size = fabs(f->E[i]) + fabs(f->f[i]);
        for (int j = 0; j < m; j++) {
            linear += f->B[i + m * j] * u[j];
            size += fabs(f->B[i + m * j] * u[j]);
        }
        test->not_affine = fmax(test->not_affine, relative(f->f[i] - linear, size));
    }
}

/* B in units of the velocities: entries compare then. */
static void test_skew(field *f, tp_force_test *test)
{
    int m = f->m;
    const double *unit = f->system->unit;
    double most = 0.0, size = 0.0;
    for (int e = 0; e < m * m; e++) {
        double scale = unit[e % m] * unit[e / m], other = f->B[e / m + m * (e % m)];
        most = fmax(most, scale * fabs(f->B[e] + other));
        size = fmax(size, scale * fabs(f->B[e]));
    }
    test->has_velocity |= size > 0.0;
    test->not_skew = fmax(test->not_skew, relative(most, size));
}

static void test_induction(field *f, double *work, tp_force_test *test)
{
    int m = f->m;
    double *bracket = work + 3 * f->frame.size, most = 0.0, size = 0.0;
    const double *unit = f->system->unit, *B_rate = f->B_rate;
    test->has_time |= tp_dense_largest(m * m, B_rate) > 0.0;
    for (int b = 0; b < m; b++) {
        for (int a = 0; a < b; a++) {
            double scale = unit[a] * unit[b];
            frame_bracket(f, a, b, work, bracket);
            double turning = tp_dense_dot(m, f->E, bracket), up = f->K[b + m * a], down = f->K[a + m * b];
            most = fmax(most, scale * fabs(B_rate[a + m * b] + up - down - turning));
            size = fmax(size, scale * (fabs(up) + fabs(down) + fabs(turning) + fabs(B_rate[a + m * b])));
        }
    }
    for (int a = 0; a < m; a++) size = fmax(size, unit[a] * unit[a] * fabs(f->K[a + m * a]));
    test->induction = fmax(test->induction, relative(most, size));
}

/* B(x, .) of a bracket and a velocity. */
static double on(const field *f, const double *x, int c)
{
    double sum = 0.0;
    for (int i = 0; i < f->m; i++) sum += x[i] * skew_part(f, i, c);
    return sum;
}

static void test_closed(field *f, double *work, tp_force_test *test)
{
    int m = f->m;
    double *bracket = work + 3 * f->frame.size, most = 0.0, size = 0.0;
    for (int e = 0; e < m * m * m && test->has_velocity; e++) {
        int a = e % m, b = e / m % m, c = e / (m * m), v[] = {a, b, c, a, b};
        if (a >= b || b >= c) continue;
        double sum = 0.0, unit = f->system->unit[a] * f->system->unit[b] * f->system->unit[c];
        for (int k = 0; k < 3; k++) {
            double change = f->B_rate[(1 + v[k]) * m * m + v[k + 1] + m * v[k + 2]];
            frame_bracket(f, v[k], v[k + 1], work, bracket);
            double turning = on(f, bracket, v[k + 2]);
            sum += change - turning;
            size = fmax(size, unit * (fabs(change) + fabs(turning)));
        }
        most = fmax(most, unit * fabs(sum));
    }
    /* B itself, so that rounding of a constant one does not count as a defect */
    test->not_closed =
        fmax(test->not_closed, relative(most, size + tp_field_share * tp_dense_largest(m * m, f->B)));
}

static tp_status test_damped(field *f, const tp_allocator *allocator, tp_force_test *test)
{
    int m = f->m;
    double *symmetric = f->B_rate, *values = f->f; /* not needed any more */
    for (int e = 0; e < m * m; e++) symmetric[e] = 0.5 * (f->B[e] + f->B[e / m + m * (e % m)]);
    TP_TRY(tp_analysis_symmetric_eigenvalues(allocator, m, symmetric, values, NULL));
    if (values[m - 1] > tp_undamped * fmax(fabs(values[0]), fabs(values[m - 1]))) test->is_damped = false;
    return TP_OK;
}

/* ---- points ---- */

/* Whether the forces at rest change with time at this point. */
static bool changes_with_time(field *f)
{
    bool changes = false;
    memcpy(f->f, f->E, (size_t)f->m * sizeof(double));
    evaluate(f, f->t + 0.137, f->q);
    for (int i = 0; i < f->m; i++) changes |= f->f[i] != f->E[i];
    evaluate(f, f->t, f->q);
    return changes;
}

static tp_status test_point(field *f, int k, uint64_t *random, const tp_allocator *allocator, double *work,
                            double *u, tp_force_test *test)
{
    tp_system *system = f->system;
    f->t = k == 0 ? 0.0 : fabs(tp_draw(random));
    memcpy(f->q, f->model->q0, (size_t)system->q_count * sizeof(double));
    memset(f->u, 0, (size_t)f->m * sizeof(double));
    tp_system_move(system, f->t, f->q, f->u);
    for (int j = 0; j < f->m; j++) f->u[j] = k == 0 ? 0.0 : 0.3 * tp_draw(random) * system->unit[j];
    tp_system_change(system, f->u, 1.0, f->q);
    for (int j = 0; j < f->m; j++) u[j] = tp_draw(random) * system->unit[j];
    differentiate(f, f->t, f->q);
    for (int i = 0; i < f->m; i++)
        if (!isfinite(f->E[i])) return TP_OK;
    test->point_count++;
    test->has_time |= changes_with_time(f);
    test_skew(f, test);
    test_induction(f, work, test);
    test_affine(f, u, test);
    evaluate(f, f->t, f->q);
    test_closed(f, work, test);
    return test_damped(f, allocator, test);
}

tp_status tp_force_test_model(const tp_allocator *allocator, const tp_model *model, int point_count,
                              unsigned seed, tp_force_test *test_out, tp_message *why)
{
    if (model == NULL || !model->is_finished || point_count < 1) return TP_INVALID_ARGUMENT;
    field f;
    uint64_t random = seed;
    *test_out = (tp_force_test){.is_damped = true};
    tp_status status = create(allocator, model, &f, why);
    double *work = NULL, *u = NULL;
    if (status == TP_OK) {
        work = TP_ARENA_ARRAY(&f.arena, double, 3 * f.frame.size + f.m);
        u = TP_ARENA_ARRAY(&f.arena, double, f.m + 1);
        status = tp_arena_status(&f.arena);
    }
    for (int k = 0; k < point_count && status == TP_OK; k++)
        status = test_point(&f, k, &random, allocator, work, u, test_out);
    test_out->has_potential =
        test_out->not_affine <= tp_force_condition && test_out->not_skew <= tp_force_condition &&
        test_out->not_closed <= tp_force_condition && test_out->induction <= tp_force_condition;
    release(&f);
    return status;
}

/* ---- potentials ---- */

/* The velocities that lead from the start to q in a second; of turning bodies the rotation vector. */
static bool way_to(const field *f, const double *q, double *way)
{
    bool turns = false;
    const double *q0 = f->model->q0;
    for (int i = 0; i < f->model->coordinates.count; i++) way[i] = q[i] - q0[i];
    for (int b = 0; b < f->model->bodies.count; b++) {
        const tp_body *body = TP_LIST_AT(f->model->bodies, tp_body, b);
        bool is_rigid = body->kind == TP_BODY_RIGID || body->kind == TP_BODY_SCALABLE;
        const double *now = q + body->q_first, *then = q0 + body->q_first;
        double *own = way + body->u_first;
        for (int k = 0; k < (is_rigid ? 3 : body->u_count); k++) own[k] = now[k] - then[k];
        if (body->kind == TP_BODY_RIGID) {
            tp_quat turn = tp_quat_multiply(tp_quat_conjugate(tp_quat_at(then + 3)), tp_quat_at(now + 3));
            tp_vec3 w = tp_quat_log(turn);
            own[3] = w.x, own[4] = w.y, own[5] = w.z;
            turns = turns || tp_vec3_norm(w) > 0.0;
        }
    }
    return turns;
}

static void point_on_way(const field *f, const double *way, double s, double *q)
{
    memcpy(q, f->model->q0, (size_t)f->system->q_count * sizeof(double));
    for (int i = 0; i < f->model->coordinates.count; i++) q[i] += s * way[i];
    for (int b = 0; b < f->model->bodies.count; b++) {
        const tp_body *body = TP_LIST_AT(f->model->bodies, tp_body, b);
        bool is_rigid = body->kind == TP_BODY_RIGID;
        const double *own = way + body->u_first;
        for (int k = 0; k < (is_rigid ? 3 : body->u_count); k++) q[body->q_first + k] += s * own[k];
        if (!is_rigid) continue;
        tp_quat turn = tp_quat_exp(tp_vec3_scale(s, tp_vec3_from_array(own + 3)));
        tp_quat_put(tp_quat_multiply(tp_quat_at(q + body->q_first + 3), turn), q + body->q_first + 3);
    }
}

/* V = -int way.E ds, A_i = int s way_j B_ji ds over 0 <= s <= 1: sixteen intervals with the three points of
   Gauss, exact to degree 5 in each. */
static void integrate(field *f, double t, const double *way, double *V, double *A)
{
    static const double node[] = {-0.7745966692414834, 0.0, 0.7745966692414834},
                        weight[] = {5.0 / 18.0, 4.0 / 9.0, 5.0 / 18.0};
    enum { INTERVALS = 16 };
    *V = 0.0;
    for (int k = 0; k < 3 * INTERVALS; k++) {
        double s = (k / 3 + 0.5 + 0.5 * node[k % 3]) / INTERVALS, share = weight[k % 3] / INTERVALS;
        point_on_way(f, way, s, f->q);
        evaluate(f, t, f->q);
        *V -= share * tp_dense_dot(f->m, way, f->E);
        for (int i = 0; i < f->m && A != NULL; i++)
            A[i] += share * s * tp_dense_dot(f->m, f->B + i * f->m, way);
    }
}

tp_status tp_force_potential(const tp_allocator *allocator, const tp_model *model, double t, const double *q,
                             double *V_out, double *A_out, tp_message *why)
{
    if (model == NULL || !model->is_finished) return TP_INVALID_ARGUMENT;
    field f;
    tp_status status = create(allocator, model, &f, why);
    if (status == TP_OK) {
        double *way = TP_ARENA_ARRAY(&f.arena, double, f.m + 1);
        status = tp_arena_status(&f.arena);
        if (status == TP_OK && way_to(&f, q, way) && A_out != NULL)
            status = tp_fail(why, TP_UNSUPPORTED,
                             "a vector potential is computed where bodies do not turn against the start");
        for (int i = 0; i < f.m && A_out != NULL; i++) A_out[i] = 0.0;
        if (status == TP_OK) integrate(&f, t, way, V_out, A_out);
    }
    release(&f);
    return status;
}
