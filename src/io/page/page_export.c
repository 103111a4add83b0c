/* A trajectory as a page: its rows as frames, its columns as curves, contacts as forces, events. */
#include <math.h>
#include <string.h>

#include "io/output/column_path.h"
#include "io/output/restart_file.h"
#include "io/plot/choice.h"
#include "io/plot/moments.h"
#include "page.h"

/* The most numbers that a page has for its figures and for its curves: pages of a hundred megabytes are slow
   to open. 10,000 frames of 100 bodies have 7 million for figures. */
static const long long figure_numbers_max = 16000000, curve_numbers_max = 12000000;

typedef struct exporter {
    tp_arena *arena;
    const tp_trajectory *trajectory;
    const tp_page_options *options;
    tp_plot_run run;
    tp_plot_catalogue catalogue;
    tp_moments moments;
    long long *rows, row_count;
    int *chosen, chosen_count; /* columns of the catalogue, by their number ... */
    int *place;                /* ... and where each of them is in the page; -1 */
    const double **values;     /* [chosen_count] */
    tp_page_curve *curves;
    int curve_count;
    tp_page *page;
} exporter;

static tp_status no_memory(tp_message *why)
{
    return tp_fail(why, TP_OUT_OF_MEMORY, "no memory for the page");
}

/* ---- frames -------------------------------------------------------------------------------------------- */

static long long figure_numbers(exporter *x)
{
    int count;
    long long numbers = 0;
    const tp_primitive *figures = tp_moments_draw(&x->moments, 0, &count);
    for (int i = 0; i < count; i++) numbers += tp_page_figure_length(&figures[i]);
    return numbers;
}

/* Every row, or the nearest to multiples of a time; fewer if that would be too much. */
static tp_status choose_rows(exporter *x, tp_message *why)
{
    const double *times = x->trajectory->values[0];
    long long count = 0, all = x->trajectory->row_count;
    long long *rows = TP_ARENA_ARRAY(x->arena, long long, all + 1);
    if (!rows) return no_memory(why);
    double every = x->options->every, next = all > 0 ? times[0] : 0.0;
    for (long long r = 0; r < all; r++) {
        bool is_due = r + 1 == all || times[r] >= next || times[r + 1] - next > next - times[r];
        if (!is_due) continue;
        rows[count++] = r;
        if (every > 0.0) next = every * (floor(times[r] / every + 0.5) + 1.0);
        if (!(every > 0.0)) next = -INFINITY;
    }
    long long most = figure_numbers_max / (figure_numbers(x) + 1);
    if (most < 2) most = 2;
    x->row_count = count < most ? count : most;
    for (long long k = 0; k < x->row_count && count > most; k++) rows[k] = rows[k * (count - 1) / (most - 1)];
    x->rows = rows;
    return TP_OK;
}

/* ---- curves -------------------------------------------------------------------------------------------- */

/* What is left out last comes first. */
static int rank_of(const tp_plot_column *column)
{
    static const tp_column_kind order[] = {
        TP_COLUMN_SENSOR,        TP_COLUMN_ENERGY, TP_COLUMN_STEP,       TP_COLUMN_GAP,
        TP_COLUMN_CONTACT_FORCE, TP_COLUMN_FORCE,  TP_COLUMN_COORDINATE, TP_COLUMN_VELOCITY,
        TP_COLUMN_ORIENTATION,   TP_COLUMN_OTHER,  TP_COLUMN_IMPULSE,    TP_COLUMN_CONTACT_IMPULSE};
    int rank = 0;
    for (; rank < (int)(sizeof order / sizeof order[0]); rank++) {
        if (order[rank] == column->kind) break;
    }
    return rank;
}

static tp_status take_column(exporter *x, int column, tp_message *why)
{
    if (x->place[column] >= 0) return TP_OK;
    const double *values = tp_catalogue_values(&x->catalogue, 0, column, x->arena);
    if (!values) return tp_arena_status(x->arena) == TP_OK ? TP_OK : no_memory(why);
    x->place[column] = x->chosen_count;
    x->values[x->chosen_count] = values;
    x->chosen[x->chosen_count++] = column;
    return TP_OK;
}

