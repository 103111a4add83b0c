/* Scalar functions of (t, q, q', u): a compiled formula or the caller's C functions, behind one interface. */
#ifndef TP_MODEL_FUNCTION_H
#define TP_MODEL_FUNCTION_H

#include "formula/formula.h"
#include "tippe/model.h"

/* Slots of the argument vector: time, then for each i the coordinate q_i, its rate q_i', the velocity u_i and
   the reference of counted angle i of the joints: its value after the last step, to which angles in formulas
   are the nearest ones; input i, which is constant over a step; state i and multiplier i of the relations.
   Where the model has no velocities of its own, u = q' and the velocity slots are not used. */
enum { TP_SLOT_TIME = 0, TP_SLOTS_EACH = 7 };
static inline int tp_slot_coordinate(int i)
{
    return 1 + TP_SLOTS_EACH * i;
}
static inline int tp_slot_rate(int i)
{
    return 2 + TP_SLOTS_EACH * i;
}
static inline int tp_slot_velocity(int i)
{
    return 3 + TP_SLOTS_EACH * i;
}
static inline int tp_slot_reference(int i)
{
    return 4 + TP_SLOTS_EACH * i;
}
static inline int tp_slot_input(int i)
{
    return 5 + TP_SLOTS_EACH * i;
}
static inline int tp_slot_state(int i)
{
    return 6 + TP_SLOTS_EACH * i;
}
static inline int tp_slot_multiplier(int i)
{
    return 7 + TP_SLOTS_EACH * i;
}
static inline int tp_slot_index(int slot)
{
    return (slot - 1) / TP_SLOTS_EACH;
}

typedef enum tp_slot_kind {
    TP_SLOT_IS_TIME,
    TP_SLOT_IS_COORDINATE,
    TP_SLOT_IS_RATE,
    TP_SLOT_IS_VELOCITY,
    TP_SLOT_IS_REFERENCE,
    TP_SLOT_IS_INPUT,
    TP_SLOT_IS_STATE,
    TP_SLOT_IS_MULTIPLIER
} tp_slot_kind;
static inline tp_slot_kind tp_slot_kind_of(int slot)
{
    return slot == TP_SLOT_TIME ? TP_SLOT_IS_TIME
                                : (tp_slot_kind)(TP_SLOT_IS_COORDINATE + (slot - 1) % TP_SLOTS_EACH);
}

/* Whether what stands there changes with q and u: a coordinate, a rate or a velocity. */
static inline bool tp_slot_is_of_motion(int slot)
{
    tp_slot_kind kind = tp_slot_kind_of(slot);
    return kind == TP_SLOT_IS_COORDINATE || kind == TP_SLOT_IS_RATE || kind == TP_SLOT_IS_VELOCITY;
}

static inline bool tp_function_is_given(const tp_function *function)
{
    return function->formula != NULL || function->value != NULL || function->value_of != NULL;
}

typedef struct tp_scalar {
    const tp_formula *formula; /* NULL: C functions */
    tp_function function;
    int slot_count;
    const int *slots; /* ascending; gradients are compact over them */
    const int *place; /* of C functions of names: where argument k stands among the slots */
} tp_scalar;

/* What the evaluations of a model's functions share; sizes are known when the model is finished. */
typedef struct tp_arguments {
    int coordinate_count, velocity_count; /* all of q and of u */
    int rate_count;                       /* of the first velocities, which are rates of coordinates */
    double *z;                            /* by slot                                        */
    double *q, *u;                        /* plain copies for C functions                   */
    double *work;                         /* of the largest formula, and gradients for C functions */
} tp_arguments;

double tp_scalar_value(const tp_scalar *scalar, const tp_arguments *at);

/* gradient_out [slot_count], compact. Returns the value. */
double tp_scalar_gradient(const tp_scalar *scalar, const tp_arguments *at, double *gradient_out);

/* Rounding error of the value of the gradient just taken, to first order; of C functions what one rounding of
   the value makes. */
double tp_scalar_rounding(const tp_scalar *scalar, const tp_arguments *at, double value);

/* Derivative of the gradient along a direction given by slot (whole vector, indexed like z); product_out
 * [slot_count]. */
void tp_scalar_hessian_vector(const tp_scalar *scalar, const tp_arguments *at, const double *direction,
                              double *gradient_out, double *product_out);

bool tp_scalar_depends_on_kind(const tp_scalar *scalar, tp_slot_kind kind);

/* Doubles of work that evaluating this scalar needs. */
int tp_scalar_work_size(const tp_scalar *scalar, int coordinate_count, int velocity_count);

#endif
