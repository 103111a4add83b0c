/* The catalogue of columns: what the files hold, and forces made from impulses. */
#include "plot_columns.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "column_pairs.h"
#include "io/common/text.h"
#include "io/common/words.h"
#include "io/output/column_path.h"

enum { NAME_CAPACITY = 1024 };
static const char step_size[] = "step/size", step_count[] = "step/count";

/* Impulses of laws are sums over the steps since the row before. */
static const char impulse_begin[] = "impulse_";

/* The first row that fits; unit NULL: any. */
const char *tp_column_kind_text(tp_column_kind kind, const char *unit)
{
    static const struct {
        tp_column_kind kind;
        const char *unit, *text;
    } texts[] = {
        {TP_COLUMN_SENSOR, NULL, "sensors"},
        {TP_COLUMN_JOINT, "m", "joint displacement"},
        {TP_COLUMN_JOINT, NULL, "joint angle"},
        {TP_COLUMN_COORDINATE, "m", "position"},
        {TP_COLUMN_COORDINATE, "rad", "angle"},
        {TP_COLUMN_COORDINATE, NULL, "coordinates"},
        {TP_COLUMN_ORIENTATION, NULL, "orientation"},
        {TP_COLUMN_VELOCITY, "m/s", "velocity"},
        {TP_COLUMN_VELOCITY, "rad/s", "angular velocity"},
        {TP_COLUMN_VELOCITY, NULL, "velocities"},
        {TP_COLUMN_ENERGY, NULL, "energy"},
        {TP_COLUMN_GAP, NULL, "gap"},
        {TP_COLUMN_CONTACT_FORCE, NULL, "contact force"},
        {TP_COLUMN_CONTACT_IMPULSE, NULL, "contact impulse"},
        {TP_COLUMN_FORCE, NULL, "force"},
        {TP_COLUMN_IMPULSE, NULL, "impulse"},
    };
    for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++) {
        bool fits = texts[k].unit == NULL || strcmp(texts[k].unit, unit) == 0;
        if (texts[k].kind == kind && fits) return texts[k].text;
    }
    return "";
}

/* Contacts call their directions N, T1, T2, tau; other laws count them. */
static tp_column_kind kind_of_law(const char *part)
{
    const char *direction = strchr(part, '_');
    bool is_contact =
        direction != NULL && (direction[1] == 'N' || direction[1] == 'T' || direction[1] == 't');
    if (strcmp(part, "gap") == 0) return TP_COLUMN_GAP;
    if (tp_begins_with(part, impulse_begin))
        return is_contact ? TP_COLUMN_CONTACT_IMPULSE : TP_COLUMN_IMPULSE;
    if (tp_begins_with(part, "force_")) return is_contact ? TP_COLUMN_CONTACT_FORCE : TP_COLUMN_FORCE;
    return TP_COLUMN_OTHER;
}

/* "body.p0" to "body.p3" without a unit. */
static bool is_orientation(const char *name, const char *unit)
{
    size_t length = strlen(name);
    const char *end = length > 3 ? name + length - 3 : name;
    return unit[0] == '\0' && end[0] == '.' && end[1] == 'p' && end[2] >= '0' && end[2] <= '3';
}

static tp_column_kind kind_of(const char *name, const char *unit)
{
    if (tp_begins_with(name, "q/"))
        return is_orientation(name, unit) ? TP_COLUMN_ORIENTATION : TP_COLUMN_COORDINATE;
    if (tp_begins_with(name, "joint/")) return TP_COLUMN_JOINT;
    if (tp_begins_with(name, "u/")) return TP_COLUMN_VELOCITY;
    if (tp_begins_with(name, "energy")) return TP_COLUMN_ENERGY;
    if (tp_begins_with(name, "law/")) return kind_of_law(tp_last_part(name));
    if (tp_begins_with(name, "contact/")) return TP_COLUMN_CONTACT_FORCE;
    if (tp_begins_with(name, "sensor/")) return TP_COLUMN_SENSOR;
    if (tp_begins_with(name, "step/")) return TP_COLUMN_STEP;
    return TP_COLUMN_OTHER;
}

bool tp_column_is_normal(const tp_plot_column *column)
{
    const char *direction = strrchr(tp_last_part(column->name), '_');
    return direction != NULL && strcmp(direction, "_N") == 0;
}

