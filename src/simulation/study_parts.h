/* The inside of a study, shared by its parts. */
#ifndef TP_SIMULATION_STUDY_PARTS_H
#define TP_SIMULATION_STUDY_PARTS_H

#include <math.h>
#include <stdatomic.h>
#include <threads.h>

#include "simulation/inside.h"
#include "tippe/study.h"

/* States of a reference run at the times k every smallest_step, and one more at the end; a row is q with the
   first-order states, then u.
 */
typedef struct tp_reference_rows {
    long long count;
    long long every; /* in the smallest step of the runs */
    double *values;  /* [count * (q_count + u_count)]    */
} tp_reference_rows;

static const tp_study_error tp_study_unknown = {NAN, NAN, NAN, NAN};

/* What a run leaves behind beside its public results. */
typedef struct tp_study_memory {
    long long multiple;              /* time step of the run in the smallest of all                      */
    double bad_time;                 /* where the exact motion was not finite, and which part of it ...  */
    const tp_exact_entry *bad_entry; /* ... NULL: nowhere                                  */
    double *trace[4];                /* time, errors of q and u, energy: [trace_rows]      */
} tp_study_memory;

/* Error of one run, gathered step by step. */
typedef struct tp_measure {
    const tp_study *study;
    tp_study_memory *memory;
    tp_exact exact;                  /* where it is the reference                                   */
    double *q, *u;                   /* [q_count], [u_count] the reference at the present time      */
    double *here;                    /* [q_count] of the run                                        */
    double begin, last;              /* measured from and up to [s]                                 */
    tp_study_error q_error, u_error; /* `mean` is the integral over time until the end */
    double q_now, u_now;             /* errors of the present step; NaN: not measured  */
} tp_measure;

/* Coordinates and first-order states. */
void tp_study_read_q(const tp_study *study, const tp_simulation *simulation, double *q_out);

tp_status tp_measure_create(tp_arena *arena, const tp_study *study, int run, tp_measure *measure_out);

/* p and -p are the same orientation of a body: the reference takes the sign that is nearer. */
void tp_study_align_orientations(const tp_model *model, double *reference_q, const double *q);

/* The state after step number `step` (0: the start, which is not measured). */
void tp_measure_step(tp_measure *measure, long long step, const tp_simulation *simulation);
void tp_measure_finish(tp_measure *measure);

struct tp_study {
    tp_arena arena; /* the study itself lies in it */
    tp_study_def def;
    tp_study_reference reference;
    tp_study_run *runs;        /* [run_count] */
    tp_study_memory *memories; /* [run_count] */
    int q_count, u_count;      /* q_count: coordinates and first-order states, which are measured together */
    double smallest_step;
    int steps_a_place; /* of the reference run in the smallest step */
    tp_reference_rows rows;
    /* What the threads share. */
    atomic_int next_run;
    atomic_bool is_stopped;
    mtx_t lock; /* of the progress */
    double all_steps, done_steps;
};

/* Runs of the def, or the reference run; study_run.c. */
void tp_study_simulate(tp_study *study, int run);
void tp_study_simulate_reference(tp_study *study);

/* All runs, on as many threads as there are jobs; study_work.c. */
tp_status tp_study_work(tp_study *study);

/* Tells the progress; false if the study is to end. */
bool tp_study_goes_on(tp_study *study, long long more_steps);

#endif
