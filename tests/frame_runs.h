/* Examples run as they are and under a change of the frame, and how far their motions are apart. */
#ifndef TESTS_FRAME_RUNS_H
#define TESTS_FRAME_RUNS_H

#include "frame_change.h"

#include "io/scene/scene_write.h"

#include <float.h>

static const frame_change frame_unchanged = {
    "as it is", {1.0, 0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, false, 1.0, 1.0, 1.0};

/* Relative to the sizes of positions and velocities, and to a radian. Rounding is 2e-16 of them in each of up
   to some thousand steps, and condition numbers of up to 1e3 (stiff springs, small bodies on long levers)
   multiply it; what differs by a wrong sign, an absolute threshold or the order of a list differs in the
   first digits. No example is chaotic for the time of its short run. */
static const double frame_tolerance = 1e-9;

/* In other units of length. Iterations end at a residual relative to the sizes of velocities, which are at
   least 1e-3 of the largest, metres and radians alike (theory/moreau-jean.md (9)): slow rows are then solved
   to another digit. */
static const double frame_length_tolerance = 1e-8;

/* --- reading */

/* The lists of a scene whose order means nothing, turned round. */
static inline void renumber(tp_node *root)
{
    static const char *const lists[] = {"coordinates", "bodies",      "joints",   "couplers", "limits",
                                        "motors",      "friction",    "springs",  "forces",   "contacts",
                                        "laws",        "constraints", "bushings", "potential"};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        tp_node *list = tp_map_get(root, lists[i]), *last = NULL, *next;
        if (list == NULL || list->kind != TP_NODE_LIST) continue;
        if (i == 0 && tp_map_get(root, "linear") != NULL) continue; /* its matrices have their order */
        list->last = list->first;
        for (tp_node *item = list->first; item != NULL; item = next) {
            next = item->next;
            item->next = last;
            last = item;
        }
        list->first = last;
    }
}

/* The short run of an example under a change. Files that a scene names are found from its own folder. */
static inline tp_scene *read_changed(const char *name, const frame_change *change, bool is_renumbered)
{
    char path[EXAMPLE_PATH];
    tp_arena arena;
    tp_tree *tree;
    tp_text text = {.bytes = NULL};
    tp_message why = {""};
    const char *edits[EXAMPLE_EDITS_MAX];
    int count = 0;
    frame_now = (frame_state){.change = *change};
    tp_arena_init(&arena, NULL);
    snprintf(path, sizeof path, TIPPE_SOURCE_DIR "/examples/%s/scene.yaml", name);
    if (tp_tree_read_file(&arena, &arena, path, &tree, &why) != TP_OK) fail_msg("%s", why.text);
    if (is_renumbered) renumber(tree->root);
    tp_tree_write(tree->root, &text);
    const tp_node *list = tp_map_get(read_expected(&arena, name), "short");
    for (const tp_node *edit = list->first; edit != NULL; edit = edit->next) edits[count++] = edit->text;
    tp_scene *scene = NULL;
    if (tp_scene_read_memory(NULL, path, text.bytes, text.count, edits, count, &scene, &why) != TP_OK)
        fail_msg("%s, %s: %s", name, change->name, why.text);
    tp_text_clear(&text);
    tp_arena_clear(&arena);
    return scene;
}

/* --- comparing */

static inline int find_name(int count, const char *(*name_of)(const tp_model *, int), const tp_model *model,
                            const char *name)
{
    for (int i = 0; i < count; i++) {
        if (strcmp(name_of(model, i), name) == 0) return i;
    }
    fail_msg("there is no %s", name);
    return -1;
}

