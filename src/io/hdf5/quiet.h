/* The HDF5 library, silenced: between enter and leave it prints nothing, and the reason of its first failure
   is kept. */
#ifndef TP_IO_HDF5_QUIET_H
#define TP_IO_HDF5_QUIET_H

#include "tippe/base.h"

typedef struct tp_hdf5_quiet {
    void (*printer)(void); /* what the library called on failures before */
    void *context;
    int error;      /* errno of the first failure, 0 if it was not the operating system's */
    char text[256]; /* what the library says of it                                        */
} tp_hdf5_quiet;

void tp_hdf5_quiet_enter(tp_hdf5_quiet *scope); /* the scope must not move until leave */
void tp_hdf5_quiet_leave(const tp_hdf5_quiet *scope);

/* TP_FILE_ERROR with "cannot VERB PATH: reason" */
tp_status tp_hdf5_quiet_fail(const tp_hdf5_quiet *scope, tp_message *why, const char *verb, const char *path);

#endif
