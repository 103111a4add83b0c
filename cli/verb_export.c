/* tippe export RUN.h5 -o PLACE: a recorded run as frames for ParaView. */
#include <float.h>

#include "paths.h"
#include "program.h"
#include "recorded.h"
#include "shared_options.h"
#include "tippe/paraview.h"

typedef struct export_settings {
    const char *output, *scene;
    double every; /* [s] */
    bool is_quiet;
} export_settings;

#define FIELD(name) offsetof(export_settings, name)

static const cli_option export_options[] = {
    {"--output", "-o", OPTION_TEXT, FIELD(output), "PLACE", "a folder, or NAME.pvd with the folder NAME", 0,
     0, NULL},
    {"--every", NULL, OPTION_REAL, FIELD(every), "S", "time between frames; default 0: every row", 0.0,
     DBL_MAX, "a number of seconds, 0 or more"},
    SHARED_SCENE(export_settings),
    SHARED_QUIET_FILE(export_settings),
    {.name = NULL},
};

static exit_code run_export(const cli_verb *self, int argument_count, char **arguments)
{
    export_settings settings = {0};
    positionals given;
    if (!options_parse(self, argument_count, arguments, &settings, &given)) return PROGRAM_BAD_INPUT;
    const char *path = given.text[0];
    if (settings.output == NULL) {
        complain("%s: missing -o: a folder, or NAME.pvd", self->name);
        return PROGRAM_BAD_INPUT;
    }
    char index[INDEX_PATH_MAX];
    const named_file outputs[] = {{"-o", settings.output}, {"-o", paraview_index(settings.output, index)}};
    const named_file inputs[] = {{"the run", path}, {"the scene", settings.scene}};
    if (!check_outputs(self, FILE_LIST(outputs), FILE_LIST(inputs))) return PROGRAM_BAD_INPUT;
    recorded run;
    tp_message why = {""};
    long long count = 0;
    tp_status status = recorded_open(&run, path, settings.scene, &why);
    if (status == TP_OK && !check_scene_files(self, FILE_LIST(outputs), run.scene)) {
        recorded_close(&run);
        return PROGRAM_BAD_INPUT;
    }
    if (status == TP_OK) {
        status = tp_paraview_export(NULL, run.trajectory, run.scene->model, settings.output, settings.every,
                                    &count, &why);
    }
    if (status == TP_OK && !settings.is_quiet) {
        printf("%s: %lld frame%s\n", settings.output, count, count == 1 ? "" : "s");
    }
    recorded_close(&run);
    return end_with(self, status, &why);
}

const cli_verb verb_export = {
    .name = "export",
    .summary = "Writes a recorded run as frames for ParaView",
    .usage = "RUN.h5 -o PLACE [--every S] [--scene SCENE] [--quiet]",
    .text = "Draws what the section draw of the scene says, at every row of the run. PLACE is a folder, "
            "which gets\n"
            "the index motion.pvd and the frames, or NAME.pvd, whose frames go to the folder NAME. Open the "
            "index\n"
            "in ParaView.\n"
            "  tippe export run.h5 -o run.pvd --every 0.01\n",
    .options = export_options,
    .positionals = "RUN.h5",
    .positional_count = 1,
    .run = run_export,
};
