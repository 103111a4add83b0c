/* The tree of an HDF5 file: a list of objects, each followed by its attributes. */
#ifndef TP_IO_HDF5_HDF5_TREE_H
#define TP_IO_HDF5_HDF5_TREE_H

#include "base/arena.h"
#include "tippe/hdf5.h"

typedef enum tp_hdf5_kind {
    TP_HDF5_GROUP,
    TP_HDF5_INTEGERS, /* in the file; in numbers here */
    TP_HDF5_REALS,
    TP_HDF5_TEXTS,
    TP_HDF5_FOREIGN, /* of no use to us: texts[0] says why ("is a link to another place") */
    TP_HDF5_DAMAGED, /* could not be read: texts[0] says so                                */
    TP_HDF5_KIND_COUNT
} tp_hdf5_kind;

enum { TP_HDF5_RANK_MAX = 2 };

/* An object ("/q/x"), or an attribute of the object before it (its name). */
typedef struct tp_hdf5_node {
    const char *name;
    bool is_attribute;
    tp_hdf5_kind kind;
    int rank; /* 0: a single value */
    long long size[TP_HDF5_RANK_MAX], count;
    const double *numbers;    /* [count] row by row; NULL: texts or none        */
    const char *const *texts; /* [count], one after the other in one piece     */
    size_t text_bytes;        /* of all texts with their terminating zeros      */
} tp_hdf5_node;

struct tp_hdf5_tree {
    tp_arena arena;
    const char *path; /* of the file, for messages */
    tp_hdf5_node *nodes;
    int count, capacity;
    void *bytes; /* that were unpacked and are to be released */
    void (*release)(void *bytes);
};

/* True if these bytes begin as HDF5 files do. */
bool tp_hdf5_is(const unsigned char *bytes, size_t count);

/* By the source, or here if it is NULL. */
tp_status tp_hdf5_load_from(const tp_hdf5_source *source, const tp_allocator *allocator,
                            const tp_hdf5_request *request, tp_hdf5_tree **tree_out, tp_message *why_out);

/* An empty tree; NULL without memory. */
tp_hdf5_tree *tp_hdf5_tree_make(const tp_allocator *allocator, const char *path);

/* Room for one more node, zeroed, at the end; NULL without memory. */
tp_hdf5_node *tp_hdf5_tree_add(tp_hdf5_tree *tree);

/* Points the texts of a node (count, text_bytes) into a blob of that many texts; false if it does not hold
   exactly these, or without memory. */
bool tp_hdf5_node_set_texts(tp_hdf5_tree *tree, tp_hdf5_node *node, const char *blob);

/* The object of that path, or NULL. */
const tp_hdf5_node *tp_hdf5_find(const tp_hdf5_tree *tree, const char *path);

/* The node after `before` (NULL: the first) that is an object; NULL: none. */
const tp_hdf5_node *tp_hdf5_next(const tp_hdf5_tree *tree, const tp_hdf5_node *before);

/* The attribute of an object after `before` (the object itself: the first); NULL: none. */
const tp_hdf5_node *tp_hdf5_next_attribute(const tp_hdf5_tree *tree, const tp_hdf5_node *before);

/* The attribute of that name, or NULL. */
const tp_hdf5_node *tp_hdf5_attribute(const tp_hdf5_tree *tree, const tp_hdf5_node *object, const char *name);

bool tp_hdf5_is_numeric(const tp_hdf5_node *node); /* integers or reals */

/* Why a node has no values ("is damaged"); NULL if it has. */
const char *tp_hdf5_fault(const tp_hdf5_node *node);

/* A data set of that kind, integers or reals; TP_INVALID_DATA if there is none. */
tp_status tp_hdf5_data(const tp_hdf5_tree *tree, const char *path, tp_hdf5_kind kind,
                       const tp_hdf5_node **data_out, tp_message *why);

/* All values of a data set, which must be `count`, finite, and integers within the range of int. */
tp_status tp_hdf5_ints(const tp_hdf5_tree *tree, const char *path, int count, int *out, tp_message *why);
tp_status tp_hdf5_reals(const tp_hdf5_tree *tree, const char *path, int count, double *out, tp_message *why);

/* TP_INVALID_DATA with "FILE: PATH: ..." */
tp_status tp_hdf5_fail(const tp_hdf5_tree *tree, tp_message *why, const char *path, const char *format, ...)
    TP_PRINTF(4, 5);

#endif
