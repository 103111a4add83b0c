/* Columns of a trajectory file. A data set of one dimension is one column ("/time"), one of two dimensions as
   many as it is wide ("/q" with its names: "q/x", "q/y"); tables likewise. In the file they lie row by row,
   here column by column. */
#include "io/output/trajectory_parts.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char table_prefix[] = "/tables/", label_prefix[] = "/labels/";

enum { TILE = 32 }; /* rows and columns that are transposed together: both fit into the cache */

/* A data set with its number among others: the first of its columns, or that of the table. */
typedef struct numbered {
    const tp_hdf5_node *node;
    int number;
} numbered;

typedef struct numbered_list {
    numbered *items;
    int count;
} numbered_list;

static int compare_numbers(const void *a, const void *b)
{
    int left = ((const numbered *)a)->number, right = ((const numbered *)b)->number;
    return (left > right) - (left < right);
}

/* A damaged data set may be one of ours whose number is lost: it is not skipped. */
static tp_status check_whole(const tp_reading *r, const tp_hdf5_node *object)
{
    if (object->kind == TP_HDF5_DAMAGED) return tp_reading_fail(r, "%s: is damaged", object->name);
    for (const tp_hdf5_node *a = object; (a = tp_hdf5_next_attribute(r->tree, a));) {
        if (a->kind != TP_HDF5_DAMAGED) continue;
        return tp_reading_fail(r, "%s: the attribute \"%s\" is damaged", object->name, a->name);
    }
    return TP_OK;
}

/* All objects below a prefix that have a number of that name, sorted by it. */
static tp_status find_numbered(const tp_reading *r, const char *prefix, const char *attribute,
                               numbered_list *list)
{
    size_t length = strlen(prefix);
    *list = (numbered_list){TP_ARENA_ARRAY(r->arena, numbered, r->tree->count), 0};
    if (!list->items) return tp_reading_no_memory(r);
    for (const tp_hdf5_node *node = NULL; (node = tp_hdf5_next(r->tree, node));) {
        double number;
        bool is_member = strncmp(node->name, prefix, length) == 0 && node->name[length] != 0 &&
                         !strchr(node->name + length, '/') && strcmp(node->name, "/summary") != 0;
        if (is_member) TP_TRY(check_whole(r, node));
        if (!is_member || !tp_reading_number(r, node, attribute, &number)) continue;
        if (!(number >= 0.0 && number < INT_MAX && number == floor(number))) {
            return tp_reading_fail(r, "%s: its %s is %g", node->name, attribute, number);
        }
        list->items[list->count++] = (numbered){node, (int)number};
    }
    qsort(list->items, (size_t)list->count, sizeof *list->items, compare_numbers);
    return TP_OK;
}

static int width_of(const tp_hdf5_node *data)
{
    return data->rank == 2 ? (int)data->size[1] : 1;
}

/* The texts of the columns of a data set: one for each, or none at all (NULL). */
static tp_status find_texts(const tp_reading *r, const tp_hdf5_node *data, const char *name,
                            const char *const **texts_out)
{
    const tp_hdf5_node *found = tp_hdf5_attribute(r->tree, data, name);
    *texts_out = NULL;
    if (!found) return TP_OK;
    if (found->kind != TP_HDF5_TEXTS || found->count != width_of(data)) {
        return tp_reading_fail(r, "%s: the attribute \"%s\" must be %d texts", data->name, name,
                               width_of(data));
    }
    *texts_out = found->texts;
    return TP_OK;
}

/* Refuses what does not hold numbers, has columns without names, or fewer rows than were counted. */
static tp_status check_data(const tp_reading *r, const tp_hdf5_node *data, int rank, long long row_count)
{
    if (tp_hdf5_fault(data)) return tp_reading_fail(r, "%s: %s", data->name, tp_hdf5_fault(data));
    if (!tp_hdf5_is_numeric(data) || data->rank < rank || data->rank < 1) {
        return tp_reading_fail(r, "%s: must be a table of numbers", data->name);
    }
    if (data->rank == 2 && (data->size[1] < 1 || data->size[1] > INT_MAX / 2)) {
        return tp_reading_fail(r, "%s: has %lld columns", data->name, data->size[1]);
    }
    if (data->size[0] < row_count) {
        return tp_reading_fail(r, "%s: has %lld rows, but there are %lld", data->name, data->size[0],
                               row_count);
    }
    const char *const *names = NULL;
    if (data->rank == 2) TP_TRY(find_texts(r, data, "names", &names));
    if (data->rank == 2 && !names)
        return tp_reading_fail(r, "%s: the attribute \"names\" is missing", data->name);
    return TP_OK;
}

