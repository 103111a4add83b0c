/* Files in memory for the HDF5 library. */
#ifndef TP_IO_EXCHANGE_HDF5_BYTES_H
#define TP_IO_EXCHANGE_HDF5_BYTES_H

#include <stddef.h>
#include <stdint.h>

/* Opens bytes that stay the caller's, to be read; negative on failure. Both numbers are the library's
   (hid_t); the driver is to be unregistered after the file is closed, unless it is negative. */
int64_t tp_hdf5_open_bytes(const void *bytes, size_t count, int64_t *driver_out);

#endif
