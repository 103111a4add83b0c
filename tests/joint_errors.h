/* Errors of joints over many steps: a spherical pendulum and a closed loop with redundant joints. */
#ifndef TESTS_JOINT_ERRORS_H
#define TESTS_JOINT_ERRORS_H

#include "mechanisms.h"

typedef struct joint_errors {
    double position, angle;
} joint_errors;

/* A body on a ball joint, turning about all axes; the joint is at the origin, 1 m above the centre of mass.
 */
static inline tp_model *pendulum_model(void)
{
    tp_model *model = new_model();
    tp_body_def def = tp_body_def_default();
    tp_quat p = tp_quat_exp(tp_vec3_make(0.8, 0.0, 0.0));
    tp_vec3 arm = tp_vec3_make(0.0, 0.0, -1.0);
    def.name = "body";
    def.mass = 2.0;
    def.inertia = tp_mat3_diagonal(tp_vec3_make(0.3, 0.3, 0.1));
    def.orientation = p;
    def.angular_velocity = tp_vec3_make(0.2, 0.5, 1.0);
    def.position = tp_quat_rotate(p, arm);
    def.velocity = tp_quat_rotate(p, tp_vec3_cross(def.angular_velocity, arm));
    must(model, tp_model_set_gravity(model, tp_vec3_make(0.0, 0.0, -9.81), &build_why));
    must(model, tp_model_add_body(model, &def, NULL, &build_why));
    add_joint(model, TP_JOINT_SPHERICAL, "pivot", "ground", "body", tp_vec3_zero(), tp_vec3_zero());
    must(model, tp_model_finish(model, NULL, &build_why));
    return model;
}

/* A four-bar linkage of hinges in space, in an inclined plane: 20 rows of rank 17. mu > 0: friction in one
 * hinge. */
static inline tp_model *loop_model(double mu)
{
    tp_model *model = new_model();
    tp_quat tilt = tp_quat_from_axis_angle(tp_vec3_make(1.0, 2.0, 0.5), 0.7);
    const double x[4] = {0.0, 0.2, 0.9, 1.0}, y[4] = {0.0, 0.4, 0.7, 0.0};
    const char *names[] = {"ground", "b1", "b2", "b3", "ground"}, *hinges[] = {"h1", "h2", "h3", "h4"};
    must(model, tp_model_set_gravity(model, tp_vec3_make(0.0, -9.81, 0.0), &build_why));
    for (int k = 0; k < 3; k++) {
        tp_vec3 middle = tp_vec3_make(0.5 * (x[k] + x[k + 1]), 0.5 * (y[k] + y[k + 1]), 0.0);
        add_body(model, TP_BODY_RIGID, names[k + 1], tp_quat_rotate(tilt, middle), tilt);
    }
    for (int k = 0; k < 4; k++) {
        add_joint(model, TP_JOINT_REVOLUTE, hinges[k], names[k], names[k + 1],
                  tp_quat_rotate(tilt, tp_vec3_make(x[k], y[k], 0.0)),
                  tp_quat_rotate(tilt, tp_vec3_make(0.0, 0.0, 1.0)));
    }
    if (mu > 0.0) {
        tp_joint_friction_def friction = tp_joint_friction_def_default();
        friction.name = "friction";
        friction.joint = "h2";
        friction.coefficient = mu;
        friction.radius = 0.02;
        must(model, tp_model_add_joint_friction(model, &friction, NULL, &build_why));
    }
    must(model, tp_model_finish(model, NULL, &build_why));
    return model;
}

static inline tp_simulation *simulate_projected(tp_model *model, const char *integrator,
                                                tp_projection_kind projection, double dt, double until)
{
    tp_simulation_options options = options_of(integrator, dt, until);
    options.projection.kind = projection;
    return simulate_options(model, options);
}

static inline tp_simulation *simulate_pendulum(const char *integrator, tp_projection_kind projection,
                                               double dt, double until)
{
    return simulate_projected(pendulum_model(), integrator, projection, dt, until);
}

/* With its model. */
static inline void free_simulation(tp_simulation *simulation)
{
    tp_model *model = (tp_model *)(uintptr_t)tp_simulation_model(simulation);
    tp_simulation_free(simulation);
    tp_model_free(model);
}

static inline joint_errors errors_of(tp_simulation *simulation)
{
    run(simulation);
    const tp_run_report *report = tp_simulation_report(simulation);
    joint_errors errors = {report->position_drift, report->angle_drift};
    free_simulation(simulation);
    return errors;
}

static inline joint_errors errors_of_pendulum(const char *integrator, tp_projection_kind projection,
                                              int steps)
{
    return errors_of(simulate_pendulum(integrator, projection, 1e-3, 1e-3 * steps));
}

static inline joint_errors errors_of_loop(const char *integrator, tp_projection_kind projection, int steps)
{
    return errors_of(simulate_projected(loop_model(0.0), integrator, projection, 1e-3, 1e-3 * steps));
}

#endif
