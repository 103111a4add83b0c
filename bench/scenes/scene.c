/* The scenes. Lengths in metres, gravity 9.81 m/s^2. */
#define _XOPEN_SOURCE 700
#include "scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double g = 9.81, slope = 20.0 * M_PI / 180.0, tilt = 5.0 * M_PI / 180.0;
static const double ball_height = 1.0, ball_restitution = 0.8; /* of its lowest point [m] */

/* Uniform between -1/2 and 1/2; the same numbers on every machine. */
static double random_number(bench_scene *scene)
{
    scene->random = (1103515245ul * scene->random + 12345ul) % 2147483648ul;
    return (double)scene->random / 2147483648.0 - 0.5;
}

static bench_body *add_body(bench_scene *scene, double mass, double x, double y, double z)
{
    bench_body *body = &scene->bodies[scene->body_count++];
    *body = (bench_body){.mass = mass, .position = {x, y, z}, .orientation = {1.0, 0.0, 0.0, 0.0}};
    return body;
}

static void make_sphere(bench_body *body, double radius)
{
    body->is_sphere = true;
    body->radius = radius;
    for (int d = 0; d < 3; d++) {
        body->half[d] = radius;
        body->inertia[d] = 0.4 * body->mass * radius * radius;
    }
}

static void make_box(bench_body *body, double x, double y, double z)
{
    double size[3] = {x, y, z};
    for (int d = 0; d < 3; d++) {
        double a = size[(d + 1) % 3], b = size[(d + 2) % 3];
        body->half[d] = 0.5 * size[d];
        body->inertia[d] = body->mass / 12.0 * (a * a + b * b);
    }
}

static void add_walls(bench_scene *scene, double half_width)
{
    static const double normals[4][3] = {
        {1.0, 0.0, 0.0}, {-1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, -1.0, 0.0}};
    for (int k = 0; k < 4; k++) {
        bench_plane *plane = &scene->planes[scene->plane_count++];
        memcpy(plane->normal, normals[k], sizeof plane->normal);
        plane->offset = -half_width;
    }
}

static int grid_side(const bench_scene *scene)
{
    return scene->size <= 125 ? 5 : scene->size <= 1000 ? 10 : 20;
}

/* Place k of a grid with `distance` between its points, above the floor, with jitter. */
static void grid_place(bench_scene *scene, int k, double distance, double bottom, double *place)
{
    int side = grid_side(scene);
    int at[3] = {k % side, k / side % side, k / (side * side)};
    for (int d = 0; d < 3; d++) place[d] = 0.008 * random_number(scene);
    for (int d = 0; d < 2; d++) place[d] += (at[d] - 0.5 * (side - 1)) * distance;
    place[2] += bottom + distance * at[2];
}

static void build_ball(bench_scene *scene)
{
    scene->time_step = 1e-3, scene->duration = 1.0;
    scene->restitution = ball_restitution, scene->friction = 0.0;
    make_sphere(add_body(scene, 1.0, 0.0, 0.0, 0.1 + ball_height), 0.1);
}

/* After the one impact at t1 it flies freely. */
static double ball_drift(const bench_scene *scene, const bench_motion *now, double time)
{
    (void)scene;
    double impact = sqrt(2.0 * ball_height / g), flight = time - impact;
    double z = 0.1 + ball_restitution * g * impact * flight - 0.5 * g * flight * flight;
    return fabs(now->position[2] - z);
}

static void build_incline(bench_scene *scene, double friction)
{
    scene->friction = friction;
    scene->gravity[0] = g * sin(slope), scene->gravity[2] = -g * cos(slope);
    make_box(add_body(scene, 1.0, 0.0, 0.0, 0.1), 0.2, 0.2, 0.2);
}

static void build_slide(bench_scene *scene)
{
    build_incline(scene, 0.3);
}

static void build_stick(bench_scene *scene)
{
    build_incline(scene, 0.4);
}

static double slide_drift(const bench_scene *scene, const bench_motion *now, double time)
{
    double acceleration = g * (sin(slope) - scene->friction * cos(slope));
    return fabs(now->position[0] - 0.5 * acceleration * time * time);
}

/* Bodies that ought to rest. */
static double rest_drift(const bench_scene *scene, const bench_motion *now, double time)
{
    (void)time;
    double worst = 0.0;
    for (int k = 0; k < scene->body_count; k++) {
        double sum = 0.0;
        for (int d = 0; d < 3; d++) {
            double moved = now[k].position[d] - scene->bodies[k].position[d];
            sum += moved * moved;
        }
        worst = fmax(worst, sqrt(sum));
    }
    return worst;
}

static void build_stack(bench_scene *scene)
{
    scene->duration = 5.0;
    for (int k = 0; k < scene->size; k++)
        make_box(add_body(scene, 1.0, 0.0, 0.0, 0.1 + 0.2 * k), 0.2, 0.2, 0.2);
}

/* Bricks in running bond, ten in a row. */
static void build_wall(bench_scene *scene)
{
    for (int k = 0; k < scene->size; k++) {
        int row = k / 10, place = k % 10;
        double x = (place - 4.5) * 0.2 + (row % 2 != 0 ? 0.1 : 0.0);
        make_box(add_body(scene, 4.0, x, 0.0, 0.05 + 0.1 * row), 0.2, 0.1, 0.1);
    }
}

