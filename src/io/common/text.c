/* Texts in an arena; a growing text on the default allocator. */
#include "io/common/text.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { ADDITION_MAX = 512, FIRST_CAPACITY = 65536 };

char *tp_arena_text(tp_arena *arena, const char *text)
{
    return tp_arena_copy(arena, text, strlen(text) + 1, 1);
}

char *tp_arena_format(tp_arena *arena, const char *format, ...)
{
    if (arena->has_failed) return NULL; /* a part of the text may be NULL */
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    char *text = TP_ARENA_ARRAY(arena, char, length + 1);
    if (text) vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    return text;
}

void tp_text_clear(tp_text *text)
{
    const tp_allocator *allocator = tp_allocator_default();
    if (text->bytes) allocator->release(allocator->context, text->bytes);
    *text = (tp_text){.bytes = NULL};
}

/* Makes room for that many more bytes; false without memory. */
static bool make_room(tp_text *text, size_t more)
{
    if (text->has_failed) return false;
    if (text->bytes && text->capacity - text->count >= more) return true;
    const tp_allocator *allocator = tp_allocator_default();
    size_t capacity = text->capacity > 0 ? 2 * text->capacity : FIRST_CAPACITY;
    while (capacity - text->count < more && capacity <= SIZE_MAX / 4) capacity *= 2;
    if (capacity - text->count < more) {
        text->has_failed = true;
        return false;
    }
    char *larger = allocator->allocate(allocator->context, capacity);
    if (!larger) {
        text->has_failed = true;
        return false;
    }
    if (text->bytes) {
        memcpy(larger, text->bytes, text->count);
        allocator->release(allocator->context, text->bytes);
    }
    text->bytes = larger;
    text->capacity = capacity;
    return true;
}

void tp_text_add(tp_text *text, const char *format, ...)
{
    if (!make_room(text, ADDITION_MAX)) return;
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text->bytes + text->count, ADDITION_MAX, format, arguments);
    va_end(arguments);
    if (length > 0) text->count += length < ADDITION_MAX ? (size_t)length : ADDITION_MAX - 1;
}

void tp_append(char *text, size_t capacity, const char *format, ...)
{
    size_t used = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + used, capacity - used, format, arguments);
    va_end(arguments);
}

char *tp_text_extend(tp_text *text, size_t count)
{
    if (!make_room(text, count)) return NULL;
    text->count += count;
    return text->bytes + text->count - count;
}

void tp_text_add_bytes(tp_text *text, const void *bytes, size_t count)
{
    char *room = tp_text_extend(text, count);
    if (room && count > 0) memcpy(room, bytes, count);
}

void tp_text_add_reals(tp_text *text, int count, const double *values, int per_line)
{
    for (int i = 0; i < count; i++) {
        bool ends_line = (i + 1) % per_line == 0 || i + 1 == count;
        tp_text_add_real(text, values[i]);
        tp_text_add_bytes(text, ends_line ? "\n" : " ", 1);
    }
}

void tp_text_add_ints(tp_text *text, int count, const int *values)
{
    for (int i = 0; i < count; i++) tp_text_add(text, "%d%c", values[i], i + 1 < count ? ' ' : '\n');
}
