/* Tippe by its C interface: Moreau's midpoint rule, otherwise its default settings. */
#include "peer.h"
#include "tippe/tippe.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME = 32, POINTS_MAX = 16, COORDINATES = 7, VELOCITIES = 6 };

const char *bench_tippe_solver = NULL;

typedef struct world {
    const bench_scene *scene;
    tp_model *model;
    tp_simulation *simulation;
    int steps;
    double *q, *u; /* at the start of the last step */
    tp_pose plane_poses[BENCH_PLANES_MAX];
} world;

static tp_vec3 vector_of(const double *x)
{
    return tp_vec3_make(x[0], x[1], x[2]);
}

static tp_solid solid_of(const bench_body *body)
{
    return body->is_sphere ? tp_solid_sphere(body->radius) : tp_solid_box(vector_of(body->half));
}

/* A plane's own normal is z. */
static tp_pose pose_of_plane(const bench_plane *plane)
{
    tp_vec3 z = tp_vec3_make(0.0, 0.0, 1.0), normal = vector_of(plane->normal),
            axis = tp_vec3_cross(z, normal);
    double turn = sqrt(0.5 * (1.0 + normal.z)); /* cosine of half the angle; no plane of ours looks down */
    axis = tp_vec3_scale(0.5 / turn, axis);
    return (tp_pose){tp_vec3_scale(plane->offset, normal), {turn, axis.x, axis.y, axis.z}};
}

static tp_status add_body(world *w, int k)
{
    const bench_body *body = &w->scene->bodies[k];
    char name[NAME], shape_name[NAME];
    tp_body_def def = tp_body_def_default();
    tp_shape_def shape = tp_shape_def_default();
    snprintf(name, sizeof name, "body%d", k);
    snprintf(shape_name, sizeof shape_name, "shape%d", k);
    def.name = name;
    def.mass = body->mass;
    def.inertia = tp_mat3_diagonal(vector_of(body->inertia));
    def.position = vector_of(body->position);
    def.orientation =
        (tp_quat){body->orientation[0], body->orientation[1], body->orientation[2], body->orientation[3]};
    TP_TRY(tp_model_add_body(w->model, &def, NULL, NULL));
    if (w->scene->is_chain) return TP_OK;
    shape.name = shape_name;
    shape.body = name;
    shape.solid = solid_of(body);
    return tp_model_add_shape(w->model, &shape, NULL, NULL);
}

static tp_status add_planes(world *w)
{
    for (int k = 0; k < w->scene->plane_count; k++) {
        char name[NAME];
        tp_shape_def shape = tp_shape_def_default();
        snprintf(name, sizeof name, "plane%d", k);
        shape.name = name;
        shape.solid = tp_solid_plane();
        shape.pose = w->plane_poses[k] = pose_of_plane(&w->scene->planes[k]);
        TP_TRY(tp_model_add_shape(w->model, &shape, NULL, NULL));
    }
    return TP_OK;
}

/* All shapes may touch each other; shapes are numbered as they were added, bodies first. */
static tp_status add_rule(world *w)
{
    int count = w->scene->body_count + w->scene->plane_count;
    int *numbers = calloc(2 * (size_t)count, sizeof *numbers);
    if (numbers == NULL) return TP_OUT_OF_MEMORY;
    for (int k = 0; k < count; k++) numbers[k] = numbers[count + k] = k;
    tp_rule_def rule = tp_rule_def_default();
    rule.law.name = "touch";
    rule.law.friction[0] = w->scene->friction;
    rule.law.restitution = w->scene->restitution;
    rule.shape_count = count;
    rule.shapes = numbers;
    rule.groups = numbers + count;
    tp_status status = tp_model_add_rule(w->model, &rule, NULL, NULL);
    free(numbers);
    return status;
}

