/* Sections through recorded motions; docs/guide/poincare.md (1)-(3). */
#include "tippe/section.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "io/common/ascending.h"
#include "io/common/near.h"
#include "io/output/column_path.h"

typedef struct made_section {
    tp_section section; /* first: what users have */
    tp_arena arena;
    const tp_trajectory *run;
    const int *column;  /* [column_count] of the run */
    const double *hits; /* impacts since the row before, NULL: not known */
    double *time, **values;
    long long capacity;
} made_section;

tp_section_def tp_section_def_default(void)
{
    return (tp_section_def){.direction = 1, .from = -INFINITY, .until = INFINITY};
}

/* ---- names --------------------------------------------------------------------------------------------- */

static bool is_of_state(const char *name)
{
    return strncmp(name, "q/", 2) == 0 || strncmp(name, "u/", 2) == 0 || strncmp(name, "x/", 2) == 0;
}

static tp_status choose_columns(made_section *made, const tp_section_def *def, tp_message *why)
{
    const tp_trajectory *run = made->run;
    int most = def->columns != NULL ? def->column_count : run->column_count, count = 0;
    int *column = TP_ARENA_ARRAY(&made->arena, int, most + 1);
    tp_table_column *columns = TP_ARENA_ARRAY(&made->arena, tp_table_column, most + 1);
    TP_TRY(tp_arena_status(&made->arena));
    for (int i = 0; i < most; i++) {
        if (def->columns != NULL) TP_TRY(tp_column_named(run, def->columns[i], &column[count], why));
        if (def->columns == NULL && !is_of_state(run->columns[i].name)) continue;
        if (def->columns == NULL) column[count] = i;
        columns[count] = run->columns[column[count]];
        count++;
    }
    if (count == 0) return tp_fail(why, TP_INVALID_ARGUMENT, "the run has no coordinates: name columns");
    made->section.column_count = count;
    made->section.columns = columns;
    made->column = column;
    return TP_OK;
}

/* ---- angles -------------------------------------------------------------------------------------------- */

static const double circle = 6.283185307179586477;

/* Full turns of an angle are a return; (4). */
static bool is_angle(const made_section *made, int column)
{
    return strcmp(made->run->columns[column].unit, "rad") == 0;
}

/* Is this the first of four columns NAME.p0 to NAME.p3, a quaternion? */
static bool is_quaternion(const made_section *made, int c)
{
    const tp_section *section = &made->section;
    size_t length = strlen(section->columns[c].name);
    if (c + 3 >= section->column_count || length < 3) return false;
    for (int k = 0; k < 4; k++) {
        const char *name = section->columns[c + k].name, end[] = {'.', 'p', (char)('0' + k), '\0'};
        if (strlen(name) != length || strcmp(name + length - 3, end) != 0 ||
            strncmp(name, section->columns[c].name, length - 3) != 0)
            return false;
    }
    return true;
}

/* ---- between rows -------------------------------------------------------------------------------------- */

/* Are rows first to last of one smooth piece? */
static bool is_smooth(const made_section *made, long long first, long long last)
{
    if (first < 0 || last >= made->run->row_count) return false;
    for (long long row = first + 1; row <= last; row++) {
        if (made->hits != NULL && made->hits[row] > 0.0) return false;
        if (!(made->run->values[0][row] > made->run->values[0][row - 1])) return false;
    }
    return true;
}

/* A column at a time between row and row + 1: the cubic of (1), or a straight line. */
static double value_at(const made_section *made, int column, long long row, double t)
{
    const double *x = made->run->values[column], *time = made->run->values[0];
    if (!is_smooth(made, row - 1, row + 2)) {
        double length = time[row + 1] - time[row], share = length > 0.0 ? (t - time[row]) / length : 1.0;
        return x[row] + share * (x[row + 1] - x[row]);
    }
    double sum = 0.0;
    for (long long i = row - 1; i <= row + 2; i++) {
        double weight = 1.0;
        for (long long j = row - 1; j <= row + 2; j++) {
            if (j != i) weight *= (t - time[j]) / (time[i] - time[j]);
        }
        sum += weight * x[i];
    }
    return sum;
}

/* ---- points -------------------------------------------------------------------------------------------- */

