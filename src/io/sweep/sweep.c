/* The runs of a sweep on threads: each takes the next point; rows go to the table in order. */
#define _POSIX_C_SOURCE 200809L
#include "sweep.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>
#include <unistd.h>

typedef struct sweeping {
    const tp_sweep_def *def;
    tp_arena *arena;
    tp_sweep_axes axes;
    tp_measures measures;
    tp_sweep_file file;
    tp_sweep_report *report;
    mtx_t lock;
    long long next, written, all; /* points of this shard, by their number in it */
    tp_sweep_result *waiting;     /* [window] finished before an earlier one     */
    int window;
    bool is_stopped;
    tp_status status; /* of the table */
    tp_message *why;
} sweeping;

tp_sweep_def tp_sweep_def_default(void)
{
    return (tp_sweep_def){.time_step = NAN, .end_time = NAN, .shard_count = 1, .jobs = 1};
}

static long long point_of(const sweeping *s, long long number)
{
    return s->def->shard + number * s->def->shard_count;
}

/* ---- one run ------------------------------------------------------------------------------------------- */

/* The scene at a point. */
static tp_status read_scene(const sweeping *s, long long point, tp_scene **scene_out, tp_message *why)
{
    int given = s->def->edit_count, count = given + s->axes.count;
    tp_arena arena = tp_arena_make(NULL);
    const char **edits = TP_ARENA_ARRAY(&arena, const char *, count);
    for (int k = 0; k < count && edits; k++) {
        edits[k] = k < given ? s->def->edits[k]
                             : tp_arena_format(&arena, "%s=%.17g", s->axes.list[k - given].path,
                                               tp_sweep_value(&s->axes, point, k - given));
    }
    tp_status status = tp_arena_status(&arena);
    if (status != TP_OK) tp_fail(why, status, "no memory for the scene");
    if (status == TP_OK) status = tp_scene_read(NULL, s->def->scene_path, edits, count, scene_out, why);
    tp_arena_clear(&arena);
    return status;
}

static void run_point(const sweeping *s, long long point, tp_sweep_result *result)
{
    tp_scene *scene = NULL;
    tp_message why = {""};
    *result = (tp_sweep_result){.values = malloc((size_t)s->measures.count * sizeof(double) + 1)};
    result->status = TP_OUT_OF_MEMORY;
    if (!result->values) return;
    for (int k = 0; k < s->measures.count; k++) result->values[k] = NAN;
    result->status = read_scene(s, point, &scene, &why);
    if (result->status == TP_OK) {
        tp_measures_take(&s->measures, scene, s->def, result);
    } else {
        snprintf(result->reason, sizeof result->reason, "%.500s", why.text);
    }
    tp_scene_free(scene);
}

/* ---- all runs ------------------------------------------------------------------------------------------ */

static void note(sweeping *s, long long number, const tp_sweep_result *result)
{
    tp_sweep_report *report = s->report;
    if (result->status == TP_OK || report->failed++ > 0) return;
    report->first_failed = point_of(s, number);
    snprintf(report->reason, sizeof report->reason, "%s", result->reason);
}

/* Writes what is next in order; called with the lock. */
static void write_rows(sweeping *s)
{
    for (tp_sweep_result *result; (result = &s->waiting[s->written % s->window])->is_done; s->written++) {
        if (!result->values || result->points.has_failed) s->status = TP_OUT_OF_MEMORY;
        if (s->status == TP_OK)
            s->status = tp_sweep_file_add(&s->file, &s->axes, point_of(s, s->written), result);
        note(s, s->written, result);
        free(result->values);
        tp_text_clear(&result->points);
        *result = (tp_sweep_result){.is_done = false};
        s->report->done++;
        bool goes_on = !s->def->goes_on || s->def->goes_on(s->def->context, s->report->done, s->all);
        if (!goes_on || s->status != TP_OK) s->is_stopped = true;
    }
}

/* Takes points until none is left. No thread runs further ahead than the window. */
static int work(void *self)
{
    sweeping *s = self;
    mtx_lock(&s->lock);
    while (!s->is_stopped && s->next < s->all) {
        if (s->next >= s->written + s->window) { /* an early point takes long */
            mtx_unlock(&s->lock);
            thrd_sleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
            mtx_lock(&s->lock);
            continue;
        }
        long long number = s->next++;
        mtx_unlock(&s->lock);
        tp_sweep_result result;
        run_point(s, point_of(s, number), &result);
        mtx_lock(&s->lock);
        result.is_done = true;
        s->waiting[number % s->window] = result;
        write_rows(s);
    }
    mtx_unlock(&s->lock);
    return 0;
}

enum { WINDOW_OF_JOB = 64, JOBS_MAX = 1024 };

static tp_status work_all(sweeping *s)
{
    static const char no_memory[] = "no memory for the sweep";
    int helpers = s->def->jobs - 1, started = 0;
    s->window = WINDOW_OF_JOB * s->def->jobs;
    s->waiting = TP_ARENA_ARRAY(s->arena, tp_sweep_result, s->window);
    thrd_t *threads = TP_ARENA_ARRAY(s->arena, thrd_t, helpers + 1);
    if (!s->waiting || !threads || mtx_init(&s->lock, mtx_plain) != thrd_success)
        return tp_fail(s->why, TP_OUT_OF_MEMORY, no_memory);
    while (started < helpers && thrd_create(&threads[started], work, s) == thrd_success) started++;
    work(s);
    for (int k = 0; k < started; k++) thrd_join(threads[k], NULL);
    mtx_destroy(&s->lock);
    for (int k = 0; k < s->window; k++) {
        free(s->waiting[k].values);
        tp_text_clear(&s->waiting[k].points);
    }
    s->report->is_interrupted = s->is_stopped && s->status == TP_OK && s->written < s->all;
    if (s->status == TP_OUT_OF_MEMORY) return tp_fail(s->why, s->status, no_memory);
    if (s->status != TP_OK)
        return tp_fail(s->why, s->status, "%s", tp_trajectory_writer_message(s->file.writer));
    return TP_OK;
}

