/* Force elements between two bodies: wrenches, energy and exact derivatives; docs/theory/forces.md.
   Vectors of fourteen numbers as in joints/rigid_row.h. */
#ifndef TP_MODEL_FORCES_FORCE_KINDS_H
#define TP_MODEL_FORCES_FORCE_KINDS_H

#include "model/joints/rigid_row.h"
#include "tippe/force.h"

typedef struct tp_pair_force {
    tp_wrench on_A, on_B; /* about the frame origins, in the world                                   */
    double potential;     /* [J]                                                                     */
    double dissipation;   /* [W]: minus the power of all that has no potential; active laws: negative */
} tp_pair_force;

/* Derivatives of the wrenches [14 x 14, column by column] with respect to positions (dr, dtheta in the world,
   e, velocities kept) and to velocities. */
typedef struct tp_pair_jacobian {
    double position[TP_PAIR_SIZE * TP_PAIR_SIZE], velocity[TP_PAIR_SIZE * TP_PAIR_SIZE];
} tp_pair_jacobian;

typedef struct tp_spring {
    tp_vec3 point_A, point_B;
    double stiffness, rest_length, damping;
    bool is_rope;
} tp_spring;

typedef struct tp_coordinate_spring {
    tp_basic_row row;
    double stiffness, rest, damping;
    tp_coordinate_law law; /* law.force NULL: linear */
} tp_coordinate_spring;

typedef struct tp_bushing {
    tp_coordinate_spring translation[3];
    tp_mat3 axes_A, axes_B;
    tp_vec3 rotational_stiffness, rotational_damping;
} tp_bushing;

typedef enum tp_force_kind {
    TP_FORCE_SPRING,
    TP_FORCE_COORDINATE_SPRING,
    TP_FORCE_BUSHING,
    TP_FORCE_KIND_COUNT
} tp_force_kind;

typedef struct tp_force_element {
    tp_force_kind kind;
    union {
        tp_spring spring;
        tp_coordinate_spring coordinate_spring;
        tp_bushing bushing;
    } as;
} tp_force_element;

/* "spring"; NULL outside of the kinds. */
const char *tp_force_kind_name(tp_force_kind kind);

/* Check the definition and make the element. The coordinate is one of a joint between the same bodies. */
tp_status tp_force_make_spring(const tp_spring_def *def, tp_force_element *force_out, tp_message *message);
tp_status tp_force_make_coordinate_spring(const tp_coordinate_spring_def *def, const tp_basic_row *coordinate,
                                          tp_force_element *force_out, tp_message *message);
tp_status tp_force_make_bushing(const tp_bushing_def *def, tp_force_element *force_out, tp_message *message);

void tp_force_evaluate(const tp_force_element *force, const tp_pair_motion *motion, tp_pair_force *out);

/* And its derivatives. */
void tp_force_linearise(const tp_force_element *force, const tp_pair_motion *motion, tp_pair_force *out,
                        tp_pair_jacobian *jacobian_out);

/* The kinds; jacobian may be NULL. Both outputs are added to. */
void tp_spring_add(const tp_spring *spring, const tp_pair_motion *motion, tp_pair_force *out,
                   tp_pair_jacobian *jacobian);
void tp_coordinate_spring_add(const tp_coordinate_spring *spring, const tp_pair_motion *motion,
                              tp_pair_force *out, tp_pair_jacobian *jacobian);
void tp_bushing_add(const tp_bushing *bushing, const tp_pair_motion *motion, tp_pair_force *out,
                    tp_pair_jacobian *jacobian);

/* block (3 x 3) is added to rows 3 i .. and columns 3 j .. of such a matrix. */
static inline void tp_pair_add_block(double *matrix, int i, int j, tp_mat3 block)
{
    double entries[9];
    tp_mat3_to_array(block, entries);
    for (int c = 0; c < 3; c++) {
        for (int r = 0; r < 3; r++) matrix[3 * i + r + TP_PAIR_SIZE * (3 * j + c)] += entries[r + 3 * c];
    }
}

#endif