static bool make_room(made_section *made)
{
    if (made->section.count < made->capacity) return true;
    long long capacity = 2 * made->capacity + 64;
    int columns = made->section.column_count;
    double *time = TP_ARENA_ARRAY(&made->arena, double, capacity);
    double **values = TP_ARENA_ARRAY(&made->arena, double *, columns);
    size_t bytes = (size_t)made->section.count * sizeof(double);
    if (time == NULL || values == NULL) return false;
    if (bytes > 0) memcpy(time, made->time, bytes);
    for (int c = 0; c < columns; c++) {
        values[c] = TP_ARENA_ARRAY(&made->arena, double, capacity);
        if (values[c] == NULL) return false;
        if (bytes > 0) memcpy(values[c], made->values[c], bytes);
    }
    made->time = time;
    made->values = values;
    made->capacity = capacity;
    return true;
}

/* The state at a time between row and row + 1. */
static tp_status add_point(made_section *made, const tp_section_def *def, long long row, double t)
{
    if (t < def->from || t > def->until) return TP_OK;
    if (!make_room(made)) return TP_OUT_OF_MEMORY;
    long long place = made->section.count++;
    bool is_row = t == made->run->values[0][row] || row + 1 >= made->run->row_count;
    made->time[place] = t;
    for (int c = 0; c < made->section.column_count; c++)
        made->values[c][place] =
            is_row ? made->run->values[made->column[c]][row] : value_at(made, made->column[c], row, t);
    return TP_OK;
}

/* Where a column passes the level between two rows, by bisection to rounding. */
static double find_passage(const made_section *made, int column, double level, long long row)
{
    double a = made->run->values[0][row], b = made->run->values[0][row + 1];
    bool is_below = made->run->values[column][row] < level;
    for (int k = 0; k < 100; k++) {
        double middle = a + 0.5 * (b - a);
        if (!(middle > a && middle < b)) break;
        if ((value_at(made, column, row, middle) < level) == is_below) {
            a = middle;
        } else {
            b = middle;
        }
    }
    return b;
}

static tp_status add_crossings(made_section *made, const tp_section_def *def, tp_message *why)
{
    int column;
    TP_TRY(tp_column_named(made->run, def->column, &column, why));
    const double *x = made->run->values[column];
    for (long long row = 0; row + 1 < made->run->row_count; row++) {
        double level = def->level;
        if (is_angle(made, column)) /* the one of all turns that is next to the row */
            level += circle * round((0.5 * (x[row] + x[row + 1]) - level) / circle);
        bool rises = x[row] < level && x[row + 1] >= level, falls = x[row] > level && x[row + 1] <= level;
        if (!(rises && def->direction >= 0) && !(falls && def->direction <= 0)) continue;
        TP_TRY(add_point(made, def, row, find_passage(made, column, level, row)));
    }
    return TP_OK;
}

static tp_status add_periods(made_section *made, const tp_section_def *def, tp_message *why)
{
    const double *time = made->run->values[0];
    long long rows = made->run->row_count;
    if (!(def->period > 0.0) || isinf(def->period) || !isfinite(def->phase))
        return tp_fail(why, TP_INVALID_ARGUMENT, "the period is %g s; it must be a number > 0", def->period);
    if (rows == 0) return TP_OK;
    double rounding = 1e-9 * def->period, first = ceil((time[0] - def->phase - rounding) / def->period),
           last = floor((time[rows - 1] - def->phase + rounding) / def->period);
    if (last - first > 1e9)
        return tp_fail(why, TP_INVALID_ARGUMENT, "the run has more than 1e9 periods of %g s", def->period);
    for (double k = first; k <= last; k += 1.0) {
        double t = def->phase + k * def->period;
        long long row = tp_ascending_count(time, rows, t + rounding) - 1;
        if (row < 0) row = 0;
        if (fabs(t - time[row]) <= rounding) t = time[row];
        TP_TRY(add_point(made, def, row, t));
    }
    return TP_OK;
}

static tp_status check_event(const tp_section_def *def, tp_message *why)
{
    tp_near near = tp_near_begin(def->event);
    for (int k = 0; tp_event_kind_name(k) != NULL; k++) {
        if (strcmp(tp_event_kind_name(k), def->event) == 0) return TP_OK;
        tp_near_offer(&near, tp_event_kind_name(k));
    }
    return tp_fail(why, TP_INVALID_ARGUMENT, "there is no kind of event \"%s\"%s", def->event,
                   tp_near_hint_of(&near).text);
}

