/* The inside of a model: lists of what was added, compiled. Filled by model.c and laws.c, checked by
 * finish.c, evaluated by system/. */
#ifndef TP_MODEL_MODEL_H
#define TP_MODEL_MODEL_H

#include "frame.h"
#include "function.h"
#include "tippe/body.h"

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

enum { TP_LAW_ROWS = TP_PERCUSSION_ROWS };

/* What the rows of a law are made of. */
typedef enum tp_law_source {
    TP_SOURCE_FORMULA,     /* `row`; element unused                                           */
    TP_SOURCE_JOINT,       /* rows of model->joints[element]                                  */
    TP_SOURCE_COMBINATION, /* one row: model->combinations[element]                           */
    TP_SOURCE_SPIN, /* angular velocity of B seen from A in the world, three rows: model->joints[element] */
    TP_SOURCE_PAIR  /* contact point `slot` of model->pairs[element]                   */
} tp_law_source;

/* Constraint, contact or velocity law: rows and a set. Of formulas, row 0 of POSITION and GAP laws is the
 * derivative of a function of (t, q); of joints, all rows are. */
typedef struct tp_law {
    const char *name;
    tp_level level;
    tp_law_source source;
    int element, slot;
    int row_count;
    unsigned angle_rows; /* bit k: row k is an angle, its error is reported in rad */
    int master_law; /* whose percussion rows [master_first, + master_count) bound the set; count 0: none */
    int master_first, master_count;
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

/* A body: a frame that moves with coordinates of its own, or as given functions of time. */
typedef struct tp_body {
    const char *name;
    tp_body_kind kind;
    double mass;
    tp_mat3 inertia; /* about the centre of mass, in the body's directions            */
    tp_vec3 center;  /* of mass, in the frame in which the user gives points          */
    int q_first, q_count, u_first, u_count; /* places in q and u */
    tp_scalar motion[4]; /* of a MOVING body: position, and the angle about axis          */
    bool is_turning;     /* ... the angle is given                                        */
    tp_vec3 axis;
    tp_quat orientation; /* of a MOVING body before it turns; of a POINT: none  */
} tp_body;

struct tp_model {
    const tp_allocator *allocator;
    tp_arena arena;
    tp_message message;
    tp_names *names;
    const char *name;
    bool is_finished;
    tp_list coordinates, velocities;           /* tp_variable */
    double *initial_rates;                     /* of coordinates, where u = q': kept beside them */
    tp_list kinetic, potential, dissipation;   /* tp_scalar */
    tp_list mass;                              /* tp_mass_entry */
    tp_list forces;                            /* tp_force_entry */
    tp_list linear;                            /* tp_linear_part */
    tp_list laws;                              /* tp_law */
    tp_list springs;                           /* tp_spring_contact */
    tp_list sensors;                           /* tp_sensor */
    tp_list bodies;                            /* tp_body */
    tp_list body_coordinates, body_velocities; /* tp_variable: all bodies' in order, after those above */
    tp_vec3 gravity;
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

const char *tp_model_copy_text(tp_model *model, const char *text);

/* A body that is no body: the ground. */
enum { TP_GROUND = -1 };

/* Of the coordinates and velocities that belong to no body. */
static inline int tp_model_general_velocity_count(const tp_model *model)
{
    return model->velocities.count > 0 ? model->velocities.count : model->coordinates.count;
}
static inline int tp_model_coordinate_count(const tp_model *model)
{
    return model->coordinates.count + model->body_coordinates.count;
}
static inline bool tp_model_has_own_velocities(const tp_model *model)
{
    return model->velocities.count > 0;
}
static inline int tp_model_velocity_count(const tp_model *model)
{
    return tp_model_general_velocity_count(model) + model->body_velocities.count;
}

#endif
