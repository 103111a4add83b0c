/* Surfaces of triangles: one triangle at a time. */
#ifndef TP_GEOMETRY_SURFACE_H
#define TP_GEOMETRY_SURFACE_H

#include "convex.h"

/* Whether n (in the frame of the surface) is within the range of a corner: no edge rises from it along n. */
bool tp_surface_corner_allows(const tp_surface_triangle *triangle, int corner, tp_vec3 n, double margin);

#endif
