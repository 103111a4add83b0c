/* A model in minimal coordinates: mass matrix and forces are C functions that ask a reduction. */
#include "math/differences.h"
#include "reduction.h"
#include "tolerances.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* M and M y'' at t, y, y'; NaN where the coordinates fail. */
static void evaluate_at(tp_reduction *r, const double *at, double *M, double *f)
{
    int n = r->count;
    if (tp_reduction_evaluate(r, at[0], at + 1, at + 1 + n, M, f, NULL) == TP_OK) return;
    for (int e = 0; e < n * n; e++) M[e] = NAN;
    for (int i = 0; i < n; i++) f[i] = NAN;
}

/* Slopes of M along t and y, by differences: exact slopes would need third derivatives of constraints. What
   they miss cancels: forces hold the gyroscopic terms that follow from them; (14). */
static void find_mass_slopes(tp_reduction *r)
{
    int n = r->count, size = n * n;
    memset(r->M_slopes, 0, (size_t)((1 + n) * size) * sizeof(double));
    for (int a = 0; a <= n; a++) {
        for (int e = 0; e < TP_DIFFERENCE_POINTS; e++) {
            memcpy(r->beside, r->at, (size_t)(1 + 2 * n) * sizeof(double));
            r->beside[a] += tp_difference_offset[e] * tp_difference_step;
            evaluate_at(r, r->beside, r->near_M, r->near_f);
            for (int k = 0; k < size; k++)
                r->M_slopes[a * size + k] +=
                    tp_difference_weight[e] / (12.0 * tp_difference_step) * r->near_M[k];
        }
    }
}

/* f becomes the force whose model has these gyroscopic terms: f_i + sum (dM_ij/dy_k - 1/2 dM_jk/dy_i) y_j'
   y_k'
   + sum dM_ij/dt y_j'. */
static void add_gyroscopic(const tp_reduction *r, double *f)
{
    int n = r->count;
    const double *rate = r->at + 1 + n;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            f[i] += r->M_slopes[i + n * j] * rate[j];
            for (int k = 0; k < n; k++)
                f[i] += (r->M_slopes[(1 + k) * n * n + i + n * j] -
                         0.5 * r->M_slopes[(1 + i) * n * n + j + n * k]) *
                        rate[j] * rate[k];
        }
    }
}

/* Values at a point; kept until another one is asked for. */
static void move(tp_reduction *r, double t, const double *y, const double *rate)
{
    int n = r->count;
    bool is_same = r->at[0] == t && memcmp(r->at + 1, y, (size_t)n * sizeof(double)) == 0 &&
                   memcmp(r->at + 1 + n, rate, (size_t)n * sizeof(double)) == 0;
    if (is_same) return;
    r->at[0] = t;
    memcpy(r->at + 1, y, (size_t)n * sizeof(double));
    memcpy(r->at + 1 + n, rate, (size_t)n * sizeof(double));
    r->has_slopes = false;
    evaluate_at(r, r->at, r->M, r->f);
    find_mass_slopes(r);
    add_gyroscopic(r, r->f);
}

static double entry_value(void *self, double t, const double *q, const double *u)
{
    const tp_reduced_entry *entry = self;
    tp_reduction *r = entry->reduction;
    move(r, t, q, u);
    return entry->j >= 0 ? r->M[entry->i + r->count * entry->j] : r->f[entry->i];
}

/* Slopes of the forces, for implicit integrators: a difference of whole evaluations by two points. */
static void find_force_slopes(tp_reduction *r)
{
    int n = r->count;
    memcpy(r->beside + 1 + 2 * n, r->at, (size_t)(1 + 2 * n) * sizeof(double)); /* to come back to */
    for (int a = 0; a <= 2 * n; a++) {
        for (int side = 0; side < 2; side++) {
            double by = (side == 0 ? tp_slope_step : -tp_slope_step);
            double *own = r->beside + 2 * (1 + 2 * n);
            memcpy(own, r->beside + 1 + 2 * n, (size_t)(1 + 2 * n) * sizeof(double));
            own[a] += by;
            move(r, own[0], own + 1, own + 1 + n);
            for (int i = 0; i < n; i++) {
                double *slope = &r->f_slopes[a * n + i];
                *slope = (side == 0 ? 0.0 : *slope) + r->f[i] / (2.0 * by);
            }
        }
    }
    const double *back = r->beside + 1 + 2 * n;
    move(r, back[0], back + 1, back + 1 + n);
    r->has_slopes = true;
}

