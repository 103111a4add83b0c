/* Constraints as functions of coordinates: g, dg and d(dg y1)/dy, and second and third derivatives of joints;
   docs/theory/jet.md (10), (13), (31). Frames of rigid bodies are those of Euler parameters of any length, D
   = H~ H^T, so that rows of joints are polynomials of them. */
#include "parts.h"

#include "base/sort.h"
#include "math/sparse.h"
#include "system/discrete.h"

#include <string.h>

enum { BODY_COORDINATES = 7, JOINT_COORDINATES_MOST = 2 * BODY_COORDINATES };

/* ---- a body as a function of its coordinates ---- */

static const tp_body *body_of(const tp_jet *jet, int b)
{
    return b == TP_GROUND ? NULL : TP_LIST_AT(jet->system->model->bodies, tp_body, b);
}

/* Second derivative of a body's frame along v and w (first: along v alone with w the coordinates, which is
   twice the value for what is of second degree). */
static tp_mat3 turn_of(tp_quat v, tp_quat w)
{
    const tp_vec3 unit[] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    tp_vec3 column[3];
    double P[12], x[] = {w.w, w.x, w.y, w.z};
    for (int i = 0; i < 3; i++) {
        double sum[3] = {0.0};
        tp_rotation_derivative(TP_ROTATION_HOMOGENEOUS, v, unit[i], P);
        for (int j = 0; j < 4; j++) {
            for (int k = 0; k < 3; k++) sum[k] += P[k + 3 * j] * x[j];
        }
        column[i] = tp_vec3_from_array(sum);
    }
    return tp_mat3_from_columns(column[0], column[1], column[2]);
}

static tp_frame frame_of(const tp_jet *jet, int b, const double *y)
{
    const tp_body *body = body_of(jet, b);
    if (body == NULL || body->kind != TP_BODY_RIGID) return tp_system_body(jet->system, b)->frame;
    tp_quat p = tp_quat_at(y + body->q_first + 3);
    return (tp_frame){tp_vec3_from_array(y + body->q_first), tp_rotation_matrix(TP_ROTATION_HOMOGENEOUS, p)};
}

/* e_z x D, the rate of a frame that turns in the plane. */
static tp_mat3 planar_turn(tp_mat3 D)
{
    return tp_mat3_multiply(tp_mat3_skew(tp_vec3_make(0.0, 0.0, 1.0)), D);
}

/* dF v, at the body's own coordinates y and direction v. */
static tp_frame frame_rate(const tp_body *body, const tp_frame *at, const double *y, const double *v)
{
    tp_frame out = {{0.0, 0.0, 0.0}, {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}}};
    if (body == NULL) return out;
    v += body->q_first;
    y += body->q_first;
    out.r = tp_vec3_make(v[0], v[1], body->kind == TP_BODY_PLANAR ? 0.0 : v[2]);
    if (body->kind == TP_BODY_RIGID) out.D = turn_of(tp_quat_at(y + 3), tp_quat_at(v + 3));
    if (body->kind == TP_BODY_PLANAR) out.D = tp_mat3_scale(v[2], planar_turn(at->D));
    return out;
}

/* d2F(v, w). */
static tp_frame frame_second(const tp_body *body, const tp_frame *at, const double *v, const double *w)
{
    tp_frame out = {{0.0, 0.0, 0.0}, {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}}};
    if (body == NULL) return out;
    v += body->q_first;
    w += body->q_first;
    if (body->kind == TP_BODY_RIGID) out.D = turn_of(tp_quat_at(v + 3), tp_quat_at(w + 3));
    if (body->kind == TP_BODY_PLANAR) out.D = tp_mat3_scale(v[2] * w[2], planar_turn(planar_turn(at->D)));
    return out;
}

static double inner(tp_mat3 a, tp_mat3 b)
{
    return tp_vec3_dot(a.cx, b.cx) + tp_vec3_dot(a.cy, b.cy) + tp_vec3_dot(a.cz, b.cz);
}

