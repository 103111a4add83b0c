/* Engines side by side on the same scenes, judged by one meter:
       bench-scenes [--only TEXT] [--engines A,B] [--settings NAME] [--solver NAME] [--limit S]
                    [--out FILE.csv] [--page FILE.md] [--plot FILE.svg] [SCENE SIZE]...
       bench-scenes --from FILE.csv [--page FILE.md] [--plot FILE.svg]
   README.md of bench/. Each run has a child process, so that an engine that fails costs nothing. */
#include "measure.h"
#include "peer.h"
#include "record.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS_MAX = 400, SCENES_MAX = 40 };

typedef struct asked {
    const char *only, *engines, *settings, *out, *page, *plot;
    const char *from; /* records that are shown; nothing is measured */
    double limit;     /* processor time of the steps of a run [s]; what takes longer is cut there */
    int scene_count;
    const bench_scene_kind *kinds[SCENES_MAX];
    int sizes[SCENES_MAX];
} asked;

/* What a child does. */
typedef struct task {
    const bench_scene *scene;
    const bench_peer *peer;
    const bench_setting *setting;
    double limit;
} task;

typedef struct outcome {
    bool is_open, has_failed;
    bench_figures figures;
} outcome;

static outcome run_steps(const task *t, void *world, bench_sample *sample)
{
    outcome made = {.is_open = true};
    t->peer->read(world, sample);
    bench_meter meter = bench_meter_start(t->scene, sample->bodies);
    double used = 0.0;
    for (int k = 0; k < meter.figures.steps_asked && used < t->limit && !made.has_failed; k++) {
        double begin = bench_processor_time();
        made.has_failed = !t->peer->step(world);
        double seconds = bench_processor_time() - begin;
        used += seconds;
        sample->contact_count = 0;
        if (!made.has_failed) t->peer->read(world, sample);
        if (!made.has_failed) bench_meter_step(&meter, sample, seconds);
    }
    made.figures = bench_meter_end(&meter, sample->bodies);
    if (t->peer->report != NULL) t->peer->report(world, &made.figures);
    return made;
}

static void run_task(void *context, int pipe)
{
    const task *t = context;
    outcome made = {0};
    bench_sample sample = {.bodies = calloc((size_t)t->scene->body_count, sizeof *sample.bodies)};
    bench_limit_processor_time(3.0 * t->limit + 10.0); /* one step without end, and building the scene */
    void *world = sample.bodies != NULL ? t->peer->open(t->scene, t->setting) : NULL;
    if (world != NULL) made = run_steps(t, world, &sample);
    bench_send(pipe, &made, sizeof made);
    if (world != NULL) t->peer->close(world);
    free(sample.bodies), free(sample.contacts);
}

static const char *status_of(int count, const outcome *made, bench_end end)
{
    if (count == 0) return end == BENCH_END_TIME_LIMIT ? "time limit" : "crashed";
    if (!made->is_open) return "not possible";
    if (made->has_failed) return "stopped";
    return made->figures.steps < made->figures.steps_asked ? "time limit" : "ok";
}

static bench_run measure(const task *t)
{
    outcome made = {0};
    bench_end end;
    int count = bench_run_child(run_task, (void *)(size_t)t, sizeof made, 1, &made, &end);
    bench_run run = {.kind = t->scene->kind,
                     .size = t->scene->size,
                     .peer = t->peer->name,
                     .setting = t->setting->name,
                     .status = status_of(count, &made, end),
                     .figures = made.figures};
    fprintf(stderr, "%-6s %5d  %-8s %-16s %-12s %10.4g ms a step\n", run.kind->name, run.size, run.peer,
            run.setting, run.status, run.figures.milliseconds);
    return run;
}

static bool is_wanted(const asked *a, const bench_peer *peer, const bench_setting *setting, int bodies)
{
    if (a->engines != NULL && strstr(a->engines, peer->name) == NULL) return false;
    if (a->settings != NULL && strcmp(setting->name, a->settings) != 0) return false;
    return setting->bodies_max == 0 || bodies <= setting->bodies_max;
}

