/* Runs of examples/NAME/expected.json and their checks.

   A check measures one number of a run and compares it:

     value_of: NAME, at: T       at the step nearest to T (without `at`: at the end)
     largest_of, least_of: NAME  over all steps with `from` <= t <= `until` (each may be left out)
     time_when: NAME             end of the step in which NAME rises_above or falls_below a level for the
                                 `number`-th time (1 if left out), minus that of the event `since`, if given
     report: FIELD               of the report of the run

     is, within                  |number - is| <= within;   at_most, at_least     one-sided
     order                       `is` is also met by extrapolation: the run is done again with half the step,
                                 and the figure that both tend to with this order is off by at most a tenth of
                                 the error that it removes. So the error of the run is the scheme's.
     why                         where the figure and its tolerance come from

   A run may name `integrators`: then it is done with each of them instead of the scene's own. A run has no
   warnings but those of the kinds that it lists in `warns`, with the reason in `why_it_warns`; each of them
   must come with one of the integrators.

   NAME is a coordinate, a velocity (x'), a sensor, `energy`,
   `energy_change` (in the last step), or `impulse.LAW` (its normal or first row).
 */
#ifndef TESTS_EXAMPLE_RUNS_H
#define TESTS_EXAMPLE_RUNS_H

#include "examples.h"

enum { CHECKS_MAX = 64, WARNS_MAX = 8 };

typedef enum measure { VALUE_OF, LARGEST_OF, LEAST_OF, TIME_WHEN, OF_REPORT } measure;

static const char *const measure_names[] = {"value_of", "largest_of", "least_of", "time_when", "report"};

typedef enum source {
    COORDINATE,
    VELOCITY,
    STATE,
    MULTIPLIER,
    SENSOR,
    ENERGY,
    ENERGY_CHANGE,
    IMPULSE
} source;

typedef struct one_check {
    const tp_node *node; /* of expected.json */
    measure measure;
    const char *name;
    source source;
    int index;
    double from, until;           /* of largest and least; `at` lies between the halves of a step */
    double level, previous, sign; /* of events: sign * (value - level) becomes positive          */
    int number, since, events;
    double since_time;
    double number_found; /* NaN until it is known */
    double halved;       /* the same with half the step */
} one_check;

/* What an extrapolation leaves is of the next order in the step: this part of what it removes, where the step
   resolves the motion. */
static const double left_by_extrapolation = 0.1;

typedef struct one_run {
    const char *example;
    const char *integrator; /* NULL: of the scene */
    const tp_node *node;
    one_check checks[CHECKS_MAX];
    int count;
    double energy_before; /* the last step */
    bool *has_warned;     /* [WARNS_MAX] of those in `warns` */
} one_run;

static inline double number_or(const tp_node *map, const char *key, double otherwise)
{
    const tp_node *node = tp_map_get(map, key);
    double value = otherwise;
    tp_message why = {""};
    if (node != NULL && tp_node_number(node, NULL, &value, &why) != TP_OK) fail_msg("%s", why.text);
    return value;
}

static inline int find_name(const tp_model *model, const char *name,
                            const char *(*name_at)(const tp_model *model, int i), int count)
{
    for (int i = 0; i < count; i++) {
        if (strcmp(name_at(model, i), name) == 0) return i;
    }
    return -1;
}

static inline bool find_source(one_check *check, const tp_model *model)
{
    static const char impulse[] = "impulse.";
    tp_model_summary all = tp_model_summarise(model);
    check->source = ENERGY;
    if (strcmp(check->name, "energy") == 0) return true;
    check->source = ENERGY_CHANGE;
    if (strcmp(check->name, "energy_change") == 0) return true;
    check->source = IMPULSE;
    if (strncmp(check->name, impulse, strlen(impulse)) == 0) {
        check->index = find_name(model, check->name + strlen(impulse), tp_model_law_name, all.law_count);
        return check->index >= 0 ||
               find_name(model, check->name + strlen(impulse), tp_model_rule_name, all.rule_count) >= 0;
    }
    check->source = COORDINATE;
    check->index = find_name(model, check->name, tp_model_coordinate_name, all.coordinate_count);
    if (check->index >= 0) return true;
    check->source = VELOCITY;
    check->index = find_name(model, check->name, tp_model_velocity_name, all.velocity_count);
    if (check->index >= 0) return true;
    check->source = STATE;
    check->index = find_name(model, check->name, tp_model_state_name, all.state_count);
    if (check->index >= 0) return true;
    check->source = MULTIPLIER;
    check->index = find_name(model, check->name, tp_model_multiplier_name, all.multiplier_count);
    if (check->index >= 0) return true;
    check->source = SENSOR;
    check->index = find_name(model, check->name, tp_model_sensor_name, all.sensor_count);
    return check->index >= 0;
}

