/* Finishing a model: everything that can be known before the first step is checked here;
 * docs/theory/models.md (8)-(12). */
#include "math/analysis.h"
#include "math/dense.h"
#include "system.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Rank of the constraint rows: singular values below this part of the largest count as zero. */
static const double rank_tolerance = 1e-10;

/* Largest relative change of something that must not change (affine velocities, quadratic kinetic energy). */
static const double structure_tolerance = 1e-9;

enum { PROJECTION_STEPS = 50 };

tp_finish_options tp_finish_options_default(void)
{
    return (tp_finish_options){.project_initial_state = false, .tolerance = 1e-9};
}

/* A model while it is being finished. */
typedef struct finishing {
    tp_model *model;
    const tp_finish_options *options;
    tp_system *system;
    int n, m, rows; /* coordinates, velocities, constraint rows */
    double *q, *u, *M, *W, *chi, *residual, *step;
} finishing;

/* Order is checked first: nothing else makes sense without coordinates and inertia. */
static tp_status check_completeness(tp_model *model)
{
    if (model->coordinates.count == 0)
        return tp_fail(&model->message, TP_INVALID_DATA, "the model has no coordinates");
    if (model->velocities.count > model->coordinates.count) {
        return tp_fail(&model->message, TP_INVALID_DATA,
                       "the model has %d velocities but only %d coordinates", model->velocities.count,
                       model->coordinates.count);
    }
    for (int i = 0; i < model->coordinates.count && tp_model_has_own_velocities(model); i++) {
        const tp_variable *variable = TP_LIST_AT(model->coordinates, tp_variable, i);
        if (!variable->has_rate) {
            return tp_fail(&model->message, TP_INVALID_DATA,
                           "the rate of coordinate '%s' is missing: the model has velocities of its own",
                           variable->name);
        }
    }
    if (model->kinetic.count + model->mass.count + model->linear.count == 0) {
        return tp_fail(&model->message, TP_INVALID_DATA,
                       "the model has no inertia: give a kinetic energy or a mass matrix");
    }
    return TP_OK;
}

/* Energies are functions of the rates q', or of the own velocities u: never of both, and of u only if q' = B
 * u determines the motion both ways. */
static tp_status check_energies(tp_model *model)
{
    for (int i = 0; i < model->kinetic.count && tp_model_has_own_velocities(model); i++) {
        const tp_scalar *T = TP_LIST_AT(model->kinetic, tp_scalar, i);
        if (!tp_scalar_depends_on_kind(T, TP_SLOT_IS_VELOCITY)) continue;
        if (tp_scalar_depends_on_kind(T, TP_SLOT_IS_RATE)) {
            return tp_fail(&model->message, TP_INVALID_DATA,
                           "the kinetic energy mixes rates (x') and velocities of the model's own; give it "
                           "in one of them");
        }
        if (model->velocities.count != model->coordinates.count) {
            return tp_fail(&model->message, TP_INVALID_DATA,
                           "the kinetic energy is given in %d velocities, but there are %d coordinates; give "
                           "it in the rates (x'), or give the mass "
                           "matrix and the gyroscopic forces",
                           model->velocities.count, model->coordinates.count);
        }
    }
    return TP_OK;
}

static tp_status name_velocities(tp_model *model)
{
    if (tp_model_has_own_velocities(model)) return TP_OK;
    model->velocity_names = TP_ARENA_ARRAY(&model->arena, const char *, model->coordinates.count);
    model->velocity_units = TP_ARENA_ARRAY(&model->arena, const char *, model->coordinates.count);
    if (model->velocity_names == NULL || model->velocity_units == NULL) return TP_OUT_OF_MEMORY;
    for (int i = 0; i < model->coordinates.count; i++) {
        const char *name = TP_LIST_AT(model->coordinates, tp_variable, i)->name;
        char *rate = TP_ARENA_ARRAY(&model->arena, char, strlen(name) + 2);
        if (rate == NULL) return TP_OUT_OF_MEMORY;
        snprintf(rate, strlen(name) + 2, "%s'", name);
        model->velocity_names[i] = rate;
        const char *unit = TP_LIST_AT(model->coordinates, tp_variable, i)->unit;
        char *per_second = TP_ARENA_ARRAY(&model->arena, char, strlen(unit) + 4);
        if (per_second == NULL) return TP_OUT_OF_MEMORY;
        if (unit[0] != '\0') snprintf(per_second, strlen(unit) + 3, "%s/s", unit);
        model->velocity_units[i] = per_second;
    }
    return TP_OK;
}

