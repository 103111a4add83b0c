/* Walks through a trajectory file. Only plain members of the file itself are followed, after the guard has
 * looked at them. */
#include "io/output/trajectory_tree.h"

#include <hdf5.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    DEPTH_MAX = 8,    /* of groups in groups                                                     */
    MEMBER_BYTES = 16 /* that a member of a group takes at least: a group may contain itself     */
};

tp_status tp_reading_fail(tp_reading *r, const char *format, ...)
{
    char text[700];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return r->status = tp_fail(r->why, TP_INVALID_DATA, "%s: %s", r->path, text);
}

tp_status tp_reading_no_memory(tp_reading *r)
{
    return r->status = tp_fail(r->why, TP_OUT_OF_MEMORY, "no memory to read %s", r->path);
}

/* Room for one more item in an array of the arena; false if there is no memory. */
static bool grow(tp_arena *arena, void **items, int count, int *capacity, size_t item_bytes)
{
    if (count < *capacity) return true;
    if (*capacity > INT_MAX / 4) return false;
    int larger = *capacity > 0 ? 2 * *capacity : 16;
    void *moved = tp_arena_take(arena, (size_t)larger, item_bytes);
    if (!moved) return false;
    if (count > 0) memcpy(moved, *items, (size_t)count * item_bytes);
    *items = moved;
    *capacity = larger;
    return true;
}

/* A single text or number; false with nothing said if it is anything else. */
static bool read_value(tp_reading *r, hid_t attribute, hid_t type, tp_table_attribute *value_out)
{
    H5T_class_t kind = H5Tget_class(type);
    size_t size = H5Tget_size(type);
    if (kind == H5T_STRING && H5Tis_variable_str(type) == 0 && (double)size <= r->file_bytes) {
        char *text = TP_ARENA_ARRAY(r->arena, char, size + 1);
        if (!text || H5Aread(attribute, type, text) < 0) return false;
        value_out->text = text;
        return true;
    }
    bool is_number = (kind == H5T_INTEGER || kind == H5T_FLOAT) && size <= sizeof(double);
    return is_number && H5Aread(attribute, H5T_NATIVE_DOUBLE, &value_out->number) >= 0;
}

bool tp_reading_attribute(tp_reading *r, int64_t object, const char *name, tp_table_attribute *value_out)
{
    *value_out = (tp_table_attribute){.number = 0.0};
    if (H5Aexists(object, name) <= 0) return false;
    hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
    if (attribute < 0) return false;
    hid_t type = H5Aget_type(attribute), space = H5Aget_space(attribute);
    bool is_read = type >= 0 && space >= 0 && H5Sget_simple_extent_npoints(space) == 1 &&
                   read_value(r, attribute, type, value_out);
    if (type >= 0) H5Tclose(type);
    if (space >= 0) H5Sclose(space);
    H5Aclose(attribute);
    return is_read;
}

const char *tp_reading_text(tp_reading *r, int64_t object, const char *name)
{
    tp_table_attribute value;
    return tp_reading_attribute(r, object, name, &value) && value.text ? value.text : "";
}

static herr_t take_attribute(hid_t object, const char *name, const H5A_info_t *info, void *self)
{
    tp_reading *r = self;
    tp_attribute_list *list = r->attributes;
    tp_table_attribute value;
    (void)info;
    if (!tp_reading_attribute(r, object, name, &value)) return 0; /* not one of ours */
    value.name = tp_arena_copy(r->arena, name, strlen(name) + 1, 1);
    void *items = list->items;
    if (!value.name || !grow(r->arena, &items, list->count, &list->capacity, sizeof value)) {
        tp_reading_no_memory(r);
        return -1;
    }
    list->items = items;
    list->items[list->count++] = value;
    return 0;
}

tp_status tp_reading_attributes(tp_reading *r, int64_t object, tp_attribute_list *list)
{
    hsize_t start = 0;
    r->attributes = list;
    if (H5Aiterate2(object, H5_INDEX_CRT_ORDER, H5_ITER_INC, &start, take_attribute, r) >= 0) return TP_OK;
    TP_TRY(r->status);
    start = 0; /* the order may not be known: a copy by another program */
    list->count = 0;
    H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_INC, &start, take_attribute, r);
    return r->status;
}

