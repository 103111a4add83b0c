/* First-order states and their relations: circuits, hydraulics, controllers; docs/theory/theta-gamma.md.
       M x' = f(t,x) + r(t,x,lambda),   y = y(t,x,lambda),   -y in N_C(lambda) for every relation.
   A model may have them alone, or besides coordinates and bodies, whose names their formulas may use. */
#ifndef TIPPE_STATES_H
#define TIPPE_STATES_H

#include "tippe/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A state. Its rate is the right side of its equation as one formula of t, states, multipliers, coordinates,
   velocities and inputs: f is its value where all multipliers are 0, r the rest. The formula may use names
   that are added later; it is read by tp_model_finish. Forces, wrenches, sensors and storage functions that
   are added after the state may use its name, and so may drawings; positions of laws, rates of coordinates
   and inertia may not. */
typedef struct tp_state_def {
    const char *name;
    const char *unit; /* for output; NULL: none */
    double initial;
    tp_function rate;
    tp_place place;
} tp_state_def;
typedef struct tp_state_id {
    const tp_model *model;
    int index; /* its place in x */
} tp_state_id;
tp_state_def tp_state_def_default(void);
tp_status tp_model_add_state(tp_model *model, const tp_state_def *def, tp_state_id *id_out,
                             tp_message *why_out);

/* M_ij of the equation of state i: a constant; M need be neither symmetric nor regular (a row of zeros is an
   algebraic equation). Rows without any entry are those of the unit matrix. */
tp_status tp_model_add_state_mass(tp_model *model, const char *state_i, const char *state_j, double value,
                                  tp_place place, tp_message *why_out);

/* The law of a relation: -y in N_C(lambda). */
typedef enum tp_relation_kind {
    TP_RELATION_COMPLEMENTARITY, /* 0 <= y _|_ lambda >= 0: an ideal diode, a check valve             */
    TP_RELATION_EQUALITY,        /* y = 0, lambda free                                                */
    TP_RELATION_BOX,   /* lambda in [lower, upper]; lower: y >= 0, upper: y <= 0, between: y = 0; with y of
                          lambda itself a saturation                                                   */
    TP_RELATION_RELAY, /* the box [-1, 1]: lambda = -sign(y), set-valued at 0                          */
    TP_RELATION_BALL,  /* |lambda| <= radius, and y points against it on the boundary: 2 or 3 rows      */
    TP_RELATION_KIND_COUNT
} tp_relation_kind;
const char *tp_relation_kind_name(int kind); /* "complementarity", ...; NULL: there is none */

/* `size` outputs y and as many multipliers. The law holds for each group of law_size of them. The multiplier
   of a relation of size 1 has the relation's name in formulas, those of others NAME.l1, NAME.l2, ... Outputs
   are formulas as rates are; they may use the multipliers of all relations. */
typedef struct tp_relation_def {
    const char *name;
    tp_relation_kind kind;
    const tp_function *output; /* [size] */
    int size;
    int law_size;        /* BALL: 2 or 3, which divides size; others: 0 or a divisor of size            */
    double lower, upper; /* BOX: may be infinite, lower <= upper                                         */
    double radius;       /* BALL */
    const char *unit;    /* of the multipliers, for output; NULL: none */
    const char *output_unit;
    tp_place place;
} tp_relation_def;
typedef struct tp_relation_id {
    const tp_model *model;
    int index; /* as in tp_model_relation */
} tp_relation_id;
tp_relation_def tp_relation_def_default(void);
tp_status tp_model_add_relation(tp_model *model, const tp_relation_def *def, tp_relation_id *id_out,
                                tp_message *why_out);

/* A storage function S(t, x): the report has its value and what is left of it [J]; several add up. */
tp_status tp_model_add_storage(tp_model *model, tp_function storage, tp_message *why_out);

/* What was built. */
int tp_model_state_count(const tp_model *model);
const char *tp_model_state_name(const tp_model *model, int i); /* NULL: there is none */
const char *tp_model_state_unit(const tp_model *model, int i);
int tp_model_find_state(const tp_model *model, const char *name); /* -1: there is none */
int tp_model_multiplier_count(const tp_model *model);
const char *tp_model_multiplier_name(const tp_model *model, int i);
const char *tp_model_multiplier_unit(const tp_model *model, int i);
const char *tp_model_output_unit(const tp_model *model, int i);

/* What the formulas of a relation depend on, found when the model is finished. */
typedef enum tp_relation_type {
    TP_RELATION_LINEAR,   /* y and r are linear in x and lambda, with constant coefficients  */
    TP_RELATION_TYPE_1,   /* y(t,x), r(t,lambda)                                              */
    TP_RELATION_TYPE_2,   /* y(t,x,lambda), r(t,lambda)                                       */
    TP_RELATION_NONLINEAR /* r depends on x, too                                              */
} tp_relation_type;
const char *tp_relation_type_name(int type); /* "linear", "type 1", ...; NULL: there is none */

typedef struct tp_relation_info {
    const char *name;
    tp_relation_kind kind;
    tp_relation_type type;
    int first;          /* of its multipliers */
    int size, law_size; /* scalar laws: law_size is size */
    int relation_count; /* size / law_size */
} tp_relation_info;

/* Relations by number. */
int tp_model_relation_count(const tp_model *model);
bool tp_model_relation(const tp_model *model, int i, tp_relation_info *info_out); /* false: there is none */

#ifdef __cplusplus
}
#endif

#endif
