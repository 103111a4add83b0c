/* The inside of the manifold, shared by the files of jet/. */
#ifndef TP_JET_PARTS_H
#define TP_JET_PARTS_H

#include "jet.h"

#include "base/arena.h"
#include "system/constraint_rows.h"
#include "tippe/rotation.h"

/* Four Euler parameters and three angular velocities of a rigid body. */
typedef struct tp_jet_turn {
    int q, u; /* first places */
    int body;
} tp_jet_turn;

/* Rows of a law over coordinates. */
typedef struct tp_jet_law {
    int law, first, row_count; /* its rows among all                                      */
    int count, *column;        /* coordinates it touches, ascending                       */
    bool is_joint;             /* of bodies at rest or with coordinates: basic rows       */
} tp_jet_law;

/* Equations A^T D A x = b of sparse A and a diagonal D, by factors or conjugate gradients. */
typedef struct tp_jet_gram {
    tp_constraint_rows rows; /* A, S = A^T D A with unit diagonal, and its factors */
    const double *weight;    /* D; NULL: 1 */
    double *right, *work;    /* [row_count], [3 row_count] */
} tp_jet_gram;

struct tp_jet {
    const tp_allocator *allocator;
    tp_arena arena;
    tp_jet_options options;
    tp_system *system;
    int n, m;  /* coordinates y, velocities u */
    int *u_of; /* [n] velocity of a coordinate; -1: an Euler parameter */
    int turn_count;
    tp_jet_turn *turn;
    double *u;       /* [m] */
    double *atol_of; /* [state] */
    double *weight;  /* [m] of a change of u in y: 1, of rotations 4 */

    /* accelerations */
    tp_redundancy *redundancy;
    tp_saddle *saddle;
    tp_factor *mass;       /* of M; schur, gradients          */
    tp_sparse mass_values; /* M in its pattern                */
    double *jacobian;      /* work of the energy's slopes     */
    double *h, *a, *force, *g2;
    double *row_force; /* [m] W lambda */
    double *schur, *column, *multiplier, *schur_work;

    /* constraints in velocities u */
    tp_jet_gram along;              /* W */
    double *g, *gamma, *mu, *total; /* [rows] */

    /* constraints in coordinates y */
    int law_count;
    tp_jet_law *law;
    tp_sparse D;            /* n x rows: dg as columns            */
    double *E;              /* values in the pattern of D: d(dg y1)/dy */
    double *hessian;        /* work of one row                    */
    tp_jet_gram flat;       /* dg: quasi                          */
    tp_jet_gram full;       /* all conditions: orthogonal         */
    double *F, *nu, *step;  /* [conditions] values, multipliers and their change */
    double *start, *change; /* [2 n] */
    double *kkt;            /* dense matrix of Newton's method with curvature; NULL: not asked for */
    int *kkt_pivot;
    double *kkt_right;

    /* invariants */
    int invariant_count, sensor[TP_JET_INVARIANTS];
    double kept[TP_JET_INVARIANTS], value[TP_JET_INVARIANTS];
    double *slope;                     /* [invariant_count][2 n] gradients over (y, y1)     */
    double *by_position, *by_velocity; /* [m] */
    struct {
        double t, done, power; /* at the start of a step: time, work since the start of the run, its rate */
    } work;

    bool was_driven; /* inputs or applied wrenches in the last step */
    tp_jet_counts counts;
    int iterations, sweeps; /* of the present projection */
};

/* Column r of A times x. */
static inline double tp_jet_row_product(const tp_sparse *A, int r, const double *x)
{
    return tp_row_velocity(A->start[r + 1] - A->start[r], A->index + A->start[r], A->value + A->start[r], x);
}

/* ---- jet_point.c ---- */

