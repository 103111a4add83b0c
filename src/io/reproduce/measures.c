/* What is measured in what the steps left: curves of runs, events, figures of reports. */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "io/common/ascending.h"
#include "io/common/words.h"
#include "io/output/column_path.h"
#include "io/scene/scalar.h"
#include "reproduce.h"

/* ---- what is there ------------------------------------------------------------------------------------- */

int tp_step_find(const tp_experiment *experiment, const char *name)
{
    return TP_FIND(experiment->steps, experiment->step_count, name, name);
}

static tp_status get_run(tp_left *left, const char *step, const tp_trajectory **run_out, tp_message *why)
{
    char path[4096];
    int k = tp_step_find(left->experiment, step);
    if (k < 0) return tp_fail(why, TP_INVALID_ARGUMENT, "there is no step '%s'", step);
    snprintf(path, sizeof path, "%s/%s.h5", left->folder, step);
    if (!left->runs[k])
        TP_TRY(tp_trajectory_read_from(left->allocator, left->source, path, &left->runs[k], why));
    *run_out = left->runs[k];
    return TP_OK;
}

static tp_status get_text(tp_left *left, const char *step, const tp_node **root_out, tp_message *why)
{
    char path[4096];
    int k = tp_step_find(left->experiment, step);
    if (k < 0) return tp_fail(why, TP_INVALID_ARGUMENT, "there is no step '%s'", step);
    snprintf(path, sizeof path, "%s/%s.json", left->folder, step);
    if (!left->texts[k]) TP_TRY(tp_tree_read_file(&left->arena, &left->arena, path, &left->texts[k], why));
    *root_out = left->texts[k]->root;
    return TP_OK;
}

/* ---- curves -------------------------------------------------------------------------------------------- */

/* A column, perhaps minus that of another run. */
typedef struct curve {
    long long first, end; /* rows in the window */
    const double *time, *value;
    const double *other_time, *other_value; /* NULL: nothing is subtracted */
    long long other_count;
} curve;

static double curve_at_row(const curve *c, long long row)
{
    if (!c->other_value) return c->value[row];
    return c->value[row] - tp_between_rows(c->other_time, c->other_value, c->other_count, c->time[row]);
}

static tp_status get_curve(tp_left *left, const tp_check *check, curve *c, tp_message *why)
{
    const tp_trajectory *run, *other;
    int column;
    TP_TRY(get_run(left, check->of, &run, why));
    TP_TRY(tp_column_named(run, check->column, &column, why));
    *c = (curve){.end = run->row_count, .time = run->values[0], .value = run->values[column]};
    /* Times of rows are sums of steps: what ends at 0.8 s may end a rounding later. */
    double slack = run->row_count > 0 ? 1e-9 * fabs(c->time[run->row_count - 1]) : 0.0;
    if (!isnan(check->from)) c->first = tp_ascending_count(c->time, c->end, check->from - slack);
    if (!isnan(check->until)) c->end = tp_ascending_count(c->time, c->end, check->until + slack);
    if (c->first >= c->end) return tp_fail(why, TP_INVALID_DATA, "the run has no rows there");
    if (!check->against) return TP_OK;
    TP_TRY(get_run(left, check->against, &other, why));
    TP_TRY(
        tp_column_named(other, check->against_column ? check->against_column : check->column, &column, why));
    if (other->row_count == 0) return tp_fail(why, TP_INVALID_DATA, "run '%s' has no rows", check->against);
    c->other_time = other->values[0];
    c->other_value = other->values[column];
    c->other_count = other->row_count;
    return TP_OK;
}

static double value_at(const curve *c, double time)
{
    double value = tp_between_rows(c->time + c->first, c->value + c->first, c->end - c->first, time);
    if (!c->other_value) return value;
    return value - tp_between_rows(c->other_time, c->other_value, c->other_count, time);
}

/* The time of the passage of that number through the level, in either direction. */
static double passage_time(const curve *c, const tp_check *check)
{
    int passed = 0;
    for (long long row = c->first + 1; row < c->end; row++) {
        double before = curve_at_row(c, row - 1) - check->level, now = curve_at_row(c, row) - check->level;
        if ((before < 0.0) == (now < 0.0) || ++passed < check->number) continue;
        return c->time[row - 1] + (c->time[row] - c->time[row - 1]) * before / (before - now);
    }
    return NAN;
}

