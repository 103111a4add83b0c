/* tippe view RUN.h5: a motion as one HTML page; tippe view --live SCENE: while it is computed. */
#include <float.h>
#include <math.h>

#include "family_names.h"
#include "figure.h"
#include "live.h"
#include "paths.h"
#include "program.h"
#include "recorded.h"
#include "shared_options.h"
#include "tippe/page.h"

typedef struct view_settings {
    option_texts columns, edits;
    const char *output, *scene, *integrator, *solver;
    double every, time_step, end_time; /* [s] NaN: what the scene says */
    int port;
    bool is_quiet, is_live;
} view_settings;

#define FIELD(name) offsetof(view_settings, name)

static const cli_option view_options[] = {
    {"--output", "-o", OPTION_TEXT, FIELD(output), "FILE",
     "ends in .html; default: RUN.html in the folder of the run", 0, 0, NULL},
    {"--columns", NULL, OPTION_TEXTS, FIELD(columns), "LIST",
     "curves that are shown at first, as of tippe plot; others can be chosen in the page", 0, 0, NULL},
    {"--every", NULL, OPTION_REAL, FIELD(every), "S", "time between frames; default 0: every row", 0.0,
     DBL_MAX, "a number of seconds, 0 or more"},
    SHARED_SCENE(view_settings),
    {"--live", NULL, OPTION_FLAG, FIELD(is_live), NULL,
     "simulates a scene and shows it meanwhile, on this machine alone", 0, 0, NULL},
    {"--port", NULL, OPTION_COUNT, FIELD(port), "N", "of --live; default 0: any that is free", 0, 65535,
     "a whole number from 0 to 65535"},
    SHARED_INTEGRATOR(view_settings),
    SHARED_SOLVER(view_settings),
    {"--dt", NULL, OPTION_REAL, FIELD(time_step), "S", "time step of --live, instead of the scene's", DBL_MIN,
     DBL_MAX, "a number of seconds above 0"},
    {"--until", NULL, OPTION_REAL, FIELD(end_time), "S", "end time of --live, instead of the scene's",
     DBL_MIN, DBL_MAX, "a number of seconds above 0"},
    SHARED_SET(view_settings),
    SHARED_QUIET_FILE(view_settings),
    {.name = NULL},
};

static void print_size(const char *path, const tp_page_size *size)
{
    printf("%s: %lld frame%s, %d columns, %.1f MB; open it in a browser\n", path, size->frame_count,
           size->frame_count == 1 ? "" : "s", size->column_count, (double)size->bytes * 1e-6);
    if (size->frame_count < size->row_count)
        printf("%lld of %lld rows\n", size->frame_count, size->row_count);
    if (size->columns_left > 0)
        printf("%d columns left out to keep the page small; --every S makes room, --columns names some\n",
               size->columns_left);
}

static exit_code view_run(const cli_verb *self, const view_settings *settings, const char *run_path,
                          const char *path)
{
    recorded run;
    tp_message why = {""};
    tp_page_size size = {0};
    const named_file page = {"the page", path}, scene = {"the scene", settings->scene};
    if (!check_outputs(self, (file_list){&page, 1}, (file_list){&scene, 1})) return PROGRAM_BAD_INPUT;
    tp_status status = recorded_open(&run, run_path, settings->scene, &why);
    if (status == TP_OK && !check_scene_files(self, (file_list){&page, 1}, run.scene)) {
        recorded_close(&run);
        return PROGRAM_BAD_INPUT;
    }
    const tp_page_options options = {
        .every = settings->every, .columns = settings->columns.text, .column_count = settings->columns.count};
    if (status == TP_OK)
        status = tp_page_export(NULL, run.trajectory, run.scene->model, &options, path, &size, &why);
    if (status == TP_OK && !settings->is_quiet) {
        print_size(path, &size);
    }
    recorded_close(&run);
    return end_with(self, status, &why);
}

