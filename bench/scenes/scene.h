/* Scenes that every engine builds from the same data: bodies, planes, hinges; README.md of bench/. */
#ifndef BENCH_SCENE_H
#define BENCH_SCENE_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { BENCH_PLANES_MAX = 5, BENCH_SCENE_SIZES = 4 };

typedef struct bench_body {
    bool is_sphere;
    double position[3], orientation[4]; /* at the start; orientation w, x, y, z */
    double mass, inertia[3];            /* [kg] [kg m^2] principal moments      */
    double radius, half[3];             /* of the sphere, or of the box [m]     */
} bench_body;

/* Bodies stay where normal . x >= offset. */
typedef struct bench_plane {
    double normal[3], offset;
} bench_plane;

/* A body at one moment. */
typedef struct bench_motion {
    double position[3], orientation[4], velocity[3], spin[3]; /* spin in the world's axes [rad/s] */
} bench_motion;

typedef struct bench_scene bench_scene;

/* What a scene is called, how it is built, and how far a motion is from what is known of it. */
typedef struct bench_scene_kind {
    const char *name;
    const char *drift_text;            /* what the column drift has                           */
    int sizes[BENCH_SCENE_SIZES];      /* measured by default; 0: no more                     */
    void (*build)(bench_scene *scene); /* scene->size bodies or links                         */
    double (*drift)(const bench_scene *scene, const bench_motion *now, double time); /* NULL: nothing known */
} bench_scene_kind;

struct bench_scene {
    const bench_scene_kind *kind;
    int size;
    double time_step, duration;   /* [s] */
    double restitution, friction; /* [-] */
    double gravity[3];            /* [m/s^2] */
    double energy_scale;          /* what a rise of energy is relative to [J] */
    int plane_count;
    bench_plane planes[BENCH_PLANES_MAX];
    bool
        is_chain; /* body k hangs on body k - 1 (0: on the ground) by a hinge about y, at half[0] before it */
    int body_count;
    bench_body *bodies;
    unsigned long random;
};

extern const bench_scene_kind bench_scene_kinds[];
extern const int bench_scene_kind_count;

/* NULL: there is none. */
const bench_scene_kind *bench_scene_kind_named(const char *name);

/* False: no memory. */
bool bench_scene_build(const bench_scene_kind *kind, int size, bench_scene *scene_out);
void bench_scene_free(bench_scene *scene);

#ifdef __cplusplus
}
#endif

#endif
