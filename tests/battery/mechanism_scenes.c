/* Families of mechanisms: chains, loops, every kind of joint, and what joints carry. */
#include "draft.h"

#include <string.h>

static const double gravity = 9.81;

static void start_mechanism(scene_draft *draft)
{
    if (draft_chance(draft, 0.5)) draft->frame = draft_orientation(draft);
    draft_gravity(draft, tp_vec3_make(0.0, 0.0, -gravity));
    draft->has_dry_hinges = draft_chance(draft, 0.3);
    draft->scene->is_conservative = true;
    draft->scene->length = 0.5;
}

/* A bar from one point to another. It turns about `pivot` with the angular velocity `turn`, all in the frame.
 */
typedef struct bar_plan {
    const char *name;
    tp_vec3 from, to, pivot, turn;
    double mass, thickness; /* radius over length */
} bar_plan;

static void put_bar(scene_draft *draft, const bar_plan *bar, const char *shapes)
{
    tp_vec3 along = tp_vec3_sub(bar->to, bar->from),
            middle = tp_vec3_scale(0.5, tp_vec3_add(bar->from, bar->to));
    double length = tp_vec3_norm(along), radius = bar->thickness * length;
    double axial = 0.5 * bar->mass * radius * radius,
           across = 0.5 * axial + bar->mass * length * length / 12.0;
    tp_quat lie = tp_quat_multiply(draft->frame, draft_z_to(tp_vec3_scale(1.0 / length, along)));
    tp_vec3 velocity = tp_vec3_cross(bar->turn, tp_vec3_sub(middle, bar->pivot));
    draft_put(draft, SECTION_BODIES,
              "  - {name: %s, mass: %.17g, inertia: [%.17g, %.17g, %.17g], position: %s, orientation: %s, "
              "velocity: %s, angular_velocity_world: %s%s}\n",
              bar->name, bar->mass, across, across, axial, WORLD(middle), QUAT(lie), WORLD(velocity),
              WORLD(bar->turn), shapes);
}

/* Kinds that may stand in a chain, and what they need. */
static const struct {
    const char *name;
    bool has_angle, holds_point;
} chain_kinds[] = {
    {"spherical", false, true},  {"revolute", true, true},   {"universal", false, true},
    {"revolute", true, true},    {"spherical", false, true}, {"cylindrical", false, false},
    {"prismatic", false, false}, {"fixed", false, true},
};

static tp_vec3 any_orthogonal(tp_vec3 n)
{
    tp_vec3 other = fabs(n.x) < 0.6 ? tp_vec3_make(1.0, 0.0, 0.0) : tp_vec3_make(0.0, 1.0, 0.0);
    return tp_vec3_normalise(tp_vec3_cross(n, other));
}

/* A joint of the chain; more is what its own map ends with. Returns whether it has an angle. */
static void put_joint(scene_draft *draft, const char *name, const char *kind, const char *a, const char *b,
                      tp_vec3 point, tp_vec3 axis, const char *more)
{
    draft_put(draft, SECTION_JOINTS, "  - {name: %s, type: %s, bodies: [%s, %s], point: %s", name, kind, a, b,
              WORLD(point));
    if (strcmp(kind, "spherical") != 0 && strcmp(kind, "fixed") != 0)
        draft_put(draft, SECTION_JOINTS, ", axis: %s", WORLD(axis));
    if (strcmp(kind, "universal") == 0) {
        tp_vec3 second = any_orthogonal(axis);
        draft_put(draft, SECTION_JOINTS, ", second_axis: %s, second_axis_b: %s", WORLD(second),
                  WORLD(second));
    }
    draft_put(draft, SECTION_JOINTS, "%s}\n", more);
}

