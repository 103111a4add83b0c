/* Inside a sweep: axes, what is measured, and the table. */
#ifndef TP_IO_SWEEP_SWEEP_H
#define TP_IO_SWEEP_SWEEP_H

#include "base/arena.h"
#include "io/common/text.h"
#include "tippe/output.h"
#include "tippe/scene.h"
#include "tippe/sweep.h"

/* ---- axes.c ---- */

typedef struct tp_sweep_axis {
    const char *path; /* in the scene */
    const char *name; /* of its column: vary/NAME */
    int count;        /* values of a grid */
    double *values;   /* [count]; of a sample: low and high */
    bool is_log;      /* of a sample */
} tp_sweep_axis;

typedef struct tp_sweep_axes {
    tp_sweep_axis *list;
    int count;
    long long point_count;
    bool is_sample;
    long long seed;
} tp_sweep_axes;

tp_status tp_sweep_axes_read(tp_sweep_axes *axes, tp_arena *arena, const tp_sweep_def *def, tp_message *why);

/* Value of axis k at a point. */
double tp_sweep_value(const tp_sweep_axes *axes, long long point, int k);

/* ---- measure.c ---- */

/* What one result is. */
typedef enum tp_measure_kind {
    TP_MEASURE_END,
    TP_MEASURE_MAX,
    TP_MEASURE_MIN,
    TP_MEASURE_MEAN, /* over time */
    TP_MEASURE_REPORT
} tp_measure_kind;

typedef struct tp_measure {
    tp_measure_kind kind;
    const char *text; /* as it was given: "max:height" */
    const char *name; /* "height" */
} tp_measure;

typedef struct tp_measures {
    tp_measure *list;
    int count;
    const char *points; /* NULL: none */
    double period;      /* [s] of points; 0: at events of that kind */
    int event_kind;
    int *values; /* [value_count] measures whose values the points have: one for each name */
    int value_count;
} tp_measures;

/* Reads the results that are asked for; the model of the first point says which names there are. */
tp_status tp_measures_read(tp_measures *measures, tp_arena *arena, const tp_sweep_def *def,
                           const tp_model *model, tp_message *why);

/* One run. Points: rows of time and the values of all measures of names, one after the other. */
typedef struct tp_sweep_result {
    tp_status status;
    double *values; /* [measures] NaN: not known */
    tp_text points;
    char reason[512];
    bool is_done;
} tp_sweep_result;

/* Simulates and measures. */
void tp_measures_take(const tp_measures *measures, const tp_scene *scene, const tp_sweep_def *def,
                      tp_sweep_result *result);

/* ---- sweep_file.c ---- */

typedef struct tp_sweep_file {
    tp_trajectory_writer *writer;
    int column_count, axis_count, measure_count, value_count;
    double *row;
} tp_sweep_file;

/* Opens the table anew. `description` says which sweep it is. */
tp_status tp_sweep_file_open(tp_sweep_file *file, tp_arena *arena, const tp_sweep_def *def,
                             const tp_sweep_axes *axes, const tp_measures *measures, const char *description,
                             const char *scene_text, tp_message *why);

/* Adds the row of a point and its points. */
tp_status tp_sweep_file_add(tp_sweep_file *file, const tp_sweep_axes *axes, long long point,
                            const tp_sweep_result *result);

/* Copies the rows of an older table of the same sweep; *rows_out: how many. No file: none. */
tp_status tp_sweep_file_take_up(tp_sweep_file *file, const tp_trajectory *old, tp_message *why);

/* The description kept in a table, NULL: it is not of a sweep. */
const char *tp_sweep_description(const tp_trajectory *table);

/* The value of an attribute; NaN: there is none. */
double tp_sweep_number(const tp_trajectory *table, const char *name);

#endif
