/* The signed distance of a point from each kind of solid, with the derivative of its normal;
   docs/theory/contacts-geometry.md (2)-(4). */
#include "nearest.h"

#include "hull.h"

/* Distance from a core (a point, a line, a circle): offset = x - foot on the core, offset_rate its rate.
   `fallback` is the normal where x lies on the core and every direction is as good. */
static tp_nearest from_core(tp_vec3 offset, tp_vec3 offset_rate, double radius, tp_vec3 fallback)
{
    double length = tp_vec3_norm(offset);
    if (!(length > 0.0)) return (tp_nearest){length - radius, fallback, tp_vec3_zero()};
    tp_vec3 n = tp_vec3_scale(1.0 / length, offset);
    tp_vec3 across = tp_vec3_add_scaled(offset_rate, -tp_vec3_dot(n, offset_rate), n);
    return (tp_nearest){length - radius, n, tp_vec3_scale(1.0 / length, across)};
}

/* The same surface seen from its other side. */
static tp_nearest turn_inside_out(tp_nearest nearest)
{
    return (tp_nearest){-nearest.distance, tp_vec3_negate(nearest.normal),
                        tp_vec3_negate(nearest.normal_rate)};
}

static tp_nearest flat(double distance, tp_vec3 normal)
{
    return (tp_nearest){distance, normal, tp_vec3_zero()};
}

static const tp_vec3 along_x = {1.0, 0.0, 0.0};

static tp_nearest from_axis(tp_vec3 x, tp_vec3 x_rate, double radius)
{
    return from_core(tp_vec3_make(x.x, x.y, 0.0), tp_vec3_make(x_rate.x, x_rate.y, 0.0), radius, along_x);
}

static tp_nearest from_segment(tp_vec3 x, tp_vec3 x_rate, double radius, double half_length)
{
    double beyond = x.z > half_length ? half_length : x.z < -half_length ? -half_length : 0.0;
    if (beyond == 0.0) return from_axis(x, x_rate, radius);
    return from_core(tp_vec3_make(x.x, x.y, x.z - beyond), x_rate, radius, along_x);
}

/* Inside a box the nearest face decides; outside, each coordinate that is beyond its face. */
static tp_nearest from_box(tp_vec3 x, tp_vec3 x_rate, tp_vec3 half)
{
    double at[3] = {x.x, x.y, x.z}, rate[3] = {x_rate.x, x_rate.y, x_rate.z}, h[3] = {half.x, half.y, half.z};
    double beyond[3] = {0.0, 0.0, 0.0}, beyond_rate[3] = {0.0, 0.0, 0.0}, normal[3] = {0.0, 0.0, 0.0};
    bool is_outside = false;
    int face = 0;
    for (int k = 0; k < 3; k++) {
        double excess = fabs(at[k]) - h[k];
        if (excess > 0.0) {
            is_outside = true;
            beyond[k] = copysign(excess, at[k]);
            beyond_rate[k] = rate[k];
        }
        if (excess > fabs(at[face]) - h[face]) face = k;
    }
    if (is_outside)
        return from_core(tp_vec3_from_array(beyond), tp_vec3_from_array(beyond_rate), 0.0, along_x);
    normal[face] = at[face] < 0.0 ? -1.0 : 1.0;
    return flat(fabs(at[face]) - h[face], tp_vec3_from_array(normal));
}

/* Beyond the rim the nearest point runs on a circle. */
static tp_nearest from_rim(tp_vec3 x, tp_vec3 x_rate, double radius, double cap)
{
    double length = hypot(x.x, x.y), shrink = radius / length;
    tp_vec3 e = tp_vec3_make(x.x / length, x.y / length, 0.0), level = {x_rate.x, x_rate.y, 0.0};
    tp_vec3 foot = tp_vec3_make(radius * e.x, radius * e.y, cap);
    tp_vec3 foot_rate = tp_vec3_scale(shrink, tp_vec3_add_scaled(level, -tp_vec3_dot(e, level), e));
    return from_core(tp_vec3_sub(x, foot), tp_vec3_sub(x_rate, foot_rate), 0.0, along_x);
}

static tp_nearest from_cylinder(tp_vec3 x, tp_vec3 x_rate, double radius, double half_length)
{
    double side = hypot(x.x, x.y) - radius, cap = fabs(x.z) - half_length, up = x.z < 0.0 ? -1.0 : 1.0;
    if (side > 0.0 && cap > 0.0) return from_rim(x, x_rate, radius, up * half_length);
    if (cap >= side) return flat(cap, tp_vec3_make(0.0, 0.0, up));
    return from_axis(x, x_rate, radius);
}

tp_nearest tp_nearest_of_core(tp_vec3 offset, tp_vec3 offset_rate)
{
    return from_core(offset, offset_rate, 0.0, along_x);
}

tp_nearest tp_solid_nearest(const tp_solid *solid, tp_vec3 x, tp_vec3 x_rate)
{
    switch (solid->kind) {
    case TP_SOLID_POINT: return from_core(x, x_rate, 0.0, along_x);
    case TP_SOLID_SPHERE: return from_core(x, x_rate, solid->radius, along_x);
    case TP_SOLID_PLANE: break;
    case TP_SOLID_BOX: return from_box(x, x_rate, solid->half_extents);
    case TP_SOLID_CAPSULE: return from_segment(x, x_rate, solid->radius, solid->half_length);
    case TP_SOLID_CYLINDER: return from_cylinder(x, x_rate, solid->radius, solid->half_length);
    case TP_SOLID_INSIDE_CYLINDER: return turn_inside_out(from_axis(x, x_rate, solid->radius));
    case TP_SOLID_INSIDE_SPHERE: return turn_inside_out(from_core(x, x_rate, solid->radius, along_x));
    case TP_SOLID_HULL: return tp_hull_nearest(solid->hull, x, x_rate);
    case TP_SOLID_MESH:
    case TP_SOLID_HEIGHTFIELD:
    case TP_SOLID_KIND_COUNT: break;
    }
    return flat(x.z, tp_vec3_make(0.0, 0.0, 1.0));
}
