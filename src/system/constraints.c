/* Bilateral constraints taken together. */
#include "constraints.h"

#include "constraint_rows.h"
#include "math/analysis.h"
#include "math/sparse.h"
#include "tolerances.h"

#include <math.h>
#include <string.h>

enum {
    DENSE_ROWS = 300, /* above, singular values would take too long */
    PROJECTION_STEPS = 50,
    REFINEMENTS = 60
};

struct tp_constraints {
    const tp_allocator *allocator;
    tp_arena arena;
    tp_constraint_rows rows;
    double *g, *gamma, *lambda, *x; /* by row; x by velocity */
    double *M, *mobility; /* values in mass_pattern; 1 over their diagonal, in which changes are least */
};

static tp_status take_memory(tp_constraints *c)
{
    TP_ARENA_DOUBLES(&c->arena, c->rows.row_count, &c->g, &c->gamma, &c->lambda);
    c->x = TP_ARENA_ARRAY(&c->arena, double, c->rows.system->u_count);
    c->mobility = TP_ARENA_ARRAY(&c->arena, double, c->rows.system->u_count);
    c->M = TP_ARENA_ARRAY(&c->arena, double, tp_sparse_count(&c->rows.system->mass_pattern));
    return tp_arena_status(&c->arena);
}

tp_status tp_constraints_create(const tp_allocator *allocator, tp_system *system, tp_constraints **out)
{
    *out = NULL;
    if (allocator == NULL) allocator = tp_allocator_default();
    tp_constraints *c = TP_ARENA_OBJECT(tp_constraints, allocator);
    if (c == NULL) return TP_OUT_OF_MEMORY;
    c->allocator = allocator;
    tp_status status = tp_constraint_rows_create(allocator, &c->arena, system, false, &c->rows);
    if (status == TP_OK) status = take_memory(c);
    if (status != TP_OK) tp_constraints_free(c);
    *out = status == TP_OK ? c : NULL;
    return status;
}

void tp_constraints_free(tp_constraints *c)
{
    if (c == NULL) return;
    tp_constraint_rows_free(&c->rows);
    tp_arena_clear(&c->arena);
}

/* A, chi, g and gamma at the system's present point. */
static void evaluate(tp_constraints *c)
{
    tp_constraint_rows_evaluate(&c->rows);
    for (int i = 0; i < c->rows.law_count; i++)
        tp_system_law_positions(c->rows.system, c->rows.law[i], c->g + c->rows.first[i]);
    memcpy(c->gamma, c->rows.chi, (size_t)c->rows.row_count * sizeof(double));
    tp_sparse_multiply_transposed_add(&c->rows.A, c->rows.system->u, c->gamma);
}

/* One that is not a number is the worst. */
static void note_error(tp_row_error *worst, double value, int law, int row)
{
    if (!(fabs(value) <= worst->value)) *worst = (tp_row_error){fabs(value), law, row};
}

tp_constraint_errors tp_constraints_errors(tp_constraints *c)
{
    tp_constraint_errors errors = {0};
    evaluate(c);
    for (int i = 0; i < c->rows.law_count; i++) {
        int index = c->rows.law[i];
        const tp_law *law = tp_model_law(c->rows.system->model, index);
        for (int r = c->rows.first[i]; r < c->rows.first[i + 1]; r++) {
            int row = r - c->rows.first[i];
            bool is_angle = tp_law_is_angle(law, row);
            note_error(is_angle ? &errors.angle : &errors.position, c->g[r], index, row);
            note_error(is_angle ? &errors.angular_velocity : &errors.velocity, c->gamma[r], index, row);
        }
    }
    return errors;
}

/* ---- small: dense ---- */

/* weight [u_count] by velocity, NULL: 1. */
static tp_status dense_rows(tp_constraints *c, const double *weight, tp_arena *scratch, double **rows_out)
{
    int rows = c->rows.row_count;
    double *a = TP_ARENA_ARRAY(scratch, double, (size_t)rows *(size_t)c->rows.system->u_count + 1);
    *rows_out = a;
    if (a == NULL) return TP_OUT_OF_MEMORY;
    for (int r = 0; r < rows; r++) {
        for (int k = c->rows.A.start[r]; k < c->rows.A.start[r + 1]; k++) {
            int j = c->rows.A.index[k];
            a[r + (size_t)j * (size_t)rows] = c->rows.A.value[k] * (weight != NULL ? sqrt(weight[j]) : 1.0);
        }
    }
    return TP_OK;
}

static tp_status dense_least_change(tp_constraints *c, const double *right, double *x_out)
{
    tp_arena scratch = tp_arena_make(c->allocator);
    double *a;
    int rank;
    tp_status status = dense_rows(c, c->mobility, &scratch, &a);
    if (status == TP_OK)
        status = tp_analysis_least_squares(c->allocator, c->rows.row_count, c->rows.system->u_count, a, right,
                                           tp_rank_tolerance, x_out, &rank);
    for (int j = 0; status == TP_OK && j < c->rows.system->u_count; j++) x_out[j] *= sqrt(c->mobility[j]);
    tp_arena_clear(&scratch);
    return status;
}

/* ---- large: sparse ---- */

