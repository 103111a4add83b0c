/* One run of a study: steps, error, trace, processor time. */
#define _POSIX_C_SOURCE 200809L
#include "simulation/study_parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { STEPS_A_REPORT = 256 }; /* between two looks at the progress */

/* Processor time of this thread [s]. */
static double processor_seconds(void)
{
    struct timespec now;
    if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now) != 0) return NAN;
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* After a step, which is counted: whether the next one is to be taken. */
static bool goes_on(tp_study *study, long long *step)
{
    long long done = (*step)++;
    return done % STEPS_A_REPORT != 0 || tp_study_goes_on(study, done > 0 ? STEPS_A_REPORT : 0);
}

/* ---- a run of the def ---------------------------------------------------------------------------------- */

typedef struct watcher {
    tp_study *study;
    tp_study_run *run;
    tp_measure measure;
    long long step, steps_a_row;
    double q_largest, u_largest; /* since the last row of the trace */
} watcher;

static void write_trace(watcher *w, const tp_simulation *simulation, bool is_last)
{
    if (w->steps_a_row == 0) return;
    w->q_largest = fmax(w->q_largest, w->measure.q_now);
    w->u_largest = fmax(w->u_largest, w->measure.u_now);
    tp_study_trace *trace = &w->run->trace;
    if (trace->count >= w->study->def.trace_rows || (w->step % w->steps_a_row != 0 && !is_last)) return;
    const double values[] = {tp_simulation_time(simulation), w->q_largest, w->u_largest,
                             tp_simulation_last_step(simulation)->energy};
    for (int k = 0; k < 4; k++) w->measure.memory->trace[k][trace->count] = values[k];
    trace->count++;
    w->q_largest = w->u_largest = NAN;
}

static bool watch(void *context, const tp_simulation *simulation)
{
    watcher *w = context;
    if (!tp_simulation_is_row(simulation)) return true;
    tp_measure_step(&w->measure, w->step, simulation);
    write_trace(w, simulation, tp_simulation_time(simulation) >= w->run->options.end_time);
    return goes_on(w->study, &w->step);
}

static void conclude(tp_study_run *run, tp_status status, const char *reason)
{
    run->status = status;
    snprintf(run->reason, sizeof run->reason, "%s", reason[0] != '\0' ? reason : tp_status_text(status));
}

/* Rows are left for the initial state and for the end. */
static long long steps_a_row(const tp_study *study, const tp_simulation *simulation)
{
    int rows = study->def.trace_rows;
    if (rows < 1) return 0;
    long long steps =
        tp_simulation_steps_until(simulation, 0.0, tp_simulation_get_options(simulation)->end_time);
    return rows > 2 ? steps / (rows - 1) + 1 : steps + 1;
}

static void run_simulation(watcher *w, tp_simulation *simulation)
{
    tp_study_run *run = w->run;
    w->steps_a_row = steps_a_row(w->study, simulation);
    w->q_largest = w->u_largest = NAN;
    run->has_started = true;
    double begin = processor_seconds();
    tp_status status = tp_simulation_run(simulation, watch, w, NULL);
    run->processor_time = processor_seconds() - begin;
    tp_measure_finish(&w->measure);
    run->report = *tp_simulation_report(simulation);
    if (status == TP_OK || status == TP_WARNED) { /* a part of the way cannot be compared with the whole */
        run->q = w->measure.q_error;
        run->u = w->measure.u_error;
    }
    conclude(run, status, run->report.reason);
}

void tp_study_simulate(tp_study *study, int index)
{
    tp_study_run *run = &study->runs[index];
    watcher w = {.study = study, .run = run};
    tp_arena arena = tp_arena_make(study->arena.allocator);
    tp_simulation *simulation = NULL;
    tp_message why = {""};
    tp_status status = tp_measure_create(&arena, study, index, &w.measure);
    if (status == TP_OK) {
        status =
            tp_simulation_create(study->arena.allocator, study->def.model, &run->options, &simulation, &why);
    }
    if (status == TP_OK) {
        run_simulation(&w, simulation);
    } else {
        conclude(run, status, why.text);
    }
    tp_simulation_free(simulation);
    tp_arena_clear(&arena);
}

/* ---- the reference run --------------------------------------------------------------------------------- */

typedef struct recorder {
    tp_study *study;
    long long step, steps_a_row;
} recorder;

static bool record(void *context, const tp_simulation *simulation)
{
    recorder *r = context;
    if (!tp_simulation_is_row(simulation)) return true;
    tp_study *study = r->study;
    int q_count = study->q_count, u_count = study->u_count;
    bool is_last = tp_simulation_time(simulation) >= study->reference.until;
    if (is_last || r->step % r->steps_a_row == 0) {
        long long row = is_last ? study->rows.count - 1 : r->step / r->steps_a_row;
        double *values = study->rows.values + row * (q_count + u_count);
        tp_study_read_q(study, simulation, values);
        memcpy(values + q_count, tp_simulation_u(simulation), (size_t)u_count * sizeof(double));
    }
    return goes_on(study, &r->step);
}

void tp_study_simulate_reference(tp_study *study)
{
    tp_study_reference *reference = &study->reference;
    tp_simulation_options options = study->runs[0].options;
    options.integrator = reference->integrator;
    options.time_step = reference->time_step;
    if (reference->rtol > 0.0) {
        options.atol = reference->atol;
        options.rtol = reference->rtol;
    }
    options.strict = false;
    recorder r = {.study = study, .steps_a_row = study->rows.every * study->steps_a_place};
    tp_simulation *simulation = NULL;
    tp_message why = {""};
    reference->status =
        tp_simulation_create(study->arena.allocator, study->def.model, &options, &simulation, &why);
    if (reference->status == TP_OK) {
        double begin = processor_seconds();
        reference->status = tp_simulation_run(simulation, record, &r, NULL);
        reference->processor_time = processor_seconds() - begin;
        snprintf(why.text, sizeof why.text, "%s", tp_simulation_report(simulation)->reason);
    }
    snprintf(reference->reason, sizeof reference->reason, "%s", why.text);
    tp_simulation_free(simulation);
}