/* The curves that are shown at first, then others while there is room. */
static tp_status choose_columns(exporter *x, tp_message *why)
{
    tp_plot_choice choices[TP_PLOT_PANELS_MAX];
    int count = 0, time = x->catalogue.time;
    const char *note;
    if (x->options->column_count > 0) {
        TP_TRY(tp_choices_make(&x->catalogue, x->options->columns, x->options->column_count, x->arena,
                               choices, &count, why));
    } else {
        TP_TRY(tp_choices_default(&x->catalogue, x->arena, choices, &count, &note, why));
    }
    for (int p = 0; p < count; p++) x->curve_count += choices[p].count;
    x->curves = TP_ARENA_ARRAY(x->arena, tp_page_curve, x->curve_count + 1);
    if (!x->curves) return no_memory(why);
    x->curve_count = 0;
    for (int p = 0; p < count; p++) {
        for (int k = 0; k < choices[p].count; k++) {
            tp_plot_pair pair = choices[p].pairs[k];
            if (pair.x != time) TP_TRY(take_column(x, pair.x, why));
            TP_TRY(take_column(x, pair.y, why));
            int place = pair.x == time ? -1 : x->place[pair.x];
            if (x->place[pair.y] < 0 || (pair.x != time && place < 0)) continue;
            x->curves[x->curve_count++] = (tp_page_curve){p, place, x->place[pair.y]};
        }
    }
    for (int rank = 0; rank <= TP_COLUMN_OTHER + 1; rank++) {
        for (int c = 0; c < x->catalogue.count; c++) {
            bool is_there = c == time || rank_of(&x->catalogue.columns[c]) != rank;
            if (!is_there && x->chosen_count * x->row_count < curve_numbers_max)
                TP_TRY(take_column(x, c, why));
        }
    }
    return TP_OK;
}

/* ---- forces and events --------------------------------------------------------------------------------- */

enum { ROW, X, Y, Z, NORMAL_X, NORMAL_Y, NORMAL_Z, IMPULSE, CONTACT_COLUMNS = IMPULSE + 3 };

/* Forces of a row; *at is the first row of the table that is not before it. */
static tp_status add_forces(exporter *x, const tp_table *contacts, const double *const *v, long long row,
                            long long *at)
{
    const double *times = x->trajectory->values[0];
    while (*at < contacts->row_count && v[ROW][*at] < (double)row) ++*at;
    for (; *at < contacts->row_count && v[ROW][*at] == (double)row; ++*at) {
        long long k = *at;
        const tp_contact_info contact = {.point = {v[X][k], v[Y][k], v[Z][k]},
                                         .normal = {v[NORMAL_X][k], v[NORMAL_Y][k], v[NORMAL_Z][k]},
                                         .row_count = isnan(v[IMPULSE + 1][k])   ? 1
                                                      : isnan(v[IMPULSE + 2][k]) ? 2
                                                                                 : 3,
                                         .impulse = {v[IMPULSE][k], v[IMPULSE + 1][k], v[IMPULSE + 2][k]}};
        TP_TRY(tp_page_add_contact(x->page, &contact, row > 0 ? times[row] - times[row - 1] : 0.0));
    }
    return TP_OK;
}

static tp_status add_frames(exporter *x, tp_message *why)
{
    static const char *const names[CONTACT_COLUMNS] = {
        "row", "x", "y", "z", "normal_x", "normal_y", "normal_z", "impulse_N", "impulse_T1", "impulse_T2"};
    const double *contact[CONTACT_COLUMNS];
    const tp_table *contacts = tp_trajectory_table(x->trajectory, "contacts");
    bool has_contacts = contacts && tp_table_values(contacts, names, CONTACT_COLUMNS, contact);
    double *values = TP_ARENA_ARRAY(x->arena, double, x->chosen_count + 1);
    long long at = 0;
    if (!values) return no_memory(why);
    for (long long k = 0; k < x->row_count; k++) {
        long long row = x->rows[k];
        for (int c = 0; c < x->chosen_count; c++) values[c] = x->values[c][row];
        tp_moments_set(&x->moments, row);
        tp_status status =
            tp_page_add_frame(x->page, x->trajectory->values[0][row], x->moments.q, x->moments.x, values);
        if (status == TP_OK && has_contacts) status = add_forces(x, contacts, contact, row, &at);
        if (status != TP_OK) return no_memory(why);
    }
    return TP_OK;
}

static int whole(double value)
{
    return isfinite(value) ? (int)value : -1;
}

