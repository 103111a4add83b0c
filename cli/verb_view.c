/* tippe view RUN.h5: a motion as one HTML page. */
#include <float.h>

#include "figure.h"
#include "paths.h"
#include "program.h"
#include "recorded.h"
#include "shared_options.h"
#include "tippe/page.h"

typedef struct view_settings {
    option_texts columns;
    const char *output, *scene;
    double every; /* [s] */
    bool is_quiet;
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
    if (status != TP_OK) {
        complain("%s: %s", self->name, why.text[0] != '\0' ? why.text : tp_status_text(status));
    } else if (!settings->is_quiet) {
        print_size(path, &size);
    }
    recorded_close(&run);
    return exit_code_of(status);
}

static exit_code run_view(const cli_verb *self, int argument_count, char **arguments)
{
    static char path[FIGURE_PATH_MAX];
    view_settings settings = {.output = NULL};
    positionals given;
    if (!options_parse(self, argument_count, arguments, &settings, &given)) return PROGRAM_BAD_INPUT;
    if (!figure_path(self, settings.output, ".html", &given, path)) return PROGRAM_BAD_INPUT;
    if (!has_ending(path, ".html") && !has_ending(path, ".htm")) {
        complain("%s: %s: the name of a page must end in .html", self->name, path);
        return PROGRAM_BAD_INPUT;
    }
    return view_run(self, &settings, given.text[0], path);
}

const cli_verb verb_view = {
    .name = "view",
    .summary = "Writes a run as a page that shows its motion in a browser",
    .usage = "RUN.h5 [-o FILE.html] [--columns LIST]... [--every S] [--scene SCENE] [--quiet]",
    .text =
        "The page holds everything and needs neither a server nor a network: the motion in space with\n"
        "springs, joints, contact forces and traces, a time line with the events, curves of all recorded\n"
        "quantities with a cursor at the time, and the figures of the report. The key ? lists its keys.\n"
        "  tippe view run.h5\n"
        "  tippe view run.h5 --columns 'energy;step/residual' -o motion.html\n",
    .options = view_options,
    .positionals = "RUN.h5",
    .positional_min = 1,
    .positional_max = 1,
    .run = run_view,
};
