/* Studies: several runs of one model, each with another integrator or time step, and their errors against the
   exact motion or a finer run; docs/guide/converge-compare.md. The verbs converge and compare stand on this.
 */
#ifndef TIPPE_STUDY_H
#define TIPPE_STUDY_H

#include "tippe/simulation.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What errors are measured against. */
typedef enum tp_reference_kind {
    TP_REFERENCE_AUTO,  /* the exact motion if the model has one, else a run */
    TP_REFERENCE_EXACT, /* the exact motion of the model                     */
    TP_REFERENCE_RUN,   /* a run with a smaller step                         */
    TP_REFERENCE_NONE   /* nothing: errors are not known                     */
} tp_reference_kind;

typedef struct tp_study_def {
    const tp_model *model; /* finished; borrowed during the study                                          */
    const tp_simulation_options *runs;
    int run_count;
    tp_reference_kind reference;
    const char *reference_integrator; /* of a reference run; NULL: that of the first run                   */
    int refinement; /* a reference run has the smallest step of all runs, divided by this; with an integrator
                       that chooses its steps the smallest tolerances, divided by this */
    int jobs;       /* runs that go on at the same time, each in one thread; above 1 the allocator must be
                       safe to use from several threads                                                    */
    int trace_rows; /* of the trace of each run; 0: none                                                   */
    /* Called now and then, by one thread at a time, with the part of all steps that is done (0 to 1); false
       ends the study: unfinished runs are TP_INTERRUPTED. May be NULL. */
    bool (*goes_on)(void *context, double done);
    void *context;
} tp_study_def;
tp_study_def tp_study_def_default(void); /* reference auto, refinement 16, one job, no trace */

/* Size of an error over time. At each step the error is the largest difference of all coordinates (or
   velocities) whose reference is known, in their own units. NaN: not known. */
typedef struct tp_study_error {
    double end;     /* at the last step measured                                                           */
    double mean;    /* over time: the L1 norm divided by the duration                                      */
    double largest; /* over time: the maximum norm                                                         */
    double scale;   /* largest size of the reference itself                                                */
} tp_study_error;

/* What happened over time, in at most trace_rows pieces of equal numbers of steps. */
typedef struct tp_study_trace {
    int count;
    const double *time;              /* at the end of each piece [s]                                       */
    const double *q_error, *u_error; /* the largest in it; NaN: not measured                               */
    const double *energy;            /* at its end [J]                                                     */
} tp_study_trace;

typedef struct tp_study_run {
    tp_simulation_options options;
    tp_status status; /* of the run; TP_UNSUPPORTED: the integrator refuses the model                      */
    char reason[1024];
    bool has_started; /* false: refused or not reached; then the report is empty                           */
    tp_run_report report;
    tp_study_error q, u;
    double processor_time; /* of the steps and their measurement [s]                                       */
    tp_study_trace trace;
} tp_study_run;

typedef struct tp_study_reference {
    tp_reference_kind kind; /* EXACT, RUN or NONE                                                          */
    const char *integrator; /* of a run, else NULL                                                         */
    double time_step;       /* of a run [s]                                                                */
    double atol, rtol;      /* of a run whose integrator chooses its steps; else 0                         */
    int refinement;
    double until;     /* errors are measured up to this time [s]                                           */
    tp_status status; /* not TP_OK: a run that failed, or a motion that is not finite; errors are not known */
    char reason[1024];
    double processor_time; /* of a run [s]                                                                 */
} tp_study_reference;

typedef struct tp_study tp_study;

/* Runs them all. A run that fails is a result, not a failure of the study. TP_INVALID_ARGUMENT or
   TP_INVALID_DATA: steps without common times, no exact motion where one is asked for, or one that does not
   start at the initial state. The results do not depend on the number of jobs. Log hooks of the options are
   not called; warnings are in the reports. A strict run with warnings is TP_WARNED, and measured. */
tp_status tp_study_create(const tp_allocator *allocator, const tp_study_def *def, tp_study **study_out,
                          tp_message *why_out);
int tp_study_run_count(const tp_study *study);
const tp_study_run *tp_study_run_at(const tp_study *study, int index); /* in the order of the def */
const tp_study_reference *tp_study_reference_of(const tp_study *study);
void tp_study_free(tp_study *study); /* NULL is fine */

/* Steps h, h/2, h/4, ... of the same run, or with an integrator that chooses its steps tolerances divided by
   1, 10, 100, ...: fills count options; returns runs_out. */
tp_simulation_options *tp_study_ladder(const tp_simulation_options *coarsest, int count,
                                       tp_simulation_options *runs_out);

/* What such a ladder makes finer: the time step [s], or rtol; and does this run have tolerances? */
double tp_study_fineness(const tp_simulation_options *run);
bool tp_study_is_by_tolerance(const tp_simulation_options *run);

/* Errors at or below this are rounding and say nothing about the order. */
double tp_study_rounding(const tp_study_error *error);

/* Observed order p of error = C step^p between two steps; NaN where an error is not above the floor. */
double tp_study_order(double coarse_step, double coarse_error, double fine_step, double fine_error,
                      double floor);

/* The same by least squares in logarithms over all pairs above the floor; NaN with fewer than two. */
double tp_study_order_fitted(int count, const double *steps, const double *errors, double floor);

#ifdef __cplusplus
}
#endif

#endif
