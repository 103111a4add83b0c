/* A file driver for the HDF5 library that survives a full disk, and whose files survive a killed process. */
#ifndef TP_IO_HDF5_HDF5_DRIVER_H
#define TP_IO_HDF5_HDF5_DRIVER_H

#include <stdbool.h>
#include <stdint.h>

/* Sets the driver in a list of file access properties (a hid_t). The first error of the operating system goes
   to *error (errno; 0 before), which must live as long as the file. From then on the file stays as it is: all
   further writes are dropped, and the library goes on without noticing. */
bool tp_hdf5_driver_set(int64_t access_list, int *error);

#endif
