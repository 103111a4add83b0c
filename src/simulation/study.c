/* Studies: checks what is asked for, chooses the reference, runs all; docs/guide/converge-compare.md. */
#include "simulation/study_parts.h"
#include "simulation/tolerances.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

TP_DEFAULT(tp_study_def, tp_study_def_default, .reference = TP_REFERENCE_AUTO, .refinement = 16, .jobs = 1)

/* ---- checks -------------------------------------------------------------------------------------------- */

static tp_status check_def(const tp_study_def *def, tp_message *why)
{
    if (def->run_count < 1)
        return tp_fail(why, TP_INVALID_ARGUMENT, "a study needs a model and at least one run");
    if (def->refinement < 2)
        return tp_fail(why, TP_INVALID_ARGUMENT,
                       "the refinement of the reference is %d; it must be 2 or more", def->refinement);
    if (def->trace_rows < 0)
        return tp_fail(why, TP_INVALID_ARGUMENT, "the trace has %d rows", def->trace_rows);
    for (int k = 0; k < def->run_count; k++) {
        double dt = def->runs[k].time_step, end = def->runs[k].end_time;
        if (!(dt > 0.0) || isinf(dt))
            return tp_fail(why, TP_INVALID_ARGUMENT, "the time step is %g; it must be a number > 0", dt);
        if (!(end > 0.0) || isinf(end))
            return tp_fail(why, TP_INVALID_ARGUMENT, "the end time is %g; a study needs one > 0", end);
    }
    return TP_OK;
}

/* A run as reference needs times that all runs share: one end, and steps that are multiples of the smallest.
 */
static tp_status find_multiples(tp_study *study, tp_message *why)
{
    for (int k = 0; k < study->def.run_count; k++) {
        const tp_simulation_options *run = &study->runs[k].options;
        double ratio = run->time_step / study->smallest_step, whole = nearbyint(ratio);
        if (run->end_time != study->reference.until) {
            return tp_fail(why, TP_INVALID_ARGUMENT,
                           "the runs end at %g s and at %g s; errors against a run need one end",
                           study->reference.until, run->end_time);
        }
        if (!(fabs(ratio - whole) <= tp_step_remainder * ratio) || ratio > tp_most_steps) {
            return tp_fail(
                why, TP_INVALID_ARGUMENT,
                "the time step %g s is not a multiple of the smallest one, %g s; errors against a run "
                "need common times",
                run->time_step, study->smallest_step);
        }
        study->memories[k].multiple = (long long)whole;
    }
    return TP_OK;
}

/* The exact motion must begin where the model does: edits of initial values may have made it another one. */
static tp_status check_start(tp_study *study, tp_message *why)
{
    const tp_model *model = study->def.model;
    tp_exact exact;
    double *q = TP_ARENA_ARRAY(&study->arena, double, study->q_count);
    double *u = TP_ARENA_ARRAY(&study->arena, double, study->u_count);
    TP_TRY(tp_arena_status(&study->arena));
    TP_TRY(tp_exact_create(&study->arena, model, &exact));
    tp_exact_at(&exact, 0.0, q, u);
    tp_study_align_orientations(model, q, model->q0);
    for (int i = 0; i < study->q_count; i++) {
        if (exact.of_q[i] == NULL) continue;
        int state = i - tp_model_coordinate_count(model);
        double start =
            state < 0 ? model->q0[i] : TP_LIST_AT(model->states, tp_state_variable, state)->initial;
        if (fabs(q[i] - start) <= tp_exact_start_tolerance * (1.0 + fabs(start))) continue;
        return tp_fail_at(
            why, TP_INVALID_DATA, exact.of_q[i]->place,
            "the exact motion of '%s' begins at %.9g, but the initial state at %.9g; correct one of them, "
            "or take a run as reference",
            state < 0 ? tp_model_coordinate_name(model, i) : tp_model_state_name(model, state), q[i], start);
    }
    return TP_OK;
}

/* ---- the reference ------------------------------------------------------------------------------------- */

