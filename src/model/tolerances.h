/* Thresholds of models on one page. Each says what it measures, relative to what, and what breaks if it is
   changed. Numbers of samples and of iterations are beside their loops. */
#ifndef TP_MODEL_TOLERANCES_H
#define TP_MODEL_TOLERANCES_H

/* ---- What users give: tests/model/test_force_elements.c,
   test_joint_catalogue.c, test_joint_curve.c, tests/io/test_scene_bad.c ---- */

/* Entries of a symmetric matrix that differ by more, relative to both, are a mistake. */
static const double tp_symmetry_tolerance = 1e-12;

/* Axes count as orthogonal up to this cosine, and the rest is taken off the second one; columns of a rotation
   up to this norm: decimals with six digits are right. */
static const double tp_orthogonal_tolerance = 1e-6, tp_rotation_tolerance = 1e-6;

/* Ends of a closed curve that differ by more than this part of its size are a mistake, directions by more
   than this angle. */
static const double tp_closing_tolerance = 1e-6;

/* ---- What follows from it ---- */

/* A body whose smallest second moment of mass is below this part of their sum is flat or slender: the mass
   matrix of its directions would be singular to within the digits that inertias are given with.
   tests/claims/test_affine.c */
static const double tp_flatness = 1e-8;

/* A tolerance of 1e-12 of the size must stay above some 64 roundings of positions, whose size is their
   distance from the origin: a scene this many times its size away from it counts as larger.
   tests/claims/test_scene_size.c */
static const double tp_far_away = 64.0;

/* Third derivatives along a curve by differences of the second: this part of the distance in which it bends
   away, or of 1 m. They leave h^4 and rounding of 1e-16/h. tests/jet/test_jet.c */
static const double tp_curve_step = 1e-3;

#endif
