/* What a sweep keeps of a run: values at its end, extremes and means, figures of its report, and points. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/common/near.h"
#include "sweep.h"

static const struct {
    const char *word;
    tp_measure_kind kind;
} kinds[] = {
    {"end", TP_MEASURE_END}, {"max", TP_MEASURE_MAX}, {"min", TP_MEASURE_MIN}, {"mean", TP_MEASURE_MEAN}};

static const char *const usual_figures[] = {"steps",          "impacts",           "energy_final",
                                            "drift_position", "drift_penetration", "solver_residual_max",
                                            "warning_count"};

/* ---- names --------------------------------------------------------------------------------------------- */

/* The value of a name at a state; NULL: only look whether there is such a name. False: there is none. */
static bool find_value(const tp_model *model, const tp_simulation *simulation, const char *name,
                       double *value_out)
{
    tp_model_summary summary = tp_model_summarise(model);
    for (int i = 0; i < summary.sensor_count; i++) {
        if (strcmp(tp_model_sensor_name(model, i), name) != 0) continue;
        if (simulation) *value_out = tp_simulation_sensor(simulation, i);
        return true;
    }
    for (int i = 0; i < summary.coordinate_count; i++) {
        if (strcmp(tp_model_coordinate_name(model, i), name) != 0) continue;
        if (simulation) *value_out = tp_simulation_q(simulation)[i];
        return true;
    }
    for (int i = 0; i < summary.velocity_count; i++) {
        if (strcmp(tp_model_velocity_name(model, i), name) != 0) continue;
        if (simulation) *value_out = tp_simulation_u(simulation)[i];
        return true;
    }
    if (strcmp(name, "energy") != 0) return false;
    if (simulation) *value_out = tp_simulation_last_step(simulation)->energy;
    return true;
}

/* A number of the report by its name. */
static bool find_figure(const tp_run_report *report, const char *name, double *value_out)
{
    tp_table_attribute list[TP_REPORT_ATTRIBUTES_MAX];
    int count = tp_report_attributes(report, "", list);
    for (int i = 0; i < count; i++) {
        if (list[i].text || strcmp(list[i].name, name) != 0) continue;
        *value_out = list[i].number;
        return true;
    }
    return false;
}

static tp_status fail_result(const tp_model *model, const char *text, const char *name, tp_message *why)
{
    tp_model_summary summary = tp_model_summarise(model);
    tp_near near = tp_near_begin(name);
    for (int i = 0; i < summary.sensor_count; i++) tp_near_offer(&near, tp_model_sensor_name(model, i));
    for (int i = 0; i < summary.coordinate_count; i++)
        tp_near_offer(&near, tp_model_coordinate_name(model, i));
    for (int i = 0; i < summary.velocity_count; i++) tp_near_offer(&near, tp_model_velocity_name(model, i));
    for (size_t i = 0; i < sizeof usual_figures / sizeof usual_figures[0]; i++)
        tp_near_offer(&near, usual_figures[i]);
    return tp_fail(
        why, TP_INVALID_ARGUMENT,
        "result '%.100s': expected end:NAME, max:NAME, min:NAME or mean:NAME of a sensor, coordinate, "
        "velocity or energy, or a figure of the report%s",
        text, tp_near_hint_of(&near).text);
}

static tp_status read_measure(tp_measure *measure, const tp_model *model, const char *text, tp_message *why)
{
    static const tp_run_report nothing;
    double value;
    const char *colon = strchr(text, ':');
    *measure = (tp_measure){TP_MEASURE_REPORT, text, text};
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0] && colon; k++) {
        size_t length = strlen(kinds[k].word);
        if ((size_t)(colon - text) != length || strncmp(text, kinds[k].word, length) != 0) continue;
        measure->kind = kinds[k].kind, measure->name = colon + 1;
        return find_value(model, NULL, measure->name, NULL) ? TP_OK
                                                            : fail_result(model, text, measure->name, why);
    }
    if (!colon && find_figure(&nothing, text, &value)) return TP_OK;
    return fail_result(model, text, colon ? colon + 1 : text, why);
}

/* The end of every sensor, and some figures of the report. */
static tp_status usual_measures(tp_measures *m, tp_arena *arena, const tp_model *model, tp_message *why)
{
    int sensors = tp_model_summarise(model).sensor_count;
    int figures = sizeof usual_figures / sizeof usual_figures[0];
    m->list = TP_ARENA_ARRAY(arena, tp_measure, sensors + figures);
    for (int i = 0; i < sensors && m->list; i++) {
        const char *text = tp_arena_format(arena, "end:%s", tp_model_sensor_name(model, i));
        if (!text) break;
        m->list[m->count++] = (tp_measure){TP_MEASURE_END, text, text + strlen("end:")};
    }
    if (tp_arena_status(arena) != TP_OK) return tp_fail(why, TP_OUT_OF_MEMORY, "no memory for the sweep");
    for (int i = 0; i < figures; i++)
        m->list[m->count++] = (tp_measure){TP_MEASURE_REPORT, usual_figures[i], usual_figures[i]};
    return TP_OK;
}

/* A kind of event, or a period. */
static tp_status read_points(tp_measures *m, const char *text, tp_message *why)
{
    char *end = NULL;
    m->points = text;
    m->event_kind = -1;
    for (int k = 0; tp_event_kind_name(k); k++) {
        if (strcmp(tp_event_kind_name(k), text) == 0) m->event_kind = k;
    }
    if (m->event_kind >= 0) return TP_OK;
    m->period = strtod(text, &end);
    if (end != text && *end == '\0' && m->period > 0.0 && isfinite(m->period)) return TP_OK;
    return tp_fail(why, TP_INVALID_ARGUMENT,
                   "points '%.100s': expected a period in seconds, or one of" TP_EVENT_KIND_WORDS, text);
}

