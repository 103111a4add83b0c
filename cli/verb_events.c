/* tippe events RUN.h5: what happened in a recorded run, filtered and printed. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "hdf5_child.h"
#include "json.h"
#include "program.h"
#include "shared_options.h"
#include "tippe/output.h"

typedef struct events_settings {
    option_texts kinds;
    const char *of;
    double from, until, impulse; /* [s], [s], [N s] */
    bool is_json;
} events_settings;

#define FIELD(name) offsetof(events_settings, name)

static const cli_option events_options[] = {
    {"--kind", NULL, OPTION_TEXTS, FIELD(kinds), "KIND",
     "one of" TP_EVENT_KIND_WORDS "; may be given several times; default: all", 0, 0, NULL},
    {"--of", NULL, OPTION_TEXT, FIELD(of), "NAME", "events of this law or shape alone", 0, 0, NULL},
    {"--from", NULL, OPTION_REAL, FIELD(from), "S", "from this time on", -DBL_MAX, DBL_MAX,
     "a number of seconds"},
    {"--until", NULL, OPTION_REAL, FIELD(until), "S", "until this time", -DBL_MAX, DBL_MAX,
     "a number of seconds"},
    {"--impulse", NULL, OPTION_REAL, FIELD(impulse), "NS", "with at least this normal impulse [N s]", 0.0,
     DBL_MAX, "an impulse, 0 or more"},
    {"--json", NULL, OPTION_FLAG, FIELD(is_json), NULL, "prints one JSON object", 0, 0, NULL},
    {.name = NULL},
};

/* Columns of the table that are used, by name. */
typedef enum column {
    TIME,
    KIND,
    LAW,
    SHAPE_A,
    SHAPE_B,
    FEATURE,
    X,
    IMPULSE_N,
    IMPULSE_T1,
    IMPULSE_T2,
    BEFORE_N,
    AFTER_N,
    ENERGY_LOST,
    COLUMN_COUNT
} column;
static const char *const column_names[COLUMN_COUNT] = {
    "time",      "kind",       "law",        "shape_a",  "shape_b", "feature",    "x",
    "impulse_N", "impulse_T1", "impulse_T2", "before_N", "after_N", "energy_lost"};

typedef struct event_list {
    const tp_trajectory *run;
    const tp_table *table;
    int columns[COLUMN_COUNT];
} event_list;

static double value_of(const event_list *list, column which, long long row)
{
    return list->table->values[list->columns[which]][row];
}

/* The word that a value stands for; NULL: none. */
static const char *word_of(const event_list *list, column which, long long row)
{
    const tp_table_labels *labels = list->table->labels ? list->table->labels[list->columns[which]] : NULL;
    double value = value_of(list, which, row);
    if (labels == NULL || !(value >= 0.0 && value < labels->count)) return NULL;
    return labels->words[(int)value];
}

static tp_status find_events(const tp_trajectory *run, const char *path, event_list *list_out,
                             tp_message *why)
{
    list_out->run = run;
    list_out->table = tp_trajectory_table(run, "events");
    if (list_out->table == NULL)
        return tp_fail(why, TP_INVALID_DATA, "%s has no table of events: its columns were chosen without it",
                       path);
    for (int k = 0; k < COLUMN_COUNT; k++) {
        list_out->columns[k] = tp_table_find(list_out->table, column_names[k]);
        if (list_out->columns[k] >= 0) continue;
        return tp_fail(why, TP_INVALID_DATA, "%s: the table of events has no column \"%s\"", path,
                       column_names[k]);
    }
    return TP_OK;
}

static bool is_called(const char *word, const char *name)
{
    return word != NULL && strcmp(word, name) == 0;
}

static bool is_wanted(const event_list *list, const events_settings *settings, long long row)
{
    double time = value_of(list, TIME, row);
    if (time < settings->from || time > settings->until) return false;
    if (!(value_of(list, IMPULSE_N, row) >= settings->impulse) && settings->impulse > 0.0) return false;
    bool is_of = settings->of == NULL || is_called(word_of(list, LAW, row), settings->of) ||
                 is_called(word_of(list, SHAPE_A, row), settings->of) ||
                 is_called(word_of(list, SHAPE_B, row), settings->of);
    bool is_kind = settings->kinds.count == 0;
    for (int k = 0; k < settings->kinds.count && !is_kind; k++)
        is_kind = is_called(word_of(list, KIND, row), settings->kinds.text[k]);
    return is_of && is_kind;
}

/* Of the normal impulse: that of shapes, or of the law's column among the rows over time; NULL: unknown. */
static const char *unit_of(const event_list *list, long long row)
{
    static const char *const endings[] = {"impulse_N", "impulse_1"};
    const char *law = word_of(list, LAW, row);
    if (law == NULL) return "N s";
    for (size_t k = 0; k < sizeof endings / sizeof endings[0]; k++) {
        char escaped[512], name[600];
        tp_column_escape(law, escaped, sizeof escaped);
        snprintf(name, sizeof name, "law/%s/%s", escaped, endings[k]);
        int found = tp_trajectory_find(list->run, name);
        if (found >= 0) return list->run->columns[found].unit;
    }
    return NULL;
}

