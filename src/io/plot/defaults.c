/* The panels of a run without choice: sensors, then what changes and what acts; docs/guide/plots.md. */
#include "choice.h"
#include "io/common/text.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* A value of a column is a sum of N steps, each rounded to half a unit in the last place of
   the largest number of the same unit: it is known to N eps/2 times that number. A column whose range stays
   within this many times that bound is constant. Ten times more would hide true drift of 1e-8 in 1e6 steps,
   ten times less shows the rounding of a step that is more than one sum. */
static const double rounding_factor = 16.0;

/* Where all numbers of a unit are rounding there is nothing to compare them with: the scale is at least this
   part of the SI unit. Models of a micrometre lose columns that vary by 1e-13 m in 1e5 steps. */
static const double least_scale = 1e-3;

/* Columns without a unit share a panel if their ranges are no more than this apart. */
static const double range_ratio = 20.0;
enum { SENSOR_PANELS = 4, NOTE_MAX = 1024, NAMES_IN_NOTE = 4, SCALES_MAX = 32, UNIT_MAX = 32 };

/* Least, largest and largest absolute value over all runs. */
typedef struct column_range {
    double low, high, largest;
} column_range;

typedef struct unit_scale {
    tp_column_kind kind;
    char unit[UNIT_MAX];
    double scale;
} unit_scale;

/* A panel that might be shown. */
typedef struct candidate {
    tp_plot_choice choice;
    tp_column_kind kind;
    const char *unit;
    double range; /* of its first column */
} candidate;

/* Columns that are left out: how many, and the first of them. */
typedef struct left_columns {
    int count, first[NAMES_IN_NOTE];
} left_columns;

typedef struct selector {
    const tp_plot_catalogue *catalogue;
    tp_arena *arena;
    tp_message *why;
    column_range *ranges; /* [columns] */
    unit_scale scales[SCALES_MAX];
    int scale_count;
    double step_count; /* of the longest run */
    double step_size;  /* the shortest step [s] */
    candidate panels[TP_PLOT_PANELS_MAX];
    int panel_count;
    left_columns constant, idle, turns; /* without change, contacts without force, quaternions */
} selector;

/* ---- what changes -------------------------------------------------------------------------------------- */

static column_range range_of(const tp_plot_catalogue *catalogue, int column)
{
    column_range range = {INFINITY, -INFINITY, 0.0};
    for (int r = 0; r < catalogue->run_count; r++) {
        const tp_trajectory *trajectory = catalogue->runs[r].trajectory;
        int place = tp_catalogue_place(catalogue, r, catalogue->columns[column].name);
        for (long long k = 0; place >= 0 && k < trajectory->row_count; k++) {
            double value = trajectory->values[place][k];
            if (!isfinite(value)) continue;
            range.low = fmin(range.low, value), range.high = fmax(range.high, value);
        }
    }
    if (range.low <= range.high) range.largest = fmax(fabs(range.low), fabs(range.high));
    return range;
}

/* Whether a column says how large things of its unit are. */
static bool gives_scale(const tp_plot_column *column)
{
    return column->kind <= TP_COLUMN_GAP || column->kind == TP_COLUMN_CONTACT_IMPULSE;
}

/* The largest value of a unit among all columns; without a unit, among those of the kind. */
static double find_scale(const selector *s, tp_column_kind kind, const char *unit)
{
    double scale = least_scale;
    for (int k = 0; k < s->catalogue->count; k++) {
        const tp_plot_column *column = &s->catalogue->columns[k];
        bool is_same = strcmp(column->unit, unit) == 0 && (unit[0] != '\0' || column->kind == kind);
        if (is_same && gives_scale(column)) scale = fmax(scale, s->ranges[k].largest);
    }
    return scale;
}