tp_status tp_measures_read(tp_measures *m, tp_arena *arena, const tp_sweep_def *def, const tp_model *model,
                           tp_message *why)
{
    if (def->points) TP_TRY(read_points(m, def->points, why));
    if (def->result_count == 0) TP_TRY(usual_measures(m, arena, model, why));
    if (def->result_count > 0) m->list = TP_ARENA_ARRAY(arena, tp_measure, def->result_count);
    if (!m->list) return tp_fail(why, TP_OUT_OF_MEMORY, "no memory for the sweep");
    for (int k = 0; k < def->result_count; k++)
        TP_TRY(read_measure(&m->list[m->count++], model, def->results[k], why));
    m->values = TP_ARENA_ARRAY(arena, int, m->count + 1);
    if (!m->values) return tp_fail(why, TP_OUT_OF_MEMORY, "no memory for the sweep");
    for (int k = 0; k < m->count; k++) {
        bool is_new = m->list[k].kind != TP_MEASURE_REPORT;
        for (int j = 0; j < m->value_count && is_new; j++)
            is_new = strcmp(m->list[m->values[j]].name, m->list[k].name) != 0;
        if (is_new) m->values[m->value_count++] = k;
    }
    return TP_OK;
}

/* ---- a run --------------------------------------------------------------------------------------------- */

typedef struct observer {
    const tp_measures *measures;
    const tp_model *model;
    tp_sweep_result *result;
    double from, last_time, measured, next_point; /* [s] */
} observer;

static void add_point(const observer *o, const tp_simulation *simulation)
{
    double time = tp_simulation_time(simulation);
    tp_text_add_bytes(&o->result->points, &time, sizeof time);
    for (int k = 0; k < o->measures->value_count; k++) {
        double value = NAN;
        find_value(o->model, simulation, o->measures->list[o->measures->values[k]].name, &value);
        tp_text_add_bytes(&o->result->points, &value, sizeof value);
    }
}

/* At an event of the kind in the last step, or the first state at or after each multiple of the period. */
static bool is_point(observer *o, const tp_simulation *simulation, double time)
{
    int count;
    if (!o->measures->points) return false;
    if (o->measures->event_kind >= 0) {
        const tp_event *events = tp_simulation_events(simulation, &count);
        for (int k = 0; k < count; k++) {
            if ((int)events[k].kind == o->measures->event_kind) return true;
        }
        return false;
    }
    double slack = 1e-9 * o->measures->period;
    if (time < o->next_point - slack) return false;
    o->next_point = o->measures->period * (floor(time / o->measures->period + 1e-9) + 1.0);
    return true;
}

static bool observe(void *self, const tp_simulation *simulation)
{
    observer *o = self;
    double time = tp_simulation_time(simulation), *values = o->result->values;
    double step = time - fmax(o->last_time, o->from);
    o->last_time = time;
    if (time < o->from) return true;
    for (int k = 0; k < o->measures->count; k++) {
        double value = NAN;
        const tp_measure *measure = &o->measures->list[k];
        if (measure->kind == TP_MEASURE_REPORT) continue;
        find_value(o->model, simulation, measure->name, &value);
        if (measure->kind == TP_MEASURE_END) values[k] = value;
        if (measure->kind == TP_MEASURE_MAX) values[k] = fmax(values[k], value);
        if (measure->kind == TP_MEASURE_MIN) values[k] = fmin(values[k], value);
        if (measure->kind == TP_MEASURE_MEAN && step > 0.0)
            values[k] = (isnan(values[k]) ? 0.0 : values[k]) + step * value;
    }
    if (step > 0.0) o->measured += step;
    if (is_point(o, simulation, time)) add_point(o, simulation);
    return true;
}

static tp_simulation_options options_of(const tp_scene *scene, const tp_sweep_def *def)
{
    tp_simulation_options options = scene->options;
    if (def->integrator) options.integrator = def->integrator;
    if (def->solver) options.solver = def->solver;
    if (!isnan(def->time_step)) options.time_step = def->time_step;
    if (!isnan(def->end_time)) options.end_time = def->end_time;
    options.log = NULL; /* several threads would call it at once */
    return options;
}

void tp_measures_take(const tp_measures *measures, const tp_scene *scene, const tp_sweep_def *def,
                      tp_sweep_result *result)
{
    tp_simulation *simulation = NULL;
    tp_message why = {""};
    tp_simulation_options options = options_of(scene, def);
    observer o = {.measures = measures,
                  .model = scene->model,
                  .result = result,
                  .from = def->from,
                  .last_time = INFINITY,
                  .next_point = def->from};
    result->status = tp_simulation_create(NULL, scene->model, &options, &simulation, &why);
    if (result->status == TP_OK) {
        result->status = tp_simulation_run(simulation, observe, &o, &why);
        for (int k = 0; k < measures->count; k++) {
            if (measures->list[k].kind == TP_MEASURE_REPORT)
                find_figure(tp_simulation_report(simulation), measures->list[k].name, &result->values[k]);
            if (measures->list[k].kind == TP_MEASURE_MEAN) result->values[k] /= o.measured;
        }
    }
    snprintf(result->reason, sizeof result->reason, "%.500s", why.text);
    tp_simulation_free(simulation);
}