/* Names, units and descriptions of the columns of a data set; with a group, names are "GROUP/NAME". */
static tp_status describe(const tp_reading *r, const tp_hdf5_node *data, const char *group,
                          tp_table_column *columns)
{
    const char *const *names, *const *units, *const *texts;
    TP_TRY(find_texts(r, data, "names", &names));
    TP_TRY(find_texts(r, data, "units", &units));
    TP_TRY(find_texts(r, data, "descriptions", &texts));
    for (int i = 0; i < width_of(data); i++) {
        columns[i] = (tp_table_column){
            group ? tp_arena_format(r->arena, "%s/%s", group, names[i]) : tp_arena_text(r->arena, names[i]),
            tp_arena_text(r->arena, units ? units[i] : ""), tp_arena_text(r->arena, texts ? texts[i] : "")};
    }
    return r->arena->has_failed ? tp_reading_no_memory(r) : TP_OK;
}

static tp_status describe_line(const tp_reading *r, const tp_hdf5_node *data, tp_table_column *column)
{
    *column = (tp_table_column){tp_arena_text(r->arena, data->name + 1),
                                tp_arena_text(r->arena, tp_reading_text(r, data, "unit")),
                                tp_arena_text(r->arena, tp_reading_text(r, data, "description"))};
    return column->name && column->unit && column->text ? TP_OK : tp_reading_no_memory(r);
}

/* values_out[column][row] = in[row][column] */
static tp_status transpose(const tp_reading *r, const tp_hdf5_node *data, long long row_count,
                           const double **values_out)
{
    int width = width_of(data);
    double *all = TP_ARENA_ARRAY(r->arena, double, (size_t)width *(size_t)row_count);
    if (!all) return tp_reading_no_memory(r);
    for (int i = 0; i < width; i++) values_out[i] = all + (size_t)i * (size_t)row_count;
    for (long long row = 0; row < row_count; row += TILE) {
        long long row_end = row + TILE < row_count ? row + TILE : row_count;
        for (int column = 0; column < width; column += TILE) {
            int column_end = column + TILE < width ? column + TILE : width;
            for (int i = column; i < column_end; i++) {
                for (long long k = row; k < row_end; k++) {
                    all[(size_t)i * (size_t)row_count + (size_t)k] =
                        data->numbers[(size_t)k * (size_t)width + (size_t)i];
                }
            }
        }
    }
    return TP_OK;
}

/* Entry of /rows: complete rows of the columns over time (0), of the tables (1, 2, ...). */
static tp_status read_row_count(const tp_reading *r, int entry, long long *count_out)
{
    const tp_hdf5_node *rows = tp_hdf5_find(r->tree, "/rows");
    if (!rows) return tp_reading_fail(r, "not a Tippe trajectory: the data set /rows is missing");
    if (tp_hdf5_fault(rows)) return tp_reading_fail(r, "/rows: %s", tp_hdf5_fault(rows));
    if (rows->kind != TP_HDF5_INTEGERS || rows->rank != 1 || rows->count <= entry) {
        return tp_reading_fail(r, "/rows: must count the rows of the columns and of every table");
    }
    double count = rows->numbers[entry];
    if (!(count >= 0.0 && count < 0x1p53)) return tp_reading_fail(r, "/rows: %g rows", count);
    *count_out = (long long)count;
    return TP_OK;
}

/* The data sets follow each other without gaps; the first column is time. */
static tp_status count_columns(const tp_reading *r, const numbered_list *list, long long row_count,
                               int *count_out)
{
    *count_out = 0;
    for (int i = 0; i < list->count; i++) {
        const numbered *item = &list->items[i];
        TP_TRY(check_data(r, item->node, 1, row_count));
        if (item->number != *count_out) {
            return tp_reading_fail(r, "columns are missing or duplicate: %s starts at number %d, expected %d",
                                   item->node->name, item->number, *count_out);
        }
        if (*count_out > INT_MAX - width_of(item->node)) return tp_reading_fail(r, "too many columns");
        *count_out += width_of(item->node);
    }
    const char *first = list->count > 0 && list->items[0].node->rank == 1 ? list->items[0].node->name : "";
    bool is_known = strcmp(first, "/time") == 0 || strcmp(first, "/run") == 0; /* a sweep has runs */
    return is_known ? TP_OK : tp_reading_fail(r, "the first column must be /time or /run");
}

static tp_status check_time(const tp_reading *r, const double *time, long long row_count)
{
    for (long long i = 0; i < row_count; i++) {
        bool is_later = isfinite(time[i]) && (i == 0 || time[i] >= time[i - 1]);
        if (!is_later)
            return tp_reading_fail(r, "/time: %g in row %lld, but time never decreases", time[i], i + 1);
    }
    return TP_OK;
}

tp_status tp_reading_columns(const tp_reading *r, tp_trajectory *trajectory)
{
    numbered_list list;
    long long row_count = 0;
    int count = 0, column = 0;
    TP_TRY(read_row_count(r, 0, &row_count));
    TP_TRY(find_numbered(r, "/", "first_column", &list));
    TP_TRY(count_columns(r, &list, row_count, &count));
    tp_table_column *columns = TP_ARENA_ARRAY(r->arena, tp_table_column, count);
    const double **values = TP_ARENA_ARRAY(r->arena, const double *, count);
    if (!columns || !values) return tp_reading_no_memory(r);
    for (int i = 0; i < list.count; i++) {
        const tp_hdf5_node *data = list.items[i].node;
        TP_TRY(data->rank == 1 ? describe_line(r, data, &columns[column])
                               : describe(r, data, data->name + 1, &columns[column]));
        TP_TRY(transpose(r, data, row_count, &values[column]));
        column += width_of(data);
    }
    trajectory->row_count = row_count;
    trajectory->column_count = count;
    trajectory->columns = columns;
    trajectory->values = values;
    return check_time(r, values[0], row_count);
}