int tp_catalogue_normal_impulse(const tp_plot_catalogue *catalogue, int column)
{
    char normal[2 * NAME_CAPACITY];
    const char *name = catalogue->columns[column].name;
    snprintf(normal, sizeof normal, "%.*s%sN", (int)(tp_last_part(name) - name), name, impulse_begin);
    return tp_catalogue_find(catalogue, normal);
}

/* "q/phi" is phi, "law/beak/gap" is beak gap, "joint/hinge/angle" is hinge angle, "law/beak/force_N" is beak
 * N, "step/size" is step size. */
static const char *make_label(const tp_plot_column *column, tp_arena *arena)
{
    const char *last = tp_last_part(column->name), *name = strchr(column->name, '/');
    bool is_of_item = tp_begins_with(column->name, "law/") || tp_begins_with(column->name, "joint/");
    if (column->pair.shape_a != NULL)
        return tp_arena_format(arena, "%s, %s %s", column->pair.shape_a, column->pair.shape_b,
                               column->pair.is_friction ? "T" : "N");
    if (column->kind == TP_COLUMN_STEP) {
        char *label = tp_arena_format(arena, "%s%s", strcmp(last, "size") == 0 ? "step " : "", last);
        for (char *c = label; c != NULL && *c != '\0'; c++) *c = *c == '_' ? ' ' : *c;
        return label;
    }
    if (is_of_item && last - name > 1) {
        const char *direction = strchr(last, '_');
        const char *item = tp_column_unescaped(arena, name + 1, (int)(last - name) - 2);
        return tp_arena_format(arena, "%s %s", item, direction != NULL ? direction + 1 : last);
    }
    name = name != NULL ? name + 1 : column->name;
    return tp_column_unescaped(arena, name, (int)strlen(name));
}

int tp_catalogue_find(const tp_plot_catalogue *catalogue, const char *name)
{
    return tp_name_index_find(&catalogue->names, name);
}

int tp_catalogue_place(const tp_plot_catalogue *catalogue, int run, const char *name)
{
    return tp_name_index_find(&catalogue->run_names[run], name);
}

static tp_status add(tp_plot_catalogue *catalogue, tp_arena *arena, tp_plot_column column)
{
    if (tp_catalogue_find(catalogue, column.name) >= 0) return TP_OK;
    column.kind = kind_of(column.name, column.unit);
    column.label = make_label(&column, arena);
    if (column.label == NULL) return TP_OUT_OF_MEMORY;
    catalogue->columns[catalogue->count] = column;
    return tp_name_index_add(arena, &catalogue->names, column.name, catalogue->count++);
}

/* "law/beak/impulse_N" [N s] gives "law/beak/force_N" [N]. */
static tp_status add_force(tp_plot_catalogue *catalogue, tp_arena *arena, const tp_table_column *impulse)
{
    const char *last = tp_last_part(impulse->name);
    if (!tp_begins_with(impulse->name, "law/") || !tp_begins_with(last, impulse_begin)) return TP_OK;
    int group_length = (int)(last - impulse->name), unit_length = (int)strlen(impulse->unit);
    if (unit_length > 2 && strcmp(impulse->unit + unit_length - 2, " s") == 0) unit_length -= 2;
    const char *name =
        tp_arena_format(arena, "%.*sforce_%s", group_length, impulse->name, last + strlen(impulse_begin));
    const char *unit = tp_arena_format(arena, "%.*s", unit_length, impulse->unit);
    TP_TRY(tp_arena_status(arena));
    return add(catalogue, arena, (tp_plot_column){.name = name, .unit = unit, .impulse = impulse->name});
}

/* "contact/A/B/force_N" and "contact/A/B/friction" [N] for shapes A and B that touch. */
static tp_status add_pair(tp_plot_catalogue *catalogue, tp_arena *arena, tp_contact_pair pair)
{
    static const char *const parts[2] = {"force_N", "friction"};
    const char *a = tp_column_escaped(arena, pair.shape_a), *b = tp_column_escaped(arena, pair.shape_b);
    for (int k = 0; k < (pair.has_friction ? 2 : 1); k++) {
        const char *name = tp_arena_format(arena, "contact/%s/%s/%s", a, b, parts[k]);
        if (name == NULL) return TP_OUT_OF_MEMORY;
        pair.is_friction = k == 1;
        TP_TRY(add(catalogue, arena, (tp_plot_column){.name = name, .unit = "N", .pair = pair}));
    }
    return TP_OK;
}