/* The figures of a curve; their words are those of the measures. */
typedef struct figures {
    double start, end, max, min, size, range, mean, change, increase, sum, turns, value, time;
} figures;

static figures figures_of(const curve *c, const tp_check *check)
{
    figures f = {.start = curve_at_row(c, c->first), .end = curve_at_row(c, c->end - 1)};
    double before = f.start, area = 0.0, length = c->time[c->end - 1] - c->time[c->first];
    bool has_gaps = false;
    f.max = f.increase = -INFINITY;
    f.min = INFINITY;
    for (long long row = c->first; row < c->end; row++) {
        double value = curve_at_row(c, row);
        has_gaps |= isnan(value);
        f.max = fmax(f.max, value);
        f.min = fmin(f.min, value);
        f.increase = fmax(f.increase, value - before);
        f.sum += value;
        f.turns += (value < 0.0) != (before < 0.0);
        if (row > c->first) area += 0.5 * (value + before) * (c->time[row] - c->time[row - 1]);
        before = value;
    }
    if (has_gaps) f.max = f.min = f.increase = NAN;
    f.size = fmax(f.max, -f.min);
    f.range = f.max - f.min;
    f.mean = length > 0.0 ? area / length : f.start; /* over time, by the rule of trapezia */
    f.change = f.end - f.start;
    f.value = value_at(c, check->at);
    f.time = passage_time(c, check);
    return f;
}

/* ---- events -------------------------------------------------------------------------------------------- */

static bool is_event(const tp_table *table, const tp_check *check, long long row)
{
    double time = table->values[tp_table_find(table, "time")][row];
    if (time < check->from || time > check->until) return false; /* NaN: no limit */
    return tp_event_row_is(table, row, check->event, check->law);
}

/* What was seen of events: how many, and a field of them. */
typedef struct seen_events {
    double count, value, least, most; /* value: of the one whose number is asked for */
} seen_events;

static tp_status look_at_events(tp_left *left, const tp_check *check, seen_events *seen, tp_message *why)
{
    const tp_trajectory *run;
    TP_TRY(get_run(left, check->of, &run, why));
    const tp_table *table = tp_trajectory_table(run, "events");
    const char *field = check->field ? check->field : "time";
    if (!table || tp_table_find(table, "time") < 0 || tp_table_find(table, field) < 0)
        return tp_fail(why, TP_INVALID_DATA, "the run has no events with %s", field);
    *seen = (seen_events){0.0, NAN, NAN, NAN};
    for (long long row = 0; row < table->row_count; row++) {
        if (!is_event(table, check, row)) continue;
        double value = table->values[tp_table_find(table, field)][row];
        seen->count += 1.0;
        if (seen->count == check->number) seen->value = value;
        seen->least = fmin(seen->least, value);
        seen->most = fmax(seen->most, value);
    }
    return TP_OK;
}

/* ---- reports ------------------------------------------------------------------------------------------- */

/* "levels[2].order.q": keys and numbers of items. NULL: nothing is there. */
static const tp_node *find_node(const tp_node *node, const char *path)
{
    char key[128];
    while (node && *path) {
        size_t length = strcspn(path, ".[");
        if (length >= sizeof key) return NULL;
        if (*path == '[') {
            int index = 0, used = 0;
            if (sscanf(path, "[%d]%n", &index, &used) != 1 || used == 0) return NULL;
            node = tp_list_at(node, index >= 0 ? index : node->count + index);
            path += used;
        } else {
            memcpy(key, path, length);
            key[length] = '\0';
            node = tp_map_get(node, key);
            path += length;
        }
        if (*path == '.') path++;
    }
    return node;
}

static tp_status figure_of(tp_left *left, const char *step, const char *path, tp_measured *measured,
                           tp_message *why)
{
    const tp_node *root;
    TP_TRY(get_text(left, step, &root, why));
    const tp_node *node = find_node(root, path);
    if (!node) return tp_fail(why, TP_INVALID_DATA, "the report has no '%s'", path);
    if (node->kind != TP_NODE_SCALAR) { /* how many there are */
        measured->number = node->count;
    } else if (tp_node_meaning(node) == TP_MEANS_NUMBER) {
        TP_TRY(tp_node_number(node, NULL, &measured->number, why));
    } else {
        snprintf(measured->text, sizeof measured->text, "%s", node->text);
    }
    return TP_OK;
}

