/* One meter for all engines: what it knows of a step is where bodies are, how they move, and the contacts. */
#ifndef BENCH_METER_H
#define BENCH_METER_H

#include "scene.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A contact of the last step, where the engine had it: impulse on one body, velocity of that body minus the
   other's at the contact after the step. */
typedef struct bench_contact {
    double normal[3];               /* towards the body that the impulse acts on                         */
    double impulse[3], velocity[3]; /* world [N s] [m/s]                                                */
    double inverse_mass;            /* sum of 1/m of the two [1/kg]: makes impulses and velocities alike */
} bench_contact;

/* What an engine shows of a moment. */
typedef struct bench_sample {
    bench_motion *bodies; /* [body_count] */
    int contact_count, contact_capacity;
    bench_contact *contacts;
} bench_sample;

/* NULL: no memory. */
bench_contact *bench_sample_add(bench_sample *sample);

/* What came out; NaN: not known. */
typedef struct bench_figures {
    int steps, steps_asked;
    double milliseconds;                /* processor time of a step, mean                                   */
    double longest;                     /* ... of the slowest step [ms]                                     */
    double contacts;                    /* mean                                                             */
    double residual_mean, residual_max; /* of the law over g h, in the second half                         */
    double cone;                        /* friction beyond the cone over the largest normal impulse         */
    double overlap, overlap_end;        /* largest of the run, at the end [m]                               */
    double energy_rise;                 /* largest of a step, over the scene's scale                        */
    double drift;                       /* the scene says of what [m]                                       */
    double own_residual;                /* worst one that the engine reports of itself                      */
    long long unsolved;                 /* steps that it used above its tolerance                           */
} bench_figures;

typedef struct bench_meter {
    const bench_scene *scene;
    double seconds, contact_sum, residual_sum, energy;
    int residual_count;
    bench_figures figures;
} bench_meter;

bench_meter bench_meter_start(const bench_scene *scene, const bench_motion *bodies);

/* After each step. */
void bench_meter_step(bench_meter *meter, const bench_sample *sample, double seconds);
bench_figures bench_meter_end(bench_meter *meter, const bench_motion *bodies);

#ifdef __cplusplus
}
#endif

#endif
