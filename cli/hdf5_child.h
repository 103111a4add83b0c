/* HDF5 files read in a child process. */
#ifndef CLI_HDF5_CHILD_H
#define CLI_HDF5_CHILD_H

#include "tippe/hdf5.h"

/* Loads a file in a child with limits of memory and time, and receives the tree through a pipe. A file that
   makes the HDF5 library crash or run without end is TP_INVALID_DATA. */
extern const tp_hdf5_source hdf5_child;

#endif