/* What a hinge may carry. Springs are soft enough for explicit steps of 5 ms. */
static const char *hinge_load(scene_draft *draft, char *text, size_t room, double inertia)
{
    random_scene *scene = draft->scene;
    double stiffness = inertia * draft_uniform(draft, 1.0, 100.0);
    text[0] = '\0';
    switch (draft_int(draft, 0, 5)) {
    case 0: snprintf(text, room, ", spring: {stiffness: %.17g}", stiffness); break;
    case 1:
        snprintf(text, room, ", spring: {stiffness: %.17g, damping: %.17g}", stiffness, 0.05 * stiffness);
        scene->is_conservative = false;
        break;
    case 2:
        if (!draft->has_dry_hinges) break;
        snprintf(text, room, ", friction: {bound: %.17g}", inertia * draft_uniform(draft, 0.1, 20.0));
        scene->is_conservative = false;
        break;
    default: break;
    }
    return text;
}

static void write_chain(scene_draft *draft, bool has_floor)
{
    int count = draft_int(draft, 1, 8);
    bool is_extreme = draft_chance(draft, 0.3), is_hinged = draft_chance(draft, 0.3),
         starts_turning = draft_chance(draft, 0.5);
    double length = draft_uniform(draft, 0.2, 0.5), thickness = draft_uniform(draft, 0.03, 0.2);
    tp_vec3 at = tp_vec3_zero(), turn = tp_vec3_zero(), hinge_axis = draft_direction(draft), pivot = at;
    char name[16], before[16] = "ground", shapes[160] = "", load[160];
    double height = 0.0;
    for (int i = 0; i < count; i++) {
        int kind = is_hinged ? 1 : draft_int(draft, 0, i == 0 ? 3 : 7);
        tp_vec3 axis = is_hinged ? hinge_axis : draft_direction(draft), along = draft_direction(draft);
        if (i == 0 && starts_turning && strcmp(chain_kinds[kind].name, "fixed") != 0)
            turn = tp_vec3_scale(draft_uniform(draft, -3.0, 3.0), axis);
        tp_vec3 to = tp_vec3_add_scaled(at, length, along);
        double mass = draft_mass(draft, is_extreme), inertia = mass * length * length / 3.0;
        snprintf(name, sizeof name, "link%d", i);
        if (has_floor)
            snprintf(shapes, sizeof shapes,
                     ", shapes: [{name: tip%d, type: sphere, radius: %.17g, position: [0, 0, %.17g]}]", i,
                     0.2 * length, 0.5 * length);
        put_bar(draft, &(bar_plan){name, at, to, pivot, turn, mass, thickness}, shapes);
        char joint[16];
        snprintf(joint, sizeof joint, "j%d", i);
        put_joint(draft, joint, chain_kinds[kind].name, before, name, at, axis,
                  chain_kinds[kind].has_angle ? hinge_load(draft, load, sizeof load, inertia) : "");
        if (chain_kinds[kind].holds_point) draft_anchor(draft, joint, before, name, at);
        if (has_floor)
            draft_put(draft, SECTION_CONTACTS, "  - {name: tip%d_on, between: [floor, tip%d]%s}\n", i, i,
                      LAW_TEXT());
        memcpy(before, name, sizeof before);
        at = to;
        height = fmin(height, to.z - 0.2 * length);
    }
    if (!has_floor) return;
    tp_vec3 below = {0.0, 0.0, height - draft_uniform(draft, 0.0, 0.05)};
    draft_put(draft, SECTION_GROUND, "    - {name: floor, type: plane, position: %s, orientation: %s}\n",
              WORLD(below), QUAT(draft->frame));
}

void draft_chain(scene_draft *draft)
{
    start_mechanism(draft);
    write_chain(draft, false);
}

/* Its tips hit a floor. */
void draft_chain_floor(scene_draft *draft)
{
    start_mechanism(draft);
    draft_use_law(draft, draft_any_law(draft));
    write_chain(draft, true);
}

