/* Reads VTK files of polygons and their index back, on its own: tags are balanced, every array has the length
   that its header and its section say, every index lies in its range. Fails the test with the place
   otherwise. */
#ifndef TESTS_IO_VTP_READER_H
#define TESTS_IO_VTP_READER_H

#include <stdbool.h>

#include "check.h"
#include "io/scratch.h"

enum { VTP_ARRAYS_MAX = 4096, VTP_DEPTH_MAX = 8, VTP_NAME = 128 };

typedef struct vtp_array {
    char section[VTP_NAME], name[VTP_NAME], type[16]; /* section: "CellData", "Polys", ... */
    int components;
    size_t value_count;
    unsigned char *data; /* without the length in front */
    size_t bytes;
} vtp_array;

typedef struct vtp_file {
    const char *path;
    char *text;
    int array_count;
    vtp_array arrays[VTP_ARRAYS_MAX];
    long long points, verts, lines, polygons;
} vtp_file;

static inline _Noreturn void vtp_fail(const vtp_file *file, const char *what, const char *which)
{
    print_error("%s: %s: %s\n", file->path, what, which);
    fail();
    abort(); /* the test has been left */
}

/* The value of an attribute inside a tag that ends at `end`; false if it is not there. */
static inline bool vtp_attribute(const char *tag, const char *end, const char *name, char *value_out)
{
    char key[VTP_NAME];
    snprintf(key, sizeof key, " %s=\"", name);
    size_t key_length = strlen(key);
    const char *found = tag; /* strstr would look at the whole file under the sanitizers */
    while (found < end && strncmp(found, key, key_length) != 0) found++;
    if (found >= end) return false;
    found += key_length;
    size_t length = strcspn(found, "\"");
    if (length >= VTP_NAME) return false;
    memcpy(value_out, found, length);
    value_out[length] = '\0';
    return true;
}

static inline long long vtp_number(const char *tag, const char *end, const char *name, long long otherwise)
{
    char value[VTP_NAME];
    return vtp_attribute(tag, end, name, value) ? strtoll(value, NULL, 10) : otherwise;
}

static inline size_t vtp_type_bytes(const char *type)
{
    static const char *const names[] = {"UInt8", "Int32", "Int64", "Float64", "String"};
    static const size_t bytes[] = {1, 4, 8, 8, 1};
    for (int k = 0; k < 5; k++) {
        if (strcmp(type, names[k]) == 0) return bytes[k];
    }
    return 0;
}

/* base64 up to the next tag, to be freed. */
static inline unsigned char *vtp_decode(const char *text, size_t *count_out)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t length = strcspn(text, "<"), count = 0;
    unsigned char *bytes = malloc(length + 4);
    if (bytes == NULL || length % 4 != 0) fail();
    for (size_t k = 0; k < length; k += 4) {
        unsigned value = 0;
        int padding = (text[k + 2] == '=') + (text[k + 3] == '=');
        for (int i = 0; i < 4; i++) {
            const char *letter = strchr(letters, text[k + (size_t)i]);
            if (letter == NULL && !(text[k + (size_t)i] == '=' && k + 4 == length && i >= 4 - padding))
                fail();
            value = value << 6 | (unsigned)(letter != NULL ? letter - letters : 0);
        }
        for (int i = 0; i < 3 - padding; i++) bytes[count++] = (unsigned char)(value >> (16 - 8 * i));
    }
    *count_out = count;
    return bytes;
}

static inline void vtp_take_array(vtp_file *file, const char *section, const char *tag, const char *end)
{
    char format[VTP_NAME];
    if (file->array_count == VTP_ARRAYS_MAX) vtp_fail(file, "too many arrays", section);
    vtp_array *array = &file->arrays[file->array_count++];
    memset(array, 0, sizeof *array);
    snprintf(array->section, sizeof array->section, "%s", section);
    char type[VTP_NAME] = "";
    if (!vtp_attribute(tag, end, "Name", array->name) || !vtp_attribute(tag, end, "type", type) ||
        !vtp_attribute(tag, end, "format", format) || strcmp(format, "binary") != 0)
        vtp_fail(file, "an array lacks an attribute", section);
    snprintf(array->type, sizeof array->type, "%.15s", type);
    array->components = (int)vtp_number(tag, end, "NumberOfComponents", 1);
    size_t count, item = vtp_type_bytes(array->type);
    unsigned char *bytes = vtp_decode(end + 1, &count);
    uint64_t length = 0;
    if (count >= sizeof length) memcpy(&length, bytes, sizeof length);
    if (item == 0 || count != length + sizeof length || length % (item * (size_t)array->components) != 0)
        vtp_fail(file, "the length of an array is wrong", array->name);
    memmove(bytes, bytes + sizeof length, length);
    array->data = bytes;
    array->bytes = length;
    array->value_count = length / item;
    long long tuples = vtp_number(tag, end, "NumberOfTuples", -1);
    bool is_text = strcmp(array->type, "String") == 0;
    if (tuples >= 0 && !is_text && (size_t)tuples * (size_t)array->components != array->value_count)
        vtp_fail(file, "the number of tuples is wrong", array->name);
    for (size_t k = 0; is_text && k < length; k++) tuples -= bytes[k] == 0;
    if (is_text && tuples != 0) vtp_fail(file, "the number of texts is wrong", array->name);
}