static void print_name(const event_list *list, long long row)
{
    const char *unit = unit_of(list, row);
    const char *law = word_of(list, LAW, row), *a = word_of(list, SHAPE_A, row),
               *b = word_of(list, SHAPE_B, row);
    if (law != NULL) {
        printf("%s%s", law, is_called(unit, "N m s") ? " (N m s, rad/s)" : "");
    } else {
        printf("%s, %s, point %.0f", a != NULL ? a : "?", b != NULL ? b : "?",
               value_of(list, FEATURE, row) + 1.0);
    }
}

static void print_event(const event_list *list, long long row)
{
    double T1 = value_of(list, IMPULSE_T1, row), T2 = value_of(list, IMPULSE_T2, row);
    const char *kind = word_of(list, KIND, row);
    printf("%14.9g  %-8s %12.5g %12.5g %12.5g %12.5g %12.5g  ", value_of(list, TIME, row),
           kind != NULL ? kind : "?", value_of(list, IMPULSE_N, row),
           hypot(isnan(T1) ? 0.0 : T1, isnan(T2) ? 0.0 : T2), value_of(list, BEFORE_N, row),
           value_of(list, AFTER_N, row), value_of(list, ENERGY_LOST, row));
    print_name(list, row);
    printf("\n");
}

/* All columns by name, words as words. */
static void write_event(json_writer *json, const event_list *list, long long row)
{
    const tp_table *table = list->table;
    json_open(json, '{');
    for (int i = 0; i < table->column_count; i++) {
        const tp_table_labels *labels = table->labels ? table->labels[i] : NULL;
        double value = table->values[i][row];
        json_key(json, table->columns[i].name);
        if (labels == NULL) {
            json_real(json, value);
        } else {
            json_text(json, value >= 0.0 && value < labels->count ? labels->words[(int)value] : NULL);
        }
    }
    json_text_at(json, "unit", unit_of(list, row));
    json_close(json, '}');
}

static void print_events(const event_list *list, const events_settings *settings)
{
    long long count = 0;
    printf("%14s  %-8s %12s %12s %12s %12s %12s  %s\n", "time [s]", "kind", "normal [N s]", "friction",
           "before [m/s]", "after", "lost [J]", "law, or shapes and point");
    for (long long row = 0; row < list->table->row_count; row++) {
        if (!is_wanted(list, settings, row)) continue;
        print_event(list, row);
        count++;
    }
    printf("%lld of %lld events\n", count, list->table->row_count);
}

static void write_events(const event_list *list, const events_settings *settings, const char *path)
{
    json_writer json = json_begin_object(stdout);
    json_text_at(&json, "run", path);
    json_integer_at(&json, "count", list->table->row_count);
    json_open_at(&json, "events", '[');
    for (long long row = 0; row < list->table->row_count; row++) {
        if (is_wanted(list, settings, row)) write_event(&json, list, row);
    }
    json_close(&json, ']');
    json_end_object(&json);
}

static const char *kind_at(const void *context, int index)
{
    (void)context;
    return tp_event_kind_name(index);
}

static bool check_kinds(const cli_verb *self, const option_texts *kinds)
{
    for (int k = 0; k < kinds->count; k++) {
        int i = 0;
        while (tp_event_kind_name(i) != NULL && strcmp(tp_event_kind_name(i), kinds->text[k]) != 0) i++;
        if (tp_event_kind_name(i) != NULL) continue;
        const char *near = nearest_name(kinds->text[k], kind_at, NULL);
        complain("%s: there is no kind of event '%s'%s%s%s; kinds are" TP_EVENT_KIND_WORDS, self->name,
                 kinds->text[k], near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "");
        return false;
    }
    return true;
}

static exit_code run_events(const cli_verb *self, int argument_count, char **arguments)
{
    events_settings settings = {.from = -INFINITY, .until = INFINITY};
    positionals given;
    if (!options_parse(self, argument_count, arguments, &settings, &given) ||
        !check_kinds(self, &settings.kinds))
        return PROGRAM_BAD_INPUT;
    tp_trajectory *run = NULL;
    event_list list = {0};
    tp_message why = {""};
    tp_status status = tp_trajectory_read_from(NULL, &hdf5_child, given.text[0], &run, &why);
    if (status == TP_OK) status = find_events(run, given.text[0], &list, &why);
    if (status == TP_OK && settings.is_json) {
        write_events(&list, &settings, given.text[0]);
    } else if (status == TP_OK) {
        print_events(&list, &settings);
    }
    tp_trajectory_free(run);
    return end_with(self, status, &why);
}

const cli_verb verb_events = {
    .name = "events",
    .summary = "Prints what happened in a recorded run: impacts, openings, stick and slip",
    .usage = "RUN.h5 [--kind KIND]... [--of NAME] [--from S] [--until S] [--impulse NS] [--json]",
    .text = "Each line is an event of a law or of a contact point between two shapes: the end of the step in "
            "which it\n"
            "happened, impulses of that step, normal velocities before and after it, and the energy lost. "
            "Laws of\n"
            "angles are marked with their units, N m s and rad/s.\n"
            "  tippe events run.h5 --kind impact --from 0.2\n",
    .options = events_options,
    .positionals = "RUN.h5",
    .positional_count = 1,
    .run = run_events,
};