void draft_planar_chain(scene_draft *draft)
{
    random_scene *scene = draft->scene;
    scene->is_conservative = true;
    scene->length = 0.5;
    draft->has_dry_hinges = draft_chance(draft, 0.3);
    double tilt = draft_uniform(draft, 0.0, 6.28);
    draft_gravity(draft, tp_vec3_make(gravity * sin(tilt), -gravity * cos(tilt), 0.0));
    int count = draft_int(draft, 1, 8);
    bool is_extreme = draft_chance(draft, 0.3);
    double x = 0.0, y = 0.0, angle = draft_uniform(draft, -3.0, 3.0), turn = draft_uniform(draft, -3.0, 3.0);
    char before[16] = "ground", name[16], load[160];
    for (int i = 0; i < count; i++) {
        double length = draft_uniform(draft, 0.1, 0.5), mass = draft_mass(draft, is_extreme),
               inertia = mass * length * length / 12.0;
        double mx = x + 0.5 * length * cos(angle), my = y + 0.5 * length * sin(angle);
        bool slides = i > 0 && draft_chance(draft, 0.15);
        snprintf(name, sizeof name, "link%d", i);
        draft_put(draft, SECTION_BODIES,
                  "  - {name: %s, type: planar, mass: %.17g, inertia: %.17g, position: [%.17g, %.17g], "
                  "angle: %.17g, velocity: [%.17g, %.17g], angular_velocity: %.17g}\n",
                  name, mass, inertia, mx, my, angle, -turn * my, turn * mx, turn);
        draft_put(draft, SECTION_JOINTS, "  - {name: j%d, type: %s, bodies: [%s, %s], point: [%.17g, %.17g]",
                  i, slides ? "prismatic" : "revolute", before, name, x, y);
        if (slides)
            draft_put(draft, SECTION_JOINTS, ", axis: [%.17g, %.17g]", cos(angle), sin(angle));
        else
            draft_put(draft, SECTION_JOINTS, "%s", hinge_load(draft, load, sizeof load, 4.0 * inertia));
        draft_put(draft, SECTION_JOINTS, "}\n");
        if (!slides) {
            snprintf(load, sizeof load, "j%d", i);
            draft_anchor(draft, load, before, name, tp_vec3_make(x, y, 0.0));
        }
        memcpy(before, name, sizeof before);
        x += length * cos(angle);
        y += length * sin(angle);
        angle += draft_uniform(draft, -1.5, 1.5);
    }
}

/* Every kind of joint between the ground and one body, which a spring moves. */
void draft_single_joint(scene_draft *draft)
{
    static const char *const kinds[] = {"fixed",       "spherical",     "universal",      "revolute",
                                        "cylindrical", "prismatic",     "planar",         "distance",
                                        "screw",       "point-on-line", "point-on-plane", "point-on-curve",
                                        "orientation", "parallel-axes"};
    start_mechanism(draft);
    const char *kind = kinds[draft_int(draft, 0, (int)(sizeof kinds / sizeof kinds[0]) - 1)];
    double length = draft_uniform(draft, 0.2, 0.6), mass = draft_mass(draft, true);
    tp_vec3 axis = draft_direction(draft), second = any_orthogonal(axis),
            to = tp_vec3_scale(length, draft_direction(draft));
    put_bar(draft,
            &(bar_plan){"body", tp_vec3_zero(), to, tp_vec3_zero(), tp_vec3_zero(), mass,
                        draft_uniform(draft, 0.05, 0.3)},
            "");
    bool has_axis = strcmp(kind, "fixed") != 0 && strcmp(kind, "spherical") != 0 &&
                    strcmp(kind, "distance") != 0 && strcmp(kind, "orientation") != 0;
    bool has_point = strcmp(kind, "orientation") != 0 && strcmp(kind, "parallel-axes") != 0;
    draft_put(draft, SECTION_JOINTS, "  - {name: joint, type: %s, bodies: [ground, body]", kind);
    if (has_point) draft_put(draft, SECTION_JOINTS, ", point: [0, 0, 0]");
    if (has_axis) draft_put(draft, SECTION_JOINTS, ", axis: %s", WORLD(axis));
    if (strcmp(kind, "universal") == 0)
        draft_put(draft, SECTION_JOINTS, ", second_axis: %s, second_axis_b: %s", WORLD(second),
                  WORLD(second));
    if (strcmp(kind, "distance") == 0) draft_put(draft, SECTION_JOINTS, ", point_b: %s", WORLD(to));
    if (strcmp(kind, "screw") == 0)
        draft_put(draft, SECTION_JOINTS, ", pitch: %.17g", draft_uniform(draft, 0.05, 1.0));
    if (strcmp(kind, "point-on-curve") == 0)
        draft_put(draft, SECTION_JOINTS,
                  ", point_b: [0, 0, 0], second_axis: %s, curve: {formulas: [\"s\", \"s^2/2\", \"0\"], "
                  "begin: -20, end: 20}",
                  WORLD(second));
    draft_put(draft, SECTION_JOINTS, "}\n");
    bool holds_point = strcmp(kind, "fixed") == 0 || strcmp(kind, "spherical") == 0 ||
                       strcmp(kind, "universal") == 0 || strcmp(kind, "revolute") == 0;
    if (holds_point) draft_anchor(draft, "joint", "ground", "body", tp_vec3_zero());
    tp_vec3 hook = tp_vec3_add(to, tp_vec3_scale(length, draft_direction(draft)));
    draft_put(draft, SECTION_SPRINGS,
              "  - {name: coil, bodies: [ground, body], points: [%s, [0, 0, %.17g]], stiffness: %.17g, "
              "rest_length: %.17g}\n",
              WORLD(hook), 0.5 * length, mass * draft_uniform(draft, 1.0, 100.0),
              length * draft_uniform(draft, 0.2, 1.5));
}

