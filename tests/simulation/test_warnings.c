/* The list of warnings of a run, what is found in an initial state, and strict runs. */
#include "simulations.h"

static const char ball[] =
    "gravity: [0, 0, -9.81]\n"
    "bodies: [{name: ball, mass: 1, position: [0, 0, 0.5], shapes: [{type: sphere, radius: "
    "0.1}]}]\n"
    "ground: {shapes: [{name: floor, type: plane}]}\n"
    "contacts: [{name: bounce, between: [floor, ball]}]\n"
    "simulate: {dt: 1e-3, until: 0.1}\n";

static const tp_run_report *begin(const char *text, tp_scene **scene_out, tp_simulation **simulation_out)
{
    *scene_out = scene_of(text);
    *simulation_out = simulate_options((*scene_out)->model, (*scene_out)->options);
    return tp_simulation_report(*simulation_out);
}

static void end(tp_scene *scene, tp_simulation *simulation)
{
    tp_simulation_free(simulation);
    tp_scene_free(scene);
}

static const tp_warning *warning_named(const tp_run_report *report, const char *name)
{
    for (int k = 0; k < report->warning_count; k++) {
        if (strcmp(report->warnings[k].name, name) == 0) return &report->warnings[k];
    }
    return NULL;
}

/* ---- the list ---- */

static void warn_of(tp_simulation *simulation, tp_warning_kind kind, const char *subject, double figure)
{
    tp_warning warning = tp_warning_of(kind);
    warning.figure = figure;
    snprintf(warning.subject, sizeof warning.subject, "%s", subject);
    tp_simulation_warn(simulation, &warning);
}

TEST(warnings_of_one_kind_and_subject_are_one_entry_with_the_first_time_and_the_worst_figure)
{
    tp_scene *scene;
    tp_simulation *simulation;
    const tp_run_report *report = begin(ball, &scene, &simulation);
    CHECK_INT(report->warning_count, 0);
    step_to(simulation, 1e-3);
    warn_of(simulation, TP_WARNING_JOINT_TORN, "hinge", 0.2);
    step_to(simulation, 2e-3);
    warn_of(simulation, TP_WARNING_JOINT_TORN, "hinge", 0.5);
    warn_of(simulation, TP_WARNING_JOINT_TORN, "hinge", 0.1);
    warn_of(simulation, TP_WARNING_JOINT_TORN, "slide", 0.3);
    warn_of(simulation, TP_WARNING_JOINT_BENT, "hinge", 0.4);
    CHECK_INT(report->warning_count, 3);
    const tp_warning *first = &report->warnings[0];
    CHECK(strcmp(first->name, "joint-torn") == 0 && strcmp(first->unit, "m") == 0);
    CHECK(strcmp(first->subject, "hinge") == 0);
    CHECK_NEAR(first->time, 1e-3, 0.0);
    CHECK_NEAR(first->figure, 0.5, 0.0);
    CHECK_INT(first->count, 3);
    CHECK_INT(report->warnings[1].count, 1);
    CHECK_INT(report->warnings_left_out, 0);
    end(scene, simulation);
}

TEST(what_finds_no_place_in_the_list_is_counted)
{
    tp_scene *scene;
    tp_simulation *simulation;
    const tp_run_report *report = begin(ball, &scene, &simulation);
    char name[16];
    for (int k = 0; k < TP_WARNINGS_OF_KIND + 5; k++) {
        snprintf(name, sizeof name, "joint %d", k);
        warn_of(simulation, TP_WARNING_JOINT_TORN, name, 1.0);
        warn_of(simulation, TP_WARNING_JOINT_TORN, name, 1.0);
    }
    CHECK_INT(report->warning_count, TP_WARNINGS_OF_KIND);
    CHECK_INT(report->warnings_left_out, 10);
    warn_of(simulation, TP_WARNING_ENERGY_GROWS, "", 1.0); /* another kind has its place */
    CHECK_INT(report->warning_count, TP_WARNINGS_OF_KIND + 1);
    for (int kind = 0; kind < TP_WARNING_KIND_COUNT; kind++) {
        for (int k = 0; k < TP_WARNINGS_OF_KIND; k++) {
            snprintf(name, sizeof name, "thing %d", k);
            warn_of(simulation, (tp_warning_kind)kind, name, 1.0);
        }
    }
    CHECK_INT(report->warning_count, TP_WARNINGS_MAX);
    long long all = 0;
    for (int k = 0; k < report->warning_count; k++) all += report->warnings[k].count;
    CHECK_INT(all + report->warnings_left_out,
              2 * (TP_WARNINGS_OF_KIND + 5) + 1 + TP_WARNING_KIND_COUNT * TP_WARNINGS_OF_KIND);
    static char lines[TP_WARNINGS_MAX * TP_WARNING_LINE];
    tp_warnings_format(report, lines);
    int ends = 0;
    for (const char *at = lines; *at != '\0'; at++) ends += *at == '\n';
    CHECK_INT(ends, TP_WARNINGS_MAX - 1);
    end(scene, simulation);
}

