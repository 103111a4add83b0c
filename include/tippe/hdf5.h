/* HDF5 files as plain trees in memory. The HDF5 library trusts the files it reads: one changed byte can make
   it crash. So a file is loaded in one go into a tree, which can be sent as bytes; a program may load in a
   child process and hand the tree to the readers of tippe/output.h and tippe/exchange.h through a
   tp_hdf5_source. */
#ifndef TIPPE_HDF5_H
#define TIPPE_HDF5_H

#include "tippe/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Groups, data sets and attributes of a file, as far as readers need them: numbers and texts, up to two
   dimensions. */
typedef struct tp_hdf5_tree tp_hdf5_tree;

/* What to load. All is borrowed during the call. */
typedef struct tp_hdf5_request {
    const char *path;         /* of the file; used in messages                                            */
    const void *bytes;        /* content of the file; NULL: the file is opened                            */
    size_t byte_count;        /* of bytes                                                                 */
    const char *const *parts; /* objects with all below them, in the order they are read ("/rows", "/")   */
    int part_count;           /* 0: the whole file                                                        */
} tp_hdf5_request;

/* Where readers get trees from; a NULL source is tp_hdf5_load. */
typedef struct tp_hdf5_source {
    tp_status (*load)(void *context, const tp_allocator *allocator, const tp_hdf5_request *request,
                      tp_hdf5_tree **tree_out, tp_message *why_out);
    void *context;
} tp_hdf5_source;

/* Loads in this process, also a file that is being written or whose writer was killed (SWMR). TP_FILE_ERROR:
   it cannot be read; TP_INVALID_DATA: it is not HDF5, damaged, or announces more than it can hold. Parts of
   the file that cannot be loaded (links to other places, external storage, foreign types) are noted in the
   tree, and refused by a reader that needs them. A hostile file may crash the process. */
tp_status tp_hdf5_load(const tp_allocator *allocator, const tp_hdf5_request *request, tp_hdf5_tree **tree_out,
                       tp_message *why_out);

/* The tree as bytes for tp_hdf5_unpack on the same machine: how many, and all of them piece by piece.
   TP_FILE_ERROR as soon as put returns false. */
size_t tp_hdf5_packed_size(const tp_hdf5_tree *tree);
tp_status tp_hdf5_pack(const tp_hdf5_tree *tree, bool (*put)(void *context, const void *bytes, size_t count),
                       void *context);

/* The opposite. Nothing in the bytes is trusted: TP_INVALID_DATA for whatever is not a packed tree. They are
   borrowed until the tree is freed, and aligned as malloc aligns; with release, they are handed over: it is
   called with them when the tree is freed, or at once on failure. */
tp_status tp_hdf5_unpack(const tp_allocator *allocator, const char *path, void *bytes, size_t count,
                         void (*release)(void *bytes), tp_hdf5_tree **tree_out, tp_message *why_out);

void tp_hdf5_free(tp_hdf5_tree *tree); /* NULL is fine */

#ifdef __cplusplus
}
#endif

#endif