/* The law, or the contact between two shapes that has that name now; -1: they are not near each other. */
static inline int impulse_index(const one_check *check, const tp_simulation *simulation)
{
    char name[200];
    if (check->index >= 0) return check->index;
    for (int i = 0; i < tp_simulation_law_count(simulation); i++) {
        tp_simulation_law_name(simulation, i, name, sizeof name);
        if (strcmp(name, check->name + strlen("impulse.")) == 0) return i;
    }
    return -1;
}

static inline double value_now(const one_check *check, const tp_simulation *simulation, double energy_before)
{
    double P[TP_IMPULSE_ROWS] = {0.0};
    switch (check->source) {
    case COORDINATE: return tp_simulation_q(simulation)[check->index];
    case VELOCITY: return tp_simulation_u(simulation)[check->index];
    case STATE: return tp_simulation_states(simulation)[check->index];
    case MULTIPLIER: return tp_simulation_multipliers(simulation)[check->index];
    case SENSOR: return tp_simulation_sensor(simulation, check->index);
    case ENERGY: return tp_simulation_last_step(simulation)->energy;
    case ENERGY_CHANGE: return tp_simulation_last_step(simulation)->energy - energy_before;
    case IMPULSE: tp_simulation_last_impulse(simulation, impulse_index(check, simulation), P); return P[0];
    }
    return NAN;
}

/* A key that no check knows is a spelling mistake, and would make the check weaker than it looks. */
static inline void refuse_unknown_keys(const tp_node *check)
{
    static const char *const known[] = {"at",        "from",  "until",    "rises_above", "falls_below",
                                        "number",    "since", "is",       "within",      "at_most",
                                        "at_least",  "why",   "value_of", "largest_of",  "least_of",
                                        "time_when", "order", "report"};
    for (const tp_node *entry = check->first; entry != NULL; entry = entry->next) {
        bool is_known = false;
        for (size_t k = 0; k < sizeof known / sizeof known[0]; k++)
            is_known = is_known || strcmp(entry->key, known[k]) == 0;
        tp_message why = {""};
        if (!is_known) {
            tp_node_fail(entry, &why, "unknown key '%s'", entry->key);
            fail_msg("%s", why.text);
        }
    }
}

static inline void prepare_check(one_check *check, const tp_node *node, const tp_scene *scene)
{
    *check = (one_check){.node = node, .number_found = NAN, .halved = NAN};
    refuse_unknown_keys(node);
    for (int k = VALUE_OF; k <= OF_REPORT; k++) {
        const tp_node *name = tp_map_get(node, measure_names[k]);
        if (name == NULL) continue;
        check->measure = (measure)k;
        check->name = name->text;
    }
    tp_message why = {""};
    bool is_two_sided = tp_map_get(node, "is") != NULL && tp_map_get(node, "within") != NULL;
    if (check->name == NULL || tp_map_get(node, "why") == NULL ||
        !(is_two_sided || tp_map_get(node, "at_most") || tp_map_get(node, "at_least"))) {
        tp_node_fail(node, &why, "a check needs what it measures, what is expected, and why");
        fail_msg("%s", why.text);
    }
    if (check->measure != OF_REPORT && !find_source(check, scene->model)) {
        tp_node_fail(node, &why, "the scene has nothing named '%s'", check->name);
        fail_msg("%s", why.text);
    }
    double half_step = 0.5 * scene->options.time_step, at = number_or(node, "at", NAN);
    check->from = isnan(at) ? number_or(node, "from", -INFINITY) : at - half_step;
    check->until = isnan(at) ? number_or(node, "until", INFINITY) : at + half_step;
    check->sign = tp_map_get(node, "falls_below") != NULL ? -1.0 : 1.0;
    check->level = number_or(node, check->sign < 0.0 ? "falls_below" : "rises_above", 0.0);
    check->number = (int)number_or(node, "number", 1.0);
    check->since = (int)number_or(node, "since", 0.0);
    check->previous = NAN;
}

static inline void watch_event(one_check *check, double t, double value)
{
    bool has_happened = check->sign * (value - check->level) > 0.0,
         had_happened = !(check->sign * (check->previous - check->level) <= 0.0);
    check->previous = value;
    if (!has_happened || had_happened) return;
    check->events++;
    if (check->events == check->since) check->since_time = t;
    if (check->events == check->number) check->number_found = t - check->since_time;
}