/* Walks through all tags. */
static inline void vtp_walk(vtp_file *file)
{
    char stack[VTP_DEPTH_MAX][VTP_NAME];
    int depth = 0;
    for (const char *tag = strchr(file->text, '<'); tag != NULL; tag = strchr(tag + 1, '<')) {
        const char *end = strchr(tag, '>');
        if (end == NULL) vtp_fail(file, "a tag does not end", tag);
        if (tag[1] == '?') continue;
        char name[VTP_NAME];
        size_t length = strcspn(tag + 1, " />"), skip = tag[1] == '/' ? 2 : 1;
        if (skip == 2) length = strcspn(tag + 2, ">");
        if (length >= sizeof name) vtp_fail(file, "a tag is too long", tag);
        memcpy(name, tag + skip, length);
        name[length] = '\0';
        if (skip == 2) {
            if (depth == 0 || strcmp(stack[--depth], name) != 0) vtp_fail(file, "tags do not match", name);
            continue;
        }
        if (strcmp(name, "Piece") == 0) {
            file->points = vtp_number(tag, end, "NumberOfPoints", -1);
            file->verts = vtp_number(tag, end, "NumberOfVerts", -1);
            file->lines = vtp_number(tag, end, "NumberOfLines", -1);
            file->polygons = vtp_number(tag, end, "NumberOfPolys", -1);
        }
        if (strcmp(name, "DataArray") == 0 || strcmp(name, "Array") == 0)
            vtp_take_array(file, depth > 0 ? stack[depth - 1] : "", tag, end);
        if (end[-1] == '/') continue;
        if (depth == VTP_DEPTH_MAX) vtp_fail(file, "too deep", name);
        memcpy(stack[depth++], name, length + 1);
    }
    if (depth != 0) vtp_fail(file, "the file is not complete", stack[depth - 1]);
}

/* NULL if there is none. */
static inline const vtp_array *vtp_find(const vtp_file *file, const char *section, const char *name)
{
    for (int k = 0; k < file->array_count; k++) {
        const vtp_array *array = &file->arrays[k];
        if (strcmp(array->section, section) == 0 && strcmp(array->name, name) == 0) return array;
    }
    return NULL;
}

static inline double vtp_double(const vtp_array *array, size_t k)
{
    double value;
    memcpy(&value, array->data + 8 * k, sizeof value);
    return value;
}

static inline int64_t vtp_int64(const vtp_array *array, size_t k)
{
    int64_t value;
    memcpy(&value, array->data + 8 * k, sizeof value);
    return value;
}

static inline int32_t vtp_int32(const vtp_array *array, size_t k)
{
    int32_t value;
    memcpy(&value, array->data + 4 * k, sizeof value);
    return value;
}

/* A number of the field data; NaN if it is not there. */
static inline double vtp_field(const vtp_file *file, const char *name)
{
    const vtp_array *array = vtp_find(file, "FieldData", name);
    return array != NULL && array->value_count == 1 ? vtp_double(array, 0) : NAN;
}

static inline void vtp_check_cells(const vtp_file *file, const char *section, long long count)
{
    const vtp_array *places = vtp_find(file, section, "connectivity"),
                    *ends = vtp_find(file, section, "offsets");
    if (places == NULL || ends == NULL || (long long)ends->value_count != count)
        vtp_fail(file, "cells are missing", section);
    int64_t before = 0;
    for (size_t k = 0; k < ends->value_count; k++) {
        if (vtp_int64(ends, k) <= before) vtp_fail(file, "a cell is empty", section);
        before = vtp_int64(ends, k);
    }
    if (before != (int64_t)places->value_count) vtp_fail(file, "the last cell does not end", section);
    for (size_t k = 0; k < places->value_count; k++) {
        if (vtp_int64(places, k) < 0 || vtp_int64(places, k) >= file->points)
            vtp_fail(file, "there is no such point", section);
    }
}