static tp_status take_memory(finishing *f)
{
    tp_arena *arena = &f->model->arena;
    f->n = tp_model_coordinate_count(f->model);
    f->m = tp_model_velocity_count(f->model);
    f->rows = f->model->constraint_count;
    size_t rows = (size_t)f->rows + 1, m = (size_t)f->m;
    f->q = TP_ARENA_ARRAY(arena, double, f->n);
    f->u = TP_ARENA_ARRAY(arena, double, f->m);
    f->M = TP_ARENA_ARRAY(arena, double, 2 * m * m);
    f->W = TP_ARENA_ARRAY(arena, double, (rows + 4) * m);
    f->chi = TP_ARENA_ARRAY(arena, double, rows + 4);
    f->residual = TP_ARENA_ARRAY(arena, double, rows + m + (size_t)f->n);
    f->step = TP_ARENA_ARRAY(arena, double, rows + m + (size_t)f->n);
    if (f->q == NULL || f->u == NULL || f->M == NULL || f->W == NULL || f->chi == NULL ||
        f->residual == NULL || f->step == NULL) {
        return TP_OUT_OF_MEMORY;
    }
    for (int i = 0; i < f->n; i++) f->q[i] = TP_LIST_AT(f->model->coordinates, tp_variable, i)->initial;
    for (int j = 0; j < f->m; j++) {
        f->u[j] = tp_model_has_own_velocities(f->model)
                      ? TP_LIST_AT(f->model->velocities, tp_variable, j)->initial
                      : f->model->initial_rates[j];
    }
    return TP_OK;
}

/* Second derivatives in the velocities must not depend on the velocities: T is quadratic, velocity rows are
 * affine. */
static bool has_constant_curvature(finishing *f, const tp_scalar *scalar, bool must_vanish)
{
    tp_system *system = f->system;
    if (scalar->formula == NULL && scalar->function.hessian_vector == NULL)
        return true; /* the caller's promise */
    double size = 0.0, change = 0.0;
    for (int probe = 0; probe < 2; probe++) {
        for (int j = 0; j < f->m; j++) f->step[j] = f->u[j] + (probe + 1) * (0.7 + 0.31 * (j % 5));
        tp_system_move(system, 0.0, f->q, f->step);
        for (int j = 0; j < (system->own_velocities ? f->n + f->m : f->n); j++) {
            int slot = j < f->n ? tp_slot_rate(j) : tp_slot_velocity(j - f->n);
            system->direction[slot] = 1.0;
            tp_scalar_hessian_vector(scalar, &system->at, system->direction, system->gradient,
                                     system->product);
            system->direction[slot] = 0.0;
            double sum = 0.0;
            for (int k = 0; k < scalar->slot_count; k++) {
                tp_slot_kind kind = tp_slot_kind_of(scalar->slots[k]);
                if (kind == TP_SLOT_IS_RATE || kind == TP_SLOT_IS_VELOCITY)
                    sum += (1.0 + 0.17 * k) * system->product[k];
                size = fmax(size, fabs(system->product[k]));
            }
            if (must_vanish) change = fmax(change, fabs(sum));
            if (!must_vanish && probe == 0) f->residual[j] = sum;
            if (!must_vanish && probe == 1) change = fmax(change, fabs(sum - f->residual[j]));
        }
    }
    for (int k = 0; k < scalar->slot_count; k++) size = fmax(size, fabs(system->gradient[k]));
    return !(change > structure_tolerance * size);
}

