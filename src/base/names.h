/* Names of choices that users make by words. */
#ifndef TP_BASE_NAMES_H
#define TP_BASE_NAMES_H

#include <stddef.h>

/* Defines the function that gives the name of a choice, NULL for a number that none has:
   TP_NAMES_OF(tp_pool_state_name, int, "free", "at work"). */
#define TP_NAMES_OF(function, type, ...)                                                                     \
    const char *function(type choice)                                                                        \
    {                                                                                                        \
        static const char *const names[] = {__VA_ARGS__};                                                    \
        size_t count = sizeof names / sizeof names[0];                                                       \
        return (int)choice >= 0 && (size_t)choice < count ? names[choice] : NULL;                            \
    }

#endif
