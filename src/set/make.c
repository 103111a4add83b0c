/* Making sets, naming them, checking them. */
#include "tippe/set.h"

#include "set/friction_set.h"

#include <math.h>

static tp_set plain_set(tp_set_kind kind, tp_friction_kind friction_kind, int size)
{
    tp_set set = {kind, friction_kind, 0, size, 0, 0, {0.0, 0.0, 0.0, 0.0, 0.0, 0.0}};
    return set;
}

static tp_set with_parameters(tp_set set, const double *parameter, int count)
{
    for (int i = 0; i < count && i < 6; i++) set.parameter[i] = parameter[i];
    return set;
}

tp_set tp_set_free(int size)
{
    return plain_set(TP_SET_FREE, TP_FRICTION_NONE, size);
}

tp_set tp_set_zero(int size)
{
    return plain_set(TP_SET_ZERO, TP_FRICTION_NONE, size);
}

tp_set tp_set_orthant(int size)
{
    return plain_set(TP_SET_ORTHANT, TP_FRICTION_NONE, size);
}

tp_set tp_set_interval(double lower, double upper)
{
    return with_parameters(plain_set(TP_SET_BOX, TP_FRICTION_NONE, 1), (double[]){lower, upper}, 2);
}

tp_set tp_set_ball(int size, double radius)
{
    return tp_set_friction(TP_FRICTION_BALL, size, &radius);
}

tp_set tp_set_friction(tp_friction_kind kind, int size, const double *parameter)
{
    return with_parameters(plain_set(TP_SET_FRICTION, kind, size), parameter,
                           tp_friction_parameter_count(kind, size));
}

tp_set tp_set_following(tp_set friction, int master, int master_count)
{
    friction.master = master;
    friction.master_count = master_count;
    return friction;
}

tp_set tp_set_coulomb(int size, double friction)
{
    return tp_set_contact(TP_FRICTION_BALL, size, &friction);
}

tp_set tp_set_rolling(double friction, double rolling)
{
    return tp_set_contact(TP_FRICTION_CYLINDER, 5, (double[]){friction, rolling});
}

tp_set tp_set_contact(tp_friction_kind kind, int size, const double *parameter)
{
    return with_parameters(plain_set(TP_SET_CONTACT, kind, size), parameter,
                           tp_friction_parameter_count(kind, size - 1));
}

tp_set tp_set_cone(tp_set contact)
{
    contact.kind = TP_SET_CONE;
    return contact;
}

tp_set tp_set_dual_cone(tp_set contact)
{
    contact.kind = TP_SET_DUAL_CONE;
    return contact;
}

const char *tp_set_kind_name(tp_set_kind kind)
{
    switch (kind) {
    case TP_SET_FREE: return "free";
    case TP_SET_ZERO: return "zero";
    case TP_SET_ORTHANT: return "orthant";
    case TP_SET_BOX: return "box";
    case TP_SET_FRICTION: return "friction";
    case TP_SET_CONTACT: return "contact";
    case TP_SET_CONE: return "cone";
    case TP_SET_DUAL_CONE: return "dual cone";
    }
    return "unknown";
}

const char *tp_friction_kind_name(tp_friction_kind kind)
{
    return tp_friction_descriptor_of(kind)->name;
}

static tp_status check_box(const tp_set *set, tp_message *why_out)
{
    if (set->size > 3) return tp_fail(why_out, TP_INVALID_DATA, "box of %d rows: at most 3", set->size);
    for (int i = 0; i < set->size; i++) {
        double lower = set->parameter[2 * i], upper = set->parameter[2 * i + 1];
        if (!(lower <= upper) || lower == INFINITY || upper == -INFINITY)
            return tp_fail(why_out, TP_INVALID_DATA, "box row %d: no number between %g and %g", i, lower,
                           upper);
    }
    return TP_OK;
}

static tp_status check_friction(const tp_set *set, tp_message *why_out)
{
    int dimension = tp_friction_of(set).dimension;
    if (!tp_friction_has_dimension(set->friction_kind, dimension))
        return tp_fail(why_out, TP_INVALID_DATA, "%s with a %s in %d dimensions: there is none",
                       tp_set_kind_name(set->kind), tp_friction_kind_name(set->friction_kind), dimension);
    for (int k = 0; k < tp_friction_parameter_count(set->friction_kind, dimension); k++)
        if (!(set->parameter[k] >= 0.0 && isfinite(set->parameter[k])))
            return tp_fail(
                why_out, TP_INVALID_DATA, "%s with a %s: parameter %d is %g, must be finite and not negative",
                tp_set_kind_name(set->kind), tp_friction_kind_name(set->friction_kind), k, set->parameter[k]);
    return TP_OK;
}

tp_status tp_set_check(const tp_set *set, tp_message *why_out)
{
    if (set->size < 1 || set->first < 0)
        return tp_fail(why_out, TP_INVALID_DATA, "%s: %d rows from row %d", tp_set_kind_name(set->kind),
                       set->size, set->first);
    if (set->master_count < 0 || set->master < 0 || (set->master_count > 0 && set->kind != TP_SET_FRICTION))
        return tp_fail(why_out, TP_INVALID_DATA, "%s: %d master rows from row %d",
                       tp_set_kind_name(set->kind), set->master_count, set->master);
    switch (set->kind) {
    case TP_SET_FREE:
    case TP_SET_ZERO:
    case TP_SET_ORTHANT: return TP_OK;
    case TP_SET_BOX: return check_box(set, why_out);
    case TP_SET_FRICTION:
    case TP_SET_CONTACT:
    case TP_SET_CONE:
    case TP_SET_DUAL_CONE: return check_friction(set, why_out);
    }
    return tp_fail(why_out, TP_INVALID_DATA, "a set of unknown kind %d", (int)set->kind);
}