/* Corners of a four-bar linkage in the plane, which close: ground pins A and D, crank AB, coupler BC, rocker
 * CD. */
static void four_bar(scene_draft *draft, double x[4], double y[4])
{
    for (;;) {
        double a = draft_uniform(draft, 0.2, 0.6), b = draft_uniform(draft, 0.5, 1.0),
               c = draft_uniform(draft, 0.4, 0.9), start = draft_uniform(draft, 0.5, 2.5);
        x[0] = y[0] = y[3] = 0.0;
        x[3] = 1.0;
        x[1] = a * cos(start);
        y[1] = a * sin(start);
        double dx = x[3] - x[1], dy = -y[1], s = sqrt(dx * dx + dy * dy),
               cosine = (b * b + s * s - c * c) / (2.0 * b * s);
        if (fabs(cosine) > 0.9) continue; /* cannot close, or nearly stretched */
        double lead = atan2(dy, dx) + acos(cosine);
        x[2] = x[1] + b * cos(lead);
        y[2] = y[1] + b * sin(lead);
        return;
    }
}

/* Hinges in space around a planar loop: redundant. */
void draft_loop(scene_draft *draft)
{
    double x[4], y[4];
    char load[160], name[16];
    static const char *const names[] = {"ground", "crank", "coupler", "rocker", "ground"};
    start_mechanism(draft);
    four_bar(draft, x, y);
    bool is_extreme = draft_chance(draft, 0.3);
    double scale = draft_uniform(draft, 0.3, 1.0);
    for (int k = 0; k < 3; k++) {
        tp_vec3 from = {scale * x[k], 0.0, scale * y[k]}, to = {scale * x[k + 1], 0.0, scale * y[k + 1]};
        put_bar(draft,
                &(bar_plan){names[k + 1], from, to, from, tp_vec3_zero(), draft_mass(draft, is_extreme), 0.1},
                "");
    }
    for (int k = 0; k < 4; k++) {
        tp_vec3 point = {scale * x[k], 0.0, scale * y[k]};
        snprintf(name, sizeof name, "pin%d", k);
        put_joint(draft, name, "revolute", names[k], names[k + 1], point, tp_vec3_make(0.0, 1.0, 0.0),
                  k == 0 ? hinge_load(draft, load, sizeof load, 0.1) : "");
        draft_anchor(draft, name, names[k], names[k + 1], point);
    }
}

