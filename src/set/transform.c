/* Sets under a diagonal linear map; theory/sets.md (29). */
#include "tippe/set.h"

#include "set/friction_set.h"

#include <math.h>

static bool all_equal(int count, const double *factor)
{
    for (int k = 1; k < count; k++)
        if (factor[k] != factor[0]) return false;
    return true;
}

/* The body A^-1 D times `lift`, A = diag(factor); keeps to the shapes there are. */
static tp_status transform_body(int n, const double *factor, double lift, tp_set *set)
{
    double semi_axis[TP_BODY_MAX];
    switch (set->shape) {
    case TP_SHAPE_BALL:
    case TP_SHAPE_ELLIPSOID:
        for (int k = 0; k < n; k++)
            semi_axis[k] = lift * (set->parameter[set->shape == TP_SHAPE_BALL ? 0 : k] / factor[k]);
        if (!all_equal(n, semi_axis) && n > 3) return TP_UNSUPPORTED;
        set->shape = all_equal(n, semi_axis) ? TP_SHAPE_BALL : TP_SHAPE_ELLIPSOID;
        for (int k = 0; k < n && k < 3; k++) set->parameter[k] = semi_axis[k];
        return TP_OK;
    case TP_SHAPE_BRICK:
        for (int k = 0; k < n; k++) set->parameter[k] *= lift / factor[k];
        return TP_OK;
    case TP_SHAPE_CYLINDER:
    case TP_SHAPE_CONTENSOU:
        if (!all_equal(2, factor) || !all_equal(n - 2, factor + 2)) return TP_UNSUPPORTED;
        set->parameter[0] *= lift / factor[0];
        set->parameter[1] *= lift / factor[2];
        return TP_OK;
    case TP_SHAPE_NONE: break;
    }
    return TP_INVALID_ARGUMENT;
}

tp_status tp_set_transform(const tp_set *set, const double *factor, tp_set *set_out)
{
    tp_set result = *set;
    int n = set->size;
    double inverse[TP_BODY_MAX];
    for (int k = 0; k < n; k++)
        if (!(factor[k] > 0.0 && isfinite(factor[k]))) return TP_INVALID_ARGUMENT;
    switch (set->kind) {
    case TP_SET_FREE:
    case TP_SET_ZERO:
    case TP_SET_ORTHANT: break;
    case TP_SET_BOX:
        for (int k = 0; k < 2 * n; k++) result.parameter[k] /= factor[k / 2];
        break;
    case TP_SET_BODY: TP_TRY(transform_body(n, factor, 1.0, &result)); break;
    case TP_SET_CONTACT:
    case TP_SET_CONE: /* P_T in P_N D becomes P^_T in P^_N a_N A_T^-1 D */
        TP_TRY(transform_body(n - 1, factor + 1, factor[0], &result));
        break;
    case TP_SET_DUAL_CONE: /* A^-1 K* = (A K)*: the inverse factors on K */
        for (int k = 1; k < n; k++) inverse[k - 1] = 1.0 / factor[k];
        TP_TRY(transform_body(n - 1, inverse, 1.0 / factor[0], &result));
        break;
    }
    *set_out = result;
    return TP_OK;
}
