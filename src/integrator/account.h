/* What laws and forces did in a step, with the directions, impulses and velocities of the scheme itself:
       M (u_E - u_B) = forces + laws,       laws = sum of W P,
   and for each law the energy that it took, -P.(W^T u + chi) with the mean velocity u, and the work -P.chi of
   its prescribed motion; theory/simulation.md (6)-(9). */
#ifndef TP_INTEGRATOR_ACCOUNT_H
#define TP_INTEGRATOR_ACCOUNT_H

#include "base/arena.h"
#include "base/pool.h"
#include "system/system.h"

typedef struct tp_account {
    int u_count, law_count;
    double *forces, *laws;         /* [u_count] impulses on the velocities [N s] or [N m s]       */
    double *dissipation, *applied; /* [law_count] energy lost, work of prescribed motion [J]      */
} tp_account;

/* A row of a law: its direction over some velocities. */
typedef struct tp_account_row {
    int law, count;
    const int *columns; /* [count] */
    const double *W;    /* [count] */
    double chi;         /* velocity that is prescribed [m/s] */
} tp_account_row;

/* Row k of a law whose rows W are over all its columns. */
tp_account_row tp_account_law_row(const tp_system *system, int law, int k, const double *W, double chi);

tp_status tp_account_create(tp_arena *arena, int u_count, int law_capacity, tp_account *account_out);

/* A new step with so many laws: everything is 0. pool may be NULL. */
void tp_account_begin(tp_account *account, tp_pool *pool, int law_count);

/* Adds an impulse P of a row that acted at the mean velocity (u_from + u_to)/2; NULL: it took no energy. A
   law beyond law_count is a compliant contact: it counts among the forces. */
void tp_account_add(tp_account *account, const tp_account_row *row, double P, const double *u_from,
                    const double *u_to);

/* The same in two parts: the impulse on the velocities, and what the row takes of the energy, in the place of
   its law alone. */
void tp_account_push(tp_account *account, const tp_account_row *row, double P);
void tp_account_take(tp_account *account, const tp_account_row *row, double P, const double *u_from,
                     const double *u_to);

/* Adds impulses of forces: time times force [u_count]. */
void tp_account_add_forces(tp_account *account, double time, const double *force);

#endif