/* The same of planar bodies, with dry friction in its pins or without. */
void draft_planar_loop(scene_draft *draft)
{
    double x[4], y[4];
    static const char *const names[] = {"ground", "crank", "coupler", "rocker", "ground"};
    four_bar(draft, x, y);
    bool is_extreme = draft_chance(draft, 0.3), is_dry = draft_chance(draft, 0.4);
    double mu = draft_uniform(draft, 0.05, 0.5), tilt = draft_uniform(draft, 0.0, 6.28);
    draft->scene->is_conservative = !is_dry;
    draft->scene->length = 0.5;
    draft_gravity(draft, tp_vec3_make(gravity * sin(tilt), -gravity * cos(tilt), 0.0));
    for (int k = 0; k < 3; k++) {
        double dx = x[k + 1] - x[k], dy = y[k + 1] - y[k], mass = draft_mass(draft, is_extreme);
        draft_put(draft, SECTION_BODIES,
                  "  - {name: %s, type: planar, mass: %.17g, inertia: %.17g, position: [%.17g, %.17g], "
                  "angle: %.17g}\n",
                  names[k + 1], mass, mass * (dx * dx + dy * dy) / 12.0, 0.5 * (x[k] + x[k + 1]),
                  0.5 * (y[k] + y[k + 1]), atan2(dy, dx));
    }
    for (int k = 0; k < 4; k++) {
        char name[16];
        snprintf(name, sizeof name, "pin%d", k);
        draft_put(draft, SECTION_JOINTS,
                  "  - {name: %s, type: revolute, bodies: [%s, %s], point: [%.17g, %.17g]", name, names[k],
                  names[k + 1], x[k], y[k]);
        if (is_dry) draft_put(draft, SECTION_JOINTS, ", friction: {coefficient: %.17g, radius: 0.02}", mu);
        draft_put(draft, SECTION_JOINTS, "}\n");
        draft_anchor(draft, name, names[k], names[k + 1], tp_vec3_make(x[k], y[k], 0.0));
    }
}

/* Six hinges in a closed loop along the edges of a cube: movable although the count of rows says rigid. */
void draft_bricard(scene_draft *draft)
{
    static const tp_vec3 corners[6] = {{0, 0, 0}, {1, 0, 0}, {1, -1, 0}, {1, -1, 1}, {0, -1, 1}, {0, 0, 1}};
    static const tp_vec3 axes[6] = {{0, 1, 0}, {0, 0, 1}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 0}};
    static const char *const names[] = {"ground", "bar1", "bar2", "bar3", "bar4", "bar5", "ground"};
    start_mechanism(draft);
    bool is_extreme = draft_chance(draft, 0.3);
    double size = draft_uniform(draft, 0.3, 1.0);
    for (int k = 0; k < 5; k++) {
        tp_vec3 from = tp_vec3_scale(size, corners[k]), to = tp_vec3_scale(size, corners[k + 1]);
        put_bar(draft,
                &(bar_plan){names[k + 1], from, to, from, tp_vec3_zero(), draft_mass(draft, is_extreme), 0.1},
                "");
    }
    for (int k = 0; k < 6; k++) {
        char name[16];
        tp_vec3 point = tp_vec3_scale(size, corners[k]);
        snprintf(name, sizeof name, "hinge%d", k);
        put_joint(draft, name, "revolute", names[k], names[k + 1], point, axes[k], "");
        draft_anchor(draft, name, names[k], names[k + 1], point);
    }
}

/* One bar on a hinge, which turns with the angular velocity w at the start; `more` ends its joint. */
static void put_pendulum(scene_draft *draft, double mass, double length, double w, const char *more)
{
    tp_vec3 axis = {0.0, 1.0, 0.0}, to = {length * cos(1.0), 0.0, -length * sin(1.0)};
    put_bar(draft, &(bar_plan){"bar", tp_vec3_zero(), to, tp_vec3_zero(), tp_vec3_scale(w, axis), mass, 0.1},
            "");
    put_joint(draft, "hinge", "revolute", "ground", "bar", tp_vec3_zero(), axis, more);
    draft_anchor(draft, "hinge", "ground", "bar", tp_vec3_zero());
}

