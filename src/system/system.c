/* A model evaluated at a point; docs/theory/models.md. */
#include "parts.h"
#include "tippe/rotation.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static int largest(int a, int b)
{
    return a > b ? a : b;
}

/* Over all functions of the model: widest gradient, largest work array, and how many slots second derivatives
   may be taken along: those of the general coordinates and velocities, and up to the last one that a formula
   uses (C functions are given all). */
typedef struct sizes {
    int slots, work, directions;
} sizes;

static sizes measure_model(const tp_system *system)
{
    sizes all = {1, 1, tp_slot_coordinate(largest(system->general_q, system->general_u))};
    for (tp_scalar_walk at = {.model = system->model}; tp_scalar_next(&at);) {
        const tp_scalar *scalar = at.scalar;
        all.slots = largest(all.slots, scalar->slot_count);
        all.work = largest(all.work, tp_scalar_work_size(scalar, system->q_count, system->u_count));
        if (scalar->formula == NULL) {
            all.directions = (int)tp_model_slot_count(system->model);
        } else if (scalar->slot_count > 0) {
            all.directions = largest(all.directions, scalar->slots[scalar->slot_count - 1] + 1);
        }
    }
    return all;
}

/* Arguments of formulas by slot: all general ones, of bodies up to the last one that a formula uses. */
static int count_slots(const tp_system *system, int directions)
{
    const tp_model *model = system->model;
    const int counts[] = {system->general_q,   system->general_u,   model->angle_count,
                          model->inputs.count, model->states.count, model->outputs.count};
    int most = (directions + TP_SLOTS_EACH - 2) / TP_SLOTS_EACH; /* all slots of the last one */
    for (size_t k = 0; k < sizeof counts / sizeof counts[0]; k++) most = largest(most, counts[k]);
    return 1 + TP_SLOTS_EACH * most;
}

/* Inertia in own velocities: its gyroscopic terms follow from B where B is square. */
static bool has_quasi_inertia(const tp_system *system)
{
    const tp_model *model = system->model;
    if (!system->own_velocities || system->general_q != system->general_u) return false;
    for (int i = 0; i < model->kinetic.count; i++) {
        if (tp_scalar_depends_on_kind(TP_LIST_AT(model->kinetic, tp_scalar, i), TP_SLOT_IS_VELOCITY))
            return true;
    }
    return model->mass.count > 0;
}

/* Derivatives of forces of bodies ask for the forces themselves. */
static bool has_formula_forces(const tp_system *system)
{
    const tp_model *model = system->model;
    return !system->options.has_no_derivatives || system->general_q > 0 || system->has_affine ||
           model->potential.count + model->dissipation.count + model->forces.count + model->springs.count > 0;
}

