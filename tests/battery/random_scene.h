/* Random scenes that an engineer could have written, as scene text, and what is known of their motion without
   a simulation. The same seed gives the same bytes on every machine. */
#ifndef TESTS_BATTERY_RANDOM_SCENE_H
#define TESTS_BATTERY_RANDOM_SCENE_H

#include "check.h"
#include "tippe/math.h"

#include <stdbool.h>

enum { SCENE_BODIES_MAX = 12, SCENE_ANCHORS_MAX = 24 };

/* A body that a floor must carry. */
typedef struct scene_body {
    char name[16];
    double inner; /* radius of the largest ball about the centre of mass in it [m] */
} scene_body;

/* A joint that keeps a point of two bodies together. */
typedef struct scene_anchor {
    char joint[16], body_a[16], body_b[16]; /* or "ground" */
    tp_vec3 point;                          /* in the world at the start */
} scene_anchor;

typedef struct random_scene {
    uint64_t seed;
    const char *family;
    char *text;       /* the scene file                                    */
    double time_step; /* [s]                                               */
    int steps;
    /* What the laws of mechanics say of it. */
    double length, force_rate; /* a typical length [m] and acceleration [m/s^2]              */
    bool has_one_restitution;  /* Newton's law of impact cannot create energy (equal in all rows) */
    bool is_conservative;      /* nothing dissipates and nothing does work: energy is constant    */
    bool is_isolated;          /* no force from outside: linear momentum is constant              */
    bool rests;                /* static friction and contacts hold it where it is                */
    bool has_floor;            /* no body below it                                                */
    tp_vec3 floor_normal;
    double floor_height; /* of the floor along its normal [m] */
    double friction_max; /* largest coefficient of its contacts */
    /* A body that slides or rolls from rest, with a constant acceleration along a direction. */
    const char *sliding_body; /* NULL: none */
    tp_vec3 slide_direction;
    double slide_acceleration; /* [m/s^2] */
    int body_count, anchor_count;
    scene_body bodies[SCENE_BODIES_MAX];
    scene_anchor anchors[SCENE_ANCHORS_MAX];
} random_scene;

/* Number of families; scene i of a battery is of the family i modulo this. */
int random_scene_family_count(void);
const char *random_scene_family_name(int family);
/* Free with random_scene_free. */
random_scene *random_scene_make(int family, uint64_t seed);
void random_scene_free(random_scene *scene);

#endif