static void entry_gradient(void *self, double t, const double *q, const double *u, double *d_t, double *d_q,
                           double *d_u)
{
    const tp_reduced_entry *entry = self;
    tp_reduction *r = entry->reduction;
    int n = r->count, e = entry->i + n * entry->j;
    move(r, t, q, u);
    if (entry->j < 0 && !r->has_slopes) find_force_slopes(r);
    *d_t = entry->j >= 0 ? r->M_slopes[e] : r->f_slopes[entry->i];
    for (int k = 0; k < n; k++) {
        d_q[k] = entry->j >= 0 ? r->M_slopes[(1 + k) * n * n + e] : r->f_slopes[(1 + k) * n + entry->i];
        d_u[k] = entry->j >= 0 ? 0.0 : r->f_slopes[(1 + n + k) * n + entry->i];
    }
}

static tp_status take_memory(tp_reduction *r)
{
    size_t n = (size_t)r->count;
    if (r->entries != NULL) return TP_OK;
    r->at = TP_ARENA_ARRAY(&r->arena, double, 1 + 2 * n);
    TP_ARENA_DOUBLES(&r->arena, n * n + 1, &r->M, &r->near_M);
    TP_ARENA_DOUBLES(&r->arena, n + 1, &r->f, &r->near_f);
    r->M_slopes = TP_ARENA_ARRAY(&r->arena, double, (1 + n) * n * n + 1);
    r->f_slopes = TP_ARENA_ARRAY(&r->arena, double, (1 + 2 * n) * n + 1);
    r->beside = TP_ARENA_ARRAY(&r->arena, double, 3 * (1 + 2 * n));
    r->entries = TP_ARENA_ARRAY(&r->arena, tp_reduced_entry, n * n + n + 1);
    TP_TRY(tp_arena_status(&r->arena));
    r->at[0] = NAN;
    return TP_OK;
}

/* The name with letters that formulas can spell. */
static void spell(const char *name, char *out, size_t capacity)
{
    snprintf(out, capacity, "%s", name);
    for (char *c = out; *c != '\0'; c++)
        if (!isalnum((unsigned char)*c) && *c != '_') *c = '_';
}

static tp_status add_entries(tp_reduction *r, tp_model *model, tp_message *why)
{
    int n = r->count, used = 0;
    char name[TP_CONTACT_NAME], rate[2][TP_CONTACT_NAME + 2];
    for (int i = 0; i < n; i++) {
        spell(r->minimal[i].name, name, sizeof name);
        TP_TRY(tp_model_add_coordinate(model, name, r->start[i], r->start_rate[i], "", (tp_place){0}, NULL,
                                       why));
    }
    for (int i = 0; i < n; i++) {
        for (int j = i; j <= n; j++) {
            tp_reduced_entry *entry = &r->entries[used++];
            *entry = (tp_reduced_entry){r, i, j < n ? j : -1};
            tp_function function = {.self = entry, .value = entry_value, .gradient = entry_gradient};
            spell(r->minimal[i].name, name, sizeof name);
            snprintf(rate[0], sizeof rate[0], "%s'", name);
            if (j == n) {
                TP_TRY(tp_model_add_force(model, name, function, why));
                continue;
            }
            spell(r->minimal[j].name, name, sizeof name);
            snprintf(rate[1], sizeof rate[1], "%s'", name);
            TP_TRY(tp_model_add_mass(model, rate[0], rate[1], function, why));
        }
    }
    TP_TRY(tp_reduction_add_laws(r, model, why));
    return tp_model_finish(model, NULL, why);
}

tp_status tp_reduction_model(tp_reduction *reduction, const tp_allocator *allocator, tp_model **model_out,
                             tp_message *why)
{
    *model_out = NULL;
    if (reduction->count == 0)
        return tp_fail(why, TP_UNSUPPORTED, "the constraints leave no freedom: there is nothing to simulate");
    TP_TRY(take_memory(reduction));
    tp_model *model = NULL;
    TP_TRY(tp_model_create(allocator, &model));
    tp_status status = add_entries(reduction, model, why);
    if (status != TP_OK) tp_model_free(model);
    *model_out = status == TP_OK ? model : NULL;
    return status;
}
