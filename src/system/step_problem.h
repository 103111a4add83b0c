/* The one-step problem of a time step, in memory for the largest case: one builder for all schemes. Plain, a
   problem has one unknown for each velocity of the model, one set for each law, and C = A^T in the same
   arrays. Its form may ask for more: several unknowns a velocity (blocks of u_count), C other than A^T,
   several sets of rows a law, one for each level on which it acts. That is the linearisation of steps on two
   levels (theory/consistent.md (20)) and on three (generalized-alpha.md (12)). */
#ifndef TP_SYSTEM_STEP_PROBLEM_H
#define TP_SYSTEM_STEP_PROBLEM_H

#include "problem/ball_rows.h"
#include "redundancy.h"
#include "system.h"
#include "tippe/problem.h"

enum { TP_BLOCKS_MAX = 3 };

typedef struct tp_step_form {
    int block_count;                     /* unknowns for each velocity; from 2 on C and A are apart */
    int (*set_count)(const tp_law *law); /* in how many sets the rows of a law stand at most; NULL: one */
} tp_step_form;

typedef struct tp_step_problem {
    tp_problem problem; /* M x = f + A P, xi = C x + D P + b; plain: D of compliant contacts alone */
    tp_step_form form;
    int m; /* u_count */
    int capacity_rows, capacity_sets;
    size_t capacity_entries, capacity_blocks; /* of A, of D */
    double *P;                                /* [capacity_rows] start and answer */

    /* filled by tp_step_problem_add and companions, which plain problems have */
    int *law;       /* [capacity_sets] which law a set belongs to; compliant contacts follow the laws */
    double *row;    /* [TP_LAW_ROWS * largest_columns] rows of one law */
    int *first_row; /* [capacity_sets] first row of a law in the problem, -1: not in it */
    unsigned char *is_static; /* [capacity_sets] laws that have their static bound, tp_step_problem_bound */

    /* contacts between balls, whose rows are written where they are asked for */
    bool may_be_balls;        /* all contacts that the model may have are such ones                     */
    bool has_matrix;          /* M of such a model is written */
    bool are_balls;           /* those of the present problem are, and A and D are not written yet ...   */
    tp_ball_contact *contact; /* ... [capacity_sets]                                                    */
    double (*turn)[9];        /* [bodies] */
    int *body_of_shape;       /* [shapes] */
    tp_ball_rows balls;       /* both                                                                   */

    /* with several blocks */
    double *x;         /* [x_count] start and answer */
    tp_sparse pattern; /* of a block: forces, and the columns of each law with themselves */
    int *force_place;  /* entries of the system's jacobian_pattern in it */
    int *mass_place;   /* entries of its mass_pattern in it              */
} tp_step_problem;

/* ---- memory ---- */

/* Largest numbers of sets, rows, values and blocks of D (0: one block a set), entries of A and of M. */
typedef struct tp_problem_sizes {
    size_t sets, rows, blocks, pairs, entries, matrix;
} tp_problem_sizes;

/* Memory of a problem with x_count unknowns, from the arena; Ct is A. */
tp_status tp_problem_take(tp_arena *arena, const tp_problem_sizes *sizes, tp_problem *p);
tp_sparse tp_problem_take_sparse(tp_arena *arena, size_t cols, size_t entries);

/* Memory from the arena, for all laws of the system at once. form NULL: a plain problem, with room for some
   contacts more, so that memory grows in steps. */
tp_status tp_step_problem_create(tp_arena *arena, tp_system *system, const tp_step_form *form,
                                 tp_step_problem **problem_out);

/* Is there room for all laws that the system has now? */
bool tp_step_problem_fits(const tp_step_problem *problem, const tp_system *system);

/* ---- any form: sets first, then the matrix and the rows ---- */

/* No sets. */
void tp_step_problem_clear(tp_step_problem *step);

/* Appends a set with D = 0 and b = 0, and its start P0 [size] (NULL: 0). Returns its first row. */
int tp_step_problem_add_set(tp_step_problem *step, const tp_set *set, const double *P0);

/* The set number i acts by its own law, or (is_on false) has P = 0: an inclusion may switch laws of one level
   by what is found on another. */
void tp_step_problem_switch(tp_step_problem *step, int i, const tp_set *own, bool is_on);

/* Row k of the set number i has xi = value P instead of its law: it has no share in the step. Its entries of
   A are 0 from now on; rows that are put later must be empty. */
