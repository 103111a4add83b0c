/* tippe sweep SCENE --vary PATH=VALUES: one scene with many values of its parameters. */
#define _POSIX_C_SOURCE 200809L
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "family_names.h"
#include "hdf5_child.h"
#include "interrupt.h"
#include "paths.h"
#include "program.h"
#include "progress.h"
#include "ranks.h"
#include "shared_options.h"
#include "study_report.h"
#include "tippe/sweep.h"

typedef struct sweep_settings {
    option_texts vary, results, edits;
    const char *output, *integrator, *solver, *points, *shard;
    double from, time_step, end_time; /* [s] */
    int sample_count, seed, jobs;
    bool is_quiet, is_merge;
} sweep_settings;

#define FIELD(name) offsetof(sweep_settings, name)

static const cli_option sweep_options[] = {
    {"--vary", NULL, OPTION_TEXTS, FIELD(vary), "PATH=VALUES",
     "FROM:TO:COUNT, FROM:TO:COUNT:log or A,B,C; may be repeated: all combinations", 0, 0, "PATH=VALUES"},
    {"--sample", NULL, OPTION_COUNT, FIELD(sample_count), "N",
     "so many random points instead; then VALUES is FROM:TO or FROM:TO:log", 1, 100000000,
     "a whole number above 0"},
    {"--seed", NULL, OPTION_COUNT, FIELD(seed), "N", "of the sample; default 0", 0, 2147483647,
     "a whole number, 0 or more"},
    {"--result", NULL, OPTION_TEXTS, FIELD(results), "WHAT",
     "end:NAME, max:NAME, min:NAME, mean:NAME, or a figure of the report (impacts, ...)", 0, 0, "WHAT"},
    {"--points", NULL, OPTION_TEXT, FIELD(points), "S|EVENT",
     "keeps values of the results at every S seconds, or at every impact, slip, ...", 0, 0, NULL},
    {"--from", NULL, OPTION_REAL, FIELD(from), "S", "measures from this time on; default 0", 0.0, DBL_MAX,
     "a number of seconds, 0 or more"},
    {"--output", "-o", OPTION_TEXT, FIELD(output), "OUT.h5", "the table; one that is there is taken up again",
     0, 0, NULL},
    {"--shard", NULL, OPTION_TEXT, FIELD(shard), "K/N", "only part K of N, for job arrays; K from 1", 0, 0,
     NULL},
    {"--merge", NULL, OPTION_FLAG, FIELD(is_merge), NULL, "joins the tables of all shards into -o", 0, 0,
     NULL},
    SHARED_INTEGRATOR(sweep_settings),
    SHARED_SOLVER(sweep_settings),
    {"--dt", NULL, OPTION_REAL, FIELD(time_step), "S", "time step, instead of the scene's", DBL_MIN, DBL_MAX,
     "a number of seconds above 0"},
    {"--until", NULL, OPTION_REAL, FIELD(end_time), "S", "end time, instead of the scene's", DBL_MIN, DBL_MAX,
     "a number of seconds above 0"},
    SHARED_SET(sweep_settings),
    SHARED_JOBS(sweep_settings),
    {"--quiet", NULL, OPTION_FLAG, FIELD(is_quiet), NULL, "no progress and no summary", 0, 0, NULL},
    {.name = NULL},
};

static bool show_progress(void *context, long long done, long long all)
{
    progress_show(context, (double)done / (double)all);
    return !interrupt_has_come();
}

/* "3/8": the third of eight. */
static bool read_shard(const cli_verb *self, const char *text, tp_sweep_def *def)
{
    int k = 0, n = 0, used = 0;
    if (text == NULL) return true;
    if (sscanf(text, "%d/%d%n", &k, &n, &used) == 2 && text[used] == '\0' && k >= 1 && n >= k) {
        def->shard = k - 1, def->shard_count = n;
        return true;
    }
    complain("%s: --shard %s: expected K/N with K from 1 to N, such as 3/8", self->name, text);
    return false;
}

