/* Families of free bodies: heaps, stacks, slopes, hollows, collisions. */
#include "draft.h"

#include <string.h>

static const double gravity = 9.81;

/* Half of the scenes stand upright, the others on floors of any inclination, gravity with them. */
static void turn_frame(scene_draft *draft)
{
    if (draft_chance(draft, 0.5)) draft->frame = draft_orientation(draft);
}

static void start_bodies(scene_draft *draft)
{
    turn_frame(draft);
    draft_use_law(draft, draft_any_law(draft));
    draft_gravity(draft, tp_vec3_make(0.0, 0.0, -gravity));
}

/* A column of bodies over each other, or side by side, that do not touch. Kinds that cannot touch each other
   do not come together. */
static int place_bodies(scene_draft *draft, draft_body *bodies, int count, double size)
{
    double height = 0.0;
    bool is_extreme = draft_chance(draft, 0.3), has_cylinder = draft_chance(draft, 0.25);
    for (int i = 0; i < count; i++) {
        draft_body *body = &bodies[i];
        *body = draft_any_body(draft, i, size);
        if (has_cylinder) body->shape = i == 0 ? SHAPE_CYLINDER : SHAPE_SPHERE;
        if (!has_cylinder && body->shape == SHAPE_CYLINDER && count > 1) body->shape = SHAPE_CAPSULE;
        if (body->shape == SHAPE_POINT && i > 0) body->shape = SHAPE_SPHERE;
        body->mass = draft_mass(draft, is_extreme);
        double outer = draft_outer(body);
        height += outer + draft_uniform(draft, 0.001, 0.1);
        body->position =
            tp_vec3_make(draft_uniform(draft, -0.05, 0.05), draft_uniform(draft, -0.05, 0.05), height);
        height += outer;
        body->orientation = draft_orientation(draft);
        body->velocity = tp_vec3_scale(draft_uniform(draft, 0.0, 2.0), draft_direction(draft));
        if (body->shape != SHAPE_POINT)
            body->spin = tp_vec3_scale(draft_uniform(draft, 0.0, 10.0), draft_direction(draft));
    }
    return count;
}

void draft_falling(scene_draft *draft)
{
    draft_body bodies[5];
    start_bodies(draft);
    int count = place_bodies(draft, bodies, draft_int(draft, 1, 5), 0.3);
    for (int i = 0; i < count; i++) draft_add_body(draft, &bodies[i]);
    draft_add_floor(draft);
    draft_contacts(draft, bodies, count, "floor");
    draft->scene->length = 0.3;
}

/* A box that is fixed over a floor; bodies fall on it and off it. */
void draft_ledge(scene_draft *draft)
{
    draft_body bodies[3];
    start_bodies(draft);
    int count = place_bodies(draft, bodies, draft_int(draft, 1, 3), 0.3);
    double top = 0.3, width = draft_uniform(draft, 0.1, 0.5);
    for (int i = 0; i < count; i++) {
        if (bodies[i].shape == SHAPE_CYLINDER) bodies[i].shape = SHAPE_CAPSULE;
        bodies[i].position.z += top + 0.3 * (i + 1); /* a capsule is longer than its cylinder */
        draft_add_body(draft, &bodies[i]);
    }
    draft_add_floor(draft);
    tp_vec3 middle = tp_vec3_make(0.0, 0.0, 0.5 * top);
    draft_put(draft, SECTION_GROUND,
              "    - {name: block, type: box, size: [%.17g, %.17g, %.17g], position: %s, orientation: %s}\n",
              width, width, top, WORLD(middle), QUAT(draft->frame));
    draft_contacts(draft, bodies, count, "ground");
    draft->scene->length = 0.3;
}

