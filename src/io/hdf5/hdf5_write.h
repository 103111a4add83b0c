/* Writing HDF5 files: groups, data sets, attributes and rows that grow. Objects are the library's numbers
   (hid_t), negative where there is none; functions that get such a one fail. All calls belong between
   tp_hdf5_quiet_enter and leave. The library is not thread-safe as packaged: one thread at a time. */
#ifndef TP_IO_HDF5_HDF5_WRITE_H
#define TP_IO_HDF5_HDF5_WRITE_H

#include "base/arena.h"

#include <stdint.h>

/* What values are in memory, and how the file stores them. */
typedef enum tp_hdf5_type {
    TP_HDF5_INT,   /* int, as 32 bits                                         */
    TP_HDF5_LONG,  /* long long, as 64 bits                                   */
    TP_HDF5_REAL,  /* double                                                  */
    TP_HDF5_TEXT,  /* one UTF-8 text (const char *) in a place of its length  */
    TP_HDF5_ASCII, /* the same, marked as ASCII, as FCLIB has it              */
    TP_HDF5_WORDS  /* UTF-8 texts (const char *const *) of any length, as h5py writes them */
} tp_hdf5_type;

enum { TP_HDF5_SINGLE = -1 }; /* as a count: one value, not a list; texts always are */

/* A new file for SWMR, whose groups and attributes keep their order; `error` as in hdf5_driver.h. */
int64_t tp_hdf5_create_file(const char *path, int *error);
bool tp_hdf5_start_swmr(int64_t file);

/* Hands the changes of a file, or of one data set, to the operating system. */
bool tp_hdf5_flush(int64_t object);
bool tp_hdf5_close(int64_t object); /* files and objects; a negative one is fine */

/* A file made in memory by `fill`, in the plainest version of the format; its bytes are the arena's. Enters
   and leaves the quiet scope by itself. */
typedef tp_status tp_hdf5_filler(void *self, int64_t file);
tp_status tp_hdf5_make_image(tp_arena *arena, tp_hdf5_filler *fill, void *self, void **bytes_out,
                             size_t *count_out, tp_message *why);

int64_t tp_hdf5_add_group(int64_t place, const char *name, bool is_ordered);
bool tp_hdf5_has(int64_t place, const char *name);
bool tp_hdf5_add_attribute(int64_t object, const char *name, tp_hdf5_type type, int count,
                           const void *values);

/* A data set of fixed size, closed again or left open to be rewritten. */
bool tp_hdf5_add_data(int64_t place, const char *name, tp_hdf5_type type, int count, const void *values);
int64_t tp_hdf5_open_data(int64_t place, const char *name, tp_hdf5_type type, int count, const void *values);
bool tp_hdf5_rewrite(int64_t data, tp_hdf5_type type, const void *values);

/* Rows of doubles that grow; what was never written is NaN. */
typedef struct tp_hdf5_rows {
    int64_t data;
    int first, count;          /* its columns among those of the rows given to append */
    long long row_count, room; /* rows written, and rows that the data set has        */
} tp_hdf5_rows;

/* Makes the data set for rows->count columns (a list: one column, one dimension), to grow by blocks. */
bool tp_hdf5_rows_create(int64_t place, const char *name, int block_rows, bool is_list, tp_hdf5_rows *rows);
bool tp_hdf5_rows_resize(tp_hdf5_rows *rows, long long room);

/* Appends its columns of values[row_count][column_count]; there must be room. */
bool tp_hdf5_rows_append(tp_hdf5_rows *rows, const double *values, int row_count, int column_count);

#endif
