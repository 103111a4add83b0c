/* tippe film RUN.h5 -o FILE: a run as GIF, animated PNG or frames. */
#include <float.h>
#include <math.h>

#include "figure.h"
#include "paths.h"
#include "program.h"
#include "recorded.h"
#include "shared_options.h"
#include "tippe/picture.h"

typedef struct film_settings {
    const char *output, *scene, *view, *size;
    int dots_per_inch;
    double from, until, rate, speed; /* [s] [s] [1/s] [1] */
    bool is_quiet;
} film_settings;

#define FIELD(name) offsetof(film_settings, name)

static const cli_option film_options[] = {
    {"--output", "-o", OPTION_TEXT, FIELD(output), "FILE",
     "ends in .gif or .png, or in / for a folder of frames; default: RUN.gif", 0, 0, NULL},
    {"--speed", NULL, OPTION_REAL, FIELD(speed), "X",
     "seconds of the run in a second; default: by which the film takes 2 to 20 s", DBL_MIN, DBL_MAX,
     "a number above 0"},
    {"--fps", NULL, OPTION_REAL, FIELD(rate), "N", "frames a second; default 25", 0.01, 100.0,
     "a number from 0.01 to 100"},
    SHARED_MOMENTS(film_settings),
    SHARED_VIEW(film_settings),
    SHARED_SCENE(film_settings),
    SHARED_SIZE(film_settings),
    {"--dpi", NULL, OPTION_COUNT, FIELD(dots_per_inch), "N", "dots per inch; default 96", 10, 600,
     "a whole number from 10 to 600"},
    SHARED_QUIET_FILE(film_settings),
    {.name = NULL},
};

static exit_code film_run(const cli_verb *self, const film_settings *settings, const char *run_path,
                          const tp_film_options *options, const char *path)
{
    recorded run;
    tp_message why = {""};
    int count = 0;
    const named_file film = {"the film", path}, scene = {"the scene", settings->scene};
    if (!check_outputs(self, (file_list){&film, 1}, (file_list){&scene, 1})) return PROGRAM_BAD_INPUT;
    tp_status status = recorded_open(&run, run_path, settings->scene, &why);
    if (status == TP_OK && !check_scene_files(self, (file_list){&film, 1}, run.scene)) {
        recorded_close(&run);
        return PROGRAM_BAD_INPUT;
    }
    if (status == TP_OK)
        status = tp_film_write(NULL, run.scene->model, run.trajectory, options, path, &count, &why);
    if (status == TP_OK && !settings->is_quiet) {
        printf("%s: %d frame%s\n", path, count, count == 1 ? "" : "s");
    }
    recorded_close(&run);
    return end_with(self, status, &why);
}

static exit_code run_film(const cli_verb *self, int argument_count, char **arguments)
{
    static char path[FIGURE_PATH_MAX];
    tp_film_options options = tp_film_options_default();
    film_settings settings = {.dots_per_inch = (int)options.picture.dots_per_inch,
                              .rate = options.frames_per_second,
                              .from = NAN,
                              .until = NAN};
    positionals given;
    if (!options_parse(self, argument_count, arguments, &settings, &given)) return PROGRAM_BAD_INPUT;
    if (!figure_view(self, settings.view, &options.picture)) return PROGRAM_BAD_INPUT;
    if (!figure_size(self, settings.size, &options.picture.width, &options.picture.height))
        return PROGRAM_BAD_INPUT;
    if (!figure_path(self, settings.output, ".gif", &given, path)) return PROGRAM_BAD_INPUT;
    options.picture.from = settings.from, options.picture.until = settings.until;
    options.picture.dots_per_inch = settings.dots_per_inch;
    options.frames_per_second = settings.rate;
    options.speed = settings.speed;
    return film_run(self, &settings, given.text[0], &options, path);
}

const cli_verb verb_film = {
    .name = "film",
    .summary = "Writes a run as GIF, animated PNG or frames",
    .usage =
        "RUN.h5 [-o FILE.gif|FILE.png|FOLDER/] [--speed X] [--fps N] [--from S] [--until S] [--view VIEW]\n"
        "                  [options]",
    .text =
        "Shows what tippe draw shows, one moment after the other. Frames are rows of the run, shown as long\n"
        "as they last; write more rows (output: {every: ...}) for a smoother film.\n"
        "  tippe film run.h5 -o toy.gif --speed 0.1\n"
        "  tippe film run.h5 -o toy.png --fps 50 --size 320x0\n"
        "  tippe film run.h5 -o frames/\n",
    .options = film_options,
    .positionals = "RUN.h5",
    .positional_count = 1,
    .run = run_film,
};