static tp_status check_structure(finishing *f)
{
    tp_model *model = f->model;
    for (int i = 0; i < model->kinetic.count; i++) {
        const tp_scalar *T = TP_LIST_AT(model->kinetic, tp_scalar, i);
        if (!has_constant_curvature(f, T, false)) {
            return tp_fail_at(&model->message, TP_INVALID_DATA, T->function.place,
                              "the kinetic energy is not a quadratic function of the velocities");
        }
    }
    for (int i = 0; i < model->laws.count; i++) {
        const tp_law *law = TP_LIST_AT(model->laws, tp_law, i);
        for (int k = law->level == TP_LEVEL_VELOCITY ? 0 : 1; k < law->row_count; k++) {
            if (has_constant_curvature(f, &law->row[k], true)) continue;
            return tp_fail_at(&model->message, TP_INVALID_DATA, law->row[k].function.place,
                              "'%s': a velocity of a law must be linear in the velocities", law->name);
        }
    }
    for (int i = 0; i < model->coordinates.count && tp_model_has_own_velocities(model); i++) {
        const tp_variable *variable = TP_LIST_AT(model->coordinates, tp_variable, i);
        if (has_constant_curvature(f, &variable->rate, true)) continue;
        return tp_fail_at(&model->message, TP_INVALID_DATA, variable->rate.function.place,
                          "the rate of '%s' must be linear in the velocities", variable->name);
    }
    return TP_OK;
}

static bool depends_on(const tp_scalar *scalar, tp_slot_kind kind)
{
    return scalar->slot_count > 0 && tp_scalar_depends_on_kind(scalar, kind);
}

static bool is_constant_inertia(const tp_model *model)
{
    for (int i = 0; i < model->kinetic.count; i++) {
        const tp_scalar *T = TP_LIST_AT(model->kinetic, tp_scalar, i);
        if (depends_on(T, TP_SLOT_IS_COORDINATE) || depends_on(T, TP_SLOT_IS_TIME)) return false;
    }
    for (int i = 0; i < model->mass.count; i++) {
        if (TP_LIST_AT(model->mass, tp_mass_entry, i)->value.slot_count > 0) return false;
    }
    for (int i = 0; i < model->kinetic.count && tp_model_has_own_velocities(model); i++) {
        if (depends_on(TP_LIST_AT(model->kinetic, tp_scalar, i), TP_SLOT_IS_RATE)) return false; /* B^T M B */
    }
    return true;
}

static bool has_time(const tp_list *scalars)
{
    for (int i = 0; i < scalars->count; i++) {
        if (depends_on(TP_LIST_AT(*scalars, tp_scalar, i), TP_SLOT_IS_TIME)) return true;
    }
    return false;
}

static bool is_autonomous(const tp_model *model)
{
    bool found = has_time(&model->kinetic) || has_time(&model->potential) || has_time(&model->dissipation);
    for (int i = 0; i < model->coordinates.count; i++) {
        const tp_variable *variable = TP_LIST_AT(model->coordinates, tp_variable, i);
        found |= variable->has_rate && depends_on(&variable->rate, TP_SLOT_IS_TIME);
    }
    for (int i = 0; i < model->forces.count; i++)
        found |= depends_on(&TP_LIST_AT(model->forces, tp_force_entry, i)->value, TP_SLOT_IS_TIME);
    for (int i = 0; i < model->mass.count; i++)
        found |= depends_on(&TP_LIST_AT(model->mass, tp_mass_entry, i)->value, TP_SLOT_IS_TIME);
    for (int i = 0; i < model->springs.count; i++)
        found |= depends_on(&TP_LIST_AT(model->springs, tp_spring_contact, i)->gap, TP_SLOT_IS_TIME);
    for (int i = 0; i < model->laws.count; i++) {
        const tp_law *law = TP_LIST_AT(model->laws, tp_law, i);
        for (int k = 0; k < law->row_count; k++) found |= depends_on(&law->row[k], TP_SLOT_IS_TIME);
    }
    return !found;
}