/* Adds the derivatives by the body's coordinates of gradient.F, F the frame at y. */
static void add_rate(const tp_body *body, const tp_frame *at, const double *y, const tp_frame *gradient,
                     double *out)
{
    const tp_vec3 unit[] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}},
                  part[] = {gradient->D.cx, gradient->D.cy, gradient->D.cz};
    double r[3], P[12];
    if (body == NULL) return;
    bool is_planar = body->kind == TP_BODY_PLANAR;
    tp_vec3_to_array(gradient->r, r);
    for (int k = 0; k < (is_planar ? 2 : 3); k++) out[k] += r[k];
    if (is_planar) out[2] += inner(planar_turn(at->D), gradient->D);
    for (int i = 0; i < 3 && body->kind == TP_BODY_RIGID; i++) {
        tp_rotation_derivative(TP_ROTATION_HOMOGENEOUS, tp_quat_at(y + body->q_first + 3), unit[i], P);
        for (int j = 0; j < 4; j++) out[3 + j] += tp_vec3_dot(tp_vec3_from_array(P + 3 * j), part[i]);
    }
}

/* The same of gradient.(dF v), gradient fixed. */
static void add_second(const tp_body *body, const tp_frame *at, const double *v, const tp_frame *gradient,
                       double *out)
{
    if (body == NULL) return;
    if (body->kind == TP_BODY_PLANAR)
        out[2] += v[body->q_first + 2] * inner(planar_turn(planar_turn(at->D)), gradient->D);
    if (body->kind != TP_BODY_RIGID) return;
    tp_frame turned = *gradient;
    turned.r = tp_vec3_zero();
    add_rate(body, at, v, &turned, out);
}

/* ---- laws over coordinates ---- */

static void add_column(int *column, int *count, int i)
{
    for (int k = 0; k < *count; k++) {
        if (column[k] == i) return;
    }
    column[(*count)++] = i;
}

/* Coordinates that the velocities of a law move. */
static tp_status find_columns(tp_jet *jet, tp_jet_law *law)
{
    const tp_system *system = jet->system;
    const int *columns, count = tp_system_columns_of(system, law->law, &columns);
    law->column = TP_ARENA_ARRAY(&jet->arena, int, 4 * count + JOINT_COORDINATES_MOST);
    TP_TRY(tp_arena_status(&jet->arena));
    for (int i = 0; i < jet->n; i++) {
        if (jet->u_of[i] >= 0 && tp_find_int(columns, count, jet->u_of[i]) >= 0)
            add_column(law->column, &law->count, i);
    }
    for (int k = 0; k < jet->turn_count; k++) {
        bool is_touched = false;
        for (int j = 0; j < 3; j++)
            is_touched = is_touched || tp_find_int(columns, count, jet->turn[k].u + j) >= 0;
        for (int j = 0; j < 4 && is_touched; j++) add_column(law->column, &law->count, jet->turn[k].q + j);
    }
    return TP_OK;
}

/* Rows of joints are taken over all coordinates of both bodies. */
static void find_joint(tp_jet *jet, tp_jet_law *law)
{
    const tp_law *given = tp_model_law(jet->system->model, law->law);
    if (given->source != TP_SOURCE_JOINT) return;
    const tp_model_joint *joint = TP_LIST_AT(jet->system->model->joints, tp_model_joint, given->element);
    const int bodies[] = {joint->body_a, joint->body_b};
    for (int side = 0; side < 2; side++) {
        const tp_body *body = body_of(jet, bodies[side]);
        if (body == NULL) continue;
        if (body->kind == TP_BODY_MOVING) return;
        for (int k = 0; k < body->q_count; k++) add_column(law->column, &law->count, body->q_first + k);
    }
    law->is_joint = joint->body_a != joint->body_b;
}

