/* MuJoCo, elliptic cones: the scene is written as its XML, in memory. Chains are nested bodies, so they have
   joint coordinates. It has no coefficient of restitution. */
#include "peer.h"

#include <mujoco/mujoco.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_PER_BODY = 800, TEXT_START = 4000, STACK_SMALL = 20000000, STACK_LARGE = 100000000 };

typedef struct world {
    const bench_scene *scene;
    mjModel *model;
    mjData *data;
} world;

typedef struct text {
    char *at, *end;
} text;

__attribute__((format(printf, 2, 3))) static void put(text *out, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    int length = vsnprintf(out->at, (size_t)(out->end - out->at), format, values);
    va_end(values);
    if (length > 0 && length < out->end - out->at) out->at += length;
}

static void put_body(text *out, const bench_body *body)
{
    const double *x = body->position, *q = body->orientation, *J = body->inertia, *half = body->half;
    put(out, "<body pos=\"%.17g %.17g %.17g\" quat=\"%.17g %.17g %.17g %.17g\"><freejoint/>", x[0], x[1],
        x[2], q[0], q[1], q[2], q[3]);
    put(out, "<inertial pos=\"0 0 0\" mass=\"%.17g\" diaginertia=\"%.17g %.17g %.17g\"/>", body->mass, J[0],
        J[1], J[2]);
    if (body->is_sphere)
        put(out, "<geom type=\"sphere\" size=\"%.17g\"/></body>", body->radius);
    else
        put(out, "<geom type=\"box\" size=\"%.17g %.17g %.17g\"/></body>", half[0], half[1], half[2]);
}

static void put_link(text *out, const bench_scene *scene, int k)
{
    const bench_body *body = &scene->bodies[k];
    const double *J = body->inertia, half = body->half[0];
    put(out, "<body pos=\"%.17g 0 0\"><joint type=\"hinge\" axis=\"0 1 0\"/>", k > 0 ? 2.0 * half : 0.0);
    put(out, "<inertial pos=\"%.17g 0 0\" mass=\"%.17g\" diaginertia=\"%.17g %.17g %.17g\"/>", half,
        body->mass, J[0], J[1], J[2]);
}

static void put_scene(text *out, const bench_scene *scene, const bench_setting *setting)
{
    const double *down = scene->gravity;
    int count = scene->body_count;
    put(out, "<mujoco><size njmax=\"%d\" nconmax=\"%d\" nstack=\"%d\"/>", count * 12 + 600, count * 4 + 200,
        count > 200 ? STACK_LARGE : STACK_SMALL);
    put(out, "<option timestep=\"%.17g\" gravity=\"%.17g %.17g %.17g\" cone=\"elliptic\" solver=\"%s\"/>",
        scene->time_step, down[0], down[1], down[2], setting->word);
    put(out, "<default><geom friction=\"%.17g 0 0\" condim=\"3\"/></default><worldbody>", scene->friction);
    for (int k = 0; k < scene->plane_count; k++) {
        const double *n = scene->planes[k].normal, offset = scene->planes[k].offset;
        put(out,
            "<geom type=\"plane\" size=\"20 20 1\" pos=\"%.17g %.17g %.17g\" zaxis=\"%.17g %.17g %.17g\"/>",
            offset * n[0], offset * n[1], offset * n[2], n[0], n[1], n[2]);
    }
    for (int k = 0; k < count && !scene->is_chain; k++) put_body(out, &scene->bodies[k]);
    for (int k = 0; k < count && scene->is_chain; k++) put_link(out, scene, k);
    for (int k = 0; k < count && scene->is_chain; k++) put(out, "</body>");
    put(out, "</worldbody></mujoco>");
}

/* By default it asks for a key and writes a log file. */
static void fail(const char *message)
{
    fprintf(stderr, "%s\n", message);
    exit(1);
}

static void say_nothing(const char *message)
{
    (void)message;
}

