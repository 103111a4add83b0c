/* Looks at HDF5 files before the HDF5 library does. The library (1.10) trusts what a file says of itself: a
   chunk of size 0 makes it divide by zero, a tree that contains itself makes it run for ever, a fill value
   that is too short makes it read behind it. So the readers have every object checked here first. Accepted is
   what the library, h5py and FCLIB write for lines of numbers and texts in groups; everything else is
   refused. Format: the HDF5 File Format Specification, versions 1 to 3. */
#ifndef TP_IO_HDF5_GUARD_H
#define TP_IO_HDF5_GUARD_H

#include "tippe/base.h"

#include <stdint.h>

/* Where the bytes come from. */
typedef struct tp_hdf5_source {
    bool (*read)(void *context, uint64_t address, size_t count, void *out); /* false: not all are there */
    uint64_t (*size)(void *context);                                        /* of the file, which may grow */
    void *context;
} tp_hdf5_source;

typedef enum tp_hdf5_kind { TP_HDF5_OTHER, TP_HDF5_GROUP, TP_HDF5_DATA } tp_hdf5_kind;

enum { TP_HDF5_WINDOW = 4096 };

typedef struct tp_hdf5_guard {
    tp_hdf5_source source;
    bool is_reading_attributes; /* the reader opens attributes: they are checked too */
    uint64_t size, root;        /* bytes of the file; address of the root group      */
    int leaf_k, group_k, chunk_k;
    uint64_t work; /* bytes and fields looked at so far: hostile files end here, not never */
    uint64_t window_at;
    size_t window_count;
    unsigned char window[TP_HDF5_WINDOW];
    char reason[160]; /* of the last refusal */
} tp_hdf5_guard;

/* Checks the head of the file and its root group: what the library reads when it opens a file. All functions
   return TP_INVALID_DATA with a reason for what they refuse. */
tp_status tp_hdf5_guard_begin(tp_hdf5_guard *guard, tp_hdf5_source source, bool is_reading_attributes);

/* Checks the object at an address (of a hard link): its header, the links of a group, the index of the chunks
   of a data set. Only groups and data sets may be opened. */
tp_status tp_hdf5_guard_object(tp_hdf5_guard *guard, uint64_t address, tp_hdf5_kind *kind_out);

#endif
