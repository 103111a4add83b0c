/* Writing a random scene: text, random choices, bodies and their contacts. */
#include "draft.h"

#include <stdlib.h>
#include <string.h>

void draft_put(scene_draft *draft, draft_section section, const char *format, ...)
{
    draft_text *part = &draft->section[section];
    va_list arguments;
    for (;;) {
        size_t room = part->capacity - part->length;
        va_start(arguments, format);
        int length =
            vsnprintf(part->text != NULL ? part->text + part->length : NULL, room, format, arguments);
        va_end(arguments);
        if (length < 0) abort();
        if ((size_t)length < room) {
            part->length += (size_t)length;
            return;
        }
        part->capacity = 2 * (part->length + (size_t)length + 512);
        part->text = realloc(part->text, part->capacity);
        if (part->text == NULL) abort();
    }
}

bool draft_chance(scene_draft *draft, double probability)
{
    return check_uniform(&draft->random, 0.0, 1.0) < probability;
}

int draft_int(scene_draft *draft, int low, int high)
{
    return low + (int)(check_random_bits(&draft->random) % (uint64_t)(high - low + 1));
}

double draft_uniform(scene_draft *draft, double low, double high)
{
    return check_uniform(&draft->random, low, high);
}

/* By halvings and a uniform rest, not by exp: bits must not depend on the C library. */
double draft_log_uniform(scene_draft *draft, double low, double high)
{
    double value = low;
    int octaves = 0;
    while (value * 2.0 <= high) {
        value *= 2.0;
        octaves++;
    }
    value = low * (double)(1 << draft_int(draft, 0, octaves)) * check_uniform(&draft->random, 1.0, 2.0);
    return value < high ? value : high;
}

/* From a ball in a cube. */
tp_vec3 draft_direction(scene_draft *draft)
{
    for (;;) {
        tp_vec3 v = {draft_uniform(draft, -1.0, 1.0), draft_uniform(draft, -1.0, 1.0),
                     draft_uniform(draft, -1.0, 1.0)};
        double length = tp_vec3_norm(v);
        if (length > 0.1 && length < 1.0) return tp_vec3_scale(1.0 / length, v);
    }
}

tp_quat draft_orientation(scene_draft *draft)
{
    for (;;) {
        tp_quat p = {draft_uniform(draft, -1.0, 1.0), draft_uniform(draft, -1.0, 1.0),
                     draft_uniform(draft, -1.0, 1.0), draft_uniform(draft, -1.0, 1.0)};
        double length = tp_quat_norm(p);
        if (length > 0.1 && length < 1.0) return tp_quat_scale(1.0 / length, p);
    }
}

const char *draft_vec3(char *text, tp_vec3 v)
{
    snprintf(text, DRAFT_TEXT_MAX, "[%.17g, %.17g, %.17g]", v.x, v.y, v.z);
    return text;
}

const char *draft_quat(char *text, tp_quat p)
{
    snprintf(text, DRAFT_TEXT_MAX, "[%.17g, %.17g, %.17g, %.17g]", p.w, p.x, p.y, p.z);
    return text;
}

tp_vec3 draft_to_world(const scene_draft *draft, tp_vec3 v)
{
    return tp_quat_rotate(draft->frame, v);
}

draft_law draft_any_law(scene_draft *draft)
{
    draft_law law = {0};
    law.friction = draft_chance(draft, 0.45) ? 0.0 : draft_uniform(draft, 0.05, 1.0);
    int kind = draft_int(draft, 0, 3);
    law.restitution = kind == 0 ? 0.0 : kind < 3 ? 1.0 : draft_uniform(draft, 0.0, 1.0);
    law.is_tangential_equal = draft_chance(draft, 0.7);
    if (law.friction > 0.0 && draft_chance(draft, 0.1))
        law.drilling_radius = draft_uniform(draft, 1e-3, 1e-2);
    return law;
}

void draft_use_law(scene_draft *draft, draft_law law)
{
    random_scene *scene = draft->scene;
    if (law.friction == 0.0) law.drilling_radius = 0.0;
    draft->law = law;
    bool has_rest = law.restitution > 0.0;
    scene->has_one_restitution = law.friction == 0.0 || !has_rest || law.is_tangential_equal;
    scene->is_conservative = law.friction == 0.0 && law.restitution == 1.0;
    scene->friction_max = law.friction;
}

