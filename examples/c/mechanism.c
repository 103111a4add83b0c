/* A trapdoor, built in C: a panel on a hinge falls from the horizontal, and its stop throws it back. */
#include <stdio.h>
#include <stdlib.h>
#include <tippe/core.h>

static tp_message why; /* of the last call that failed */

static void need(tp_status status)
{
    if (status == TP_OK) return;
    fprintf(stderr, "%s\n", why.text);
    exit(1);
}

int main(void)
{
    const double mass = 8.0, length = 1.2, width = 0.8; /* [kg] [m] [m] */
    const double half_pi = 1.57079632679489662;
    tp_model *model = NULL;
    need(tp_model_create(NULL, &model));
    need(tp_model_set_gravity(model, tp_vec3_make(0.0, 0.0, -9.81), &why));

    /* The panel lies along x; its hinge is its edge at the origin and turns about y. */
    tp_body_def panel = tp_body_def_default();
    panel.name = "panel";
    panel.mass = mass;
    panel.center = tp_vec3_make(length / 2.0, 0.0, 0.0);
    panel.inertia = tp_mat3_diagonal(tp_vec3_make(mass * width * width / 12.0, mass * length * length / 12.0,
                                                  mass * (width * width + length * length) / 12.0));
    tp_body_id panel_id;
    need(tp_model_add_body(model, &panel, &panel_id, &why));

    tp_joint_def hinge = tp_joint_def_default();
    hinge.name = "hinge";
    hinge.kind = TP_JOINT_REVOLUTE;
    hinge.A.axis = hinge.B.axis = tp_vec3_make(0.0, 1.0, 0.0);
    hinge.has_point_B = true;
    tp_joint_id hinge_id;
    need(tp_model_add_joint(model, "ground", "panel", &hinge, &hinge_id, &why));

    tp_limit_def stop = tp_limit_def_default();
    stop.name = "stop";
    stop.on.joint = "hinge";
    stop.upper = half_pi; /* hangs down */
    stop.restitution = 0.5;
    tp_law_id stop_id;
    need(tp_model_add_limit(model, &stop, &stop_id, &why));
    need(tp_model_finish(model, NULL, &why));

    tp_simulation *simulation = NULL;
    tp_simulation_options options = tp_simulation_options_default();
    options.time_step = 1e-3;
    need(tp_simulation_create(NULL, model, &options, &simulation, &why));

    printf("time [s]  angle [deg]  speed [rad/s]  hinge [N]\n");
    for (int k = 1; k <= 1000; k++) {
        need(tp_simulation_step(simulation, k * options.time_step, &why));
        tp_joint_state joint;
        tp_law_activity law;
        need(tp_simulation_joint(simulation, hinge_id, &joint, &why));
        need(tp_simulation_law(simulation, stop_id, &law, &why));
        if (law.impulse[0] > 0.1)
            printf("%8.3f  the stop pushes with %.2f N m s\n", k * 1e-3, law.impulse[0]);
        if (k % 200 == 0)
            printf("%8.3f  %11.2f  %13.3f  %9.2f\n", k * 1e-3, joint.coordinate[0] * 90.0 / half_pi,
                   joint.rate[0], tp_vec3_norm(joint.reaction));
    }
    tp_body_motion motion;
    need(tp_simulation_body(simulation, panel_id, &motion, &why));
    printf("the panel's centre is %.3f m below its hinge\n", -motion.center.z);

    tp_simulation_free(simulation);
    tp_model_free(model);
    return 0;
}
