/* What will be read soon, and lies far from what is read now: the memory is asked for it. Nothing changes but
   the time. */
#ifndef TP_BASE_EXPECT_H
#define TP_BASE_EXPECT_H

#include <stddef.h>

/* Items ahead: as many as are visited in the time that memory takes. */
enum { TP_EXPECT_AHEAD = 10 };

/* A function that only expects must be part of its caller: by itself it does nothing, and compilers leave
   calls of such functions out. */
#if defined(__GNUC__)
#define TP_EXPECTS static inline __attribute__((always_inline))
#else
#define TP_EXPECTS static inline
#endif

/* The line of 64 bytes that a place is in. */
TP_EXPECTS void tp_expect(const void *place)
{
#if defined(__GNUC__)
    __builtin_prefetch(place);
#else
    (void)place;
#endif
}

/* All lines of an object. */
TP_EXPECTS void tp_expect_all(const void *object, size_t bytes)
{
    const char *at = object;
    for (size_t k = 0; k < bytes; k += 64) tp_expect(at + k);
    tp_expect(at + bytes - 1);
}

#endif
