/* Minimal coordinates of holonomic systems; docs/theory/holonomy.md (13), (14). */
#include "reduction.h"

#include "math/dense.h"
#include "math/sparse.h"
#include "parts_of.h"
#include "system/second_level.h"
#include "tolerances.h"

#include <math.h>
#include <string.h>

enum { LIFT_STEPS_LEAST = 2, LIFT_STEPS_MOST = 20000, NEWTON_STEPS = 8 };

/* ---- the rows at a point ---- */

/* K = [W; C], its factors, and the right side at rest: -chi, -c0; the system stands at the point. */
static tp_status factorise(tp_reduction *r)
{
    int m = r->m, rows = r->row_count;
    double chi[TP_LAW_ROWS];
    for (int i = 0; i < rows; i++) {
        const tp_kept_row *kept = &r->rows[i];
        const int *columns, count = tp_system_columns_of(r->system, kept->law, &columns);
        if (i == 0 || kept->law != r->rows[i - 1].law) tp_system_law_rows(r->system, kept->law, r->W, chi);
        for (int j = 0; j < m; j++) r->K[i + m * j] = 0.0;
        for (int c = 0; c < count; c++) r->K[i + m * columns[c]] = r->W[kept->row * count + c];
        r->rest[i] = -chi[kept->row];
    }
    for (int k = 0; k < r->count; k++) {
        r->rest[rows + k] = -tp_minimal_rate_row(r, &r->minimal[k], r->row);
        for (int j = 0; j < m; j++) r->K[rows + k + m * j] = r->row[j];
    }
    return tp_dense_lu(m, r->K, m, r->pivot, 0.0);
}

static void solve(const tp_reduction *r, double *x)
{
    tp_dense_lu_solve(r->m, r->K, r->m, r->pivot, x);
}

/* Velocities with the given rates while time runs at `clock`; the system stands at (t, q). */
static tp_status velocities(tp_reduction *r, const double *rate, double clock, double *u)
{
    TP_TRY(factorise(r));
    for (int i = 0; i < r->m; i++) u[i] = clock * r->rest[i];
    for (int k = 0; k < r->count; k++) u[r->row_count + k] += rate[k];
    solve(r, u);
    return TP_OK;
}

/* ---- positions ---- */

/* The system at (t, q), at rest. */
static void stand(tp_reduction *r, double t, const double *q)
{
    memset(r->still, 0, (size_t)r->m * sizeof(double));
    tp_system_move(r->system, t, q, r->still);
}

/* Rates of (t, q) on the way to (t_end, y). */
static tp_status way_rates(tp_reduction *r, const double *at, double clock, double *out)
{
    stand(r, at[0], at + 1);
    TP_TRY(velocities(r, r->way, clock, r->u));
    tp_system_move(r->system, at[0], at + 1, r->u);
    out[0] = clock;
    memcpy(out + 1, tp_system_rate(r->system), (size_t)r->n * sizeof(double));
    return TP_OK;
}

static tp_status follow(tp_reduction *r, double t, int steps, double *state)
{
    static const double part[] = {0.0, 0.5, 0.5, 1.0};
    int size = 1 + r->n;
    double h = 1.0 / steps;
    for (int s = 0; s < steps; s++) {
        for (int k = 0; k < 4; k++) {
            for (int i = 0; i < size; i++)
                r->stage[i] = state[i] + (k > 0 ? part[k] * h * r->slopes[(k - 1) * size + i] : 0.0);
            r->part_of_way = (s + part[k]) * h;
            TP_TRY(way_rates(r, r->stage, t, r->slopes + k * size));
        }
        for (int i = 0; i < size; i++)
            state[i] += h / 6.0 *
                        (r->slopes[i] + 2.0 * r->slopes[size + i] + 2.0 * r->slopes[2 * size + i] +
                         r->slopes[3 * size + i]);
        tp_system_normalise(r->system, state + 1);
    }
    return TP_OK;
}

/* Newton's method for constraints on positions and for the values of the coordinates. */
static tp_status settle(tp_reduction *r, double t, const double *y, double *q)
{
    for (int step = 0; step < NEWTON_STEPS; step++) {
        double g[TP_LAW_ROWS];
        stand(r, t, q);
        TP_TRY(factorise(r));
        for (int i = 0; i < r->row_count; i++) {
            tp_system_law_positions(r->system, r->rows[i].law, g);
            r->u[i] = -g[r->rows[i].row];
        }
        for (int k = 0; k < r->count; k++) {
            double off = y[k] - tp_minimal_value(r, &r->minimal[k], q);
            r->u[r->row_count + k] =
                tp_minimal_is_angle(r, &r->minimal[k]) ? remainder(off, 2.0 * acos(-1.0)) : off;
        }
        solve(r, r->u);
        double size = 0.0;
        for (int j = 0; j < r->m; j++) size = fmax(size, fabs(r->u[j]) / r->system->unit[j]);
        if (!isfinite(size) || size > 1.0) return TP_SINGULAR;
        tp_system_change(r->system, r->u, 1.0, q);
        if (size < tp_lift_rounding) break;
    }
    return TP_OK;
}

