/* Open Dynamics Engine: boxes and spheres with contact joints that its collision makes anew in each step. */
#include "peer.h"

#include <ode/ode.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS_MAX = 8, TOUCHES_PER_BODY = 64 }; /* of a pair; a body in a heap has about six neighbours */

/* A contact joint of the last step. */
typedef struct touch {
    dContactGeom geometry;
    dJointID joint;
} touch;

typedef struct world {
    const bench_scene *scene;
    bool is_quick;
    dWorldID world;
    dSpaceID space;
    dJointGroupID contacts;
    dBodyID *bodies;
    int touch_count, touch_capacity;
    touch *touches;
    dJointFeedback *feedback; /* [touch_capacity] the joints point into it */
} world;

static void add_touch(world *w, dBodyID a, dBodyID b, dContact *contact)
{
    if (w->touch_count == w->touch_capacity) return;
    int k = w->touch_count++;
    memset(&contact->surface, 0, sizeof contact->surface);
    contact->surface.mode = dContactApprox1 | (w->scene->restitution > 0.0 ? dContactBounce : 0);
    contact->surface.mu = w->scene->friction;
    contact->surface.bounce = w->scene->restitution;
    dJointID joint = dJointCreateContact(w->world, w->contacts, contact);
    dJointAttach(joint, a, b);
    dJointSetFeedback(joint, &w->feedback[k]);
    w->touches[k] = (touch){contact->geom, joint};
}

static void collide(void *context, dGeomID a, dGeomID b)
{
    dContact contacts[POINTS_MAX];
    dBodyID body_a = dGeomGetBody(a), body_b = dGeomGetBody(b);
    if (body_a == NULL && body_b == NULL) return;
    int count = dCollide(a, b, POINTS_MAX, &contacts[0].geom, sizeof(dContact));
    for (int k = 0; k < count; k++) add_touch(context, body_a, body_b, &contacts[k]);
}

static void add_body(world *w, int k)
{
    const bench_body *body = &w->scene->bodies[k];
    dMass mass;
    dQuaternion turn;
    for (int d = 0; d < 4; d++) turn[d] = body->orientation[d];
    w->bodies[k] = dBodyCreate(w->world);
    dMassSetParameters(&mass, body->mass, 0.0, 0.0, 0.0, body->inertia[0], body->inertia[1], body->inertia[2],
                       0.0, 0.0, 0.0);
    dBodySetMass(w->bodies[k], &mass);
    dBodySetPosition(w->bodies[k], body->position[0], body->position[1], body->position[2]);
    dBodySetQuaternion(w->bodies[k], turn);
    dBodySetAutoDisableFlag(w->bodies[k], 0);
    if (w->scene->is_chain) return;
    dGeomID geometry = body->is_sphere
                           ? dCreateSphere(w->space, body->radius)
                           : dCreateBox(w->space, 2 * body->half[0], 2 * body->half[1], 2 * body->half[2]);
    dGeomSetBody(geometry, w->bodies[k]);
}

static void add_hinge(world *w, int k)
{
    const bench_body *body = &w->scene->bodies[k];
    dJointID joint = dJointCreateHinge(w->world, NULL);
    dJointAttach(joint, k > 0 ? w->bodies[k - 1] : NULL, w->bodies[k]);
    dJointSetHingeAnchor(joint, body->position[0] - body->half[0], body->position[1], body->position[2]);
    dJointSetHingeAxis(joint, 0.0, 1.0, 0.0);
}

static void close_world(void *context)
{
    world *w = context;
    dJointGroupDestroy(w->contacts);
    dSpaceDestroy(w->space);
    dWorldDestroy(w->world);
    dCloseODE();
    free(w->bodies), free(w->touches), free(w->feedback), free(w);
}

