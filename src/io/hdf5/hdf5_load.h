/* What the parts of the loader share. Objects of the HDF5 library are its numbers (hid_t). */
#ifndef TP_IO_HDF5_HDF5_LOAD_H
#define TP_IO_HDF5_HDF5_LOAD_H

#include "io/hdf5/hdf5_tree.h"

#include <stdint.h>

typedef struct tp_hdf5_loader {
    tp_hdf5_tree *tree;
    const tp_hdf5_request *request;
    int64_t file;
    double file_bytes;                /* of the whole file                                               */
    double plain_bytes, packed_bytes; /* announced so far by values as they are, and by packed ones      */
    long long visits;                 /* of objects and attributes                                       */
    int depth, part;                  /* of groups in groups; number of the part that is loaded          */
    const char *group;                /* path of the group being walked, ending in '/'                   */
    tp_status status;                 /* of a callback: no memory, or a file without end                 */
    tp_message *why;
} tp_hdf5_loader;

/* No memory: the whole load ends. */
void tp_hdf5_loader_no_memory(tp_hdf5_loader *loader);

/* Makes the node a foreign one for this reason; false. */
bool tp_hdf5_loader_refuse(tp_hdf5_loader *loader, tp_hdf5_node *node, const char *format, ...)
    TP_PRINTF(3, 4);

/* Loads the values of an open data set or attribute into the last node of the tree; what cannot be loaded
   stays a fault. False without memory. */
void tp_hdf5_load_values(tp_hdf5_loader *loader, int64_t object, tp_hdf5_node *node);

#endif
