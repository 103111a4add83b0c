/* The nearest known name to a misspelt one. */
#ifndef TP_IO_COMMON_NEAR_H
#define TP_IO_COMMON_NEAR_H

/* Offers one name after the other and keeps the nearest. */
typedef struct tp_near {
    const char *name, *best;
    int best_distance;
} tp_near;

/* Names are borrowed. */
tp_near tp_near_begin(const char *name);
void tp_near_offer(tp_near *near, const char *known);

/* "; did you mean 'friction'?" or, when nothing is near, "". */
typedef struct tp_near_hint {
    char text[96];
} tp_near_hint;

tp_near_hint tp_near_hint_of(const tp_near *near);

#endif