/* The values of a body, whose first has a name. */
static inline const double *values_of(const tp_simulation *simulation, const tp_model *model,
                                      const char *body, const char *first, bool is_velocity)
{
    char name[128];
    snprintf(name, sizeof name, "%s.%s", body, first);
    if (is_velocity)
        return tp_simulation_u(simulation) +
               find_name(tp_model_summarise(model).velocity_count, tp_model_velocity_name, model, name);
    return tp_simulation_q(simulation) +
           find_name(tp_model_summarise(model).coordinate_count, tp_model_coordinate_name, model, name);
}

/* Positions [m], rotations [rad], velocities [m/s], spins [rad/s], in the old units: how far two motions
   are apart, or how large they are. */
typedef struct distance {
    double position, rotation, velocity, spin;
} distance;

static inline void compare_planar(const double *q, const double *u, const double *q_old, const double *u_old,
                                  distance *d)
{
    const frame_change *c = &frame_now.change;
    double sign = c->is_mirrored ? -1.0 : 1.0, turned = 2.0 * atan2(c->turn.z, c->turn.w);
    tp_vec3 r = frame_point(tp_vec3_make(q_old[0], q_old[1], 0.0)),
            v = tp_vec3_scale(frame_speed(), frame_vector(tp_vec3_make(u_old[0], u_old[1], 0.0)));
    d->position = fmax(d->position, hypot(q[0] - r.x, q[1] - r.y) / c->length);
    d->velocity = fmax(d->velocity, hypot(u[0] - v.x, u[1] - v.y) / frame_speed());
    d->rotation = fmax(d->rotation, fabs(remainder(q[2] - sign * q_old[2] - turned, 2.0 * acos(-1.0))));
    d->spin = fmax(d->spin, fabs(c->time * u[2] - sign * u_old[2]));
}

static inline double distance_of(tp_vec3 a, tp_vec3 b)
{
    return tp_vec3_norm(tp_vec3_sub(a, b));
}

static inline void compare_body(const tp_simulation *now, const tp_model *model, const tp_simulation *old,
                                const tp_model *model_old, int body, distance *d)
{
    const frame_change *c = &frame_now.change;
    const char *name = tp_model_body_name(model, body);
    tp_body_kind kind = tp_model_body_kind(model, body);
    if (kind == TP_BODY_MOVING) return;
    bool is_planar = kind == TP_BODY_PLANAR, is_point = kind == TP_BODY_POINT;
    const double *q = values_of(now, model, name, "x", false), *u = values_of(now, model, name, "v.x", true),
                 *q_old = values_of(old, model_old, name, "x", false),
                 *u_old = values_of(old, model_old, name, "v.x", true);
    if (is_planar) {
        compare_planar(q, u, q_old, u_old, d);
        return;
    }
    d->position = fmax(
        d->position, distance_of(tp_vec3_from_array(q), frame_point(tp_vec3_from_array(q_old))) / c->length);
    d->velocity = fmax(d->velocity, distance_of(tp_vec3_scale(1.0 / frame_speed(), tp_vec3_from_array(u)),
                                                frame_vector(tp_vec3_from_array(u_old))));
    if (is_point) return;
    int spin = kind == TP_BODY_SCALABLE ? 4 : 3; /* behind the rate of the size */
    tp_quat p = tp_quat_make(q[3], q[4], q[5], q[6]),
            p_old = frame_quat(tp_quat_make(q_old[3], q_old[4], q_old[5], q_old[6]));
    if (tp_quat_dot(p, p_old) < 0.0) p_old = tp_quat_scale(-1.0, p_old);
    d->rotation = fmax(d->rotation, 2.0 * tp_quat_norm(tp_quat_add(p, tp_quat_scale(-1.0, p_old))));
    d->spin = fmax(d->spin, distance_of(tp_vec3_scale(c->time, tp_vec3_from_array(u + spin)),
                                        frame_mirror_axis(tp_vec3_from_array(u_old + spin))));
}

