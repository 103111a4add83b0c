/* tippe check SCENE: what the model is, whether it is sound, and which integrators take it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis_report.h"
#include "check_report.h"
#include "painleve.h"
#include "program.h"
#include "shared_options.h"

typedef struct check_settings {
    option_texts edits, axes;
    const char *output;
    bool as_json, is_expanded, is_painleve;
    analysis_choice choice;
} check_settings;

static const cli_option check_options[] = {
    SHARED_SET(check_settings),
    {"--json", NULL, OPTION_FLAG, offsetof(check_settings, as_json), NULL, "prints one JSON object", 0, 0,
     NULL},
    {"--expand", NULL, OPTION_FLAG, offsetof(check_settings, is_expanded), NULL,
     "prints the scene that repeat and include stand for, and checks nothing else", 0, 0, NULL},
    {"--holonomy", NULL, OPTION_FLAG, offsetof(check_settings, choice.holonomy), NULL,
     "whether the constraints are relations between positions, with a witness if not", 0, 0, NULL},
    {"--forces", NULL, OPTION_FLAG, offsetof(check_settings, choice.forces), NULL,
     "whether the forces have a potential, and laws between bodies a support outside", 0, 0, NULL},
    {"--viability", NULL, OPTION_FLAG, offsetof(check_settings, choice.viability), NULL,
     "whether the initial state can go on under its contacts", 0, 0, NULL},
    {"--reduce", NULL, OPTION_FLAG, offsetof(check_settings, choice.reduce), NULL,
     "minimal coordinates, where the constraints are holonomic", 0, 0, NULL},
    {"--painleve", NULL, OPTION_FLAG, offsetof(check_settings, is_painleve), NULL,
     "how friction couples the normal forces of closed contacts, at the start or along RUN.h5", 0, 0, NULL},
    {"--map", NULL, OPTION_TEXTS, offsetof(check_settings, axes), "NAME=LOW:HIGH:COUNT",
     "with --painleve, twice: the same over two parameters of the scene", 0, 0, "NAME=LOW:HIGH:COUNT"},
    {"--output", "-o", OPTION_TEXT, offsetof(check_settings, output), "FILE",
     "of a map: ends in .svg, .png or .csv", 0, 0, NULL},
    {.name = NULL},
};

/* Asks one integrator; what it says of the model comes from the simulation it would run. */
static tp_status ask_integrator(const tp_scene *scene, int index, integrator_verdict *verdict_out)
{
    tp_simulation_options options = scene->options;
    options.integrator = tp_integrator_info_at(index)->name;
    verdict_out->name = options.integrator;
    tp_message why = {""};
    tp_status status = tp_simulation_create(NULL, scene->model, &options, &verdict_out->simulation, &why);
    verdict_out->is_accepted = status == TP_OK;
    snprintf(verdict_out->reason, sizeof verdict_out->reason, "%s",
             status == TP_OK || why.text[0] != '\0' ? why.text : tp_status_text(status));
    return status;
}

/* The exit code is that of a run of the scene before its first step: of its own integrator. */
static exit_code ask_integrators(const cli_verb *self, const tp_scene *scene, check_result *result)
{
    exit_code code = PROGRAM_DONE;
    for (int k = 0; k < result->verdict_count; ++k) {
        tp_status status = ask_integrator(scene, k, &result->verdicts[k]);
        if (status == TP_OUT_OF_MEMORY) {
            complain("%s: %s", self->name, tp_status_text(status));
            return PROGRAM_NO_RESOURCE;
        }
        if (status != TP_OK && strcmp(result->verdicts[k].name, scene->options.integrator) == 0) {
            complain("%s: the scene's integrator %s: %s", self->name, result->verdicts[k].name,
                     result->verdicts[k].reason);
            snprintf(result->reason, sizeof result->reason, "the scene's integrator refuses it");
            code = exit_code_of(status);
        }
    }
    return code;
}

