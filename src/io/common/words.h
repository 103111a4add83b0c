/* Parts of names and characters of numbers, whatever the locale is. */
#ifndef TP_IO_COMMON_WORDS_H
#define TP_IO_COMMON_WORDS_H

#include <stdbool.h>
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

#endif
