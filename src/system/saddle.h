/* Accelerations and reactions of bilateral laws: M a = h + W lambda, W^T a + g2 = 0, by a sparse
   factorisation of fixed pattern; docs/theory/second-level.md (24)-(26). Nothing allocates after creation. */
#ifndef TP_SYSTEM_SADDLE_H
#define TP_SYSTEM_SADDLE_H

#include "redundancy.h"

typedef struct tp_saddle tp_saddle;

/* The system is borrowed. `redundancy` is borrowed too and says, once found, which rows are left out. */
tp_status tp_saddle_create(const tp_allocator *allocator, tp_system *system, const tp_redundancy *redundancy,
                           tp_saddle **saddle_out);
void tp_saddle_free(tp_saddle *saddle);

/* Rows, drift and factors at the system's present point; M: values in mass_pattern. is_exact_out: all drifts
   are. */
tp_status tp_saddle_update(tp_saddle *saddle, const double *M, bool *is_exact_out);

/* a_out [u_count], lambda_out [law_count * TP_LAW_ROWS]: forces, 0 for other laws and rows that are left out.
   TP_SINGULAR: the rows depend on each other. */
tp_status tp_saddle_solve(tp_saddle *saddle, const double *h, double *a_out, double *lambda_out);

/* f_out [u_count] = W lambda, with the rows of the last update and the multipliers of the last solve. */
void tp_saddle_row_forces(const tp_saddle *saddle, const double *lambda, double *f_out);

#endif
