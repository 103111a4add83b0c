/* Friction sets D, compact, convex and symmetric about 0, and what the laws need of them; docs/theory/sets.md
   section 2. z, p_out, y, normal are [dimension]; outputs may be the inputs of the same length. */
#ifndef TP_SET_FRICTION_SET_H
#define TP_SET_FRICTION_SET_H

#include "tippe/set.h"

typedef struct tp_friction_set {
    tp_friction_kind kind;
    int dimension;
    const double *parameter; /* borrowed */
} tp_friction_set;

/* What a kind of friction set is: one file, one descriptor, one line of TP_FRICTION_LIST. The functions see
   scale > 0 and an allowed dimension. */
typedef struct tp_friction_descriptor {
    const char *name;
    int least_dimension, most_dimension;
    int parameter_count; /* 0: one for each dimension */
    bool
        is_piecewise; /* its projection has kinks that depend on scale: Newton's error is not squared there */
    void (*project)(const tp_friction_set *D, double scale, const double *z, double *p_out);
    bool (*contains)(const tp_friction_set *D, double scale, const double *z);
    double (*support)(const tp_friction_set *D, const double *y);
    void (*boundary)(const tp_friction_set *D, const double *normal, double *p_out);
    void (*derivative)(const tp_friction_set *D, double scale, const double *z, double *dz_out);
    /* Makes of D the set lift diag(factor)^-1 D, factor [dimension] > 0; NULL: that is none of the kinds. */
    tp_status (*transform)(int dimension, const double *factor, double lift, tp_set *set);
} tp_friction_descriptor;

/* The transforms of balls and ellipsoids, and of sets with a radius p0 in the plane and p1 beside it. */
tp_status tp_friction_transform_round(int dimension, const double *factor, double lift, tp_set *set);
tp_status tp_friction_transform_radii(int dimension, const double *factor, double lift, tp_set *set);

#define TP_FRICTION_EXTERN(KIND, name) extern const tp_friction_descriptor tp_friction_##name;
TP_FRICTION_LIST(TP_FRICTION_EXTERN)

const tp_friction_descriptor *tp_friction_descriptor_of(tp_friction_kind kind);

/* The friction set of a FRICTION, CONTACT, CONE or DUAL_CONE set, borrowed from it. */
static inline tp_friction_set tp_friction_of(const tp_set *set)
{
    return (tp_friction_set){set->friction_kind, set->kind == TP_SET_FRICTION ? set->size : set->size - 1,
                             set->parameter};
}

/* Nearest point of scale*D; the point 0 for scale <= 0 (an open contact transmits no friction). */
void tp_friction_project(const tp_friction_set *D, double scale, const double *z, double *p_out);

/* z in scale*D, without any tolerance; scale < 0 counts as 0. */
bool tp_friction_contains(const tp_friction_set *D, double scale, const double *z);

/* s_D(y) = max of y.p over D. */
double tp_friction_support(const tp_friction_set *D, const double *y);

/* A point of D whose outer normal is `normal` (not necessarily of length 1): the gradient of s_D. Sliding
   friction is P_T = -P_N boundary(xi_T). Where it is not unique (faces, normal = 0) the one of least norm
   along the free directions. */
void tp_friction_boundary(const tp_friction_set *D, const double *normal, double *p_out);

/* An element of the generalised derivative of tp_friction_project: dz_out [n*n] column-major (symmetric) with
   respect to z, dscale_out [n] with respect to scale (may be NULL). Both are 0 for scale <= 0. */
void tp_friction_project_derivative(const tp_friction_set *D, double scale, const double *z, double *dz_out,
                                    double *dscale_out);

/* Semi-axes of a ball or an ellipsoid, [dimension]: scaled by them it is the unit ball. 1 for other kinds.
   True where that scaling exists: a round kind, no axis 0. */
bool tp_friction_semi_axes(const tp_friction_set *D, double *axis_out);

/* True when the kind exists in n dimensions, and how many parameters it has there (else 0). */
bool tp_friction_has_dimension(tp_friction_kind kind, int n);
int tp_friction_parameter_count(tp_friction_kind kind, int n);

#endif