/* Longest texts: nothing is written beyond the line. */
TEST(a_line_holds_the_longest_warning)
{
    char line[TP_WARNING_LINE];
    tp_warning warning = tp_warning_of(TP_WARNING_JOINT_TORN);
    memset(warning.subject, 's', sizeof warning.subject - 1);
    memset(warning.text, 't', sizeof warning.text - 1);
    warning.subject[sizeof warning.subject - 1] = warning.text[sizeof warning.text - 1] = '\0';
    warning.time = -1.234567890123e-300;
    warning.figure = -1.234567890123e+300;
    warning.count = 9223372036854775807LL;
    tp_warning_format(&warning, line);
    CHECK(strlen(line) < sizeof line);
    CHECK(strstr(line, warning.remedy) != NULL); /* whole */
}

TEST(every_kind_has_a_name_of_its_own_a_text_and_a_remedy)
{
    for (int k = 0; k < TP_WARNING_KIND_COUNT; k++) {
        const tp_warning_info *info = tp_warning_info_at((tp_warning_kind)k);
        CHECK(info != NULL && info->name != NULL && info->text != NULL && info->remedy != NULL);
        CHECK(strspn(info->name, "abcdefghijklmnopqrstuvwxyz-") == strlen(info->name));
        CHECK(strlen(info->text) < TP_WARNING_TEXT);
        for (int i = 0; i < k; i++)
            CHECK(strcmp(tp_warning_info_at((tp_warning_kind)i)->name, info->name) != 0);
    }
    CHECK(tp_warning_info_at(TP_WARNING_KIND_COUNT) == NULL);
}

/* ---- the initial state ---- */

TEST(shapes_without_a_contact_are_named_where_something_can_be_touched)
{
    static const struct {
        const char *text, *subject; /* subject NULL: no warning */
    } cases[] = {
        {"bodies: [{name: a, mass: 1, shapes: [{type: box, size: [1, 1, 1]}]}]\n"
         "ground: {shapes: [{type: plane}]}\n",
         "a.box, ground.plane"},
        {"bodies: [{name: a, mass: 1, position: [0, 0, 3], shapes: [{type: sphere, radius: 1}]}, {name: b, "
         "mass: 1, "
         "position: [9, 0, 3], shapes: [{type: sphere, radius: 1}]}]\n"
         "ground: {shapes: [{name: floor, type: plane}]}\n"
         "contacts: [{name: c, between: [floor, a]}]\n",
         "b.sphere"},
        {"bodies: [{name: a, mass: 1, position: [0, 0, 3], shapes: [{type: sphere, radius: 1}]}, {name: b, "
         "mass: 1, "
         "position: [9, 0, 3], shapes: [{type: sphere, radius: 1, contact: false}]}]\n"
         "ground: {shapes: [{name: floor, type: plane}]}\n"
         "contacts: [{name: c, between: [floor, a]}]\n",
         NULL},
        {"bodies: [{name: a, mass: 1, shapes: [{type: box, size: [1, 1, 1]}]}]\n",
         NULL}, /* mass and pictures */
        {ball, NULL},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        tp_scene *scene;
        tp_simulation *simulation;
        const tp_run_report *report = begin(cases[k].text, &scene, &simulation);
        const tp_warning *found = warning_named(report, "touches-nothing");
        CHECK((found != NULL) == (cases[k].subject != NULL));
        if (found != NULL) CHECK(strcmp(found->subject, cases[k].subject) == 0);
        CHECK_INT(report->warning_count, cases[k].subject != NULL);
        end(scene, simulation);
    }
}

