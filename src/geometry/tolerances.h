/* Every tolerance of collision geometry on one page; theory/contacts-geometry.md. Each says what it measures,
   relative to what, and what breaks if it is changed. The test that notices is named at the head of a
   group, or at the constant. */
#ifndef TP_GEOMETRY_TOLERANCES_H
#define TP_GEOMETRY_TOLERANCES_H

/* ---- Which features meet: tests/geometry/test_boxes.c, test_convex.c ---- */

/* Cosine of the angle (0.1 rad) within which a direction of separation is taken for a face's normal; its sine
   for lines. A body that lies on a face touches it along the face, however it is tilted by rounding or
   rocking, and A's face goes before B's. Smaller angles make boxes at rest change between one and four
   points; larger ones keep the four points of a box that stands on an edge. */
static const double tp_face_cosine = 0.995, tp_line_sine = 0.1;

/* A direction counts as better than those before it only by this, relative to the sizes of both: faces of A
   first, then of B, then edges. Rounding alone would choose otherwise, and differently in every step. */
static const double tp_direction_margin = 1e-9;

/* A face is the incident one only if it is better aligned by this (cosine) than those before it; as above. */
static const double tp_alignment_margin = 1e-6;

/* How far beyond the sides of a face a point still counts as over it, relative to the half widths; the same
   for the ends of edges that cross. Boxes of equal size stacked flush keep their four corners. */
static const double tp_face_side_margin = 1e-6;

/* Cosine between the normal of two crossing edges and that of the face down to which the edges' own normal is
   used: edges that are nearly parallel have no useful normal. Also cosine of the angle of incidence up to
   which such edges count at all: of bodies that touch at a steep angle they are never the nearest. */
static const double tp_crossing_cosine = 0.9;

/* A cylinder shows its cap to a face below this angle of its axis to the normal (cosine), else its side.
   Incident faces steeper than the second do not touch along the face. */
static const double tp_cap_cosine = 0.7, tp_incident_cosine = 0.1;

/* Points of a manifold must be farther out by this, relative to the sizes, than those before them. */
static const double tp_outer_margin = 1e-5;

/* How far beyond the border of a feature its point may be, relative to the sizes. */
static const double tp_beside_margin = 1e-9;

/* ---- Lines and round shapes: tests/geometry/test_collide.c, test_convex.c ---- */

/* Sine of the angle below which two lines, or an edge and an axis, are parallel: the place of their nearest
   points is known to rounding over this. */
static const double tp_parallel_sine = 1e-7;

/* A foot this close to an end of a segment, relative to its half length, is at the end. */
static const double tp_end_margin = 1e-9;

/* Distance below which segments cross, relative to the sum of their half lengths: the normal is then chosen
   in A. */
static const double tp_crossing_distance = 1e-12;

/* Ends count while their segment rises from there at most by this (sine of the angle): nearly parallel
   capsules rest on both ends. */
static const double tp_end_slope = 0.1;

/* Sine of the angle between ends and plane below which a cylinder counts as standing: there is no deepest
   point of its rim then, and rounding would turn the support about. Gaps change by less than this times the
   radius. In a sphere: the distance of its middle from the axis, relative to its radius. */
static const double tp_standing_sine = 1e-9;

/* A vertex is the farthest one within this, relative to the size. Arcs are searched in pieces of the second
   for a maximum inside [rad]. */
static const double tp_support_margin = 1e-12, tp_piece_angle = 0.2;

/* The second maximum of a rim in a tube, which is never the farther one, ends where it gets flat: it is left
   out when its curvature falls below this part of the largest it can have. */
static const double tp_blunt = 0.1;

/* Angle between two places on an arc at which they are one, two roundings [rad]. Slope at which a direction
   over two rims is that of a summit, and what a last step would still gain [m], both relative to the sizes of
   both: one that ends above that is not at a summit but at a side or a cap, which are tried by themselves.
   The gain is below the margin of directions: nothing is lost. A limit of the slope, of 1e-9, lost summits of
   great curvature, where rounding ends the way. */
static const double tp_arc_rounding = 1e-16, tp_flat_slope = 1e-13, tp_missed_summit = 1e-10;

/* Nearest points of two curves by Newton's method: steps along them, relative to the sizes of both, after
   which it has converged, and the determinant (of unit tangents) at which the curves run side by side. */
static const double tp_curve_change = 1e-14, tp_curve_determinant = 1e-9;

/* Sine of the angle below which two edges have no normal of their own, and two borders of faces in their
   plane no point at which they cross. */
static const double tp_least_crossing = 1e-6, tp_parallel_borders = 1e-9;

/* ---- Surfaces of triangles: tests/geometry/test_surfaces.c ---- */

/* How far beyond the sides of a triangle a point is still over it, relative to its longest side: no point
   falls between two of them. */
static const double tp_triangle_side_margin = 1e-9;

/* How far behind a triangle a solid without thickness (a point, a flat disc) still belongs to its front,
   relative to the shortest side: it has no middle that stays in front when it overlaps. Ten times less, and
   bodies dropped from 0.1 m with steps of 1 ms pass triangles of 0.2 m; ten times more, and walls as thick as
   a tenth of their triangles touch what rests on their other side. tests/claims/test_thin_bodies.c */
static const double tp_front_depth = 1e-2;

/* Sine by which a normal may be outside the range of its edge or corner. */
static const double tp_range_margin = 1e-9;

/* Sine of the angle between neighbours up to which their common edge is flat and does not touch: bodies that
   slide over it would be stopped. */
static const double tp_flat_sine = 1e-6;

/* Points this close to a common edge belong to the triangle of lower number, relative to its length; and what
   rounding may make of it. */
static const double tp_shared_width = 1e-12, tp_shared_rounding = 1e-15;

/* ---- What users give: tests/geometry/test_solids.c, test_mass.c, test_hull.c ---- */

/* A quaternion read from a file with seven digits is still a rotation. */
static const double tp_unit_tolerance = 1e-6;

/* How far an inertia may be from symmetry and beyond the triangle inequality, relative to its largest
   moment: numbers with nine digits in a file, and the equality of flat bodies. */
static const double tp_inertia_tolerance = 1e-9;

/* Points closer to a face than this, relative to the size of the cloud, are on it: files keep seven digits.
   Smaller ones give hulls of many faces that are one. */
static const double tp_hull_face_tolerance = 1e-7;

/* Sine of the angle by which a corner of an outline may bend inwards and still be convex; area of an outline,
   relative to the square of its length, volume of a surface, relative to the box around it, and area of a
   triangle, relative to the square of its longest side, below which they are flat. */
static const double tp_straight_sine = 1e-9, tp_flat_area = 1e-12, tp_flat_volume = 1e-12,
                    tp_flat_triangle = 1e-12;

#endif
