/* One block, exactly: P_i with xi_i = G_ii P_i + g and the block's own law; theory/solvers.md (3)-(9). */
#ifndef TP_SOLVER_SWEEPS_BLOCK_SOLVE_H
#define TP_SOLVER_SWEEPS_BLOCK_SOLVE_H

#include "base/stack.h"
#include "problem/local.h"

/* A spatial contact with a disc: [[a, b^T], [c, T]] is its diagonal block, S = T - c b^T / a. */
typedef struct tp_disc_record {
    double inverse_a, b1, b2, c1, c2; /* b and c divided by a */
    double s11, s12, s21, s22, trace, determinant, friction;
} tp_disc_record;

/* All blocks of a problem, prepared at their first use. */
typedef struct tp_block_solver {
    const tp_local *local;
    bool all_discs;          /* every set is a spatial contact with a disc, all blocks 3x3 */
    unsigned char *is_ready; /* [set_count] */
    tp_disc_record *disc;    /* [set_count] */
    double *slip;            /* [set_count] slip multiplier of the last visit: the next one starts from it  */
    unsigned char *may_stay; /* [set_count] contacts that may stick though nothing presses them together;
                                NULL: none */
} tp_block_solver;

/* Memory from the stack until the caller releases his mark. */
tp_status tp_block_solver_init(tp_block_solver *solver, const tp_local *local, tp_stack *stack);

/* Can friction press a contact together that nothing else does, of any of them? */
bool tp_block_any_can_jam(const tp_local *local);

/* Contacts that are loaded by this P stay closed where they can stick, even if they could open, too: of
   several solutions of a contact this is the one of TP_BRANCH_LOADED; theory/solvers.md (9a). */
tp_status tp_block_solver_keep_loaded(tp_block_solver *solver, const double *P, tp_stack *stack);

/* Solves block i for the free velocity g [size]; P is the whole vector: its block i is the start and receives
   the answer, its other blocks give the size of sets that follow them. ORTHANT and BOX sets of several rows:
   one pass row by row, so only repeated visits are exact. */
void tp_block_solve(tp_block_solver *solver, int i, const double *g, double *P);

/* Velocity of block i at P: c_i + sum_j G_ij P_j, without the block's own term if is_free (then it is the g
 * above). */
void tp_block_velocity(const tp_local *local, int i, const double *P, bool is_free, double *velocity_out);

/* The disc alone, for callers with their own loop; g_n, g_t the free velocity, p [3] the answer, slip in and
 * out. */
void tp_disc_prepare(const double *block, double friction, double rho, tp_disc_record *record_out);
void tp_disc_solve(const tp_disc_record *record, double g_n, double g_1, double g_2, double *slip, double *p);

/* A contact or an associated law of any shape and size, by semi-smooth Newton with a fixed-point fallback; D
   [size*size]. scale as in tp_set_project. Returns the natural-map residual |p - proj|. */
double tp_block_newton(const tp_set *set, double scale, const double *D, const double *g, double *p);

#endif