static tp_status add_hinge(world *w, int k)
{
    const bench_body *body = &w->scene->bodies[k];
    char name[NAME], before[NAME] = "ground", after[NAME];
    tp_joint_def joint = tp_joint_def_default();
    snprintf(name, sizeof name, "hinge%d", k);
    snprintf(after, sizeof after, "body%d", k);
    if (k > 0) snprintf(before, sizeof before, "body%d", k - 1);
    joint.name = name;
    joint.kind = TP_JOINT_REVOLUTE;
    joint.is_in_world = true;
    joint.A.point = tp_vec3_sub(vector_of(body->position), tp_vec3_make(body->half[0], 0.0, 0.0));
    joint.A.axis = tp_vec3_make(0.0, 1.0, 0.0);
    return tp_model_add_joint(w->model, before, after, &joint, NULL, NULL);
}

static tp_status build_model(world *w)
{
    TP_TRY(tp_model_create(NULL, &w->model));
    TP_TRY(tp_model_set_gravity(w->model, vector_of(w->scene->gravity), NULL));
    for (int k = 0; k < w->scene->body_count; k++) TP_TRY(add_body(w, k));
    for (int k = 0; k < w->scene->body_count && w->scene->is_chain; k++) TP_TRY(add_hinge(w, k));
    if (!w->scene->is_chain) {
        TP_TRY(add_planes(w));
        TP_TRY(add_rule(w));
    }
    return tp_model_finish(w->model, NULL, NULL);
}

static void *open_world(const bench_scene *scene, const bench_setting *setting)
{
    tp_simulation_options options = tp_simulation_options_default();
    tp_message why = {""};
    world *w = calloc(1, sizeof *w);
    if (w == NULL) return NULL;
    w->scene = scene;
    options.time_step = scene->time_step;
    options.end_time = scene->duration;
    options.correction.is_on = strcmp(setting->word, "corrected") == 0;
    if (setting->number > 0.0) options.tolerance = setting->number;
    options.solver = bench_tippe_solver;
    w->q = calloc(COORDINATES * (size_t)scene->body_count, sizeof *w->q);
    w->u = calloc(VELOCITIES * (size_t)scene->body_count, sizeof *w->u);
    if (w->q == NULL || w->u == NULL || build_model(w) != TP_OK) return NULL;
    if (tp_simulation_create(NULL, w->model, &options, &w->simulation, &why) == TP_OK) return w;
    fprintf(stderr, "%s\n", why.text);
    return NULL;
}

static bool step_world(void *context)
{
    world *w = context;
    tp_message why = {""};
    memcpy(w->q, tp_simulation_q(w->simulation), COORDINATES * (size_t)w->scene->body_count * sizeof *w->q);
    memcpy(w->u, tp_simulation_u(w->simulation), VELOCITIES * (size_t)w->scene->body_count * sizeof *w->u);
    w->steps++;
    if (tp_simulation_step(w->simulation, w->steps * w->scene->time_step, &why) == TP_OK) return true;
    fprintf(stderr, "%s\n", why.text);
    return false;
}

/* Where the step had the contacts: positions of the midpoint, q + (h/2) q'(q, u); docs/theory/moreau.md (1).
 */
static tp_pose middle_pose(const world *w, int body)
{
    const double *q = w->q + COORDINATES * body, *u = w->u + VELOCITIES * body, h = w->scene->time_step;
    tp_quat p = {q[3], q[4], q[5], q[6]};
    tp_quat rate = tp_quat_multiply(p, (tp_quat){0.0, u[3], u[4], u[5]});
    p = (tp_quat){p.w + 0.25 * h * rate.w, p.x + 0.25 * h * rate.x, p.y + 0.25 * h * rate.y,
                  p.z + 0.25 * h * rate.z};
    return (tp_pose){tp_vec3_add(vector_of(q), tp_vec3_scale(0.5 * h, vector_of(u))), tp_quat_normalise(p)};
}

/* One side of a contact: its solid and pose, and how its points move after the step. */
typedef struct side {
    int body; /* -1: a plane */
    tp_solid solid;
    tp_pose pose;
} side;

