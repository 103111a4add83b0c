/* Mass properties of solids, bodies of several parts, and what a valid inertia is;
   docs/theory/contacts-geometry.md (11)-(13). */
#include "tippe/geometry.h"

#include "math/dense.h"
#include "tippe/rotation.h"
#include "tolerances.h"

#include <float.h>

static const double pi = 3.14159265358979323846;

double tp_solid_volume(const tp_solid *solid)
{
    double r = solid->radius, length = 2.0 * solid->half_length;
    tp_vec3 h = solid->half_extents;
    switch (solid->kind) {
    case TP_SOLID_POINT: return 0.0;
    case TP_SOLID_SPHERE: return 4.0 / 3.0 * pi * r * r * r;
    case TP_SOLID_BOX: return 8.0 * h.x * h.y * h.z;
    case TP_SOLID_CAPSULE: return pi * r * r * (length + 4.0 / 3.0 * r);
    case TP_SOLID_CYLINDER: return pi * r * r * length;
    case TP_SOLID_HULL: return solid->hull->volume;
    case TP_SOLID_PLANE:
    case TP_SOLID_INSIDE_CYLINDER:
    case TP_SOLID_INSIDE_SPHERE:
    case TP_SOLID_MESH: /* need not be closed */
    case TP_SOLID_HEIGHTFIELD:
    case TP_SOLID_KIND_COUNT: break;
    }
    return INFINITY;
}

/* Mean squares of x, y, z over a capsule: a cylinder and two half balls, whose centres of mass are 3/8 r
   beyond the ends; (11). */
static tp_vec3 capsule_squares(double r, double half_length)
{
    double h = half_length, cylinder = 2.0 * h, caps = 4.0 / 3.0 * r, all = cylinder + caps;
    double across = (cylinder * r * r / 4.0 + caps * r * r / 5.0) / all;
    double along = (cylinder * h * h / 3.0 + caps * (r * r / 5.0 + 0.75 * r * h + h * h)) / all;
    return tp_vec3_make(across, across, along);
}

/* Diagonal of the Euler tensor for mass 1: mean squares of the coordinates; (11). */
static tp_vec3 mean_squares(const tp_solid *solid)
{
    double r = solid->radius, length = solid->half_length;
    tp_vec3 h = solid->half_extents;
    switch (solid->kind) {
    case TP_SOLID_SPHERE: return tp_vec3_make(r * r / 5.0, r * r / 5.0, r * r / 5.0);
    case TP_SOLID_BOX: return tp_vec3_make(h.x * h.x / 3.0, h.y * h.y / 3.0, h.z * h.z / 3.0);
    case TP_SOLID_CAPSULE: return capsule_squares(r, length);
    case TP_SOLID_CYLINDER: return tp_vec3_make(r * r / 4.0, r * r / 4.0, length * length / 3.0);
    case TP_SOLID_POINT:
    case TP_SOLID_PLANE:
    case TP_SOLID_INSIDE_CYLINDER:
    case TP_SOLID_INSIDE_SPHERE:
    case TP_SOLID_MESH:
    case TP_SOLID_HEIGHTFIELD:
    case TP_SOLID_HULL: /* not diagonal: below */
    case TP_SOLID_KIND_COUNT: break;
    }
    return tp_vec3_zero();
}

tp_status tp_solid_mass_properties_of_mass(const tp_solid *solid, double mass, tp_mass_properties *out,
                                           tp_message *why_out)
{
    TP_TRY(tp_solid_check(solid, why_out));
    if (!(mass > 0.0 && isfinite(mass)))
        return tp_fail(why_out, TP_INVALID_DATA, "mass %g kg: must be positive and finite", mass);
    if (!isfinite(tp_solid_volume(solid)))
        return tp_fail(why_out, TP_INVALID_DATA, "%s: has no end, hence no centre of mass",
                       tp_solid_kind_name(solid->kind));
    if (solid->kind == TP_SOLID_HULL) {
        tp_mat3 inertia = tp_inertia_from_euler(tp_mat3_scale(mass, solid->hull->squares));
        *out = (tp_mass_properties){mass, solid->hull->centre, inertia};
        return TP_OK;
    }
    tp_vec3 squares = tp_vec3_scale(mass, mean_squares(solid));
    *out = (tp_mass_properties){mass, tp_vec3_zero(), tp_inertia_from_euler(tp_mat3_diagonal(squares))};
    return TP_OK;
}