static bool take_memory(tp_system *system)
{
    tp_arena *arena = &system->arena;
    sizes all = measure_model(system);
    bool has_bodies_alone = system->general_q == 0 && system->general_u == 0 && !system->has_affine;
    system->slot_count = count_slots(system, all.directions);
    size_t q = (size_t)system->q_count, u = (size_t)system->u_count, n = (size_t)system->general_q,
           m = (size_t)system->general_u, image = m > 9 ? m : 9, given_q = (size_t)system->argument_q,
           given_u = (size_t)system->argument_u, slots = (size_t)system->slot_count,
           states = (size_t)system->model->states.count, multipliers = (size_t)system->model->outputs.count,
           derived = system->options.has_no_derivatives ? 0 : u,
           rows = system->model->laws.count + system->model->springs.count > 0 ? u : derived,
           force_q = system->has_formula_forces ? given_q : 0,
           force_u = system->has_formula_forces ? given_u : 0;
    struct {
        double **array;
        size_t count;
    } arrays[] = {{&system->at.z, slots},
                  {&system->direction, (size_t)all.directions},
                  {&system->along, (size_t)all.directions},
                  {&system->q, q},
                  {&system->u, u},
                  {&system->at.q, has_bodies_alone ? 0 : given_q},
                  {&system->at.u, has_bodies_alone ? 0 : given_u},
                  {&system->at.work, (size_t)all.work},
                  {&system->gradient, (size_t)all.slots},
                  {&system->product, (size_t)all.slots},
                  {&system->third, (size_t)all.slots},
                  {&system->rate, given_q},
                  {&system->force_q, force_q},
                  {&system->force_u, force_u},
                  {&system->B, n * m},
                  {&system->scratch, n * m},
                  {&system->beta, n},
                  {&system->rate_drift, n},
                  {&system->mass_q, n * n},
                  {&system->momentum, m},
                  {&system->dual, n},
                  {&system->general_mass, m * m},
                  {&system->mass_work, 3 * n},
                  {&system->image_factor[0], image},
                  {&system->image_factor[1], image},
                  {&system->full, rows},
                  {&system->h, derived},
                  {&system->angle_reference, (size_t)system->model->angle_count},
                  {&system->input, (size_t)system->model->inputs.count},
                  {&system->x, states},
                  {&system->multiplier, multipliers},
                  {&system->unit, derived}};
    for (size_t k = 0; k < sizeof arrays / sizeof arrays[0]; k++) {
        *arrays[k].array = TP_ARENA_ARRAY(arena, double, arrays[k].count);
        if (*arrays[k].array == NULL) return false;
    }
    if (has_bodies_alone) { /* formulas see the same numbers */
        system->at.q = system->q;
        system->at.u = system->u;
    }
    system->pivot = TP_ARENA_ARRAY(arena, int, n);
    TP_ARENA_INTS(arena, derived, &system->turn_of, &system->axis_of);
    TP_ARENA_INTS(arena, image, &system->image_index[0], &system->image_index[1]);
    system->body = TP_ARENA_ARRAY(arena, tp_body_state, system->model->bodies.count);
    if (system->has_affine) system->rotation = TP_ARENA_ARRAY(arena, tp_mat3, system->model->bodies.count);
    system->applied = TP_ARENA_RAW(arena, tp_applied, system->model->bodies.count);
    system->shape_pose = TP_ARENA_ARRAY(arena, tp_pose, system->model->shapes.count + 1);
    return tp_arena_status(arena) == TP_OK;
}

/* What derivatives ask for of each velocity; the size is known once the model is finished. */
static void set_directions(tp_system *system)
{
    const tp_model *model = system->model;
    for (int j = 0; j < system->u_count; j++) {
        system->unit[j] = 1.0;
        system->turn_of[j] = TP_GROUND;
        system->axis_of[j] = -1;
    }
    for (int b = 0; b < model->bodies.count; b++) {
        const tp_body *body = TP_LIST_AT(model->bodies, tp_body, b);
        int lengths = body->kind == TP_BODY_PLANAR ? 2 : 3;
        for (int k = 0; k < lengths && k < body->u_count; k++) { /* bodies with a given motion have none */
            if (model->is_finished) system->unit[body->u_first + k] = model->summary.size;
            system->axis_of[body->u_first + k] = k;
        }
        if (body->kind == TP_BODY_RIGID || body->kind == TP_BODY_SCALABLE)
            system->turn_of[body->u_first + 3] = b;
    }
}

/* What never changes: sizes, the ground. */
static void set_constants(tp_system *system)
{
    const tp_model *model = system->model;
    if (!system->options.has_no_derivatives) set_directions(system);
    system->at.coordinate_count = system->argument_q;
    system->at.velocity_count = system->argument_u;
    system->at.rate_count = system->own_velocities ? 0 : system->general_u;
    system->ground.frame = tp_frame_identity();
    for (int i = 0; i < model->inputs.count; i++)
        system->input[i] = TP_LIST_AT(model->inputs, tp_input, i)->initial;
    for (int i = 0; i < model->states.count; i++)
        system->at.z[tp_slot_state(i)] = system->x[i] =
            TP_LIST_AT(model->states, tp_state_variable, i)->initial;
    for (int i = 0; i < system->general_q && !system->own_velocities; i++)
        system->B[i + i * system->general_u] = 1.0;
}

tp_status tp_system_create(const tp_allocator *allocator, const tp_model *model, tp_system **system_out)
{
    return tp_system_create_with(allocator, model, &(tp_system_options){0}, system_out);
}