/* In a pipe or in a hollow ball. */
void draft_hollow(scene_draft *draft)
{
    draft_body bodies[3];
    start_bodies(draft);
    bool is_ball = draft_chance(draft, 0.5);
    double radius = 0.0;
    int count = place_bodies(draft, bodies, draft_int(draft, 1, 3), 0.2);
    for (int i = 0; i < count; i++) {
        if (bodies[i].shape == SHAPE_CYLINDER && !is_ball) bodies[i].shape = SHAPE_BOX;
        radius = fmax(radius, bodies[i].position.z + draft_outer(&bodies[i]));
    }
    double middle = 0.5 * radius;
    radius = is_ball ? 0.75 * radius + 0.15 : 0.3;
    for (int i = 0; i < count; i++) {
        bodies[i].position.z -= middle;
        draft_add_body(draft, &bodies[i]);
    }
    tp_quat lie = is_ball
                      ? tp_quat_identity()
                      : tp_quat_from_axis_angle(tp_vec3_make(1.0, 0.0, 0.0), draft_uniform(draft, 0.0, 3.0));
    if (!is_ball) radius = fmax(radius, 0.75 * 2.0 * middle + 0.15);
    draft_put(draft, SECTION_GROUND, "    - {name: hollow, type: %s, radius: %.17g, orientation: %s}\n",
              is_ball ? "inside-sphere" : "inside-cylinder", radius,
              QUAT(tp_quat_multiply(draft->frame, lie)));
    draft_contacts(draft, bodies, count, "hollow");
    draft->scene->length = 0.2;
}

/* A floor on which bodies rest by friction. */
static void start_resting(scene_draft *draft)
{
    turn_frame(draft);
    draft_law law = draft_any_law(draft);
    law.friction = fmax(law.friction, 0.2);
    law.restitution = 0.0;
    draft_use_law(draft, law);
    draft_gravity(draft, tp_vec3_make(0.0, 0.0, -gravity));
    draft_add_floor(draft);
}

/* Boxes on each other, at rest. */
void draft_stack(scene_draft *draft)
{
    start_resting(draft);
    int count = draft_int(draft, 2, 8);
    bool is_extreme = draft_chance(draft, 0.3);
    double top = 0.0, edge = draft_uniform(draft, 0.1, 0.5), shrink = draft_uniform(draft, 0.8, 1.0);
    for (int i = 0; i < count; i++) {
        draft_body body = {.shape = SHAPE_BOX, .orientation = tp_quat_identity(), .a = edge, .b = edge};
        snprintf(body.name, sizeof body.name, "b%d", i);
        body.c = edge * draft_uniform(draft, 0.3, 1.0);
        body.mass = draft_mass(draft, is_extreme);
        body.position.z = top + 0.5 * body.c;
        top += body.c;
        edge *= shrink;
        draft_add_body(draft, &body);
        if (i == 0)
            draft_put(draft, SECTION_CONTACTS, "  - {name: on0, between: [floor, b0]%s}\n", LAW_TEXT());
        else
            draft_put(draft, SECTION_CONTACTS, "  - {name: on%d, between: [b%d, b%d]%s}\n", i, i - 1, i,
                      LAW_TEXT());
    }
    draft->scene->length = 0.3;
    draft->scene->rests = true;
}

/* Rows of bricks, each upper one on two lower ones. */
void draft_wall(scene_draft *draft)
{
    start_resting(draft);
    int rows = draft_int(draft, 2, 4), number = 0;
    double a = draft_uniform(draft, 0.1, 0.3), c = a * draft_uniform(draft, 0.3, 1.0),
           room = a * draft_uniform(draft, 1.02, 1.3);
    double mass = draft_mass(draft, true);
    for (int row = 0; row < rows; row++) {
        for (int i = 0; i < rows - row; i++, number++) {
            draft_body body = {
                .shape = SHAPE_BOX, .orientation = tp_quat_identity(), .a = a, .b = a, .c = c, .mass = mass};
            snprintf(body.name, sizeof body.name, "b%d", number);
            body.position = tp_vec3_make(room * (i + 0.5 * row), 0.0, c * (row + 0.5));
            draft_add_body(draft, &body);
            int below = number - (rows - row + 1); /* the left one of the two below it */
            for (int k = 0; k < 2 && row > 0; k++)
                draft_put(draft, SECTION_CONTACTS, "  - {name: c%d_%d, between: [b%d, b%d]%s}\n", below + k,
                          number, below + k, number, LAW_TEXT());
            if (row == 0)
                draft_put(draft, SECTION_CONTACTS, "  - {name: on%d, between: [floor, b%d]%s}\n", number,
                          number, LAW_TEXT());
        }
    }
    draft->scene->length = a;
    draft->scene->rests = true;
}