static tp_status prepare_exact(tp_study *study, tp_message *why)
{
    const tp_model *model = study->def.model;
    if (!tp_model_has_exact(model))
        return tp_fail(why, TP_INVALID_ARGUMENT, "the model has no exact motion to compare with");
    study->reference.until = tp_model_exact_until(model);
    tp_status status = check_start(study, why);
    return status == TP_OUT_OF_MEMORY ? tp_fail(why, status, "%s", tp_status_text(status)) : status;
}

/* Finer than the finest run: by its time step, or by the tolerances where it chooses its steps. */
static void refine_reference(tp_study *study)
{
    tp_study_reference *reference = &study->reference;
    const tp_simulation_options named = {.integrator = reference->integrator};
    reference->time_step = study->smallest_step;
    study->steps_a_place = tp_study_is_by_tolerance(&named) ? 1 : reference->refinement;
    reference->time_step /= study->steps_a_place;
    if (!tp_study_is_by_tolerance(&named)) return;
    reference->atol = reference->rtol = INFINITY;
    for (int k = 0; k < study->def.run_count; k++) {
        reference->atol = fmin(reference->atol, study->runs[k].options.atol);
        reference->rtol = fmin(reference->rtol, study->runs[k].options.rtol);
    }
    reference->atol /= reference->refinement;
    reference->rtol = fmax(reference->rtol / reference->refinement, TP_RTOL_MIN);
}

static tp_status prepare_run(tp_study *study, tp_message *why)
{
    const tp_study_def *def = &study->def;
    tp_study_reference *reference = &study->reference;
    reference->integrator =
        def->reference_integrator != NULL ? def->reference_integrator : study->runs[0].options.integrator;
    reference->refinement = def->refinement;
    refine_reference(study);
    reference->until = study->runs[0].options.end_time;
    TP_TRY(find_multiples(study, why));
    double steps = ceil(reference->until / study->smallest_step), width = study->q_count + study->u_count;
    if (steps * study->steps_a_place > tp_most_steps)
        return tp_fail(why, TP_INVALID_ARGUMENT, "the reference would take more than %g steps",
                       tp_most_steps);
    tp_reference_rows *rows = &study->rows;
    rows->every = 1;
    while (steps / (double)rows->every * width > tp_reference_numbers_max) rows->every *= 2;
    rows->count = (long long)(steps / (double)rows->every) + 2;
    rows->values = TP_ARENA_ARRAY(&study->arena, double, (size_t)rows->count *(size_t)width);
    if (rows->values == NULL) return tp_fail(why, TP_OUT_OF_MEMORY, "no memory for the reference");
    study->all_steps += steps * study->steps_a_place;
    return TP_OK;
}

static tp_status prepare_reference(tp_study *study, tp_message *why)
{
    tp_study_reference *reference = &study->reference;
    reference->kind = study->def.reference;
    if (reference->kind == TP_REFERENCE_AUTO)
        reference->kind = tp_model_has_exact(study->def.model) ? TP_REFERENCE_EXACT : TP_REFERENCE_RUN;
    if (reference->kind == TP_REFERENCE_EXACT) return prepare_exact(study, why);
    return reference->kind == TP_REFERENCE_RUN ? prepare_run(study, why) : TP_OK;
}

/* ---- the whole ----------------------------------------------------------------------------------------- */

static void take_trace(tp_study *study, int run)
{
    double **trace = study->memories[run].trace;
    TP_ARENA_DOUBLES(&study->arena, study->def.trace_rows, &trace[0], &trace[1], &trace[2], &trace[3]);
    study->runs[run].trace =
        (tp_study_trace){.time = trace[0], .q_error = trace[1], .u_error = trace[2], .energy = trace[3]};
}

/* Results name integrators and solvers when the caller's texts may be gone. */
static void keep_text(tp_study *study, const char **text_io)
{
    if (*text_io != NULL) *text_io = tp_arena_copy(&study->arena, *text_io, strlen(*text_io) + 1, 1);
}