static void print_report(const tp_sweep_def *def, const tp_sweep_report *report)
{
    printf("%s: %lld of %lld points", def->path, report->done, report->all);
    if (report->before > 0) printf(", %lld of them from before", report->before);
    printf("\n");
    if (report->failed > 0)
        printf("%lld did not reach their end; the first is point %lld: %s\n", report->failed,
               report->first_failed, report->reason);
    if (report->is_interrupted) printf("interrupted; the same command goes on\n");
}

static exit_code fail(const cli_verb *self, tp_status status, const tp_message *why)
{
    complain("%s: %s", self->name, why->text[0] != '\0' ? why->text : tp_status_text(status));
    return exit_code_of(status);
}

static exit_code sweep_scene(const cli_verb *self, const sweep_settings *settings, tp_sweep_def *def)
{
    tp_sweep_report report;
    tp_message why = {""};
    bool is_shown = !settings->is_quiet && def->shard == 0;
    progress bar = progress_begin(is_shown, 0.0, 1.0);
    bar.is_share = true;
    def->goes_on = show_progress, def->context = &bar;
    interrupt_watch();
    tp_status status = tp_sweep_run(NULL, def, &report, &why);
    progress_end(&bar);
    if (status != TP_OK) return fail(self, status, &why);
    if (!settings->is_quiet) print_report(def, &report);
    return report.is_interrupted ? (exit_code)interrupt_exit_code() : PROGRAM_DONE;
}

static exit_code merge(const cli_verb *self, const sweep_settings *settings, const char *const *paths,
                       int count)
{
    long long rows = 0;
    tp_message why = {""};
    const named_file output = {"-o", settings->output};
    for (int k = 0; k < count; ++k) {
        const named_file input = {"the shard", paths[k]};
        if (!check_outputs(self, (file_list){&output, 1}, (file_list){&input, 1})) return PROGRAM_BAD_INPUT;
    }
    tp_status status = tp_sweep_merge(NULL, &hdf5_child, paths, count, settings->output, &rows, &why);
    if (status != TP_OK) return fail(self, status, &why);
    if (!settings->is_quiet) printf("%s: %lld points of %d shards\n", settings->output, rows, count);
    return PROGRAM_DONE;
}

enum { SHARDS_MAX = POSITIONAL_MAX - 1 };

/* OUT.h5.3-of-8; to be freed. */
static char *part_name(const char *path, int shard, int count)
{
    size_t length = strlen(path) + 32;
    char *part = malloc(length);
    if (part != NULL) snprintf(part, length, "%s.%d-of-%d", path, shard + 1, count);
    return part;
}

static exit_code sweep_parts(const cli_verb *self, const sweep_settings *settings, tp_sweep_def *def,
                             char *const *parts)
{
    const char *paths[SHARDS_MAX];
    for (int k = 0; k < def->shard_count; ++k) paths[k] = parts[k];
    exit_code code = sweep_scene(self, settings, def);
    if (!ranks_all_agree(code == PROGRAM_DONE) || ranks_number() != 0) return code;
    code = merge(self, settings, paths, def->shard_count);
    for (int k = 0; k < def->shard_count && code == PROGRAM_DONE; ++k) remove(parts[k]);
    return code;
}

/* Every rank is a shard; the first merges them. */
static exit_code sweep_ranks(const cli_verb *self, const sweep_settings *settings, tp_sweep_def *def)
{
    char *parts[SHARDS_MAX] = {NULL};
    int count = ranks_count();
    bool has_names = true;
    if (count > SHARDS_MAX || def->shard_count > 1) {
        complain("%s: under MPI at most %d ranks, and no --shard", self->name, SHARDS_MAX);
        return PROGRAM_BAD_INPUT;
    }
    for (int k = 0; k < count; ++k) {
        parts[k] = part_name(settings->output, k, count);
        has_names = has_names && parts[k] != NULL;
    }
    def->shard = ranks_number(), def->shard_count = count, def->path = parts[def->shard];
    exit_code code = has_names ? sweep_parts(self, settings, def, parts) : PROGRAM_NO_RESOURCE;
    for (int k = 0; k < count; ++k) free(parts[k]);
    return code;
}

