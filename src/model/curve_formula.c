/* Curves of joints whose components are formulas of the parameter s. With z(h) = s + h the Taylor
   coefficients of a formula are c, c', c'', and the gradient of the last one is c'''. */
#include "lists.h"

#include <stdio.h>

/* Evaluations work on the caller's stack, because several simulations may share a model. */
enum { WORK_MAX = 4096 };

typedef struct curve_formulas {
    const tp_formula *component[3];
} curve_formulas;

static void evaluate(void *self, double s, tp_vec3 *derivatives_out)
{
    const curve_formulas *curve = self;
    const double one = 1.0, none = 0.0;
    double c[4][3];
    for (int k = 0; k < 3; k++) {
        double work[WORK_MAX], value[3], third = 0.0;
        tp_formula_taylor(curve->component[k], &s, &one, &none, work, value, NULL, NULL, &third);
        for (int i = 0; i < 3; i++) c[i][k] = value[i];
        c[3][k] = third;
    }
    for (int i = 0; i < 4; i++) derivatives_out[i] = tp_vec3_make(c[i][0], c[i][1], c[i][2]);
}

static tp_status compile(tp_model *model, const char *text, tp_place place, tp_formula **formula_out)
{
    return tp_formula_compile(&model->arena, model->names, text, place, formula_out, model->message);
}

/* The formula becomes a function of the argument s, so that s may mean something else outside; it is then
   taken at the one variable there is, time, whose place s takes. */
static tp_status compile_component(tp_model *model, const tp_joint_def *def, int k, const tp_formula **out)
{
    static const char *const arguments[] = {"s"};
    const tp_function *given = &def->curve.formula[k];
    char name[48], call[64];
    tp_formula *formula;
    snprintf(name, sizeof name, "joint_%d_curve_%c", model->joints.count, "xyz"[k]);
    TP_TRY(tp_names_add_function(model->names, name, arguments, 1,
                                 given->formula != NULL ? given->formula : "0", given->place,
                                 model->message));
    snprintf(call, sizeof call, "%s(1)", name);
    TP_TRY(compile(model, call, given->place, &formula));
    if (tp_formula_slot_count(formula) > 0) {
        return tp_model_refuse(model, given->place,
                               "joint '%s': its curve must be a formula of s and parameters alone",
                               def->name);
    }
    snprintf(call, sizeof call, "%s(t)", name);
    TP_TRY(compile(model, call, given->place, &formula));
    if (tp_formula_work_size(formula) > WORK_MAX) {
        return tp_model_refuse(model, given->place,
                               "joint '%s': the formula of its curve is too long; give points instead",
                               def->name);
    }
    *out = formula;
    return TP_OK;
}

tp_status tp_model_compile_curve(tp_model *model, tp_joint_def *def_io)
{
    tp_curve_def *curve = &def_io->curve;
    if (def_io->kind != TP_JOINT_POINT_ON_CURVE || curve->formula[0].formula == NULL) return TP_OK;
    curve_formulas *formulas = TP_ARENA_ARRAY(&model->arena, curve_formulas, 1);
    if (formulas == NULL) return TP_OUT_OF_MEMORY;
    for (int k = 0; k < 3; k++) TP_TRY(compile_component(model, def_io, k, &formulas->component[k]));
    curve->self = formulas;
    curve->evaluate = evaluate;
    return TP_OK;
}