static tp_status take_runs(tp_study *study)
{
    keep_text(study, &study->def.reference_integrator);
    int count = study->def.run_count;
    study->runs = TP_ARENA_ARRAY(&study->arena, tp_study_run, count);
    study->memories = TP_ARENA_ARRAY(&study->arena, tp_study_memory, count);
    if (study->runs == NULL || study->memories == NULL) return TP_OUT_OF_MEMORY;
    study->smallest_step = INFINITY;
    for (int k = 0; k < count; k++) {
        tp_study_run *run = &study->runs[k];
        *run = (tp_study_run){.options = study->def.runs[k],
                              .status = TP_INTERRUPTED,
                              .q = tp_study_unknown,
                              .u = tp_study_unknown,
                              .processor_time = NAN};
        keep_text(study, &run->options.integrator);
        keep_text(study, &run->options.solver);
        run->options.log = NULL; /* several threads would call it at once */
        study->smallest_step = fmin(study->smallest_step, run->options.time_step);
        study->all_steps += ceil(run->options.end_time / run->options.time_step);
        take_trace(study, k);
    }
    return tp_arena_status(&study->arena);
}

/* A reference that failed, or was not finite somewhere, does not count: no error is known then. */
static void judge_reference(tp_study *study)
{
    tp_study_reference *reference = &study->reference;
    for (int k = 0; k < study->def.run_count && reference->status == TP_OK; k++) {
        const tp_exact_entry *entry = study->memories[k].bad_entry;
        if (entry == NULL) continue;
        tp_message why;
        reference->status = tp_fail_at(&why, TP_INVALID_DATA, entry->place,
                                       "the exact motion of '%s' is not a finite number at t = %.9g s",
                                       tp_exact_name(study->def.model, entry), study->memories[k].bad_time);
        snprintf(reference->reason, sizeof reference->reason, "%s", why.text);
    }
    for (int k = 0; k < study->def.run_count && reference->status != TP_OK; k++)
        study->runs[k].q = study->runs[k].u = tp_study_unknown;
}

static tp_status carry_out(tp_study *study, tp_message *why)
{
    tp_status status = take_runs(study);
    if (status != TP_OK) return tp_fail(why, status, "%s", tp_status_text(status));
    TP_TRY(prepare_reference(study, why));
    if (study->reference.kind == TP_REFERENCE_RUN) tp_study_simulate_reference(study);
    status = tp_study_work(study);
    if (status != TP_OK) return tp_fail(why, status, "%s", tp_status_text(status));
    judge_reference(study);
    return TP_OK;
}

tp_status tp_study_create(const tp_allocator *allocator, const tp_study_def *def, tp_study **study_out,
                          tp_message *why_out)
{
    if (study_out == NULL) return tp_fail(why_out, TP_INVALID_ARGUMENT, "study_out is NULL");
    *study_out = NULL;
    if (def == NULL || def->model == NULL || def->runs == NULL)
        return tp_fail(why_out, TP_INVALID_ARGUMENT, "the study, its model or its runs are NULL");
    TP_TRY(check_def(def, why_out));
    if (!def->model->is_finished) return tp_fail(why_out, TP_INVALID_ARGUMENT, "the model is not finished");
    tp_study *study = TP_ARENA_OBJECT(tp_study, allocator);
    if (study == NULL) return tp_fail(why_out, TP_OUT_OF_MEMORY, "%s", tp_status_text(TP_OUT_OF_MEMORY));
    if (mtx_init(&study->lock, mtx_plain) != thrd_success) {
        tp_arena_clear(&study->arena);
        return tp_fail(why_out, TP_OUT_OF_MEMORY, "no lock for the study");
    }
    study->def = *def;
    study->q_count = tp_model_coordinate_count(def->model) + def->model->states.count;
    study->u_count = tp_model_velocity_count(def->model);
    tp_status status = carry_out(study, why_out);
    if (status != TP_OK) tp_study_free(study);
    *study_out = status == TP_OK ? study : NULL;
    return status;
}

int tp_study_run_count(const tp_study *study)
{
    return study->def.run_count;
}

const tp_study_run *tp_study_run_at(const tp_study *study, int index)
{
    return index >= 0 && index < study->def.run_count ? &study->runs[index] : NULL;
}

const tp_study_reference *tp_study_reference_of(const tp_study *study)
{
    return &study->reference;
}

void tp_study_free(tp_study *study)
{
    if (study == NULL) return;
    mtx_destroy(&study->lock);
    tp_arena_clear(&study->arena);
}