tp_status tp_system_create_with(const tp_allocator *allocator, const tp_model *model,
                                const tp_system_options *options, tp_system **system_out)
{
    *system_out = NULL;
    tp_system *system = TP_ARENA_OBJECT(tp_system, allocator);
    if (system == NULL) return TP_OUT_OF_MEMORY;
    tp_arena_init(&system->pattern_scratch, allocator);
    system->model = model;
    system->options = *options;
    system->q_count = tp_model_coordinate_count(model);
    system->u_count = tp_model_velocity_count(model);
    system->fixed_count = system->law_count = model->laws.count;
    system->general_q = model->coordinates.count;
    system->general_u = tp_model_general_velocity_count(model);
    system->has_own_frames = true;
    system->argument_q = system->general_q;
    system->argument_u = system->general_u;
    for (int b = 0; b < model->bodies.count; b++) {
        system->argument_q += tp_body_argument_q_count(TP_LIST_AT(model->bodies, tp_body, b));
        system->argument_u += tp_body_argument_u_count(TP_LIST_AT(model->bodies, tp_body, b));
        tp_body_kind kind = TP_LIST_AT(model->bodies, tp_body, b)->kind;
        system->has_affine = system->has_affine || kind == TP_BODY_AFFINE;
        system->has_own_frames = system->has_own_frames && kind != TP_BODY_AFFINE && kind != TP_BODY_MOVING;
    }
    system->own_velocities = tp_model_has_own_velocities(model);
    system->has_quasi_inertia = has_quasi_inertia(system);
    system->has_formula_forces = has_formula_forces(system);
    tp_status status = take_memory(system) ? TP_OK : TP_OUT_OF_MEMORY;
    if (status == TP_OK) {
        set_constants(system);
        status = tp_system_find_patterns(system);
    }
    if (status == TP_OK) status = tp_contacts_create(system);
    if (status != TP_OK) {
        tp_system_free(system);
        return status;
    }
    if (model->is_finished && model->has_constant_mass) {
        tp_system_move(system, 0.0, model->q0, model->u0);
        tp_formulas_mass(system, system->general_mass);
        system->has_constant_mass = true;
    }
    *system_out = system;
    return TP_OK;
}

void tp_system_free(tp_system *system)
{
    if (system == NULL) return;
    tp_contacts_free(system->contacts);
    tp_arena_clear(&system->pattern_scratch);
    tp_arena_clear(&system->arena);
}

/* Numbers that one task copies. */
enum { NUMBERS_OF_TASK = 8192 };

typedef struct numbers {
    const double *from;
    double *to;
} numbers;

static void copy_some(void *context, int begin, int end)
{
    const numbers *all = context;
    memcpy(all->to + begin, all->from + begin, (size_t)(end - begin) * sizeof(double));
}

static void copy_numbers(const tp_system *system, const double *from, int count, double *to)
{
    numbers all = {from, to};
    tp_pool_share(system->pool, count, NUMBERS_OF_TASK, copy_some, &all);
}

typedef struct sum_of_two {
    const double *a, *b;
    double factor, *out;
} sum_of_two;

static void combine_some(void *context, int begin, int end)
{
    const sum_of_two *all = context;
    for (int i = begin; i < end; i++) all->out[i] = all->a[i] + all->factor * all->b[i];
}

void tp_system_combine(const tp_system *system, int count, const double *a, double factor, const double *b,
                       double *out)
{
    sum_of_two all = {a, b, factor, out};
    tp_pool_share(system->pool, count, NUMBERS_OF_TASK, combine_some, &all);
}

/* What a move finds there already: steps look at one place with two velocities, and begin where the last one
   was examined. */
typedef enum stay { STAY_NOWHERE, STAY_IN_PLACE, STAY_ALTOGETHER } stay;

static stay find_stay(const tp_system *system, const double *q, const double *u)
{
    size_t q_bytes = (size_t)system->q_count * sizeof *q, u_bytes = (size_t)system->u_count * sizeof *u;
    if (!system->has_point || !system->has_own_frames || q_bytes == 0) return STAY_NOWHERE;
    if (memcmp(system->q, q, q_bytes) != 0) return STAY_NOWHERE;
    return u_bytes > 0 && memcmp(system->u, u, u_bytes) == 0 ? STAY_ALTOGETHER : STAY_IN_PLACE;
}