static tp_status make_matrix(tp_jet *jet)
{
    int rows = jet->along.rows.row_count, at = 0;
    size_t entries = 0;
    for (int i = 0; i < jet->law_count; i++)
        entries += (size_t)jet->law[i].count * (size_t)jet->law[i].row_count;
    TP_TRY(tp_sparse_take(&jet->arena, jet->n, rows, entries, &jet->D));
    jet->E = TP_ARENA_ARRAY(&jet->arena, double, entries + 1);
    TP_TRY(tp_arena_status(&jet->arena));
    for (int i = 0; i < jet->law_count; i++) {
        for (int k = 0; k < jet->law[i].row_count; k++) {
            memcpy(jet->D.index + at, jet->law[i].column, (size_t)jet->law[i].count * sizeof(int));
            at += jet->law[i].count;
            jet->D.start[jet->law[i].first + k + 1] = at;
        }
    }
    return TP_OK;
}

tp_status tp_jet_rows_create(tp_jet *jet)
{
    const tp_constraint_rows *rows = &jet->along.rows;
    jet->law_count = rows->law_count;
    jet->law = TP_ARENA_ARRAY(&jet->arena, tp_jet_law, rows->law_count + 1);
    size_t most = (size_t)jet->system->largest_columns + 1;
    jet->hessian = TP_ARENA_ARRAY(&jet->arena, double, most *most);
    TP_TRY(tp_arena_status(&jet->arena));
    for (int i = 0; i < rows->law_count; i++) {
        tp_jet_law *law = &jet->law[i];
        *law =
            (tp_jet_law){rows->law[i], rows->first[i], rows->first[i + 1] - rows->first[i], 0, NULL, false};
        TP_TRY(find_columns(jet, law));
        find_joint(jet, law);
        tp_sort_ints(law->column, law->count);
    }
    TP_TRY(make_matrix(jet));
    if (jet->options.projection != TP_JET_QUASI) return TP_OK;
    jet->flat.rows = (tp_constraint_rows){.system = jet->system, .row_count = rows->row_count};
    jet->flat.rows.A = jet->D;
    return tp_jet_gram_create(jet, &jet->flat);
}

/* ---- values ---- */

/* What the rows of a joint need of its two bodies. */
typedef struct jet_pair {
    const tp_model_joint *joint;
    const tp_body *body[2];
    int place[2]; /* of the bodies' coordinates among the columns */
    tp_frame at[2], rate[2];
} jet_pair;

static jet_pair pair_of(const tp_jet *jet, const tp_jet_law *law, const double *z)
{
    const tp_law *given = tp_model_law(jet->system->model, law->law);
    jet_pair p = {.joint = TP_LIST_AT(jet->system->model->joints, tp_model_joint, given->element)};
    const int bodies[] = {p.joint->body_a, p.joint->body_b};
    for (int side = 0; side < 2; side++) {
        p.body[side] = body_of(jet, bodies[side]);
        p.at[side] = frame_of(jet, bodies[side], z);
        p.rate[side] = frame_rate(p.body[side], &p.at[side], z, z + jet->n);
        p.place[side] =
            p.body[side] != NULL ? tp_find_int(law->column, law->count, p.body[side]->q_first) : 0;
    }
    return p;
}

static void evaluate_joint(tp_jet *jet, const tp_jet_law *law, const double *z, bool with_rates)
{
    jet_pair p = pair_of(jet, law, z);
    const double *y1 = z + jet->n;
    for (int k = 0; k < law->row_count; k++) {
        int row = law->first + k;
        double *D = jet->D.value + jet->D.start[row], *E = jet->E + jet->D.start[row];
        tp_frame gradient[2], second[2];
        memset(D, 0, (size_t)law->count * sizeof(double));
        jet->g[row] =
            tp_basic_row_gradient(&p.joint->joint.row[k], &p.at[0], &p.at[1], &gradient[0], &gradient[1]);
        for (int s = 0; s < 2; s++) add_rate(p.body[s], &p.at[s], z, &gradient[s], D + p.place[s]);
        jet->gamma[row] = 0.0;
        for (int c = 0; c < law->count; c++) jet->gamma[row] += D[c] * y1[law->column[c]];
        if (!with_rates) continue;
        memset(E, 0, (size_t)law->count * sizeof(double));
        tp_basic_row_second(&p.joint->joint.row[k], &p.at[0], &p.at[1], &p.rate[0], &p.rate[1], &second[0],
                            &second[1]);
        for (int s = 0; s < 2; s++) {
            add_rate(p.body[s], &p.at[s], z, &second[s], E + p.place[s]);
            add_second(p.body[s], &p.at[s], y1, &gradient[s], E + p.place[s]);
        }
    }
}

