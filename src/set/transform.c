/* Sets under a diagonal linear map; theory/sets.md (29). */
#include "set/friction_set.h"

#include <math.h>

static bool all_equal(int count, const double *factor)
{
    for (int k = 1; k < count; k++)
        if (factor[k] != factor[0]) return false;
    return true;
}

tp_status tp_friction_transform_round(int n, const double *factor, double lift, tp_set *set)
{
    double semi_axis[TP_FRICTION_MAX];
    bool is_ball = set->friction_kind == TP_FRICTION_BALL;
    for (int k = 0; k < n; k++) semi_axis[k] = lift * (set->parameter[is_ball ? 0 : k] / factor[k]);
    if (!all_equal(n, semi_axis) && n > 3) return TP_UNSUPPORTED;
    set->friction_kind = all_equal(n, semi_axis) ? TP_FRICTION_BALL : TP_FRICTION_ELLIPSOID;
    for (int k = 0; k < n && k < 3; k++) set->parameter[k] = semi_axis[k];
    return TP_OK;
}

tp_status tp_friction_transform_radii(int n, const double *factor, double lift, tp_set *set)
{
    if (!all_equal(2, factor) || !all_equal(n - 2, factor + 2)) return TP_UNSUPPORTED;
    set->parameter[0] *= lift / factor[0];
    set->parameter[1] *= lift / factor[2];
    return TP_OK;
}

static tp_status transform_friction(const double *factor, double lift, tp_set *set)
{
    const tp_friction_descriptor *kind = tp_friction_descriptor_of(set->friction_kind);
    int n = tp_friction_of(set).dimension;
    if (!tp_friction_has_dimension(set->friction_kind, n)) return TP_INVALID_ARGUMENT;
    return kind->transform != NULL ? kind->transform(n, factor, lift, set) : TP_UNSUPPORTED;
}

tp_status tp_set_transform(const tp_set *set, const double *factor, tp_set *set_out)
{
    tp_set result = *set;
    int n = set->size;
    double inverse[TP_FRICTION_MAX];
    for (int k = 0; k < n; k++)
        if (!(factor[k] > 0.0 && isfinite(factor[k]))) return TP_INVALID_ARGUMENT;
    switch (set->kind) {
    case TP_SET_FREE:
    case TP_SET_ZERO:
    case TP_SET_ORTHANT: break;
    case TP_SET_BOX:
        for (int k = 0; k < 2 * n; k++) result.parameter[k] /= factor[k / 2];
        break;
    case TP_SET_FRICTION: TP_TRY(transform_friction(factor, 1.0, &result)); break;
    case TP_SET_CONTACT:
    case TP_SET_CONE: /* P_T in P_N D becomes P^_T in P^_N a_N A_T^-1 D */
        TP_TRY(transform_friction(factor + 1, factor[0], &result));
        break;
    case TP_SET_DUAL_CONE: /* A^-1 K* = (A K)*: the inverse factors on K */
        for (int k = 1; k < n && k <= TP_FRICTION_MAX; k++) inverse[k - 1] = 1.0 / factor[k];
        TP_TRY(transform_friction(inverse, 1.0 / factor[0], &result));
        break;
    }
    *set_out = result;
    return TP_OK;
}