/* A data set with an index among the columns is one; others are left alone. */
static tp_status take_column(tp_reading *r, hid_t data, const char *path)
{
    tp_table_attribute index;
    if (!tp_reading_attribute(r, data, "column", &index) || index.text) return TP_OK;
    if (!(index.number >= 0.0 && index.number < INT_MAX)) {
        return tp_reading_fail(r, "%s: column number %g", path, index.number);
    }
    void *items = r->found;
    if (!grow(r->arena, &items, r->found_count, &r->found_capacity, sizeof *r->found))
        return tp_reading_no_memory(r);
    r->found = items;
    r->found[r->found_count++] = (tp_found_column){{.name = path,
                                                    .unit = tp_reading_text(r, data, "unit"),
                                                    .text = tp_reading_text(r, data, "description")},
                                                   (int)index.number};
    return TP_OK;
}

static herr_t take_link(hid_t group, const char *name, const H5L_info_t *info, void *self);

static tp_status look_into(tp_reading *r, hid_t group, const char *path)
{
    if (++r->depth > DEPTH_MAX)
        return tp_reading_fail(r, "/%s: groups lie deeper than %d levels", path, DEPTH_MAX);
    const char *before = r->group;
    hsize_t start = 0;
    r->group = path;
    herr_t result = H5Literate(group, H5_INDEX_NAME, H5_ITER_INC, &start, take_link, r);
    r->group = before;
    r->depth--;
    TP_TRY(r->status);
    return result >= 0 ? TP_OK : tp_reading_fail(r, "/%s: the group is damaged", path);
}

static tp_status take_member(tp_reading *r, hid_t object, const char *name)
{
    size_t length = strlen(r->group) + strlen(name);
    H5I_type_t kind = H5Iget_type(object);
    if (kind != H5I_GROUP && kind != H5I_DATASET) return TP_OK;
    char *path = TP_ARENA_ARRAY(r->arena, char, length + 2);
    if (!path) return tp_reading_no_memory(r);
    snprintf(path, length + 2, "%s%s%s", r->group, name, kind == H5I_GROUP ? "/" : "");
    return kind == H5I_GROUP ? look_into(r, object, path) : take_column(r, object, path);
}

static herr_t take_link(hid_t group, const char *name, const H5L_info_t *info, void *self)
{
    tp_reading *r = self;
    if (info->type != H5L_TYPE_HARD) return 0; /* nothing outside this file */
    if (r->depth == 1 && strcmp(name, "summary") == 0) return 0;
    if ((double)++r->visits > r->file_bytes / MEMBER_BYTES) {
        tp_reading_fail(r, "groups contain each other, or there are too many members");
        return -1;
    }
    tp_hdf5_kind kind;
    if (tp_hdf5_guard_object(r->guard, info->u.address, &kind) != TP_OK) {
        tp_reading_fail(r, "/%s%s: %s", r->group, name, r->guard->reason);
        return -1;
    }
    if (kind == TP_HDF5_OTHER) return 0;
    hid_t object = H5Oopen(group, name, H5P_DEFAULT);
    if (object < 0) {
        tp_reading_fail(r, "/%s%s: is damaged", r->group, name);
        return -1;
    }
    tp_status status = take_member(r, object, name);
    H5Oclose(object);
    return status == TP_OK ? 0 : -1;
}

static int compare_indices(const void *a, const void *b)
{
    int left = ((const tp_found_column *)a)->index, right = ((const tp_found_column *)b)->index;
    return (left > right) - (left < right);
}

tp_status tp_reading_find_columns(tp_reading *r, tp_trajectory *trajectory)
{
    hid_t root = H5Gopen2(r->file, "/", H5P_DEFAULT);
    if (root < 0) return tp_reading_fail(r, "the root group is damaged");
    tp_status status = look_into(r, root, "");
    H5Gclose(root);
    TP_TRY(status);
    if (r->found_count > 0) qsort(r->found, (size_t)r->found_count, sizeof *r->found, compare_indices);
    for (int i = 0; i < r->found_count; i++) {
        if (r->found[i].index == i) continue;
        return tp_reading_fail(r, "columns are missing or double: /%s has number %d, expected %d",
                               r->found[i].column.name, r->found[i].index, i);
    }
    if (r->found_count == 0 || strcmp(r->found[0].column.name, "time") != 0) {
        return tp_reading_fail(r, "the first column must be /time");
    }
    tp_table_column *columns = TP_ARENA_ARRAY(r->arena, tp_table_column, r->found_count);
    if (!columns) return tp_reading_no_memory(r);
    for (int i = 0; i < r->found_count; i++) columns[i] = r->found[i].column;
    trajectory->columns = columns;
    trajectory->column_count = r->found_count;
    return TP_OK;
}