/* Coordinates of formulas have the same names in both; their sizes are added. */
static inline void compare_formulas(const tp_simulation *now, const tp_model *model, const tp_simulation *old,
                                    const tp_model *model_old, distance *d, distance *size)
{
    for (int i = 0; i < tp_model_summarise(model).coordinate_count; i++) {
        size->position = fmax(size->position, fabs(tp_simulation_q(now)[i]));
        const char *name = tp_model_coordinate_name(model, i);
        int k = find_name(tp_model_summarise(model_old).coordinate_count, tp_model_coordinate_name, model_old,
                          name);
        d->position = fmax(d->position, fabs(tp_simulation_q(now)[i] - tp_simulation_q(old)[k]));
    }
    for (int i = 0; i < tp_model_summarise(model).velocity_count; i++) {
        size->velocity = fmax(size->velocity, fabs(tp_simulation_u(now)[i]));
        const char *name = tp_model_velocity_name(model, i);
        int k =
            find_name(tp_model_summarise(model_old).velocity_count, tp_model_velocity_name, model_old, name);
        d->velocity = fmax(d->velocity, fabs(tp_simulation_u(now)[i] - tp_simulation_u(old)[k]));
    }
}

/* --- sizes */

/* The largest distance from the origin, speed and spin of a run; at least a size of the scene, and a radian,
   in the time of the run. */
static inline distance size_of(const tp_simulation *simulation, const tp_model *model, double time)
{
    distance size = {DBL_MIN, 1.0, 0.0, 1.0 / time};
    for (int i = 0; i < tp_model_body_count(model); i++) {
        tp_body_kind kind = tp_model_body_kind(model, i);
        if (kind == TP_BODY_MOVING) continue;
        const char *name = tp_model_body_name(model, i);
        const double *q = values_of(simulation, model, name, "x", false),
                     *u = values_of(simulation, model, name, "v.x", true);
        bool is_flat = kind == TP_BODY_PLANAR;
        size.position = fmax(size.position, hypot(hypot(q[0], q[1]), is_flat ? 0.0 : q[2]));
        size.velocity = fmax(size.velocity, hypot(hypot(u[0], u[1]), is_flat ? 0.0 : u[2]));
        if (is_flat) size.spin = fmax(size.spin, fabs(u[2]));
        if (kind == TP_BODY_RIGID) size.spin = fmax(size.spin, tp_vec3_norm(tp_vec3_from_array(u + 3)));
    }
    size.velocity = fmax(size.velocity, size.position / time);
    return size;
}

static inline bool is_flat_model(const tp_model *model)
{
    for (int i = 0; i < tp_model_body_count(model); i++) {
        if (tp_model_body_kind(model, i) == TP_BODY_PLANAR) return true;
    }
    return false;
}

/* --- one example */

typedef struct frame_trial {
    const char *example, *integrator; /* NULL: the example's own */
    bool is_renumbered, without_projection;
    double tolerance;
} frame_trial;

static inline tp_simulation *start_changed(const frame_trial *trial, const frame_change *change,
                                           tp_scene **scene_out)
{
    tp_simulation *simulation = NULL;
    tp_message why = {""};
    tp_scene *scene = read_changed(trial->example, change, trial->is_renumbered);
    *scene_out = scene;
    if (trial->integrator != NULL) scene->options.integrator = trial->integrator;
    scene->options.time_step *= change->time;
    scene->options.end_time *= change->time;
    /* errors are measured in coordinates: steps of one's own choice are alike up to errors that are rounding
     */
    scene->options.rtol = scene->options.atol = scene->options.jet.tolerance = 1e-13;
    if (trial->without_projection) scene->options.projection.kind = TP_PROJECTION_NONE;
    return tp_simulation_create(NULL, scene->model, &scene->options, &simulation, &why) == TP_OK ? simulation
                                                                                                 : NULL;
}

static inline void check_near_zero(const frame_trial *trial, const char *change, const char *what,
                                   double value, double size)
{
    if (!(value <= trial->tolerance * size))
        fail_msg("%s, %s, %s: %s differ by %.2g, their size is %.2g", trial->example,
                 trial->integrator != NULL ? trial->integrator : "its own integrator", change, what, value,
                 size);
}

