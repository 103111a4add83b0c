/* Solver `faceted`: friction polygons with options->facets corners, one complementarity problem;
   docs/theory/pivoting.md (29)-(32). An approximation of spatial friction; planar contacts are exact. */
#include "set/row_bounds.h"
#include "solver/infeasible/farkas.h"
#include "solver/pivoting/bounded.h"
#include "solver/solvers.h"
#include "solver/sweeps/one_contact.h"

#include <math.h>
#include <string.h>

/* Unknowns of the complementarity problem. Each carries a multiple of some rows of P: a scalar row or P_N
   itself, or a corner of the polygon; the bound of a polygon carries none. */
typedef struct unknown {
    int set;
    int row;          /* first row it acts on, -1: the bound of a polygon */
    int count;        /* rows it acts on */
    double corner[2]; /* its multiple on them */
    double lower, upper;
} unknown;

typedef struct polygon_problem {
    const tp_local *local;
    int count;
    unknown *unknowns;
    int *normal; /* [set_count] unknown of P_N, -1: no contact */
    tp_box_problem box;
} polygon_problem;

/* Corners of the polygon of a contact: the planar interval has two, a disc or an ellipse `facets`. */
static int corner_count(const tp_set *set, int facets)
{
    tp_contact_disc disc;
    if (!tp_contact_disc_of(set, &disc) || !(disc.mu > 0.0)) return 0;
    return set->size == 2 ? 2 : facets;
}

static void list_contact(polygon_problem *p, int s, int facets)
{
    const tp_set *set = &p->local->sets[s];
    tp_contact_disc disc;
    tp_contact_disc_of(set, &disc);
    p->normal[s] = p->count;
    p->unknowns[p->count++] = (unknown){s, set->first, 1, {1.0, 0.0}, 0.0, HUGE_VAL};
    int corners = corner_count(set, facets);
    for (int k = 0; k < corners; k++) {
        double angle = 6.283185307179586 * k / corners;
        unknown corner = {s, set->first + 1, set->size - 1, {0.0, 0.0}, 0.0, HUGE_VAL};
        corner.corner[0] = disc.mu * disc.stretch[0] * (corners == 2 ? 1.0 - 2.0 * k : cos(angle));
        corner.corner[1] = corners == 2 ? 0.0 : disc.mu * disc.stretch[1] * sin(angle);
        p->unknowns[p->count++] = corner;
    }
    if (corners > 0) p->unknowns[p->count++] = (unknown){s, -1, 0, {0.0, 0.0}, 0.0, HUGE_VAL};
}

static void list_scalars(polygon_problem *p, int s)
{
    const tp_set *set = &p->local->sets[s];
    for (int k = 0; k < set->size; k++) {
        tp_row_bounds bounds = tp_set_row_bounds(set, k);
        p->unknowns[p->count++] = (unknown){s, set->first + k, 1, {1.0, 0.0}, bounds.lower, bounds.upper};
    }
}

/* True when some contact is only approximated. */
static bool has_polygon(const tp_local *local)
{
    for (int s = 0; s < local->set_count; s++)
        if (local->sets[s].size == 3 && corner_count(&local->sets[s], 4) > 0) return true;
    return false;
}

/* How many unknowns the problem gets; -1 when a contact has no polygon. */
static int count_unknowns(const tp_local *local, int facets)
{
    int count = 0;
    for (int s = 0; s < local->set_count; s++) {
        const tp_set *set = &local->sets[s];
        tp_contact_disc disc;
        if (set->kind != TP_SET_CONTACT) {
            count += set->size;
            continue;
        }
        if (!tp_contact_disc_of(set, &disc)) return -1;
        count += 2 + corner_count(set, facets);
        if (count > 2 * TP_BOX_MAX_ROWS) break;
    }
    return count;
}

/* M = V^T G V bordered by the bounds of the polygons: gamma acts on all corners, P_N - sum of corners >= 0.
 */
static void fill_problem(polygon_problem *p, double *G, double *column)
{
    const int n = p->local->row_count, m = p->count;
    tp_local_dense(p->local, G);
    for (int l = 0; l < m; l++) {
        const unknown *u = &p->unknowns[l];
        p->box.lower[l] = u->lower;
        p->box.upper[l] = u->upper;
        for (int i = 0; i < n; i++) {
            column[i] = 0.0;
            for (int t = 0; t < u->count; t++)
                column[i] += u->corner[t] * G[i + (size_t)(u->row + t) * (size_t)n];
        }
        for (int k = 0; k < m; k++) {
            const unknown *v = &p->unknowns[k];
            double *entry = &p->box.M[k + (size_t)l * (size_t)m];
            bool same_set = v->set == u->set && p->normal[v->set] >= 0;
            bool v_is_corner = v->row >= 0 && k != p->normal[v->set];
            bool u_is_corner = u->row >= 0 && l != p->normal[u->set];
            for (int t = 0; t < v->count; t++) *entry += v->corner[t] * column[v->row + t];
            if (same_set && v_is_corner && u->row < 0) *entry += 1.0;
            if (same_set && v->row < 0 && l == p->normal[u->set]) *entry += 1.0;
            if (same_set && v->row < 0 && u_is_corner) *entry -= 1.0;
        }
        for (int t = 0; t < u->count; t++) p->box.q[l] += u->corner[t] * p->local->c[u->row + t];
    }
    tp_box_measure(&p->box);
}