const char *draft_law_text(char *text, const scene_draft *draft)
{
    const draft_law *law = &draft->law;
    int n = 0, room = 4 * DRAFT_TEXT_MAX;
    text[0] = '\0';
    if (law->friction > 0.0) n += snprintf(text + n, (size_t)(room - n), ", friction: %.17g", law->friction);
    if (law->restitution > 0.0)
        n += snprintf(text + n, (size_t)(room - n), ", restitution: %.17g", law->restitution);
    if (law->restitution > 0.0 && law->friction > 0.0 && law->is_tangential_equal)
        n += snprintf(text + n, (size_t)(room - n), ", tangential_restitution: %.17g", law->restitution);
    if (law->drilling_radius > 0.0)
        n += snprintf(text + n, (size_t)(room - n), ", drilling_radius: %.17g", law->drilling_radius);
    if (law->rolling > 0.0) snprintf(text + n, (size_t)(room - n), ", rolling: %.17g", law->rolling);
    return text;
}

double draft_mass(scene_draft *draft, bool is_extreme)
{
    return is_extreme ? draft_log_uniform(draft, 0.01, 100.0) : draft_uniform(draft, 0.5, 2.0);
}

draft_body draft_any_body(scene_draft *draft, int number, double size)
{
    draft_body body = {.orientation = tp_quat_identity(), .mass = draft_mass(draft, false)};
    snprintf(body.name, sizeof body.name, "b%d", number);
    body.shape = (draft_shape)draft_int(draft, SHAPE_SPHERE, SHAPE_POINT);
    body.a = size * draft_uniform(draft, 0.3, 1.0);
    body.b = size * draft_uniform(draft, 0.3, 1.0);
    body.c = size * draft_uniform(draft, 0.3, 1.0);
    if (body.shape != SHAPE_BOX) body.a *= 0.5;
    return body;
}

double draft_outer(const draft_body *body)
{
    switch (body->shape) {
    case SHAPE_SPHERE: return body->a;
    case SHAPE_BOX: return 0.5 * sqrt(body->a * body->a + body->b * body->b + body->c * body->c);
    case SHAPE_CAPSULE: return body->a + 0.5 * body->b;
    case SHAPE_CYLINDER: return sqrt(body->a * body->a + 0.25 * body->b * body->b);
    case SHAPE_POINT: return 0.0;
    }
    return 0.0;
}

double draft_inner(const draft_body *body)
{
    switch (body->shape) {
    case SHAPE_SPHERE:
    case SHAPE_CAPSULE: return body->a;
    case SHAPE_BOX: return 0.5 * fmin(body->a, fmin(body->b, body->c));
    case SHAPE_CYLINDER: return fmin(body->a, 0.5 * body->b);
    case SHAPE_POINT: return 0.0;
    }
    return 0.0;
}

static void put_shape(scene_draft *draft, const draft_body *body)
{
    switch (body->shape) {
    case SHAPE_SPHERE: draft_put(draft, SECTION_BODIES, "{type: sphere, radius: %.17g}", body->a); return;
    case SHAPE_BOX:
        draft_put(draft, SECTION_BODIES, "{type: box, size: [%.17g, %.17g, %.17g]}", body->a, body->b,
                  body->c);
        return;
    case SHAPE_CAPSULE:
        draft_put(draft, SECTION_BODIES, "{type: capsule, radius: %.17g, length: %.17g}", body->a, body->b);
        return;
    case SHAPE_CYLINDER:
        draft_put(draft, SECTION_BODIES, "{type: cylinder, radius: %.17g, length: %.17g}", body->a, body->b);
        return;
    case SHAPE_POINT: draft_put(draft, SECTION_BODIES, "{type: point}"); return;
    }
}

