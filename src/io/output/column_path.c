/* Names of columns: parts between slashes, escaped so that any text can be a part. */
#include "io/output/column_path.h"

#include <stdio.h>
#include <string.h>

#include "io/common/near.h"
#include "io/common/text.h"
#include "io/common/words.h"

static void put(char *out, size_t capacity, size_t at, char c)
{
    if (at < capacity) out[at] = c;
}

size_t tp_column_escape(const char *part, char *escaped_out, size_t capacity)
{
    static const char digits[] = "0123456789ABCDEF";
    bool is_dots =
        strcmp(part, ".") == 0 || strcmp(part, "..") == 0; /* HDF5 takes "." for the group itself */
    size_t length = 0;
    if (*part == 0) put(escaped_out, capacity, length++, '%');
    for (const char *c = part; *c; c++) {
        if (*c == '/' || *c == '%' || is_dots) {
            put(escaped_out, capacity, length++, '%');
            put(escaped_out, capacity, length++, digits[(unsigned char)*c >> 4]);
            put(escaped_out, capacity, length++, digits[(unsigned char)*c & 15]);
        } else {
            put(escaped_out, capacity, length++, *c);
        }
    }
    if (capacity > 0) escaped_out[length < capacity ? length : capacity - 1] = 0;
    return length;
}

const char *tp_column_escaped(tp_arena *arena, const char *name)
{
    size_t capacity = tp_column_escape(name, NULL, 0) + 1;
    char *escaped = TP_ARENA_ARRAY(arena, char, capacity);
    if (escaped) tp_column_escape(name, escaped, capacity);
    return escaped;
}

static int digit_of(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

void tp_column_unescape(char *part)
{
    char *to = part;
    if (strcmp(part, "%") == 0) *part = 0;
    for (const char *c = part; *c; c++) {
        int high = *c == '%' ? digit_of(c[1]) : -1, low = high >= 0 ? digit_of(c[2]) : -1;
        if (low >= 0) {
            *to++ = (char)(16 * high + low);
            c += 2;
        } else {
            *to++ = *c; /* also a % that introduces nothing */
        }
    }
    *to = 0;
}

const char *tp_column_unescaped(tp_arena *arena, const char *part, int length)
{
    char *name = tp_arena_format(arena, "%.*s", length, part);
    if (name) tp_column_unescape(name);
    return name;
}

tp_status tp_column_index(tp_arena *arena, const tp_table_column *columns, int count,
                          tp_name_index *index_out)
{
    *index_out = (tp_name_index){.count = 0};
    for (int i = 0; i < count; i++) TP_TRY(tp_name_index_add(arena, index_out, columns[i].name, i));
    return TP_OK;
}

int tp_column_find(const tp_name_index *index, const char *group, const char *name, const char *part)
{
    char escaped[1024], path[1200];
    tp_column_escape(name, escaped, sizeof escaped);
    snprintf(path, sizeof path, "%s/%s%s%s", group, escaped, part[0] ? "/" : "", part);
    return tp_name_index_find(index, path);
}

tp_status tp_column_named(const tp_trajectory *run, const char *name, int *column_out, tp_message *why)
{
    int found = 0;
    *column_out = tp_trajectory_find(run, name);
    if (*column_out >= 0) return TP_OK;
    tp_near near = tp_near_begin(name);
    for (int i = 0; i < run->column_count; i++) {
        const char *part = tp_last_part(run->columns[i].name);
        tp_near_offer(&near, run->columns[i].name);
        if (strcmp(part, name) != 0) continue;
        *column_out = i;
        found++;
    }
    if (found == 1) return TP_OK;
    if (found > 1)
        return tp_fail(why, TP_INVALID_ARGUMENT, "%d columns end in \"%s\"; take the whole name, such as %s",
                       found, name, run->columns[*column_out].name);
    return tp_fail(why, TP_INVALID_ARGUMENT, "there is no column \"%s\"%s", name,
                   tp_near_hint_of(&near).text);
}

bool tp_table_values(const tp_table *table, const char *const *names, int count, const double **values_out)
{
    for (int k = 0; k < count; k++) {
        int column = tp_table_find(table, names[k]);
        if (column < 0) return false;
        values_out[k] = table->values[column];
    }
    return true;
}

const char *tp_table_word(const tp_table *table, int column, long long row)
{
    const tp_table_labels *labels = column >= 0 && table->labels ? table->labels[column] : NULL;
    double value = labels ? table->values[column][row] : -1.0;
    return value >= 0.0 && value < labels->count ? labels->words[(int)value] : NULL;
}

static bool has_word(const tp_table *table, const char *column, long long row, const char *word)
{
    const char *found = tp_table_word(table, tp_table_find(table, column), row);
    return found && strcmp(found, word) == 0;
}

bool tp_event_row_is(const tp_table *events, long long row, const char *kind, const char *of)
{
    if (kind && !has_word(events, "kind", row, kind)) return false;
    return !of || has_word(events, "law", row, of) || has_word(events, "shape_a", row, of) ||
           has_word(events, "shape_b", row, of);
}
