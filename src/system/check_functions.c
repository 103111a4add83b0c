/* What C functions depend on, by their derivatives at the start with velocities that are not 0: the same is
   refused as in formulas (model/dependence.c), whose names tell it before. */
#include "parts.h"

#include <math.h>
#include <string.h>

/* A function and what it may depend on: the first coordinates and velocities. */
typedef struct limits {
    const tp_scalar *scalar;
    const char *what;
    int coordinates, velocities;
} limits;

/* The first of the derivatives [from, to) that is not 0, -1: none. What is no number is judged elsewhere. */
static int first_nonzero(const double *derivative, int from, int to)
{
    for (int i = from; i < to; i++) {
        if (fabs(derivative[i]) > 0.0) return i;
    }
    return -1;
}

static tp_status check_function(tp_system *system, limits of, tp_message *why_out)
{
    const tp_function *function = &of.scalar->function;
    const tp_arguments *at = &system->at;
    int n = at->coordinate_count, m = at->velocity_count;
    double d_t = 0.0, *d_q = at->work, *d_u = d_q + n;
    if (of.scalar->formula != NULL || function->gradient == NULL) return TP_OK;
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

static tp_status check_inertia(tp_system *system, tp_message *why_out)
{
    const tp_model *model = system->model;
    int n = system->general_q, m = system->general_u;
    for (int i = 0; i < model->kinetic.count; i++) {
        limits of = {TP_LIST_AT(model->kinetic, tp_scalar, i), "the kinetic energy", n, m};
        TP_TRY(check_function(system, of, why_out));
    }
    for (int i = 0; i < model->mass.count; i++) {
        limits of = {&TP_LIST_AT(model->mass, tp_mass_entry, i)->value, "the mass matrix", n, 0};
        TP_TRY(check_function(system, of, why_out));
    }
    for (int i = 0; i < model->coordinates.count; i++) {
        limits of = {&TP_LIST_AT(model->coordinates, tp_variable, i)->rate, "the rate of a coordinate", n, m};
        TP_TRY(check_function(system, of, why_out));
    }
    return TP_OK;
}

static tp_status check_positions(tp_system *system, tp_message *why_out)
{
    const tp_model *model = system->model;
    int n = system->argument_q;
    for (int i = 0; i < model->potential.count; i++) {
        limits of = {TP_LIST_AT(model->potential, tp_scalar, i), "the potential", n, 0};
        TP_TRY(check_function(system, of, why_out));
    }
    for (int i = 0; i < model->springs.count; i++) {
        limits of = {&TP_LIST_AT(model->springs, tp_spring_contact, i)->gap, "the gap of a contact", n, 0};
        TP_TRY(check_function(system, of, why_out));
    }
    for (int i = 0; i < model->laws.count; i++) {
        const tp_law *law = TP_LIST_AT(model->laws, tp_law, i);
        if (law->source != TP_SOURCE_FORMULA || law->level == TP_LEVEL_VELOCITY) continue;
        limits of = {&law->row[0], "the position or gap of a law", n, 0};
        TP_TRY(check_function(system, of, why_out));
    }
    return TP_OK;
}

tp_status tp_system_check_functions(tp_system *system, tp_message *why_out)
{
    TP_TRY(check_inertia(system, why_out));
    return check_positions(system, why_out);
}
