/* tippe orbit SCENE: a periodic orbit of the event-driven motion and its multipliers. */
#include <float.h>
#include <math.h>

#include "json.h"
#include "program.h"
#include "shared_options.h"
#include "tippe/orbit.h"
#include "tippe/scene.h"

typedef struct orbit_settings {
    option_texts edits;
    const char *event, *of;
    int event_count, max_iterations;
    double period, guess, from, tolerance, rtol;
    bool is_json, is_free;
} orbit_settings;

#define FIELD(name) offsetof(orbit_settings, name)

static const cli_option orbit_options[] = {
    {"--period", NULL, OPTION_REAL, FIELD(period), "S",
     "period of the orbit, of a motion that is driven: that of the drive, or a multiple", DBL_MIN, DBL_MAX,
     "a number of seconds above 0"},
    {"--guess", NULL, OPTION_REAL, FIELD(guess), "S", "first guess of the period of an autonomous motion",
     DBL_MIN, DBL_MAX, "a number of seconds above 0"},
    {"--event", NULL, OPTION_TEXT, FIELD(event), "KIND",
     "the same guess from the last events of a kind before --from:" TP_EVENT_KIND_WORDS, 0, 0, NULL},
    {"--of", NULL, OPTION_TEXT, FIELD(of), "NAME", "events of this law alone", 0, 0, NULL},
    {"--count", NULL, OPTION_COUNT, FIELD(event_count), "N", "of these events in a period; 1", 1, 1000,
     "a whole number from 1 to 1000"},
    {"--from", NULL, OPTION_REAL, FIELD(from), "S",
     "follows the motion from the initial state until then; the orbit starts there", 0.0, DBL_MAX,
     "a number of seconds, 0 or more"},
    {"--tolerance", NULL, OPTION_REAL, FIELD(tolerance), "E",
     "largest error of the return, over length and velocity of the scene; 1e-9", DBL_MIN, 1.0,
     "a number above 0"},
    {"--iterations", NULL, OPTION_COUNT, FIELD(max_iterations), "N", "of Newton's method, at most; 20", 0,
     1000, "a whole number from 0 to 1000"},
    SHARED_SET(orbit_settings),
    {"--json", NULL, OPTION_FLAG, FIELD(is_json), NULL, "prints one JSON object", 0, 0, NULL},
    {.name = NULL},
};

/* One way to say what the period is. */
static bool make_def(const cli_verb *self, const orbit_settings *settings, tp_orbit_def *def_out)
{
    bool has_period = !isnan(settings->period), has_guess = !isnan(settings->guess);
    if (has_period + has_guess + (settings->event != NULL) != 1) {
        complain("%s: expected one of --period S, --guess S and --event KIND", self->name);
        return false;
    }
    if (settings->of != NULL && settings->event == NULL) {
        complain("%s: --of needs --event KIND", self->name);
        return false;
    }
    *def_out = tp_orbit_def_default();
    def_out->period = has_period ? settings->period : has_guess ? settings->guess : 0.0;
    def_out->is_period_free = !has_period;
    def_out->from = settings->from;
    def_out->event = settings->event;
    def_out->of = settings->of;
    def_out->event_count = settings->event_count;
    def_out->tolerance = settings->tolerance;
    def_out->max_iterations = settings->max_iterations;
    return true;
}

static const char *judge(const tp_orbit *orbit)
{
    return orbit->largest < 1.0 - 1e-6 ? "attracts" : orbit->largest > 1.0 + 1e-6 ? "repels" : "neutral";
}

enum { EVENTS_MAX = 40, STATE_MAX = 14 }; /* on the terminal; --json has all */

static void print_orbit(const tp_orbit *orbit, const tp_model *model)
{
    printf("period       %.12g s from %.9g s, closes to %.2g after %d iteration%s\n", orbit->period,
           orbit->start, orbit->error, orbit->iterations, orbit->iterations == 1 ? "" : "s");
    for (int i = 0; i < orbit->q_count && orbit->q_count <= STATE_MAX; ++i)
        printf("  %-14s %.12g\n", tp_model_coordinate_name(model, i), orbit->q[i]);
    for (int i = 0; i < orbit->u_count && orbit->u_count <= STATE_MAX; ++i)
        printf("  %-14s %.12g\n", tp_model_velocity_name(model, i), orbit->u[i]);
    for (int i = 0; i < orbit->q_count; ++i) {
        if (orbit->drift[i] != 0.0)
            printf("drift        %s moves on by %.12g each period\n", tp_model_coordinate_name(model, i),
                   orbit->drift[i]);
    }
    int shown = orbit->event_count < EVENTS_MAX ? orbit->event_count : EVENTS_MAX;
    printf("events       %d, of them %d impact%s\n", orbit->event_count, orbit->impact_count,
           orbit->impact_count == 1 ? "" : "s");
    for (int i = 0; i < shown; ++i) {
        const tp_orbit_event *event = &orbit->events[i];
        printf("  %16.12f %-12s %s", event->time, tp_event_kind_name((int)event->kind), event->name);
        if (event->kind == TP_EVENT_IMPACT)
            printf(", %.9g to %.9g m/s", event->velocity_before, event->velocity_after);
        printf("\n");
    }
    if (shown < orbit->event_count) printf("  ...\n");
    printf("multipliers ");
    for (int i = 0; i < orbit->dimension; ++i) {
        printf(" %.9g", orbit->real[i]);
        if (orbit->imaginary[i] != 0.0) printf("%+.9gi", orbit->imaginary[i]);
    }
    printf("\ndeterminant  %.12g\n", orbit->determinant);
    printf("stability    %s: largest modulus %.9g", judge(orbit), orbit->largest);
    if (orbit->trivial_count > 0)
        printf(" besides %d that %s always 1", orbit->trivial_count,
               orbit->trivial_count == 1 ? "is" : "are");
    printf("\n");
    if (orbit->together_count > 0)
        printf(
            "together     %d instant%s with several events at once: multipliers hold for one order of them\n",
            orbit->together_count, orbit->together_count == 1 ? "" : "s");
}

