/* Joints as rows and coordinates: a catalogue in which each kind is a list of parts; docs/theory/joints.md
   (18)-(20). */
#ifndef TP_MODEL_JOINTS_JOINT_KINDS_H
#define TP_MODEL_JOINTS_JOINT_KINDS_H

#include "basic_row.h"
#include "tippe/joint.h"

enum { TP_JOINT_ROWS = 6, TP_JOINT_COORDINATES = 3 };

typedef struct tp_joint {
    tp_joint_kind kind;
    int row_count;
    tp_basic_row row[TP_JOINT_ROWS]; /* all zero while the joint holds */
    unsigned angle_rows;             /* bit k: row k is in radians, else a length */
    int coordinate_count;
    tp_basic_row coordinate[TP_JOINT_COORDINATES]; /* angles in (-pi, pi]; tp_unwrap counts turns */
    const char *coordinate_name[TP_JOINT_COORDINATES];
    bool coordinate_is_angle[TP_JOINT_COORDINATES];
    int friction_first, friction_count; /* rows whose reaction presses the sliding surfaces together; the
                                           norm of their forces bounds dry friction; count 0: none */
} tp_joint;

/* Joints between directions alone sit nowhere. */
static inline bool tp_joint_has_point(const tp_joint *joint)
{
    return joint->angle_rows != (1u << joint->row_count) - 1u;
}

/* What its axis is ("the direction of sliding"), where one must be given; else NULL. */
const char *tp_joint_axis_purpose(const tp_joint_def *def);

/* False: neither its rows nor its coordinates use directions. */
bool tp_joint_has_directions(const tp_joint_def *def);

/* The joint frame on a body: columns (x, y, z) right-handed, z the axis, in the body's frame. */
typedef struct tp_joint_frame {
    tp_vec3 point;
    tp_mat3 axes;
} tp_joint_frame;

/* Where the joint sits on both bodies whose initial frames are A and B; checks the definition. */
tp_status tp_joint_place(const tp_joint_def *def, const tp_frame *A, const tp_frame *B,
                         tp_joint_frame *on_A_out, tp_joint_frame *on_B_out, tp_message *message);

/* Checks and builds. The arena keeps what a curve needs; other kinds take nothing from it. */
tp_status tp_joint_build(const tp_joint_def *def, const tp_frame *A, const tp_frame *B, tp_arena *arena,
                         tp_joint *joint_out, tp_message *message);

#endif
