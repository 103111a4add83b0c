/* tippe draw RUN.h5: several moments of a motion in one picture. */
#include <float.h>
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
    const char *output, *scene, *view, *size;
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
    {"--from", NULL, OPTION_REAL, FIELD(from), "S", "time of the first one; default: start of the run",
     -DBL_MAX, DBL_MAX, "a number of seconds"},
    {"--until", NULL, OPTION_REAL, FIELD(until), "S", "time of the last one; default: end of the run",
     -DBL_MAX, DBL_MAX, "a number of seconds"},
    {"--side-by-side", NULL, OPTION_FLAG, FIELD(is_side_by_side), NULL,
     "draw the moments side by side, not on top of each other", 0, 0, NULL},
    {"--view", NULL, OPTION_TEXT, FIELD(view), "VIEW",
     "xy, xz, yz (axes to the right and upwards), iso, or X,Y,Z: where to look from", 0, 0, NULL},
    SHARED_SCENE(draw_settings),
    SHARED_SIZE(draw_settings),
    SHARED_DPI(draw_settings),
    SHARED_QUIET_FILE(draw_settings),
    {.name = NULL},
};

/* A word, or three numbers with commas between them. */
static bool read_view(const cli_verb *self, const char *text, tp_picture_options *options)
{
    static const struct {
        const char *name;
        tp_look look;
        tp_vec3 view, up;
    } known[] = {{"xy", TP_LOOK_FROM, {0, 0, 1}, {0, 1, 0}},
                 {"xz", TP_LOOK_FROM, {0, -1, 0}, {0, 0, 1}},
                 {"yz", TP_LOOK_FROM, {1, 0, 0}, {0, 0, 1}},
                 {"iso", TP_LOOK_OBLIQUE, {0, 0, 0}, {0, 0, 0}}};
    if (text == NULL) return true;
    for (size_t k = 0; k < sizeof known / sizeof known[0]; ++k) {
        if (strcmp(text, known[k].name) != 0) continue;
        options->look = known[k].look, options->view = known[k].view, options->up = known[k].up;
        return true;
    }
    options->look = TP_LOOK_FROM;
    double part[3] = {0.0, 0.0, 0.0};
    const char *at = text;
    char *end = NULL;
    for (int k = 0; k < 3; ++k, at = end + 1) {
        part[k] = strtod(at, &end);
        if (end == at || !isfinite(part[k]) || *end != (k < 2 ? ',' : '\0')) break;
        if (k < 2) continue;
        options->view = tp_vec3_make(part[0], part[1], part[2]);
        return true;
    }
    complain("%s: --view %s: expected xy, xz, yz, iso, or a direction such as 1,-2,0.5", self->name, text);
    return false;
}

static exit_code draw_run(const cli_verb *self, const draw_settings *settings, const char *run_path,
                          const tp_picture_options *options, const char *path)
{
    recorded run;
    tp_message why = {""};
    int count = 0;
    const named_file picture = {"the picture", path}, scene = {"the scene", settings->scene};
    if (!check_outputs(self, (file_list){&picture, 1}, (file_list){&scene, 1})) return PROGRAM_BAD_INPUT;
    tp_status status = recorded_open(&run, run_path, settings->scene, &why);
    if (status == TP_OK && !check_scene_files(self, (file_list){&picture, 1}, run.scene)) {
        recorded_close(&run);
        return PROGRAM_BAD_INPUT;
    }
    if (status == TP_OK) {
        status = tp_picture_write(NULL, run.scene->model, run.trajectory, options, path, &count, &why);
    }
    if (status != TP_OK) {
        complain("%s: %s", self->name, why.text[0] != '\0' ? why.text : tp_status_text(status));
    } else if (!settings->is_quiet) {
        printf("%s: %d moment%s\n", path, count, count == 1 ? "" : "s");
    }
    recorded_close(&run);
    return exit_code_of(status);
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
    if (!read_view(self, settings.view, &options)) return PROGRAM_BAD_INPUT;
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
    .usage = "RUN.h5 [-o FILE.svg|FILE.png] [--frames N] [--from S] [--until S] [--side-by-side]\n"
             "                  [--view VIEW] [options]",
    .text =
        "Draws bodies, springs, joints and the section draw of the scene. The moments lie one over the\n"
        "other, the early ones pale, or side by side with their times. Without --view a motion in a plane\n"
        "is seen along the plane's normal, another one from the front and above; up is against gravity.\n"
        "  tippe draw run.h5 --frames 20 -o motion.png\n"
        "  tippe draw run.h5 --frames 6 --until 0.15 --side-by-side\n",
    .options = draw_options,
    .positionals = "RUN.h5",
    .positional_min = 1,
    .positional_max = 1,
    .run = run_draw,
};