/* A covector on the velocities of a law as one on its coordinates. */
static void put_covector(tp_jet *jet, const tp_jet_law *law, const double *z, const double *W, double *out)
{
    const int *columns, count = tp_system_columns_of(jet->system, law->law, &columns);
    memset(jet->change, 0, (size_t)jet->n * sizeof(double));
    memset(jet->by_velocity, 0, (size_t)jet->m * sizeof(double));
    for (int j = 0; j < count; j++) jet->by_velocity[columns[j]] = W[j];
    tp_jet_add_covector(jet, z, jet->by_velocity, jet->change);
    for (int c = 0; c < law->count; c++) out[c] = jet->change[law->column[c]];
}

/* d(W u)/dq at fixed y1: u H + W (1/2 Omega x .) of bodies that turn; (13). */
static void rate_covector(tp_jet *jet, const tp_jet_law *law, int k, const double *W, double *out)
{
    const int *columns, count = tp_system_columns_of(jet->system, law->law, &columns);
    tp_system_law_hessian(jet->system, law->law, k, jet->hessian);
    for (int j = 0; j < count; j++) {
        out[j] = 0.0;
        for (int i = 0; i < count; i++) out[j] += jet->u[columns[i]] * jet->hessian[i + count * j];
    }
    for (int b = 0; b < jet->turn_count; b++) {
        double moment[3] = {0.0}, change[3];
        for (int j = 0; j < 3; j++) {
            int at = tp_find_int(columns, count, jet->turn[b].u + j);
            if (at >= 0) moment[j] = W[at];
        }
        tp_vec3 w = tp_vec3_from_array(jet->u + jet->turn[b].u);
        tp_vec3_to_array(tp_vec3_scale(0.5, tp_vec3_cross(tp_vec3_from_array(moment), w)), change);
        for (int j = 0; j < 3; j++) {
            int at = tp_find_int(columns, count, jet->turn[b].u + j);
            if (at >= 0) out[at] += change[j];
        }
    }
}

/* Any other law: its rows over velocities, seen by coordinates. */
static void evaluate_law(tp_jet *jet, int index, const double *z, bool with_rates)
{
    const tp_jet_law *law = &jet->law[index];
    tp_constraint_rows *rows = &jet->along.rows;
    double g[TP_LAW_ROWS];
    tp_system_law_positions(jet->system, law->law, g);
    tp_system_law_rows(jet->system, law->law, rows->A.value + rows->A.start[law->first],
                       rows->chi + law->first);
    for (int k = 0; k < law->row_count; k++) {
        int row = law->first + k, start = rows->A.start[row];
        const double *W = rows->A.value + start;
        jet->g[row] = g[k];
        jet->gamma[row] = rows->chi[row] + tp_jet_row_product(&rows->A, row, jet->u);
        put_covector(jet, law, z, W, jet->D.value + jet->D.start[row]);
        if (!with_rates) continue;
        rate_covector(jet, law, k, W, jet->by_position);
        put_covector(jet, law, z, jet->by_position, jet->E + jet->D.start[row]);
    }
}