static tp_status take_problem(polygon_problem *p, const tp_solve_call *call, int facets, int count)
{
    const size_t n = (size_t)call->local->row_count;
    p->local = call->local;
    p->count = 0;
    p->unknowns = TP_STACK_ARRAY(call->stack, unknown, count + 1);
    p->normal = TP_STACK_ARRAY(call->stack, int, call->local->set_count + 1);
    double *G = TP_STACK_ARRAY(call->stack, double, n *n + 1),
           *column = TP_STACK_ARRAY(call->stack, double, n + 1);
    if (!p->unknowns || !p->normal || !G || !column) return TP_OUT_OF_MEMORY;
    for (int s = 0; s < p->local->set_count; s++) {
        p->normal[s] = -1;
        if (p->local->sets[s].kind == TP_SET_CONTACT)
            list_contact(p, s, facets);
        else
            list_scalars(p, s);
    }
    TP_TRY(tp_box_take(&p->box, p->count, call->stack));
    fill_problem(p, G, column);
    return TP_OK;
}

static bool is_at_limit(const tp_solve_call *call, const tp_report *report)
{
    return call->options->max_iterations > 0 && report->iterations >= call->options->max_iterations;
}

/* The path from several covers: the first that solves the polygonal law. */
static tp_status solve_paths(const polygon_problem *p, const tp_solve_call *call, double *z, double *error,
                             tp_report *report)
{
    double *trial = TP_STACK_ARRAY(call->stack, double, p->count + 1);
    if (!trial) return TP_OUT_OF_MEMORY;
    *error = 1e300;
    int limit = call->options->max_iterations; /* of all paths; 0: each has its own */
    for (int seed = 0; seed < 4 && *error > call->options->tolerance && !is_at_limit(call, report); seed++) {
        tp_box_path path = {TP_BOX_PRINCIPAL, (uint64_t)seed, limit > 0 ? limit - report->iterations : 0};
        tp_lcp_report end;
        double trial_error;
        tp_status status = tp_box_lemke(&p->box, &path, call->stack, trial, &trial_error, &end);
        if (status != TP_OK && status != TP_NOT_CONVERGED) return status;
        report->iterations += end.pivots;
        report->work += (double)end.pivots * p->count * p->count;
        if (!(trial_error < *error)) continue;
        *error = trial_error;
        memcpy(z, trial, (size_t)p->count * sizeof(double));
    }
    return TP_OK;
}

static tp_status solve(const tp_solve_call *call, double *P, tp_report *report)
{
    const int facets = call->options->facets > 2 ? call->options->facets : 4;
    int count = count_unknowns(call->local, facets);
    if (count < 0 || count > TP_BOX_MAX_ROWS)
        return tp_report_end(
            report, TP_UNSUPPORTED,
            count < 0 ? "takes contacts with a disc or an ellipse only"
                      : "too large: the polygonal problem has %d rows or more, at most %d are taken",
            count, (int)TP_BOX_MAX_ROWS);
    polygon_problem p;
    TP_TRY(report->status = take_problem(&p, call, facets, count));
    double *z = TP_STACK_ARRAY(call->stack, double, p.count + 1), error;
    if (!z) return report->status = TP_OUT_OF_MEMORY;
    TP_TRY(report->status = solve_paths(&p, call, z, &error, report));
    for (int i = 0; i < call->local->row_count; i++) P[i] = 0.0;
    for (int k = 0; k < p.count; k++)
        for (int t = 0; t < p.unknowns[k].count; t++)
            P[p.unknowns[k].row + t] += p.unknowns[k].corner[t] * z[k];

    bool is_open = error > call->options->tolerance && !is_at_limit(call, report);
    if (is_open && tp_report_proof(call->local, call->stack, report)) return report->status;
    tp_status status = error <= call->options->tolerance ? TP_OK : TP_NOT_CONVERGED;
    if (!has_polygon(call->local))
        return tp_report_end(report, status, "no spatial friction: exact law, to %.1e", error);
    return tp_report_end(report, status, "faceted cone (approximation), %d facets: its own law to %.1e",
                         facets, error);
}

const tp_solver tp_solver_faceted = {
    .info = {"faceted", "faceted cone (approximation): friction polygons by Lemke's method", false},
    .accepts = TP_ACCEPT_SCALAR | TP_ACCEPT(TP_SET_CONTACT),
    .solve = solve,
};