/* The same, found once for each unit as long as there are few. */
static double scale_of(selector *s, tp_column_kind kind, const char *unit)
{
    for (int k = 0; k < s->scale_count; k++) {
        const unit_scale *known = &s->scales[k];
        if (strcmp(known->unit, unit) == 0 && (unit[0] != '\0' || known->kind == kind)) return known->scale;
    }
    unit_scale found = {kind, "", find_scale(s, kind, unit)};
    if (s->scale_count < SCALES_MAX && strlen(unit) < UNIT_MAX) {
        snprintf(found.unit, sizeof found.unit, "%s", unit);
        s->scales[s->scale_count++] = found;
    }
    return found.scale;
}

/* The size of what a velocity changes: of the coordinates whose unit it has per second. Rotations in space
   have the size 1. */
static double scale_of_path(selector *s, const char *unit)
{
    char path[UNIT_MAX] = "";
    size_t length = strlen(unit);
    bool is_rate = length >= 2 && strcmp(unit + length - 2, "/s") == 0;
    if (length < sizeof path) snprintf(path, sizeof path, "%.*s", (int)(is_rate ? length - 2 : length), unit);
    double scale = scale_of(s, TP_COLUMN_COORDINATE, path);
    return strcmp(path, "rad") == 0 ? fmax(scale, 1.0) : scale;
}

/* Below this a change is rounding. A velocity that moves a body by less than the rounding of its position in
   one step cannot be distinguished from it either. */
static double floor_of(selector *s, const tp_plot_column *column)
{
    double sum = s->step_count * scale_of(s, column->kind, column->unit);
    if (column->kind == TP_COLUMN_VELOCITY && s->step_size > 0.0 && isfinite(s->step_size))
        sum = fmax(sum, scale_of_path(s, column->unit) / s->step_size);
    return rounding_factor * 0.5 * DBL_EPSILON * sum;
}

static bool changes(selector *s, int k)
{
    const tp_plot_column *column = &s->catalogue->columns[k];
    return s->ranges[k].high - s->ranges[k].low > floor_of(s, column);
}

/* Whether an impulse is more than rounding. */
static bool is_above_rounding(selector *s, int k)
{
    return s->ranges[k].largest > floor_of(s, &s->catalogue->columns[k]);
}

/* A contact acts if its normal impulse is not 0 in every row; unknown impulses may act. */
static bool acts(selector *s, int k)
{
    int normal = tp_catalogue_normal_impulse(s->catalogue, k);
    return normal < 0 || is_above_rounding(s, normal);
}

/* Notes it, and is false: it is not shown. */
static bool leave_out(left_columns *list, int k)
{
    if (list->count < NAMES_IN_NOTE) list->first[list->count] = k;
    list->count++;
    return false;
}

/* Quaternions of bodies whose turns joints show say the same in a form that nobody reads. */
static bool is_shown_by_joints(const selector *s, const tp_plot_column *column)
{
    int p = 0;
    while (p < s->panel_count && s->panels[p].kind != TP_COLUMN_JOINT) p++;
    return column->kind == TP_COLUMN_ORIENTATION && p < s->panel_count;
}

/* Whether a column is shown; notes it if not. */
static bool is_shown(selector *s, int k)
{
    const tp_plot_column *column = &s->catalogue->columns[k];
    bool is_force = column->kind == TP_COLUMN_CONTACT_FORCE || column->kind == TP_COLUMN_CONTACT_IMPULSE;
    int impulse = column->impulse != NULL ? tp_catalogue_find(s->catalogue, column->impulse) : k;
    if (column->kind == TP_COLUMN_SENSOR || column->pair.shape_a != NULL) return true;
    if (column->kind == TP_COLUMN_GAP && !acts(s, k)) return leave_out(&s->idle, k);
    if (is_force) return acts(s, k) && is_above_rounding(s, impulse);
    if (is_shown_by_joints(s, column)) return leave_out(&s->turns, k);
    return changes(s, k) || leave_out(&s->constant, k);
}