TEST(a_long_list_of_shapes_is_cut_and_counted)
{
    char text[8000], *at = text;
    at += snprintf(at, 200, "ground: {shapes: [{type: plane}]}\nbodies:\n");
    for (int k = 0; k < 60; k++)
        at += snprintf(at, 100, "  - {name: b%02d, mass: 1, shapes: [{type: sphere, radius: 1}]}\n", k);
    tp_scene *scene;
    tp_simulation *simulation;
    const tp_run_report *report = begin(text, &scene, &simulation);
    const tp_warning *found = warning_named(report, "touches-nothing");
    CHECK(found != NULL);
    CHECK_NEAR(found->figure, 61.0, 0.0);
    int named = 1, rest = 0;
    for (const char *c = found->subject; *c != '\0'; c++) named += *c == ',';
    const char *more = strstr(found->subject, " and ");
    CHECK(more != NULL && sscanf(more, " and %d more", &rest) == 1);
    CHECK_INT(named + rest, 61);
    end(scene, simulation);
}

static int count_overlaps(double z, double *depth_out)
{
    char text[600];
    tp_scene *scene;
    tp_simulation *simulation;
    snprintf(text, sizeof text,
             "gravity: [0, 0, -9.81]\n"
             "bodies: [{name: a, mass: 1, position: [0, 0, %.17g], shapes: [{type: box, size: [0.2, 0.2, "
             "0.2]}]}]\n"
             "ground: {shapes: [{type: plane}]}\n"
             "contacts: [{name: c, between: [ground, a]}]\n",
             z);
    const tp_run_report *report = begin(text, &scene, &simulation);
    run_steps(simulation, 100, 1e-3); /* it rests there: it does not sink */
    const tp_warning *found = warning_named(report, "overlap-at-start");
    int count = report->warning_count;
    bool is_named = found != NULL && strcmp(found->subject, "ground.plane, a.box") == 0 && found->count == 1;
    *depth_out = is_named ? found->figure : NAN;
    end(scene, simulation);
    return count;
}

/* Edge 0.2 m: more than a hundredth of half of it, 1 mm, is an overlap. */
TEST(overlaps_at_the_start_are_told_with_their_shapes_and_depths)
{
    double depth;
    CHECK_INT(count_overlaps(0.05, &depth), 1);
    CHECK_NEAR(depth, 0.05, 1e-15);
    CHECK_INT(count_overlaps(0.0985, &depth), 1);
    CHECK_NEAR(depth, 1.5e-3, 1e-15);
    CHECK_INT(count_overlaps(0.0995, &depth), 0);
    CHECK_INT(count_overlaps(0.1, &depth), 0);
}

/* ---- strict runs ---- */

TEST(a_strict_run_with_warnings_reaches_its_end_and_says_so)
{
    static const char bare[] = "bodies: [{name: a, mass: 1, shapes: [{type: box, size: [1, 1, 1]}]}]\n"
                               "ground: {shapes: [{type: plane}]}\n"
                               "simulate: {dt: 1e-2, until: 0.1}\n";
    const char *texts[] = {bare, ball};
    for (int k = 0; k < 4; k++) {
        bool warns = k % 2 == 0, is_strict = k >= 2;
        tp_scene *scene = scene_of(texts[k % 2]);
        tp_simulation_options options = scene->options;
        options.strict = is_strict;
        tp_simulation *simulation = simulate_options(scene->model, options);
        const tp_run_report *report = tp_simulation_report(simulation);
        tp_status expected = warns && is_strict ? TP_WARNED : TP_OK;
        CHECK_INT(tp_simulation_run(simulation, NULL, NULL, NULL), expected);
        CHECK_INT(report->status, expected);
        CHECK_INT(report->warning_count, warns);
        CHECK_NEAR(report->time, 0.1, 1e-15);
        CHECK(strstr(report->reason, "end time reached") != NULL);
        CHECK((strstr(report->reason, "1 warning") != NULL) == (expected == TP_WARNED));
        end(scene, simulation);
    }
}

TEST_MAIN(RUNS(warnings_of_one_kind_and_subject_are_one_entry_with_the_first_time_and_the_worst_figure),
          RUNS(what_finds_no_place_in_the_list_is_counted), RUNS(a_line_holds_the_longest_warning),
          RUNS(every_kind_has_a_name_of_its_own_a_text_and_a_remedy),
          RUNS(shapes_without_a_contact_are_named_where_something_can_be_touched),
          RUNS(a_long_list_of_shapes_is_cut_and_counted),
          RUNS(overlaps_at_the_start_are_told_with_their_shapes_and_depths),
          RUNS(a_strict_run_with_warnings_reaches_its_end_and_says_so))
