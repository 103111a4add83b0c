/* The inside of a model: lists of what was added, compiled. Filled by model.c and laws.c, checked by
 * finish.c, evaluated by system/. */
#ifndef TP_MODEL_MODEL_H
#define TP_MODEL_MODEL_H

#include "function.h"

/* A list that grows inside the model's arena. */
typedef struct tp_list {
    void *items;
    int count, capacity;
} tp_list;

typedef struct tp_variable {
    const char *name, *unit;
    double initial;
    bool has_rate;
    tp_scalar rate; /* of a coordinate, where the model has velocities of its own */
} tp_variable;

typedef struct tp_mass_entry {
    int i, j; /* velocities, i <= j */
    tp_scalar value;
} tp_mass_entry;

typedef struct tp_force_entry {
    bool on_velocity; /* else on a coordinate */
    int index;
    tp_scalar value;
} tp_force_entry;

typedef struct tp_linear_part {
    int n;
    const double *M, *C, *K; /* n*n column-major on the first n coordinates; C, K may be NULL */
} tp_linear_part;

typedef enum tp_level { TP_LEVEL_POSITION, TP_LEVEL_VELOCITY, TP_LEVEL_GAP } tp_level;

enum { TP_LAW_ROWS = 4 };

/* Constraint, contact or velocity law: rows and a set. Row 0 of POSITION and GAP laws is the derivative of a
 * function of (t, q). */
typedef struct tp_law {
    const char *name;
    tp_level level;
    int row_count;
    tp_scalar row[TP_LAW_ROWS];
    double row_factor[TP_LAW_ROWS]; /* scales a velocity row (drilling rows are multiplied by Rbar) */
    double restitution[TP_LAW_ROWS];
    tp_set set;          /* for a percussion; a set bounded by a force has its bounds per second */
    bool is_force_bound; /* the set is multiplied by the time step */
} tp_law;

/* A compliant contact: potential min(0, g)^2 / (2 compliance). */
typedef struct tp_spring_contact {
    const char *name;
    tp_scalar gap;
    double compliance;
} tp_spring_contact;

typedef struct tp_sensor {
    const char *name, *unit;
    tp_scalar value;
} tp_sensor;

/* A figure of (t, q); coordinates that were not given have neither formula nor function. */
typedef struct tp_drawing {
    const char *name;
    tp_primitive_kind kind;
    tp_colour colour;
    bool is_filled;
    int law; /* -1: none */
    int vertex_count;
    tp_scalar *coordinates; /* [3 vertex_count] */
    tp_scalar radius;
    tp_place place;
} tp_drawing;

struct tp_model {
    const tp_allocator *allocator;
    tp_arena arena;
    tp_message message;
    tp_names *names;
    const char *name;
    bool is_finished;
    tp_list coordinates, velocities;         /* tp_variable */
    double *initial_rates;                   /* of coordinates, where u = q': kept beside them */
    tp_list kinetic, potential, dissipation; /* tp_scalar */
    tp_list mass;                            /* tp_mass_entry */
    tp_list forces;                          /* tp_force_entry */
    tp_list linear;                          /* tp_linear_part */
    tp_list laws;                            /* tp_law */
    tp_list springs;                         /* tp_spring_contact */
    tp_list sensors;                         /* tp_sensor */
    tp_list drawings;                        /* tp_drawing */
    int constraint_count, contact_count;
    bool has_constant_mass; /* found when finished */
    bool is_autonomous;
    const char **velocity_names; /* x' for each coordinate, where u = q' (when finished) */
    const char **velocity_units;
    double *q0, *u0; /* initial state, when finished */
    tp_model_summary summary;
};

#define TP_LIST_AT(list, type, i) (&((type *)(list).items)[i])

/* Room for one more item of the given size, zeroed; NULL when out of memory. */
void *tp_list_add(tp_arena *arena, tp_list *list, size_t item_bytes);

/* Fails if the model is finished. */
tp_status tp_model_check_open(tp_model *model);

/* Compiles a function of the model's names; `what` is used in messages ("the gap of contact 'beak'"). */
tp_status tp_model_compile(tp_model *model, const tp_function *function, const char *what,
                           tp_scalar *scalar_out);

/* The same for a function of (t, q) alone: "the gap of 'beak'". */
tp_status tp_model_compile_position(tp_model *model, const tp_function *function, const char *name,
                                    const char *what, tp_scalar *scalar_out);

/* Whether a formula or C functions were given at all. */
static inline bool tp_function_is_given(const tp_function *function)
{
    return function->formula != NULL || function->value != NULL;
}

/* All drawings at the initial state, which must be known: finite, radii not negative. */
tp_status tp_model_check_drawings(tp_model *model);

const char *tp_model_copy_text(tp_model *model, const char *text);

static inline int tp_model_coordinate_count(const tp_model *model)
{
    return model->coordinates.count;
}
static inline bool tp_model_has_own_velocities(const tp_model *model)
{
    return model->velocities.count > 0;
}
static inline int tp_model_velocity_count(const tp_model *model)
{
    return model->velocities.count > 0 ? model->velocities.count : model->coordinates.count;
}

#endif