/* ---- panels -------------------------------------------------------------------------------------------- */

/* One panel per unit: metres and radians share no axis. Numbers without a unit may be anything: those of very
   different size get panels of their own. */
static candidate *panel_for(selector *s, int first, const tp_plot_column *column, double range)
{
    for (int p = first; p < s->panel_count; p++) {
        candidate *panel = &s->panels[p];
        bool fits = column->unit[0] != '\0' ||
                    (range <= range_ratio * panel->range && panel->range <= range_ratio * range);
        if (strcmp(panel->unit, column->unit) == 0 && fits) return panel;
    }
    if (s->panel_count == TP_PLOT_PANELS_MAX) return NULL;
    candidate *panel = &s->panels[s->panel_count++];
    *panel = (candidate){.kind = column->kind, .unit = column->unit, .range = range};
    return panel;
}

/* Normal forces before the others. */
static tp_status add_kind(selector *s, tp_column_kind kind, bool is_choosy)
{
    int first = s->panel_count, limit = tp_choice_limit(s->catalogue);
    for (int round = 0; round < 2; round++) {
        for (int k = 0; k < s->catalogue->count; k++) {
            const tp_plot_column *column = &s->catalogue->columns[k];
            bool is_force = kind == TP_COLUMN_CONTACT_FORCE || kind == TP_COLUMN_CONTACT_IMPULSE;
            int own_round = is_force && !tp_column_is_normal(column) ? 1 : 0;
            if (column->kind != kind || own_round != round || (is_choosy && !is_shown(s, k))) continue;
            candidate *panel = panel_for(s, first, column, s->ranges[k].high - s->ranges[k].low);
            if (panel == NULL) continue;
            if (panel->choice.count < limit) {
                TP_TRY(
                    tp_choice_add(s->arena, &panel->choice, (tp_plot_pair){s->catalogue->time, k}, s->why));
            } else {
                panel->choice.left_out++;
            }
        }
    }
    return TP_OK;
}

static tp_status add_all(selector *s, bool is_choosy)
{
    for (tp_column_kind kind = TP_COLUMN_SENSOR; kind <= TP_COLUMN_GAP; kind++)
        TP_TRY(add_kind(s, kind, is_choosy));
    int before = s->panel_count;
    TP_TRY(add_kind(s, TP_COLUMN_CONTACT_FORCE, is_choosy));
    if (s->panel_count == before) TP_TRY(add_kind(s, TP_COLUMN_CONTACT_IMPULSE, is_choosy));
    /* A file of chosen columns may hold none of these. */
    for (tp_column_kind kind = TP_COLUMN_FORCE; kind <= TP_COLUMN_STEP && s->panel_count == 0; kind++)
        TP_TRY(add_kind(s, kind, false));
    return TP_OK;
}

/* Where there are too many, the least important go first. */
static int importance(tp_column_kind kind)
{
    static const tp_column_kind order[] = {
        TP_COLUMN_SENSOR,        TP_COLUMN_JOINT,           TP_COLUMN_COORDINATE,
        TP_COLUMN_CONTACT_FORCE, TP_COLUMN_ENERGY,          TP_COLUMN_VELOCITY,
        TP_COLUMN_GAP,           TP_COLUMN_CONTACT_IMPULSE, TP_COLUMN_ORIENTATION};
    enum { COUNT = sizeof order / sizeof order[0] };
    for (int k = 0; k < COUNT; k++) {
        if (order[k] == kind) return COUNT - k;
    }
    return 0;
}

/* Whether so many panels of the same kind or of more importance come first that this one has no room. */
static bool has_room(const selector *s, int p)
{
    int before = 0, of_kind = 0;
    for (int k = 0; k < s->panel_count; k++) {
        int more = importance(s->panels[k].kind) - importance(s->panels[p].kind);
        bool is_first = more > 0 || (more == 0 && k < p);
        of_kind += more == 0 && k < p;
        before += is_first;
    }
    return before < TP_PLOT_DEFAULT_PANELS &&
           (s->panels[p].kind != TP_COLUMN_SENSOR || of_kind < SENSOR_PANELS);
}