static side side_of(const world *w, int shape)
{
    int count = w->scene->body_count;
    if (shape >= count) return (side){-1, tp_solid_plane(), w->plane_poses[shape - count]};
    return (side){shape, solid_of(&w->scene->bodies[shape]), middle_pose(w, shape)};
}

static tp_vec3 velocity_at(const world *w, const side *s, tp_vec3 point)
{
    if (s->body < 0) return tp_vec3_make(0.0, 0.0, 0.0);
    const double *u = tp_simulation_u(w->simulation) + VELOCITIES * s->body;
    tp_vec3 spin = tp_quat_rotate(s->pose.orientation, vector_of(u + 3));
    return tp_vec3_add(vector_of(u), tp_vec3_cross(spin, tp_vec3_sub(point, s->pose.origin)));
}

static void read_contact(const world *w, const tp_contact_info *info, bench_sample *sample)
{
    side a = side_of(w, info->shape_a), b = side_of(w, info->shape_b);
    tp_contact_point points[POINTS_MAX];
    int count = tp_collide(&a.solid, &a.pose, &b.solid, &b.pose, INFINITY, points), k = 0;
    while (k < count && points[k].slot != info->feature) k++;
    bench_contact *contact = k < count ? bench_sample_add(sample) : NULL;
    if (contact == NULL) return;
    tp_mat3 frame = tp_frame_from_normal(points[k].normal);
    tp_vec3 impulse = tp_mat3_apply(frame, vector_of(info->impulse));
    tp_vec3 velocity =
        tp_vec3_sub(velocity_at(w, &b, points[k].point_b), velocity_at(w, &a, points[k].point_a));
    *contact = (bench_contact){.normal = {frame.cx.x, frame.cx.y, frame.cx.z},
                               .impulse = {impulse.x, impulse.y, impulse.z},
                               .velocity = {velocity.x, velocity.y, velocity.z}};
    if (a.body >= 0) contact->inverse_mass += 1.0 / w->scene->bodies[a.body].mass;
    if (b.body >= 0) contact->inverse_mass += 1.0 / w->scene->bodies[b.body].mass;
}

static void read_world(void *context, bench_sample *sample)
{
    world *w = context;
    for (int k = 0; k < w->scene->body_count; k++) {
        const double *q = tp_simulation_q(w->simulation) + COORDINATES * k;
        const double *u = tp_simulation_u(w->simulation) + VELOCITIES * k;
        bench_motion *now = &sample->bodies[k];
        tp_vec3 spin = tp_quat_rotate((tp_quat){q[3], q[4], q[5], q[6]}, vector_of(u + 3));
        memcpy(now->position, q, sizeof now->position);
        memcpy(now->orientation, q + 3, sizeof now->orientation);
        memcpy(now->velocity, u, sizeof now->velocity);
        now->spin[0] = spin.x, now->spin[1] = spin.y, now->spin[2] = spin.z;
    }
    int laws = tp_simulation_law_count(w->simulation);
    for (int k = 0; k < laws; k++) {
        tp_contact_info info;
        if (tp_simulation_contact(w->simulation, k, &info) && info.is_closed) read_contact(w, &info, sample);
    }
}

static void report(void *context, bench_figures *figures)
{
    world *w = context;
    const tp_run_report *run = tp_simulation_report(w->simulation);
    figures->own_residual = run->residual_max;
    figures->unsolved = run->not_converged;
}

static void close_world(void *context)
{
    world *w = context;
    tp_simulation_free(w->simulation);
    tp_model_free(w->model);
    free(w->q), free(w->u), free(w);
}

static const bench_setting settings[] = {{"default", "", 0.0, 0},
                                         {"tolerance 1e-2", "", 1e-2, 0},
                                         {"tolerance 1e-6", "", 1e-6, 0},
                                         {"1e-2, corrected", "corrected", 1e-2, 0},
                                         {"1e-6, corrected", "corrected", 1e-6, 0},
                                         {"default, corrected", "corrected", 0.0, 0},
                                         {0}};

const bench_peer bench_peer_tippe = {"Tippe",    settings, open_world, step_world,
                                     read_world, report,   close_world};
