/* Warnings about what makes a continued run differ from one that was never stopped. */
#include "io/output/restart_file.h"

#include "io/common/words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_SHOWN = 48 };

int tp_restart_settings(const tp_simulation_options *options, tp_table_attribute list_out[TP_SETTINGS_MAX])
{
    const tp_table_attribute list[] = {
        {"solver", options->solver ? options->solver : "auto", 0.0},
        {"time_step", NULL, options->time_step},
        {"tolerance", NULL, options->tolerance},
        {"max_iterations", NULL, options->max_iterations},
        {"contact_tolerance", NULL, options->contact_tolerance},
        {"warm_start", NULL, options->warm_start ? 1.0 : 0.0},
        {"accept_unconverged", NULL, options->accept_unconverged ? 1.0 : 0.0},
        {"unsolved_limit", NULL, options->unsolved.limit},
        {"theta", NULL, options->theta_method.theta},
        {"mass_prediction", NULL, options->theta_method.mass_prediction},
        {"forecast", NULL, options->theta_method.forecast},
        {"refresh_rows", NULL, options->theta_method.refresh_rows ? 1.0 : 0.0},
        {"atol", NULL, options->atol},
        {"rtol", NULL, options->rtol},
        {"first_step", NULL, options->first_step},
        {"max_step", NULL, options->max_step},
        {"gamma_theta", NULL, options->gamma_method.theta},
        {"gamma", NULL, options->gamma_method.gamma},
        {"gamma_variant", tp_gamma_variant_name((int)options->gamma_method.variant), 0.0},
        {"paoli_theta", NULL, options->paoli.theta},
        {"paoli_first_order_start", NULL, options->paoli.first_order_start ? 1.0 : 0.0},
        {"symmetric_force", tp_symmetric_force_name((int)options->symmetric.force), 0.0},
        {"alpha_rho", NULL, options->alpha.rho},
        {"alpha_step", options->alpha.fixed_point ? "fixed-point" : "newton", 0.0},
        {"consistent_directions", options->consistent.directions_at_start ? "start" : "discrete", 0.0},
        {"consistent_rotation", options->consistent.rotation_at_start ? "start" : "midpoint", 0.0},
        {"consistent_sticking", options->consistent.settles ? "settled" : "free", 0.0},
        {"consistent_bodies", tp_consistent_bodies_name((int)options->consistent.bodies), 0.0},
        {"jet_projection", tp_jet_projection_name((int)options->jet.projection), 0.0},
        {"jet_distribution", tp_jet_distribution_name((int)options->jet.distribution), 0.0},
        {"jet_method", tp_jet_method_name((int)options->jet.method), 0.0},
        {"jet_stages", options->jet.has_free_stages ? "free" : "projected", 0.0},
        {"jet_tolerance", NULL, options->jet.tolerance},
        {"jet_forcing", NULL, options->jet.forcing},
        {"jet_curvature", NULL, options->jet.has_curvature ? 1.0 : 0.0},
        {"jet_sweeps", NULL, options->jet.max_sweeps},
        {"jet_energy", options->jet.holds_energy ? "held" : "free", 0.0},
        {"jet_work", options->jet.has_trapezoidal_work ? "trapezoidal" : "runge-kutta", 0.0},
        {"jet_invariants", options->jet.invariants != NULL ? options->jet.invariants : "", 0.0},
        {"relaxation_steps", tp_relaxed_method_name((int)options->relaxed.method), 0.0},
        {"relaxation_time", NULL, options->relaxed.delta},
        {"relaxation_damping", NULL, options->relaxed.zeta},
        {"relaxation_stiff", NULL, options->relaxed.is_stiff ? 1.0 : 0.0},
        {"relaxation_gate", options->relaxed.gate ? "penetration" : "none", 0.0},
        {"relaxation_branch", tp_branch_name((int)options->relaxed.branch), 0.0},
        {"relaxation_count", NULL, options->relaxed.counted},
        {"penalty_stiffness", NULL, options->penalty.stiffness},
        {"penalty_damping_time", NULL, options->penalty.damping_time},
        {"penalty_yielding", NULL, options->penalty.yielding},
        {"event_steps", tp_event_steps_name((int)options->event.steps), 0.0},
        {"event_painleve", options->event.strikes ? "impact" : "stop", 0.0},
    };
    enum { COUNT = sizeof list / sizeof list[0] };
    _Static_assert((int)COUNT <= (int)TP_SETTINGS_MAX, "room for all settings");
    memcpy(list_out, list, sizeof list);
    return COUNT;
}

const tp_table_attribute *tp_restart_attribute(const tp_trajectory *trajectory, const char *name)
{
    int found = TP_FIND(trajectory->attributes, trajectory->attribute_count, name, name);
    return found >= 0 ? &trajectory->attributes[found] : NULL;
}

const char *tp_restart_text(const tp_trajectory *trajectory, const char *name)
{
    const tp_table_attribute *attribute = tp_restart_attribute(trajectory, name);
    return attribute ? attribute->text : NULL;
}

