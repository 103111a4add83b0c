/* Claim: theory/contacts-geometry.md (1c). Where the normal of a contact changes the axis of its tangents,
   impulses stay vectors of the world: a ball that slides or rolls down a sphere along x, where |n_x| passes
   0.6, does what one along y does, where it does not. */
#include "simulations.h"

#include <math.h>

/* A ball with friction that slips, or holds, on a fixed sphere; it starts 0.5 rad from the top, and leaves
   the axis of x at asin 0.6 = 0.64 rad. `law` adds to the contact. */
static tp_simulation *slide(const char *integrator, bool is_along_x, const char *law, double dt,
                            tp_scene **scene_out)
{
    char text[1024];
    double sine = 1.1 * sin(0.5), cosine = 1.1 * cos(0.5);
    snprintf(text, sizeof text,
             "gravity: [0, 0, -9.81]\n"
             "bodies: [{name: ball, mass: 1, inertia: [0.004, 0.004, 0.004], position: [%.17g, %.17g, "
             "%.17g], velocity: [%s0.3*cos(0.5), %s0.3*cos(0.5), -0.3*sin(0.5)], shapes: [{name: b, type: "
             "sphere, radius: 0.1}]}]\n"
             "ground: {shapes: [{name: hill, type: sphere, radius: 1}]}\n"
             "contacts: [{name: c, between: [hill, b], %s}]\n"
             "simulate: {dt: %g, until: 0.5}\n",
             is_along_x ? sine : 0.0, is_along_x ? 0.0 : sine, cosine, is_along_x ? "" : "0*",
             is_along_x ? "0*" : "", law, dt);
    *scene_out = scene_of(text);
    return simulate_with((*scene_out)->model, integrator, dt, 0.5);
}

/* Both ways, step by step: friction is one force, in the frame that the shown normal has. */
static void compare(void **check_state_, const char *integrator, const char *law, double tolerance)
{
    const double dt = 1e-3;
    tp_scene *scenes[2];
    tp_simulation *along_x = slide(integrator, true, law, dt, &scenes[0]),
                  *along_y = slide(integrator, false, law, dt, &scenes[1]);
    bool was_below = false, was_above = false;
    for (int k = 1; k <= 300; k++) {
        tp_message why = {""};
        if (tp_simulation_step(along_x, k * dt, &why) != TP_OK) fail_msg("%s: %s", integrator, why.text);
        if (tp_simulation_step(along_y, k * dt, &why) != TP_OK) fail_msg("%s: %s", integrator, why.text);
        const double *p = tp_simulation_q(along_x), *q = tp_simulation_q(along_y);
        CHECK_NEAR(p[0], q[1], tolerance);
        CHECK_NEAR(p[2], q[2], tolerance);
        tp_contact_info x, y;
        if (!tp_simulation_contact(along_x, 0, &x) || !tp_simulation_contact(along_y, 0, &y)) continue;
        if (!x.is_closed || !y.is_closed) continue;
        was_below = was_below || x.normal[0] < 0.6;
        was_above = was_above || x.normal[0] > 0.6;
        tp_mat3 a = tp_frame_from_normal(tp_vec3_make(x.normal[0], x.normal[1], x.normal[2])),
                b = tp_frame_from_normal(tp_vec3_make(y.normal[0], y.normal[1], y.normal[2]));
        tp_vec3 F = tp_vec3_add(tp_vec3_scale(x.impulse[1], a.cy), tp_vec3_scale(x.impulse[2], a.cz)),
                G = tp_vec3_add(tp_vec3_scale(y.impulse[1], b.cy), tp_vec3_scale(y.impulse[2], b.cz));
        CHECK_NEAR(F.x, G.y, tolerance);
        CHECK_NEAR(F.y, 0.0, tolerance);
        CHECK_NEAR(F.z, G.z, tolerance);
    }
    CHECK(was_below && was_above);
    tp_simulation_free(along_x);
    tp_simulation_free(along_y);
    tp_scene_free(scenes[0]);
    tp_scene_free(scenes[1]);
}

TEST(friction_is_the_same_vector_where_tangents_change)
{
    const char *slips = "friction: 0.1", *rolls = "friction: 0.6, rolling: 0.01";
    compare(check_state_, "moreau", slips, 1e-11);
    compare(check_state_, "moreau", rolls, 1e-11);
    compare(check_state_, "consistent-two-step", slips, 1e-11);
    compare(check_state_, "generalized-alpha", slips, 1e-9);
}

TEST_MAIN(RUNS(friction_is_the_same_vector_where_tangents_change))