/* ---- what is left out ---------------------------------------------------------------------------------- */

/* "not shown, constant: a, b, c and 5 more" */
static void say_names(const selector *s, const char *what, const left_columns *list, char *note)
{
    if (list->count == 0) return;
    tp_append(note, NOTE_MAX, "%s%s", note[0] != '\0' ? "\n" : "", what);
    for (int k = 0; k < list->count && k < NAMES_IN_NOTE; k++)
        tp_append(note, NOTE_MAX, "%s%s", k > 0 ? ", " : " ", s->catalogue->columns[list->first[k]].label);
    if (list->count > NAMES_IN_NOTE) tp_append(note, NOTE_MAX, " and %d more", list->count - NAMES_IN_NOTE);
}

static void say_panel(const candidate *panel, bool is_first, char *note)
{
    const char *before = !is_first ? ", " : note[0] != '\0' ? "\nno room for: " : "no room for: ";
    tp_append(note, NOTE_MAX, "%s%s", before, tp_column_kind_text(panel->kind, panel->unit));
    if (panel->unit[0] != '\0') tp_append(note, NOTE_MAX, " [%s]", panel->unit);
}

static void choose(selector *s, tp_plot_choice *choices_out, int *count_out, const char **note_out)
{
    char note[NOTE_MAX] = "";
    say_names(s, "constant:", &s->constant, note);
    say_names(s, "shown by joints:", &s->turns, note);
    say_names(s, "without contact force:", &s->idle, note);
    int missing = 0;
    for (int p = 0; p < s->panel_count; p++) {
        if (has_room(s, p)) {
            choices_out[(*count_out)++] = s->panels[p].choice;
        } else {
            say_panel(&s->panels[p], missing++ == 0, note);
        }
    }
    if (s->catalogue->pairs_left_out > 0)
        tp_append(note, NOTE_MAX, "%s%d more pairs of shapes that touch", note[0] != '\0' ? "\n" : "",
                  s->catalogue->pairs_left_out);
    *note_out = note[0] != '\0' ? tp_arena_text(s->arena, note) : NULL;
}

tp_status tp_choices_default(const tp_plot_catalogue *catalogue, tp_arena *arena, tp_plot_choice *choices_out,
                             int *count_out, const char **note_out, tp_message *why)
{
    selector *s = TP_ARENA_ARRAY(arena, selector, 1);
    column_range *ranges = TP_ARENA_ARRAY(arena, column_range, catalogue->count + 1);
    *count_out = 0;
    *note_out = NULL;
    if (s == NULL || ranges == NULL) return tp_fail(why, TP_OUT_OF_MEMORY, "no memory for the figure");
    *s = (selector){
        .catalogue = catalogue, .arena = arena, .why = why, .ranges = ranges, .step_size = INFINITY};
    if (catalogue->time < 0) return tp_fail(why, TP_INVALID_DATA, "the run has no column 'time'");
    for (int k = 0; k < catalogue->count; k++) ranges[k] = range_of(catalogue, k);
    for (int r = 0; r < catalogue->run_count; r++) {
        s->step_count = fmax(s->step_count, (double)tp_run_step_count(&catalogue->runs[r]));
        s->step_size = fmin(s->step_size, tp_run_step_size(&catalogue->runs[r]));
    }
    TP_TRY(add_all(s, true));
    if (s->panel_count == 0) { /* nothing changes: then that is to be seen */
        s->constant.count = s->idle.count = s->turns.count = 0;
        TP_TRY(add_all(s, false));
    }
    choose(s, choices_out, count_out, note_out);
    return *count_out > 0 ? TP_OK : tp_fail(why, TP_INVALID_DATA, "the run holds nothing but the time");
}