/* Options that only one of the two ways has. */
static bool check_way(const cli_verb *self, const view_settings *s)
{
    const struct {
        const char *name;
        bool is_given, is_live;
    } rows[] = {{"--port", s->port != 0, true},
                {"--integrator", s->integrator != NULL, true},
                {"--solver", s->solver != NULL, true},
                {"--dt", !isnan(s->time_step), true},
                {"--until", !isnan(s->end_time), true},
                {"--set", s->edits.count > 0, true},
                {"--scene", s->scene != NULL, false},
                {"--every", s->every > 0.0, false},
                {"--columns", s->columns.count > 0, false}};
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; ++k) {
        if (!rows[k].is_given || rows[k].is_live == s->is_live) continue;
        complain("%s: %s does not go %s --live", self->name, rows[k].name, s->is_live ? "with" : "without");
        return false;
    }
    return true;
}

static exit_code view_live(const cli_verb *self, const view_settings *settings, const char *path)
{
    const live_settings live = {settings->output, settings->port, settings->is_quiet};
    const named_file page = {"the page", settings->output}, file = {"the scene", path};
    tp_scene *scene = NULL;
    tp_message why = {""};
    if (!check_names(self, settings->integrator, settings->solver) ||
        !check_outputs(self, (file_list){&page, 1}, (file_list){&file, 1}))
        return PROGRAM_BAD_INPUT;
    tp_status status = tp_scene_read(NULL, path, settings->edits.text, settings->edits.count, &scene, &why);
    exit_code code = exit_code_of(status);
    if (status != TP_OK) complain("%s: %s", self->name, why.text);
    if (status == TP_OK && !check_scene_files(self, (file_list){&page, 1}, scene)) {
        code = PROGRAM_BAD_INPUT;
    } else if (status == TP_OK) {
        tp_simulation_options options = scene->options;
        if (settings->integrator != NULL) options.integrator = settings->integrator;
        if (settings->solver != NULL) options.solver = settings->solver;
        if (!isnan(settings->time_step)) options.time_step = settings->time_step;
        if (!isnan(settings->end_time)) options.end_time = settings->end_time;
        code = live_run(self, scene, &options, &live);
    }
    tp_scene_free(scene);
    return code;
}

static bool check_page_name(const cli_verb *self, const char *path)
{
    if (path == NULL || has_ending(path, ".html") || has_ending(path, ".htm")) return true;
    complain("%s: %s: the name of a page must end in .html", self->name, path);
    return false;
}

static exit_code run_view(const cli_verb *self, int argument_count, char **arguments)
{
    static char path[FIGURE_PATH_MAX];
    view_settings settings = {.time_step = NAN, .end_time = NAN};
    positionals given;
    if (!options_parse(self, argument_count, arguments, &settings, &given)) return PROGRAM_BAD_INPUT;
    if (!check_way(self, &settings) || !check_page_name(self, settings.output)) return PROGRAM_BAD_INPUT;
    if (settings.is_live) return view_live(self, &settings, given.text[0]);
    if (!figure_path(self, settings.output, ".html", &given, path)) return PROGRAM_BAD_INPUT;
    return view_run(self, &settings, given.text[0], path);
}

const cli_verb verb_view = {
    .name = "view",
    .summary = "Writes a run as a page that shows its motion in a browser",
    .usage = "RUN.h5 [-o FILE.html] [--columns LIST]... [--every S] [--scene SCENE] [--quiet]\n"
             "       tippe view --live SCENE [-o FILE.html] [--port N] [--integrator NAME] [--solver NAME] "
             "[--dt S]\n"
             "                  [--until S] [--set PATH=VALUE]... [--quiet]",
    .text =
        "The page holds everything and needs neither a server nor a network: the motion in space with\n"
        "springs, joints, contact forces and traces, a time line with the events, curves of all recorded\n"
        "quantities with a cursor at the time, and the figures of the report. The key ? lists its keys.\n"
        "  tippe view run.h5\n"
        "  tippe view run.h5 --columns 'energy;step/residual' -o motion.html\n",
    .options = view_options,
    .positionals = "RUN.h5",
    .positional_count = 1,
    .run = run_view,
};