static tp_status add_events(made_section *made, const tp_section_def *def, tp_message *why)
{
    const tp_table *events = tp_trajectory_table(made->run, "events");
    const double *time = made->run->values[0];
    TP_TRY(check_event(def, why));
    if (events == NULL) return tp_fail(why, TP_INVALID_DATA, "the run has no table of events");
    int at = tp_table_find(events, "time");
    if (at < 0 || tp_table_find(events, "kind") < 0)
        return tp_fail(why, TP_INVALID_DATA, "the table of events lacks time or kind");
    double last = -INFINITY;
    for (long long i = 0; i < events->row_count; i++) {
        double t = events->values[at][i];
        if (!tp_event_row_is(events, i, def->event, def->of) || t == last) continue;
        last = t; /* several at once are one point */
        long long row = tp_ascending_count(time, made->run->row_count, t);
        if (row > 0 && time[row - 1] == t) row--;
        if (row >= made->run->row_count) break;
        made->section.lag = fmax(made->section.lag, time[row] - t);
        TP_TRY(add_point(made, def, row, time[row]));
    }
    return TP_OK;
}

/* ---- returns ------------------------------------------------------------------------------------------- */

static double range_of(const tp_trajectory *run, int column)
{
    double least = INFINITY, most = -INFINITY;
    for (long long row = 0; row < run->row_count; row++) {
        least = fmin(least, run->values[column][row]);
        most = fmax(most, run->values[column][row]);
    }
    return most - least;
}

static void find_returns(made_section *made)
{
    tp_section *to = &made->section;
    long long last = to->count - 1;
    to->return_count = (int)fmin((double)TP_SECTION_RETURNS, fmax((double)last, 0.0));
    for (int k = 0; k < to->return_count; k++)
        to->returns[k].duration = made->time[last] - made->time[last - k - 1];
    double sign[TP_SECTION_RETURNS]; /* of the quaternion that a column belongs to */
    int signed_until = 0;
    for (int c = 0; c < to->column_count; c++) {
        double range = range_of(made->run, made->column[c]);
        bool turns = is_angle(made, made->column[c]), begins = is_quaternion(made, c);
        if (begins) signed_until = c + 4;
        if (turns) range = fmin(range, circle);
        for (int k = 0; k < to->return_count; k++) {
            double along = 0.0, now = made->values[c][last], before = made->values[c][last - k - 1];
            for (int i = c; i < c + 4 && begins; i++)
                along += made->values[i][last] * made->values[i][last - k - 1];
            if (begins || c >= signed_until) sign[k] = along < 0.0 ? -1.0 : 1.0;
            double difference = now - sign[k] * before;
            if (turns) difference = remainder(difference, circle);
            if (range > 0.0) to->returns[k].error = fmax(to->returns[k].error, fabs(difference) / range);
        }
    }
}

int tp_section_period(const tp_section *section, double tolerance)
{
    for (int k = 0; k < section->return_count; k++) {
        if (section->returns[k].error <= tolerance) return k + 1;
    }
    return 0;
}

/* ---- the whole ----------------------------------------------------------------------------------------- */

static tp_status make(made_section *made, const tp_section_def *def, tp_message *why)
{
    TP_TRY(choose_columns(made, def, why));
    if (!make_room(made)) return TP_OUT_OF_MEMORY; /* columns are there without points, too */
    int hits = tp_trajectory_find(made->run, "step/impacts");
    if (hits >= 0) made->hits = made->run->values[hits];
    switch (def->kind) {
    case TP_SECTION_CROSSING: TP_TRY(add_crossings(made, def, why)); break;
    case TP_SECTION_PERIOD: TP_TRY(add_periods(made, def, why)); break;
    case TP_SECTION_EVENTS: TP_TRY(add_events(made, def, why)); break;
    }
    made->section.time = made->time;
    made->section.values = (const double *const *)made->values;
    find_returns(made);
    return TP_OK;
}

tp_status tp_section_create(const tp_allocator *allocator, const tp_trajectory *run,
                            const tp_section_def *def, tp_section **section_out, tp_message *why_out)
{
    *section_out = NULL;
    made_section *made = TP_ARENA_OBJECT(made_section, allocator);
    if (made == NULL) return tp_fail(why_out, TP_OUT_OF_MEMORY, "no memory for the section");
    made->run = run;
    tp_status status = make(made, def, why_out);
    if (status == TP_OUT_OF_MEMORY) tp_fail(why_out, status, "no memory for the section");
    if (status != TP_OK) tp_section_free(&made->section);
    *section_out = status == TP_OK ? &made->section : NULL;
    return status;
}

void tp_section_free(tp_section *section)
{
    if (section != NULL) tp_arena_clear(&((made_section *)section)->arena);
}
