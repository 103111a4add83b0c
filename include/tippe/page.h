/* A motion as one HTML page that needs no server and no network: figures in space, curves, events and the
   figures of the report; docs/guide/view.md. The page is made frame by frame, from a run that goes on or from
   a trajectory. */
#ifndef TIPPE_PAGE_H
#define TIPPE_PAGE_H

#include "tippe/base.h"
#include "tippe/drawing.h"
#include "tippe/output.h"
#include "tippe/simulation.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A curve that is shown at first, by the numbers of its columns. */
typedef struct tp_page_curve {
    int panel; /* from 0, in ascending order */
    int x, y;  /* x -1: time                 */
} tp_page_curve;

typedef struct tp_page_def {
    const tp_model *model;          /* finished, borrowed until the page is freed                        */
    const char *title;              /* NULL: "Tippe"                                                     */
    const tp_table_column *columns; /* numbers that go with each frame, for the curves; copied           */
    int column_count;
    const tp_page_curve *curves; /* copied                                                               */
    int curve_count;
    const tp_trajectory *trajectory; /* decides where one looks from; NULL: ...                          */
    const double *q, *x;             /* ... the model at these coordinates and first-order states does   */
} tp_page_def;

typedef struct tp_page tp_page;

/* A model with nothing to draw has curves, events and the report. TP_UNSUPPORTED if the library was built
   without three.js: the message says what to install. */
tp_status tp_page_create(const tp_allocator *allocator, const tp_page_def *def, tp_page **page_out,
                         tp_message *why_out);
void tp_page_free(tp_page *page); /* NULL is fine */

/* Adds the model at a state, with a value for each column. Times must not decrease. x: first-order states;
   NULL where the model has none. */
tp_status tp_page_add_frame(tp_page *page, double time, const double *q, const double *x,
                            const double *values);

/* Adds a force at a point, to the last frame [m] [N]. */
tp_status tp_page_add_force(tp_page *page, tp_vec3 point, tp_vec3 force);

/* The same for a contact between shapes whose impulse acted in so many seconds; nothing if it does not push.
 */
tp_status tp_page_add_contact(tp_page *page, const tp_contact_info *contact, double seconds);

/* Adds what happened: kind, law, shapes and place of a tp_event. */
tp_status tp_page_add_event(tp_page *page, const tp_event *event);

/* Figures of the report: shown as they are named; replaces earlier ones. Texts are copied. */
tp_status tp_page_set_report(tp_page *page, const tp_table_attribute *report, int count);

/* Frames so far. */
long long tp_page_frame_count(const tp_page *page);

/* The whole page. is_live: without the frames; it asks its server for them. The text belongs to the page
   until its next call. */
tp_status tp_page_text(tp_page *page, bool is_live, const char **text_out, size_t *count_out,
                       tp_message *why_out);

/* What a live page asks for: frames, forces and events from these numbers on, as bytes that viewer/data.js
   reads, and the report. They belong to the page until its next call. */
typedef struct tp_page_place {
    long long frame, force, event;
} tp_page_place;
tp_status tp_page_news(tp_page *page, tp_page_place from, bool is_finished, const void **bytes_out,
                       size_t *count_out);

/* Writes the page; the file appears whole or not at all. */
tp_status tp_page_write(tp_page *page, const char *path, tp_message *why_out);

typedef struct tp_page_options {
    const char *title; /* NULL: the name of the run's scene                                               */
    double every;      /* a frame for the row nearest to each multiple of it [s]; 0: every row            */
    const char *const *columns; /* panels that are shown at first, as of tp_plot_options                  */
    int column_count;           /* 0: what changes or acts                                                */
} tp_page_options;

/* What a page holds. */
typedef struct tp_page_size {
    long long frame_count, row_count; /* fewer frames than rows: they were thinned out                    */
    int column_count, columns_left;   /* columns of the run that the page has, and has not                */
    size_t bytes;
} tp_page_size;

/* A trajectory as a page. The model must have the trajectory's coordinates; that of its scene text has. */
tp_status tp_page_export(const tp_allocator *allocator, const tp_trajectory *trajectory,
                         const tp_model *model, const tp_page_options *options, const char *path,
                         tp_page_size *size_out, tp_message *why_out);

#ifdef __cplusplus
}
#endif

#endif