static void build_rock(bench_scene *scene)
{
    scene->time_step = 1e-3, scene->duration = 3.0, scene->friction = 0.8;
    bench_body *body = add_body(scene, 4.0, 0.0, 0.0, 0.2 * cos(tilt) + 0.05 * sin(tilt));
    body->orientation[0] = cos(0.5 * tilt), body->orientation[2] = sin(0.5 * tilt);
    make_box(body, 0.1, 0.1, 0.4);
}

/* It rocks in the plane of x and z. */
static double rock_drift(const bench_scene *scene, const bench_motion *now, double time)
{
    (void)scene, (void)time;
    return fabs(now->position[1]);
}

static void build_drop(bench_scene *scene)
{
    double place[3], radius = 0.05, mass = 4.0 / 3.0 * M_PI * radius * radius * radius * 1000.0;
    add_walls(scene, 0.5 * 0.11 * grid_side(scene) + 0.01);
    for (int k = 0; k < scene->size; k++) {
        grid_place(scene, k, 0.11, 0.06, place);
        make_sphere(add_body(scene, mass, place[0], place[1], place[2]), radius);
    }
}

static void build_pile(bench_scene *scene)
{
    add_walls(scene, 0.5 * 0.13 * grid_side(scene) + 0.02);
    for (int k = 0; k < scene->size; k++) {
        double place[3], axis[3], norm = 0.0;
        grid_place(scene, k, 0.13, 0.08, place);
        double angle = 0.6 * random_number(scene);
        for (int d = 0; d < 3; d++) {
            axis[d] = random_number(scene);
            norm += axis[d] * axis[d];
        }
        bench_body *body = add_body(scene, 0.48, place[0], place[1], place[2]);
        body->orientation[0] = cos(0.5 * angle);
        for (int d = 0; d < 3; d++) body->orientation[d + 1] = sin(0.5 * angle) * axis[d] / sqrt(norm);
        make_box(body, 0.1, 0.08, 0.06);
    }
}

/* Rods in a horizontal line, which fall. */
static void build_chain(bench_scene *scene)
{
    scene->time_step = 1e-3, scene->duration = 0.5, scene->friction = 0.0;
    scene->plane_count = 0;
    scene->is_chain = true;
    for (int k = 0; k < scene->size; k++)
        make_box(add_body(scene, 1.0, 0.1 + 0.2 * k, 0.0, 0.0), 0.2, 0.02, 0.02);
    scene->energy_scale = scene->size * g * 0.2 * scene->size;
}

/* Largest distance of two ends that a hinge should hold together. */
static double chain_drift(const bench_scene *scene, const bench_motion *now, double time)
{
    (void)time;
    double worst = 0.0, end[3] = {0.0, 0.0, 0.0};
    for (int k = 0; k < scene->body_count; k++) {
        const double *q = now[k].orientation;
        double axis[3] = {1.0 - 2.0 * (q[2] * q[2] + q[3] * q[3]), 2.0 * (q[1] * q[2] + q[0] * q[3]),
                          2.0 * (q[1] * q[3] - q[0] * q[2])};
        double sum = 0.0, half = scene->bodies[k].half[0];
        for (int d = 0; d < 3; d++) {
            double gap = now[k].position[d] - half * axis[d] - end[d];
            sum += gap * gap;
            end[d] = now[k].position[d] + half * axis[d];
        }
        worst = fmax(worst, sqrt(sum));
    }
    return worst;
}

const bench_scene_kind bench_scene_kinds[] = {
    {"ball", "height after one impact against the closed form", {1}, build_ball, ball_drift},
    {"slide", "way down the slope against the closed form", {1}, build_slide, slide_drift},
    {"stick", "way of a box that rests on the slope", {1}, build_stick, rest_drift},
    {"rock", "out of the plane of rocking", {1}, build_rock, rock_drift},
    {"stack", "largest way of a resting box", {10, 20, 50}, build_stack, rest_drift},
    {"wall", "largest way of a resting brick", {100}, build_wall, rest_drift},
    {"pile", "", {100, 300}, build_pile, NULL},
    {"drop", "", {100, 400, 1000}, build_drop, NULL},
    {"chain", "largest gap of a hinge", {10, 100, 1000, 10000}, build_chain, chain_drift},
};
const int bench_scene_kind_count = (int)(sizeof bench_scene_kinds / sizeof bench_scene_kinds[0]);

const bench_scene_kind *bench_scene_kind_named(const char *name)
{
    for (int k = 0; k < bench_scene_kind_count; k++)
        if (strcmp(bench_scene_kinds[k].name, name) == 0) return &bench_scene_kinds[k];
    return NULL;
}

bool bench_scene_build(const bench_scene_kind *kind, int size, bench_scene *scene_out)
{
    *scene_out = (bench_scene){.kind = kind,
                               .size = size,
                               .time_step = 5e-3,
                               .duration = 2.0,
                               .friction = 0.5,
                               .gravity = {0.0, 0.0, -g},
                               .plane_count = 1,
                               .planes = {{.normal = {0.0, 0.0, 1.0}}},
                               .random = 12345};
    scene_out->bodies = calloc((size_t)size, sizeof *scene_out->bodies);
    if (scene_out->bodies == NULL) return false;
    kind->build(scene_out);
    for (int k = 0; k < size && !scene_out->is_chain; k++)
        scene_out->energy_scale += scene_out->bodies[k].mass * g * scene_out->bodies[k].position[2];
    return true;
}

void bench_scene_free(bench_scene *scene)
{
    free(scene->bodies);
    scene->bodies = NULL;
}
