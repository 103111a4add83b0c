/* Numbers in structs by their place: a row of a table names the field that it reads and writes. */
#ifndef TP_IO_OUTPUT_FIELD_H
#define TP_IO_OUTPUT_FIELD_H

#include <stdbool.h>
#include <stddef.h>

typedef enum tp_field_type {
    TP_FIELD_NONE,
    TP_FIELD_REAL,
    TP_FIELD_INT,
    TP_FIELD_LONG,
    TP_FIELD_BOOL,
    TP_FIELD_REALS, /* the struct points to them */
    TP_FIELD_BYTES
} tp_field_type;

typedef struct tp_field {
    tp_field_type type;
    size_t offset;
    int stride; /* entry of an array: stride index + row */
} tp_field;

/* The initialiser for a member of one of these types; others do not compile. */
#define TP_FIELD(record, member, stride)                                                                       \
    {                                                                                                          \
        _Generic(((record *)0)->member,                                                                      \
            double: TP_FIELD_REAL,                                                                           \
            int: TP_FIELD_INT,                                                                               \
            long long: TP_FIELD_LONG,                                                                        \
            bool: TP_FIELD_BOOL,                                                                             \
            double *: TP_FIELD_REALS,                                                                        \
            const double *: TP_FIELD_REALS,                                                                  \
            const unsigned char *: TP_FIELD_BYTES),                                                          \
            offsetof(record, member), stride \
    }

double tp_field_read(const void *record, tp_field field, int index, int row);

/* False and no change where the field cannot hold the value: a count (long long) is whole, 0 to 1e15; an int
   within its range; a bool or byte 0 or 1. Arrays must be writable. */
bool tp_field_write(void *record, tp_field field, int index, int row, double value);

#endif