static void *open_world(const bench_scene *scene, const bench_setting *setting)
{
    static mjVFS files;
    char why[1000] = "";
    int size = TEXT_START + TEXT_PER_BODY * scene->body_count;
    world *w = calloc(1, sizeof *w);
    if (w == NULL || scene->restitution > 0.0) return NULL;
    mju_user_error = fail;
    mju_user_warning = say_nothing;
    mj_defaultVFS(&files);
    if (mj_makeEmptyFileVFS(&files, "scene.xml", size) != 0) return NULL;
    text out = {files.filedata[0], (char *)files.filedata[0] + size};
    put_scene(&out, scene, setting);
    memset(out.at, ' ', (size_t)(out.end - out.at));
    w->scene = scene;
    w->model = mj_loadXML("scene.xml", &files, why, sizeof why);
    if (w->model == NULL) return NULL;
    w->data = mj_makeData(w->model);
    return w->data != NULL ? w : NULL;
}

static bool step_world(void *context)
{
    world *w = context;
    mj_step(w->model, w->data);
    return true;
}

/* Centre of mass of body k (0: the first of the scene) and its velocity, in the world's axes. */
static void read_body(const world *w, int k, bench_motion *now)
{
    mjtNum motion[6];
    const mjtNum *x = w->data->xipos + 3 * (k + 1), *q = w->data->xquat + 4 * (k + 1);
    mj_objectVelocity(w->model, w->data, mjOBJ_BODY, k + 1, motion, 0);
    for (int d = 0; d < 3; d++) {
        now->position[d] = x[d];
        now->spin[d] = motion[d];
        now->velocity[d] = motion[3 + d];
    }
    for (int d = 0; d < 4; d++) now->orientation[d] = q[d];
}

/* The force acts on the body of the second geometry, along the axes of the contact's frame. */
static void read_contact(const world *w, int index, const bench_motion *bodies, bench_contact *contact)
{
    const mjContact *point = &w->data->contact[index];
    mjtNum force[6];
    mj_contactForce(w->model, w->data, index, force);
    int owner[2] = {w->model->geom_bodyid[point->geom1] - 1, w->model->geom_bodyid[point->geom2] - 1};
    *contact = (bench_contact){0};
    for (int d = 0; d < 3; d++) {
        contact->normal[d] = point->frame[d];
        contact->impulse[d] =
            w->scene->time_step *
            (force[0] * point->frame[d] + force[1] * point->frame[3 + d] + force[2] * point->frame[6 + d]);
    }
    for (int side = 0; side < 2; side++) {
        if (owner[side] < 0) continue;
        const bench_motion *now = &bodies[owner[side]];
        mjtNum arm[3], turning[3];
        mju_sub3(arm, point->pos, now->position);
        mju_cross(turning, now->spin, arm);
        for (int d = 0; d < 3; d++)
            contact->velocity[d] += (side == 1 ? 1.0 : -1.0) * (now->velocity[d] + turning[d]);
        contact->inverse_mass += 1.0 / w->scene->bodies[owner[side]].mass;
    }
}

/* mj_step leaves positions of its end in qpos alone: kinematics and velocities are brought there. Contacts
   stay those of the step. */
static void read_world(void *context, bench_sample *sample)
{
    world *w = context;
    mj_kinematics(w->model, w->data);
    mj_comPos(w->model, w->data);
    mj_comVel(w->model, w->data);
    for (int k = 0; k < w->scene->body_count; k++) read_body(w, k, &sample->bodies[k]);
    for (int k = 0; k < w->data->ncon; k++) {
        if (w->data->contact[k].efc_address < 0) continue;
        bench_contact *contact = bench_sample_add(sample);
        if (contact != NULL) read_contact(w, k, sample->bodies, contact);
    }
}

static void close_world(void *context)
{
    world *w = context;
    mj_deleteData(w->data);
    mj_deleteModel(w->model);
    free(w);
}

static const bench_setting settings[] = {{"Newton", "Newton", 0, 100}, {"CG", "CG", 0, 0}, {0}};

const bench_peer bench_peer_mujoco = {"MuJoCo",   settings, open_world, step_world,
                                      read_world, NULL,     close_world};