static void write_json(const tp_orbit *orbit, const char *path)
{
    json_writer json = json_begin_object(stdout);
    json_text_at(&json, "scene", path);
    json_real_at(&json, "start", orbit->start);
    json_real_at(&json, "period", orbit->period);
    json_real_at(&json, "error", orbit->error);
    json_integer_at(&json, "iterations", orbit->iterations);
    json_reals_at(&json, "q", orbit->q, orbit->q_count);
    json_reals_at(&json, "u", orbit->u, orbit->u_count);
    json_reals_at(&json, "drift", orbit->drift, orbit->q_count);
    json_open_at(&json, "multipliers", '[');
    for (int i = 0; i < orbit->dimension; ++i)
        json_reals(&json, (double[]){orbit->real[i], orbit->imaginary[i]}, 2);
    json_close(&json, ']');
    json_real_at(&json, "determinant", orbit->determinant);
    json_integer_at(&json, "trivial", orbit->trivial_count);
    json_real_at(&json, "largest", orbit->largest);
    json_text_at(&json, "stability", judge(orbit));
    json_reals_at(&json, "monodromy", orbit->monodromy, orbit->dimension * orbit->dimension);
    json_integer_at(&json, "impacts", orbit->impact_count);
    json_integer_at(&json, "together", orbit->together_count);
    json_real_at(&json, "slowest_event", orbit->slowest_event);
    json_real_at(&json, "mismatch", orbit->mismatch);
    json_open_at(&json, "events", '[');
    for (int i = 0; i < orbit->event_count; ++i) {
        const tp_orbit_event *event = &orbit->events[i];
        json_open(&json, '{');
        json_real_at(&json, "time", event->time);
        json_text_at(&json, "kind", tp_event_kind_name((int)event->kind));
        json_text_at(&json, "of", event->name);
        json_real_at(&json, "impulse", event->impulse);
        json_real_at(&json, "before", event->velocity_before);
        json_real_at(&json, "after", event->velocity_after);
        json_close(&json, '}');
    }
    json_close(&json, ']');
    json_end_object(&json);
}

static exit_code run_orbit(const cli_verb *self, int argument_count, char **arguments)
{
    orbit_settings settings = {
        .period = NAN, .guess = NAN, .tolerance = 1e-9, .event_count = 1, .max_iterations = 20};
    positionals given;
    tp_orbit_def def;
    if (!options_parse(self, argument_count, arguments, &settings, &given) ||
        !make_def(self, &settings, &def))
        return PROGRAM_BAD_INPUT;
    tp_scene *scene = NULL;
    tp_orbit *orbit = NULL;
    tp_message why = {""};
    tp_status status =
        tp_scene_read(NULL, given.text[0], settings.edits.text, settings.edits.count, &scene, &why);
    if (status == TP_OK) status = tp_orbit_find(NULL, scene->model, &scene->options, &def, &orbit, &why);
    if (status == TP_OK && settings.is_json) write_json(orbit, given.text[0]);
    if (status == TP_OK && !settings.is_json) print_orbit(orbit, scene->model);
    tp_orbit_free(orbit);
    tp_scene_free(scene);
    return end_with(self, status, &why);
}

const cli_verb verb_orbit = {
    .name = "orbit",
    .summary = "A periodic orbit of an event-driven motion by shooting, and its multipliers",
    .usage = "SCENE.yaml --period S [options]\n"
             "       tippe orbit SCENE.yaml --guess S [options]\n"
             "       tippe orbit SCENE.yaml --event KIND [--of NAME] [--count N] --from S [options]",
    .text =
        "Follows the motion of a scene under event-driven to --from, and from there looks for a state that\n"
        "returns to itself: after --period where something drives the motion, else after a period that is\n"
        "found, too. The multipliers say what becomes of small changes in one period; all below 1: the\n"
        "orbit attracts. Coordinates on which nothing depends may move on; that is their drift.\n"
        "  tippe orbit examples/cam-follower/scene.yaml --set parameters.rpm=700 --period 60/700 --from 8\n"
        "  tippe orbit examples/woodpecker/scene.yaml --event impact --of beak --from 1\n",
    .options = orbit_options,
    .positionals = "SCENE.yaml",
    .positional_count = 1,
    .run = run_orbit,
};