tp_status tp_solid_mass_properties(const tp_solid *solid, double density, tp_mass_properties *out,
                                   tp_message *why_out)
{
    TP_TRY(tp_solid_check(solid, why_out));
    double volume = tp_solid_volume(solid);
    if (!(density > 0.0 && isfinite(density)))
        return tp_fail(why_out, TP_INVALID_DATA, "density %g kg/m^3: must be positive and finite", density);
    if (volume == 0.0)
        return tp_fail(why_out, TP_INVALID_DATA, "%s: its volume is 0, give a mass instead of a density",
                       tp_solid_kind_name(solid->kind));
    return tp_solid_mass_properties_of_mass(solid, density * volume, out, why_out);
}

tp_mass_properties tp_mass_properties_place(const tp_mass_properties *part, const tp_pose *pose)
{
    tp_mat3 R = tp_quat_to_matrix(pose->orientation);
    tp_mat3 turned = tp_mat3_multiply(R, tp_mat3_multiply(part->inertia, tp_mat3_transpose(R)));
    return (tp_mass_properties){part->mass, tp_pose_point(pose, part->centre), turned};
}

/* (12): both inertias about the common centre; the sum of the two Steiner terms is that of the reduced mass
   at their distance. */
tp_mass_properties tp_mass_properties_add(const tp_mass_properties *a, const tp_mass_properties *b)
{
    if (b->mass == 0.0) return *a;
    if (a->mass == 0.0) return *b;
    double mass = a->mass + b->mass;
    tp_vec3 apart = tp_vec3_sub(b->centre, a->centre);
    tp_mat3 euler = tp_mat3_scale(a->mass * b->mass / mass, tp_mat3_outer(apart, apart));
    tp_mat3 inertia = tp_mat3_add(tp_mat3_add(a->inertia, b->inertia), tp_inertia_from_euler(euler));
    return (tp_mass_properties){mass, tp_vec3_add_scaled(a->centre, b->mass / mass, apart), inertia};
}

/* ---- inertia tensors ---- */

static tp_status check_symmetry(tp_mat3 J, tp_message *why_out)
{
    double entry[9], largest = 0.0;
    tp_mat3_to_array(J, entry);
    for (int k = 0; k < 9; k++) {
        if (!isfinite(entry[k]))
            return tp_fail(why_out, TP_INVALID_DATA, "inertia: has the entry %g", entry[k]);
        largest = fmax(largest, fabs(entry[k]));
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < i; j++)
            if (fabs(entry[i + 3 * j] - entry[j + 3 * i]) > tp_inertia_tolerance * largest)
                return tp_fail(why_out, TP_INVALID_DATA,
                               "inertia: not symmetric, entry (%d,%d) is %.9g and (%d,%d) is %.9g", i + 1,
                               j + 1, entry[i + 3 * j], j + 1, i + 1, entry[j + 3 * i]);
    return TP_OK;
}

void tp_inertia_principal(tp_mat3 inertia, tp_vec3 *moments_out, tp_quat *orientation_out)
{
    double J[9], moments[3], axes[9];
    tp_mat3_to_array(inertia, J);
    tp_dense_symmetric_eigen(3, J, moments, axes);
    tp_mat3 R = tp_mat3_from_array(axes);
    if (tp_mat3_determinant(R) < 0.0) R.cz = tp_vec3_negate(R.cz);
    *moments_out = tp_vec3_from_array(moments);
    *orientation_out = tp_quat_from_matrix(R);
}

tp_status tp_inertia_check(double mass, tp_mat3 inertia, tp_message *why_out)
{
    if (!(mass > 0.0 && isfinite(mass)))
        return tp_fail(why_out, TP_INVALID_DATA, "mass %g kg: must be positive and finite", mass);
    TP_TRY(check_symmetry(inertia, why_out));
    tp_vec3 moments; /* ascending */
    tp_quat axes;
    tp_inertia_principal(inertia, &moments, &axes);
    if (!(moments.x > 16.0 * DBL_EPSILON * moments.z)) /* what rounding may make of 0 */
        return tp_fail(why_out, TP_INVALID_DATA,
                       "inertia: the principal moments %.9g, %.9g, %.9g kg m^2 must all be positive",
                       moments.x, moments.y, moments.z);
    if (moments.z > moments.x + moments.y + tp_inertia_tolerance * moments.z)
        return tp_fail(
            why_out, TP_INVALID_DATA,
            "inertia: no body has the principal moments %.9g, %.9g, %.9g kg m^2, the largest is at "
            "most the sum of the others (%.9g)",
            moments.x, moments.y, moments.z, moments.x + moments.y);
    return TP_OK;
}