void tp_system_move(tp_system *system, double t, const double *q, const double *u)
{
    bool has_bodies = system->model->bodies.count > 0;
    stay stays = has_bodies ? find_stay(system, q, u) : STAY_NOWHERE;
    if (stays == STAY_NOWHERE || system->place_time != t) system->place++;
    system->place_time = system->at.z[TP_SLOT_TIME] = t;
    if (stays == STAY_NOWHERE) copy_numbers(system, q, system->q_count, system->q);
    if (stays != STAY_ALTOGETHER) copy_numbers(system, u, system->u_count, system->u);
    for (int i = 0; i < system->general_q; i++) system->at.q[i] = system->at.z[tp_slot_coordinate(i)] = q[i];
    for (int j = 0; j < system->general_u; j++) {
        system->at.u[j] = u[j];
        if (system->own_velocities) {
            system->at.z[tp_slot_velocity(j)] = u[j];
        } else {
            system->at.z[tp_slot_rate(j)] = system->rate[j] = u[j];
        }
    }
    for (int k = 0; k < system->model->angle_count; k++)
        system->at.z[tp_slot_reference(k)] = system->angle_reference[k];
    for (int k = 0; k < system->model->inputs.count; k++) system->at.z[tp_slot_input(k)] = system->input[k];
    if (has_bodies && stays != STAY_ALTOGETHER) /* what formulas may use of bodies comes first */
        tp_bodies_move(system, stays == STAY_IN_PLACE);
    if (system->own_velocities) tp_formulas_move(system);
    if (stays == STAY_NOWHERE) system->poses_are_known = system->points_are_known = false;
    system->force_is_known = false;
    system->has_point = true;
}

void tp_system_refer_angles(tp_system *system, const double *angles)
{
    memcpy(system->angle_reference, angles, (size_t)system->model->angle_count * sizeof(double));
}

void tp_system_set_inputs(tp_system *system, const double *inputs)
{
    memcpy(system->input, inputs, (size_t)system->model->inputs.count * sizeof(double));
    system->place++;
}

/* Coordinates from `first` on, by their images. */
static void add_images(const tp_system *system, int first, int count, const double *x, double factor,
                       double *q)
{
    for (int i = 0; i < count; i++) {
        tp_image image = tp_coordinate_image(system, first + i, 0);
        for (int k = 0; k < image.count; k++) q[i] += factor * image.factor[k] * x[image.index[k]];
    }
}

/* The same of a rigid body: (v, 1/2 Psi w). */
static void add_rigid_change(const double *p, const double *x, double factor, double *q)
{
    double psi[12];
    tp_quat_rate_matrix(tp_quat_at(p), psi);
    for (int k = 0; k < 3; k++) q[k] += factor * x[k];
    for (int k = 0; k < 4; k++) {
        for (int j = 0; j < 3; j++) q[3 + k] += factor * (0.5 * psi[k + 4 * j]) * x[3 + j];
    }
}

void tp_system_add_change(const tp_system *system, const double *x, double factor, double *q)
{
    add_images(system, 0, system->general_q, x, factor, q);
    for (int b = 0; b < system->model->bodies.count; b++) {
        const tp_body *body = TP_LIST_AT(system->model->bodies, tp_body, b);
        double *own = q + body->q_first;
        const double *change = x + body->u_first;
        if (body->kind == TP_BODY_RIGID) {
            add_rigid_change(system->at.q + body->argument_q + 3, change, factor, own);
        } else if (body->kind == TP_BODY_AFFINE) {
            for (int k = 0; k < body->q_count; k++) own[k] += factor * change[k];
        } else {
            add_images(system, body->argument_q, tp_body_argument_q_count(body), x, factor, own);
        }
    }
}

void tp_system_add_rate_drift(const tp_system *system, double factor, double *q)
{
    for (int i = 0; i < system->general_q; i++) q[i] += factor * system->rate_drift[i];
    for (int b = 0; b < system->model->bodies.count; b++) {
        const tp_body *body = TP_LIST_AT(system->model->bodies, tp_body, b);
        if (body->kind != TP_BODY_RIGID) continue;
        const double *p = system->q + body->q_first + 3, *w = system->u + body->u_first + 3;
        double square = w[0] * w[0] + w[1] * w[1] + w[2] * w[2];
        for (int k = 0; k < 4; k++) q[body->q_first + 3 + k] -= 0.25 * factor * square * p[k];
    }
}

void tp_system_change(const tp_system *system, const double *x, double factor, double *q)
{
    tp_system_add_change(system, x, factor, q);
    tp_system_normalise(system, q);
}

double tp_system_length_error(const tp_system *system, const double *q)
{
    double largest = 0.0;
    for (int b = 0; b < system->model->bodies.count; b++) {
        const tp_body *body = TP_LIST_AT(system->model->bodies, tp_body, b);
        if (body->kind != TP_BODY_RIGID) continue;
        largest = fmax(largest, fabs(tp_quat_norm(tp_quat_at(q + body->q_first + 3)) - 1.0));
    }
    return largest;
}

