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

/* The exact motion of one coordinate or velocity, a function of time alone. */
typedef struct tp_exact_entry {
    bool is_velocity;
    int index;
    tp_scalar value;
    tp_place place;
} tp_exact_entry;

typedef struct tp_sensor {
    const char *name, *unit;
    tp_scalar value;
} tp_sensor;

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
    tp_list exact;                           /* tp_exact_entry */
    double exact_until;                      /* [s] INFINITY: always */
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

/* Index by name, -1 if there is none; a velocity is one of the model's own, or x' (or x) where u = q'. */
int tp_model_find_coordinate(const tp_model *model, const char *name);
int tp_model_find_velocity(const tp_model *model, const char *name);

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

/* ---- the exact motion, evaluated (exact.c) --------------------------------------------------------------
 */

typedef struct tp_exact {
    const tp_exact_entry **of_q; /* [q_count] NULL: not known                                              */
    const tp_exact_entry **of_u; /* [u_count] that of the coordinate where the velocity is its derivative  */
    int q_count, u_count;
    tp_arguments at;
    double *gradient;
} tp_exact;

/* Memory comes from the arena; nothing is allocated later. */
tp_status tp_exact_create(tp_arena *arena, const tp_model *model, tp_exact *exact_out);

/* Values at a time; 0 for what is not known. */
void tp_exact_at(tp_exact *exact, double t, double *q_out, double *u_out);

#endif
