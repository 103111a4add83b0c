/* Solver `quartic`: one contact with a disc or an ellipse of friction, all solutions;
   docs/theory/one-contact.md. */
#include "solver/infeasible/farkas.h"
#include "solver/solvers.h"
#include "solver/sweeps/one_contact.h"

#include <math.h>

bool tp_contact_disc_of(const tp_set *set, tp_contact_disc *disc_out)
{
    *disc_out = (tp_contact_disc){.mu = set->parameter[0], .stretch = {1.0, 1.0}};
    if (set->kind != TP_SET_CONTACT || set->size < 2 || set->size > 3) return false;
    if (set->friction_kind == TP_FRICTION_BALL ||
        (set->friction_kind == TP_FRICTION_ELLIPSOID && set->size == 2))
        return true;
    if (set->friction_kind != TP_FRICTION_ELLIPSOID) return false;
    if (!(set->parameter[0] > 0.0) && !(set->parameter[1] > 0.0)) return true; /* mu = 0 */
    *disc_out = (tp_contact_disc){1.0, {set->parameter[0], set->parameter[1]}};
    return set->parameter[0] > 0.0 && set->parameter[1] > 0.0;
}

/* The tangential row of an ellipse that has shrunk to a segment, else 0: friction acts along that row only.
 */
static int segment_row(const tp_set *set)
{
    if (set->kind != TP_SET_CONTACT || set->friction_kind != TP_FRICTION_ELLIPSOID || set->size != 3)
        return 0;
    bool has_first = set->parameter[0] > 0.0, has_second = set->parameter[1] > 0.0;
    return has_first == has_second ? 0 : has_first ? 1 : 2;
}

static int segment_solutions(const double *G, const double *c, double mu, int row, tp_contact_solution *out)
{
    const double g[4] = {G[0], G[row], G[3 * row], G[row + 3 * row]}, b[2] = {c[0], c[row]};
    int count = tp_planar_contact_all_solutions(g, b, mu, 0.0, out);
    for (int k = 0; k < count; k++) {
        double along = out[k].P[1];
        out[k].P[1] = out[k].P[2] = 0.0;
        out[k].P[row] = along;
    }
    return count;
}

/* All solutions in the rows of the problem. An ellipse becomes a disc in the rows P_T = stretch p_T,
   x_T = stretch xi_T. */
static int all_solutions(const double *G, const double *c, const tp_set *set, const tp_contact_disc *disc,
                         tp_contact_solution *out)
{
    int row = segment_row(set);
    if (row > 0) return segment_solutions(G, c, set->parameter[row - 1], row, out);
    if (set->size == 2) return tp_planar_contact_all_solutions(G, c, disc->mu, 0.0, out);
    const double s[3] = {1.0, disc->stretch[0], disc->stretch[1]};
    double g[9], b[3];
    for (int j = 0; j < 3; j++) {
        for (int i = 0; i < 3; i++) g[i + 3 * j] = s[i] * s[j] * G[i + 3 * j];
        b[j] = s[j] * c[j];
    }
    int count = tp_contact_all_solutions(g, b, disc->mu, 0.0, out);
    for (int k = 0; k < count; k++)
        for (int i = 0; i < 3; i++) out[k].P[i] *= s[i];
    return count;
}

/* The solutions come in the default order, so the first is taken, or the nearest to the start, or the open
   one, which is the last. */
static int choose(const tp_contact_solution *solutions, int count, int size, tp_branch branch,
                  const double *start)
{
    bool is_free = branch == TP_BRANCH_LOADED && !(start[0] > 0.0);
    int best = is_free && solutions[count - 1].mode == TP_CONTACT_OPEN ? count - 1 : 0;
    double least = HUGE_VAL;
    for (int k = 0; k < count && branch == TP_BRANCH_NEAREST; k++) {
        double distance = 0.0;
        for (int i = 0; i < size; i++) distance = hypot(distance, solutions[k].P[i] - start[i]);
        if (distance < least) least = distance, best = k;
    }
    return best;
}

/* A contact without friction: 0 <= G P + c _|_ P >= 0. */
static tp_status solve_frictionless(double G, double c, double *P, tp_report *report)
{
    bool is_open = c >= 0.0;
    if (!is_open && !(G > 0.0))
        return tp_report_end(report, TP_NOT_CONVERGED, "no impulse can open the contact");
    P[0] = is_open ? 0.0 : -c / G;
    report->solution_count = 1;
    report->iterations = 1;
    report->work = 1.0;
    return tp_report_end(report, TP_OK, "%s, without friction", is_open ? "open" : "closed");
}

static tp_status solve(const tp_solve_call *call, double *P, tp_report *report)
{
    static const char *const mode_text[] = {"open", "stick", "slip"};
    const tp_local *local = call->local;
    if (local->set_count == 0) return tp_report_end(report, TP_OK, "no contact");
    if (local->set_count == 1 && local->sets[0].kind == TP_SET_ORTHANT && local->sets[0].size == 1)
        return solve_frictionless(tp_local_diagonal(local, 0)[0], local->c[0], P, report);
    tp_contact_disc disc;
    tp_contact_solution solutions[TP_CONTACT_MAX_SOLUTIONS];
    bool is_accepted = local->set_count == 1 &&
                       (tp_contact_disc_of(&local->sets[0], &disc) || segment_row(&local->sets[0]) > 0);
    if (!is_accepted)
        return tp_report_end(
            report, TP_UNSUPPORTED,
            "takes at most one contact, with a disc or an ellipse of friction or without; the problem has "
            "%d laws",
            local->set_count);
    const int size = local->sets[0].size;
    const double *G = tp_local_diagonal(local, 0);
    int count = all_solutions(G, local->c, &local->sets[0], &disc, solutions);
    report->solution_count = count;
    report->motion_count = count;
    report->counted_all = true;
    report->iterations = 1;
    report->work = 1.0;
    if (count == 0) {
        if (tp_report_proof(local, call->stack, report)) return report->status;
        return tp_report_end(report, TP_NOT_CONVERGED, "no case of the contact has a solution");
    }
    int chosen = choose(solutions, count, size, call->options->branch, P);
    for (int i = 0; i < size; i++) P[i] = solutions[chosen].P[i];
    return tp_report_end(report, TP_OK, "%s, chosen of %d solution%s", mode_text[solutions[chosen].mode],
                         count, count == 1 ? "" : "s");
}

const tp_solver tp_solver_quartic = {
    .info = {"quartic", "one contact, all solutions by cases and a quartic", true},
    .accepts = TP_ACCEPT(TP_SET_CONTACT) | TP_ACCEPT(TP_SET_ORTHANT),
    .most_laws = 1,
    .solve = solve,
};
