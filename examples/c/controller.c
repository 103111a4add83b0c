/* A controller: loads a scene, and in every step reads two joints and pushes the cart so that the pole stays
 * up. */
#include <stdio.h>
#include <stdlib.h>
#include <tippe/tippe.h>

static tp_message why; /* of the last call that failed */

static void need(tp_status status)
{
    if (status == TP_OK) return;
    fprintf(stderr, "%s\n", why.text);
    exit(1);
}

int main(int argc, char **argv)
{
    tp_scene *scene = NULL;
    tp_simulation *simulation = NULL;
    need(tp_scene_read(NULL, argc > 1 ? argv[1] : "cart.yaml", NULL, 0, &scene, &why));
    need(tp_simulation_create(NULL, scene->model, &scene->options, &simulation, &why));

    /* What the loop speaks of is found once, by name. */
    tp_body_id cart = tp_model_body_named(scene->model, "cart"),
               pole = tp_model_body_named(scene->model, "pole");
    tp_joint_id rail = tp_model_joint_named(scene->model, "rail"),
                pivot = tp_model_joint_named(scene->model, "pivot");

    const double dt = scene->options.time_step;
    for (int k = 0; k < 4000; k++) {
        /* outputs */
        tp_joint_state slide, tilt;
        need(tp_simulation_joint(simulation, rail, &slide, &why));
        need(tp_simulation_joint(simulation, pivot, &tilt, &why));
        if (k % 500 == 0)
            printf("%.1f s: cart %+.4f m, pole %+.4f rad\n", k * dt, slide.coordinate[0], tilt.coordinate[0]);

        /* inputs: the motor of the cart, and a gust on the pole from 0.1 s to 0.2 s */
        double force =
            35.0 * tilt.coordinate[0] + 8.0 * tilt.rate[0] + 2.0 * slide.coordinate[0] + 4.0 * slide.rate[0];
        tp_body_wrench motor = {.force = {force, 0.0, 0.0}}, gust = {.force = {1.0, 0.0, 0.0}};
        need(tp_simulation_apply_wrench(simulation, cart, &motor, &why));
        need(tp_simulation_apply_wrench(simulation, pole, k >= 100 && k < 200 ? &gust : NULL, &why));

        need(tp_simulation_step(simulation, (k + 1) * dt, &why));
    }
    printf("after %lld steps the pole stands\n", tp_simulation_report(simulation)->steps);

    tp_simulation_free(simulation);
    tp_scene_free(scene);
    return 0;
}