/* A block that stays or slides, or a ball that rolls, on a slope: closed forms. */
void draft_slope(scene_draft *draft)
{
    turn_frame(draft);
    random_scene *scene = draft->scene;
    double slope = draft_uniform(draft, 0.1, 0.6), part = draft_uniform(draft, 0.0, 0.9);
    bool is_ball = draft_chance(draft, 0.4), sticks = draft_chance(draft, 0.5);
    draft_law law = {.friction = tan(slope) * (sticks ? 1.1 + part : part)};
    draft_use_law(draft, law);
    draft_gravity(draft, tp_vec3_make(gravity * sin(slope), 0.0, -gravity * cos(slope)));
    draft_add_floor(draft);
    draft_body body = {
        .name = "b0", .shape = is_ball ? SHAPE_SPHERE : SHAPE_BOX, .orientation = tp_quat_identity()};
    body.mass = draft_mass(draft, true);
    body.a = draft_uniform(draft, 0.1, 0.5);
    body.b = body.a;
    body.c = 0.3 * body.a; /* flat: it does not tip over */
    body.position.z = is_ball ? body.a : 0.5 * body.c;
    draft_add_body(draft, &body);
    draft_contacts(draft, &body, 1, "floor");
    scene->rests = sticks && !is_ball;
    scene->length = body.a;
    if (scene->rests) return;
    bool rolls = is_ball && law.friction >= 2.0 / 7.0 * tan(slope);
    scene->sliding_body = "b0";
    scene->slide_direction = draft_to_world(draft, tp_vec3_make(1.0, 0.0, 0.0));
    scene->slide_acceleration =
        rolls ? gravity * sin(slope) / 1.4 : gravity * (sin(slope) - law.friction * cos(slope));
}

/* Bodies that fly towards each other in empty space. */
void draft_cluster(scene_draft *draft)
{
    draft_body bodies[4];
    turn_frame(draft);
    draft_use_law(draft, draft_any_law(draft));
    int count = draft_int(draft, 2, 4);
    place_bodies(draft, bodies, count, 0.3);
    for (int i = 0; i < count; i++) {
        draft_body *body = &bodies[i];
        double angle = 6.283 * i / count;
        body->position = tp_vec3_make(0.5 * cos(angle), 0.5 * sin(angle), draft_uniform(draft, -0.05, 0.05));
        body->velocity = tp_vec3_scale(-draft_uniform(draft, 1.0, 4.0), body->position);
        draft_add_body(draft, body);
    }
    draft_contacts(draft, bodies, count, NULL);
    draft->scene->length = 0.3;
    draft->scene->is_isolated = true;
}

/* A table on feet: at rest, or pushed. */
void draft_feet(scene_draft *draft)
{
    start_bodies(draft);
    random_scene *scene = draft->scene;
    int count = draft_int(draft, 3, 6);
    bool is_pushed = draft_chance(draft, 0.5), has_balls = draft_chance(draft, 0.5);
    double width = draft_uniform(draft, 0.2, 0.6), height = width * draft_uniform(draft, 0.1, 0.8),
           radius = has_balls ? 0.05 * width : 0.0, mass = draft_mass(draft, true);
    if (!is_pushed && draft->law.restitution > 0.0) {
        draft->law.restitution = 0.0;
        draft_use_law(draft, draft->law);
    }
    double across = mass * width * width / 6.0;
    tp_vec3 position = {0.0, 0.0, height + radius};
    tp_vec3 push = is_pushed
                       ? tp_vec3_make(draft_uniform(draft, -2.0, 2.0), draft_uniform(draft, -2.0, 2.0), 0.0)
                       : tp_vec3_zero();
    draft_add_floor(draft);
    draft_put(draft, SECTION_BODIES,
              "  - name: b0\n    mass: %.17g\n    inertia: [%.17g, %.17g, %.17g]\n    position: %s\n    "
              "orientation: %s\n    velocity: %s\n    shapes:\n",
              mass, across, across, 1.5 * across, WORLD(position), QUAT(draft->frame), WORLD(push));
    for (int i = 0; i < count; i++) {
        double angle = 6.283185307179586 * i / count;
        tp_vec3 foot = {0.5 * width * cos(angle), 0.5 * width * sin(angle), -height};
        draft_put(draft, SECTION_BODIES, "      - {name: foot%d, type: %s, position: %s", i,
                  has_balls ? "sphere" : "point", VEC3(foot));
        if (has_balls) draft_put(draft, SECTION_BODIES, ", radius: %.17g", radius);
        draft_put(draft, SECTION_BODIES, "}\n");
    }
    draft_put(draft, SECTION_CONTACTS, "  - {name: feet, between: [floor, b0]%s}\n", LAW_TEXT());
    scene->length = width;
    scene->rests = !is_pushed;
    scene_body *known = &scene->bodies[scene->body_count++];
    snprintf(known->name, sizeof known->name, "b0");
    known->inner = 0.0;
    scene->has_floor = false; /* a table that tumbles has nothing to stand on but its feet */
}

