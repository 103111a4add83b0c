/* The catalogue of columns: what the files hold, and forces made from impulses. */
#include "columns.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bool begins(const char *text, const char *beginning)
{
    return strncmp(text, beginning, strlen(beginning)) == 0;
}

/* The last part of a path. */
static const char *last_part(const char *name)
{
    const char *slash = strrchr(name, '/');
    return slash != NULL ? slash + 1 : name;
}

const char *tp_column_kind_text(tp_column_kind kind)
{
    static const char *const texts[] = {
        [TP_COLUMN_COORDINATE] = "coordinates",
        [TP_COLUMN_VELOCITY] = "velocities",
        [TP_COLUMN_ENERGY] = "energy",
        [TP_COLUMN_GAP] = "gaps",
        [TP_COLUMN_CONTACT_FORCE] = "contact forces",
        [TP_COLUMN_CONTACT_PERCUSSION] = "contact impulses",
        [TP_COLUMN_FORCE] = "forces",
        [TP_COLUMN_PERCUSSION] = "impulses",
        [TP_COLUMN_SENSOR] = "sensors",
        [TP_COLUMN_STEP] = "",
        [TP_COLUMN_OTHER] = "",
    };
    return texts[kind];
}

/* Contacts call their directions N, T1, T2, tau; other laws count them. */
static tp_column_kind kind_of_law(const char *part)
{
    const char *direction = strchr(part, '_');
    bool is_contact =
        direction != NULL && (direction[1] == 'N' || direction[1] == 'T' || direction[1] == 't');
    if (strcmp(part, "gap") == 0) return TP_COLUMN_GAP;
    if (begins(part, "impulse_")) return is_contact ? TP_COLUMN_CONTACT_PERCUSSION : TP_COLUMN_PERCUSSION;
    if (begins(part, "force_")) return is_contact ? TP_COLUMN_CONTACT_FORCE : TP_COLUMN_FORCE;
    return TP_COLUMN_OTHER;
}

static tp_column_kind kind_of(const char *name)
{
    if (begins(name, "q/")) return TP_COLUMN_COORDINATE;
    if (begins(name, "u/")) return TP_COLUMN_VELOCITY;
    if (begins(name, "energy")) return TP_COLUMN_ENERGY;
    if (begins(name, "law/")) return kind_of_law(last_part(name));
    if (begins(name, "sensor/")) return TP_COLUMN_SENSOR;
    if (begins(name, "step/")) return TP_COLUMN_STEP;
    return TP_COLUMN_OTHER;
}

/* "q/phi" is phi, "law/beak/gap" is beak gap, "law/beak/force_N" is beak N, "step/size" is step size. */
static char *make_label(const tp_plot_column *column, tp_arena *arena)
{
    size_t size = strlen(column->name) + 16;
    char *label = tp_arena_take(arena, size, 1);
    if (label == NULL) return NULL;
    const char *last = last_part(column->name), *name = strchr(column->name, '/');
    if (column->kind == TP_COLUMN_STEP) {
        snprintf(label, size, strcmp(last, "size") == 0 ? "step %s" : "%s", last);
    } else if (begins(column->name, "law/") && last - name > 1) {
        const char *direction = strchr(last, '_');
        snprintf(label, size, "%.*s", (int)(last - name) - 2, name + 1);
        tp_column_unescape(label);
        size_t used = strlen(label);
        snprintf(label + used, size - used, " %s", direction != NULL ? direction + 1 : last);
    } else {
        snprintf(label, size, "%s", name != NULL ? name + 1 : column->name);
        tp_column_unescape(label);
    }
    for (char *c = label; column->kind == TP_COLUMN_STEP && *c != '\0'; c++) *c = *c == '_' ? ' ' : *c;
    return label;
}

int tp_catalogue_find(const tp_plot_catalogue *catalogue, const char *name)
{
    for (int k = 0; k < catalogue->count; k++) {
        if (strcmp(catalogue->columns[k].name, name) == 0) return k;
    }
    return -1;
}

static tp_status add(tp_plot_catalogue *catalogue, tp_arena *arena, tp_plot_column column)
{
    if (tp_catalogue_find(catalogue, column.name) >= 0) return TP_OK;
    column.kind = kind_of(column.name);
    column.label = make_label(&column, arena);
    if (column.label == NULL) return TP_OUT_OF_MEMORY;
    catalogue->columns[catalogue->count++] = column;
    return TP_OK;
}

/* "law/beak/impulse_N" [N s] gives "law/beak/force_N" [N]. */
static tp_status add_force(tp_plot_catalogue *catalogue, tp_arena *arena, const tp_table_column *percussion)
{
    const char *last = last_part(percussion->name);
    if (!begins(percussion->name, "law/") || !begins(last, "impulse_")) return TP_OK;
    size_t name_size = strlen(percussion->name) + 1, unit_length = strlen(percussion->unit);
    char *name = tp_arena_take(arena, name_size, 1);
    char *unit = tp_arena_copy(arena, percussion->unit, unit_length + 1, 1);
    if (name == NULL || unit == NULL) return TP_OUT_OF_MEMORY;
    snprintf(name, name_size, "%.*sforce_%s", (int)(last - percussion->name), percussion->name,
             last + strlen("impulse_"));
    if (unit_length > 2 && strcmp(unit + unit_length - 2, " s") == 0) unit[unit_length - 2] = '\0';
    return add(catalogue, arena,
               (tp_plot_column){.name = name, .unit = unit, .percussion = percussion->name});
}

tp_status tp_catalogue_create(tp_plot_catalogue *catalogue, tp_arena *arena, const tp_plot_run *runs,
                              int run_count)
{
    size_t capacity = 0;
    for (int r = 0; r < run_count; r++) capacity += 2 * (size_t)runs[r].trajectory->column_count;
    *catalogue = (tp_plot_catalogue){.runs = runs, .run_count = run_count};
    catalogue->columns = TP_ARENA_ARRAY(arena, tp_plot_column, capacity);
    if (catalogue->columns == NULL) return TP_OUT_OF_MEMORY;
    for (int r = 0; r < run_count; r++) {
        const tp_trajectory *trajectory = runs[r].trajectory;
        for (int c = 0; c < trajectory->column_count; c++) {
            const tp_table_column *column = &trajectory->columns[c];
            TP_TRY(add(catalogue, arena, (tp_plot_column){.name = column->name, .unit = column->unit}));
            TP_TRY(add_force(catalogue, arena, column));
        }
    }
    return TP_OK;
}

const double *tp_catalogue_values(const tp_plot_catalogue *catalogue, int run, int column, tp_arena *arena,
                                  bool *is_full_out)
{
    const tp_trajectory *trajectory = catalogue->runs[run].trajectory;
    const tp_plot_column *wanted = &catalogue->columns[column];
    int direct = tp_trajectory_find(trajectory, wanted->name);
    *is_full_out = false;
    if (direct >= 0) return trajectory->values[direct];
    int percussion = wanted->percussion != NULL ? tp_trajectory_find(trajectory, wanted->percussion) : -1;
    if (percussion < 0) return NULL;

    size_t count = (size_t)trajectory->row_count;
    double *force = TP_ARENA_ARRAY(arena, double, count + 1);
    *is_full_out = force == NULL;
    for (size_t k = 0; k < count && force != NULL; k++) {
        const double *time = trajectory->values[0];
        double since = k > 0 ? time[k] - time[k - 1] : 0.0; /* impulses are summed since the row before */
        force[k] = since > 0.0 ? trajectory->values[percussion][k] / since : NAN;
    }
    return force;
}