/* A list of words, made when the first column asks for it. */
typedef struct label_list {
    tp_table_labels *items; /* their words are the trajectory's */
    int count;
} label_list;

static tp_status read_labels(const tp_reading *r, const char *name, tp_table_labels *labels)
{
    char path[1024];
    snprintf(path, sizeof path, "%s%s", label_prefix, name);
    const tp_hdf5_node *found = tp_hdf5_find(r->tree, path);
    if (!found) return tp_reading_fail(r, "%s: is missing", path);
    if (tp_hdf5_fault(found)) return tp_reading_fail(r, "%s: %s", path, tp_hdf5_fault(found));
    if (found->kind != TP_HDF5_TEXTS || found->count > INT_MAX)
        return tp_reading_fail(r, "%s: must be texts", path);
    const char **words = TP_ARENA_ARRAY(r->arena, const char *, found->count);
    char *blob = TP_ARENA_ARRAY(r->arena, char, found->text_bytes);
    if (!words || !blob) return tp_reading_no_memory(r);
    if (found->count > 0) memcpy(blob, found->texts[0], found->text_bytes); /* one after the other */
    for (long long i = 0; i < found->count; i++) words[i] = blob + (found->texts[i] - found->texts[0]);
    *labels = (tp_table_labels){tp_arena_text(r->arena, name), words, (int)found->count};
    return labels->name ? TP_OK : tp_reading_no_memory(r);
}

static tp_status find_labels(const tp_reading *r, label_list *known, const char *name,
                             const tp_table_labels **out)
{
    int i = 0;
    while (i < known->count && strcmp(known->items[i].name, name) != 0) i++;
    *out = &known->items[i];
    if (i < known->count) return TP_OK;
    TP_TRY(read_labels(r, name, &known->items[i]));
    known->count++;
    return TP_OK;
}

/* Every number of a column with words stands for one of them, or (negative) for none. */
static tp_status check_labels(const tp_reading *r, const tp_table *table, int column)
{
    const tp_table_labels *labels = table->labels[column];
    for (long long i = 0; labels && i < table->row_count; i++) {
        double value = table->values[column][i];
        if (value < 0.0 || (value < labels->count && value == floor(value))) continue;
        return tp_reading_fail(r, "%s%s: %s is %g in row %lld, but there are %d words in %s%s", table_prefix,
                               table->name, table->columns[column].name, value, i + 1, labels->count,
                               label_prefix, labels->name);
    }
    return TP_OK;
}

static tp_status read_table(const tp_reading *r, const tp_hdf5_node *data, label_list *known, tp_table *table)
{
    int width = width_of(data);
    const char *const *sets;
    tp_table_column *columns = TP_ARENA_ARRAY(r->arena, tp_table_column, width);
    const tp_table_labels **labels = TP_ARENA_ARRAY(r->arena, const tp_table_labels *, width);
    const double **values = TP_ARENA_ARRAY(r->arena, const double *, width);
    table->name = tp_arena_text(r->arena, data->name + strlen(table_prefix));
    if (!columns || !labels || !values || !table->name) return tp_reading_no_memory(r);
    table->column_count = width;
    table->columns = columns;
    table->labels = labels;
    table->values = values;
    TP_TRY(describe(r, data, NULL, columns));
    TP_TRY(find_texts(r, data, "label_sets", &sets));
    TP_TRY(transpose(r, data, table->row_count, values));
    for (int i = 0; i < width; i++) {
        if (sets && sets[i][0] != 0) TP_TRY(find_labels(r, known, sets[i], &labels[i]));
        TP_TRY(check_labels(r, table, i));
    }
    return TP_OK;
}

tp_status tp_reading_tables(const tp_reading *r, tp_trajectory *trajectory)
{
    numbered_list list;
    TP_TRY(find_numbered(r, table_prefix, "table", &list));
    tp_table *tables = TP_ARENA_ARRAY(r->arena, tp_table, list.count);
    label_list known = {TP_ARENA_ARRAY(r->arena, tp_table_labels, r->tree->count), 0};
    if (!tables || !known.items) return tp_reading_no_memory(r);
    for (int i = 0; i < list.count; i++) {
        const numbered *item = &list.items[i];
        if (item->number != i) {
            return tp_reading_fail(r, "tables are missing or duplicate: %s has number %d, expected %d",
                                   item->node->name, item->number, i);
        }
        TP_TRY(read_row_count(r, 1 + i, &tables[i].row_count));
        TP_TRY(check_data(r, item->node, 2, tables[i].row_count));
        TP_TRY(read_table(r, item->node, &known, &tables[i]));
    }
    trajectory->tables = tables;
    trajectory->table_count = list.count;
    return TP_OK;
}