void draft_add_body(scene_draft *draft, const draft_body *body)
{
    random_scene *scene = draft->scene;
    draft_put(draft, SECTION_BODIES, "  - {name: %s, mass: %.17g, position: %s, velocity: %s", body->name,
              body->mass, WORLD(body->position), WORLD(body->velocity));
    if (body->shape == SHAPE_POINT) {
        draft_put(draft, SECTION_BODIES, ", type: point");
    } else {
        draft_put(draft, SECTION_BODIES, ", orientation: %s, angular_velocity: %s",
                  QUAT(tp_quat_multiply(draft->frame, body->orientation)), VEC3(body->spin));
    }
    draft_put(draft, SECTION_BODIES, ", shapes: [");
    put_shape(draft, body);
    draft_put(draft, SECTION_BODIES, "]}\n");
    scene_body *known = &scene->bodies[scene->body_count++];
    memcpy(known->name, body->name, sizeof known->name);
    known->inner = draft_inner(body);
}

void draft_add_floor(scene_draft *draft)
{
    draft_put(draft, SECTION_GROUND, "    - {name: floor, type: plane, orientation: %s}\n",
              QUAT(draft->frame));
    draft->scene->has_floor = true;
    draft->scene->floor_normal = draft_to_world(draft, tp_vec3_make(0.0, 0.0, 1.0));
    draft->scene->floor_height = 0.0;
}

static bool can_touch(draft_shape a, draft_shape b)
{
    if (a == SHAPE_POINT && b == SHAPE_POINT) return false;
    if (a == SHAPE_POINT || b == SHAPE_POINT || a == SHAPE_SPHERE || b == SHAPE_SPHERE) return true;
    return a != SHAPE_CYLINDER && b != SHAPE_CYLINDER;
}

/* One contact for each pair, or one for all of them. */
void draft_contacts(scene_draft *draft, const draft_body *bodies, int count, const char *ground)
{
    bool all_touch = true;
    for (int i = 0; i < count; i++) {
        for (int j = 0; j < i; j++) all_touch = all_touch && can_touch(bodies[i].shape, bodies[j].shape);
    }
    if (all_touch && count > 1 && draft_chance(draft, 0.3)) {
        draft_put(draft, SECTION_CONTACTS, "  - {name: all, among: [%s",
                  ground != NULL ? ground : bodies[0].name);
        for (int i = ground != NULL ? 0 : 1; i < count; i++)
            draft_put(draft, SECTION_CONTACTS, ", %s", bodies[i].name);
        draft_put(draft, SECTION_CONTACTS, "]%s}\n", LAW_TEXT());
        return;
    }
    for (int i = 0; i < count; i++) {
        if (ground != NULL)
            draft_put(draft, SECTION_CONTACTS, "  - {name: on%d, between: [%s, %s]%s}\n", i, ground,
                      bodies[i].name, LAW_TEXT());
        for (int j = 0; j < i; j++) {
            if (can_touch(bodies[i].shape, bodies[j].shape))
                draft_put(draft, SECTION_CONTACTS, "  - {name: c%d_%d, between: [%s, %s]%s}\n", j, i,
                          bodies[j].name, bodies[i].name, LAW_TEXT());
        }
    }
}

void draft_gravity(scene_draft *draft, tp_vec3 acceleration)
{
    draft_put(draft, SECTION_HEAD, "gravity: %s\n", WORLD(acceleration));
    draft->scene->force_rate = tp_vec3_norm(acceleration);
}

tp_quat draft_z_to(tp_vec3 direction)
{
    if (direction.z < -0.999999) return tp_quat_make(0.0, 1.0, 0.0, 0.0);
    tp_quat p = {1.0 + direction.z, -direction.y, direction.x, 0.0};
    return tp_quat_normalise(p);
}

void draft_anchor(scene_draft *draft, const char *joint, const char *a, const char *b, tp_vec3 point)
{
    random_scene *scene = draft->scene;
    if (scene->anchor_count == SCENE_ANCHORS_MAX) return;
    scene_anchor *anchor = &scene->anchors[scene->anchor_count++];
    snprintf(anchor->joint, sizeof anchor->joint, "%s", joint);
    snprintf(anchor->body_a, sizeof anchor->body_a, "%s", a);
    snprintf(anchor->body_b, sizeof anchor->body_b, "%s", b);
    anchor->point = draft_to_world(draft, point);
}