void tp_jet_rates(const tp_jet *jet, const double *y, const double *u, double *y1_out);
void tp_jet_move(tp_jet *jet, double t, const double *z);
/* y moves along velocities: r += x, theta turns and keeps its length up to second order. */
void tp_jet_shift(const tp_jet *jet, const double *x, double *y);
/* A covector on velocities as one on coordinates, 2 H^T of rotations: added. */
void tp_jet_add_covector(const tp_jet *jet, const double *y, const double *x, double *out);
/* What counts as reached: the tolerance, or the rounding of numbers as large as this. */
double tp_jet_goal(const tp_jet *jet, double size);

/* ---- jet_gram.c ---- */

/* Memory for gram->rows, whose A is there. */
tp_status tp_jet_gram_create(tp_jet *jet, tp_jet_gram *gram);
/* After A has changed. */
tp_status tp_jet_gram_update(tp_jet_gram *gram);
/* x_out of A^T A x = b. */
void tp_jet_gram_solve(const tp_jet *jet, tp_jet_gram *gram, const double *b, double *x_out);
/* One step of Gauss and Newton from z to the nearest point jet->start + A total with A^T (z - start) and the
   conditions F = 0; z [n], F is overwritten, step [rows] work: total -= (A^T D A)^-1 (F + A^T (start - z + A
   total)); (32), (39). The right side goes to 0, so that inexact solutions of it do. */
tp_status tp_jet_gram_approach(tp_jet *jet, tp_jet_gram *gram, int n, double *F, double *step, double *total,
                               double *z);

/* out = S x of a symmetric matrix. */
typedef void tp_jet_product(void *context, const double *x, double *out);
/* x of S x = right by conjugate gradients, from 0, until the residual is `part` of the right side or after so
   many iterations; work [3 n]. Returns the square of the residual that is left. */
double tp_jet_conjugate_gradients(int n, int most, double part, tp_jet_product *product, void *context,
                                  const double *right, double *work, double *x_out);

/* ---- jet_rows.c ---- */

tp_status tp_jet_rows_create(tp_jet *jet);
/* g, gamma and D at z, where the system is; with_rates: E too. */
void tp_jet_rows_evaluate(tp_jet *jet, const double *z, bool with_rates);
/* Adds sum of mu_k d2g_k + nu_k d3g_k(y1, ., .) and the mixed block sum of nu_k d2g_k of joints to a dense
   matrix over (y, y1), `lead` its leading dimension. */
void tp_jet_rows_add_curvature(tp_jet *jet, const double *z, const double *mu, const double *nu, double *K,
                               int lead);

/* ---- jet_distribution.c, jet_invariant.c, jet_orthogonal.c ---- */

tp_status tp_jet_distribution_create(tp_jet *jet);
void tp_jet_distribution_free(tp_jet *jet);
tp_status tp_jet_invariants_create(tp_jet *jet, tp_message *why);
/* value[] minus kept[] into `value`, with gradients into `slope` if asked for, where the system is. */
void tp_jet_invariants_evaluate(tp_jet *jet, double t, const double *z, bool with_slopes);
/* One of them: value, and slopes along velocities at fixed y1 into by_position, by_velocity. */
void tp_jet_invariant_slopes(tp_jet *jet, double t, const double *z, int k);
/* Adds factor times the second derivatives of the kinetic energy of bodies, as above. */
void tp_jet_invariants_add_curvature(tp_jet *jet, const double *z, double factor, double *K, int lead);
double tp_jet_invariant_goal(const tp_jet *jet);
/* How far lengths of Euler parameters, and their rates, are off. */
double tp_jet_length_error(const tp_jet *jet, const double *z);
/* Do the constraints hold, by the values of the last tp_jet_rows_evaluate? speed: size of the velocities. */
bool tp_jet_rows_hold(const tp_jet *jet, double speed);
/* Keeps the energy from here on: it has jumped with an input. */
void tp_jet_anchor_energy(tp_jet *jet, double t, const double *z);
/* The work of the step by the trapezoidal rule, where the system is, into z. */
void tp_jet_book_work(tp_jet *jet, double t, double *z);
tp_status tp_jet_orthogonal_create(tp_jet *jet);
tp_status tp_jet_project_orthogonally(tp_jet *jet, double t, bool onto_invariants, double *z);

#endif