/* Stops of a hinge, and of a slider that hangs on it. */
void draft_limits(scene_draft *draft)
{
    char more[200];
    start_mechanism(draft);
    draft_law law = draft_any_law(draft);
    law.friction = 0.0;
    draft_use_law(draft, law);
    double mass = draft_mass(draft, true), length = draft_uniform(draft, 0.2, 0.8);
    snprintf(more, sizeof more, ", limits: {lower: %.17g, upper: %.17g, restitution: %.17g}",
             -draft_uniform(draft, 0.05, 0.5), draft_uniform(draft, 0.05, 0.5), law.restitution);
    put_pendulum(draft, mass, length, draft_uniform(draft, -5.0, 5.0), more);
    if (draft_chance(draft, 0.5)) return;
    snprintf(more, sizeof more, ", limits: {lower: %.17g, upper: %.17g, restitution: %.17g}", -0.1 * length,
             0.1 * length, law.restitution);
    tp_vec3 at = {2.0, 0.0, 0.0}, to = {2.0, 0.0, -length}, axis = {0.0, 0.0, 1.0};
    put_bar(
        draft,
        &(bar_plan){"slider", at, to, at, tp_vec3_zero(), mass * draft_log_uniform(draft, 0.01, 100.0), 0.2},
        "");
    put_joint(draft, "guide", "prismatic", "ground", "slider", at, axis, more);
}

void draft_motors(scene_draft *draft)
{
    char more[200];
    start_mechanism(draft);
    draft->scene->is_conservative = false;
    double mass = draft_mass(draft, true), length = draft_uniform(draft, 0.2, 0.8),
           torque = mass * gravity * length * draft_uniform(draft, 0.2, 2.0);
    switch (draft_int(draft, 0, 2)) {
    case 0:
        snprintf(more, sizeof more, ", motor: {speed: %.17g, force: %.17g}", draft_uniform(draft, -5.0, 5.0),
                 torque);
        break;
    case 1: snprintf(more, sizeof more, ", motor: {speed: 0, force: %.17g}", torque); break;
    default:
        snprintf(more, sizeof more, ", motor: {position: \"%.17g*(1 - cos(%.17g*t))\"}",
                 draft_uniform(draft, 0.1, 1.0), draft_uniform(draft, 1.0, 10.0));
        break;
    }
    put_pendulum(draft, mass, length, 0.0, more);
    if (draft_chance(draft, 0.5)) return; /* else a second bar hangs on the first */
    tp_vec3 at = {length * cos(1.0), 0.0, -length * sin(1.0)},
            to = tp_vec3_add(at, tp_vec3_make(0.0, 0.0, -length));
    put_bar(draft, &(bar_plan){"second", at, to, at, tp_vec3_zero(), mass, 0.1}, "");
    put_joint(draft, "elbow", "revolute", "bar", "second", at, tp_vec3_make(0.0, 1.0, 0.0), "");
    draft_anchor(draft, "elbow", "bar", "second", at);
}

/* Friction that follows the reactions of its joint, or is bounded by a number. */
void draft_joint_friction(scene_draft *draft)
{
    char more[200];
    start_mechanism(draft);
    draft->scene->is_conservative = false;
    double mass = draft_mass(draft, true), length = draft_uniform(draft, 0.2, 0.8),
           mu = draft_uniform(draft, 0.05, 0.8);
    snprintf(more, sizeof more, ", friction: {coefficient: %.17g, radius: %.17g}", mu,
             length * draft_uniform(draft, 0.01, 0.1));
    put_pendulum(draft, mass, length, draft_uniform(draft, -4.0, 4.0), more);
    double slope = draft_uniform(draft, 0.2, 1.3);
    tp_vec3 at = {2.0, 0.0, 0.0}, to = {2.0, 0.0, length}, axis = {cos(slope), 0.0, sin(slope)};
    put_bar(
        draft,
        &(bar_plan){"slider", at, to, at, tp_vec3_zero(), mass * draft_log_uniform(draft, 0.1, 10.0), 0.2},
        "");
    if (draft_chance(draft, 0.5))
        snprintf(more, sizeof more, ", friction: {coefficient: %.17g}", mu);
    else
        snprintf(more, sizeof more, ", friction: {bound: %.17g}", mass * gravity * mu);
    put_joint(draft, "guide", "prismatic", "ground", "slider", tp_vec3_make(2.0, 0.0, 0.5 * length), axis,
              more);
}

