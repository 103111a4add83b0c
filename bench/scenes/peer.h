/* An engine is a table of functions in a file of its own; peers.c lists those that were found. */
#ifndef BENCH_PEER_H
#define BENCH_PEER_H

#include "meter.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A way to run an engine. */
typedef struct bench_setting {
    const char *name;
    const char *word; /* which solver, as the engine's file understands it      */
    double number;    /* its iterations or tolerance; 0: the engine's default   */
    int bodies_max;   /* larger scenes are left out; 0: none                    */
} bench_setting;

typedef struct bench_peer {
    const char *name;
    const bench_setting *settings; /* ends with a name NULL */
    /* NULL: it cannot. The scene is borrowed until close. */
    void *(*open)(const bench_scene *scene, const bench_setting *setting);
    bool (*step)(void *world); /* false: it failed, or stopped itself */
    void (*read)(void *world, bench_sample *sample);
    void (*report)(void *world, bench_figures *figures); /* what it says of itself; NULL: nothing */
    void (*close)(void *world);
} bench_peer;

extern const bench_peer *const bench_peers[]; /* ends with NULL */
extern const char *bench_tippe_solver;        /* of Tippe's step problems; NULL: its default */
extern const bench_peer bench_peer_ode, bench_peer_bullet, bench_peer_mujoco, bench_peer_tippe;

#ifdef __cplusplus
}
#endif

#endif