static inline bool watch(void *context, const tp_simulation *simulation)
{
    one_run *run = context;
    double t = tp_simulation_time(simulation), energy = tp_simulation_last_step(simulation)->energy;
    if (t == 0.0) run->energy_before = energy;
    for (int k = 0; k < run->count; k++) {
        one_check *check = &run->checks[k];
        if (check->measure == OF_REPORT || t < check->from || t > check->until) continue;
        double value = value_now(check, simulation, run->energy_before);
        if (check->measure == TIME_WHEN) {
            watch_event(check, t, value);
        } else if (check->measure == VALUE_OF || isnan(check->number_found) ||
                   (check->measure == LARGEST_OF ? value > check->number_found
                                                 : value < check->number_found)) {
            check->number_found = value;
        }
    }
    run->energy_before = energy;
    return true;
}

static inline double field_of_report(const tp_run_report *report, const char *name)
{
    if (strcmp(name, "energy_initial") == 0) return report->energy_initial;
    if (strcmp(name, "energy_final") == 0) return report->energy_final;
    if (strcmp(name, "largest_energy_increase") == 0) return report->largest_energy_increase;
    if (strcmp(name, "position_drift") == 0) return report->position_drift;
    if (strcmp(name, "angle_drift") == 0) return report->angle_drift;
    if (strcmp(name, "velocity_drift") == 0) return report->velocity_drift;
    if (strcmp(name, "angular_velocity_drift") == 0) return report->angular_velocity_drift;
    if (strcmp(name, "penetration") == 0) return report->penetration;
    if (strcmp(name, "limit_angle") == 0) return report->limit_angle;
    if (strcmp(name, "storage_initial") == 0) return report->storage_initial;
    if (strcmp(name, "storage_final") == 0) return report->storage_final;
    if (strcmp(name, "largest_storage_increase") == 0) return report->largest_storage_increase;
    if (strcmp(name, "impacts") == 0) return (double)report->impacts;
    if (strcmp(name, "iterations_max") == 0) return report->iterations_max;
    if (strcmp(name, "residual_max") == 0) return report->residual_max;
    if (strcmp(name, "not_converged") == 0) return (double)report->not_converged;
    if (strcmp(name, "warning_count") == 0) return report->warning_count;
    return NAN;
}

/* Warnings that `warns` does not list; those that it does are noted. */
static inline int count_wrong_warnings(one_run *run, const tp_run_report *report)
{
    const tp_node *list = tp_map_get(run->node, "warns");
    int failures = 0;
    for (int k = 0; k < report->warning_count; k++) {
        char line[TP_WARNING_LINE];
        bool is_listed = false;
        int index = 0;
        for (const tp_node *item = list != NULL ? list->first : NULL; item != NULL;
             item = item->next, index++) {
            if (strcmp(item->text, report->warnings[k].name) != 0) continue;
            is_listed = run->has_warned[index] = true;
        }
        if (is_listed) continue;
        tp_warning_format(&report->warnings[k], line);
        print_error("%s:%d: %s (%s) warns: %s\n", run->node->place.file, run->node->place.line, run->example,
                    run->integrator != NULL ? run->integrator : "own integrator", line);
        failures++;
    }
    return failures;
}

/* Listed warnings that came with none of the integrators. */
static inline int count_missing_warnings(const char *example, const tp_node *node, const bool *has_warned)
{
    const tp_node *list = tp_map_get(node, "warns");
    int failures = 0, index = 0;
    if (list != NULL && (tp_map_get(node, "why_it_warns") == NULL || list->count > WARNS_MAX))
        fail_msg("%s: a run that warns says why, and lists at most %d", example, WARNS_MAX);
    for (const tp_node *item = list != NULL ? list->first : NULL; item != NULL; item = item->next, index++) {
        if (has_warned[index]) continue;
        print_error("%s:%d: %s does not warn: %s\n", node->place.file, node->place.line, example, item->text);
        failures++;
    }
    return failures;
}

/* Whether the runs with the step and with half of it tend to what is expected. */
static inline bool tends_to(const one_run *run, const one_check *check, double is)
{
    double order = number_or(check->node, "order", NAN);
    if (isnan(order)) return true;
    double removed = (check->halved - check->number_found) / (exp2(order) - 1.0),
           limit = check->halved + removed;
    bool is_met = fabs(limit - is) <= left_by_extrapolation * fabs(removed);
    if (!is_met)
        print_error(
            "%s:%d: %s: %s = %.12g, and %.12g with half the step, tends to %.12g with order %g, expected "
            "%.12g within %.3g\n",
            check->node->place.file, check->node->place.line, run->example, check->name, check->number_found,
            check->halved, limit, order, is, left_by_extrapolation * fabs(removed));
    return is_met;
}

