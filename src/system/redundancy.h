/* Joint rows that depend on others at the present positions: which may be left out, and reactions of least
   norm of all rows; docs/theory/consistent.md (R1)-(R6). */
#ifndef TP_SYSTEM_REDUNDANCY_H
#define TP_SYSTEM_REDUNDANCY_H

#include "constraint_rows.h"
#include "system.h"
#include "tolerances.h"

typedef struct tp_redundancy tp_redundancy;

/* For all bilateral laws on positions. The system is borrowed. All memory is taken here. */
tp_status tp_redundancy_create(const tp_allocator *allocator, tp_system *system,
                               tp_redundancy **redundancy_out);
void tp_redundancy_free(tp_redundancy *redundancy);

/* From now on no row is left out. */
void tp_redundancy_rest(tp_redundancy *redundancy);

/* So many rows depend on others wherever the joints hold, as at the start: they are found beside the joints
   too, where a scheme on velocity level lets positions drift. */
void tp_redundancy_expect(tp_redundancy *redundancy, int count);

/* Chooses at the system's present point, from its positions alone; M: values in mass_pattern. */
tp_status tp_redundancy_find(tp_redundancy *redundancy, const double *M);

/* True if rows that are not left out are so nearly dependent that the next positions may be singular. */
bool tp_redundancy_is_near(const tp_redundancy *redundancy);

/* Number of rows that are left out; whether row k of a law is one of them. */
int tp_redundancy_count(const tp_redundancy *redundancy);
bool tp_redundancy_leaves_out(const tp_redundancy *redundancy, int law, int k);

/* What a row that is left out has instead of its law: velocity per impulse a^T M^-1 a, M by its diagonal.
 */
double tp_redundancy_diagonal(const tp_redundancy *redundancy, int law, int k);

/* A row that turned out to be needed is kept in this step after all. */
void tp_redundancy_keep(tp_redundancy *redundancy, int law, int k);

/* The impulses [law_count * TP_LAW_ROWS] of joints become those of least norm with the same generalised
   force W P at the point of the choice; those of other laws stay; (R6). */
void tp_redundancy_share(const tp_redundancy *redundancy, double *impulse_io);

/* Rows [row_count][columns] of a joint and its chi [row_count], as the choice found them at its point; NULL:
   they were not evaluated. */
double *tp_redundancy_rows(const tp_redundancy *redundancy, int law, const double **chi_out);

/* Are these laws [count] all joints of the choice, in one piece and none near to depending on others? Then
   tp_redundancy_solve makes r [rows] about (W^T M^-1 W)^-1 r, with the diagonal of M. */
bool tp_redundancy_can_solve(const tp_redundancy *redundancy, const int *laws, int count);
void tp_redundancy_solve(const void *redundancy, double *r);

/* All rows of joints as the choice found them, or as they are at the system's point since _evaluate; the
   factors stay those of the choice, or are those of that point since _factorise. _positions: errors [rows] at
   the system's point. Neither is found twice at one place. _push: x [u_count] = M^-1 W P, with the diagonal
   of M; _see: velocity [rows] += W^T u. */
const tp_constraint_rows *tp_redundancy_all_rows(const tp_redundancy *redundancy);
void tp_redundancy_evaluate(tp_redundancy *redundancy);
const double *tp_redundancy_positions(tp_redundancy *redundancy);
tp_status tp_redundancy_factorise(tp_redundancy *redundancy);
void tp_redundancy_push(const void *redundancy, const double *P, double *x);
void tp_redundancy_see(const void *redundancy, const double *u, double *velocity);

/* Rows [row_count][columns], chi and errors of positions [row_count] of a joint at the system's point. False:
   they have not both been found there. */
typedef struct tp_joint_rows {
    const double *W, *chi, *g;
} tp_joint_rows;

bool tp_redundancy_knows(const tp_redundancy *redundancy, int law, tp_joint_rows *rows_out);

#endif
