/* Bodies and joints in few words, for tests of mechanisms. */
#ifndef TESTS_MECHANISMS_H
#define TESTS_MECHANISMS_H

#include "models.h"
#include "system/system.h"
#include "tippe/rotation.h"

static inline void add_body(tp_model *model, tp_body_kind kind, const char *name, tp_vec3 position,
                            tp_quat orientation)
{
    tp_body_def def = tp_body_def_default();
    def.name = name;
    def.kind = kind;
    def.mass = 1.5;
    def.inertia = tp_mat3_diagonal(tp_vec3_make(0.2, 0.3, 0.4));
    def.position = position;
    def.orientation = orientation;
    must(model, tp_model_add_body(model, &def, NULL, &build_why));
}

/* A body whose motion is given; at rest at t = 0. */
static inline void add_moving_body(tp_model *model, const char *name)
{
    tp_body_def def = tp_body_def_default();
    def.name = name;
    def.kind = TP_BODY_MOVING;
    def.motion[0] = TP_FORMULA("0.3*t^2");
    def.motion[1] = TP_FORMULA("0.2 - 0.1*t^3");
    def.motion[2] = TP_FORMULA("0");
    def.turning = TP_FORMULA("0.4*t^2");
    def.axis = tp_vec3_make(0.0, 0.0, 1.0);
    must(model, tp_model_add_body(model, &def, NULL, &build_why));
}

/* In the world at the start; an axis of zeros is not given. */
static inline void add_joint(tp_model *model, tp_joint_kind kind, const char *name, const char *a,
                             const char *b, tp_vec3 point, tp_vec3 axis)
{
    tp_joint_def def = tp_joint_def_default();
    def.name = name;
    def.kind = kind;
    def.is_in_world = true;
    def.A.point = point;
    def.A.axis = axis;
    must(model, tp_model_add_joint(model, a, b, &def, NULL, &build_why));
}

/* All contacts between shapes, however far they are. */
static inline void find_all_contacts(tp_system *system)
{
    const tp_model *model = system->model;
    bool changed;
    tp_contact_reach reach = {.margin = 1e3 * model->summary.size};
    tp_system_move(system, 0.0, model->q0, model->u0);
    if (tp_system_find_contacts(system, &reach, NULL, &changed) != TP_OK) fail();
}

static inline tp_system *make_system(tp_model *model)
{
    tp_system *system = NULL;
    if (tp_system_create(NULL, model, &system) != TP_OK) fail();
    find_all_contacts(system);
    return system;
}

#endif