/* Prints what does not hold; all checks are made before the test fails. */
static inline bool holds(const one_run *run, const one_check *check)
{
    const tp_node *node = check->node;
    double found = check->number_found, is = number_or(node, "is", NAN),
           within = number_or(node, "within", NAN);
    double most = number_or(node, "at_most", INFINITY), least = number_or(node, "at_least", -INFINITY);
    bool is_near = isnan(is) || fabs(found - is) <= within;
    if (is_near && found <= most && found >= least) return tends_to(run, check, is);
    const tp_node *name = tp_map_get(run->node, "name");
    print_error("%s:%d: %s (%s%s%s): %s %s = %.12g", node->place.file, node->place.line, run->example,
                name != NULL ? name->text : "", run->integrator != NULL ? ", " : "",
                run->integrator != NULL ? run->integrator : "", measure_names[check->measure], check->name,
                found);
    if (!isnan(is)) print_error(", expected %.12g within %.3g (off by %.3g)", is, within, found - is);
    if (!isinf(most)) print_error(", expected at most %.12g", most);
    if (!isinf(least)) print_error(", expected at least %.12g", least);
    print_error("\n");
    return false;
}

/* Runs with a part of the step and finds the numbers of all checks; returns how many things went wrong. */
static inline int measure_run(one_run *run, double part)
{
    tp_scene *scene = read_example(run->example, tp_map_get(run->node, "edits"));
    if (run->integrator != NULL) scene->options.integrator = run->integrator;
    scene->options.time_step *= part;
    const tp_node *checks = tp_map_get(run->node, "checks");
    if (checks == NULL || checks->count < 1 || checks->count > CHECKS_MAX)
        fail_msg("%s: a run has 1 to %d checks", run->example, CHECKS_MAX);
    run->count = 0;
    for (const tp_node *check = checks->first; check != NULL; check = check->next)
        prepare_check(&run->checks[run->count++], check, scene);

    tp_simulation *simulation = simulate_scene(scene);
    tp_status status = tp_simulation_run(simulation, watch, run, NULL);
    const tp_run_report *report = tp_simulation_report(simulation);
    int failures = status != TP_OK;
    if (status != TP_OK) print_error("%s: %s\n", run->example, report->reason);
    for (int k = 0; k < run->count; k++) {
        one_check *check = &run->checks[k];
        if (check->measure == OF_REPORT) check->number_found = field_of_report(report, check->name);
    }
    failures += count_wrong_warnings(run, report);
    tp_simulation_free(simulation);
    tp_scene_free(scene);
    return failures;
}

static inline int count_failures_with(const char *example, const tp_node *node, const char *integrator,
                                      bool *has_warned)
{
    one_run run = {.example = example, .node = node, .integrator = integrator, .has_warned = has_warned};
    int failures = measure_run(&run, 1.0);
    bool has_orders = false;
    for (int k = 0; k < run.count; k++)
        has_orders = has_orders || tp_map_get(run.checks[k].node, "order") != NULL;
    if (has_orders) {
        one_run halved = run;
        failures += measure_run(&halved, 0.5);
        for (int k = 0; k < run.count; k++) run.checks[k].halved = halved.checks[k].number_found;
    }
    for (int k = 0; k < run.count; k++) failures += !holds(&run, &run.checks[k]);
    return failures;
}

/* With the integrators that the run names, or the scene's own. */
static inline int count_failures(const char *example, const tp_node *node)
{
    const tp_node *integrators = tp_map_get(node, "integrators");
    bool has_warned[WARNS_MAX] = {false};
    int failures = integrators == NULL ? count_failures_with(example, node, NULL, has_warned) : 0;
    for (const tp_node *name = integrators != NULL ? integrators->first : NULL; name != NULL;
         name = name->next)
        failures += count_failures_with(example, node, name->text, has_warned);
    return failures + count_missing_warnings(example, node, has_warned);
}

/* All runs of one list ("runs", "long") of all examples, or of the one that TIPPE_EXAMPLE names; returns how
   many had one. */
static inline int count_examples_with(const char *list, int *failures_out)
{
    example_list examples = find_examples();
    const char *only = getenv("TIPPE_EXAMPLE");
    int count = 0;
    *failures_out = 0;
    for (int i = 0; i < examples.count; i++) {
        if (only != NULL && strcmp(examples.name[i], only) != 0) {
            count++; /* as if it had been run */
            continue;
        }
        tp_arena arena;
        tp_arena_init(&arena, NULL);
        const tp_node *runs = tp_map_get(read_expected(&arena, examples.name[i]), list);
        count += runs != NULL && runs->count > 0;
        for (const tp_node *run = runs != NULL ? runs->first : NULL; run != NULL; run = run->next)
            *failures_out += count_failures(examples.name[i], run);
        tp_arena_clear(&arena);
    }
    return count;
}

#endif