static exit_code check_scene(const cli_verb *self, const tp_scene *scene, bool as_json)
{
    check_result result = {.scene = scene, .verdict_count = tp_integrator_count()};
    result.verdicts = calloc((size_t)result.verdict_count + 1, sizeof *result.verdicts);
    if (result.verdicts == NULL) {
        complain("%s: %s", self->name, tp_status_text(TP_OUT_OF_MEMORY));
        return PROGRAM_NO_RESOURCE;
    }
    exit_code code = PROGRAM_NO_RESOURCE;
    if (tp_topology_create(NULL, scene->model, scene->options.contact_tolerance, &result.topology) == TP_OK) {
        code = ask_integrators(self, scene, &result);
    } else {
        complain("%s: %s", self->name, tp_status_text(TP_OUT_OF_MEMORY));
    }
    result.is_sound = code == PROGRAM_DONE;
    if (code != PROGRAM_NO_RESOURCE) check_result_print(&result, as_json);
    for (int k = 0; k < result.verdict_count; ++k) {
        tp_simulation_free(result.verdicts[k].simulation);
    }
    tp_topology_free(result.topology);
    free(result.verdicts);
    return code;
}

/* What is asked for, instead of the general report. */
static exit_code analyse_scene(const cli_verb *self, const tp_scene *scene, const analysis_choice *choice,
                               bool as_json)
{
    tp_status status = analysis_print(scene, choice, as_json);
    if (status == TP_OK) return PROGRAM_DONE;
    complain("%s: %s", self->name, tp_status_text(status));
    return exit_code_of(status);
}

static void print_text(void *context, const char *text)
{
    (void)context;
    fputs(text, stdout);
}

static exit_code refuse(const cli_verb *self, const char *path, tp_status status, const tp_message *why,
                        bool as_json)
{
    const char *reason = why->text[0] != '\0' ? why->text : tp_status_text(status);
    complain("%s: %s", self->name, reason);
    if (as_json) check_failure_print_json(path, status, reason);
    return exit_code_of(status);
}

static exit_code run_check(const cli_verb *self, int argument_count, char **arguments)
{
    check_settings settings = {0};
    positionals given;
    if (!options_parse(self, argument_count, arguments, &settings, &given)) return PROGRAM_BAD_INPUT;

    tp_scene *scene = NULL;
    tp_message why = {""};
    const char *path = given.text[0];
    if (settings.is_expanded && settings.as_json) {
        complain("%s: --expand prints YAML; leave --json out", self->name);
        return PROGRAM_BAD_INPUT;
    }
    if (settings.is_painleve) {
        const painleve_request request = {path, &settings.edits, &settings.axes, settings.output,
                                          settings.as_json};
        return painleve_check(self, &request);
    }
    if (settings.axes.count > 0 || settings.output != NULL) {
        complain("%s: --map and -o belong to --painleve", self->name);
        return PROGRAM_BAD_INPUT;
    }
    tp_status status =
        settings.is_expanded
            ? tp_scene_expand(path, settings.edits.text, settings.edits.count, print_text, NULL, &why)
            : tp_scene_read(NULL, path, settings.edits.text, settings.edits.count, &scene, &why);
    if (status != TP_OK) return refuse(self, path, status, &why, settings.as_json);
    if (settings.is_expanded) return PROGRAM_DONE;
    exit_code code = analysis_is_chosen(&settings.choice)
                         ? analyse_scene(self, scene, &settings.choice, settings.as_json)
                         : check_scene(self, scene, settings.as_json);
    tp_scene_free(scene);
    return code;
}

const cli_verb verb_check = {
    .name = "check",
    .summary = "Describes a scene's model and reports whether it is sound",
    .usage =
        "SCENE|RUN.h5 [--set PATH=VALUE]... [--holonomy] [--forces] [--viability] [--reduce] [--json | "
        "--expand]\n"
        "                   [--painleve [--map NAME=LOW:HIGH:COUNT --map NAME=LOW:HIGH:COUNT [-o FILE]]]",
    .text =
        "Degrees of freedom, rank and redundancy of the constraints, consistency of the initial state, the\n"
        "relative degree of every law and which contacts are closed, and for each integrator: yes, yes but\n"
        "(what its equations do to contacts at rest), or no and why. Exit code 2: the scene is unsound, or "
        "its own integrator refuses it.\n\n"
        "With --holonomy, --forces, --viability or --reduce only these are examined; several may be given.\n"
        "With --painleve: for each closed contact with friction how its normal force acts on its normal\n"
        "acceleration while it slides, the distance to the border beyond which rigid bodies jam, and the\n"
        "number of solutions; at the start, along a recorded run, or over two parameters.\n"
        "  tippe check scene.yaml --painleve --map theta=0.2:1.4:60 --map mu=0.5:3:60 -o map.svg\n",
    .options = check_options,
    .positionals = "SCENE",
    .positional_count = 1,
    .run = run_check,
};