void draft_gears(scene_draft *draft)
{
    start_mechanism(draft);
    draft->scene->is_conservative = false;
    int count = draft_int(draft, 2, 4);
    bool is_extreme = draft_chance(draft, 0.3);
    for (int i = 0; i < count; i++) {
        char name[16], joint[16];
        double mass = draft_mass(draft, is_extreme);
        tp_vec3 at = {0.5 * i, 0.0, 0.0}, to = {0.5 * i, 0.1, 0.0};
        snprintf(name, sizeof name, "wheel%d", i);
        snprintf(joint, sizeof joint, "axle%d", i);
        put_bar(draft, &(bar_plan){name, at, to, at, tp_vec3_zero(), mass, 1.0}, "");
        put_joint(draft, joint, "revolute", "ground", name, at, tp_vec3_make(0.0, 1.0, 0.0), "");
        draft_anchor(draft, joint, "ground", name, at);
        if (i > 0)
            draft_put(draft, SECTION_COUPLERS,
                      "  - {name: mesh%d, terms: [{joint: axle%d}, {joint: axle%d, factor: %.17g}]}\n", i,
                      i - 1, i, draft_uniform(draft, 0.2, 5.0));
    }
    tp_vec3 moment = draft_to_world(draft, tp_vec3_make(0.0, draft_uniform(draft, -1.0, 1.0), 0.0));
    draft_put(draft, SECTION_FORCES, "  - {body: wheel0, moment: %s}\n", VEC3(moment));
}

/* Springs, ropes and bushings between the ground and two bodies. */
void draft_mounts(scene_draft *draft)
{
    start_mechanism(draft);
    bool is_damped = draft_chance(draft, 0.5);
    draft->scene->is_conservative = !is_damped;
    double mass = draft_mass(draft, true), length = draft_uniform(draft, 0.2, 0.6),
           k = mass * draft_uniform(draft, 10.0, 300.0), d = is_damped ? 0.02 * k : 0.0;
    tp_vec3 at = tp_vec3_zero(), to = tp_vec3_scale(length, draft_direction(draft));
    put_bar(draft, &(bar_plan){"block", at, to, at, tp_vec3_zero(), mass, 0.4}, "");
    tp_vec3 middle = draft_to_world(draft, tp_vec3_scale(0.5, to));
    tp_quat lie = tp_quat_multiply(draft->frame, draft_z_to(tp_vec3_scale(1.0 / length, to)));
    double turn = 0.1 * k * length * length, drag = 0.1 * d * length * length;
    draft_put(draft, SECTION_BUSHINGS,
              "  - {name: mount, bodies: [ground, block], points: [%s, [0, 0, 0]], orientation_a: %s, "
              "stiffness: [%.17g, %.17g, %.17g], damping: [%.17g, %.17g, %.17g], rotational_stiffness: "
              "[%.17g, %.17g, %.17g], rotational_damping: [%.17g, %.17g, %.17g]}\n",
              VEC3(middle), QUAT(lie), k, 0.5 * k, 2.0 * k, d, d, d, turn, turn, turn, drag, drag, drag);
    tp_vec3 ball = tp_vec3_add(to, tp_vec3_scale(length, draft_direction(draft)));
    double other = draft_mass(draft, true), least = fmin(mass, other);
    draft_put(draft, SECTION_BODIES, "  - {name: ball, type: point, mass: %.17g, position: %s}\n", other,
              WORLD(ball));
    draft_put(draft, SECTION_SPRINGS,
              "  - {name: line, bodies: [block, ball], points: [[0, 0, %.17g], [0, 0, 0]], stiffness: %.17g, "
              "damping: %.17g, rope: %s}\n",
              0.5 * length, least * draft_uniform(draft, 10.0, 300.0), is_damped ? least * 0.5 : 0.0,
              draft_chance(draft, 0.5) ? "true" : "false");
}
