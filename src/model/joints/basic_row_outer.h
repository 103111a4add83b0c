/* Outer functions of basic rows: a function of one to three forms w and its derivatives;
   docs/theory/joints.md (3)-(5), (13)-(16). Arrays have three entries; unused ones are left alone. */
#ifndef TP_MODEL_JOINTS_BASIC_ROW_OUTER_H
#define TP_MODEL_JOINTS_BASIC_ROW_OUTER_H

#include "basic_row.h"

double tp_row_outer_value(const tp_basic_row *row, const double *w);

/* Returns the value. */
double tp_row_outer_gradient(const tp_basic_row *row, const double *w, double *slope_out);

/* Derivative of the slope along e. */
void tp_row_outer_second(const tp_basic_row *row, const double *w, const double *e, double *change_out);

/* Derivative of that change along f. */
void tp_row_outer_third(const tp_basic_row *row, const double *w, const double *e, const double *f,
                        double *change_out);

#endif