static tp_status check_inertia(finishing *f)
{
    tp_model *model = f->model;
    int m = f->m;
    tp_system_move(f->system, 0.0, f->q, f->u);
    tp_system_mass(f->system, f->M);
    for (int j = 0; j < m; j++) {
        for (int i = 0; i < m; i++) {
            if (isfinite(f->M[i + j * m])) continue;
            return tp_fail(&model->message, TP_INVALID_DATA,
                           "the mass matrix at the start is not finite (row %s, column %s)",
                           tp_model_velocity_name(model, i), tp_model_velocity_name(model, j));
        }
        if (!(f->M[j + j * m] > 0.0)) {
            return tp_fail(&model->message, TP_INVALID_DATA,
                           "velocity '%s' has no inertia: its entry of the mass matrix is %g",
                           tp_model_velocity_name(model, j), f->M[j + j * m]);
        }
    }
    memcpy(f->M + m * m, f->M, (size_t)(m * m) * sizeof(double));
    if (tp_dense_cholesky(m, f->M + m * m, m, 1e-14) != TP_OK) {
        return tp_fail(&model->message, TP_INVALID_DATA,
                       "the mass matrix is not positive definite at the start");
    }
    tp_system_force(f->system, f->residual);
    for (int j = 0; j < m; j++) {
        if (!isfinite(f->residual[j])) {
            return tp_fail(&model->message, TP_INVALID_DATA,
                           "the force on '%s' at the start is not a finite number",
                           tp_model_velocity_name(model, j));
        }
    }
    return TP_OK;
}

/* Rows, chi and position errors of all constraints at the present point; returns the number of rows. W
 * row-major rows of length m. */
static int constraint_rows(finishing *f, double *position_error)
{
    int row = 0;
    for (int i = 0; i < f->model->laws.count; i++) {
        const tp_law *law = TP_LIST_AT(f->model->laws, tp_law, i);
        if (law->set.kind != TP_SET_FREE) continue;
        tp_system_law_rows(f->system, i, f->W + row * f->m, f->chi + row);
        f->residual[row] = law->level == TP_LEVEL_POSITION ? tp_system_law_position(f->system, i) : 0.0;
        *position_error = fmax(*position_error, fabs(f->residual[row]));
        row++;
    }
    return row;
}

/* The constraint that has the given row. */
static const tp_law *constraint_of(const tp_model *model, int row)
{
    int i = 0;
    while (TP_LIST_AT(model->laws, tp_law, i)->set.kind != TP_SET_FREE || row-- > 0) i++;
    return TP_LIST_AT(model->laws, tp_law, i);
}

/* Least change of q (in u directions, through B) that makes the position constraints hold: Gauss-Newton. */
static tp_status project_positions(finishing *f)
{
    double *transposed = TP_ARENA_ARRAY(&f->model->arena, double, (size_t)f->rows *(size_t)f->m + 1);
    if (transposed == NULL) return TP_OUT_OF_MEMORY;
    for (int step = 0; step < PROJECTION_STEPS; step++) {
        double error = 0.0;
        int rank;
        tp_system_move(f->system, 0.0, f->q, f->u);
        int rows = constraint_rows(f, &error);
        if (error <= 1e-15) break;
        for (int r = 0; r < rows; r++) {
            bool is_position = constraint_of(f->model, r)->level == TP_LEVEL_POSITION;
            for (int j = 0; j < f->m; j++) transposed[r + j * rows] = is_position ? f->W[j + r * f->m] : 0.0;
        }
        TP_TRY(tp_analysis_least_squares(f->model->allocator, rows, f->m, transposed, f->residual,
                                         rank_tolerance, f->step, &rank));
        for (int i = 0; i < f->n; i++) {
            for (int j = 0; j < f->m; j++) f->q[i] -= f->system->B[i + j * f->n] * f->step[j];
        }
    }
    return TP_OK;
}

/* Least change of u that makes W u + chi = 0. */
static tp_status project_velocities(finishing *f)
{
    double error = 0.0;
    int rank;
    tp_system_move(f->system, 0.0, f->q, f->u);
    int rows = constraint_rows(f, &error);
    double *transposed = TP_ARENA_ARRAY(&f->model->arena, double, (size_t)rows *(size_t)f->m + 1);
    if (transposed == NULL) return TP_OUT_OF_MEMORY;
    for (int r = 0; r < rows; r++) {
        for (int j = 0; j < f->m; j++) transposed[r + j * rows] = f->W[j + r * f->m];
        f->residual[r] = tp_dense_dot(f->m, f->W + r * f->m, f->u) + f->chi[r];
    }
    TP_TRY(tp_analysis_least_squares(f->model->allocator, rows, f->m, transposed, f->residual, rank_tolerance,
                                     f->step, &rank));
    for (int j = 0; j < f->m; j++) f->u[j] -= f->step[j];
    return TP_OK;
}

