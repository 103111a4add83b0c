/* Parts of names and characters of numbers, whatever the locale is; items found by their names. */
#ifndef TP_IO_COMMON_WORDS_H
#define TP_IO_COMMON_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static inline bool tp_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static inline bool tp_begins_with(const char *text, const char *beginning)
{
    return strncmp(text, beginning, strlen(beginning)) == 0;
}

/* What follows the last slash; all of it without one. */
static inline const char *tp_last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

/* The first of `count` names that is `name`, one every `stride` bytes; -1: none. */
static inline int tp_find_name(const void *names, size_t stride, int count, const char *name)
{
    for (int k = 0; k < count; k++) {
        const char *const *at = (const void *)((const char *)names + (size_t)k * stride);
        if (strcmp(*at, name) == 0) return k;
    }
    return -1;
}

/* The same for structs with their name in a member. */
#define TP_FIND(items, count, member, name)                                                                  \
    ((count) > 0 ? tp_find_name(&(items)->member, sizeof *(items), (count), (name)) : -1)

#endif