static int measure_scene(const asked *a, int index, FILE *out, bench_run *runs, int count)
{
    bench_scene scene;
    if (!bench_scene_build(a->kinds[index], a->sizes[index], &scene)) return count;
    for (int p = 0; bench_peers[p] != NULL; p++) {
        const bench_setting *setting = bench_peers[p]->settings;
        for (; setting->name != NULL && count < RUNS_MAX; setting++) {
            if (!is_wanted(a, bench_peers[p], setting, scene.body_count)) continue;
            task t = {&scene, bench_peers[p], setting, a->limit};
            runs[count] = measure(&t);
            bench_runs_write_line(out, &runs[count++]);
        }
    }
    bench_scene_free(&scene);
    return count;
}

static void add_scene(asked *a, const bench_scene_kind *kind, int size)
{
    if (a->scene_count == SCENES_MAX) return;
    a->kinds[a->scene_count] = kind;
    a->sizes[a->scene_count++] = size;
}

static int usage(void)
{
    fprintf(stderr, "usage: bench-scenes [--only TEXT] [--engines A,B] [--settings NAME] [--solver NAME]\n"
                    "       [--limit S] [--out FILE.csv] [--page FILE.md] [--plot FILE.svg] [SCENE SIZE]...\n"
                    "       bench-scenes --from FILE.csv [--page FILE.md] [--plot FILE.svg]\nscenes:");
    for (int k = 0; k < bench_scene_kind_count; k++) fprintf(stderr, " %s", bench_scene_kinds[k].name);
    fprintf(stderr, "\n");
    return 2;
}

static int read_arguments(int count, char **arguments, asked *a)
{
    struct {
        const char *name, **value;
    } texts[] = {{"--only", &a->only},         {"--engines", &a->engines},
                 {"--settings", &a->settings}, {"--out", &a->out},
                 {"--page", &a->page},         {"--plot", &a->plot},
                 {"--from", &a->from},         {"--solver", &bench_tippe_solver}};
    for (int i = 1; i + 1 < count || i < count; i += 2) {
        const bench_scene_kind *kind = bench_scene_kind_named(arguments[i]);
        bool is_known = false;
        if (i + 1 == count) return usage();
        for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++) {
            if (strcmp(arguments[i], texts[k].name) != 0) continue;
            *texts[k].value = arguments[i + 1];
            is_known = true;
        }
        if (kind != NULL && atoi(arguments[i + 1]) > 0)
            add_scene(a, kind, atoi(arguments[i + 1]));
        else if (strcmp(arguments[i], "--limit") == 0)
            a->limit = atof(arguments[i + 1]);
        else if (!is_known)
            return usage();
    }
    return a->limit > 0.0 ? 0 : usage();
}

static void add_default_scenes(asked *a)
{
    for (int k = 0; k < bench_scene_kind_count; k++) {
        const bench_scene_kind *kind = &bench_scene_kinds[k];
        if (a->only != NULL && strstr(kind->name, a->only) == NULL) continue;
        for (int s = 0; s < BENCH_SCENE_SIZES && kind->sizes[s] > 0; s++) add_scene(a, kind, kind->sizes[s]);
    }
}

/* Measures all that is asked for; -1: the record cannot be written. */
static int measure_all(asked *a, bench_run *runs)
{
    int count = 0;
    FILE *out = fopen(a->out, "w");
    if (out == NULL) return -1;
    if (a->scene_count == 0) add_default_scenes(a);
    bench_runs_write_header(out);
    for (int k = 0; k < a->scene_count; k++) count = measure_scene(a, k, out, runs, count);
    return fclose(out) == 0 ? count : -1;
}

int main(int argument_count, char **arguments)
{
    static bench_run runs[RUNS_MAX];
    asked a = {.out = "scenes.csv", .limit = 60.0};
    int code = read_arguments(argument_count, arguments, &a);
    if (code != 0) return code;
    bench_use_one_thread(arguments);
    int count = a.from != NULL ? bench_runs_read(a.from, runs, RUNS_MAX) : measure_all(&a, runs);
    if (count < 0) {
        fprintf(stderr, "bench-scenes: %s cannot be used\n", a.from != NULL ? a.from : a.out);
        return 4;
    }
    bool is_fine = true;
    if (a.page != NULL)
        is_fine = bench_runs_update_page(a.page, runs, count);
    else
        bench_runs_write_markdown(stdout, runs, count);
    if (a.plot != NULL) is_fine = bench_runs_plot(a.plot, runs, count) && is_fine;
    return is_fine ? 0 : 4;
}