static tp_status check_constraints(finishing *f)
{
    tp_model *model = f->model;
    tp_model_summary *summary = &model->summary;
    if (f->options->project_initial_state && f->rows > 0) {
        TP_TRY(project_positions(f));
        TP_TRY(project_velocities(f));
    }
    tp_system_move(f->system, 0.0, f->q, f->u);
    int rows = constraint_rows(f, &summary->position_error);
    int worst = 0, worst_position = 0;
    for (int r = 0; r < rows; r++) {
        if (fabs(f->residual[r]) == summary->position_error) worst_position = r;
        double gamma = tp_dense_dot(f->m, f->W + r * f->m, f->u) + f->chi[r];
        if (fabs(gamma) > summary->velocity_error) worst = r;
        summary->velocity_error = fmax(summary->velocity_error, fabs(gamma));
    }
    double *transposed = TP_ARENA_ARRAY(&model->arena, double, (size_t)rows *(size_t)f->m + 1);
    if (transposed == NULL) return TP_OUT_OF_MEMORY;
    for (int r = 0; r < rows; r++) {
        for (int j = 0; j < f->m; j++) transposed[r + j * rows] = f->W[j + r * f->m];
    }
    summary->constraint_rank = 0;
    if (rows > 0)
        TP_TRY(tp_analysis_rank(model->allocator, rows, f->m, transposed, rank_tolerance,
                                &summary->constraint_rank));
    summary->degrees_of_freedom = f->m - summary->constraint_rank;
    const char *advice = f->options->project_initial_state
                             ? "the constraints contradict each other, or the start is too far from them"
                             : "move the start, or ask for projection of the initial state";
    if (summary->position_error > f->options->tolerance) {
        return tp_fail(&model->message, TP_INVALID_DATA,
                       "the initial positions violate the constraint '%s' by %.3g: %s",
                       constraint_of(model, worst_position)->name, summary->position_error, advice);
    }
    if (summary->velocity_error > f->options->tolerance) {
        return tp_fail(&model->message, TP_INVALID_DATA,
                       "the initial velocities violate the constraint '%s' by %.3g: %s",
                       constraint_of(model, worst)->name, summary->velocity_error, advice);
    }
    return TP_OK;
}

static tp_status finish(finishing *f)
{
    tp_model *model = f->model;
    TP_TRY(take_memory(f));
    TP_TRY(tp_system_create(model->allocator, model, &f->system));
    TP_TRY(check_structure(f));
    TP_TRY(check_inertia(f));
    TP_TRY(check_constraints(f));
    tp_system_move(f->system, 0.0, f->q, f->u);
    model->summary.largest_frequency = tp_system_largest_frequency(f->system, f->M, f->step);
    model->has_constant_mass = is_constant_inertia(model);
    model->is_autonomous = is_autonomous(model);
    model->q0 = f->q;
    model->u0 = f->u;
    TP_TRY(tp_model_check_drawings(model));
    tp_model_summary *summary = &model->summary;
    summary->coordinate_count = f->n;
    summary->velocity_count = f->m;
    summary->constraint_count = model->constraint_count;
    summary->contact_count = model->contact_count;
    summary->law_count = model->laws.count;
    summary->sensor_count = model->sensors.count;
    summary->drawing_count = model->drawings.count;
    summary->has_constant_mass = model->has_constant_mass;
    summary->is_autonomous = model->is_autonomous;
    model->is_finished = true;
    return TP_OK;
}

tp_status tp_model_finish(tp_model *model, const tp_finish_options *options)
{
    tp_finish_options defaults = tp_finish_options_default();
    TP_TRY(tp_model_check_open(model));
    TP_TRY(check_completeness(model));
    TP_TRY(check_energies(model));
    TP_TRY(name_velocities(model));
    finishing f = {.model = model, .options = options != NULL ? options : &defaults};
    tp_status status = finish(&f);
    tp_system_free(f.system);
    if (status == TP_OUT_OF_MEMORY) tp_fail(&model->message, status, "%s", tp_status_text(status));
    return status;
}
