/* The findings of tippe check. */
#include "check_report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "json.h"
#include "run_report.h"
#include "tippe/multibody.h"
#include "tippe/states.h"

enum { NAMES_MAX = 12 };    /* printed for a person; JSON has all */
enum { LINKED_MAX = 1000 }; /* interactions up to which JSON says which are linked */

/* Any simulation that was accepted knows gaps and energy of the initial state; NULL if none was. */
static const tp_simulation *initial_state(const check_result *result)
{
    for (int k = 0; k < result->verdict_count; ++k) {
        if (result->verdicts[k].simulation != NULL) return result->verdicts[k].simulation;
    }
    return NULL;
}

static const char *const kind_names[] = {
    [TP_INTERACTION_CONSTRAINT] = "constraint",
    [TP_INTERACTION_CONTACT] = "contact",
    [TP_INTERACTION_COMPLIANT] = "compliant contact",
    [TP_INTERACTION_LAW] = "law",
};

static bool is_contact(const tp_interaction *item)
{
    return item->kind == TP_INTERACTION_CONTACT || item->kind == TP_INTERACTION_COMPLIANT;
}

/* Interactions of one kind; a joint is one, however many rows it has. */
static int count_kind(const tp_topology *topology, tp_interaction_kind kind)
{
    int count = 0;
    for (int k = 0; k < tp_topology_interaction_count(topology); ++k) {
        count += tp_topology_interaction(topology, k).kind == kind;
    }
    return count;
}

/* Derivatives of the relations that an integrator evaluates, and those at which multipliers act; a projection
   acts on positions. */
static void write_levels(json_writer *json, tp_levels levels, bool is_projected)
{
    const struct {
        const char *key;
        int low, high;
    } all[] = {{"y", levels.output_min, levels.output_max},
               {"lambda", is_projected ? 0 : levels.input_min, levels.input_max}};
    json_open_at(json, "levels", '{');
    for (size_t k = 0; k < sizeof all / sizeof all[0]; ++k) {
        json_open_at(json, all[k].key, '[');
        json_integer(json, all[k].low);
        json_integer(json, all[k].high);
        json_close(json, ']');
    }
    json_close(json, '}');
}

static void write_verdicts(json_writer *json, const check_result *result)
{
    json_open_at(json, "integrators", '[');
    for (int k = 0; k < result->verdict_count; ++k) {
        const integrator_verdict *verdict = &result->verdicts[k];
        json_open(json, '{');
        json_text_at(json, "name", verdict->name);
        json_bool_at(json, "accepts", verdict->is_accepted);
        json_text_at(json, "reason", verdict->is_accepted ? NULL : verdict->reason);
        tp_levels levels = {0};
        tp_integrator_levels(tp_integrator_find(verdict->name), false, &levels);
        write_levels(json, levels, result->scene->options.projection.kind != TP_PROJECTION_NONE);
        json_text_at(json, "laws_on",
                     levels.input_max == 0   ? "positions"
                     : levels.input_max == 1 ? "velocities"
                                             : "accelerations");
        const tp_run_report *report =
            verdict->simulation != NULL ? tp_simulation_report(verdict->simulation) : NULL;
        tp_run_report none = {0};
        run_report_write_warnings(json, report != NULL ? report : &none);
        json_text_at(json, "form", report != NULL ? report->form : NULL);
        json_text_at(json, "but", report != NULL ? report->caveat : NULL);
        json_close(json, '}');
    }
    json_close(json, ']');
}

/* Systems that an interaction uses, and the interactions that it shares them with: row k of the block pattern
   of the Delassus operator. */
static void write_links(json_writer *json, const tp_topology *topology, int k)
{
    int count = tp_topology_interaction_count(topology);
    if (count > LINKED_MAX) return;
    json_open_at(json, "systems", '[');
    for (int s = 0; s < tp_topology_system_count(topology); ++s)
        if (tp_topology_uses(topology, k, s)) json_integer(json, s);
    json_close(json, ']');
    json_open_at(json, "linked", '[');
    for (int other = 0; other < count; ++other)
        if (tp_topology_links(topology, k, other, 0, NULL) > 0) json_integer(json, other);
    json_close(json, ']');
}

