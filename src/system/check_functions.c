/* What C functions depend on, by their derivatives at the start with velocities that are not 0: the same is
   refused as in formulas (model/dependence.c), whose names tell it before. */
#include "parts.h"

#include <math.h>
#include <string.h>

/* What a function may depend on: the first coordinates and velocities. */
typedef struct limits {
    const char *what;
    int coordinates, velocities;
} limits;

/* The first of the derivatives [from, to) that is not 0, -1: none. NaN and infinities are judged elsewhere.
 */
static int first_nonzero(const double *derivative, int from, int to)
{
    for (int i = from; i < to; i++) {
        if (fabs(derivative[i]) > 0.0) return i;
    }
    return -1;
}

static tp_status check_function(tp_system *system, const tp_scalar *scalar, limits of, tp_message *why_out)
{
    const tp_function *function = &scalar->function;
    const tp_arguments *at = &system->at;
    int n = at->coordinate_count, m = at->velocity_count;
    double d_t = 0.0, *d_q = at->work, *d_u = d_q + n;
    if (scalar->formula != NULL || function->gradient == NULL) return TP_OK;
    memset(at->work, 0, (size_t)(n + m) * sizeof(double));
    function->gradient(function->self, at->z[TP_SLOT_TIME], at->q, at->u, &d_t, d_q, d_u);
    int i = first_nonzero(d_q, of.coordinates, n), j = first_nonzero(d_u, of.velocities, m);
    if (i < 0 && j < 0) return TP_OK;
    return tp_fail_at(why_out, TP_INVALID_DATA, function->place,
                      "%s is a C function with a derivative with respect to '%s' that is not 0; it must not "
                      "depend on %s",
                      of.what,
                      i >= 0 ? tp_model_coordinate_name(system->model, i)
                             : tp_model_velocity_name(system->model, j),
                      of.velocities == 0 && i < 0 ? "velocities" : "what belongs to bodies");
}

tp_status tp_system_check_functions(tp_system *system, tp_message *why_out)
{
    int n = system->general_q, m = system->general_u, all = system->argument_q;
    const limits of_roles[TP_SCALAR_ROLES] = {
        [TP_SCALAR_KINETIC] = {"the kinetic energy", n, m},
        [TP_SCALAR_MASS] = {"the mass matrix", n, 0},
        [TP_SCALAR_RATE] = {"the rate of a coordinate", n, m},
        [TP_SCALAR_POTENTIAL] = {"the potential", all, 0},
        [TP_SCALAR_SPRING_GAP] = {"the gap of a contact", all, 0},
        [TP_SCALAR_LAW_ROW] = {"the position or gap of a law", all, 0},
    };
    for (tp_scalar_walk at = {.model = system->model}; tp_scalar_next(&at);) {
        bool is_velocity = at.role == TP_SCALAR_LAW_ROW &&
                           (at.part > 0 || tp_system_law(system, at.index)->level == TP_LEVEL_VELOCITY);
        if (of_roles[at.role].what != NULL && !is_velocity)
            TP_TRY(check_function(system, at.scalar, of_roles[at.role], why_out));
    }
    return TP_OK;
}