static tp_status add_events(exporter *x, tp_message *why)
{
    static const char *const names[] = {"time", "kind", "law", "shape_a",  "shape_b",
                                        "x",    "y",    "z",   "impulse_N"};
    const double *v[9];
    const tp_table *events = tp_trajectory_table(x->trajectory, "events");
    if (!events || !tp_table_values(events, names, 9, v)) return TP_OK;
    for (long long k = 0; k < events->row_count; k++) {
        const tp_event event = {.time = v[0][k],
                                .kind = (tp_event_kind)whole(v[1][k]),
                                .law = whole(v[2][k]),
                                .shape_a = whole(v[3][k]),
                                .shape_b = whole(v[4][k]),
                                .point = {v[5][k], v[6][k], v[7][k]},
                                .impulse = {v[8][k]}};
        if (tp_page_add_event(x->page, &event) != TP_OK) return no_memory(why);
    }
    return TP_OK;
}

/* ---- the whole ----------------------------------------------------------------------------------------- */

static tp_status report(exporter *x, tp_message *why)
{
    int count = x->trajectory->summary_count;
    tp_table_attribute *list = TP_ARENA_ARRAY(x->arena, tp_table_attribute, count + 2);
    const char *integrator = tp_restart_text(x->trajectory, "integrator");
    if (!list) return no_memory(why);
    list[0] = (tp_table_attribute){"integrator", integrator ? integrator : "", 0.0};
    if (count > 0) memcpy(list + 1, x->trajectory->summary, (size_t)count * sizeof *list);
    return tp_page_set_report(x->page, list, count + 1) == TP_OK ? TP_OK : no_memory(why);
}

static tp_status collect(exporter *x, const tp_model *model, tp_message *why)
{
    const tp_picture_options moments = tp_picture_options_default();
    x->moments.may_be_empty = true;
    TP_TRY(tp_moments_choose(&x->moments, x->arena, &moments, why));
    x->run = (tp_plot_run){"", x->trajectory};
    tp_status status = tp_catalogue_create(&x->catalogue, x->arena, &x->run, 1);
    TP_ARENA_INTS(x->arena, x->catalogue.count + 1, &x->chosen, &x->place);
    x->values = TP_ARENA_ARRAY(x->arena, const double *, x->catalogue.count + 1);
    if (status != TP_OK || !x->chosen || !x->place || !x->values) return no_memory(why);
    for (int c = 0; c < x->catalogue.count; c++) x->place[c] = -1;
    TP_TRY(choose_rows(x, why));
    TP_TRY(choose_columns(x, why));
    tp_table_column *columns = TP_ARENA_ARRAY(x->arena, tp_table_column, x->chosen_count + 1);
    if (!columns) return no_memory(why);
    for (int c = 0; c < x->chosen_count; c++) {
        const tp_plot_column *from = &x->catalogue.columns[x->chosen[c]];
        columns[c] = (tp_table_column){from->name, from->unit, from->label};
    }
    const char *title = x->options->title ? x->options->title : tp_restart_text(x->trajectory, "scene_name");
    const tp_page_def def = {.model = model,
                             .title = title,
                             .columns = columns,
                             .column_count = x->chosen_count,
                             .curves = x->curves,
                             .curve_count = x->curve_count,
                             .trajectory = x->trajectory};
    TP_TRY(tp_page_create(x->arena->allocator, &def, &x->page, why));
    TP_TRY(add_frames(x, why));
    TP_TRY(add_events(x, why));
    return report(x, why);
}

tp_status tp_page_export(const tp_allocator *allocator, const tp_trajectory *trajectory,
                         const tp_model *model, const tp_page_options *options, const char *path,
                         tp_page_size *size_out, tp_message *why_out)
{
    tp_arena arena = tp_arena_make(allocator);
    exporter x = {.arena = &arena,
                  .trajectory = trajectory,
                  .options = options,
                  .moments = {.model = model, .trajectory = trajectory}};
    tp_status status = collect(&x, model, why_out);
    if (status == TP_OK) status = tp_page_write(x.page, path, why_out);
    if (status == TP_OK && size_out) {
        *size_out = (tp_page_size){.frame_count = x.row_count,
                                   .row_count = trajectory->row_count,
                                   .column_count = x.chosen_count,
                                   .columns_left = x.catalogue.count - x.chosen_count - 1,
                                   .bytes = x.page->text.count};
    }
    tp_page_free(x.page);
    tp_drawer_free(x.moments.drawer);
    tp_arena_clear(&arena);
    return status;
}