static tp_status take_figure(tp_left *left, const tp_check *check, tp_measured *measured, tp_message *why)
{
    tp_measured other = {.number = 0.0};
    TP_TRY(figure_of(left, check->of, check->path, measured, why));
    if (check->against) TP_TRY(figure_of(left, check->against, check->path, &other, why));
    measured->number -= other.number;
    if (check->over) {
        TP_TRY(figure_of(left, check->over, check->path, &other, why));
        measured->number /= other.number;
    }
    return TP_OK;
}

/* ---- the measures -------------------------------------------------------------------------------------- */

#define FIGURE(word)                                                                                         \
    {                                                                                                        \
#word, true, offsetof(figures, word)                                                                 \
    }

static const struct {
    const char *word;
    bool is_of_curve;
    size_t figure; /* of a curve: its place among them */
} measures[] = {
    FIGURE(start),          FIGURE(end),       FIGURE(max),        FIGURE(min),       FIGURE(size),
    FIGURE(range),          FIGURE(mean),      FIGURE(change),     FIGURE(increase),  FIGURE(sum),
    FIGURE(turns),          FIGURE(value),     FIGURE(time),       {.word = "event"}, {.word = "least-event"},
    {.word = "most-event"}, {.word = "count"}, {.word = "figure"}, {.word = "exit"}};
enum { MEASURES = sizeof measures / sizeof measures[0] };

tp_status tp_measure_check(const tp_node *node, const tp_check *check, tp_message *why)
{
    int k = TP_FIND(measures, MEASURES, word, check->take);
    if (k < 0)
        return tp_node_fail(
            node, why,
            "take is start, end, max, min, size, range, mean, change, increase, sum, turns, value, "
            "time, event, least-event, most-event, count, figure or exit");
    if (measures[k].is_of_curve && !check->column)
        return tp_node_fail(node, why, "%s needs a column", check->take);
    if (strcmp(check->take, "value") == 0 && isnan(check->at))
        return tp_node_fail(node, why, "value needs at");
    if (strcmp(check->take, "time") == 0 && isnan(check->level))
        return tp_node_fail(node, why, "time needs level");
    if (strcmp(check->take, "figure") == 0 && !check->path)
        return tp_node_fail(node, why, "figure needs path");
    return TP_OK;
}

tp_status tp_measure_take(tp_left *left, const tp_check *check, tp_measured *measured_out, tp_message *why)
{
    int k = TP_FIND(measures, MEASURES, word, check->take), step = tp_step_find(left->experiment, check->of);
    curve c;
    seen_events seen = {0.0, NAN, NAN, NAN};
    *measured_out = (tp_measured){.number = NAN};
    if (k < 0 || step < 0) return tp_fail(why, TP_INVALID_ARGUMENT, "there is no such measure or step");
    bool is_report = strcmp(check->take, "figure") == 0 || strcmp(check->take, "exit") == 0;
    if (!is_report && left->exit_codes[step] != 0)
        return tp_fail(why, TP_INVALID_DATA, "step '%s' ended with exit code %d", check->of,
                       left->exit_codes[step]);
    if (measures[k].is_of_curve) {
        TP_TRY(get_curve(left, check, &c, why));
        figures all = figures_of(&c, check);
        measured_out->number = *(const double *)(const void *)((const char *)&all + measures[k].figure);
    } else if (strcmp(check->take, "figure") == 0) {
        TP_TRY(take_figure(left, check, measured_out, why));
    } else if (strcmp(check->take, "exit") == 0) {
        measured_out->number = left->exit_codes[step];
    } else {
        TP_TRY(look_at_events(left, check, &seen, why));
        measured_out->number = seen.value;
        if (strcmp(check->take, "count") == 0) measured_out->number = seen.count;
        if (strcmp(check->take, "least-event") == 0) measured_out->number = seen.least;
        if (strcmp(check->take, "most-event") == 0) measured_out->number = seen.most;
    }
    if (isnan(measured_out->number) && measured_out->text[0] == '\0')
        return tp_fail(why, TP_INVALID_DATA, "nothing of that kind was found");
    measured_out->is_measured = true;
    return TP_OK;
}