/* A value as a person reads it: texts whole, numbers with as many digits as distinguish them. */
static void format_value(const tp_table_attribute *value, char *out, size_t capacity)
{
    const int short_digits = 15, all_digits = 17;
    if (value == NULL) {
        snprintf(out, capacity, "not recorded");
    } else if (value->text) {
        snprintf(out, capacity, "%s", value->text);
    } else {
        snprintf(out, capacity, "%.*g", short_digits, value->number);
        if (strtod(out, NULL) != value->number) snprintf(out, capacity, "%.*g", all_digits, value->number);
    }
}

static bool is_same(const tp_table_attribute *a, const tp_table_attribute *b)
{
    if (a == NULL || (a->text == NULL) != (b->text == NULL)) return false;
    return a->text ? strcmp(a->text, b->text) == 0 : a->number == b->number;
}

static void compare_setting(tp_simulation *simulation, const char *path, const tp_trajectory *trajectory,
                            const tp_table_attribute *now)
{
    const tp_table_attribute *before = tp_restart_attribute(trajectory, now->name);
    if (is_same(before, now)) return;
    char was[LINE_SHOWN], is[LINE_SHOWN];
    tp_warning warning = tp_warning_of(TP_WARNING_RESTART_DIFFERS);
    format_value(before, was, sizeof was);
    format_value(now, is, sizeof is);
    snprintf(warning.subject, sizeof warning.subject, "%s", now->name);
    snprintf(warning.text, sizeof warning.text,
             "%s is now %s, in %.80s it was %s: this is not the run that was stopped", now->name, is, path,
             was);
    tp_simulation_warn(simulation, &warning);
}

void tp_restart_compare_settings(tp_simulation *simulation, const char *path, const tp_trajectory *trajectory)
{
    tp_restart now;
    tp_table_attribute settings[TP_SETTINGS_MAX];
    tp_simulation_checkpoint(simulation, &now);
    compare_setting(simulation, path, trajectory, &(tp_table_attribute){"integrator", now.integrator, 0.0});
    int count = tp_restart_settings(tp_simulation_get_options(simulation), settings);
    for (int i = 0; i < count; i++) compare_setting(simulation, path, trajectory, &settings[i]);
}

/* A line of a scene in canonical form; the text is NULL after the last one. */
typedef struct scene_line {
    const char *text;
    size_t length;
    bool is_skipped; /* of a section that does not change the motion */
} scene_line;

static bool is_section(const char *line, size_t length, const char *name)
{
    size_t n = strlen(name);
    return length > n && strncmp(line, name, n) == 0 && line[n] == ':';
}

/* The next line that counts. Sections begin at the margin; simulate is compared by its values. */
static void advance(scene_line *line, const char **rest)
{
    static const char *const skipped[] = {"name", "about", "simulate", "output"};
    do {
        const char *text = *rest;
        if (*text == 0) {
            line->text = NULL;
            return;
        }
        line->text = text;
        line->length = strcspn(text, "\n");
        *rest = text + line->length + (text[line->length] == '\n');
        if (*text == ' ') continue; /* inside its section */
        line->is_skipped = false;
        for (size_t i = 0; i < sizeof skipped / sizeof skipped[0]; i++)
            line->is_skipped = line->is_skipped || is_section(text, line->length, skipped[i]);
    } while (line->is_skipped);
}

/* Without the margin, and cut. */
static void format_line(const scene_line *line, char *out, size_t capacity)
{
    const char *text = line->text ? line->text : "nothing";
    size_t length = line->text ? line->length : strlen(text), margin = strspn(text, " ");
    snprintf(out, capacity, "%.*s", (int)(length - margin), text + margin);
}

void tp_restart_compare_scenes(tp_simulation *simulation, const char *path, const char *before,
                               const char *now)
{
    scene_line old_line = {NULL, 0, false}, new_line = {NULL, 0, false};
    bool is_equal;
    do {
        advance(&old_line, &before);
        advance(&new_line, &now);
        is_equal = (old_line.text == NULL) == (new_line.text == NULL);
        if (is_equal && old_line.text != NULL) {
            is_equal = old_line.length == new_line.length &&
                       memcmp(old_line.text, new_line.text, old_line.length) == 0;
        }
    } while (is_equal && old_line.text != NULL);
    if (is_equal) return;
    char was[LINE_SHOWN], is[LINE_SHOWN];
    tp_warning warning = tp_warning_of(TP_WARNING_RESTART_DIFFERS);
    snprintf(warning.subject, sizeof warning.subject, "scene");
    format_line(&old_line, was, sizeof was);
    format_line(&new_line, is, sizeof is);
    snprintf(
        warning.text, sizeof warning.text,
        "the scene has changed since %.60s: it says \"%s\", not \"%s\": this is not the run that was stopped",
        path, is, was);
    tp_simulation_warn(simulation, &warning);
}