static inline void vtp_check(const vtp_file *file)
{
    const vtp_array *points = vtp_find(file, "Points", "Points");
    long long cells = file->verts + file->lines + file->polygons;
    if (points == NULL || points->components != 3 || (long long)points->value_count != 3 * file->points)
        vtp_fail(file, "points are missing", "Points");
    for (size_t k = 0; k < points->value_count; k++) {
        if (!isfinite(vtp_double(points, k))) vtp_fail(file, "a point is not finite", "Points");
    }
    vtp_check_cells(file, "Verts", file->verts);
    vtp_check_cells(file, "Lines", file->lines);
    vtp_check_cells(file, "Polys", file->polygons);
    for (int k = 0; k < file->array_count; k++) {
        const vtp_array *array = &file->arrays[k];
        long long tuples = (long long)array->value_count / array->components;
        if (strcmp(array->section, "CellData") == 0 && tuples != cells)
            vtp_fail(file, "cell data have another length", array->name);
        if (strcmp(array->section, "PointData") == 0 && tuples != file->points)
            vtp_fail(file, "point data have another length", array->name);
    }
}

/* To be closed. */
static inline vtp_file *vtp_open(const char *path)
{
    vtp_file *file = calloc(1, sizeof *file);
    size_t count = 0;
    if (file == NULL) fail();
    file->path = path;
    file->text = (char *)scratch_read(path, &count);
    if (file->text == NULL) vtp_fail(file, "cannot be read", "");
    file->text[count] = '\0';
    const uint16_t one = 1;
    bool is_little = *(const unsigned char *)&one == 1;
    if (strlen(file->text) != count || strstr(file->text, "type=\"PolyData\"") == NULL ||
        strstr(file->text, "header_type=\"UInt64\"") == NULL ||
        strstr(file->text, is_little ? "\"LittleEndian\"" : "\"BigEndian\"") == NULL)
        vtp_fail(file, "the head is wrong", "VTKFile");
    vtp_walk(file);
    vtp_check(file);
    return file;
}

static inline void vtp_close(vtp_file *file)
{
    for (int k = 0; k < file->array_count; k++) free(file->arrays[k].data);
    free(file->text);
    free(file);
}

/* Every frame that an index names is there and whole, and has the time that the index says. Returns how many
   there are; visit (may be NULL) sees each of them. */
static inline int vtp_check_index(const char *path,
                                  void (*visit)(void *context, int k, const vtp_file *frame), void *context)
{
    size_t count = 0;
    vtp_file index = {.path = path, .text = (char *)scratch_read(path, &count)};
    if (index.text == NULL) vtp_fail(&index, "cannot be read", "");
    index.text[count] = '\0';
    if (strstr(index.text, "type=\"Collection\"") == NULL) vtp_fail(&index, "the head is wrong", "VTKFile");
    vtp_walk(&index);
    int frames = 0;
    double before = -INFINITY;
    for (const char *tag = strstr(index.text, "<DataSet"); tag != NULL; tag = strstr(tag + 1, "<DataSet")) {
        const char *end = strchr(tag, '>');
        char time[VTP_NAME], name[VTP_NAME], frame_path[1200];
        if (!vtp_attribute(tag, end, "timestep", time) || !vtp_attribute(tag, end, "file", name))
            vtp_fail(&index, "a frame lacks an attribute", tag);
        const char *slash = strrchr(path, '/');
        snprintf(frame_path, sizeof frame_path, "%.*s%s", slash != NULL ? (int)(slash - path) + 1 : 0, path,
                 name);
        vtp_file *frame = vtp_open(frame_path);
        if (vtp_field(frame, "TimeValue") != strtod(time, NULL)) vtp_fail(frame, "the time differs", time);
        if (vtp_field(frame, "TimeValue") < before) vtp_fail(frame, "time goes back", time);
        before = vtp_field(frame, "TimeValue");
        if (visit != NULL) visit(context, frames, frame);
        vtp_close(frame);
        frames++;
    }
    free(index.text);
    return frames;
}

#endif
