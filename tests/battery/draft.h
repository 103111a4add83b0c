/* A scene while it is being written: one text for each section, random choices, and the frame all of it
 * stands in. */
#ifndef TESTS_BATTERY_DRAFT_H
#define TESTS_BATTERY_DRAFT_H

#include "random_scene.h"

typedef enum draft_section {
    SECTION_HEAD, /* lines of the top level */
    SECTION_BODIES,
    SECTION_GROUND,
    SECTION_JOINTS,
    SECTION_COUPLERS,
    SECTION_SPRINGS,
    SECTION_BUSHINGS,
    SECTION_FORCES,
    SECTION_CONSTRAINTS,
    SECTION_CONTACTS,
    SECTION_LAWS,
    SECTION_COUNT
} draft_section;

typedef struct draft_text {
    char *text;
    size_t length, capacity;
} draft_text;

/* One set of laws of contact for a scene. */
typedef struct draft_law {
    double friction, restitution;
    bool is_tangential_equal; /* e_T = e, so that impacts cannot create energy */
    double drilling_radius, rolling;
} draft_law;

typedef struct scene_draft {
    random_scene *scene; /* what is known of it */
    check_random random;
    draft_text section[SECTION_COUNT];
    tp_quat frame; /* of the whole scene in the world: scenes stand on floors of any inclination */
    draft_law law;
    bool has_dry_hinges; /* friction in some of its joints */
} scene_draft;

typedef enum draft_shape { SHAPE_SPHERE, SHAPE_BOX, SHAPE_CAPSULE, SHAPE_CYLINDER, SHAPE_POINT } draft_shape;

/* A free body with one shape. Positions, directions and velocities are those of the draft's frame. */
typedef struct draft_body {
    char name[16];
    draft_shape shape;
    double a, b, c; /* box: edges; others: radius a, length b [m] */
    double mass;
    tp_vec3 position, velocity, spin; /* spin: in the body's directions [rad/s] */
    tp_quat orientation;
} draft_body;

/* Appends to a section; an item begins with "- ". */
void draft_put(scene_draft *draft, draft_section section, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Random numbers. */
bool draft_chance(scene_draft *draft, double probability);
int draft_int(scene_draft *draft, int low, int high); /* both included */
double draft_uniform(scene_draft *draft, double low, double high);
double draft_log_uniform(scene_draft *draft, double low, double high);
tp_vec3 draft_direction(scene_draft *draft);
tp_quat draft_orientation(scene_draft *draft);

/* "[x, y, z]" and "[w, x, y, z]" with all digits, for scene text; of the world, from those of the frame. */
enum { DRAFT_TEXT_MAX = 128 };
const char *draft_vec3(char *text, tp_vec3 v);
const char *draft_quat(char *text, tp_quat p);
tp_vec3 draft_to_world(const scene_draft *draft, tp_vec3 v);
#define VEC3(v)  draft_vec3((char[DRAFT_TEXT_MAX]){0}, v)
#define QUAT(p)  draft_quat((char[DRAFT_TEXT_MAX]){0}, p)
#define WORLD(v) VEC3(draft_to_world(draft, v))

/* What the text of a contact ends with: friction, restitution; and what they mean for the energy. */
draft_law draft_any_law(scene_draft *draft);
void draft_use_law(scene_draft *draft, draft_law law);
const char *draft_law_text(char *text, const scene_draft *draft);
#define LAW_TEXT() draft_law_text((char[4 *DRAFT_TEXT_MAX]){0}, draft)

/* Bodies and what carries them. */
draft_body draft_any_body(scene_draft *draft, int number, double size);
double draft_outer(const draft_body *body);
double draft_inner(const draft_body *body);
void draft_add_body(scene_draft *draft, const draft_body *body);
void draft_add_floor(scene_draft *draft); /* plane z = 0 of the frame, called floor */
void draft_contacts(scene_draft *draft, const draft_body *bodies, int count, const char *ground);
/* Gravity along a direction of the frame. */
void draft_gravity(scene_draft *draft, tp_vec3 acceleration);
/* Masses of a scene: alike, or with ratios up to 1e4. */
double draft_mass(scene_draft *draft, bool is_extreme);

/* A quaternion that turns z into a direction. */
tp_quat draft_z_to(tp_vec3 direction);
void draft_anchor(scene_draft *draft, const char *joint, const char *a, const char *b, tp_vec3 point);

/* The families. */
typedef void draft_family(scene_draft *draft);
draft_family draft_falling, draft_ledge, draft_hollow, draft_stack, draft_wall, draft_slope, draft_cluster,
    draft_feet, draft_planar_heap, draft_moving_table;
draft_family draft_chain, draft_chain_floor, draft_planar_chain, draft_single_joint, draft_loop,
    draft_planar_loop, draft_bricard, draft_limits, draft_motors, draft_joint_friction, draft_gears,
    draft_mounts;
draft_family draft_oscillator, draft_bouncing, draft_constrained, draft_relays, draft_double_pendulum,
    draft_pads;

#endif
