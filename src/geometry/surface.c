/* Surfaces of triangles. */
#include "surface.h"

bool tp_surface_corner_allows(const tp_surface_triangle *triangle, int corner, tp_vec3 n, double margin)
{
    (void)triangle;
    (void)corner;
    (void)n;
    (void)margin;
    return true;
}