void tp_system_change_freely(const tp_system *system, const double *x, double factor, double *q)
{
    for (int b = 0; b < system->model->bodies.count; b++) {
        const tp_body *body = TP_LIST_AT(system->model->bodies, tp_body, b);
        if (body->kind != TP_BODY_RIGID) continue;
        double *p = q + body->q_first + 3, length = tp_quat_norm(tp_quat_at(p));
        for (int k = 0; k < 4; k++) p[k] -= (length - 1.0) * p[k] / length;
    }
    tp_system_add_change(system, x, factor, q);
}

/* |p|^2 of a scalable body. */
static double size_of(const tp_system *system, const tp_body *body)
{
    tp_quat p = tp_quat_at(system->at.q + body->argument_q + 3);
    return tp_quat_dot(p, p);
}

void tp_system_metric(const tp_system *system, double *metric)
{
    const tp_sparse *pattern = &system->mass_pattern;
    int n = system->general_q, m = system->general_u;
    memset(metric, 0, (size_t)tp_sparse_count(pattern) * sizeof(double));
    for (int j = 0; j < m; j++) {
        for (int i = 0; i < m; i++) {
            double sum = i == j && !system->own_velocities ? 1.0 : 0.0;
            for (int k = 0; k < n && system->own_velocities; k++)
                sum += system->B[k + i * n] * system->B[k + j * n];
            metric[pattern->start[j] + i] = sum;
        }
    }
    for (int b = 0; b < system->model->bodies.count; b++) {
        const tp_body *body = TP_LIST_AT(system->model->bodies, tp_body, b);
        for (int k = 0; k < body->u_count; k++) {
            bool is_turn = body->kind == TP_BODY_RIGID && k >= 3; /* |p| = 1: Psi^T Psi / 4 */
            double value = is_turn ? 0.25 : 1.0;
            if (body->kind == TP_BODY_SCALABLE && k >= 3) value = 0.25 / size_of(system, body);
            metric[tp_pattern_place(pattern, body->u_first + k, body->u_first + k)] = value;
        }
    }
}

void tp_system_mass(tp_system *system, double *M)
{
    assert(system->has_point);
    const tp_sparse *pattern = &system->mass_pattern;
    int m = system->general_u;
    if (!system->has_constant_mass) tp_formulas_mass(system, system->general_mass);
    for (int j = 0; j < m; j++) /* the general block is full and comes first */
        memcpy(M + pattern->start[j], system->general_mass + j * m, (size_t)m * sizeof(double));
    tp_bodies_mass(system, M);
}

void tp_system_force(tp_system *system, double *h)
{
    assert(system->has_point);
    memset(h, 0, (size_t)system->u_count * sizeof(double));
    if (system->has_formula_forces) tp_formulas_force(system, h);
    tp_bodies_force(system, h);
    tp_elements_add_force(system, h);
    system->force_is_known = true;
}

double tp_system_kinetic_energy(tp_system *system)
{
    return tp_formulas_kinetic_energy(system) + tp_bodies_kinetic_energy(system);
}

double tp_system_potential_energy(tp_system *system)
{
    return tp_formulas_potential_energy(system) + tp_bodies_potential_energy(system) +
           tp_elements_potential_energy(system);
}

double tp_system_applied_power(tp_system *system)
{
    return tp_formulas_applied_power(system) + tp_elements_applied_power(system);
}

double tp_system_dissipated_power(tp_system *system)
{
    return tp_formulas_dissipated_power(system) + tp_elements_dissipated_power(system);
}

void tp_system_position_sizes(const tp_system *system, double *size)
{
    for (int j = 0; j < system->u_count; j++) size[j] = 1.0;
    for (int i = 0; i < system->general_q && !system->own_velocities; i++) size[i] = fabs(system->q[i]);
    for (int b = 0; b < system->model->bodies.count; b++) {
        const tp_body *body = TP_LIST_AT(system->model->bodies, tp_body, b);
        for (int k = 0; k < 3 && k < body->q_count; k++)
            size[body->u_first + k] = fabs(system->q[body->q_first + k]);
        for (int k = 3; k < body->u_count && body->kind == TP_BODY_SCALABLE; k++)
            size[body->u_first + k] = size_of(system, body);
    }
}