static void write_laws(json_writer *json, const check_result *result)
{
    json_open_at(json, "rows", '[');
    for (int k = 0; k < tp_topology_interaction_count(result->topology); ++k) {
        tp_interaction item = tp_topology_interaction(result->topology, k);
        json_open(json, '{');
        json_text_at(json, "name", item.name);
        json_real_at(json, "gap", is_contact(&item) ? item.position : NAN);
        json_text_at(json, "unit", item.unit);
        json_text_at(json, "kind", kind_names[item.kind]);
        json_integer_at(json, "size", item.size);
        json_real_at(json, "relative_degree", item.relative_degree >= 0 ? item.relative_degree : NAN);
        json_bool_at(json, "closed", item.is_closed);
        write_links(json, result->topology, k);
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void write_constraints(json_writer *json, const tp_model_summary *summary)
{
    json_open_at(json, "constraints", '{');
    json_integer_at(json, "count", summary->constraint_count);
    json_integer_at(json, "rank", summary->constraint_rank);
    json_integer_at(json, "redundant", summary->constraint_count - summary->constraint_rank);
    json_real_at(json, "position_error", summary->position_error);
    json_real_at(json, "angle_error", summary->angle_error);
    json_real_at(json, "velocity_error", summary->velocity_error);
    json_real_at(json, "angular_velocity_error", summary->angular_velocity_error);
    json_close(json, '}');
}

/* Bodies and joints with their kinds, and shapes with their bodies. */
static void write_bodies(json_writer *json, const tp_model *model)
{
    json_open_at(json, "bodies", '[');
    for (int k = 0; k < tp_model_body_count(model); ++k) {
        json_open(json, '{');
        json_text_at(json, "name", tp_model_body_name(model, k));
        json_text_at(json, "type", tp_body_kind_info(tp_model_body_kind(model, k))->name);
        json_close(json, '}');
    }
    json_close(json, ']');
    json_open_at(json, "joints", '[');
    for (int k = 0; k < tp_model_joint_count(model); ++k) {
        json_open(json, '{');
        json_text_at(json, "name", tp_model_joint_name(model, k));
        json_text_at(json, "type", tp_joint_kind_info(tp_model_joint_kind(model, k))->name);
        json_close(json, '}');
    }
    json_close(json, ']');
    json_open_at(json, "shapes", '[');
    for (int k = 0; k < tp_model_shape_count(model); ++k) {
        tp_shape_def shape = tp_model_shape_at(model, k);
        json_open(json, '{');
        json_text_at(json, "name", shape.name);
        json_text_at(json, "type", tp_solid_kind_name(shape.solid.kind));
        json_text_at(json, "body", shape.body);
        json_close(json, '}');
    }
    json_close(json, ']');
}

static bool kinds_touch(int a, int b)
{
    return tp_collide_check((tp_solid_kind)a, (tp_solid_kind)b, NULL) == TP_OK;
}

/* Pairs of kinds of shapes of the scene that have contacts. */
static void write_touching(json_writer *json, const tp_model *model)
{
    bool is_there[TP_SOLID_KIND_COUNT] = {false};
    for (int k = 0; k < tp_model_shape_count(model); ++k)
        is_there[tp_model_shape_at(model, k).solid.kind] = true;
    json_open_at(json, "can_touch", '[');
    for (int a = 0; a < TP_SOLID_KIND_COUNT; ++a) {
        for (int b = a; b < TP_SOLID_KIND_COUNT; ++b) {
            if (!is_there[a] || !is_there[b] || !kinds_touch(a, b)) continue;
            json_open(json, '[');
            json_text(json, tp_solid_kind_name((tp_solid_kind)a));
            json_text(json, tp_solid_kind_name((tp_solid_kind)b));
            json_close(json, ']');
        }
    }
    json_close(json, ']');
}

static void write_inputs(json_writer *json, const tp_model *model, int count)
{
    json_open_at(json, "inputs", '[');
    for (int k = 0; k < count; ++k) {
        json_open(json, '{');
        json_text_at(json, "name", tp_model_input_name(model, k));
        json_text_at(json, "unit", tp_model_input_unit(model, k));
        json_real_at(json, "default", tp_model_input_default(model, k));
        json_text_at(json, "about", tp_model_input_about(model, k));
        json_close(json, '}');
    }
    json_close(json, ']');
}

/* Relative degrees of all rows of relations [multipliers], to be freed; NULL: none, or no memory. */
static int *relation_degrees(const tp_model *model)
{
    size_t count = (size_t)tp_model_multiplier_count(model);
    int *degree = count > 0 ? malloc(count * sizeof *degree) : NULL;
    if (degree != NULL && tp_relation_degrees(NULL, model, degree) == TP_OK) return degree;
    free(degree);
    return NULL;
}

static void write_states(json_writer *json, const tp_model *model)
{
    tp_relation_info info;
    int *degree = relation_degrees(model);
    run_report_write_names(json, "states", model, tp_model_state_name, tp_model_state_count(model));
    json_open_at(json, "relations", '[');
    for (int k = 0; tp_model_relation(model, k, &info); ++k) {
        json_open(json, '{');
        json_text_at(json, "name", info.name);
        json_text_at(json, "law", tp_relation_kind_name((int)info.kind));
        json_text_at(json, "type", tp_relation_type_name((int)info.type));
        json_integer_at(json, "size", info.size);
        json_integer_at(json, "law_size", info.law_size);
        json_integer_at(json, "count", info.relation_count);
        bool is_known = degree != NULL && degree[info.first] >= 0;
        json_real_at(json, "relative_degree", is_known ? degree[info.first] : NAN);
        json_close(json, '}');
    }
    json_close(json, ']');
    free(degree);
}

static void print_json(const check_result *result)
{
    const tp_model *model = result->scene->model;
    tp_model_summary summary = tp_model_summarise(model);
    const tp_simulation *start = initial_state(result);
    json_writer writer = json_begin_object(stdout);
    json_text_at(&writer, "status", result->is_sound ? "sound" : "refused");
    json_text_at(&writer, "reason", result->reason);
    json_text_at(&writer, "scene", result->scene->path);
    json_text_at(&writer, "name", result->scene->name);
    json_text_at(&writer, "about", result->scene->about);
    write_bodies(&writer, model);
    write_touching(&writer, model);
    run_report_write_names(&writer, "coordinates", model, tp_model_coordinate_name, summary.coordinate_count);
    run_report_write_names(&writer, "velocities", model, tp_model_velocity_name, summary.velocity_count);
    write_states(&writer, model);
    json_integer_at(&writer, "degrees_of_freedom", summary.degrees_of_freedom);
    json_real_at(&writer, "size", summary.size);
    write_constraints(&writer, &summary);
    json_integer_at(&writer, "systems", tp_topology_system_count(result->topology));
    json_integer_at(&writer, "contacts", summary.contact_count);
    json_integer_at(&writer, "compliant_contacts", count_kind(result->topology, TP_INTERACTION_COMPLIANT));
    json_integer_at(&writer, "laws", count_kind(result->topology, TP_INTERACTION_LAW));
    write_laws(&writer, result);
    run_report_write_names(&writer, "sensors", model, tp_model_sensor_name, summary.sensor_count);
    write_inputs(&writer, model, summary.input_count);
    run_report_write_names(&writer, "drawings", model, tp_model_drawing_name, summary.drawing_count);
    json_bool_at(&writer, "constant_mass", summary.has_constant_mass);
    json_bool_at(&writer, "time_dependent", !summary.is_autonomous);
    json_real_at(&writer, "largest_frequency", summary.largest_frequency);
    json_real_at(&writer, "energy", start != NULL ? tp_simulation_report(start)->energy_initial : NAN);
    json_bool_at(&writer, "exact_motion", tp_model_has_exact(model));
    json_text_at(&writer, "integrator", result->scene->options.integrator);
    write_verdicts(&writer, result);
    json_end_object(&writer);
}

typedef const char *(*name_function)(const tp_model *model, int index);

static void print_names(const char *title, const tp_model *model, name_function name_at, int count)
{
    printf("%-14s %d", title, count);
    for (int k = 0; k < count && k < NAMES_MAX; ++k) {
        printf("%s%s", k == 0 ? ": " : ", ", name_at(model, k));
    }
    printf("%s\n", count > NAMES_MAX ? ", ..." : "");
}

/* "inputs         speed = 0 rad/s  of the motor"; nothing where there are none. */
static void print_inputs(const tp_model *model, int count)
{
    for (int k = 0; k < count; ++k) {
        const char *unit = tp_model_input_unit(model, k), *about = tp_model_input_about(model, k);
        printf("%-14s %s = %.9g%s%s%s%s\n", k == 0 ? "inputs" : "", tp_model_input_name(model, k),
               tp_model_input_default(model, k), unit[0] != '\0' ? " " : "", unit,
               about[0] != '\0' ? "  " : "", about);
    }
}

/* First-order states and relations; nothing where there are none. */
static void print_states(const tp_model *model)
{
    int relations = tp_model_relation_count(model);
    int *degree = relation_degrees(model);
    tp_relation_info info;
    if (tp_model_state_count(model) > 0)
        print_names("states", model, tp_model_state_name, tp_model_state_count(model));
    for (int k = 0; k < relations && k < NAMES_MAX && tp_model_relation(model, k, &info); ++k) {
        printf("%-14s %s: %s, %s, %d %s", k == 0 ? "relations" : "", info.name,
               tp_relation_kind_name((int)info.kind), tp_relation_type_name((int)info.type), info.size,
               info.size == 1 ? "row" : "rows");
        if (info.relation_count > 1) printf(" in %d laws", info.relation_count);
        if (degree != NULL && degree[info.first] >= 0) printf(", relative degree %d", degree[info.first]);
        printf("\n");
    }
    if (relations > NAMES_MAX) printf("%-14s ... and %d more\n", "", relations - NAMES_MAX);
    free(degree);
}

/* y[0..1], lambda[1..1] of the integrator that the scene asks for. */
static void print_levels(const tp_scene *scene)
{
    tp_levels levels;
    bool is_projected = scene->options.projection.kind != TP_PROJECTION_NONE;
    if (!tp_integrator_levels(tp_integrator_find(scene->options.integrator), false, &levels)) return;
    printf("%-14s %s evaluates y[%d..%d], multipliers act at lambda[%d..%d]%s\n", "levels",
           scene->options.integrator, levels.output_min, levels.output_max,
           is_projected ? 0 : levels.input_min, levels.input_max,
           is_projected ? " (the projection at lambda[0])" : "");
    if (tp_model_relation_count(scene->model) > 0 && levels.output_max > 0)
        printf("%-14s relations hold at y[0], their multipliers act at lambda[0]\n", "");
}

/* "bodies         2: arm (rigid), table (moving)"; nothing where there are none. */
static void print_bodies(const tp_model *model)
{
    int bodies = tp_model_body_count(model), joints = tp_model_joint_count(model);
    if (bodies == 0) return;
    printf("%-14s %d", "bodies", bodies);
    for (int k = 0; k < bodies && k < NAMES_MAX; ++k) {
        printf("%s%s (%s)", k == 0 ? ": " : ", ", tp_model_body_name(model, k),
               tp_body_kind_info(tp_model_body_kind(model, k))->name);
    }
    printf("%s\n%-14s %d", bodies > NAMES_MAX ? ", ..." : "", "joints", joints);
    for (int k = 0; k < joints && k < NAMES_MAX; ++k) {
        printf("%s%s (%s)", k == 0 ? ": " : ", ", tp_model_joint_name(model, k),
               tp_joint_kind_info(tp_model_joint_kind(model, k))->name);
    }
    printf("%s\n", joints > NAMES_MAX ? ", ..." : "");
}

/* The kinds of shapes of the scene, and those among them that each can touch. */
static void print_touching(const tp_model *model)
{
    bool is_there[TP_SOLID_KIND_COUNT] = {false};
    for (int k = 0; k < tp_model_shape_count(model); ++k)
        is_there[tp_model_shape_at(model, k).solid.kind] = true;
    for (int a = 0; a < TP_SOLID_KIND_COUNT; ++a) {
        if (!is_there[a]) continue;
        int partners = 0;
        printf("%-14s %s with", "can touch", tp_solid_kind_name((tp_solid_kind)a));
        for (int b = 0; b < TP_SOLID_KIND_COUNT; ++b) {
            if (!is_there[b] || !kinds_touch(a, b)) continue;
            printf("%s %s", partners++ == 0 ? "" : ",", tp_solid_kind_name((tp_solid_kind)b));
        }
        printf("%s\n", partners == 0 ? " nothing here" : "");
    }
}

static void print_constraints(const tp_model_summary *summary)
{
    int redundant = summary->constraint_count - summary->constraint_rank;
    printf("constraints    %d", summary->constraint_count);
    if (summary->constraint_count > 0) {
        printf(" of rank %d; %d redundant", summary->constraint_rank, redundant);
        printf("\ninitial state  off the constraints by %.3g m, %.3g rad, %.3g m/s, %.3g rad/s",
               summary->position_error, summary->angle_error, summary->velocity_error,
               summary->angular_velocity_error);
    }
    printf("\n");
}

/* What a law is, its relative degree (how often its relation is differentiated until a force appears: 2 means
   impacts, 0 none), and the gaps of contacts at the start. */
static void print_law(const tp_interaction *item)
{
    printf("  %-20s %s", item->name, kind_names[item->kind]);
    if (item->relative_degree >= 0) {
        printf(", relative degree %d", item->relative_degree);
    } else {
        printf(", no force can change it at the start");
    }
    if (is_contact(item))
        printf(", gap %.6g %s%s", item->position, item->unit, item->is_closed ? ", closed" : "");
    printf("\n");
}

static void print_laws(const check_result *result, const tp_model_summary *summary)
{
    int compliant = count_kind(result->topology, TP_INTERACTION_COMPLIANT);
    printf("contacts       %d", summary->contact_count);
    if (compliant > 0) printf(", and %d compliant", compliant);
    printf("\nlaws           %d\n", count_kind(result->topology, TP_INTERACTION_LAW));
    int total = tp_topology_interaction_count(result->topology), present = 0;
    for (int k = 0; k < total; ++k) {
        tp_interaction item = tp_topology_interaction(result->topology, k);
        if (is_contact(&item) && !isfinite(item.position))
            continue; /* a point that is not there at the start */
        if (present++ < 2 * NAMES_MAX) print_law(&item);
    }
    if (present > 2 * NAMES_MAX) printf("  ... and %d more\n", present - 2 * NAMES_MAX);
}

/* Whatever the integrator: said once. */
static bool is_of_scene(const tp_warning *warning)
{
    return warning->kind == TP_WARNING_TOUCHES_NOTHING || warning->kind == TP_WARNING_OVERLAP_AT_START;
}

static void print_scene_warnings(const tp_run_report *report)
{
    char line[TP_WARNING_LINE];
    for (int w = 0; w < report->warning_count; ++w) {
        if (!is_of_scene(&report->warnings[w])) continue;
        tp_warning_format(&report->warnings[w], line);
        printf("warning        %s\n", line);
    }
}

static void print_verdict(const integrator_verdict *verdict)
{
    const tp_run_report *report =
        verdict->simulation != NULL ? tp_simulation_report(verdict->simulation) : NULL;
    bool has_form = report != NULL && report->form != NULL;
    bool has_caveat = report != NULL && report->caveat != NULL;
    printf("  %-31s %s%s%s%s%s%s\n", verdict->name,
           verdict->is_accepted ? "yes" : "no: ", verdict->is_accepted ? "" : verdict->reason,
           has_form ? ": " : "", has_form ? report->form : "", has_caveat ? ", but " : "",
           has_caveat ? report->caveat : "");
    if (report == NULL) return;
    for (int w = 0; w < report->warning_count; ++w) {
        const tp_warning *warning = &report->warnings[w];
        if (!is_of_scene(warning)) printf("  %-31s warning: %s: %s\n", "", warning->name, warning->text);
    }
}

static void print_lines(const check_result *result)
{
    const tp_scene *scene = result->scene;
    const tp_model *model = scene->model;
    tp_model_summary summary = tp_model_summarise(model);
    const tp_simulation *start = initial_state(result);
    printf("scene          %s\n", scene->path);
    printf("name           %s\n", scene->name != NULL ? scene->name : "");
    if (scene->about != NULL && scene->about[0] != '\0') printf("about          %s\n", scene->about);
    print_bodies(model);
    print_touching(model);
    print_names("coordinates", model, tp_model_coordinate_name, summary.coordinate_count);
    print_names("velocities", model, tp_model_velocity_name, summary.velocity_count);
    printf("freedom        %d degree%s\n", summary.degrees_of_freedom,
           summary.degrees_of_freedom == 1 ? "" : "s");
    if (tp_model_body_count(model) > 0) printf("size           %.6g m\n", summary.size);
    print_constraints(&summary);
    print_laws(result, &summary);
    print_names("sensors", model, tp_model_sensor_name, summary.sensor_count);
    print_states(model);
    print_levels(result->scene);
    print_inputs(model, summary.input_count);
    if (summary.drawing_count > 0)
        print_names("drawings", model, tp_model_drawing_name, summary.drawing_count);
    printf("mass matrix    %s\n", summary.has_constant_mass ? "constant" : "depends on the state");
    if (summary.largest_frequency > 0.0) {
        printf("frequency      %.4g rad/s at most: explicit schemes need a step below %.4g s\n",
               summary.largest_frequency, 2.0 / summary.largest_frequency);
    }
    printf("time           %s\n", summary.is_autonomous ? "autonomous" : "explicitly time-dependent");
    if (start != NULL)
        printf("energy         %.9g J at the start\n", tp_simulation_report(start)->energy_initial);
    if (tp_model_has_exact(model)) {
        double until = tp_model_exact_until(model);
        printf("exact motion   given");
        if (isfinite(until)) printf(" until %.6g s", until);
        printf("; tippe converge measures against it\n");
    }
    if (start != NULL) print_scene_warnings(tp_simulation_report(start));
    printf("simulate       %s, time step %.6g s, until %.6g s\n", scene->options.integrator,
           scene->options.time_step, scene->options.end_time);
    printf("\nintegrators\n");
    for (int k = 0; k < result->verdict_count; ++k) {
        print_verdict(&result->verdicts[k]);
    }
}

void check_result_print(const check_result *result, bool as_json)
{
    if (as_json) {
        print_json(result);
    } else {
        print_lines(result);
    }
}

void check_failure_print_json(const char *path, tp_status status, const char *reason)
{
    json_writer writer = json_begin_object(stdout);
    json_text_at(&writer, "status", status == TP_FILE_ERROR ? "unreadable" : "unsound");
    json_text_at(&writer, "reason", reason);
    json_text_at(&writer, "scene", path);
    json_end_object(&writer);
}