tp_status tp_reduction_lift(tp_reduction *r, double t, const double *y, const double *rate, double *q_out,
                            double *u_out)
{
    double distance = fabs(t);
    for (int k = 0; k < r->count; k++) {
        r->way[k] = y[k] - r->start[k];
        distance = fmax(distance, fabs(r->way[k]));
    }
    double steps = ceil(distance / (r->has_velocity_rows ? tp_short_lift_step : tp_lift_step));
    if (!isfinite(steps) || steps > LIFT_STEPS_MOST) return TP_SINGULAR;
    r->state[0] = 0.0;
    memcpy(r->state + 1, r->model->q0, (size_t)r->n * sizeof(double));
    TP_TRY(follow(r, t, steps > LIFT_STEPS_LEAST ? (int)steps : LIFT_STEPS_LEAST, r->state));
    r->part_of_way = 1.0;
    TP_TRY(settle(r, t, y, r->state + 1));
    stand(r, t, r->state + 1);
    TP_TRY(velocities(r, rate, 1.0, r->u));
    memcpy(q_out, r->state + 1, (size_t)r->n * sizeof(double));
    memcpy(u_out, r->u, (size_t)r->m * sizeof(double));
    return TP_OK;
}

/* ---- equations of motion ---- */

/* a0: accelerations of the velocities where those of the minimal coordinates vanish. */
static bool held_accelerations(tp_reduction *r, double *a0)
{
    double g2[TP_LAW_ROWS];
    bool is_exact = true;
    for (int i = 0; i < r->row_count; i++) {
        if (i == 0 || r->rows[i].law != r->rows[i - 1].law)
            is_exact = tp_system_law_drift(r->system, r->rows[i].law, g2) && is_exact;
        a0[i] = -g2[r->rows[i].row];
    }
    for (int k = 0; k < r->count; k++) a0[r->row_count + k] = -tp_minimal_rate_drift(r, &r->minimal[k]);
    solve(r, a0);
    return is_exact;
}

tp_status tp_reduction_evaluate(tp_reduction *r, double t, const double *y, const double *rate, double *M_out,
                                double *f_out, double *acceleration_out)
{
    const tp_sparse *pattern = &r->system->mass_pattern;
    int m = r->m, f = r->count;
    double *a0 = r->still, *h = r->row, *S = r->S;
    TP_TRY(tp_reduction_lift(r, t, y, rate, r->lifted_q, r->lifted_u));
    tp_system_move(r->system, t, r->lifted_q, r->lifted_u);
    TP_TRY(factorise(r));
    held_accelerations(r, a0);
    tp_system_mass(r->system, r->mass);
    tp_system_force(r->system, h);
    memset(r->u, 0, (size_t)m * sizeof(double));
    tp_pattern_multiply_add(pattern, r->mass, a0, r->u);
    for (int j = 0; j < m; j++) h[j] -= r->u[j];
    for (int k = 0; k < f; k++) {
        memset(S + k * m, 0, (size_t)m * sizeof(double));
        S[k * m + r->row_count + k] = 1.0;
        solve(r, S + k * m);
    }
    for (int k = 0; k < f; k++) {
        memset(r->u, 0, (size_t)m * sizeof(double));
        tp_pattern_multiply_add(pattern, r->mass, S + k * m, r->u);
        for (int i = 0; i < f; i++) r->reduced[i + f * k] = tp_dense_dot(m, S + i * m, r->u);
        r->force[k] = tp_dense_dot(m, S + k * m, h);
    }
    if (M_out != NULL) memcpy(M_out, r->reduced, (size_t)(f * f) * sizeof(double));
    if (f_out != NULL) memcpy(f_out, r->force, (size_t)f * sizeof(double));
    if (acceleration_out == NULL) return TP_OK;
    TP_TRY(tp_dense_cholesky(f, r->reduced, f, 0.0));
    memcpy(acceleration_out, r->force, (size_t)f * sizeof(double));
    tp_dense_cholesky_solve(f, r->reduced, f, acceleration_out);
    return TP_OK;
}

/* ---- creation ---- */

