/* Drawings and surfaces of a model, and the parts of a drawer that are made from joints, springs, motors,
   limits and couplers: where bodies are held, and the figures that stand there. */
#ifndef TP_DRAWING_DRAWER_H
#define TP_DRAWING_DRAWER_H

#include "model/lists.h"
#include "tippe/drawing.h"

/* A figure of (t, q); coordinates that were not given have neither formula nor function. */
typedef struct tp_drawing {
    const char *name;
    tp_primitive_kind kind;
    tp_colour colour;
    bool is_filled;
    int law; /* -1: none */
    int vertex_count;
    tp_scalar *coordinates; /* [3 vertex_count] */
    tp_scalar radius;
    tp_place place;
} tp_drawing;

typedef struct tp_model_surface {
    const char *name;
    int body;
    tp_mesh mesh; /* relative to the centre of mass */
} tp_model_surface;

/* All drawings at the initial state, which must be known: finite, radii not negative. */
tp_status tp_model_check_drawings(tp_model *model);

/* A point where a joint or a spring holds a body. */
typedef struct tp_attachment {
    int body; /* or the ground */
    tp_vec3 point;
} tp_attachment;

/* Attachments of joints, then of springs, two each; false: that one is at no point. */
int tp_attachment_count(const tp_model *model);
bool tp_attachment_at(const tp_model *model, int index, tp_attachment *out);

/* What the drawer knows of a body before anything moves. */
typedef struct tp_body_look {
    double reach; /* of its shapes and attachments from its centre [m] */
    bool has_shape;
    int attachment_count;
    tp_vec3 box; /* half edges [m] where neither of these shows it: homogeneous, it has the body's inertia */
    tp_quat box_turn; /* its directions, in those of the body */
} tp_body_look;
void tp_body_looks_find(const tp_model *model, tp_body_look *looks_out /* [bodies] */);

/* Size of all that is finite at the start, along the diagonal [m]; 0: points in one place, or nothing. */
double tp_model_size_at_start(const tp_model *model);

/* How a mark follows its bodies. */
typedef enum tp_mark_way {
    TP_MARK_ON_A,    /* with the frame of the joint on A                     */
    TP_MARK_ON_B,    /* with the frame of the joint on B                     */
    TP_MARK_BETWEEN, /* two vertices: the points on A and on B              */
    TP_MARK_MIDWAY   /* between these points, z along the line from A to B   */
} tp_mark_way;

typedef struct tp_mark {
    tp_mark_way way;
    int body_a, body_b;
    tp_joint_frame on_A, on_B;
} tp_mark;

/* Marks and their figures, side by side. Where `marks` is NULL they are only counted. */
typedef struct tp_marks {
    int count, vertex_count;
    tp_mark *marks;
    tp_primitive *primitives;
    tp_vec3 *vertices;
} tp_marks;
void tp_marks_list(const tp_model *model, const tp_body_look *looks, tp_marks *io);

/* Moves the figures to a state. */
void tp_marks_move(const tp_model *model, const tp_arguments *at, const tp_marks *marks);

#endif
