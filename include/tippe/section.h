/* Sections through recorded motions: states where a quantity passes a value, at multiples of a period, or at
   events; how nearly the motion returns to them; docs/guide/poincare.md. */
#ifndef TIPPE_SECTION_H
#define TIPPE_SECTION_H

#include "tippe/output.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum tp_section_kind {
    TP_SECTION_CROSSING, /* a column passes a value                       */
    TP_SECTION_PERIOD,   /* times phase + k period: a stroboscopic map    */
    TP_SECTION_EVENTS    /* events of a kind, at the first row after each */
} tp_section_kind;

typedef struct tp_section_def {
    tp_section_kind kind;
    const char *column;   /* of a crossing: its full name, or the last part of it ("x" for "q/x")     */
    double level;         /* that it passes, in its unit                                                */
    int direction;        /* 1: rising, -1: falling, 0: both                                            */
    double period, phase; /* [s]                                                                    */
    const char *event;    /* kind of event: "impact", ...                                           */
    const char *of;       /* law or shape of the events; NULL: all                                  */
    double from, until;   /* [s] points outside of this are left out                                */
    const char *const *columns; /* what a point has; NULL: all coordinates and velocities             */
    int column_count;
} tp_section_def;
tp_section_def tp_section_def_default(void); /* rising through 0, from the start to the end */

enum { TP_SECTION_RETURNS = 16 }; /* longest return that is looked for, in points */

/* How far the last point is from the one k points before it. */
typedef struct tp_section_return {
    double error;    /* largest difference of a column over the range of that column in the run [-] */
    double duration; /* between them [s]                                                            */
} tp_section_return;

typedef struct tp_section {
    int column_count;
    const tp_table_column *columns;
    long long count;
    const double *time;          /* [count] [s]                                             */
    const double *const *values; /* values[column][point]                                   */
    double lag;                  /* largest time from an event to the row that shows it [s]; else 0    */
    int return_count;            /* fewer points than TP_SECTION_RETURNS + 1: fewer returns            */
    tp_section_return returns[TP_SECTION_RETURNS]; /* [k]: after k + 1 points               */
} tp_section;

/* Between rows the motion is a cubic through four rows, beside impacts a straight line. TP_INVALID_ARGUMENT:
   a column, kind or law that the run does not have, with the nearest name; TP_INVALID_DATA: no table of
   events. */
tp_status tp_section_create(const tp_allocator *allocator, const tp_trajectory *run,
                            const tp_section_def *def, tp_section **section_out, tp_message *why_out);
void tp_section_free(tp_section *section); /* NULL is fine */

/* The smallest number of points after which the motion returns with at most this error; 0: none. */
int tp_section_period(const tp_section *section, double tolerance);

#ifdef __cplusplus
}
#endif

#endif
