/* Bodies with shapes on a floor in space, for the tests of contacts. */
#ifndef TESTS_CONTACTS_3D_H
#define TESTS_CONTACTS_3D_H

#include "models.h"
#include "solids.h"

/* A body with one shape about its centre; the name of the shape is that of the body. */
static inline void add_solid(tp_model *model, const char *name, tp_solid solid, double mass,
                             const tp_moving_solid *start)
{
    tp_mass_properties properties;
    if (tp_solid_mass_properties_of_mass(&solid, mass, &properties, NULL) != TP_OK) fail();
    tp_body_def body = tp_body_def_default();
    body.name = name;
    body.mass = mass;
    body.inertia = properties.inertia;
    body.position = start->pose.origin;
    body.orientation = start->pose.orientation;
    body.velocity = start->twist.velocity;
    body.angular_velocity = tp_quat_rotate_back(start->pose.orientation, start->twist.angular_velocity);
    must(model, tp_model_add_body(model, &body, NULL, &build_why));
    tp_shape_def shape = tp_shape_def_default();
    shape.name = shape.body = name;
    shape.solid = solid;
    must(model, tp_model_add_shape(model, &shape, NULL, &build_why));
}

static inline tp_moving_solid at_rest(tp_vec3 origin, tp_quat orientation)
{
    return (tp_moving_solid){.pose = {origin, orientation}};
}

/* A plane of the ground, called "floor", through the origin with its normal along z of the orientation. */
static inline tp_model *model_on_floor(tp_quat floor, tp_vec3 acceleration)
{
    tp_model *model = new_model();
    must(model, tp_model_set_gravity(model, acceleration, &build_why));
    tp_shape_def shape = tp_shape_def_default();
    shape.name = "floor";
    shape.solid = tp_solid_plane();
    shape.pose.orientation = floor;
    must(model, tp_model_add_shape(model, &shape, NULL, &build_why));
    return model;
}

static inline void touch(tp_model *model, const char *a, const char *b, double friction, double restitution)
{
    char name[64];
    snprintf(name, sizeof name, "%s on %s", b, a);
    tp_pair_def pair = tp_pair_def_default();
    pair.name = name;
    pair.shape_a = a;
    pair.shape_b = b;
    pair.friction[0] = friction;
    pair.restitution = restitution;
    must(model, tp_model_add_pair(model, &pair, NULL, &build_why));
}

static inline tp_simulation *start(tp_model *model, const char *integrator, double time_step, double end_time)
{
    must(model, tp_model_finish(model, NULL, &build_why));
    return simulate_with(model, integrator, time_step, end_time);
}

static inline void end(tp_simulation *simulation, tp_model *model)
{
    tp_simulation_free(simulation);
    tp_model_free(model);
}

static inline tp_vec3 position_of(const tp_simulation *simulation, int body)
{
    return tp_vec3_from_array(tp_simulation_q(simulation) + 7 * body);
}

static inline tp_vec3 velocity_of(const tp_simulation *simulation, int body)
{
    return tp_vec3_from_array(tp_simulation_u(simulation) + 6 * body);
}

static const tp_vec3 up = {0.0, 0.0, 1.0}, down = {0.0, 0.0, -9.81};

static inline tp_quat about(double x, double y, double z, double angle)
{
    return tp_quat_from_axis_angle(tp_vec3_make(x, y, z), angle);
}

/* What the state moves by in so many steps after the first ones, which are done already. */
static inline double creep_from(tp_simulation *simulation, double time_step, int done, int rest)
{
    double before[7], largest = 0.0;
    memcpy(before, tp_simulation_q(simulation), sizeof before);
    for (int k = done + 1; k <= done + rest; k++) {
        if (tp_simulation_step(simulation, k * time_step, NULL) != TP_OK)
            fail_msg("step %d: %s", k, tp_simulation_report(simulation)->reason);
    }
    for (int i = 0; i < 7; i++) largest = fmax(largest, fabs(tp_simulation_q(simulation)[i] - before[i]));
    return largest;
}

/* The same after it has come to rest within the first steps. */
static inline double creep(tp_simulation *simulation, double time_step, int settle, int rest)
{
    creep_from(simulation, time_step, 0, settle);
    return creep_from(simulation, time_step, settle, rest);
}

/* A ball (kind 0, 1) or a box (kind 2), dropped and tilted onto the floor. */
static inline tp_model *dropped_body(int kind, double restitution)
{
    tp_model *model = model_on_floor(tp_quat_identity(), down);
    tp_solid solid = kind == 2 ? tp_solid_box(tp_vec3_make(0.1, 0.15, 0.05)) : tp_solid_sphere(0.1);
    tp_moving_solid dropped =
        at_rest(tp_vec3_scale(0.2, up), tp_quat_normalise(tp_quat_make(1.0, 0.03, 0.02, 0.01)));
    add_solid(model, "body", solid, 2.0, &dropped);
    touch(model, "floor", "body", 0.5, restitution);
    return model;
}

#endif