/* Constraints must be holonomic. */
static tp_status check_holonomy(const tp_allocator *allocator, const tp_model *model, tp_message *why)
{
    tp_holonomy *holonomy = NULL;
    TP_TRY(tp_holonomy_create(allocator, model, NULL, &holonomy));
    tp_status status = TP_OK;
    for (int k = 0; k < tp_holonomy_part_count(holonomy) && status == TP_OK; k++) {
        const tp_holonomy_part *part = tp_holonomy_part_at(holonomy, k);
        if (part->verdict != TP_HOLONOMIC)
            status =
                tp_fail(why, TP_UNSUPPORTED,
                        "the constraints of '%s'%s are %s: no minimal coordinates describe the positions",
                        part->law_count > 0 ? part->laws[0] : "rates",
                        part->law_count > 1 ? " and others" : "", tp_holonomy_verdict_name(part->verdict));
        if (status == TP_OK && !part->is_exact)
            status = tp_fail(why, TP_UNSUPPORTED, "the constraint '%s' has no exact second derivatives",
                             part->law_count > 0 ? part->laws[0] : "rates");
    }
    tp_holonomy_free(holonomy);
    return status;
}

/* Independent rows of all constraints at the start, law by law; then the rank is known. */
static tp_status keep_rows(tp_reduction *r, tp_arena *scratch, tp_distribution *d)
{
    int law_count = 0;
    tp_part_law *laws = TP_ARENA_ARRAY(scratch, tp_part_law, r->system->law_count + 1);
    int *all = TP_ARENA_ARRAY(scratch, int, r->m + 1);
    TP_TRY(tp_arena_status(scratch));
    for (int j = 0; j < r->m; j++) all[j] = j;
    for (int k = 0; k < r->system->law_count; k++) {
        const tp_law *law = tp_system_law(r->system, k);
        if (law->set.kind == TP_SET_FREE) laws[law_count++] = (tp_part_law){k, law->row_count};
    }
    TP_TRY(tp_distribution_create(r->allocator, scratch, r->system, laws, law_count, all, r->m, d));
    if (!tp_distribution_move(d, 0.0, r->model->q0)) return TP_SINGULAR;
    tp_distribution_pick(d);
    r->rows = TP_ARENA_ARRAY(&r->arena, tp_kept_row, d->picked + 1);
    TP_TRY(tp_arena_status(&r->arena));
    for (int k = 0, first = 0; k < law_count; first += laws[k++].row_count) {
        for (int row = 0; row < laws[k].row_count; row++) {
            for (int i = 0; i < d->picked; i++)
                if (d->pick[i] == first + row) r->rows[r->row_count++] = (tp_kept_row){laws[k].law, row};
        }
        r->has_velocity_rows |= tp_system_law(r->system, laws[k].law)->level == TP_LEVEL_VELOCITY;
    }
    return TP_OK;
}

/* What is left of a candidate's rate beside the rows and those chosen: basis [rank * m] of velocities in
   units; returns its share. */
static double share_of(tp_reduction *r, const tp_minimal *c, const double *basis, int rank)
{
    tp_minimal_rate_row(r, c, r->row);
    for (int j = 0; j < r->m; j++) r->row[j] *= r->system->unit[j];
    double length = tp_dense_norm(r->m, r->row);
    if (!(length > 0.0)) return 0.0;
    tp_dense_take_out(r->m, rank, basis, r->m, r->row);
    return tp_dense_norm(r->m, r->row) / length;
}

static bool is_wanted(const tp_minimal *c, const char *const *names, int count)
{
    for (int k = 0; k < count; k++)
        if (strcmp(names[k], c->name) == 0) return true;
    return count == 0;
}

static tp_status choose(tp_reduction *r, tp_arena *scratch, const tp_distribution *d,
                        const char *const *names, int count, tp_message *why)
{
    int m = r->m, rank = 0, wanted = m - r->row_count;
    double *basis = TP_ARENA_ARRAY(scratch, double, m *m + 1);
    r->minimal = TP_ARENA_ARRAY(&r->arena, tp_minimal, wanted + 1);
    TP_TRY(tp_arena_status(scratch));
    TP_TRY(tp_arena_status(&r->arena));
    for (int i = 0; i < d->picked; i++) { /* rows over velocities, orthonormal */
        double *own = basis + rank * m;
        memcpy(own, d->A + d->pick[i] * d->width + 1, (size_t)m * sizeof(double));
        tp_dense_take_out(m, rank, basis, m, own);
        double length = tp_dense_norm(m, own);
        for (int j = 0; j < m; j++) own[j] /= length;
        rank++;
    }
    for (; r->count < wanted; r->count++) {
        int best = -1;
        double most = tp_least_share;
        for (int c = 0; c < r->candidate_count; c++) {
            if (r->candidates[c].is_chosen || !is_wanted(&r->candidates[c], names, count)) continue;
            double share = share_of(r, &r->candidates[c], basis, rank) * r->candidates[c].preference;
            if (!(share > most * (1.0 + tp_share_margin))) continue;
            most = share;
            best = c;
        }
        if (best < 0)
            return count > 0
                       ? tp_fail(why, TP_INVALID_DATA,
                                 "the given coordinates do not determine the motion: %d more are needed",
                                 wanted - r->count)
                       : tp_fail(
                             why, TP_UNSUPPORTED,
                             "%d degrees of freedom have no coordinate: a scalable body turns freely, and no "
                             "joint measures it",
                             wanted - r->count);
        share_of(r, &r->candidates[best], basis, rank);
        double length = tp_dense_norm(m, r->row);
        for (int j = 0; j < m; j++) basis[rank * m + j] = r->row[j] / length;
        rank++;
        r->candidates[best].is_chosen = true;
    }
    for (int c = 0, k = 0; c < r->candidate_count; c++)
        if (r->candidates[c].is_chosen) r->minimal[k++] = r->candidates[c];
    return TP_OK;
}