static void *open_world(const bench_scene *scene, const bench_setting *setting)
{
    world *w = calloc(1, sizeof *w);
    if (w == NULL) return NULL;
    w->scene = scene;
    w->is_quick = strcmp(setting->word, "quick") == 0;
    w->touch_capacity = scene->is_chain ? 1 : (scene->body_count + 1) * TOUCHES_PER_BODY;
    w->bodies = calloc((size_t)scene->body_count, sizeof *w->bodies);
    w->touches = calloc((size_t)w->touch_capacity, sizeof *w->touches);
    w->feedback = calloc((size_t)w->touch_capacity, sizeof *w->feedback);
    if (w->bodies == NULL || w->touches == NULL || w->feedback == NULL) return NULL;
    dInitODE2(0);
    w->world = dWorldCreate();
    w->space = dHashSpaceCreate(NULL);
    w->contacts = dJointGroupCreate(0);
    dWorldSetGravity(w->world, scene->gravity[0], scene->gravity[1], scene->gravity[2]);
    dWorldSetQuickStepNumIterations(w->world, (int)setting->number);
    for (int k = 0; k < scene->plane_count; k++) {
        const bench_plane *plane = &scene->planes[k];
        dCreatePlane(w->space, plane->normal[0], plane->normal[1], plane->normal[2], plane->offset);
    }
    for (int k = 0; k < scene->body_count; k++) add_body(w, k);
    for (int k = 0; k < scene->body_count && scene->is_chain; k++) add_hinge(w, k);
    return w;
}

static bool step_world(void *context)
{
    world *w = context;
    dJointGroupEmpty(w->contacts);
    w->touch_count = 0;
    dSpaceCollide(w->space, w, collide);
    if (w->is_quick) return dWorldQuickStep(w->world, w->scene->time_step) != 0;
    return dWorldStep(w->world, w->scene->time_step) != 0;
}

/* The normal points into the body of the first geometry, which is body 0 of the joint unless that is the
   ground; the force f1 acts on body 0. */
static void read_contact(const world *w, int k, bench_contact *contact)
{
    const touch *last = &w->touches[k];
    const dReal *at = last->geometry.pos;
    dBodyID a = dJointGetBody(last->joint, 0), b = dJointGetBody(last->joint, 1);
    dVector3 velocity_a = {0}, velocity_b = {0};
    dMass mass;
    contact->inverse_mass = 0.0;
    if (a != NULL) {
        dBodyGetPointVel(a, at[0], at[1], at[2], velocity_a);
        dBodyGetMass(a, &mass);
        contact->inverse_mass += 1.0 / mass.mass;
    }
    if (b != NULL) {
        dBodyGetPointVel(b, at[0], at[1], at[2], velocity_b);
        dBodyGetMass(b, &mass);
        contact->inverse_mass += 1.0 / mass.mass;
    }
    double sign = a == dGeomGetBody(last->geometry.g1) ? 1.0 : -1.0, step = w->scene->time_step;
    for (int d = 0; d < 3; d++) {
        contact->normal[d] = sign * last->geometry.normal[d];
        contact->impulse[d] = step * (a != NULL ? w->feedback[k].f1[d] : -w->feedback[k].f2[d]);
        contact->velocity[d] = velocity_a[d] - velocity_b[d];
    }
}

static void read_world(void *context, bench_sample *sample)
{
    world *w = context;
    for (int k = 0; k < w->scene->body_count; k++) {
        const dReal *x = dBodyGetPosition(w->bodies[k]), *q = dBodyGetQuaternion(w->bodies[k]);
        const dReal *v = dBodyGetLinearVel(w->bodies[k]), *spin = dBodyGetAngularVel(w->bodies[k]);
        for (int d = 0; d < 3; d++) {
            sample->bodies[k].position[d] = x[d];
            sample->bodies[k].velocity[d] = v[d];
            sample->bodies[k].spin[d] = spin[d];
        }
        for (int d = 0; d < 4; d++) sample->bodies[k].orientation[d] = q[d];
    }
    for (int k = 0; k < w->touch_count; k++) {
        bench_contact *contact = bench_sample_add(sample);
        if (contact != NULL) read_contact(w, k, contact);
    }
}

static const bench_setting settings[] = {
    {"quick-step 20", "quick", 20, 0}, {"quick-step 200", "quick", 200, 0}, {"step", "step", 0, 60}, {0}};

const bench_peer bench_peer_ode = {"ODE", settings, open_world, step_world, read_world, NULL, close_world};
