/* What all friction sets share: the table of their kinds, sets of size 0, derivatives with respect to the
   size. */
#include "set/friction_set.h"

#include "set/small.h"

#define TABLE_LINE(KIND, name) [TP_FRICTION_##KIND] = &tp_friction_##name,
static const tp_friction_descriptor *const table[TP_FRICTION_KINDS] = {TP_FRICTION_LIST(TABLE_LINE)};

/* Laws without friction: the point 0, in no dimension. */
const tp_friction_descriptor tp_friction_none = {.name = "none", .least_dimension = 1, .most_dimension = 0};

const tp_friction_descriptor *tp_friction_descriptor_of(tp_friction_kind kind)
{
    bool is_known = (int)kind >= 0 && kind < TP_FRICTION_KINDS;
    return is_known ? table[kind] : &tp_friction_none;
}

/* NULL: the set is the point 0. */
static const tp_friction_descriptor *extended(const tp_friction_set *D, double scale)
{
    const tp_friction_descriptor *kind = tp_friction_descriptor_of(D->kind);
    return scale > 0.0 && kind != &tp_friction_none ? kind : NULL;
}

void tp_friction_project(const tp_friction_set *D, double scale, const double *z, double *p_out)
{
    const tp_friction_descriptor *kind = extended(D, scale);
    if (kind != NULL)
        kind->project(D, scale, z, p_out);
    else
        tp_small_zero(D->dimension, p_out);
}

bool tp_friction_contains(const tp_friction_set *D, double scale, const double *z)
{
    const tp_friction_descriptor *kind = extended(D, scale);
    if (kind != NULL) return kind->contains(D, scale, z);
    for (int i = 0; i < D->dimension; i++)
        if (!(z[i] == 0.0)) return false;
    return true;
}

double tp_friction_support(const tp_friction_set *D, const double *y)
{
    const tp_friction_descriptor *kind = extended(D, 1.0);
    return kind != NULL ? kind->support(D, y) : 0.0;
}

void tp_friction_boundary(const tp_friction_set *D, const double *normal, double *p_out)
{
    const tp_friction_descriptor *kind = extended(D, 1.0);
    if (kind != NULL)
        kind->boundary(D, normal, p_out);
    else
        tp_small_zero(D->dimension, p_out);
}

/* The derivative with respect to the scale follows from the one with respect to z, because
   proj_{sD}(z) = s proj_D(z/s) and J maps the normal z - p to 0: (I - J) p/s; theory/sets.md (5). */
void tp_friction_project_derivative(const tp_friction_set *D, double scale, const double *z, double *dz_out,
                                    double *dscale_out)
{
    const tp_friction_descriptor *kind = extended(D, scale);
    int n = D->dimension;
    if (kind == NULL) {
        tp_small_zero(n * n, dz_out);
        if (dscale_out != NULL) tp_small_zero(n, dscale_out);
        return;
    }
    kind->derivative(D, scale, z, dz_out);
    if (dscale_out == NULL) return;
    double p[TP_FRICTION_MAX];
    kind->project(D, scale, z, p);
    for (int i = 0; i < n; i++) p[i] /= scale;
    for (int i = 0; i < n; i++) {
        dscale_out[i] = p[i];
        for (int j = 0; j < n; j++) dscale_out[i] -= dz_out[i + j * n] * p[j];
    }
}

bool tp_friction_semi_axes(const tp_friction_set *D, double *axis_out)
{
    bool is_ball = D->kind == TP_FRICTION_BALL, is_round = is_ball || D->kind == TP_FRICTION_ELLIPSOID;
    bool exists = is_round;
    for (int k = 0; k < D->dimension; k++) {
        axis_out[k] = is_round ? D->parameter[is_ball ? 0 : k] : 1.0;
        exists = exists && axis_out[k] > 0.0;
    }
    return exists;
}

bool tp_friction_has_dimension(tp_friction_kind kind, int n)
{
    const tp_friction_descriptor *descriptor = tp_friction_descriptor_of(kind);
    return n >= descriptor->least_dimension && n <= descriptor->most_dimension;
}

int tp_friction_parameter_count(tp_friction_kind kind, int n)
{
    int count = tp_friction_descriptor_of(kind)->parameter_count;
    if (!tp_friction_has_dimension(kind, n)) return 0;
    return count > 0 ? count : n;
}
