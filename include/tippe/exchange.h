/* One-step problems in files: FCLIB HDF5 and the .dat formats (friction, rolling, LCP, relay, MLCP, generic),
 * plain or gzip. */
#ifndef TIPPE_EXCHANGE_H
#define TIPPE_EXCHANGE_H

#include "tippe/hdf5.h"
#include "tippe/problem.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Reads a problem; the content says which kind it is. TP_FILE_ERROR: no such file or unreadable;
   TP_INVALID_DATA: malformed (message with file, line and column where there are lines). */
tp_status tp_problem_read(const tp_allocator *allocator, const char *path, tp_problem **problem_out,
                          tp_message *why_out);

/* The same with HDF5 files loaded by the source (NULL: in this process). */
tp_status tp_problem_read_from(const tp_allocator *allocator, const tp_hdf5_source *source, const char *path,
                               tp_problem **problem_out, tp_message *why_out);

/* The same from memory (a .dat text, plain or gzip, or the bytes of an HDF5 file). `name` is used in
 * messages. */
tp_status tp_problem_read_memory(const tp_allocator *allocator, const char *name, const void *bytes,
                                 size_t count, tp_problem **problem_out, tp_message *why_out);

/* Writes a problem: FCLIB HDF5 for .h5 and .hdf5 (friction and rolling, local and global, with equalities),
   for .tippe a text that holds every problem, else .dat (gzip if the name ends in .gz). The file appears
   whole or not at all. */
tp_status tp_problem_write(const tp_problem *problem, const char *path, tp_message *why_out);

/* Writes P (and x, xi if not NULL): text, one number a line (P alone), or HDF5 /solution/{r,u,v} if the name
 * ends in .h5 or .hdf5. */
tp_status tp_solution_write(const tp_problem *problem, const double *P, const double *x, const double *xi,
                            const char *path, tp_message *why_out);

/* Reads P back, count numbers. */
tp_status tp_solution_read(const char *path, int count, double *P_out, tp_message *why_out);

#ifdef __cplusplus
}
#endif

#endif
