/* Rows of laws over all velocities, for tests of small systems. */
#ifndef TESTS_ROWS_H
#define TESTS_ROWS_H

#include "check.h"
#include "system/system.h"

#include <string.h>

enum { FULL_ROWS_COLUMNS = 64 };

/* As tp_system_law_rows, row k at W_out + k*u_count. */
static inline void full_rows(tp_system *system, int law, double *W_out, double *chi_out)
{
    double W[TP_LAW_ROWS * FULL_ROWS_COLUMNS];
    int count = tp_system_law_column_count(system, law), m = system->u_count,
        rows = tp_system_law(system, law)->row_count;
    const int *columns = tp_system_law_columns(system, law);
    if (count > FULL_ROWS_COLUMNS) fail();
    tp_system_law_rows(system, law, W, chi_out);
    memset(W_out, 0, (size_t)(rows * m) * sizeof(double));
    for (int k = 0; k < rows; k++) {
        for (int j = 0; j < count; j++) W_out[columns[j] + k * m] = W[j + k * count];
    }
}

#endif
