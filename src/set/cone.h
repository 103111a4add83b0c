/* The friction cone K = {(n, t) : n >= 0, t in n D} over a friction set D, its dual and its polar;
   docs/theory/sets.md section 3. z, p_out are [1 + n], the normal component first; n is the dimension of D.
 */
#ifndef TP_SET_CONE_H
#define TP_SET_CONE_H

#include "set/friction_set.h"

/* Exact tests. K* = {y_N >= s_D(y_T)}. */
bool tp_cone_contains(const tp_friction_set *D, const double *z);
bool tp_cone_dual_contains(const tp_friction_set *D, const double *y);

/* Nearest point of K; p_out may be z. */
void tp_cone_project(const tp_friction_set *D, const double *z, double *p_out);

/* Nearest point of the dual cone K*, by Moreau's decomposition (26); p_out may be z. */
void tp_cone_project_dual(const tp_friction_set *D, const double *z, double *p_out);

/* An element of the generalised derivative of tp_cone_project, [(1+n)*(1+n)] column-major. */
void tp_cone_project_derivative(const tp_friction_set *D, const double *z, double *J_out);

#endif