static tp_status add_pairs(tp_plot_catalogue *catalogue, tp_arena *arena, const tp_trajectory *trajectory)
{
    tp_contact_pair pairs[TP_PLOT_PAIRS_MAX];
    int count, all;
    TP_TRY(tp_pairs_find(trajectory, arena, pairs, &count, &all));
    for (int k = 0; k < count; k++) TP_TRY(add_pair(catalogue, arena, pairs[k]));
    catalogue->pairs_left_out += all - count;
    return TP_OK;
}

tp_status tp_catalogue_create(tp_plot_catalogue *catalogue, tp_arena *arena, const tp_plot_run *runs,
                              int run_count)
{
    size_t capacity = 0;
    for (int r = 0; r < run_count; r++)
        capacity += 2 * ((size_t)runs[r].trajectory->column_count + TP_PLOT_PAIRS_MAX);
    *catalogue = (tp_plot_catalogue){.runs = runs, .run_count = run_count};
    catalogue->columns = TP_ARENA_ARRAY(arena, tp_plot_column, capacity);
    catalogue->run_names = TP_ARENA_ARRAY(arena, tp_name_index, run_count);
    if (catalogue->columns == NULL || catalogue->run_names == NULL) return TP_OUT_OF_MEMORY;
    for (int r = 0; r < run_count; r++) {
        const tp_trajectory *trajectory = runs[r].trajectory;
        TP_TRY(
            tp_column_index(arena, trajectory->columns, trajectory->column_count, &catalogue->run_names[r]));
        for (int c = 0; c < trajectory->column_count; c++) {
            const tp_table_column *column = &trajectory->columns[c];
            TP_TRY(add(catalogue, arena, (tp_plot_column){.name = column->name, .unit = column->unit}));
            TP_TRY(add_force(catalogue, arena, column));
        }
        TP_TRY(add_pairs(catalogue, arena, trajectory));
    }
    catalogue->time = tp_catalogue_find(catalogue, "time");
    if (catalogue->time < 0) catalogue->time = tp_catalogue_find(catalogue, "run"); /* of a sweep */
    return TP_OK;
}

/* Time since the row before [s]; 0: there is none. */
static double time_since(const tp_trajectory *trajectory, size_t row)
{
    const double *time = trajectory->values[0];
    return row > 0 ? time[row] - time[row - 1] : 0.0;
}

const double *tp_catalogue_values(const tp_plot_catalogue *catalogue, int run, int column, tp_arena *arena)
{
    const tp_trajectory *trajectory = catalogue->runs[run].trajectory;
    const tp_plot_column *wanted = &catalogue->columns[column];
    int direct = tp_catalogue_place(catalogue, run, wanted->name);
    if (direct >= 0) return trajectory->values[direct];
    if (wanted->pair.shape_a != NULL) {
        bool is_there = tp_pair_is_there(trajectory, &wanted->pair);
        return is_there ? tp_pair_values(trajectory, &wanted->pair, arena) : NULL;
    }
    int impulse = wanted->impulse != NULL ? tp_catalogue_place(catalogue, run, wanted->impulse) : -1;
    if (impulse < 0) return NULL;

    size_t count = (size_t)trajectory->row_count;
    double *force = TP_ARENA_ARRAY(arena, double, count + 1);
    for (size_t k = 0; k < count && force != NULL; k++) {
        double since = time_since(trajectory, k);
        force[k] = since > 0.0 ? trajectory->values[impulse][k] / since : NAN; /* no step, no force */
    }
    return force;
}

long long tp_run_step_count(const tp_plot_run *run)
{
    const tp_trajectory *trajectory = run->trajectory;
    int column = tp_trajectory_find(trajectory, step_count);
    long long rows = trajectory->row_count;
    double last = column >= 0 && rows > 0 ? trajectory->values[column][rows - 1] : 0.0;
    return last > (double)rows && last < 1e18 ? (long long)last : rows;
}

double tp_run_step_size(const tp_plot_run *run)
{
    const tp_trajectory *trajectory = run->trajectory;
    int column = tp_trajectory_find(trajectory, step_size);
    double least = INFINITY;
    for (size_t k = 0; k < (size_t)trajectory->row_count; k++) {
        double size = column >= 0 ? trajectory->values[column][k] : time_since(trajectory, k);
        if (size > 0.0) least = fmin(least, size);
    }
    return least;
}