/* The turn and the shift that a scene allows: planar bodies stay in their plane. The shift is eight times the
   size of the scene. */
static inline frame_change allowed(const frame_change *change, const tp_model *model, double size)
{
    frame_change out = *change;
    if (is_flat_model(model)) {
        out.turn = tp_quat_normalise(tp_quat_make(change->turn.w, 0.0, 0.0, change->turn.z));
        out.shift.z = 0.0;
    }
    out.shift = tp_vec3_scale(8.0 * size, out.shift);
    return out;
}

/* The run of an example as it is, kept for the next change: most of the time would go into repeating it. */
typedef struct frame_plain {
    char example[64];
    frame_trial trial;
    tp_scene *scene;
    tp_simulation *simulation; /* NULL: its integrator does not take it */
    bool has_formulas, has_run;
} frame_plain;

static frame_plain frame_plains[EXAMPLES_MAX];

static inline frame_plain *find_plain(const frame_trial *trial)
{
    int i = 0;
    while (frame_plains[i].scene != NULL && strcmp(frame_plains[i].example, trial->example) != 0) i++;
    frame_plain *plain = &frame_plains[i];
    if (plain->scene != NULL && plain->trial.integrator == trial->integrator &&
        plain->trial.without_projection == trial->without_projection)
        return plain;
    tp_simulation_free(plain->simulation);
    tp_scene_free(plain->scene);
    *plain = (frame_plain){.trial = *trial};
    snprintf(plain->example, sizeof plain->example, "%s", trial->example);
    plain->trial.is_renumbered = false;
    plain->simulation = start_changed(&plain->trial, &frame_unchanged, &plain->scene);
    plain->has_formulas = frame_now.has_formulas;
    return plain;
}

/* Formulas are not turned: they can only be renumbered. */
static inline bool is_comparable(frame_plain *plain, bool is_renumbered)
{
    bool is_of_bodies = !plain->has_formulas && tp_model_body_count(plain->scene->model) > 0;
    if (plain->simulation == NULL || !(is_renumbered || is_of_bodies)) return false;
    if (!plain->has_run && tp_simulation_run(plain->simulation, NULL, NULL, NULL) != TP_OK) return false;
    plain->has_run = true;
    return true;
}

/* Runs an example as it is and changed; false: there is nothing to compare. */
static inline bool compare_example(const frame_trial *trial, const frame_change *change)
{
    frame_plain *plain = find_plain(trial);
    if (!is_comparable(plain, trial->is_renumbered)) return false;
    const tp_simulation *old = plain->simulation;
    const tp_model *model = plain->scene->model;
    distance d = {0}, size = size_of(old, model, plain->scene->options.end_time);
    frame_change to = allowed(change, model, size.position);
    tp_scene *scene;
    tp_simulation *now = start_changed(trial, &to, &scene);
    if (now == NULL) fail_msg("%s, %s: refused", trial->example, change->name);
    if (tp_simulation_run(now, NULL, NULL, NULL) != TP_OK)
        fail_msg("%s, %s: %s", trial->example, change->name, tp_simulation_report(now)->reason);
    for (int i = 0; i < tp_model_body_count(scene->model); i++)
        compare_body(now, scene->model, old, model, i, &d);
    if (tp_model_body_count(scene->model) == 0) compare_formulas(now, scene->model, old, model, &d, &size);
    check_near_zero(trial, change->name, "positions", d.position, size.position);
    check_near_zero(trial, change->name, "rotations", d.rotation, size.rotation);
    check_near_zero(trial, change->name, "velocities", d.velocity, size.velocity);
    check_near_zero(trial, change->name, "spins", d.spin, size.spin);
    tp_simulation_free(now);
    tp_scene_free(scene);
    return true;
}

#endif
