/* Inside a page: what it was made of, and its numbers as they came. */
#ifndef TP_IO_PAGE_PAGE_H
#define TP_IO_PAGE_PAGE_H

#include "base/arena.h"
#include "io/common/text.h"
#include "tippe/page.h"

/* Numbers of one force (frame, point, force) and of one event (time in two parts, kind, law, two shapes,
   place, normal impulse); viewer/data.js reads them in this order. */
enum { TP_PAGE_FORCE = 7, TP_PAGE_EVENT = 10 };

/* A list of records of single-precision numbers, one after the other. */
typedef struct tp_records {
    tp_text bytes;
    int length; /* of a record */
} tp_records;

struct tp_page {
    tp_arena arena; /* the page itself lies in it */
    const tp_model *model;
    const char *title;
    tp_drawer *drawer;
    tp_table_column *columns;
    int column_count;
    const tp_page_curve *curves;
    int curve_count;
    int figure_count, *first;  /* [figure_count] its first number in a frame, after the time            */
    tp_vec3 right, up, toward; /* where one looks from                                                 */
    tp_records frames, forces, events; /* a frame: time in two parts, figures, columns                  */
    double last_time;
    tp_text report, text, news; /* the report as JSON                                                   */
};

long long tp_records_count(const tp_records *records);
float tp_records_at(const tp_records *records, long long record, int k);

/* How many numbers of a frame a figure has: vertices in the world, or its pose, and its radius. */
int tp_page_figure_length(const tp_primitive *figure);
bool tp_page_shows_vertices(const tp_primitive *figure); /* else its pose */

#endif
