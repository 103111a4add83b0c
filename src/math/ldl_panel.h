/* Panels of a symmetric factorisation: columns whose entries below stand in the same rows, row by row. The
   first `width` rows are those of the columns themselves, unit lower triangular; the rest is dense. */
#ifndef TP_MATH_LDL_PANEL_H
#define TP_MATH_LDL_PANEL_H

#include <stdbool.h>

/* Widest panel: that of the velocities of a rigid body, or of the rows of a joint. */
enum { TP_PANEL_WIDTH = 6 };

/* w = row - sum of earlier w times the rows of L: the row of L D. */
static inline void tp_panel_eliminate(int width, int count, const double *L, double *row)
{
    for (int j = 1; j < count; j++) {
        double sum = row[j];
        for (int k = 0; k < j; k++) sum -= row[k] * L[j * width + k];
        row[j] = sum;
    }
}

/* Pivots d and 1/d [width], L in place; scaled [rows - width][width] gets the rows below times d. False: a
   pivot is 0. */
static inline bool tp_panel_factor(int width, int rows, double *L, double *d, double *inverse, double *scaled)
{
    for (int i = 0; i < width; i++) {
        double *row = L + i * width, pivot = row[i];
        tp_panel_eliminate(width, i, L, row);
        for (int k = 0; k < i; k++) {
            double w = row[k];
            row[k] = w * inverse[k];
            pivot -= w * row[k];
        }
        if (pivot == 0.0) return false;
        d[i] = pivot;
        inverse[i] = 1.0 / pivot;
    }
    for (int i = width; i < rows; i++) {
        double *row = L + i * width, *w = scaled + (i - width) * width;
        tp_panel_eliminate(width, width, L, row);
        for (int k = 0; k < width; k++) {
            w[k] = row[k];
            row[k] *= inverse[k];
        }
    }
    return true;
}

/* Takes the products of rows from `begin` to `end` (of those below) with themselves and with the rows after
   them off a target: entry (i, j) stands at place[i] * stride + place[j]. */
static inline void tp_panel_take_off(int width, int begin, int end, int count, const double *below,
                                     const double *scaled, const int *place, int stride, double *target)
{
    for (int i = begin; i < count; i++) {
        double *out = target + place[i] * stride;
        for (int j = begin; j < (i < end ? i + 1 : end); j++) {
            double sum = 0.0;
            for (int k = 0; k < width; k++) sum += scaled[i * width + k] * below[j * width + k];
            out[place[j]] -= sum;
        }
    }
}

/* x = L^-1 x: own [width] of the panel, and what that takes off the rows below. */
static inline void tp_panel_forward(int width, int rows, const double *L, const int *index, double *own,
                                    double *x)
{
    double y[TP_PANEL_WIDTH];
    for (int i = 0; i < width; i++) {
        y[i] = own[i];
        for (int k = 0; k < i; k++) y[i] -= L[i * width + k] * y[k];
        own[i] = y[i];
    }
    for (int i = width; i < rows; i++) {
        double sum = x[index[i - width]];
        for (int k = 0; k < width; k++) sum -= L[i * width + k] * y[k];
        x[index[i - width]] = sum;
    }
}

/* own = L^-T D^-1 own, where the rows below are known. */
static inline void tp_panel_backward(int width, int rows, const double *L, const double *inverse,
                                     const int *index, const double *x, double *own)
{
    double y[TP_PANEL_WIDTH];
    for (int k = 0; k < width; k++) y[k] = own[k] * inverse[k];
    for (int i = width; i < rows; i++) {
        double known = x[index[i - width]];
        for (int k = 0; k < width; k++) y[k] -= L[i * width + k] * known;
    }
    for (int i = width - 1; i >= 0; i--) {
        for (int k = 0; k < i; k++) y[k] -= L[i * width + k] * y[i];
        own[i] = y[i];
    }
}

/* Calls one of these with a constant width, so that the compiler unrolls it. */
#define TP_PANEL_BY_WIDTH(width, CALL)                                                                       \
    switch (width) {                                                                                         \
    case 1: CALL(1); break;                                                                                  \
    case 2: CALL(2); break;                                                                                  \
    case 3: CALL(3); break;                                                                                  \
    case 4: CALL(4); break;                                                                                  \
    case 5: CALL(5); break;                                                                                  \
    default: CALL(6); break;                                                                                 \
    }

#endif
