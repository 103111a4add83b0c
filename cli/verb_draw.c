/* tippe draw RUN.h5: several moments of a motion in one picture. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "figure.h"
#include "paths.h"
#include "program.h"
#include "recorded.h"
#include "shared_options.h"
#include "tippe/picture.h"

typedef struct draw_settings {
    const char *output, *scene, *view, *size, *at;
    int frame_count, dots_per_inch;
    double from, until; /* [s] */
    bool is_side_by_side, is_quiet;
} draw_settings;

#define FIELD(name) offsetof(draw_settings, name)

static const cli_option draw_options[] = {
    {"--output", "-o", OPTION_TEXT, FIELD(output), "FILE",
     "ends in .svg or .png; default: RUN-moments.svg in the folder of the run", 0, 0, NULL},
    {"--frames", NULL, OPTION_COUNT, FIELD(frame_count), "N", "how many moments; default 12", 1,
     TP_PICTURE_FRAMES_MAX, "a whole number from 1 to 200"},
    SHARED_MOMENTS(draw_settings),
    {"--at", NULL, OPTION_TEXT, FIELD(at), "S,S,...|events",
     "the moments: times, or where events are, at most --frames of them", 0, 0, NULL},
    {"--side-by-side", NULL, OPTION_FLAG, FIELD(is_side_by_side), NULL,
     "draw the moments side by side, not on top of each other", 0, 0, NULL},
    SHARED_VIEW(draw_settings),
    SHARED_SCENE(draw_settings),
    SHARED_SIZE(draw_settings),
    SHARED_DPI(draw_settings),
    SHARED_QUIET_FILE(draw_settings),
    {.name = NULL},
};

/* Times with commas between them, ascending. */
static bool read_times(const cli_verb *self, const char *text, double *times, int *count_out)
{
    const char *at = text;
    for (*count_out = 0; *count_out < TP_PICTURE_FRAMES_MAX;) {
        char *end = NULL;
        double time = strtod(at, &end);
        bool is_later = *count_out == 0 || time > times[*count_out - 1];
        if (end == at || !isfinite(time) || !is_later || (*end != ',' && *end != '\0')) break;
        times[(*count_out)++] = time;
        if (*end == '\0') return true;
        at = end + 1;
    }
    complain("%s: --at %s: expected events, or up to %d ascending times such as 0.1,0.25,1", self->name, text,
             TP_PICTURE_FRAMES_MAX);
    return false;
}

/* Times at which something happened, evenly among them if there are more than wanted. */
static bool find_events(const cli_verb *self, const tp_trajectory *run, int wanted, double *times,
                        int *count_out)
{
    const tp_table *events = tp_trajectory_table(run, "events");
    int column = events != NULL ? tp_table_find(events, "time") : -1;
    long long count = 0;
    const double *all = column >= 0 ? events->values[column] : NULL;
    for (long long k = 0; all != NULL && k < events->row_count; ++k) count += k == 0 || all[k] > all[k - 1];
    int chosen = count < wanted ? (int)count : wanted;
    long long seen = 0;
    *count_out = 0;
    for (long long k = 0; chosen > 0 && k < events->row_count; ++k) {
        if (k > 0 && !(all[k] > all[k - 1])) continue;
        long long due = chosen > 1 ? *count_out * (count - 1) / (chosen - 1) : 0;
        if (seen++ == due && *count_out < chosen) times[(*count_out)++] = all[k];
    }
    if (*count_out > 0) return true;
    complain("%s: --at events: the run has no events", self->name);
    return false;
}

static bool choose_times(const cli_verb *self, const draw_settings *settings, const tp_trajectory *run,
                         tp_picture_options *options, double *times)
{
    if (settings->at == NULL) return true;
    options->times = times;
    if (strcmp(settings->at, "events") != 0)
        return read_times(self, settings->at, times, &options->time_count);
    return find_events(self, run, options->frame_count, times, &options->time_count);
}

static exit_code draw_run(const cli_verb *self, const draw_settings *settings, const char *run_path,
                          tp_picture_options *options, const char *path)
{
    static double times[TP_PICTURE_FRAMES_MAX];
    recorded run;
    tp_message why = {""};
    int count = 0;
    const named_file picture = {"the picture", path}, scene = {"the scene", settings->scene};
    if (!check_outputs(self, (file_list){&picture, 1}, (file_list){&scene, 1})) return PROGRAM_BAD_INPUT;
    tp_status status = recorded_open(&run, run_path, settings->scene, &why);
    if (status == TP_OK && (!check_scene_files(self, (file_list){&picture, 1}, run.scene) ||
                            !choose_times(self, settings, run.trajectory, options, times))) {
        recorded_close(&run);
        return PROGRAM_BAD_INPUT;
    }
    if (status == TP_OK) {
        status = tp_picture_write(NULL, run.scene->model, run.trajectory, options, path, &count, &why);
    }
    if (status == TP_OK && !settings->is_quiet) {
        printf("%s: %d moment%s\n", path, count, count == 1 ? "" : "s");
    }
    recorded_close(&run);
    return end_with(self, status, &why);
}

static exit_code run_draw(const cli_verb *self, int argument_count, char **arguments)
{
    static char path[FIGURE_PATH_MAX];
    tp_picture_options options = tp_picture_options_default();
    draw_settings settings = {.frame_count = options.frame_count,
                              .dots_per_inch = (int)options.dots_per_inch,
                              .from = NAN,
                              .until = NAN};
    positionals given;
    if (!options_parse(self, argument_count, arguments, &settings, &given)) return PROGRAM_BAD_INPUT;
    if (!figure_view(self, settings.view, &options)) return PROGRAM_BAD_INPUT;
    if (!figure_size(self, settings.size, &options.width, &options.height)) return PROGRAM_BAD_INPUT;
    if (!figure_path(self, settings.output, "-moments.svg", &given, path)) return PROGRAM_BAD_INPUT;
    options.frame_count = settings.frame_count;
    options.from = settings.from;
    options.until = settings.until;
    options.is_side_by_side = settings.is_side_by_side;
    options.dots_per_inch = settings.dots_per_inch;
    return draw_run(self, &settings, given.text[0], &options, path);
}

const cli_verb verb_draw = {
    .name = "draw",
    .summary = "Draws several moments of a run in one picture",
    .usage = "RUN.h5 [-o FILE.svg|FILE.png] [--frames N] [--from S] [--until S] [--at S,S,...|events]\n"
             "                  [--side-by-side] [--view VIEW] [options]",
    .text =
        "Draws bodies, springs, joints and the section draw of the scene. The moments lie one over the\n"
        "other, the early ones pale, or side by side with their times. Without --view a motion in a plane\n"
        "is seen along the plane's normal, another one from the front and above; up is against gravity.\n"
        "  tippe draw run.h5 --frames 20 -o motion.png\n"
        "  tippe draw run.h5 --frames 6 --until 0.15 --side-by-side\n"
        "  tippe draw run.h5 --at events --side-by-side\n",
    .options = draw_options,
    .positionals = "RUN.h5",
    .positional_count = 1,
    .run = run_draw,
};
