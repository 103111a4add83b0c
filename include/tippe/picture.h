/* Pictures of a motion: several moments of a model's drawing on one sheet, as SVG or PNG;
 * docs/guide/paraview.md. */
#ifndef TIPPE_PICTURE_H
#define TIPPE_PICTURE_H

#include "tippe/base.h"
#include "tippe/math.h"
#include "tippe/model.h"
#include "tippe/output.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { TP_PICTURE_FRAMES_MAX = 200 };

/* Where one looks from. Upwards is against gravity, or z without gravity. */
typedef enum tp_look {
    TP_LOOK_AUTOMATIC, /* a motion in a plane along the plane's normal, another one obliquely           */
    TP_LOOK_OBLIQUE,   /* from the front, a little from the right and from above                        */
    TP_LOOK_FROM       /* from `view`                                                                   */
} tp_look;

typedef struct tp_picture_options {
    int frame_count; /* moments, evenly from the first to the last, each at the nearest row of the run      */
    double from, until;   /* [s] NaN, or beyond: the run's start and end */
    const double *times;  /* instead of these: the moments, ascending [s] */
    int time_count;       /* 0: none */
    bool is_side_by_side; /* each with its time; else one over the other, the early ones pale */
    tp_look look;
    tp_vec3 view;         /* TP_LOOK_FROM: where one looks from                                            */
    tp_vec3 up;           /* what is upwards in the picture; zero: against gravity, or z                   */
    double width, height; /* [pt]; 0: what suits the picture */
    double dots_per_inch; /* of a PNG */
} tp_picture_options;
tp_picture_options tp_picture_options_default(void); /* 12 moments over each other, seen automatically */

/* Draws the model at moments of a trajectory that has its coordinates. The picture is as large as what moves;
   of what stands still, it shows what lies near that. The file (.svg or .png) appears whole
   or not at all, and the same motion gives the same bytes. frame_count_out (may be NULL) gets the number of
   moments, less than asked for if the run has fewer rows. TP_INVALID_ARGUMENT: impossible options, nothing to
   draw, no such coordinates; TP_FILE_ERROR. */
tp_status tp_picture_write(const tp_allocator *allocator, const tp_model *model,
                           const tp_trajectory *trajectory, const tp_picture_options *options,
                           const char *path, int *frame_count_out, tp_message *why_out);

/* A film of a motion: what a picture of one moment shows, again and again. */
typedef struct tp_film_options {
    tp_picture_options picture; /* where one looks from, sizes, from and until; the rest is not used   */
    double frames_per_second;
    double speed; /* seconds of the run in a second of the film; 0: one or a power of two by which the
                     film takes 2 to 20 s                                                              */
} tp_film_options;
tp_film_options tp_film_options_default(void); /* 25 frames a second, 96 dots per inch */

enum { TP_FILM_FRAMES_MAX = 5000 };

/* Writes a film as GIF (.gif) or animated PNG (.png), or each frame as frame-00001.png into a folder, if the
   path ends in a slash; it is made if its parent exists. Frames are rows of the run, shown as long as they
   last. The file appears whole or not at all, and the same motion gives the same bytes. Otherwise as
   tp_picture_write. */
tp_status tp_film_write(const tp_allocator *allocator, const tp_model *model, const tp_trajectory *trajectory,
                        const tp_film_options *options, const char *path, int *frame_count_out,
                        tp_message *why_out);

#ifdef __cplusplus
}
#endif

#endif
