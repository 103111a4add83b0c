/* Finishing a model: everything that can be known before the first step is checked here;
 * docs/theory/models.md (8)-(12). */
#include "constraints.h"
#include "drawing/drawer.h"
#include "math/dense.h"
#include "parts.h"
#include "states.h"
#include "tolerances.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

TP_DEFAULT(tp_finish_options, tp_finish_options_default, .project_initial_state = false, .tolerance = 1e-9)

/* A model while it is being finished. */
typedef struct finishing {
    tp_model *model;
    const tp_finish_options *options;
    tp_system *system;
    tp_arena work;     /* M, residual, step */
    int n, m, general; /* coordinates, velocities, velocities of no body */
    double *q, *u, *M, *residual, *step;
} finishing;

/* Order is checked first: nothing else makes sense without coordinates and inertia. */
static tp_status check_completeness(tp_model *model)
{
    if (tp_model_coordinate_count(model) == 0 && model->states.count == 0)
        return tp_fail(model->message, TP_INVALID_DATA,
                       "the model has no coordinates, no bodies and no states");
    if (model->velocities.count > model->coordinates.count) {
        return tp_fail(model->message, TP_INVALID_DATA, "the model has %d velocities but only %d coordinates",
                       model->velocities.count, model->coordinates.count);
    }
    for (int i = 0; i < model->coordinates.count && tp_model_has_own_velocities(model); i++) {
        const tp_variable *variable = TP_LIST_AT(model->coordinates, tp_variable, i);
        if (variable->rate == NULL) {
            return tp_fail(model->message, TP_INVALID_DATA,
                           "the rate of coordinate '%s' is missing: the model has velocities of its own",
                           variable->name);
        }
    }
    if (model->coordinates.count > 0 && model->kinetic.count + model->mass.count + model->linear.count == 0) {
        return tp_fail(model->message, TP_INVALID_DATA,
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
            return tp_fail(model->message, TP_INVALID_DATA,
                           "the kinetic energy mixes rates (x') and velocities of the model's own; give it "
                           "in one of them");
        }
        if (model->velocities.count != model->coordinates.count) {
            return tp_fail(model->message, TP_INVALID_DATA,
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

/* The state as it was given, quaternions of unit length. */
static void take_start(finishing *f)
{
    const tp_model *model = f->model;
    int n = model->coordinates.count, m = tp_model_general_velocity_count(model);
    for (int i = 0; i < f->n; i++) {
        f->q[i] = i < n ? TP_LIST_AT(model->coordinates, tp_variable, i)->initial
                        : *TP_LIST_AT(model->body_coordinates, double, i - n);
    }
    for (int j = 0; j < f->m; j++) {
        if (j >= m) {
            f->u[j] = *TP_LIST_AT(model->body_velocities, double, j - m);
        } else {
            f->u[j] = tp_model_has_own_velocities(model)
                          ? TP_LIST_AT(model->velocities, tp_variable, j)->initial
                          : model->initial_rates[j];
        }
    }
    tp_system_normalise(f->system, f->q);
}

/* Initial values may take the size of a scalable body away. */
static tp_status check_sizes(const finishing *f)
{
    for (int b = 0; b < f->model->bodies.count; b++) {
        const tp_body *body = TP_LIST_AT(f->model->bodies, tp_body, b);
        const double *p = f->q + body->q_first + 3;
        if (body->kind != TP_BODY_SCALABLE) continue;
        double size = p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3];
        if (!(size > 0.0) || !isfinite(size))
            return tp_fail_at(f->model->message, TP_INVALID_DATA, body->place,
                              "body '%s': the initial quaternion has the size %g; it must be a number > 0",
                              body->name, size);
    }
    return TP_OK;
}

static tp_status take_memory(finishing *f)
{
    tp_arena *arena = &f->model->arena;
    const tp_system_options options = {.has_no_derivatives = f->model->states.count == 0}; /* states.h */
    TP_TRY(tp_system_create_with(f->model->allocator, f->model, &options, &f->system));
    f->n = f->system->q_count;
    f->m = f->system->u_count;
    f->general = f->system->general_u;
    size_t general = (size_t)f->general, widest = (size_t)(f->n + f->m) + 1;
    f->q = TP_ARENA_ARRAY(arena, double, f->n);
    f->u = TP_ARENA_ARRAY(arena, double, f->m);
    f->M = TP_ARENA_ARRAY(&f->work, double, 2 * general * general);
    TP_ARENA_DOUBLES(&f->work, widest, &f->residual, &f->step);
    TP_TRY(tp_arena_status(arena));
    TP_TRY(tp_arena_status(&f->work));
    take_start(f);
    return check_sizes(f);
}

/* Right sides and outputs must be numbers at the start. */
static tp_status check_states(finishing *f)
{
    tp_model *model = f->model;
    tp_system_move(f->system, 0.0, f->q, f->u);
    for (int i = 0; i < model->states.count + model->outputs.count; i++) {
        int k = i - model->states.count;
        const tp_scalar *scalar = k < 0 ? &TP_LIST_AT(model->states, tp_state_variable, i)->rate
                                        : &TP_LIST_AT(model->outputs, tp_output, k)->value;
        if (isfinite(tp_scalar_value(scalar, &f->system->at))) continue;
        return tp_model_refuse(model, scalar->function.place,
                               "the %s '%s' at the start is not a finite number",
                               k < 0 ? "rate of" : "output of",
                               k < 0 ? tp_model_state_name(model, i) : tp_model_multiplier_name(model, k));
    }
    return tp_system_classify_relations(f->system, model);
}

/* Velocities that are not 0 and differ. */
static void move_with_probe(finishing *f, int probe)
{
    for (int j = 0; j < f->m; j++) f->step[j] = f->u[j] + (probe + 1) * (0.7 + 0.31 * (j % 5));
    tp_system_move(f->system, 0.0, f->q, f->step);
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
        move_with_probe(f, probe);
        for (int j = 0; j < scalar->slot_count; j++) {
            int slot = scalar->slots[j];
            tp_slot_kind of_column = tp_slot_kind_of(slot);
            if (of_column != TP_SLOT_IS_RATE && of_column != TP_SLOT_IS_VELOCITY) continue;
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
    return !(change > tp_structure_tolerance * size);
}

static tp_status check_structure(finishing *f)
{
    tp_model *model = f->model;
    for (int probe = 0; probe < 2; probe++) {
        move_with_probe(f, probe);
        TP_TRY(tp_system_check_functions(f->system, model->message));
    }
    for (tp_scalar_walk at = {.model = model}; tp_scalar_next(&at);) {
        const tp_law *law = at.role == TP_SCALAR_LAW_ROW ? tp_model_law(model, at.index) : NULL;
        bool is_velocity = law != NULL && (law->level == TP_LEVEL_VELOCITY || at.part > 0),
             is_rate = at.role == TP_SCALAR_RATE && tp_model_has_own_velocities(model),
             is_energy = at.role == TP_SCALAR_KINETIC;
        if (!is_energy && !is_velocity && !is_rate) continue;
        if (has_constant_curvature(f, at.scalar, !is_energy)) continue;
        tp_place place = at.scalar->function.place;
        if (is_energy)
            return tp_model_refuse(model, place,
                                   "the kinetic energy is not a quadratic function of the velocities");
        if (is_velocity)
            return tp_model_refuse(model, place, "'%s': a velocity of a law must be linear in the velocities",
                                   law->name);
        return tp_model_refuse(model, place, "the rate of '%s' must be linear in the velocities",
                               TP_LIST_AT(model->coordinates, tp_variable, at.index)->name);
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

/* Through time itself, or through an input. */
static bool varies(const tp_scalar *scalar)
{
    return depends_on(scalar, TP_SLOT_IS_TIME) || depends_on(scalar, TP_SLOT_IS_INPUT);
}

static bool is_autonomous(const tp_model *model)
{
    for (tp_scalar_walk at = {.model = model}; tp_scalar_next(&at);) {
        if (at.role == TP_SCALAR_MOTION || (at.role != TP_SCALAR_SENSOR && varies(at.scalar))) return false;
    }
    return true;
}

static tp_status check_inertia(finishing *f)
{
    tp_model *model = f->model;
    int m = f->general; /* bodies were checked when they were added */
    tp_system_move(f->system, 0.0, f->q, f->u);
    tp_formulas_mass(f->system, f->M);
    for (int j = 0; j < m; j++) {
        for (int i = 0; i < m; i++) {
            if (isfinite(f->M[i + j * m])) continue;
            return tp_fail(model->message, TP_INVALID_DATA,
                           "the mass matrix at the start is not finite (row %s, column %s)",
                           tp_model_velocity_name(model, i), tp_model_velocity_name(model, j));
        }
        if (!(f->M[j + j * m] > 0.0)) {
            return tp_fail(model->message, TP_INVALID_DATA,
                           "velocity '%s' has no inertia: its entry of the mass matrix is %g",
                           tp_model_velocity_name(model, j), f->M[j + j * m]);
        }
    }
    for (int j = 0; j < m; j++) { /* with ones on its diagonal: masses may have very different sizes */
        for (int i = 0; i < m; i++)
            f->M[m * m + i + j * m] = f->M[i + j * m] / (sqrt(f->M[i + i * m]) * sqrt(f->M[j + j * m]));
    }
    if (tp_dense_cholesky(m, f->M + m * m, m, tp_definite_pivot) != TP_OK) {
        return tp_fail(model->message, TP_INVALID_DATA,
                       "the mass matrix is not positive definite at the start");
    }
    tp_system_force(f->system, f->residual);
    for (int j = 0; j < f->m; j++) {
        if (!isfinite(f->residual[j])) {
            return tp_fail(model->message, TP_INVALID_DATA,
                           "the force on '%s' at the start is not a finite number",
                           tp_model_velocity_name(model, j));
        }
    }
    const struct {
        const char *name;
        double value;
    } energies[] = {{"kinetic", tp_system_kinetic_energy(f->system)},
                    {"potential", tp_system_potential_energy(f->system)}};
    for (int k = 0; k < 2; k++) {
        if (isfinite(energies[k].value)) continue;
        return tp_fail(model->message, TP_INVALID_DATA, "the %s energy at the start is not a finite number",
                       energies[k].name);
    }
    return TP_OK;
}

static tp_status refuse_start(finishing *f, const char *what, const tp_row_error *error,
                              tp_law_quantity quantity)
{
    const tp_law *law = tp_model_law(f->model, error->law);
    const char *advice = f->options->project_initial_state
                             ? "the constraints contradict each other, or the start is too far from them"
                             : "move the start, or ask for projection of the initial state";
    return tp_fail_at(f->model->message, TP_INVALID_DATA, law->place,
                      "the initial %s violate the constraint '%s' by %.3g %s: %s", what, law->name,
                      error->value, tp_model_law_unit(f->model, error->law, error->row, quantity), advice);
}

/* What is wrong with the start, if anything. */
static tp_status judge_start(finishing *f, const tp_constraint_errors *errors)
{
    const struct {
        const tp_row_error *error;
        const char *what;
        tp_law_quantity quantity;
        double size; /* that of the scene [m], and once in a second [m/s]; 1 of angles */
    } all[] = {{&errors->position, "positions", TP_LAW_POSITION, tp_model_size(f->model)},
               {&errors->angle, "positions", TP_LAW_POSITION, 1.0},
               {&errors->velocity, "velocities", TP_LAW_VELOCITY, tp_model_size(f->model)},
               {&errors->angular_velocity, "velocities", TP_LAW_VELOCITY, 1.0}};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) {
        if (all[k].error->value > f->options->tolerance * all[k].size)
            return refuse_start(f, all[k].what, all[k].error, all[k].quantity);
    }
    return TP_OK;
}

static tp_status check_constraints(finishing *f)
{
    tp_model_summary *summary = &f->model->summary;
    tp_constraints *constraints;
    tp_constraint_errors errors;
    TP_TRY(tp_constraints_create(f->model->allocator, f->system, &constraints));
    tp_status status = TP_OK;
    if (f->options->project_initial_state) status = tp_constraints_project(constraints, 0.0, f->q, f->u);
    tp_system_move(f->system, 0.0, f->q, f->u);
    errors = tp_constraints_errors(constraints);
    summary->position_error = errors.position.value;
    summary->angle_error = errors.angle.value;
    summary->velocity_error = errors.velocity.value;
    summary->angular_velocity_error = errors.angular_velocity.value;
    if (status == TP_OK)
        status = tp_constraints_rank(constraints, tp_rank_tolerance, &summary->constraint_rank);
    summary->degrees_of_freedom = f->m - summary->constraint_rank;
    tp_constraints_free(constraints);
    return status == TP_OK ? judge_start(f, &errors) : status;
}

/* The start as it was given where that is the same: large models have it once. */
static double *keep_once(tp_model *model, double *start, int count, const tp_list *given)
{
    size_t bytes = (size_t)count * sizeof *start;
    if (count == 0 || given->count != count || memcmp(start, given->items, bytes) != 0) return start;
    tp_arena_release(&model->arena, start, bytes);
    return given->items;
}

static tp_status finish(finishing *f)
{
    tp_model *model = f->model;
    TP_TRY(take_memory(f));
    TP_TRY(check_structure(f));
    TP_TRY(check_inertia(f));
    TP_TRY(check_constraints(f));
    TP_TRY(check_states(f));
    tp_system_move(f->system, 0.0, f->q, f->u);
    model->summary.largest_frequency = tp_system_largest_frequency(f->system, f->M, f->step);
    model->has_constant_mass = is_constant_inertia(model);
    model->is_autonomous = is_autonomous(model);
    model->has_applied_power = model->forces.count + model->wrenches.count > 0 || !model->is_autonomous;
    model->q0 = keep_once(model, f->q, f->n, &model->body_coordinates);
    model->u0 = keep_once(model, f->u, f->m, &model->body_velocities);
    TP_TRY(tp_model_check_drawings(model));
    tp_model_summary *summary = &model->summary;
    summary->coordinate_count = f->n;
    summary->velocity_count = f->m;
    summary->state_count = model->states.count;
    summary->relation_count = model->relations.count;
    summary->multiplier_count = model->outputs.count;
    summary->constraint_count = model->constraint_count;
    summary->contact_count = model->contact_count + model->rules.count;
    summary->law_count = model->laws.count;
    summary->rule_count = model->rules.count;
    summary->sensor_count = model->sensors.count;
    summary->input_count = model->inputs.count;
    summary->drawing_count = model->drawings.count;
    summary->has_constant_mass = model->has_constant_mass;
    summary->is_autonomous = model->is_autonomous;
    summary->size = tp_model_size(model);
    model->is_finished = true;
    return TP_OK;
}

tp_status tp_model_finish(tp_model *model, const tp_finish_options *options, tp_message *why_out)
{
    tp_finish_options defaults = tp_finish_options_default();
    TP_TRY(tp_model_open(model, model, why_out));
    TP_TRY(check_completeness(model));
    TP_TRY(tp_model_finish_states(model));
    TP_TRY(tp_model_complete_slots(model));
    TP_TRY(check_energies(model));
    TP_TRY(name_velocities(model));
    TP_TRY(tp_model_sort_rules(model));
    finishing f = {.model = model, .options = options != NULL ? options : &defaults};
    f.work = tp_arena_make(model->allocator);
    tp_status status = finish(&f);
    tp_arena_clear(&f.work);
    tp_system_free(f.system);
    if (status == TP_OUT_OF_MEMORY) tp_fail(model->message, status, "%s", tp_status_text(status));
    return status;
}