/* x += D A lambda. */
static void add_weighted_rows(const tp_constraints *c, double *x_io)
{
    for (int r = 0; r < c->rows.row_count; r++) {
        for (int k = c->rows.A.start[r]; k < c->rows.A.start[r + 1]; k++) {
            int j = c->rows.A.index[k];
            x_io[j] += c->mobility[j] * c->rows.A.value[k] * c->lambda[r];
        }
    }
}

/* x = D A lambda with A^T x = right, D the mobilities: the shift is removed by repeating. */
static tp_status sparse_least_change(tp_constraints *c, const double *right, double *x_out)
{
    int m = c->rows.system->u_count;
    TP_TRY(tp_constraint_rows_factorise(&c->rows, c->mobility, tp_projection_shift));
    memset(x_out, 0, (size_t)m * sizeof(double));
    double last = INFINITY;
    for (int step = 0; step < REFINEMENTS; step++) {
        double size = 0.0;
        memset(c->lambda, 0, (size_t)c->rows.row_count * sizeof(double));
        tp_sparse_multiply_transposed_add(&c->rows.A, x_out, c->lambda);
        for (int r = 0; r < c->rows.row_count; r++) {
            c->lambda[r] = (right[r] - c->lambda[r]) / c->rows.length[r];
            size = fmax(size, fabs(c->lambda[r]));
        }
        if (!(size < 0.5 * last)) break; /* only what contradicts itself is left */
        last = size;
        tp_factor_solve(c->rows.factor, c->lambda);
        for (int r = 0; r < c->rows.row_count; r++) c->lambda[r] /= c->rows.length[r];
        add_weighted_rows(c, x_out);
    }
    return TP_OK;
}

static bool is_small(const tp_constraints *c)
{
    return c->rows.row_count <= DENSE_ROWS && c->rows.system->u_count <= 4 * DENSE_ROWS;
}

static tp_status least_change(tp_constraints *c, const double *right, double *x_out)
{
    return is_small(c) ? dense_least_change(c, right, x_out) : sparse_least_change(c, right, x_out);
}

tp_status tp_constraints_rank(tp_constraints *c, double tolerance, int *rank_out)
{
    *rank_out = 0;
    if (c->rows.row_count == 0) return TP_OK;
    evaluate(c);
    if (!is_small(c)) {
        TP_TRY(tp_constraint_rows_factorise(&c->rows, NULL, tp_projection_shift));
        *rank_out = c->rows.row_count - tp_factor_small_pivots(c->rows.factor, tp_projection_pivot, NULL);
        return TP_OK;
    }
    tp_arena scratch = tp_arena_make(c->allocator);
    double *a;
    tp_status status = dense_rows(c, NULL, &scratch, &a);
    if (status == TP_OK)
        status = tp_analysis_rank(c->allocator, c->rows.row_count, c->rows.system->u_count, a, tolerance,
                                  rank_out);
    tp_arena_clear(&scratch);
    return status;
}

/* Velocity rows do not restrict positions. */
static void hide_velocity_rows(tp_constraints *c)
{
    for (int i = 0; i < c->rows.law_count; i++) {
        if (TP_LIST_AT(c->rows.system->model->laws, tp_law, c->rows.law[i])->level == TP_LEVEL_POSITION)
            continue;
        for (int k = c->rows.A.start[c->rows.first[i]]; k < c->rows.A.start[c->rows.first[i + 1]]; k++)
            c->rows.A.value[k] = 0.0;
    }
}

static tp_status project_positions(tp_constraints *c, double t, double *q, const double *u)
{
    tp_system *system = c->rows.system;
    for (int step = 0; step < PROJECTION_STEPS; step++) {
        double error = 0.0;
        tp_system_move(system, t, q, u);
        evaluate(c);
        hide_velocity_rows(c);
        for (int r = 0; r < c->rows.row_count; r++) error = fmax(error, fabs(c->g[r]));
        if (error <= tp_position_goal) break;
        TP_TRY(least_change(c, c->g, c->x));
        tp_system_change(system, c->x, -1.0, q);
    }
    return TP_OK;
}

/* In the metric of the masses, so that m/s and rad/s count as they do in an impact. */
static void take_mobility(tp_constraints *c)
{
    const tp_sparse *pattern = &c->rows.system->mass_pattern;
    tp_system_mass(c->rows.system, c->M);
    for (int j = 0; j < c->rows.system->u_count; j++) {
        int place = tp_pattern_place(pattern, j, j);
        double mass = place >= 0 ? c->M[place] : 0.0;
        c->mobility[j] = mass > 0.0 ? 1.0 / mass : 1.0;
    }
}

tp_status tp_constraints_project(tp_constraints *c, double t, double *q, double *u)
{
    if (c->rows.row_count == 0) return TP_OK;
    tp_system_move(c->rows.system, t, q, u);
    take_mobility(c);
    TP_TRY(project_positions(c, t, q, u));
    tp_system_move(c->rows.system, t, q, u);
    evaluate(c);
    TP_TRY(least_change(c, c->gamma, c->x));
    for (int j = 0; j < c->rows.system->u_count; j++) u[j] -= c->x[j];
    return TP_OK;
}
