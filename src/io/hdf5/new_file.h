/* New HDF5 files in memory: data sets of integers, numbers and texts in groups. The library is not
   thread-safe as packaged: one thread at a time. */
#ifndef TP_IO_HDF5_NEW_FILE_H
#define TP_IO_HDF5_NEW_FILE_H

#include "base/arena.h"

typedef struct tp_hdf5 tp_hdf5;

/* Failures are described in `why`, which may be NULL. */
tp_status tp_hdf5_create(tp_arena *arena, tp_message *why, tp_hdf5 **file_out);
void tp_hdf5_close(tp_hdf5 *file); /* NULL is fine */

tp_status tp_hdf5_write_group(tp_hdf5 *file, const char *path);
tp_status tp_hdf5_write_ints(tp_hdf5 *file, const char *path, int count, const int *values);
tp_status tp_hdf5_write_reals(tp_hdf5 *file, const char *path, int count, const double *values);
tp_status tp_hdf5_write_text(tp_hdf5 *file, const char *path, const char *text);

/* The bytes of the file, in the arena. */
tp_status tp_hdf5_image(tp_hdf5 *file, void **bytes_out, size_t *count_out);

#endif