void tp_step_problem_leave_out(tp_step_problem *step, int i, int k, double value);

/* factor times values in a pattern (NULL: that of the problem), in the place (row, column) of the matrix of
   x; values NULL: nothing. */
typedef struct tp_block {
    int row, column;
    const tp_sparse *pattern;
    double factor;
    const double *values;
} tp_block;

/* All blocks of the matrix; those of one column stand in ascending order of their rows. Zeros are left out:
   bodies without common inertia stay apart. */
void tp_step_problem_set_matrix(tp_step_problem *step, const tp_block *blocks, int count);

/* One column of A or of C transposed: what it holds in the places of each block, over columns of a law; NULL:
   nothing. */
typedef struct tp_block_column {
    int count;
    const int *columns;
    double factor[TP_BLOCKS_MAX];
    const double *in[TP_BLOCKS_MAX];
} tp_block_column;

/* Row by row, in order, from row 0. Ct NULL: C is A transposed, in the same arrays. */
void tp_step_problem_put_row(tp_step_problem *step, int row, const tp_block_column *A,
                             const tp_block_column *Ct);

/* ---- plain: a law with its rows at once ---- */

/* Empties it and sets M (values in a pattern) and f [u_count]; NULL: 0. */
void tp_step_problem_begin(tp_step_problem *step, const tp_sparse *pattern, const double *M, const double *f);

/* Appends a law: rows W over its columns, b and the start P0 [row_count]; force bounds are multiplied by dt.
   A law whose set follows another's impulse comes after that one. */
void tp_step_problem_add(tp_step_problem *step, const tp_system *system, int law, const double *W,
                         const double *b, const double *P0, double dt);

/* The same for many laws, of which tasks may do all but the first and the fourth part side by side: all sets
   are placed, filled, their entries counted, the counts summed from the first of these sets on, the entries
   written. b and P of their rows are the caller's. */
void tp_step_problem_place(tp_step_problem *step, const tp_system *system, int law);
void tp_step_problem_fill(tp_step_problem *step, const tp_system *system, int set, double dt);
void tp_step_problem_count(tp_step_problem *step, const tp_system *system, int set, const double *W);
void tp_step_problem_sum(tp_step_problem *step, int first_set);
void tp_step_problem_write(tp_step_problem *step, const tp_system *system, int set, const double *W);

/* Contacts between balls (problem/ball_rows.h), where the model has no other laws: the problem has no sets
   yet. Turns of all bodies at the present point; sets are placed one after the other, then filled, which
   tasks may do side by side (false: it is none of balls; then the problem is begun again); the end makes them
   those of the problem. */
void tp_step_balls_begin(tp_step_problem *step, const tp_system *system);
void tp_step_balls_place(tp_step_problem *step, int law);
bool tp_step_balls_fill(tp_step_problem *step, tp_system *system, int set);
void tp_step_balls_end(tp_step_problem *step);

/* Memory for that, if all contacts of the model are of balls and it has no other laws. */
tp_status tp_step_balls_take(tp_arena *arena, const tp_system *system, tp_step_problem *step);

/* u of a contact of balls at velocities of the model. */
void tp_step_balls_velocity(const tp_step_problem *step, int set, const double *u, double *xi_out);

/* A and D, if they are not written yet. */
void tp_step_problem_write_rows(tp_step_problem *step);

/* Rows of the law that was added last, a joint, that depend on others are left out. */
void tp_step_problem_leave_out_redundant(tp_step_problem *step, const tp_redundancy *redundancy);

/* Appends only the first rows of a law (set->size of them) with a set of its own. */
void tp_step_problem_add_rows(tp_step_problem *step, const tp_system *system, int law, const tp_set *set,
                              const double *W, const double *b, const double *P0);

/* All bounds of friction of a set times a factor. */
void tp_set_scale_friction(tp_set *set, double factor);

/* Set i of the problem has the static bound of its law from now on, or that of sliding;
   theory/static-friction.md. */
void tp_step_problem_bound(tp_step_problem *step, const tp_system *system, int set, bool is_static,
                           double dt);

/* Appends a compliant contact as a law 0 <= P _|_ xi >= 0 with xi = W^T x + D P + b; index counts compliant
 * contacts. */
void tp_step_problem_add_spring(tp_step_problem *step, const tp_system *system, int index, const double *W,
                                double D, double b, double P0);

#endif