/* Planar bodies on a line. */
void draft_planar_heap(scene_draft *draft)
{
    draft_use_law(draft, draft_any_law(draft));
    draft->law.drilling_radius = 0.0; /* nothing drills in the plane */
    random_scene *scene = draft->scene;
    double tilt = draft_uniform(draft, -0.5, 0.5);
    draft_gravity(draft, tp_vec3_make(gravity * sin(tilt), -gravity * cos(tilt), 0.0));
    draft_put(draft, SECTION_GROUND,
              "    - {name: floor, type: plane, orientation: {axis: [1, 0, 0], angle: -pi/2}}\n");
    int count = draft_int(draft, 1, 5);
    bool is_extreme = draft_chance(draft, 0.3);
    double height = 0.0;
    for (int i = 0; i < count; i++) {
        bool is_box = draft_chance(draft, 0.5);
        double a = draft_uniform(draft, 0.05, 0.2), outer = is_box ? 1.5 * a : a;
        height += outer + draft_uniform(draft, 0.0, 0.1) + 1e-3;
        draft_put(draft, SECTION_BODIES,
                  "  - {name: b%d, type: planar, mass: %.17g, position: [%.17g, %.17g], angle: %.17g, "
                  "velocity: [%.17g, %.17g], angular_velocity: %.17g, shapes: [",
                  i, draft_mass(draft, is_extreme), draft_uniform(draft, -0.05, 0.05), height,
                  draft_uniform(draft, -3.0, 3.0), draft_uniform(draft, -1.0, 1.0),
                  draft_uniform(draft, -1.0, 0.0), draft_uniform(draft, -5.0, 5.0));
        if (is_box)
            draft_put(draft, SECTION_BODIES, "{type: box, size: [%.17g, %.17g, %.17g]}]}\n", 2.0 * a, 2.0 * a,
                      a);
        else
            draft_put(draft, SECTION_BODIES, "{type: sphere, radius: %.17g}]}\n", a);
        height += outer;
        draft_put(draft, SECTION_CONTACTS, "  - {name: on%d, between: [floor, b%d]%s}\n", i, i, LAW_TEXT());
        for (int j = 0; j < i; j++)
            draft_put(draft, SECTION_CONTACTS, "  - {name: c%d_%d, between: [b%d, b%d]%s}\n", j, i, j, i,
                      LAW_TEXT());
        scene_body *known = &scene->bodies[scene->body_count++];
        snprintf(known->name, sizeof known->name, "b%d", i);
        known->inner = a;
    }
    scene->has_floor = true;
    scene->floor_normal = tp_vec3_make(0.0, 1.0, 0.0);
    scene->length = 0.2;
}

/* A table that shakes or lifts, and what lies on it. */
void draft_moving_table(scene_draft *draft)
{
    draft_law law = draft_any_law(draft);
    draft_use_law(draft, law);
    draft_gravity(draft, tp_vec3_make(0.0, 0.0, -gravity));
    double w = draft_uniform(draft, 2.0, 30.0), amplitude = draft_uniform(draft, 0.5, 5.0) / (w * w);
    bool is_lift = draft_chance(draft, 0.5);
    draft_put(draft, SECTION_BODIES,
              "  - {name: table, type: moving, motion: [%s, 0, %s], shapes: [{name: top, type: plane}]}\n",
              is_lift ? "0" : "\"A*(1 - cos(w*t))\"", is_lift ? "\"A*(1 - cos(w*t))\"" : "0");
    draft_put(draft, SECTION_HEAD, "parameters: {A: %.17g, w: %.17g}\n", amplitude, w);
    draft_body body = draft_any_body(draft, 0, 0.3);
    body.position.z = draft_outer(&body) + draft_uniform(draft, 0.0, 0.01);
    body.orientation = draft_orientation(draft);
    draft_add_body(draft, &body);
    draft_contacts(draft, &body, 1, "top");
    draft->scene->is_conservative = false;
    draft->scene->has_one_restitution = true; /* work of the motion is accounted for */
    draft->scene->length = 0.3;
}