static exit_code run_sweep(const cli_verb *self, int argument_count, char **arguments)
{
    sweep_settings settings = {.time_step = NAN, .end_time = NAN};
    positionals given;
    if (!options_parse(self, argument_count, arguments, &settings, &given)) return PROGRAM_BAD_INPUT;
    if (settings.output == NULL) {
        complain("%s: missing -o: the table, such as sweep.h5", self->name);
        return PROGRAM_BAD_INPUT;
    }
    if (settings.is_merge) return merge(self, &settings, given.text, given.count);
    if (given.count > 1) {
        complain("%s: one argument too many: %s", self->name, given.text[1]);
        return PROGRAM_BAD_INPUT;
    }
    const named_file output = {"-o", settings.output}, scene = {"the scene", given.text[0]};
    tp_sweep_def def = tp_sweep_def_default();
    def.scene_path = given.text[0], def.path = settings.output, def.source = &hdf5_child;
    def.edits = settings.edits.text, def.edit_count = settings.edits.count;
    def.vary = settings.vary.text, def.vary_count = settings.vary.count;
    def.results = settings.results.text, def.result_count = settings.results.count;
    def.sample_count = settings.sample_count, def.seed = settings.seed;
    def.points = settings.points, def.from = settings.from;
    def.time_step = settings.time_step, def.end_time = settings.end_time;
    def.integrator = settings.integrator, def.solver = settings.solver;
    def.jobs = ranks_count() > 1 && settings.jobs == 0 ? 1 : study_jobs(settings.jobs);
    if (!check_names(self, def.integrator, def.solver) || !read_shard(self, settings.shard, &def) ||
        !check_outputs(self, (file_list){&output, 1}, (file_list){&scene, 1}))
        return PROGRAM_BAD_INPUT;
    return ranks_count() > 1 ? sweep_ranks(self, &settings, &def) : sweep_scene(self, &settings, &def);
}

const cli_verb verb_sweep = {
    .name = "sweep",
    .summary = "Simulates a scene with many values of its parameters",
    .usage = "SCENE --vary PATH=VALUES... -o OUT.h5 [--sample N [--seed N]] [--result WHAT]...\n"
             "                   [--points S|EVENT] [--from S] [--shard K/N] [--integrator NAME] [--solver "
             "NAME] [--dt S]\n"
             "                   [--until S] [--set PATH=VALUE]... [--jobs N] [--quiet]\n"
             "       tippe sweep --merge SHARD.h5... -o OUT.h5",
    .text = "Writes one table: a row for each point with its values, its status and its results. Without "
            "--result:\n"
            "the end of every sensor and some figures of the report. tippe plot draws it: results over one\n"
            "parameter, maps over two, and with --points bifurcation diagrams. Ctrl-C ends after the runs "
            "that go\n"
            "on; the same command goes on where it was, also after a kill. In an MPI build mpirun makes each "
            "rank a\n"
            "shard, and merges them.\n"
            "  tippe sweep scene.yaml --vary parameters.mu=0:1:101 --result max:height -o mu.h5\n"
            "  tippe sweep scene.yaml --vary parameters.mu=0:1 --vary parameters.e=0:1 --sample 1000 -o "
            "random.h5\n"
            "  tippe sweep scene.yaml --vary parameters.mu=0:1:101 --shard 3/8 -o part3.h5\n",
    .options = sweep_options,
    .positionals = "SCENE",
    .positional_count = 1,
    .positional_more = SHARDS_MAX - 1,
    .run = run_sweep,
};