static tp_status take_memory(tp_reduction *r)
{
    size_t m = (size_t)r->m, n = (size_t)r->n;
    TP_ARENA_DOUBLES(&r->arena, m, &r->unit, &r->no_rate, &r->rest, &r->row, &r->u, &r->still, &r->way,
                     &r->start, &r->start_rate, &r->lifted_u, &r->force);
    TP_ARENA_DOUBLES(&r->arena, (size_t)r->system->law_count * TP_LAW_ROWS, &r->no_impulse);
    TP_ARENA_DOUBLES(&r->arena, TP_LAW_ROWS * m, &r->W);
    TP_ARENA_DOUBLES(&r->arena, m * m, &r->K, &r->S, &r->reduced);
    TP_ARENA_DOUBLES(&r->arena, 1 + n, &r->state, &r->stage);
    TP_ARENA_DOUBLES(&r->arena, 4 * (1 + n), &r->slopes);
    TP_ARENA_DOUBLES(&r->arena, n, &r->lifted_q);
    TP_ARENA_DOUBLES(&r->arena, tp_sparse_count(&r->system->mass_pattern), &r->mass);
    r->pivot = TP_ARENA_ARRAY(&r->arena, int, m + 1);
    return tp_arena_status(&r->arena);
}

static tp_status build(tp_reduction *r, const char *const *names, int count, tp_message *why)
{
    const tp_model *model = r->model;
    tp_distribution d;
    if (tp_model_has_own_velocities(model))
        return tp_fail(why, TP_UNSUPPORTED, "the model has velocities of its own; give it in rates (x')");
    TP_TRY(check_holonomy(r->allocator, model, why));
    TP_TRY(tp_system_create(r->allocator, model, &r->system));
    r->m = r->system->u_count;
    r->n = r->system->q_count;
    TP_TRY(take_memory(r));
    TP_TRY(tp_minimal_list(r));
    tp_arena scratch = tp_arena_make(r->allocator);
    tp_status status = keep_rows(r, &scratch, &d);
    if (status == TP_OK) {
        tp_system_move(r->system, 0.0, model->q0, model->u0);
        status = choose(r, &scratch, &d, names, count, why);
    }
    tp_arena_clear(&scratch);
    TP_TRY(status);
    tp_system_move(r->system, 0.0, model->q0, model->u0);
    for (int k = 0; k < r->count; k++) {
        r->part_of_way = 0.0;
        r->start[k] = tp_minimal_value(r, &r->minimal[k], model->q0);
        double rest = tp_minimal_rate_row(r, &r->minimal[k], r->row);
        r->start_rate[k] = tp_dense_dot(r->m, r->row, model->u0) + rest;
    }
    return TP_OK;
}

tp_status tp_reduction_create(const tp_allocator *allocator, const tp_model *model, const char *const *names,
                              int count, tp_reduction **reduction_out, tp_message *why)
{
    *reduction_out = NULL;
    if (model == NULL || !model->is_finished) return TP_INVALID_ARGUMENT;
    tp_reduction *r = TP_ARENA_OBJECT(tp_reduction, allocator);
    if (r == NULL) return TP_OUT_OF_MEMORY;
    r->allocator = allocator;
    r->model = model;
    tp_status status = build(r, names, count, why);
    if (status != TP_OK) tp_reduction_free(r);
    *reduction_out = status == TP_OK ? r : NULL;
    return status;
}

void tp_reduction_free(tp_reduction *reduction)
{
    if (reduction == NULL) return;
    tp_system_free(reduction->system);
    tp_arena_clear(&reduction->arena);
}

int tp_reduction_count(const tp_reduction *reduction)
{
    return reduction->count;
}

const char *tp_reduction_name(const tp_reduction *reduction, int i)
{
    return i >= 0 && i < reduction->count ? reduction->minimal[i].name : NULL;
}

void tp_reduction_start(const tp_reduction *reduction, double *y_out, double *rate_out)
{
    memcpy(y_out, reduction->start, (size_t)reduction->count * sizeof(double));
    memcpy(rate_out, reduction->start_rate, (size_t)reduction->count * sizeof(double));
}
