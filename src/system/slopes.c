/* Gradients of energy and sensors; docs/theory/jet.md (23)-(25). */
#include "slopes.h"

#include "parts.h"
#include "second_level.h"

#include <string.h>

static void add_image(tp_image image, double factor, double *out)
{
    for (int k = 0; k < image.count; k++) out[image.index[k]] += factor * image.factor[k];
}

static void add_gravity(const tp_system *system, double *out)
{
    double g[3];
    tp_vec3_to_array(system->model->gravity, g);
    for (int b = 0; b < system->model->bodies.count; b++) {
        const tp_body *body = TP_LIST_AT(system->model->bodies, tp_body, b);
        int count = body->kind == TP_BODY_MOVING ? 0 : body->kind == TP_BODY_PLANAR ? 2 : 3;
        for (int k = 0; k < count; k++) out[body->u_first + k] -= body->mass * g[k];
    }
}

static void add_elements(tp_system *system, double *out)
{
    double slope[2 * TP_BODY_VELOCITIES];
    for (int e = 0; e < system->model->elements.count; e++) {
        const tp_model_force *force = TP_LIST_AT(system->model->elements, tp_model_force, e);
        int bodies[] = {force->body_a, force->body_b}, at = 0;
        tp_element_potential_gradient(system, e, slope);
        for (int side = 0; side < 2; side++) {
            if (bodies[side] == TP_GROUND) continue;
            const tp_body *body = TP_LIST_AT(system->model->bodies, tp_body, bodies[side]);
            for (int k = 0; k < body->u_count; k++) out[body->u_first + k] += slope[at++];
        }
    }
}

/* 1/2 u.(dM/dq) u along each velocity. */
static void add_kinetic(tp_system *system, double *work, double *out)
{
    const tp_sparse *pattern = &system->jacobian_pattern;
    memset(work, 0, (size_t)tp_sparse_count(pattern) * sizeof(double));
    tp_system_add_mass_jacobian(system, system->u, work);
    for (int j = 0; j < system->u_count; j++) {
        for (int k = pattern->start[j]; k < pattern->start[j + 1]; k++)
            out[j] += 0.5 * work[k] * system->u[pattern->index[k]];
    }
}

double tp_system_energy_slopes(tp_system *system, const double *M, double *work, double *by_position,
                               double *by_velocity)
{
    size_t bytes = (size_t)system->u_count * sizeof(double);
    const tp_sparse *mass = &system->mass_pattern;
    memset(by_position, 0, bytes);
    memset(by_velocity, 0, bytes);
    for (int j = 0; j < mass->cols; j++) {
        for (int k = mass->start[j]; k < mass->start[j + 1]; k++)
            by_velocity[mass->index[k]] += M[k] * system->u[j];
    }
    if (!system->has_constant_mass) add_kinetic(system, work, by_position);
    add_gravity(system, by_position);
    add_elements(system, by_position);
    tp_system_potential_gradient(system, system->force_q);
    system->force_is_known = false;
    for (int i = 0; i < system->argument_q; i++) {
        if (system->force_q[i] != 0.0)
            add_image(tp_coordinate_image(system, i, 0), system->force_q[i], by_position);
    }
    return tp_system_kinetic_energy(system) + tp_system_potential_energy(system);
}

double tp_system_sensor_slopes(tp_system *system, int sensor, double *by_position, double *by_velocity)
{
    const tp_scalar *value = &TP_LIST_AT(system->model->sensors, tp_sensor, sensor)->value;
    size_t bytes = (size_t)system->u_count * sizeof(double);
    memset(by_position, 0, bytes);
    memset(by_velocity, 0, bytes);
    double result = tp_scalar_gradient(value, &system->at, system->gradient);
    for (int k = 0; k < value->slot_count; k++) {
        int slot = value->slots[k];
        if (!tp_slot_is_of_motion(slot)) continue;
        bool is_position = tp_slot_kind_of(slot) == TP_SLOT_IS_COORDINATE;
        add_image(tp_slot_image(system, slot, 0), system->gradient[k],
                  is_position ? by_position : by_velocity);
        if (!is_position) add_image(tp_slot_shift(system, slot, 0), system->gradient[k], by_position);
    }
    return result;
}