/* ---- the whole ----------------------------------------------------------------------------------------- */

/* All that makes two sweeps the same but the scene and the shard. */
static const char *describe(const sweeping *s)
{
    const tp_sweep_def *def = s->def;
    tp_text text = {NULL, 0, 0, false};
    tp_text_add(&text, "sample %d seed %lld from %.17g dt %.17g until %.17g\n", def->sample_count, def->seed,
                def->from, def->time_step, def->end_time);
    tp_text_add(&text, "integrator %s solver %s points %s\n", def->integrator ? def->integrator : "-",
                def->solver ? def->solver : "-", def->points ? def->points : "-");
    for (int k = 0; k < def->edit_count; k++) tp_text_add(&text, "set %.400s\n", def->edits[k]);
    for (int k = 0; k < def->vary_count; k++) tp_text_add(&text, "vary %.400s\n", def->vary[k]);
    for (int k = 0; k < s->measures.count; k++)
        tp_text_add(&text, "result %.400s\n", s->measures.list[k].text);
    tp_text_add_bytes(&text, "", 1);
    const char *copy = text.has_failed ? NULL : tp_arena_text(s->arena, text.bytes);
    tp_text_clear(&text);
    return copy;
}

/* The table that is there already; NULL: none. */
static tp_status read_old(const sweeping *s, const char *description, const char *scene_text,
                          tp_trajectory **old_out)
{
    *old_out = NULL;
    if (access(s->def->path, F_OK) != 0) return TP_OK;
    TP_TRY(tp_trajectory_read_from(s->arena->allocator, s->def->source, s->def->path, old_out, s->why));
    const char *was = tp_sweep_description(*old_out);
    if (was && strcmp(was, description) == 0 && strcmp((*old_out)->scene_text, scene_text) == 0 &&
        tp_sweep_number(*old_out, "shard") == s->def->shard &&
        tp_sweep_number(*old_out, "shard_count") == s->def->shard_count)
        return TP_OK;
    return tp_fail(s->why, TP_INVALID_DATA,
                   "%s is not a table of this sweep; remove it or choose another name", s->def->path);
}

static tp_status check(const tp_sweep_def *def, tp_message *why)
{
    if (def->shard_count < 1 || def->shard < 0 || def->shard >= def->shard_count)
        return tp_fail(why, TP_INVALID_ARGUMENT, "shard %d of %d: must be from 0 to below it", def->shard,
                       def->shard_count);
    if (def->jobs < 1 || def->jobs > JOBS_MAX)
        return tp_fail(why, TP_INVALID_ARGUMENT, "%d jobs: expected 1 to %d", def->jobs, JOBS_MAX);
    return TP_OK;
}

static tp_status prepare(sweeping *s, const char **description_out, const char **scene_text_out)
{
    tp_scene *scene = NULL;
    TP_TRY(tp_sweep_axes_read(&s->axes, s->arena, s->def, s->why));
    tp_status status = read_scene(s, 0, &scene, s->why);
    if (status == TP_OK) status = tp_measures_read(&s->measures, s->arena, s->def, scene->model, s->why);
    if (status == TP_OK) *scene_text_out = tp_arena_text(s->arena, scene->text);
    tp_scene_free(scene);
    if (status != TP_OK) return status;
    *description_out = describe(s);
    if (!*description_out || !*scene_text_out)
        return tp_fail(s->why, TP_OUT_OF_MEMORY, "no memory for the sweep");
    s->all = (s->axes.point_count - s->def->shard + s->def->shard_count - 1) / s->def->shard_count;
    s->report->all = s->all;
    return TP_OK;
}

static tp_status sweep(sweeping *s)
{
    const char *description, *scene_text;
    tp_trajectory *old = NULL;
    TP_TRY(prepare(s, &description, &scene_text));
    tp_status status = read_old(s, description, scene_text, &old);
    if (status == TP_OK)
        status = tp_sweep_file_open(&s->file, s->arena, s->def, &s->axes, &s->measures, description,
                                    scene_text, s->why);
    if (status == TP_OK && old) {
        status = tp_sweep_file_take_up(&s->file, old, s->why);
        s->next = s->written = s->report->before = s->report->done = old->row_count;
    }
    tp_trajectory_free(old);
    if (status == TP_OK) status = work_all(s);
    const tp_table_attribute summary[] = {{"points", NULL, (double)s->report->done}};
    tp_status closed =
        tp_trajectory_writer_close(s->file.writer, summary, 1, status == TP_OK ? s->why : NULL);
    return status == TP_OK ? closed : status;
}

tp_status tp_sweep_run(const tp_allocator *allocator, const tp_sweep_def *def, tp_sweep_report *report_out,
                       tp_message *why_out)
{
    *report_out = (tp_sweep_report){.first_failed = -1};
    TP_TRY(check(def, why_out));
    tp_arena arena = tp_arena_make(allocator);
    sweeping s = {.def = def, .arena = &arena, .report = report_out, .why = why_out};
    tp_status status = sweep(&s);
    tp_arena_clear(&arena);
    return status;
}
