/* Motions for ParaView: a VTK file for every frame and an index with the times; docs/guide/paraview.md. */
#ifndef TIPPE_PARAVIEW_H
#define TIPPE_PARAVIEW_H

#include "tippe/base.h"
#include "tippe/drawing.h"
#include "tippe/model.h"
#include "tippe/output.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A force at a place: a contact whose point is known. */
typedef struct tp_contact_mark {
    int law;              /* whose force it is; -1: none */
    tp_vec3 point, force; /* [m], [N] */
    double normal_force;  /* [N] NaN: not known */
} tp_contact_mark;

/* What is to be seen at one time. Everything is borrowed. */
typedef struct tp_vtk_frame {
    const tp_primitive *primitives;
    int primitive_count;
    const tp_contact_mark *contacts;
    int contact_count;
    const char *const *law_names; /* what the laws of primitives and contacts are called */
    const double *law_forces;     /* of their first rows [N]; NaN: not known             */
    int law_count;
    const tp_table_column *columns; /* numbers that go with the frame ... */
    const double *row;              /* ... one for each column, the first is the time [s] */
    int column_count;
    int segments; /* to a circle, a multiple of 4, at least 8 */
} tp_vtk_frame;
tp_vtk_frame tp_vtk_frame_default(void); /* nothing, 32 segments */

/* One frame as a VTK file of polygons (.vtp), which appears whole or not at all. TP_FILE_ERROR,
   TP_OUT_OF_MEMORY; TP_INVALID_ARGUMENT for an impossible number of segments or a law that does not exist. */
tp_status tp_vtk_frame_write(const tp_vtk_frame *frame, const char *path, tp_message *why_out);

/* Writes the frames of a motion. The path names the index if it ends in .pvd (frames go to a folder of that
   name without the ending), else a folder that gets the index motion.pvd and the frames; it is made if its
   parent exists. Frames and index of an earlier motion in the same place are replaced. */
typedef struct tp_paraview tp_paraview;

/* The model is borrowed until close. The columns are those of the rows to come: the first must be "time", and
   q/NAME must be among them for every coordinate; law/NAME/last_impulse_... and step/size give forces.
   TP_INVALID_ARGUMENT if something is missing or the model has neither drawings nor shapes, TP_FILE_ERROR if
   nothing can be written there. */
tp_status tp_paraview_create(const tp_allocator *allocator, const tp_model *model, const char *path,
                             const tp_table_column *columns, int column_count, tp_paraview **paraview_out,
                             tp_message *why_out);

/* Draws the model at the state of a row [column_count] and writes the frame, with the contacts between shapes
   of the last step. On return the frame is on disk. The index names every frame while they are few or slow,
   later it lags by at most a 64th of them or a second, whichever is less; it is always whole. After a failure
   every call fails in the same way. */
tp_status tp_paraview_append(tp_paraview *paraview, const double *row, const tp_restart_contact *contacts,
                             int contact_count);

/* Frames so far, and the file that names them all. */
long long tp_paraview_frame_count(const tp_paraview *paraview);
const char *tp_paraview_index_path(const tp_paraview *paraview);

/* Completes the index and releases the writer, also on failure. NULL is fine. */
tp_status tp_paraview_close(tp_paraview *paraview, tp_message *why_out);

/* A trajectory as frames: the rows nearest to the multiples of `every` [s] (0: all) and the last one. The
   model must have the trajectory's coordinates; that of its scene text has. */
tp_status tp_paraview_export(const tp_allocator *allocator, const tp_trajectory *trajectory,
                             const tp_model *model, const char *path, double every,
                             long long *frame_count_out, tp_message *why_out);

#ifdef __cplusplus
}
#endif

#endif
