/* Errors of a run against the exact motion or the rows of a reference run; docs/guide/converge-compare.md. */
#include "simulation/study_parts.h"

#include <math.h>
#include <string.h>

void tp_study_read_q(const tp_study *study, const tp_simulation *simulation, double *q_out)
{
    int states = study->def.model->states.count, count = study->q_count - states;
    memcpy(q_out, tp_simulation_q(simulation), (size_t)count * sizeof(double));
    if (states > 0) memcpy(q_out + count, tp_simulation_states(simulation), (size_t)states * sizeof(double));
}

tp_status tp_measure_create(tp_arena *arena, const tp_study *study, int run, tp_measure *measure_out)
{
    *measure_out = (tp_measure){.study = study,
                                .memory = &study->memories[run],
                                .q_error = tp_study_unknown,
                                .u_error = tp_study_unknown};
    TP_ARENA_DOUBLES(arena, study->q_count, &measure_out->q, &measure_out->here);
    measure_out->u = TP_ARENA_ARRAY(arena, double, study->u_count);
    TP_TRY(tp_arena_status(arena));
    if (study->reference.kind != TP_REFERENCE_EXACT) return TP_OK;
    return tp_exact_create(arena, study->def.model, &measure_out->exact);
}

/* The row of a reference run for a step of this run; NULL: none was kept there. */
static const double *row_at(const tp_measure *measure, long long step, double time)
{
    const tp_study *study = measure->study;
    const tp_reference_rows *rows = &study->rows;
    long long row = rows->count - 1;
    if (time < study->reference.until) {
        long long place = step * measure->memory->multiple;
        if (place % rows->every != 0) return NULL;
        row = place / rows->every;
    }
    return row < rows->count ? rows->values + row * (study->q_count + study->u_count) : NULL;
}

/* Brings the reference to a time; false if it is not known there. */
static bool move_reference(tp_measure *measure, long long step, double time)
{
    const tp_study *study = measure->study;
    if (study->reference.kind == TP_REFERENCE_EXACT) {
        tp_exact_at(&measure->exact, time, measure->q, measure->u);
        return true;
    }
    const double *row = row_at(measure, step, time);
    if (row == NULL) return false;
    memcpy(measure->q, row, (size_t)study->q_count * sizeof(double));
    memcpy(measure->u, row + study->q_count, (size_t)study->u_count * sizeof(double));
    return true;
}

void tp_study_align_orientations(const tp_model *model, double *reference_q, const double *q)
{
    for (int k = 0; k < model->bodies.count; k++) {
        const tp_body *body = TP_LIST_AT(model->bodies, tp_body, k);
        if (body->kind != TP_BODY_RIGID && body->kind != TP_BODY_SCALABLE) continue;
        double *p = reference_q + body->q_first + 3, dot = 0.0;
        for (int i = 0; i < 4; i++) dot += p[i] * q[body->q_first + 3 + i];
        for (int i = 0; i < 4 && dot < 0.0; i++) p[i] = -p[i];
    }
}

/* Largest difference of the known values and largest size of the reference; NaN if none is known. known may
   be NULL: all. */
static double compare(tp_measure *measure, const double *values, const double *reference, int count,
                      const tp_exact_entry *const *known, double *scale_io)
{
    double largest = NAN;
    for (int i = 0; i < count; i++) {
        if (known != NULL && known[i] == NULL) continue;
        if (known != NULL && !isfinite(reference[i]) && measure->memory->bad_entry == NULL) {
            measure->memory->bad_time = measure->last;
            measure->memory->bad_entry = known[i];
        }
        largest = fmax(largest, fabs(values[i] - reference[i])); /* fmax passes over a NaN */
        *scale_io = fmax(*scale_io, fabs(reference[i]));
    }
    return largest;
}

/* The error counts for the time since the last step that was measured. */
static void gather(tp_study_error *error, double now, double duration)
{
    if (isnan(now)) return;
    error->end = now;
    error->largest = fmax(error->largest, now);
    error->mean = (isnan(error->mean) ? 0.0 : error->mean) + now * duration;
}

void tp_measure_step(tp_measure *measure, long long step, const tp_simulation *simulation)
{
    const tp_study *study = measure->study;
    double time = tp_simulation_time(simulation);
    measure->q_now = measure->u_now = NAN;
    if (step == 0) measure->begin = measure->last = time;
    bool is_measured = step > 0 && study->reference.kind != TP_REFERENCE_NONE &&
                       study->reference.status == TP_OK && time <= study->reference.until;
    if (!is_measured || !move_reference(measure, step, time)) return;
    tp_study_align_orientations(study->def.model, measure->q, tp_simulation_q(simulation));
    double duration = time - measure->last;
    measure->last = time;
    bool is_exact = study->reference.kind == TP_REFERENCE_EXACT;
    tp_study_read_q(study, simulation, measure->here);
    measure->q_now = compare(measure, measure->here, measure->q, study->q_count,
                             is_exact ? measure->exact.of_q : NULL, &measure->q_error.scale);
    measure->u_now = compare(measure, tp_simulation_u(simulation), measure->u, study->u_count,
                             is_exact ? measure->exact.of_u : NULL, &measure->u_error.scale);
    gather(&measure->q_error, measure->q_now, duration);
    gather(&measure->u_error, measure->u_now, duration);
}

void tp_measure_finish(tp_measure *measure)
{
    double duration = measure->last - measure->begin;
    measure->q_error.mean /= duration;
    measure->u_error.mean /= duration;
}
