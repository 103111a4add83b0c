/* HDF5 files as far as problems need them: flat data sets of integers, numbers and texts in groups, read from
   and made in memory. The only file that knows the HDF5 library is hdf5_file.c. The library itself is not
   thread-safe as packaged: one thread at a time. */
#ifndef TP_IO_EXCHANGE_HDF5_FILE_H
#define TP_IO_EXCHANGE_HDF5_FILE_H

#include "base/arena.h"

typedef struct tp_hdf5 tp_hdf5;

bool tp_hdf5_is(const unsigned char *bytes, size_t count); /* begins with the signature */

/* Opens the bytes of a file, which are borrowed until close. Errors are told in `why`, which may be NULL. */
tp_status tp_hdf5_open(tp_arena *arena, const char *name, const void *bytes, size_t count, tp_message *why,
                       tp_hdf5 **file_out);

/* A new file in memory. */
tp_status tp_hdf5_create(tp_arena *arena, tp_message *why, tp_hdf5 **file_out);

void tp_hdf5_close(tp_hdf5 *file); /* NULL is fine */

bool tp_hdf5_has(const tp_hdf5 *file, const char *path);

/* TP_INVALID_DATA with "NAME: PATH: ..." */
tp_status tp_hdf5_fail(const tp_hdf5 *file, const char *path, const char *format, ...) TP_PRINTF(3, 4);

/* How many values a data set has; refused when the file could not hold them. */
tp_status tp_hdf5_length(tp_hdf5 *file, const char *path, int *count_out);

/* All values of a data set, which must be `count`. Numbers must be finite. */
tp_status tp_hdf5_read_ints(tp_hdf5 *file, const char *path, int count, int *out);
tp_status tp_hdf5_read_reals(tp_hdf5 *file, const char *path, int count, double *out);

/* A text of fixed length, cut to capacity; empty if there is none. */
void tp_hdf5_read_text(tp_hdf5 *file, const char *path, char *out, size_t capacity);

tp_status tp_hdf5_write_group(tp_hdf5 *file, const char *path);
tp_status tp_hdf5_write_ints(tp_hdf5 *file, const char *path, int count, const int *values);
tp_status tp_hdf5_write_reals(tp_hdf5 *file, const char *path, int count, const double *values);
tp_status tp_hdf5_write_text(tp_hdf5 *file, const char *path, const char *text);

/* The bytes of a new file. */
tp_status tp_hdf5_image(tp_hdf5 *file, void **bytes_out, size_t *count_out);

#endif