void tp_jet_rows_evaluate(tp_jet *jet, const double *z, bool with_rates)
{
    jet->counts.rows++;
    if (with_rates) jet->counts.second += jet->along.rows.row_count;
    for (int i = 0; i < jet->law_count; i++) {
        if (jet->law[i].is_joint) {
            evaluate_joint(jet, &jet->law[i], z, with_rates);
        } else {
            evaluate_law(jet, i, z, with_rates);
        }
    }
}

/* ---- curvature ---- */

/* Column j of d2g, and of d3g(y1, ., .), of a row over the law's coordinates. */
static void joint_columns(const tp_jet *jet, const jet_pair *p, const tp_basic_row *row, const double *z,
                          const double *e, double *second, double *third)
{
    const double *y1 = z + jet->n;
    tp_frame along[2], both[2], gradient[2], by_e[2], by_y1[2], by_both[2], cubic[2];
    for (int s = 0; s < 2; s++) {
        along[s] = frame_rate(p->body[s], &p->at[s], z, e);
        both[s] = frame_second(p->body[s], &p->at[s], y1, e);
    }
    tp_basic_row_gradient(row, &p->at[0], &p->at[1], &gradient[0], &gradient[1]);
    tp_basic_row_second(row, &p->at[0], &p->at[1], &along[0], &along[1], &by_e[0], &by_e[1]);
    tp_basic_row_second(row, &p->at[0], &p->at[1], &p->rate[0], &p->rate[1], &by_y1[0], &by_y1[1]);
    tp_basic_row_second(row, &p->at[0], &p->at[1], &both[0], &both[1], &by_both[0], &by_both[1]);
    tp_basic_row_third(row, &p->at[0], &p->at[1], &p->rate[0], &p->rate[1], &along[0], &along[1], &cubic[0],
                       &cubic[1]);
    for (int s = 0; s < 2; s++) {
        add_rate(p->body[s], &p->at[s], z, &by_e[s], second + p->place[s]);
        add_second(p->body[s], &p->at[s], e, &gradient[s], second + p->place[s]);
        add_rate(p->body[s], &p->at[s], z, &cubic[s], third + p->place[s]);
        add_rate(p->body[s], &p->at[s], z, &by_both[s], third + p->place[s]);
        add_second(p->body[s], &p->at[s], e, &by_y1[s], third + p->place[s]);
        add_second(p->body[s], &p->at[s], y1, &by_e[s], third + p->place[s]);
        if (p->body[s] != NULL && p->body[s]->kind == TP_BODY_PLANAR) { /* d3F = -dF */
            int phi = p->body[s]->q_first + 2;
            third[p->place[s] + 2] -= y1[phi] * e[phi] * inner(planar_turn(p->at[s].D), gradient[s].D);
        }
    }
}

void tp_jet_rows_add_curvature(tp_jet *jet, const double *z, const double *mu, const double *nu, double *K,
                               int lead)
{
    double second[JOINT_COORDINATES_MOST], third[JOINT_COORDINATES_MOST];
    int n = jet->n;
    memset(jet->change, 0, (size_t)n * sizeof(double));
    for (int i = 0; i < jet->law_count; i++) {
        const tp_jet_law *law = &jet->law[i];
        if (!law->is_joint) continue;
        jet_pair p = pair_of(jet, law, z);
        jet->counts.second += law->row_count;
        jet->counts.third += law->row_count;
        for (int k = 0; k < law->row_count; k++) {
            for (int c = 0; c < law->count; c++) {
                int j = law->column[c];
                memset(second, 0, sizeof second);
                memset(third, 0, sizeof third);
                jet->change[j] = 1.0;
                joint_columns(jet, &p, &p.joint->joint.row[k], z, jet->change, second, third);
                jet->change[j] = 0.0;
                for (int r = 0; r < law->count; r++) {
                    int at = law->column[r];
                    K[at + lead * j] += mu[law->first + k] * second[r] + nu[law->first + k] * third[r];
                    K[n + at + lead * j] += nu[law->first + k] * second[r];
                    K[at + lead * (n + j)] += nu[law->first + k] * second[r];
                }
            }
        }
    }
}
